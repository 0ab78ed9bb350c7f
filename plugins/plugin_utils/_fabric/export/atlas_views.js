// Copyright (c) 2026, the spectrum_x.fabric authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The views: what was asked for, the way down to a place, and the map. The address bar's fragment
// is the only state: an address, a name, a rack or a prefix, /p1/pod01/su001, tenant/acme, checks, or links.

// The answer

const FACTS = [
  ["plane", "plane"], ["pod", "pod"], ["group", "group"], ["su", "SU"], ["rail", "rail"], ["slot", "slot"], ["index", "number"],
];

function factsOf(place) {
  const found = FACTS.filter(([key]) => Number.isInteger(place[key])).map(([key, word]) => [word, place[key] + 1]);
  if (place.rails && place.rails.length) found.push(["rails", place.rails.map((rail) => rail + 1).join(", ")]);
  if (place.cage) found.push(["cage", place.cage]);
  const own = { site_unit: "unit", serial: "serial", prefix: "prefix", unit: "unit" };
  for (const [key, word] of Object.entries(own)) if (place[key] !== undefined && place[key] !== null) found.push([word, place[key]]);
  for (const [key, word] of [["dpu", "DPU"], ["storage_port", "storage port"]]) if (key in place) found.push([word, place[key] + 1]);
  const { rack } = fabric.rackOf(fabric.device(place.node || place.device));
  if (rack) found.push(["rack", linkTo(rack)]);
  return el("dl", {}, found.map(([word, value]) => el("div", {}, el("dt", {}, word), el("dd", {}, value.href ? value : String(value)))));
}

function otherEnd(place) {
  if (!place.peer_device) return null;
  const words = `${place.peer_device} port ${place.peer_port}`;
  const address = place.peer_address ? [" ", mono(place.peer_address)] : [];
  return el("p", {}, "The cable's other end is ", linkTo(`${place.peer_device}:${place.peer_port}`, words), ...address, ".");
}

function deviceFacts(device) {
  if (device.role === "node") return [];
  const row = fabric.rows.get(keyOf(device)) || {};
  const pack = (pool, more) => {
    const layout = fabric.pools.get(pool);
    const ordinal = device.pod * fabric.perPod(device.role) + device.index + more;
    const role = Number(Object.keys(ROLE_OF).find((code) => ROLE_OF[code] === device.role));
    return addressText(layout.pack({ role, plane: device.plane, ordinal }), layout.version);
  };
  const found = [["loopback", row.loopback || pack("loopback", 0)]];
  if (device.role === "leaf") found.push(["VTEP", row.vtep || pack("vtep", 0)]);
  found.push(["management", row.management || pack("switch_oob", 1)]);
  return found;
}

function portTable(device) {
  const name = fabric.name(device);
  const rows = fabric.ports(device).map((port) => {
    const [place] = locator.locate(`${name}:${port}`);
    const node = place.kind === "host_link" ? fabric.device(place.node) : null;
    const state = signOf(device) && fabric.present(fabric.device(place.peer_device)) ? sign(linkState([[name, port], [place.peer_device, place.peer_port]])) : "";
    return [linkTo(`${name}:${port}`, port), state, mono(place.address || "unnumbered"), linkTo(place.peer_device), linkTo(`${place.peer_device}:${place.peer_port}`, place.peer_port),
      node && device.role !== "node" ? tenantOf(node) : ""];
  });
  return scroll(`Ports of ${name}`, table(["port", "link", "address", "other end", "its port", device.role === "leaf" ? "tenant" : ""], rows));
}

function otherPage(place, query) {
  const page = elsewhere(place.pod);
  if (!page) return null;
  const words = place.pod === undefined ? "the page of the whole fabric" : `the page of pod ${place.pod + 1}`;
  return el("p", {}, "Its neighbours and checks are on ", el("a", { href: `${page}#${encodeURI(query)}` }, words), ".");
}

