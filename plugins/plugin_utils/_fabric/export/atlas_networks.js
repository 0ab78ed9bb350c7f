// Copyright (c) 2026, the spectrum_x.fabric authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The other networks: switches of the converged fabric, which the data lists with all of their ports.

const NETWORK_ROLES = {
  border_leaf: "Border leaves", storage_leaf: "Storage leaves", front_end_leaf: "Front-end leaves", converged_spine: "Converged spines",
  converged_core: "Converged core",
};
const OWN_ADDRESSES = { loopback: "loopback", vtep: "VTEP", management: "management" };
const netSwitches = data.networks || [];
// The page of a pod has the ports to its own nodes alone.
const netPartly = typeof data.shard === "number";

const portRow = ([port, kind, speed, built, peer, peerPort, address, peerAddress, bond, tenants]) =>
  ({ port, kind, speed, built, peer, peerPort, address, peerAddress, bond, tenants });

// What people ask for, in lower case: what it is, and where. An array or a link to the outside is at several ports.
let netIndex = null;

function netEntries() {
  if (netIndex) return netIndex;
  netIndex = new Map();
  const add = (text, found) => {
    const key = (text || "").toLowerCase();
    if (key) netIndex.set(key, [...(netIndex.get(key) || []), found]);
  };
  for (const one of netSwitches) {
    add(one.name, { one });
    add(one.serial, { one });
    for (const [key, word] of Object.entries(OWN_ADDRESSES)) add(one[key], { one, word });
    for (const row of one.ports.map(portRow)) addPort(add, one, row);
  }
  return netIndex;
}

function addPort(add, one, row) {
  add(`${one.name}:${row.port}`, { one, row });
  add(row.address, { one, row });
  if (!row.peerPort) add(row.peer, { one, row });
  if (row.kind === "host") {
    add(`${row.peer}:${row.peerPort}`, { one, row });
    add(row.peerAddress, { one, row });
  }
}

const netFind = (text) => (netSwitches.length ? netEntries().get(text.trim().toLowerCase().split("/")[0]) || tenantAddress(text) : []);
const roleWords = (one) => one.role.replaceAll("_", "-");
const tenantLinks = (slugs) => slugs.flatMap((slug, n) => [n ? ", " : "", linkTo(slug)]);

// Addresses of tenants, in the words of `locate`

const NET_NUMBERS = { vlan: "VLAN", l2vni: "L2VNI", vrf: "VRF", l3vni: "L3VNI", asn: "AS" };
const numbersOf = (one) => Object.entries(NET_NUMBERS).filter(([key]) => one[key]).map(([key, word]) => `${word} ${one[key]}`).join(", ");
const firstOf = (words) => (words.length > 8 ? [...words.slice(0, 8), "..."] : words).join(", ");

function subnetWords(at, one) {
  const { arrays } = data.tenant_addresses;
  const vip = one.vips.includes(at);
  const what = at === one.address ? "the gateway" : one.own[at] ? `the own address of ${one.own[at]}`
    : vip ? `an address of the storage arrays at ${[...new Set(Object.values(arrays))].sort().join(", ")},` : "an address";
  const leaves = one.leaves.length ? `on ${firstOf(one.leaves)}` : "on no leaf, as it has no node there";
  return `${at} is ${what} in the subnet ${one.prefix} of ${one.tenant} on ${one.network} (${numbersOf(one)}), ${vip ? `behind ${firstOf(Object.keys(arrays))}` : leaves}`;
}

function sessionWords(at, one) {
  const [end, other] = at === one.address ? ["leaf", one.peer_address] : ["far", one.address];
  return `${at} is the ${end} end of the session ${one.session} of ${one.tenant} on ${one.network} (${numbersOf(one)}), on ${one.device} port ${one.port}, link ${one.link} <-> ${other}`;
}

function tenantAddress(text) {
  const parsed = data.tenant_addresses && parseAddress(text.trim().split("/")[0]);
  if (!parsed) return [];
  const at = addressText(parsed.value, parsed.version);
  const holds = ({ prefix }) => {
    const whole = prefixAt(prefix);
    return whole && whole.version === parsed.version && whole.first <= parsed.value && parsed.value <= whole.last;
  };
  return [...data.tenant_addresses.subnets.filter(holds).map((one) => ({ words: subnetWords(at, one), one })),
    ...data.tenant_addresses.sessions.filter((one) => at === one.address || at === one.peer_address).map((one) => ({ words: sessionWords(at, one), one }))];
}

