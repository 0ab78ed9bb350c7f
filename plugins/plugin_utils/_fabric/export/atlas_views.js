// Copyright (c) 2026, the spectrum_x.fabric authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The views: what was asked for, the way down to a place, and the map. The address bar's fragment
// is the only state: an address or a name, /p1/pod01/su001, tenant/acme, or checks.

// The answer

const FACTS = [
  ["plane", "plane"], ["pod", "pod"], ["group", "group"], ["su", "SU"], ["rail", "rail"], ["rack", "rack"], ["slot", "slot"], ["index", "number"],
];

function factsOf(place) {
  const found = FACTS.filter(([key]) => Number.isInteger(place[key])).map(([key, word]) => [word, place[key] + 1]);
  if (place.rails && place.rails.length) found.push(["rails", place.rails.map((rail) => rail + 1).join(", ")]);
  if (place.cage) found.push(["cage", place.cage]);
  const own = { site_rack: "site's rack", site_unit: "unit", serial: "serial", prefix: "prefix", unit: "unit", dpu: "DPU" };
  for (const [key, word] of Object.entries(own)) if (place[key] !== undefined && place[key] !== null) found.push([word, place[key]]);
  return el("dl", {}, found.map(([word, value]) => el("div", {}, el("dt", {}, word), el("dd", {}, String(value)))));
}

function otherEnd(place) {
  if (!place.peer_device) return null;
  const words = `${place.peer_device} port ${place.peer_port}`;
  const address = place.peer_address ? [" ", el("span", { class: "mono" }, place.peer_address)] : [];
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
    return [linkTo(`${name}:${port}`, port), el("span", { class: "mono" }, place.address || "unnumbered"),
      linkTo(place.peer_device), linkTo(`${place.peer_device}:${place.peer_port}`, place.peer_port),
      node && device.role !== "node" ? tenantOf(node) : ""];
  });
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `Ports of ${name}` },
    table(["port", "address", "other end", "its port", device.role === "leaf" ? "tenant" : ""], rows));
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
    checksOf(place.device, place.port),
    ...(place.kind === "device" ? [el("h3", {}, "Ports"), portTable(device)] : []));
}

function answer(query) {
  const places = locator.locate(query);
  if (places.length) return places.slice(0, 16).map((place) => placeCard(place, query));
  const whole = data.shard !== null && data.shard !== "index"
    ? el("p", {}, "Ask ", el("a", { href: `../atlas.html#${encodeURI(query)}` }, "the page of the whole fabric"), ".") : null;
  return [el("article", { class: "card found" },
    el("h2", {}, `'${query}' is no address, device, port or place of fabric ${data.name}`),
    el("p", {}, "Try a name such as ", linkTo(fabric.name({ role: "leaf", plane: 0, pod: 0, index: 0 })),
      `, a place such as ${data.clos.pods > 1 ? "pod01/" : ""}su01/h01, or an address of `, data.pool_words, "."), whole)];
}

function checksView() {
  const rows = Object.entries(data.results).flatMap(([device, found]) => found.rows.map((row) => [device, row]));
  rows.sort((a, b) => a[1][0] - b[1][0]);
  return [el("article", { class: "card found" }, el("h2", {}, `Checks: ${stateWords(data.totals) || "none were run"}`),
    rows.length ? checkTable(rows, true) : el("p", { class: "quiet" }, "Nothing on this page did not pass."))];
}

// The map

function strip(label, devices, words) {
  return devices.length ? el("div", {}, el("h3", {}, label), group("switches", label, devices.map((d) => cell(d, words(d))))) : null;
}

const range = (count) => Array.from({ length: count }, (_unused, n) => n);

function leafWords(leaf) {
  if (data.clos.top_of_rack) return `t${(leaf.index % data.clos.leaves_per_su) + 1}`;
  return `r${fabric.rails(leaf)[0] + 1}`;
}

function suCard(plane, pod, su, large) {
  const c = data.clos;
  const leaves = range(c.leaves_per_su).map((n) => ({ role: "leaf", plane, pod, index: su * c.leaves_per_su + n }));
  const nodes = range(c.slots).map((slot) => ({ role: "node", pod, su, slot }));
  const cells = nodes.map((node) => {
    const made = paint(cell(node, pad(node.slot + 1, 2)), fabric.present(node) ? fabric.holder(node) : null);
    const owner = fabric.holder(node);
    made.dataset.tenant = owner && fabric.present(node) ? owner.slug : "";
    return made;
  });
  const title = `SU ${su + 1}`;
  return el("section", { class: "card", "aria-label": title },
    el("h3", {}, large ? title : linkTo(pathOf({ plane, pod, su }), title)),
    group("switches", `Leaves of ${title}`, leaves.map((leaf) => cell(leaf, large ? fabric.name(leaf) : leafWords(leaf)))),
    group("cells", `Nodes of ${title}`, cells));
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

function podTile(pod) {
  const c = data.clos;
  const shares = range(c.sus).map((su) => {
    const counts = new Map();
    for (const slot of range(c.slots)) {
      const owner = fabric.holder({ pod, su, slot });
      counts.set(owner, (counts.get(owner) || 0) + 1);
    }
    const parts = [...counts].map(([owner, count]) => {
      const part = paint(el("i", {}), owner);
      part.style.width = `${(100 * count) / c.slots}%`;
      return part;
    });
    return el("span", {}, parts);
  });
  const counts = data.pod_totals[pod];
  const words = counts ? stateWords(counts) : "";
  const made = el("a", { href: data.pages[pod], "aria-label": `Pod ${pod + 1}${words ? `, ${words}` : ""}`, title: words, tabindex: "-1" },
    `Pod ${pod + 1}`, el("span", { class: "shares" }, shares));
  if (counts && counts[1]) made.classList.add("ill");
  return made;
}

function planeTabs(view) {
  if (data.clos.planes === 1) return null;
  return el("div", { class: "tabs", role: "group", "aria-label": "Planes" }, range(data.clos.planes).map((plane) =>
    linkTo(pathOf({ ...view, plane }), `Plane ${plane + 1}`, { "aria-current": plane === view.plane ? "true" : null })));
}

function mapOf(view) {
  if (data.shard === "index") {
    const super_spines = data.clos.tiers === 3 ? el("details", {}, el("summary", {}, "Super-spines"), superSpines(view.plane)) : null;
    return [planeTabs(view), group("pods", "Pods", range(data.clos.pods).map(podTile)), super_spines];
  }
  const pods = data.shard === null ? range(data.clos.pods) : [data.shard];
  const chosen = view.pod === undefined ? pods : pods.filter((pod) => pod === view.pod);
  const top = data.shard === null && view.pod === undefined && view.su === undefined ? superSpines(view.plane) : [];
  return [planeTabs(view), ...top, ...chosen.map((pod) => podMap(view.plane, pod, view.su))];
}

function crumbsOf(view, device) {
  const parts = [el("a", { href: "#" }, data.name)];
  if (data.shard !== null && data.shard !== "index") parts.unshift(el("a", { href: "../atlas.html" }, "all pods"));
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

function viewOf(fragment) {
  if (fragment === "" || fragment === "checks") return { plane: 0, checks: fragment === "checks" };
  if (fragment.startsWith("/")) return readPath(fragment) || { plane: 0, query: fragment };
  if (fragment.startsWith("tenant/")) return { plane: 0, tenant: fragment.slice("tenant/".length) };
  const [place] = locator.locate(fragment);
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
  const view = viewOf(fragmentOf());
  const found = view.checks ? checksView() : view.query ? answer(view.query) : [];
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
