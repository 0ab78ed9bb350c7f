// Copyright (c) 2026, the spectrum_x.fabric authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The views that are lists: links, one tenant, one rack, one prefix.

const MOST_NODES = 4096;
const MOST_ADDRESSES = 1024n;
const range = (count) => Array.from({ length: count }, (_unused, n) => n);
const podsHere = () => (data.shard === null ? range(data.clos.pods) : data.shard === "index" ? [] : [data.shard]);
const card = (title, ...children) => [el("article", { class: "card found" }, el("h2", {}, title), children)];
const mono = (words) => el("span", { class: "mono" }, words);

function someOf(rows) {
  const more = rows.length - MOST_ROWS;
  return [rows.slice(0, MOST_ROWS), more > 0 ? el("p", { class: "quiet" }, `and ${more.toLocaleString("en")} more: ask for a device or a tenant.`) : null];
}

function section(title, head, rows) {
  const [shown, more] = someOf(rows);
  return el("div", {}, el("h3", {}, title), rows.length ? scroll(title, table(head, shown)) : null, more);
}

const podPages = (words, fragment, pods) =>
  el("p", {}, words, pods.flatMap((pod) => [el("a", { href: `${pageOf(pod)}#${encodeURI(fragment)}` }, `pod ${pod + 1}`), " "]));

// Links. One is as the worst result that names one of its ports; it passed only where an end was checked.

let troubles = null;

function linkState(ends) {
  if (!troubles) {
    troubles = new Map();
    for (const [name, { rows }] of Object.entries(data.results)) {
      for (const [number, port] of rows) {
        const [key, state] = [`${name}:${port}`, data.causes[number][0]];
        troubles.set(key, Math.min(state, troubles.has(key) ? troubles.get(key) : 9));
      }
    }
  }
  const worst = Math.min(...ends.map(([name, port]) => troubles.get(`${name}:${port}`) || 9));
  if (worst < 3) return { 1: "failed", 2: "waived" }[worst];
  const seen = ([name, port]) => {
    const found = resultsOf(name);
    return found && found.links && !found.left_out && !troubles.has(`${name}:${port}`);
  };
  return ends.some(seen) ? "passed" : "unchecked";
}

function* linksOf(sw, kinds) {
  for (const [kind, block] of fabric.blocks[sw.role]) {
    for (const n of kinds.includes(kind) ? range(block.count) : []) {
      const peer = fabric.peer(sw, kind, n);
      if (!peer || !fabric.present(peer.device)) continue;
      const far = peer.nic ? fabric.nicName(peer.nic) : fabric.portName(peer.device, peer.kind, peer.index);
      const ends = [[fabric.name(peer.device), far], [fabric.name(sw), fabric.portName(sw, kind, n)]];
      yield kind === "up" ? ends.reverse() : ends;
    }
  }
}

function* allLinks() {
  const c = data.clos;
  for (const pod of podsHere()) {
    for (const plane of range(c.planes)) {
      for (const [role, count] of [["leaf", fabric.leavesPerPod], ["spine", c.spines]]) {
        for (const index of range(count)) {
          const sw = { role, plane, pod, index };
          if (fabric.present(sw)) yield* linksOf(sw, ["host", "up"]);
        }
      }
    }
  }
}

const ORDER = ["failed", "waived", "unchecked", "passed"];

function linksView() {
  if (data.shard === "index") return card("Links", podPages("The pages of the pods have them: ", "links", range(data.clos.pods)));
  const groups = Object.fromEntries(ORDER.map((state) => [state, []]));
  for (const ends of allLinks()) groups[linkState(ends)].push(ends);
  const words = ORDER.filter((state) => groups[state].length).map((state) => sign(state, groups[state].length.toLocaleString("en")));
  const rows = ORDER.flatMap((state) => groups[state].map((ends) => [state, ends]));
  const [shown, more] = someOf(rows);
  const lines = shown.map(([state, [[low, lowPort], [high, highPort]]]) =>
    [sign(state), linkTo(low), linkTo(`${low}:${lowPort}`, lowPort), linkTo(high), linkTo(`${high}:${highPort}`, highPort)]);
  return card(plural(rows.length, "link"), el("p", {}, words), scroll("Links", table(["state", "lower end", "port", "upper end", "port"], lines)), more);
}