function placeCard(place, query) {
  const device = fabric.device(place.device);
  const node = place.node ? fabric.device(place.node) : device.role === "node" ? device : null;
  const tenant = node && tenantOf(node);
  const extra = place.kind === "device" ? deviceFacts(device) : [];
  const facts = factsOf(place);
  for (const [word, value] of extra) facts.append(el("div", {}, el("dt", {}, word), el("dd", { class: "mono" }, value)));
  return el("article", { class: "card found" },
    el("h2", {}, sentenceOf(place), place.present ? "" : " (not built)"),
    otherEnd(place),
    tenant ? el("p", {}, "Tenant: ", tenant) : null,
    facts,
    place.kind === "device" ? null : el("p", {}, "All of ", linkTo(place.device), "."),
    otherPage(place, query),
    elsewhere(place.pod) ? null : checksOf(place.device, place.port),
    measuredOf(place.device),
    ...(place.kind === "device" ? [el("h3", {}, "Ports"), portTable(device)] : []),
    place.kind === "device" ? netOfNode(place.device) : null);
}

const ownerOf = (slug) => data.owners.find((owner) => owner.slug.toLowerCase() === slug.toLowerCase());

function answer(query) {
  const prefix = prefixAt(query);
  if (prefix) return prefixView(prefix);
  const found = netFind(query);
  if (found.length) return netAnswer(found, query);
  const places = locator.locate(query);
  if (places.length) return places.slice(0, 16).map((place) => placeCard(place, query));
  const rack = rackNames().get(query.toLowerCase());
  if (rack) return rackView(rack);
  const page = elsewhere();
  const whole = page && el("p", {}, "Ask ", el("a", { href: `${page}#${encodeURI(query)}` }, "the page of the whole fabric"), ".");
  return card(`'${query}' is nothing that this page knows of fabric ${data.name}`,
    el("p", {}, "Try a name such as ", linkTo(fabric.name({ role: "leaf", plane: 0, pod: 0, index: 0 })),
      `, a place such as ${data.clos.pods > 1 ? "pod01/" : ""}su01/h01, or an address of `, blocksOf().map(([name, { base }]) => `${name} ${base}`).join(", "), "."), whole);
}

function checksView() {
  const pairs = Object.entries(data.results).flatMap(([device, found]) => found.rows.map((row) => [device, row]));
  return card(`Last validation: ${timeWords()}`, el("p", {}, stateWords(data.totals)),
    causeTable(pairs, true) || el("p", { class: "quiet" }, "Nothing on this page did not pass."));
}

// The map

function strip(label, devices, words) {
  return devices.length ? el("div", {}, el("h3", {}, label), group("switches", label, rackBoxes(devices, words))) : null;
}

function leafWords(leaf) {
  if (data.clos.top_of_rack) return `t${(leaf.index % data.clos.leaves_per_su) + 1}`;
  return `r${fabric.rails(leaf)[0] + 1}`;
}

function suCard(plane, pod, su, large) {
  const c = data.clos;
  const leaves = range(c.leaves_per_su).map((n) => ({ role: "leaf", plane, pod, index: su * c.leaves_per_su + n }));
  const nodes = range(c.slots).map((slot) => ({ role: "node", pod, su, slot }));
  const title = `SU ${su + 1}`;
  return el("section", { class: "card", "aria-label": title },
    el("h3", {}, large ? title : linkTo(pathOf({ plane, pod, su }), title)),
    group("switches", `Leaves of ${title}`, rackBoxes(leaves, large ? (leaf) => fabric.name(leaf) : leafWords, large)),
    group("cells", `Nodes of ${title}`, rackBoxes(nodes, (node) => pad(node.slot + 1, 2), large)));
}

function podMap(plane, pod, su) {
  const c = data.clos;
  const spines = range(c.spines).map((index) => ({ role: "spine", plane, pod, index }));
  const chosen = su === undefined ? range(c.sus) : [su];
  return el("div", {},
    c.pods > 1 ? el("h2", {}, linkTo(pathOf({ plane, pod }), `Pod ${pod + 1}`)) : null,
    strip(`Spines of plane ${plane + 1}`, su === undefined ? spines : [], (d) => `s${pad(d.index + 1, 2)}`),
    el("div", { class: su === undefined ? "sus" : "" }, chosen.map((n) => suCard(plane, pod, n, su !== undefined))));
}