const tenantCard = ({ words, one }) => card(words,
  el("p", {}, "Tenant: ", linkTo(one.tenant), ". All of ", (one.leaves || [one.device]).flatMap((name, n) => [n ? ", " : "", linkTo(name)]), "."));

// Cards

function netFacts(one) {
  const place = one.at.length === 2 ? [["pair", one.at[0] + 1], ["member", one.at[1] + 1]] : [["number", one.at[0] + 1]];
  const words = { ...OWN_ADDRESSES, partner: "partner", rack: "rack", unit: "unit", serial: "serial" };
  const known = Object.entries(words).filter(([key]) => one[key]).map(([key, word]) => [word, one[key]]);
  return el("dl", {}, [...place, ...known].map(([word, value]) =>
    el("div", {}, el("dt", {}, word), el("dd", {}, word === "partner" ? linkTo(value) : String(value)))));
}

function netPorts(title, rows, named) {
  const lines = rows.map(({ one, row }) => [linkTo(`${one.name}:${row.port}`, named ? `${one.name} ${row.port}` : row.port), row.speed,
    linkTo(row.peer), row.peerPort, mono(row.address || row.bond || ""), tenantLinks(row.tenants), row.built ? "" : "not built"]);
  return scroll(title, table(["port", "speed", "other end", "its port", "address or bond", "tenants", ""], lines));
}

// Where all of a switch is, on the page of a pod; its checks elsewhere.
const netRest = (text, port) => (netPartly
  ? el("p", {}, "Its other ports, VRFs and checks are on ", el("a", { href: `${elsewhere()}#${encodeURI(text)}` }, "the page of the whole fabric"), ".")
  : checksOf(text, port));

function netSwitchCard(one, word) {
  if (netPartly) return card(`${one.name}, a ${roleWords(one)}`, netRest(one.name), el("h3", {}, "Ports to nodes of this pod"), netPorts(`Ports of ${one.name}`, one.ports.map((row) => ({ one, row: portRow(row) }))));
  const vrfs = one.vrfs.map(([vrf, network, l3vni, vlan, slug]) => [mono(vrf), network, String(l3vni), vlan, linkTo(slug)]);
  const title = word ? `${one[Object.keys(OWN_ADDRESSES).find((key) => OWN_ADDRESSES[key] === word)]} is the ${word} address of ${one.name}` : `${one.name}, a ${roleWords(one)}`;
  return card(title, netFacts(one), checksOf(one.name),
    vrfs.length ? [el("h3", {}, "VRFs"), scroll(`VRFs of ${one.name}`, table(["VRF", "network", "L3VNI", "VLAN", "tenant"], vrfs))] : null,
    el("h3", {}, "Ports"), netPorts(`Ports of ${one.name}`, one.ports.map((row) => ({ one, row: portRow(row) }))));
}

function netPortCard({ one, row }) {
  const ends = [row.peerPort ? `${row.peer} port ${row.peerPort}` : row.peer, row.peerAddress].filter(Boolean).join(" ");
  const own = [["speed", row.speed], ["bond", row.bond], ["address", row.address]].filter(([, value]) => value);
  return card(`${one.name} port ${row.port}, a port of a ${roleWords(one)}${row.built ? "" : " (not built)"}`,
    el("p", {}, "The cable's other end is ", linkTo(row.peer, ends), "."),
    row.tenants.length ? el("p", {}, "Tenants: ", tenantLinks(row.tenants)) : null,
    el("dl", {}, own.map(([word, value]) => el("div", {}, el("dt", {}, word), el("dd", { class: "mono" }, value)))),
    el("p", {}, "All of ", linkTo(one.name), "."), netRest(one.name, row.port));
}