// One tenant

function collapse(starts, length, version) {
  const found = [];
  for (let [first, size] of [...new Set(starts)].sort((a, b) => (a < b ? -1 : 1)).map((start) => [start, length])) {
    for (let last = found.at(-1); last && last[1] === size; last = found.at(-1)) {
      const span = 1n << BigInt(bitsOf(version) - size);
      if (last[0] + span !== first || last[0] % (2n * span)) break;
      [first, size] = [found.pop()[0], size - 1];
    }
    found.push([first, size]);
  }
  return found.map(([first, size]) => `${addressText(first, version)}/${size}`);
}

// What the tenant's nodes are, network by network, as storage systems and access lists take it.
function prefixesOf(owner, nodes) {
  const { version, length } = data.link;
  const free = BigInt(bitsOf(version) - length);
  const rows = fabric.nics().map((nic) => ["east-west", nic.rail + 1, nic.plane + 1,
    collapse(nodes.map((node) => (fabric.link(node, nic)[0] >> free) << free), length, version)]);
  for (const { network, subnets, links } of owner.networks.slice(1)) {
    const pool = fabric.pools.get("storage");
    const starts = nodes.flatMap((node) => links.map((index) => pool.pack({ site: data.site, pod: node.pod, su: node.su, slot: node.slot, index, side: 0 })));
    rows.push([network, "", "", [...subnets, ...collapse(starts, bitsOf(pool.version) - 1, pool.version)]]);
  }
  return rows;
}

const nodesOf = (owner) => {
  const code = data.owners.indexOf(owner);
  return fabric.holders.flatMap((held, n) => (held === code ? [fabric.nodeAt(n + data.first_node)] : []));
};

// Its leaves by name, each with the ports that its nodes have there.
function leavesOf(nodes) {
  const found = new Map();
  for (const node of nodes) {
    for (const nic of fabric.nics()) {
      const { leaf, port } = fabric.leafOf(node, nic);
      const name = fabric.name(leaf);
      if (!found.has(name)) found.set(name, []);
      found.get(name).push(fabric.portName(leaf, "host", port));
    }
  }
  return found;
}

function tenantChecks(nodes, leaves) {
  const pairs = nodes.flatMap((node) => {
    const name = fabric.name(node);
    return (data.results[name] || { rows: [] }).rows.map((row) => [name, row]);
  });
  for (const [name, ports] of leaves) {
    const own = new Set(ports);
    pairs.push(...(data.results[name] || { rows: [] }).rows.filter((row) => own.has(row[1])).map((row) => [name, row]));
  }
  return pairs;
}

function tenantView(owner) {
  const nodes = nodesOf(owner);
  const networks = owner.networks.map((one) => [one.network, mono(one.vrf || owner.vrf), one.l3vni || "none", mono(one.imports.join(", ") || "none"), mono(one.exports.join(", ") || "none")]);
  const title = `${owner.slug}${owner.kind === owner.slug ? "" : `, a ${owner.kind}`}: ${plural(nodes.length, "node")}${typeof data.shard === "number" ? " in this pod" : ""}`;
  const vrf = section(`VRF ${owner.vrf}, RD <loopback of the leaf>:${owner.rd}`, ["network", "VRF", "L3VNI", "imports", "exports"], networks);
  const pods = data.shard === "index" && podPages("Its nodes and checks are on the pages of: ", `tenant/${owner.slug}`, [...new Set(nodes.map((node) => node.pod))]);
  if (!nodes.length || nodes.length > MOST_NODES) return card(title, pods, vrf);
  const prefixes = section("Prefixes", ["network", "rail", "plane", "prefixes"],
    prefixesOf(owner, nodes).map(([network, rail, plane, found]) => [network, rail, plane, mono(found.join(", "))]));
  if (data.shard === "index") return card(title, pods, vrf, prefixes);
  const leaves = leavesOf(nodes);
  return card(title, vrf, el("div", {}, el("h3", {}, "Checks of its nodes and ports that did not pass"),
    causeTable(tenantChecks(nodes, leaves)) || el("p", { class: "quiet" }, "none are known")),
  prefixes,
  section("Leaves and their ports", ["state", "leaf", "ports", "which"], [...leaves].map(([leaf, ports]) =>
    [sign(stateOf(leaf)), linkTo(leaf), ports.length, mono(ports.join(" "))])),
  section("Nodes", ["state", "node", "rack", "unit"], nodes.map((node) => {
    const { rack, unit } = fabric.rackOf(node);
    return [signOf(node), linkTo(fabric.name(node)), linkTo(rack), unit || ""];
  })));
}