function superSpines(plane) {
  return range(data.clos.groups).map((g) => {
    const members = range(data.clos.members).map((index) => ({ role: "super_spine", plane, pod: g, index }));
    return strip(`Super-spines of group ${g + 1}`, members, (d) => `s${pad(d.index + 1, 2)}`);
  });
}

// How many devices of a pod are in each state: those of no result are not checked.
function podStates(pod) {
  const c = data.clos;
  const first = pod * c.sus * c.slots - data.first_node;
  const nodes = fabric.holders.slice(first, first + c.sus * c.slots).filter((code) => code >= 0).length;
  const sus = range(c.sus).filter((su) => fabric.present({ role: "leaf", pod, index: su * c.leaves_per_su })).length;
  const switches = fabric.absentPods.has(pod) ? 0 : c.planes * (sus * c.leaves_per_su + c.spines);
  return withUnchecked((data.pod_devices || {})[pod] || [0, 0, 0, 0], nodes + switches);
}

function withUnchecked(counts, built) {
  const known = counts.slice(0, 4);
  return [...known, built - known.reduce((sum, one) => sum + one, 0)];
}

function deviceStates() {
  const c = data.clos;
  const pods = data.shard === "index" ? range(c.pods) : podsHere();
  const built = pods.flatMap(podStates).reduce((sum, one) => sum + one, 0);
  const counts = withUnchecked(data.devices, built + (typeof data.shard === "number" ? 0 : netSwitches.length + c.planes * c.groups * c.members));
  return Object.keys(SAYS).map((state, n) => (counts[n] ? sign(state, plural(counts[n], "device")) : null));
}

function podTile(pod) {
  const c = data.clos;
  const shares = range(c.sus).map((su) => {
    const counts = new Map();
    const first = (pod * c.sus + su) * c.slots;
    for (const code of fabric.holders.slice(first, first + c.slots)) counts.set(code, (counts.get(code) || 0) + 1);
    return el("span", {}, [...counts].map(([code, count]) => {
      const part = paint(el("i", {}), data.owners[code]);
      part.style.width = `${(100 * count) / c.slots}%`;
      return part;
    }));
  });
  const counts = podStates(pod);
  const some = Object.keys(SAYS).map((state, n) => [state, counts[n]]).filter(([, count]) => count);
  const words = some.filter(([state]) => state !== "passed").map(([state, count]) => `${SIGN[state]} ${count}`).join(" ");
  const told = some.map(([state, count]) => `${count} ${SAYS[state]}`).join(", ");
  const state = counts[1] ? "failed" : counts[4] ? "unchecked" : "";
  return el("a", { href: pageOf(pod), class: state, "aria-label": `Pod ${pod + 1}, ${told}`, title: told, tabindex: "-1" },
    `Pod ${pod + 1} `, el("b", {}, words), el("span", { class: "shares" }, shares));
}

function planeTabs(view) {
  if (data.clos.planes === 1) return null;
  return el("div", { class: "tabs", role: "group", "aria-label": "Planes" }, range(data.clos.planes).map((plane) =>
    linkTo(pathOf({ ...view, plane }), `Plane ${plane + 1}`, { "aria-current": plane === view.plane ? "true" : null })));
}

function mapOf(view) {
  if (data.shard === "index") {
    const super_spines = data.clos.tiers === 3 ? el("details", {}, el("summary", {}, "Super-spines"), superSpines(view.plane)) : null;
    return [planeTabs(view), group("pods", "Pods", range(data.clos.pods).map(podTile)), super_spines, ...netMap()];
  }
  const pods = data.shard === null ? range(data.clos.pods) : [data.shard];
  const chosen = view.pod === undefined ? pods : pods.filter((pod) => pod === view.pod);
  const top = data.shard === null && view.pod === undefined && view.su === undefined ? superSpines(view.plane) : [];
  const others = view.pod === undefined && view.su === undefined ? netMap() : [];
  return [planeTabs(view), ...top, ...chosen.map((pod) => podMap(view.plane, pod, view.su)), ...others];
}