function netAnswer(found, query) {
  const outside = found.filter(({ row }) => row && !row.peerPort && row.peer.toLowerCase() === query.trim().toLowerCase());
  if (outside.length) return card(`${outside[0].row.peer}, outside of the fabric`, netPorts(`Ports to ${outside[0].row.peer}`, outside, true));
  return found.flatMap((each) => (each.words ? tenantCard(each) : each.row ? netPortCard(each) : netSwitchCard(each.one, each.word)));
}

// The ports of a node on the other networks; nothing where there are none.
function netOfNode(name) {
  const rows = netSwitches.flatMap((one) => one.ports.map((row) => ({ one, row: portRow(row) })).filter(({ row }) => row.kind === "host" && row.peer === name));
  if (!rows.length) return null;
  const lines = rows.map(({ one, row }) => [linkTo(`${name}:${row.peerPort}`, row.peerPort), row.speed, linkTo(one.name), linkTo(`${one.name}:${row.port}`, row.port),
    mono(row.peerAddress || ""), tenantLinks(row.tenants)]);
  return el("div", {}, el("h3", {}, "Front end and storage"), scroll(`Front end and storage of ${name}`, table(["port", "speed", "other end", "its port", "address", "tenant"], lines)));
}

// The map and the view

function netCell(one) {
  const [found, state] = [resultsOf(one.name), stateOf(one.name)];
  const words = one.at.map((number) => number + 1).join(".");
  const made = linkTo(one.name, (state === "passed" ? "" : SIGN[state]) + words, { class: state, "data-name": one.name, tabindex: "-1" });
  const checks = netPartly ? "its checks are on the page of the whole fabric" : "not checked";
  made.title = `${one.name}, ${found ? stateWords(found.counts) : checks}`;
  made.setAttribute("aria-label", made.title);
  return el("div", { class: "rack" }, made);
}

function netMap() {
  if (!netSwitches.length) return [];
  const groups = Object.entries(NETWORK_ROLES).map(([role, words]) => [words, netSwitches.filter((one) => one.role === role)]);
  return [el("section", { class: "card networks", "aria-label": "Front end, storage and border" }, el("h3", {}, linkTo("networks", "Front end, storage and border")),
    groups.filter(([, own]) => own.length).map(([words, own]) => el("div", {}, el("h3", { class: "quiet" }, words), group("switches", words, own.map(netCell)))))];
}

function networksView() {
  const vrfs = new Map();
  for (const one of netSwitches) {
    for (const row of one.vrfs) {
      const [first, ...on] = vrfs.get(row[0]) || [row];
      vrfs.set(row[0], [first[3] ? first : row, ...on, one.name]);
    }
  }
  const lines = [...vrfs.values()].map(([[vrf, network, l3vni, vlan, slug], ...on]) => [mono(vrf), network, String(l3vni), vlan, linkTo(slug), String(on.length)]);
  const outside = netSwitches.flatMap((one) => one.ports.map(portRow).filter((row) => !row.peerPort).map((row) => ({ one, row })));
  return card(`Front end, storage and border: ${plural(netSwitches.length, "device")}${netPartly ? " with nodes of this pod" : ""}`,
    netPartly ? el("p", {}, netSwitches.flatMap((one, n) => [n ? ", " : "", linkTo(one.name)]), ". VRFs, arrays and links to the outside are on ",
      el("a", { href: `${elsewhere()}#networks` }, "the page of the whole fabric"), ".") : null,
    lines.length ? [el("h3", {}, "VRFs"), scroll("VRFs of the other networks", table(["VRF", "network", "L3VNI", "VLAN", "tenant", "leaves"], lines))] : null,
    outside.length ? [el("h3", {}, "Arrays and links to the outside"), netPorts("Arrays and links to the outside", outside, true)] : null);
}

const netLists = { networks: networksView };
document.querySelector(".views").append(el("a", { href: "#networks" }, "Networks"));

const netNames = () => [...netSwitches.map((one) => one.name), ...new Set(netSwitches.flatMap((one) => one.ports.map(portRow).filter((row) => !row.peerPort).map((row) => row.peer)))];

// The view of a fragment that means something of the other networks; null for any other.
function netView(fragment) {
  const [found] = prefixAt(fragment) ? [] : netFind(fragment);
  return found ? { plane: 0, query: fragment, device: found.one.name || found.one.device, also: found.row ? [found.row.peer] : [] } : null;
}