// One rack, from its top

let racks = null;

// The racks of this page's devices by name in lower case.
function rackNames() {
  if (racks) return racks;
  const rows = data.rows.filter((row) => row.rack).map((row) => deviceOf(row.device));
  const nodes = fabric.holders.flatMap((held, n) => (held < 0 ? [] : [fabric.nodeAt(n + data.first_node)]));
  racks = new Map();
  for (const device of [...rows.filter((one) => one.role !== "node"), ...nodes]) {
    const { rack } = fabric.rackOf(device);
    if (!racks.has(rack.toLowerCase())) racks.set(rack.toLowerCase(), { rack, devices: [] });
    racks.get(rack.toLowerCase()).devices.push(device);
  }
  return racks;
}

function rackView({ rack, devices }) {
  const [[, held]] = racked(devices);
  const lines = held.map(({ device, unit }) => [unit ? `U${unit}` : "", linkTo(fabric.name(device)), device.role.replace("_", "-"),
    signOf(device), tenantOf(device) || "", (fabric.rows.get(keyOf(device)) || {}).serial || ""]);
  return card(`Rack ${rack}: ${plural(held.length, "device")}`, otherPage(locator.coordinates(devices[0]), rack), table(["unit", "device", "what", "state", "tenant", "serial"], lines));
}

// A prefix that is more than one link

function prefixAt(text) {
  const match = /^([^/]+)\/([0-9]{1,3})$/.exec(text);
  const parsed = match && parseAddress(match[1]);
  if (!parsed) return null;
  const free = bitsOf(parsed.version) - Number(match[2]);
  if (free < 2) return null;
  const size = 1n << BigInt(free);
  const first = parsed.value - (parsed.value % size);
  return { ...parsed, first, last: first + size - 1n, size, text: `${addressText(first, parsed.version)}/${match[2]}` };
}

const blocksOf = () => [...(fabric.links ? [["host links", fabric.links]] : []), ...fabric.pools].map(([name, pool]) => [name.replaceAll("_", " "), pool]);

function prefixView({ first, last, size, version, text }) {
  const blocks = blocksOf().filter(([, pool]) => pool.version === version && pool.first <= last && first <= pool.last)
    .map(([name, pool]) => [name, mono(pool.base), pool.first <= first && last <= pool.last ? "holds it" : "lies in it"]);
  const few = size <= MOST_ADDRESSES;
  const found = few ? range(Number(size)).flatMap((n) => locator.locate(addressText(first + BigInt(n), version))) : [];
  const rows = found.filter((place) => place.present).map((place) => [linkTo(place.address), linkTo(place.device), place.port ? linkTo(`${place.device}:${place.port}`, place.port) : "",
    place.node || place.role === "node" ? tenantOf(fabric.device(place.node || place.device)) || "" : ""]);
  return card(`Prefix ${text}`,
    blocks.length ? table(["block", "prefix", "how"], blocks) : null,
    few ? section(`${rows.length} of its addresses are in use`, ["address", "device", "port", "tenant"], rows)
      : el("p", { class: "quiet" }, `A prefix of at most ${MOST_ADDRESSES.toLocaleString("en")} addresses is listed address by address.`));
}
