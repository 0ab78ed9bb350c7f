// Copyright (c) 2026, the spectrum_x.fabric authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
"use strict";
// The fabric's arithmetic in a browser: the same answers as `locate` gives on the controller, from
// the same counts, name templates and bit layouts. A test compares the two. Addresses are BigInts.

const TIER = { node: 0, leaf: 1, spine: 2, super_spine: 3 };
const ROLE_OF = { 1: "super_spine", 2: "spine", 3: "leaf" };
const OOB_UNIT = { 1: "host", 2: "bmc", 3: "dpu_bmc", 4: "dpu_oob" };
const OOB_GATEWAY = 7;
const CARRIED = ["loopback", "vtep", "switch_oob", "host_oob", "inter_switch", "storage", "dpu"];
const ADDRESS = /^(?:[0-9]+\.[0-9.]+|[0-9A-Fa-f]*:[0-9A-Fa-f:.]*)/;
const PORT = /^swp([1-9][0-9]{0,2})(?:s([0-7]))?$/;
const NIC = /^rail([1-9][0-9]*)p([1-9][0-9]*)$/;
const PLACE_TOKEN = /^(pod|su|h)?(?:([0-9]+)|\[([0-9,-]+)\]|(\*))$/;

// Addresses as text

function parseV4(text) {
  const parts = text.split(".");
  if (parts.length !== 4) return null;
  let value = 0n;
  for (const part of parts) {
    if (!/^(0|[1-9][0-9]{0,2})$/.test(part) || Number(part) > 255) return null;
    value = value * 256n + BigInt(part);
  }
  return value;
}

function parseV6(text) {
  const halves = text.split("::");
  if (halves.length > 2) return null;
  const groups = [];
  for (const half of halves) {
    const words = half === "" ? [] : half.split(":");
    const last = words.length ? words[words.length - 1] : "";
    if (last.includes(".")) {
      const tail = half === halves[halves.length - 1] ? parseV4(last) : null;
      if (tail === null) return null;
      words.splice(-1, 1, (tail >> 16n).toString(16), (tail & 0xffffn).toString(16));
    }
    if (!words.every((word) => /^[0-9A-Fa-f]{1,4}$/.test(word))) return null;
    groups.push(words);
  }
  const [head, tail] = [groups[0], groups[1] || []];
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return null;
  const words = [...head, ...Array(missing).fill("0"), ...tail];
  return words.reduce((value, word) => (value << 16n) | BigInt(`0x${word}`), 0n);
}

function parseAddress(text) {
  const v4 = parseV4(text);
  if (v4 !== null) return { value: v4, version: 4 };
  const v6 = parseV6(text);
  return v6 === null ? null : { value: v6, version: 6 };
}

// Of a GID or another address of IPv4 that is mapped into IPv6, the address of IPv4.
function unmapped(text) {
  const value = parseV6(text.split("/")[0]) ?? 0n;
  return value >> 32n === 0xffffn ? addressText(value & 0xffffffffn, 4) : text;
}

const bitsOf = (version) => (version === 4 ? 32 : 128);