function crumbsOf(view, device) {
  const parts = [el("a", { href: "#" }, data.name)];
  if (elsewhere()) parts.unshift(el("a", { href: elsewhere() }, "all pods"));
  const { plane, pod, su } = view;
  if (data.clos.planes > 1) parts.push(linkTo(pathOf({ plane }), `plane ${plane + 1}`));
  if (pod !== undefined && data.clos.pods > 1) parts.push(linkTo(pathOf({ plane, pod }), `pod ${pod + 1}`));
  if (su !== undefined) parts.push(linkTo(pathOf({ plane, pod, su }), `SU ${su + 1}`));
  if (device) parts.push(linkTo(device));
  return parts.flatMap((part, n) => (n ? [el("span", { class: "quiet", "aria-hidden": "true" }, "›"), part] : [part]));
}

function legendOf(tenant) {
  const counts = new Map();
  for (const code of fabric.holders) if (code >= 0) counts.set(code, (counts.get(code) || 0) + 1);
  const customers = (owner) => (owner.colour === null ? 1 : 0);
  const shown = data.owners.map((owner, code) => [owner, code]).filter(([, code]) => counts.has(code));
  return shown.sort(([a], [b]) => customers(a) - customers(b)).map(([owner, code]) => {
    const current = owner.slug === tenant;
    return linkTo(current ? "" : `tenant/${owner.slug}`, [paint(el("span", { class: "swatch" }), owner), `${owner.slug}: ${counts.get(code).toLocaleString("en")}`],
      { "aria-current": current ? "true" : null, title: current ? "show all tenants" : `show ${owner.slug} only` });
  });
}

// Routing

const LISTS = { checks: checksView, links: linksView, performance: performanceView, ...netLists };

function viewOf(fragment) {
  if (fragment === "" || fragment in LISTS) return { plane: 0, list: LISTS[fragment] };
  if (fragment.startsWith("/")) return readPath(fragment) || { plane: 0, query: fragment };
  const other = netView(fragment);
  if (other) return other;
  const [place] = prefixAt(fragment) ? [] : locator.locate(fragment);
  const owner = ownerOf(fragment.replace(/^tenant\//, ""));
  if (!place && owner) return { plane: 0, query: owner.slug, tenant: owner.slug, list: () => tenantView(owner) };
  const view = { plane: place && Number.isInteger(place.plane) ? place.plane : 0, query: fragment };
  if (!place || elsewhere(place.pod) || place.pod === undefined) return view;
  return { ...view, pod: place.pod, su: place.su, device: place.device, also: [place.peer_device] };
}

function fragmentOf() {
  try {
    return decodeURIComponent(location.hash.slice(1)).trim();
  } catch {
    return location.hash.slice(1);
  }
}

function show() {
  const view = viewOf(unmapped(fragmentOf()));
  const found = view.list ? view.list() : view.query ? answer(view.query) : [];
  byId("answer").replaceChildren(...found);
  byId("crumbs").replaceChildren(...crumbsOf(view, view.device));
  byId("legend").replaceChildren(...legendOf(view.tenant));
  byId("map").replaceChildren(...mapOf(view).filter(Boolean));
  for (const one of byId("map").querySelectorAll("a[data-name]")) {
    const here = one.dataset.name === view.device || (view.also || []).includes(one.dataset.name);
    if (here) one.classList.add("here");
    if (one.dataset.name === view.device) one.setAttribute("aria-current", "location");
    if (view.tenant && one.dataset.tenant !== undefined && one.dataset.tenant !== view.tenant) one.classList.add("faint");
  }
  if (view.query && document.activeElement !== byId("query")) byId("query").value = view.query;
  document.title = view.query ? `${view.query} · ${data.name}` : data.name;
}
