// Copyright (c) 2026, the spectrum_x.fabric authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The heat map: SUs by rails, and the nodes of one SU by rails. Everything that is shown is set as text.
// The address bar's fragment is the only state: "map/0" is a view, "map/0/3" the fourth SU in it.

const data = JSON.parse(document.getElementById("data").textContent);
const columns = data.columns.length;
const byId = (id) => document.getElementById(id);
const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
const range = (count) => Array.from({ length: count }, (_unused, n) => n);

function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) made.setAttribute(key, value);
  made.append(...children.flat().filter((one) => one !== null));
  return made;
}

// The state of some cells together: the lowest value, and how many measurements failed of how many ports.

function joined(view, cells) {
  const known = cells.map((cell) => view.lowest[cell]).filter((value) => value >= 0);
  const bad = cells.map((cell) => view.failed[cell]).filter(Boolean);
  const all = bad.filter(([failed, tests]) => failed === tests).length;
  return { lowest: known.length ? Math.min(...known) : -1, bad: bad.length, all, ports: cells.length };
}

function heatOf(view, value) {
  const limit = Math.max(...view.limits, 0);
  if (!view.limits.length || view.best <= limit) return "h1";
  const share = Math.min(0.999, Math.max(0, (value - limit) / (view.best - limit)));
  return `h${1 + Math.floor(share * 4)}`;
}

function lookOf(view, found) {
  if (found.all) return ["all", "✕ "];
  if (found.bad) return ["some", "! "];
  return found.lowest < 0 ? ["none", ""] : [heatOf(view, found.lowest), ""];
}

function cellOf(view, cells, name, attributes) {
  const found = joined(view, cells);
  const [css, sign] = lookOf(view, found);
  const value = found.lowest < 0 ? "?" : found.lowest.toLocaleString("en");
  const bad = found.bad ? `, ${plural(found.bad, "port")} of ${found.ports} with failed measurements` : "";
  const lowest = found.lowest < 0 ? "not measured" : `lowest ${value} ${view.unit}`;
  const words = `${name}: ${lowest}${cells.length > 1 ? bad : countOf(view, cells[0])}`;
  return el("td", { class: css, title: words, ...attributes }, sign + value);
}

function countOf(view, cell) {
  const [failed, tests] = view.failed[cell] || [0, 0];
  return failed ? `, ${failed} of ${plural(tests, "measurement")} failed` : "";
}

function grid(label, rows) {
  const head = el("tr", {}, el("th", {}), data.columns.map((title) => el("th", { scope: "col" }, title)));
  return el("div", { class: "map", tabindex: "0", role: "region", "aria-label": label }, el("table", { class: "heat" }, el("thead", {}, head), el("tbody", {}, rows)));
}

function suRow(view, [title, first, nodes], su) {
  const open = el("button", { type: "button" }, title);
  open.addEventListener("click", () => go(number, su));
  const cells = range(columns).map((column) => {
    const made = cellOf(view, range(nodes).map((n) => (first + n) * columns + column), `${title}, ${data.columns[column]}`, { "data-su": su });
    made.addEventListener("click", () => go(number, su));
    return made;
  });
  return el("tr", {}, el("th", { scope: "row", class: "label" }, open), cells);
}

function nodeRow(view, node) {
  const name = data.nodes[node];
  const cells = range(columns).map((column) => cellOf(view, [node * columns + column], `${name}, ${data.columns[column]}`, {}));
  return el("tr", {}, el("th", { scope: "row", class: "label mono" }, name), cells);
}

function failuresOf([, first, nodes]) {
  const inside = (node) => node >= first && node < first + nodes;
  const found = data.failures.filter(([view, a, b]) => view === number && (inside(a) || inside(b)));
  const lines = found.slice(0, 50).map(([, a, b, column, sentence]) =>
    el("li", {}, `${data.nodes[a]} to ${data.nodes[b] || "others"}, ${data.columns[column]}: ${sentence}`));
  if (found.length > 50) lines.push(el("li", {}, `and ${found.length - 50} more`));
  return lines.length ? el("ul", {}, lines) : null;
}

// Routing

let number = 0;

function go(view, su) {
  location.hash = su === undefined ? `map/${view}` : `map/${view}/${su}`;
}

function show() {
  const [place, view, su] = location.hash.slice(1).split("/");
  // A link to another part of the page leaves the map as it is.
  if (place && place !== "map" && byId("heat").firstChild) return;
  const known = place === "map" ? [Number(view) || 0, su === undefined ? -1 : Number(su)] : [0, data.sus.length === 1 ? 0 : -1];
  number = known[0] in data.views ? known[0] : 0;
  const chosen = data.sus[known[1]];
  const now = data.views[number];
  byId("views").replaceChildren(...data.views.map(({ title }, n) => {
    const made = el("button", { type: "button", "aria-pressed": String(n === number) }, title);
    made.addEventListener("click", () => go(n, chosen ? known[1] : undefined));
    return made;
  }));
  const limits = now.limits.length ? `, limit ${now.limits.join(" or ")} ${now.unit}` : "";
  if (!chosen) {
    byId("heat").replaceChildren(el("p", {}, `The lowest figure of each SU and rail in ${now.unit}${limits}. Choose an SU to see its nodes.`),
      grid("SUs by rail", data.sus.map((row, n) => suRow(now, row, n))));
    return;
  }
  const back = el("button", { type: "button" }, "All SUs");
  back.addEventListener("click", () => go(number));
  const found = failuresOf(chosen);
  byId("heat").replaceChildren(el("p", {}, data.sus.length > 1 ? back : "", ` ${chosen[0]}: the lowest figure of each NIC port in ${now.unit}${limits}.`),
    grid(`Nodes of ${chosen[0]} by rail`, range(chosen[2]).map((n) => nodeRow(now, chosen[1] + n))), ...(found ? [found] : []));
}

function contents() {
  const parts = [...document.querySelectorAll("main > section[id]:not(.verdict)")];
  document.querySelector("nav").append(...parts.map((one) => el("a", { href: `#${one.id}` }, one.querySelector("h2").textContent.replace(/:.*/, ""))));
}

contents();
if (byId("heat")) {
  window.addEventListener("hashchange", show);
  show();
}
