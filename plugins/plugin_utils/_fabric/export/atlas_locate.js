// Copyright (c) 2026, the spectrum_x.fabric authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// From an address or a name to places, as plain data with the keys that `locate` has elsewhere.

// Keys of a place for what the site's table states of the device of each end.
const OWN_END = { site_rack: "rack", site_unit: "unit" };
const OTHER_END = { peer_rack: "rack", peer_unit: "unit" };

class Locator {
  constructor(fabric) {
    this.f = fabric;
    this.c = fabric.c;
    this.data = fabric.data;
  }

  // All places of a text; an empty list when the fabric does not own it.
  locate(given) {
    let text = unmapped(given.trim());
    if (this.f.byMark.has(markOf(text))) return [this.named(text)];
    if (ADDRESS.test(text)) [text] = text.split("/");
    if (ADDRESS.exec(text)?.[0] === text) {
      const parsed = parseAddress(text);
      return parsed ? this.find(parsed).map((one) => this.place(one, text)) : [];
    }
    return [this.named(text)].filter(Boolean);
  }

  find({ value, version }) {
    const own = this.f.own.get(value);
    if (own && !(value >> 32n) === version < 6) return [own];
    if (version === this.data.link.version) {
      const found = this.hostLinks(value);
      if (found.length) return found;
    }
    for (const name of CARRIED) {
      const pool = this.f.pools.get(name);
      if (pool && pool.version === version && pool.holds(value)) return this.inPool(name, pool, value);
    }
    return [];
  }

  hostLinks(value) {
    const { c, f } = this;
    if (f.table) return [f.table.get(value)].filter(Boolean);
    const found = f.links.unpack(value);
    if (!found) return [];
    const { plane = 0, rail = 0, pod = 0, su = 0, slot = 0, side = 0 } = found;
    if (pod >= c.pods || su >= c.sus || slot >= c.slots || rail >= c.rails) return [];
    if (f.links.carries("site") && found.site !== this.data.site) return [];
    const device = { role: "node", pod, su, slot };
    return this.planes(plane, rail).map((p) => ({ kind: side ? "leaf" : "host", device, nic: { rail, plane: p } }));
  }

  planes(plane, rail) {
    if (this.data.plane_in_address) return plane < this.c.planes ? [plane] : [];
    if (plane) return [];
    return this.c.by_rail ? [rail] : range(this.c.planes);
  }

  inPool(name, pool, value) {
    const found = pool.unpack(value);
    if (!found) return [];
    if ("ordinal" in found) return this.ofSwitch(name, found);
    if (name === "inter_switch") return this.betweenSwitches(found);
    const { c, data: { site } } = this;
    const device = { role: "node", pod: found.pod || 0, su: found.su || 0, slot: found.slot || 0 };
    if (device.pod >= c.pods || device.su >= c.sus) return [];
    if (name === "host_oob") return this.hostOob(device, found.index);
    if (device.slot >= c.slots || (found.site ?? site) !== site) return [];
    if (name === "dpu") return [{ kind: name, device, detail: { dpu: found.index } }];
    return [{ kind: name, device, detail: { storage_port: found.index, side: found.side ? "leaf" : "host" } }];
  }

  hostOob(device, index) {
    if (index === OOB_GATEWAY && device.slot === 0) return [{ kind: "oob_gateway", device }];
    const row = this.f.rows.get(keyOf(device));
    const moved = index === 1 && row && row.management;
    if (moved || device.slot >= this.c.slots || index < 1 || index > 6) return [];
    return [{ kind: "host_oob", device, detail: { unit: OOB_UNIT[index] || `spare ${index}` } }];
  }

  ofSwitch(name, found) {
    const role = ROLE_OF[found.role];
    const plane = found.plane || 0;
    if (!role || plane >= this.c.planes || (name === "vtep" && role !== "leaf")) return [];
    const ordinal = found.ordinal - (name === "switch_oob" ? 1 : 0);
    if (ordinal < 0 || ordinal >= this.f.count(role)) return [];
    const per = this.f.perPod(role);
    const device = { role, plane, pod: Math.floor(ordinal / per), index: ordinal % per };
    const row = this.f.rows.get(keyOf(device));
    if (row && row[name === "switch_oob" ? "management" : name]) return [];
    return [{ kind: name, device }];
  }

  betweenSwitches(found) {
    const { c, f } = this;
    const { site = this.data.site, plane = 0, tier = 0, link = 0 } = found;
    if (!this.data.numbered || site !== this.data.site || tier > 1) return [];
    const role = tier === 0 ? "leaf" : "spine";
    const up = f.blocks[role].find(([kind]) => kind === "up");
    if (!up || !up[1].count || plane >= c.planes) return [];
    const ordinal = Math.floor(link / up[1].count);
    if (ordinal >= f.count(role)) return [];
    const per = f.perPod(role);
    const device = { role, plane, pod: Math.floor(ordinal / per), index: ordinal % per };
    return [{ kind: "inter_switch", device, link: { uplink: link % up[1].count, side: found.side } }];
  }

  // Places

  place(found, text) {
    if (found.nic) return this.hostLink(found.device, found.nic, found.kind);
    if (found.link) return this.interSwitch(found.device, found.link.uplink, found.link.side);
    const made = { ...this.ofDevice(found.device, found.kind), address: text, ...(found.detail || {}) };
    const pool = this.f.pools.get(found.kind);
    if (pool) made.prefix = pool.base;
    if (found.kind === "management") made.prefix = this.f.rows.get(keyOf(found.device)).management_prefix;
    return made;
  }

