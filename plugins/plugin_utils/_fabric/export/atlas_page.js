// Copyright (c) 2026, the spectrum_x.fabric authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Small parts that the views are made of. Everything that is shown is set as text, never as markup.

const data = JSON.parse(document.getElementById("data").textContent);
const fabric = new Fabric(data);
const locator = new Locator(fabric);
const byId = (id) => document.getElementById(id);
// Results of checks; then devices and links, as the last validation left them. What was not read is not known: "?".
const WORDS = ["✓ passed", "✕ failed", "◆ waived", "– not run", "○ not realised"];
const SIGN = { passed: "✓", failed: "✕", waived: "◆", partly: "–", unchecked: "?" };
const SAYS = { ...Object.fromEntries(Object.keys(SIGN).map((state) => [state, state])), partly: "checked in part", unchecked: "not checked" };
const MOST_ROWS = 500;

function el(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {})) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(2).filter((child) => child || child === 0));
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

const pageOf = (pod) => `${data.shard === "index" ? "atlas/" : ""}pod-${pad(pod + 1, 3)}.html`;

// Where a device's own page is, when it is not this one; null when it is.
function elsewhere(pod) {
  if (data.shard === null || pod === data.shard) return null;
  if (pod === undefined) return data.shard === "index" ? null : "../atlas.html";
  return pageOf(pod);
}

// Tenants

// The tenant is a band in its colour: what fills a cell is its state.
function paint(made, owner) {
  if (!owner) return made;
  if (owner.colour === null) {
    made.classList.add(owner.slug === "quarantine" ? "quarantine" : "rest");
    return made;
  }
  const colour = data.palette[owner.colour % data.palette.length];
  const round = Math.floor(owner.colour / data.palette.length);
  const step = `${Math.max(3, 9 - 2 * round)}px`;
  const stripes = `repeating-linear-gradient(90deg, ${colour} 0 ${step}, #12161d ${step} calc(${step} + 1px))`;
  made.style.setProperty("--own", round ? stripes : `linear-gradient(${colour}, ${colour})`);
  return made;
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
const stateOf = (name) => (resultsOf(name) || { state: "unchecked" }).state;
const sign = (state, count = "") => el("span", { class: `state ${state}` }, `${SIGN[state]} ${count} ${SAYS[state]} `);
const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

function stateWords(counts) {
  return WORDS.map((word, n) => (counts[n] ? `${counts[n]}${word.slice(1)}` : null)).filter(Boolean).join(", ");
}

function chips(counts) {
  return WORDS.map((word, n) => (counts[n] ? linkTo("checks", word.replace(" ", ` ${counts[n]} `), { class: `state ${word.slice(2)}` }) : null));
}

// Minutes are enough for people: 2026-11-24 23:35 UTC.
function timeWords() {
  const [first, last] = data.checked.map((at) => `${at.slice(0, 16).replace("T", " ")} UTC`);
  if (!data.totals.some(Boolean)) return "none that this page knows";
  if (!last) return "time not recorded";
  return first === last ? last : `${first} to ${last}`;
}

// What did not pass as [device, row] pairs, a line for each cause; `whole` counts the devices of the page's causes.
function causeTable(pairs, whole) {
  const groups = new Map(whole ? data.causes.map((_cause, number) => [number, []]) : []);
  for (const pair of pairs) {
    const number = pair[1][0];
    if (!groups.has(number)) groups.set(number, []);
    groups.get(number).push(pair);
  }
  const lines = [...groups].sort(([a], [b]) => a - b).slice(0, MOST_ROWS).map(([number, found]) => {
    const [state, check, sentence, same, devices] = data.causes[number];
    const count = whole ? devices : new Set(found.map(([device]) => device)).size;
    const single = same || found.length === 1;
    const where = found.slice(0, MOST_ROWS).map(([device, [, port, own]]) =>
      el("li", {}, linkTo(port ? `${device}:${port}` : device), single ? null : `: ${own}`));
    const places = found.length > 2 ? el("details", {}, el("summary", {}, "show them"), el("ul", {}, where)) : el("ul", {}, where);
    return [el("span", { class: `state ${WORDS[state].slice(2)}` }, WORDS[state]), plural(count, "device"), check,
      single ? found.length && found[0][1][2] || sentence : `such as: ${sentence}`, places];
  });
  return lines.length ? scroll("What did not pass", table(["state", "devices", "check", "what was found", "where"], lines)) : null;
}

const scroll = (label, ...children) => el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label }, children);

