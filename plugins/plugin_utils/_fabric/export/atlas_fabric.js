// Copyright (c) 2026, the spectrum_x.fabric authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// A fabric over its data: devices, cables, addresses, and the way back. Devices are plain objects
// {role, plane, pod, index} or {role: "node", pod, su, slot}; numbers are zero-based; for a
// super-spine `pod` is its group.

const keyOf = (d) => (d.role === "node" ? `node/${d.pod}/${d.su}/${d.slot}` : `${d.role}/${d.plane}/${d.pod}/${d.index}`);
const deviceOf = ([role, a, b, c]) =>
  role === "node" ? { role, pod: a, su: b, slot: c } : { role, plane: a, pod: b, index: c };

// A serial or a MAC address as it is compared: lower case, a MAC address with colons.
const markOf = (text) => text.toLowerCase().replace(/^([0-9a-f]{2}-){5}[0-9a-f]{2}$/, (mac) => mac.replaceAll("-", ":"));

class Fabric {
  constructor(data) {
    this.data = data;
    this.c = data.clos;
    this.leavesPerPod = this.c.sus * this.c.leaves_per_su;
    this.templates = Object.entries(data.names).map(([role, runs]) => [role, new Template(runs)]);
    this.links = data.links ? new Layout(data.links) : null;
    this.pools = new Map(data.pools.map(([name, row]) => [name, new Layout(row)]));
    this.blocks = {};
    for (const [role, kinds] of Object.entries(data.blocks)) {
      this.blocks[role] = Object.entries(kinds).map(([kind, row]) => [kind, new Block(row)]);
    }
    this.absentPods = new Set(data.absent.pods);
    this.absentSus = new Set(data.absent.sus.map(([pod, su]) => `${pod}/${su}`));
    this.holders = [];
    for (const [count, owner] of data.holders) for (let n = 0; n < count; n += 1) this.holders.push(owner);
    this.readRows();
    this.readTable();
    this.atSite = new Map();
    this.inPlan = new Map();
    const both = data.swaps.map(([row, one, two]) => [row, two, one]);
    for (const [row, port, at] of [...data.swaps, ...both, ...data.moved]) {
      this.atSite.set(`${keyOf(deviceOf(row))}:${port}`, at);
      this.inPlan.set(`${keyOf(deviceOf(row))}:${at}`, port);
    }
  }

  readRows() {
    this.rows = new Map();
    this.byName = new Map();
    this.byMark = new Map();
    this.own = new Map();
    for (const row of this.data.rows) {
      const device = deviceOf(row.device);
      this.rows.set(keyOf(device), row);
      if (row.name) this.byName.set(row.name, device);
      for (const mark of [row.serial, row.mac]) if (mark) this.byMark.set(markOf(mark), device);
      for (const kind of ["loopback", "vtep", "management"]) {
        if (row[kind]) this.own.set(parseAddress(row[kind]).value, { kind, device });
      }
    }
  }

  readTable() {
    this.table = null;
    if (!this.data.table) return;
    this.table = new Map();
    this.tableEnds = this.data.table.map((text) => (text ? parseAddress(text).value : null));
    const nics = this.nics();
    this.tableEnds.forEach((value, at) => {
      if (value === null) return;
      const row = at >> 1;
      const node = this.nodeAt(Math.floor(row / nics.length));
      this.table.set(value, { kind: at % 2 ? "leaf" : "host", device: node, nic: nics[row % nics.length] });
    });
  }

  // Devices

  nodeAt(number) {
    const { sus, slots } = this.c;
    const su = Math.floor(number / slots);
    return { role: "node", pod: Math.floor(su / sus), su: su % sus, slot: number % slots };
  }

  nodeNumber(node) {
    return (node.pod * this.c.sus + node.su) * this.c.slots + node.slot;
  }

  holder(node) {
    const code = this.holders[this.nodeNumber(node) - this.data.first_node];
    return code === undefined || code < 0 ? null : this.data.owners[code];
  }

  present(device) {
    if (device.role === "super_spine") return true;
    if (this.absentPods.has(device.pod)) return false;
    if (device.role === "spine") return true;
    const su = device.role === "node" ? device.su : Math.floor(device.index / this.c.leaves_per_su);
    if (this.absentSus.has(`${device.pod}/${su}`)) return false;
    if (device.role === "leaf") return true;
    return this.holders[this.nodeNumber(device) - this.data.first_node] !== -1;
  }