  coordinates(d) {
    if (d.role === "node") {
      const rack = Math.floor(d.slot / this.c.nodes_per_rack);
      return { role: d.role, pod: d.pod, su: d.su, slot: d.slot, rack };
    }
    if (d.role === "super_spine") return { role: d.role, plane: d.plane, group: d.pod, index: d.index };
    const made = { role: d.role, plane: d.plane, pod: d.pod, index: d.index };
    if (d.role === "spine") return made;
    return { ...made, su: Math.floor(d.index / this.c.leaves_per_su), rails: this.f.rails(d) };
  }

  ofDevice(device, kind) {
    const made = {
      fabric: this.data.name,
      kind,
      tier: TIER[device.role],
      device: this.f.name(device),
      present: this.f.present(device),
      ...this.coordinates(device),
    };
    return { ...made, ...this.stated(device, { serial: "serial", ...OWN_END }) };
  }

  // What the site's table states of a device, under other keys.
  stated(device, keys) {
    const row = this.f.rows.get(keyOf(device)) || {};
    return Object.fromEntries(Object.entries(keys).flatMap(([key, column]) => (row[column] ? [[key, row[column]]] : [])));
  }

  hostLink(node, nic, side) {
    const { f, data } = this;
    const { leaf, port } = f.leafOf(node, nic);
    const { version, length } = data.link;
    const [host, gateway] = f.link(node, nic);
    const leafPort = f.portName(leaf, "host", port);
    const low = { at: node, device: f.name(node), port: f.nicName(nic), address: host };
    const high = { at: leaf, device: f.name(leaf), port: leafPort, address: gateway };
    const [own, other] = side === "host" ? [low, high] : [high, low];
    const free = BigInt(bitsOf(version) - length);
    return {
      ...this.stated(own.at, OWN_END),
      ...this.stated(other.at, OTHER_END),
      fabric: data.name,
      kind: "host_link",
      side,
      tier: side === "host" ? 0 : 1,
      role: side === "host" ? "node" : "leaf",
      device: own.device,
      present: f.present(node),
      plane: nic.plane,
      pod: node.pod,
      su: node.su,
      rail: nic.rail,
      node: low.device,
      slot: node.slot,
      rack: Math.floor(node.slot / this.c.nodes_per_rack),
      port: own.port,
      cage: parsePort(leafPort).cage,
      address: own.address === null ? null : addressText(own.address, version),
      prefix: host === null ? null : `${addressText((host >> free) << free, version)}/${length}`,
      peer_device: other.device,
      peer_port: other.port,
      peer_address: other.address === null ? null : addressText(other.address, version),
    };
  }

  interSwitch(lower, uplink, side) {
    const { f } = this;
    const end = f.peer(lower, "up", uplink);
    const numbers = f.interSwitch(lower, uplink);
    const version = numbers ? f.pools.get("inter_switch").version : 4;
    const text = (value) => (numbers ? addressText(value, version) : null);
    const ends = [
      { device: lower, port: f.portName(lower, "up", uplink), address: numbers && numbers[0] },
      { device: end.device, port: f.portName(end.device, end.kind, end.index), address: numbers && numbers[1] },
    ];
    const [own, other] = side ? [ends[1], ends[0]] : ends;
    return {
      ...this.ofDevice(own.device, "inter_switch"),
      ...this.stated(other.device, OTHER_END),
      port: own.port,
      cage: parsePort(own.port).cage,
      address: text(own.address),
      prefix: numbers ? `${text(numbers[0])}/${bitsOf(version) - 1}` : null,
      peer_device: f.name(other.device),
      peer_port: other.port,
      peer_address: text(other.address),
    };
  }

  named(text) {
    const colon = this.f.byMark.has(markOf(text)) ? -1 : text.indexOf(":");
    const [name, port] = colon < 0 ? [text, ""] : [text.slice(0, colon), text.slice(colon + 1)];
    const device = this.f.device(name) || placeOf(name, [this.c.pods, this.c.sus, this.c.slots]);
    if (!device) return null;
    return port ? this.port(device, port) : this.ofDevice(device, "device");
  }

  port(device, name) {
    if (device.role === "node") {
      const nic = this.f.nicOf(name);
      return nic && this.hostLink(device, nic, "host");
    }
    const port = this.f.portOf(device, name);
    if (!port) return null;
    const end = this.f.peer(device, port.kind, port.index);
    if (end.nic) return this.hostLink(end.device, end.nic, "leaf");
    if (port.kind === "up") return this.interSwitch(device, port.index, 0);
    return this.interSwitch(end.device, end.index, 1);
  }
}

// A place as one line for a person; numbers are one-based as in the names.
function sentenceOf(place) {
  if (place.kind === "device") return `${place.device}, a ${place.role.replace("_", "-")}`;
  const what = {
    host_link: `the ${place.side === "host" ? "NIC" : "leaf"} end of a host link, on`,
    inter_switch: "the end of a link between switches, on",
    oob_gateway: "the gateway of the out-of-band subnet of",
  }[place.kind] ?? `the ${place.kind.replaceAll("_", " ")} address of`;
  const port = place.port ? ` port ${place.port}` : "";
  return `${place.address || place.device} is ${what} ${place.device}${port}`;
}