// A sign for a device whose results are on this page.
const signOf = (device) => (elsewhere(locator.coordinates(device).pod) ? "" : sign(stateOf(fabric.name(device))));

function checksOf(name, port) {
  const found = resultsOf(name);
  if (!found) return el("p", {}, sign("unchecked"), "The last validation has no result of ", name, ".");
  const rows = found.rows.filter((row) => !port || row[1] === port).map((row) => [name, row]);
  const words = port ? `${rows.length} named this port and did not pass` : stateWords(found.counts);
  const more = found.left_out ? el("p", {}, `and ${found.left_out} more in the results folder`) : null;
  return el("div", {}, el("h3", {}, `Checks of ${name}: ${words}`), causeTable(rows), more);
}

function table(head, lines) {
  return el("table", {}, el("thead", {}, el("tr", {}, head.map((word) => el("th", { scope: "col" }, word)))),
    el("tbody", {}, lines.map((cells) => el("tr", {}, cells.map((cell) => el("td", {}, cell))))));
}

// Cells, of which those that did not just pass are marked: one tab stop for each group, arrow keys within it

function cell({ device, rack, unit }, words) {
  const name = fabric.name(device);
  const built = fabric.present(device);
  const [found, state] = [resultsOf(name), built ? stateOf(name) : "unbuilt"];
  const made = linkTo(name, (built && state !== "passed" ? SIGN[state] : "") + words, { class: state, "data-name": name, tabindex: "-1" });
  const owner = device.role === "node" && built ? fabric.holder(device) : null;
  if (device.role === "node") made.dataset.tenant = owner ? owner.slug : "";
  const checks = found ? stateWords(found.counts) : "not checked";
  if (suspected.has(name)) made.classList.add("suspect");
  const told = [name, owner && owner.slug, built ? checks : "not built", suspected.has(name) && "suspect of the last performance run", rack && `rack ${rack}`, unit && `unit ${unit}`];
  made.title = told.filter(Boolean).join(", ");
  made.setAttribute("aria-label", made.title);
  return paint(made, owner);
}

// Devices in the order given, those of a rack together, from its top where the site has said the units.
function racked(devices) {
  const racks = new Map();
  for (const device of devices) {
    const { rack, unit } = fabric.rackOf(device);
    if (!racks.has(rack)) racks.set(rack, []);
    racks.get(rack).push({ device, rack, unit: Number(unit) || 0 });
  }
  for (const held of racks.values()) if (held.some(({ unit }) => unit)) held.sort((a, b) => b.unit - a.unit);
  return racks;
}

function rackBoxes(devices, words, large) {
  return [...racked(devices)].map(([rack, held]) => {
    const label = rack && (large ? linkTo(rack, rack, { class: "label" }) : el("span", { class: "label", "aria-hidden": "true" }, rack.split("/").pop()));
    const tall = held[0].unit > 0;
    const cells = held.map((one) => cell(one, words(one.device) + (large && tall ? ` U${one.unit}` : "")));
    const made = el("div", { class: tall ? "rack tall" : "rack" }, label, cells);
    made.style.setProperty("--n", tall ? 1 : Math.min(8, held.length));
    return made;
  });
}

function group(css, label, children) {
  const made = el("div", { class: css, role: "group", "aria-label": label, "data-roving": true }, children);
  const first = made.querySelector(ROVING);
  if (first) first.tabIndex = 0;
  return made;
}

const ROVING = "a:not(.label)";

function moveWithin(event) {
  const here = event.target.closest(`[data-roving] ${ROVING}`);
  if (!here || event.altKey || event.ctrlKey || event.metaKey) return;
  const cells = [...here.closest("[data-roving]").querySelectorAll(ROVING)];
  const top = cells[0].offsetTop;
  const columns = Math.max(1, cells.findIndex((one) => one.offsetTop > top));
  const wide = columns === 1 && cells[cells.length - 1].offsetTop === top ? cells.length : columns;
  const at = cells.indexOf(here);
  const steps = { ArrowRight: at + 1, ArrowLeft: at - 1, ArrowDown: at + wide, ArrowUp: at - wide, Home: 0, End: cells.length - 1 };
  if (!(event.key in steps)) return;
  const next = cells[steps[event.key]];
  event.preventDefault();
  if (!next) return;
  here.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
