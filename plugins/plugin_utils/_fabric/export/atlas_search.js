// Copyright (c) 2026, the spectrum_x.fabric authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The search box with its suggestions, the keys, and the beginning of everything.

const MOST_NAMES = 30000;
const MOST_SUGGESTIONS = 8;
let names = null;
let chosen = -1;

// Names, tenants, racks, serials and MAC addresses of what this page shows; no names when they are too many.
function knownNames() {
  if (names) return names;
  const c = data.clos;
  const devices = [];
  for (const pod of podsHere()) {
    for (const plane of range(c.planes)) {
      for (const index of range(fabric.leavesPerPod)) devices.push({ role: "leaf", plane, pod, index });
      for (const index of range(c.spines)) devices.push({ role: "spine", plane, pod, index });
    }
    for (const number of range(c.sus * c.slots)) devices.push(fabric.nodeAt(pod * c.sus * c.slots + number));
  }
  const built = devices.length > MOST_NAMES ? [] : devices.filter((device) => fabric.present(device));
  const marks = data.rows.flatMap((row) => [row.serial, row.mac]).filter(Boolean);
  const racked = [...rackNames().values()].map(({ rack }) => rack);
  names = [...data.owners.map(({ slug }) => slug), ...built.map((device) => fabric.name(device)), ...racked, ...marks, ...netNames()];
  return names;
}

function matches(text) {
  const wanted = text.trim().toLowerCase();
  if (wanted.length < 2) return [];
  const found = knownNames().filter((name) => name.toLowerCase().includes(wanted));
  const rank = (name) => (name.toLowerCase().startsWith(wanted) ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b)).slice(0, MOST_SUGGESTIONS);
}

function suggest(found) {
  const list = byId("suggestions");
  chosen = -1;
  list.replaceChildren(...found.map((name, n) => el("li", { role: "option", id: `option-${n}`, "aria-selected": "false" }, name)));
  list.hidden = !found.length;
  byId("query").setAttribute("aria-expanded", String(found.length > 0));
  byId("query").removeAttribute("aria-activedescendant");
}

function choose(step) {
  const options = [...byId("suggestions").children];
  if (!options.length) return;
  chosen = (chosen + step + options.length + (chosen < 0 && step < 0 ? 1 : 0)) % options.length;
  options.forEach((option, n) => option.setAttribute("aria-selected", String(n === chosen)));
  byId("query").setAttribute("aria-activedescendant", options[chosen].id);
}

function go(text) {
  const wanted = text.trim();
  suggest([]);
  byId("query").value = wanted;
  byId("query").select();
  if (fragmentOf() === wanted) show();
  else location.hash = `#${encodeURI(wanted)}`;
}

function searchKeys(event) {
  const box = byId("query");
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    if (byId("suggestions").hidden) suggest(matches(box.value));
    choose(event.key === "ArrowDown" ? 1 : -1);
    event.preventDefault();
  } else if (event.key === "Escape") {
    if (byId("suggestions").hidden) box.value = "";
    suggest([]);
  } else if (event.key === "Enter" && chosen >= 0) {
    event.preventDefault();
    go(byId("suggestions").children[chosen].textContent);
  }
}

function pageKeys(event) {
  if (event.target !== byId("query") && event.key === "/" && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    byId("query").focus();
    byId("query").select();
  }
  moveWithin(event);
}

function begin() {
  byId("facts").textContent = data.facts;
  byId("verdict").replaceChildren(el("strong", {}, `Last validation: ${timeWords()}`), el("span", {}, deviceStates()),
    el("span", { class: "quiet" }, data.totals.some(Boolean) ? "Checks: " : "", chips(data.totals)));
  byId("measured").replaceChildren(...measuredLine());
  byId("search").addEventListener("submit", (event) => {
    event.preventDefault();
    go(byId("query").value);
  });
  byId("query").addEventListener("input", () => suggest(matches(byId("query").value)));
  byId("query").addEventListener("keydown", searchKeys);
  byId("query").addEventListener("blur", () => suggest([]));
  byId("suggestions").addEventListener("mousedown", (event) => {
    const option = event.target.closest("li");
    if (option) go(option.textContent);
  });
  document.addEventListener("keydown", pageKeys);
  window.addEventListener("hashchange", show);
  show();
}

window.spx = { locate: (text) => locator.locate(text), tenant: (node) => (fabric.holder(node) || {}).slug || null };
begin();