function addressText(value, version) {
  if (version === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join(".");
  const words = [];
  for (let shift = 112n; shift >= 0n; shift -= 16n) words.push((value >> shift) & 0xffffn);
  let best = { at: -1, length: 1 };
  for (let at = 0; at < 8; at += 1) {
    let length = 0;
    while (at + length < 8 && words[at + length] === 0n) length += 1;
    if (length > best.length) best = { at, length };
  }
  const hex = words.map((word) => word.toString(16));
  if (best.at < 0) return hex.join(":");
  return `${hex.slice(0, best.at).join(":")}::${hex.slice(best.at + best.length).join(":")}`;
}

// A base prefix and ordered bit fields

class Layout {
  constructor(row) {
    const [base, length] = row.base.split("/");
    const parsed = parseAddress(base);
    this.base = row.base;
    this.version = parsed.version;
    this.first = parsed.value;
    const free = bitsOf(this.version) - Number(length);
    this.last = this.first + (1n << BigInt(free)) - 1n;
    this.places = new Map();
    this.mask = 0n;
    this.fixed = 0n;
    let at = row.fields.reduce((sum, field) => sum + field.width, 0);
    if (row.fields.length && free > at) this.mask = ((1n << BigInt(free)) - 1n) ^ ((1n << BigInt(at)) - 1n);
    for (const field of row.fields) {
      at -= field.width;
      const shift = BigInt(at);
      const ones = (1n << BigInt(field.width)) - 1n;
      const codes = field.codes && field.codes.map(BigInt);
      if (field.value === undefined) {
        this.places.set(field.name, { shift, ones, top: BigInt(field.top), codes });
      } else {
        this.mask |= ones << shift;
        this.fixed |= BigInt(field.value) << shift;
      }
    }
  }

  holds(address) {
    return this.first <= address && address <= this.last;
  }

  carries(name) {
    return this.places.has(name);
  }

  pack(values) {
    let address = this.first | this.fixed;
    for (const [name, { shift, codes }] of this.places) {
      const value = values[name];
      address |= (codes ? codes[value] : BigInt(value)) << shift;
    }
    return address;
  }

  unpack(address) {
    if (!this.holds(address) || (address & this.mask) !== this.fixed) return null;
    const found = {};
    for (const [name, { shift, ones, top, codes }] of this.places) {
      let value = (address >> shift) & ones;
      if (codes) value = BigInt(codes.indexOf(value));
      if (value < 0n || value > top) return null;
      found[name] = Number(value);
    }
    return found;
  }
}

// Blocks of ports: consecutive, broken out of cages

class Block {
  constructor([first, breakout, count]) {
    Object.assign(this, { first, breakout, count });
  }

  name(index) {
    const cage = this.first + Math.floor(index / this.breakout);
    return this.breakout === 1 ? `swp${cage}` : `swp${cage}s${index % this.breakout}`;
  }

  index(cage, sub) {
    if ((sub === null) !== (this.breakout === 1) || (sub || 0) >= this.breakout) return null;
    const index = (cage - this.first) * this.breakout + (sub || 0);
    return index >= 0 && index < this.count ? index : null;
  }
}

function parsePort(name) {
  const match = PORT.exec(name);
  return match ? { cage: Number(match[1]), sub: match[2] === undefined ? null : Number(match[2]) } : null;
}

// Names: runs of literal text and numbered fields

function escapePattern(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

class Template {
  constructor(runs) {
    this.runs = runs;
    const pattern = runs.map(([literal, field, width]) =>
      escapePattern(literal) + (field ? `(?<${field}>[0-9]{${width},})` : ""));
    this.pattern = new RegExp(`^${pattern.join("")}$`);
  }

  write(values) {
    return this.runs.map(([literal, field, width]) =>
      literal + (field ? String(values[field]).padStart(width, "0") : "")).join("");
  }

  read(text) {
    const match = this.pattern.exec(text);
    if (!match) return null;
    const found = {};
    for (const [field, value] of Object.entries(match.groups || {})) found[field] = Number(value) - 1;
    return Object.values(found).every((value) => value >= 0) ? found : null;
  }
}

// Places as people write them: pod01/su02/h03

function placeNumbers(match, limit) {
  if (match[4]) return range(limit);
  const found = [];
  for (const part of (match[2] || match[3]).split(",")) {
    const range = /^([0-9]+)(?:-([0-9]+))?$/.exec(part);
    if (!range) return null;
    const [low, high] = [Number(range[1]), Number(range[2] || range[1])];
    if (low < 1 || high < low || high > limit) return null;
    for (let n = low; n <= high; n += 1) found.push(n - 1);
  }
  return found;
}

function placeOf(text, limits) {
  let tokens = text.trim().split("/").map((part) => PLACE_TOKEN.exec(part));
  if (tokens.some((token) => !token)) return null;
  if (tokens[0][1] === "su" || (!tokens[0][1] && tokens.length === 2 && limits[0] === 1)) {
    if (limits[0] !== 1) return null;
    tokens = [PLACE_TOKEN.exec("pod1"), ...tokens];
  }
  if (tokens.length !== 3) return null;
  const place = [];
  for (const [depth, token] of tokens.entries()) {
    if (token[1] && token[1] !== ["pod", "su", "h"][depth]) return null;
    const numbers = placeNumbers(token, limits[depth]);
    if (numbers?.length !== 1) return null;
    place.push(numbers[0]);
  }
  return { role: "node", pod: place[0], su: place[1], slot: place[2] };
}