  // Where a device is racked: the site's rack and unit, or a node's rack in its SU; null when unknown.
  rackOf(device) {
    const row = (this.rows.size && this.rows.get(keyOf(device))) || {};
    if (row.rack) return { rack: row.rack, unit: row.unit };
    if (device.role !== "node") return { rack: null };
    const rack = Math.floor(device.slot / this.c.nodes_per_rack) + 1;
    const pod = this.c.pods > 1 ? `pod${String(device.pod + 1).padStart(2, "0")}/` : "";
    const [su, number] = [device.su + 1, rack].map((one) => String(one).padStart(2, "0"));
    return { rack: `${pod}su${su}/rack${number}`, unit: row.unit };
  }

  planned(device) {
    const c = this.c;
    const write = (role, values) => this.templates.find(([name]) => name === role)[1].write(values);
    if (device.role === "node") {
      const rack = Math.floor(device.slot / c.nodes_per_rack) + 1;
      return write("node", { pod: device.pod + 1, su: device.su + 1, rack, slot: device.slot + 1 });
    }
    const plane = c.by_rail ? 1 : device.plane + 1;
    if (device.role === "leaf") {
      const within = device.index % c.leaves_per_su;
      const rail = c.by_rail ? device.plane + 1 : within * c.rails_per_leaf + 1;
      const su = Math.floor(device.index / c.leaves_per_su) + 1;
      return write("leaf", { plane, pod: device.pod + 1, su, leaf: within + 1, rail });
    }
    const pod = device.pod + 1;
    return write(device.role, { plane, rail: device.plane + 1, pod, group: pod, index: device.index + 1 });
  }

  name(device) {
    const row = this.rows.get(keyOf(device));
    return row && row.name ? row.name : this.planned(device);
  }

  device(name) {
    const own = this.byName.get(name) || this.byMark.get(markOf(name));
    if (own) return own;
    for (const [role, template] of this.templates) {
      const fields = template.read(name);
      const found = fields && this.fromFields(role, fields);
      if (found && this.planned(found) === name) {
        const row = this.rows.get(keyOf(found));
        return row && row.name && row.name !== name ? null : found;
      }
    }
    return null;
  }

  fromFields(role, f) {
    const c = this.c;
    const { pod = 0, su = 0, slot = 0, index = 0, group = 0, rail = 0 } = f;
    if (role === "node") return pod < c.pods && su < c.sus && slot < c.slots ? { role, pod, su, slot } : null;
    const plane = c.by_rail ? rail : f.plane || 0;
    let found = { role, plane, pod, index };
    let fits = pod < c.pods && index < c.spines;
    if (role === "leaf") {
      const within = c.by_rail ? 0 : f.leaf === undefined ? Math.floor(rail / c.rails_per_leaf) : f.leaf;
      found = { role, plane, pod, index: su * c.leaves_per_su + within };
      fits = pod < c.pods && within < c.leaves_per_su && su < c.sus;
    } else if (role === "super_spine") {
      found = { role, plane, pod: group, index };
      fits = group < c.groups && index < c.members;
    }
    return fits && plane < c.planes ? found : null;
  }

  rails(leaf) {
    const c = this.c;
    const within = leaf.index % c.leaves_per_su;
    if (c.by_rail) return [leaf.plane];
    const [first, count] = c.top_of_rack ? [0, c.rails] : [within * c.rails_per_leaf, c.rails_per_leaf];
    return Array.from({ length: count }, (_unused, n) => first + n);
  }

  // Cables

  nics() {
    const found = [];
    for (let rail = 0; rail < this.c.rails; rail += 1) {
      if (this.c.by_rail) found.push({ rail, plane: rail });
      else for (let plane = 0; plane < this.c.planes; plane += 1) found.push({ rail, plane });
    }
    return found;
  }

  nicName(nic) {
    return `rail${nic.rail + 1}p${this.c.by_rail ? 1 : nic.plane + 1}`;
  }

  nicOf(name) {
    const match = NIC.exec(name);
    if (!match) return null;
    const [rail, plane] = [Number(match[1]) - 1, Number(match[2]) - 1];
    if (this.c.by_rail) return plane === 0 && rail < this.c.rails ? { rail, plane: rail } : null;
    return rail < this.c.rails && plane < this.c.planes ? { rail, plane } : null;
  }

  leafOf(node, nic) {
    const c = this.c;
    let within = 0;
    let port = node.slot;
    if (c.top_of_rack) {
      within = Math.floor(node.slot / c.nodes_per_leaf);
      port = (node.slot % c.nodes_per_leaf) * c.rails + nic.rail;
    } else if (!c.by_rail) {
      within = Math.floor(nic.rail / c.rails_per_leaf);
      port = node.slot * c.rails_per_leaf + (nic.rail % c.rails_per_leaf);
    }
    const index = node.su * c.leaves_per_su + within;
    return { leaf: { role: "leaf", plane: nic.plane, pod: node.pod, index }, port };
  }

