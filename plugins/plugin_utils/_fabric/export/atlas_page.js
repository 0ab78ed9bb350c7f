// Copyright (c) 2026, the spectrum_x.fabric authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Small parts that the views are made of. Everything that is shown is set as text, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);
const fabric = new Fabric(data);
const locator = new Locator(fabric);
const byId = (id) => document.getElementById(id);
const STATES = ["pass", "fail", "waived", "not_run", "not_realised"];
const GLYPH = { pass: "✓", fail: "✕", waived: "◆", not_run: "–", not_realised: "○" };
const WORD = { pass: "passed", fail: "failed", waived: "waived", not_run: "not run", not_realised: "not realised" };
const MOST_ROWS = 500;

function el(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "class") made.className = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

const linkTo = (text, words, more) => el("a", { href: `#${encodeURI(text)}`, ...more }, words || text);
const pad = (number, width) => String(number).padStart(width, "0");

function pathOf({ plane = 0, pod, su }) {
  const parts = [`p${plane + 1}`];
  if (pod !== undefined) parts.push(`pod${pad(pod + 1, 2)}`);
  if (su !== undefined) parts.push(`su${pad(su + 1, 3)}`);
  return `/${parts.join("/")}`;
}

function readPath(text) {
  const match = /^\/(?:p(\d+))?(?:\/pod(\d+))?(?:\/su(\d+))?\/?$/.exec(text);
  if (!match) return null;
  const [plane, pod, su] = match.slice(1).map((part) => (part === undefined ? undefined : Number(part) - 1));
  const fits = (number, count) => number === undefined || (number >= 0 && number < count);
  if (!fits(plane, data.clos.planes) || !fits(pod, data.clos.pods) || !fits(su, data.clos.sus)) return null;
  return { plane: plane || 0, pod, su };
}

// Where a device's own page is, when it is not this one; null when it is.
function elsewhere(pod) {
  if (data.shard === null) return null;
  if (data.shard === "index") return pod === undefined ? null : data.pages[pod];
  if (pod === data.shard) return null;
  return pod === undefined ? "../atlas.html" : data.pages[pod];
}

// Tenants

function paint(cell, owner) {
  if (!owner) {
    cell.classList.add("unbuilt");
  } else if (owner.colour === null) {
    cell.classList.add(owner.slug === "quarantine" ? "quarantine" : "rest");
  } else {
    const colour = data.palette[owner.colour % data.palette.length];
    cell.style.backgroundColor = colour;
    cell.style.color = colour === "#0072b2" ? "#fff" : "#12161d";
    if (owner.colour >= data.palette.length) {
      const step = `${Math.max(3, 9 - 2 * Math.floor(owner.colour / data.palette.length))}px`;
      cell.style.backgroundImage = `repeating-linear-gradient(90deg, transparent 0 ${step}, #12161d ${step} calc(${step} + 1px))`;
    }
  }
  return cell;
}

function tenantOf(node) {
  const owner = fabric.holder(node);
  if (!owner) return fabric.present(node) ? null : el("span", { class: "quiet" }, "not built");
  const moving = data.moving[fabric.nodeNumber(node)];
  return el("span", { class: "tenant" }, paint(el("span", { class: "swatch" }), owner), owner.slug,
    moving ? el("span", { class: "quiet" }, `(moving: ${moving})`) : null);
}

// Checks

const resultsOf = (name) => data.results[name] || null;

function isIll(name) {
  const found = resultsOf(name);
  return Boolean(found && found.counts[1]);
}

function stateWords(counts) {
  return STATES.map((state, n) => (counts[n] ? `${counts[n]} ${WORD[state]}` : null)).filter(Boolean).join(", ");
}

function chips(counts) {
  return STATES.map((state, n) =>
    counts[n] ? linkTo("checks", `${GLYPH[state]} ${counts[n]} ${WORD[state]}`, { class: `state ${state}` }) : null);
}

function checkTable(rows, withDevice) {
  const head = ["state", ...(withDevice ? ["device"] : []), "port", "check", "what was found"];
  const lines = rows.slice(0, MOST_ROWS).map(([device, [state, id, port, sentence]]) => [
    el("span", { class: "state" }, `${GLYPH[STATES[state]]} ${WORD[STATES[state]]}`),
    ...(withDevice ? [linkTo(device)] : []), port ? linkTo(`${device}:${port}`, port) : "", id, sentence]);
  const more = rows.length - lines.length;
  return el("div", { class: "scroll", tabindex: "0" }, table(head, lines),
    more > 0 ? el("p", { class: "quiet" }, `and ${more} more in the results folder`) : null);
}

function checksOf(name, port) {
  const found = resultsOf(name);
  if (!found) return null;
  const rows = found.rows.filter((row) => !port || row[2] === port).map((row) => [name, row]);
  const words = port ? `${rows.length} that ${rows.length === 1 ? "names" : "name"} this port did not pass` : stateWords(found.counts);
  const more = found.left_out ? el("p", { class: "quiet" }, `and ${found.left_out} more in the results folder`) : null;
  return el("div", {}, el("h3", {}, `Checks of ${name}: ${words}`), rows.length ? checkTable(rows, false) : null, more);
}

function table(head, lines) {
  return el("table", {}, el("thead", {}, el("tr", {}, head.map((word) => el("th", { scope: "col" }, word)))),
    el("tbody", {}, lines.map((cells) => el("tr", {}, cells.map((cell) => el("td", {}, cell))))));
}

// Cells: one tab stop for each group, arrow keys within it

function cell(device, words, extra) {
  const name = fabric.name(device);
  const made = linkTo(name, words, { "data-name": name, tabindex: "-1", ...extra });
  if (!fabric.present(device)) made.classList.add("unbuilt");
  if (isIll(name)) made.classList.add("ill");
  const found = resultsOf(name);
  const owner = device.role === "node" ? fabric.holder(device) : null;
  const told = [name, owner ? owner.slug : "", fabric.present(device) ? "" : "not built", found ? stateWords(found.counts) : ""];
  made.title = told.filter(Boolean).join(", ");
  made.setAttribute("aria-label", made.title);
  return made;
}

function group(css, label, cells) {
  if (cells.length) cells[0].tabIndex = 0;
  return el("div", { class: css, role: "group", "aria-label": label, "data-roving": true }, cells);
}

function moveWithin(event) {
  const here = event.target.closest("[data-roving] > a");
  if (!here || event.altKey || event.ctrlKey || event.metaKey) return;
  const cells = [...here.parentElement.children];
  const top = cells[0].offsetTop;
  const columns = Math.max(1, cells.findIndex((one) => one.offsetTop > top));
  const wide = columns === 1 && cells[cells.length - 1].offsetTop === top ? cells.length : columns;
  const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: wide, ArrowUp: -wide, Home: -1e6, End: 1e6 };
  const step = steps[event.key];
  if (step === undefined) return;
  const at = cells.indexOf(here) + step;
  const next = cells[Math.abs(step) === 1e6 ? (step < 0 ? 0 : cells.length - 1) : at];
  event.preventDefault();
  if (!next) return;
  here.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