  hostEnd(leaf, port) {
    const c = this.c;
    const su = Math.floor(leaf.index / c.leaves_per_su);
    const within = leaf.index % c.leaves_per_su;
    let [slot, rail] = [port, leaf.plane];
    if (c.top_of_rack) {
      slot = within * c.nodes_per_leaf + Math.floor(port / c.rails);
      rail = port % c.rails;
      if (slot >= c.slots) return null;
    } else if (!c.by_rail) {
      slot = Math.floor(port / c.rails_per_leaf);
      rail = within * c.rails_per_leaf + (port % c.rails_per_leaf);
    }
    return { node: { role: "node", pod: leaf.pod, su, slot }, nic: { rail, plane: leaf.plane } };
  }

  // The other end of a switch's port: {device, kind, index}, or {device, nic} for a node.
  peer(sw, kind, index) {
    const c = this.c;
    const { plane, pod } = sw;
    const at = (role, inPod, number) => ({ role, plane, pod: inPod, index: number });
    if (kind === "host") {
      const end = this.hostEnd(sw, index);
      return end && { device: end.node, nic: end.nic };
    }
    if (sw.role === "leaf") {
      const spine = Math.floor(index / c.leaf_links);
      return { device: at("spine", pod, spine), kind: "down", index: sw.index * c.leaf_links + (index % c.leaf_links) };
    }
    if (sw.role === "spine" && kind === "down") {
      const leaf = Math.floor(index / c.leaf_links);
      return { device: at("leaf", pod, leaf), kind: "up", index: sw.index * c.leaf_links + (index % c.leaf_links) };
    }
    if (sw.role === "spine") {
      const member = Math.floor(index / c.spine_links);
      return {
        device: at("super_spine", sw.index, member), kind: "down", index: pod * c.spine_links + (index % c.spine_links),
      };
    }
    return {
      device: at("spine", Math.floor(index / c.spine_links), pod),
      kind: "up",
      index: sw.index * c.spine_links + (index % c.spine_links),
    };
  }

  portName(device, kind, index) {
    const name = this.blocks[device.role].find(([own]) => own === kind)[1].name(index);
    return this.atSite.get(`${keyOf(device)}:${name}`) || name;
  }

  portOf(sw, name) {
    const parsed = parsePort(this.inPlan.get(`${keyOf(sw)}:${name}`) || name);
    if (!parsed) return null;
    for (const [kind, block] of this.blocks[sw.role]) {
      const index = block.index(parsed.cage, parsed.sub);
      if (index !== null) return this.peer(sw, kind, index) ? { kind, index } : null;
    }
    return null;
  }

  // The names of a device's cabled ports, in cage order.
  ports(device) {
    if (device.role === "node") return this.nics().map((nic) => this.nicName(nic));
    const found = [];
    for (const [kind, block] of this.blocks[device.role]) {
      for (let n = 0; n < block.count; n += 1) {
        if (this.peer(device, kind, n)) found.push(this.portName(device, kind, n));
      }
    }
    return found;
  }

  // Addresses

  link(node, nic) {
    if (this.table) {
      const row = this.nodeNumber(node) * this.nics().length + this.nicNumber(nic);
      return [this.tableEnds[2 * row], this.tableEnds[2 * row + 1]];
    }
    const plane = this.data.plane_in_address ? nic.plane : 0;
    const values = { site: this.data.site, plane, rail: nic.rail, pod: node.pod, su: node.su, slot: node.slot };
    return [this.links.pack({ ...values, side: 0 }), this.links.pack({ ...values, side: 1 })];
  }

  nicNumber(nic) {
    return this.c.by_rail ? nic.rail : nic.rail * this.c.planes + nic.plane;
  }

  perPod(role) {
    return { leaf: this.leavesPerPod, spine: this.c.spines, super_spine: this.c.members }[role];
  }

  count(role) {
    return role === "super_spine" ? this.c.groups * this.c.members : this.c.pods * this.perPod(role);
  }

  interSwitch(lower, uplink) {
    if (!this.data.numbered) return null;
    const per = this.blocks[lower.role].find(([kind]) => kind === "up")[1].count;
    const link = (lower.pod * this.perPod(lower.role) + lower.index) * per + uplink;
    const tier = lower.role === "leaf" ? 0 : 1;
    const first = this.pools.get("inter_switch").pack({ site: this.data.site, plane: lower.plane, tier, link, side: 0 });
    return [first, first + 1n];
  }
}
