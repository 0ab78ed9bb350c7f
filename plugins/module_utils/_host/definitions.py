# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses that a rail has beside the planned one, and definitions of others that give it some after a reload.

    stray(found, port)                        addresses that the kernel has
    definitions(host, backend, found, ports, files)

systemd-networkd takes the first .network file, by name over all folders, whose [Match] fits. No tool shows before a
reload which one that will be, so `_fits` compares; what it cannot compare fits. What netplan makes of the files of
others and ours, its own generator says, in a folder of its own. Profiles of NetworkManager are not looked at.
Sources: systemd.network(5), netplan-generate(8).
"""

from __future__ import annotations

import ipaddress
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from string import ascii_letters, digits
from typing import NamedTuple

from .. import _files
from .._nic.discover import PCI
from .._nic.errors import NicError
from .._nic.tools import Host, failed, reason
from .backends import NETPLAN, NETWORKD
from .files import Wanted
from .interfaces import Found, Interface
from .places import NETWORKS, OTHERS, PACKAGED
from .records import AddressRow, Definition

FOLDERS = (NETWORKS, *OTHERS[NETWORKS], *PACKAGED[NETWORKS])
"""Of two files of one name the one in the first folder counts."""
YAML = ("/lib/netplan", "/etc/netplan", "/run/netplan")
GENERATORS = (
    "/usr/libexec/netplan/configure",
    "/usr/libexec/netplan/generate",
    "/usr/lib/netplan/generate",
    "/lib/netplan/generate",
)
"""Programs that `netplan generate` runs, by release. The command itself reloads udev and systemd besides."""
GENERATED = "10-netplan-"
EARLIER = f"/run/systemd/network/{GENERATED}"
NETPLAN_FILE = f"{GENERATED}{{name}}.network"
MASK = "/dev/null"
BLANK = " \t"
PLAIN = frozenset(f"{ascii_letters}{digits}*?._-+@/:")
"""Characters of a word that means the same to systemd and to us."""


class Entry(NamedTuple):
    """A line of a .network file."""

    section: str
    key: str
    value: str


@dataclass(frozen=True)
class Source:
    """A .network file: where a person finds what it says, and its lines."""

    path: str
    entries: tuple[Entry, ...]

    @property
    def addresses(self) -> list[str]:
        """The addresses that it gives."""
        own = [one for one in self.entries if (one.section, one.key) in ADDRESS]
        last = max((n for n, one in enumerate(own) if not one.value), default=-1)
        return [one.value for one in own[last + 1 :]]

    @property
    def dhcp(self) -> str:
        """The line by which it asks for addresses, "" without."""
        asks = [one.value for one in self.entries if one[:2] == ("Network", "DHCP")]
        return f"DHCP={asks[-1]}" if asks and asks[-1].lower() not in OFF else ""


ADDRESS = (("Network", "Address"), ("Address", "Address"))
OFF = ("", "no", "false", "0", "off", "none")


def stray(found: Found, one: Interface) -> list[str]:
    """Return the addresses of a port beside the planned one; those of a port without are `differences`."""
    rows = found.links.get(found.name_of(one), {}).get("addr_info", ()) if one.address else ()
    there = [f"{row.get('local')}/{row.get('prefixlen')}" for row in rows if counts(row)]
    return [cidr for cidr in there if not _same(cidr, one.cidr)]


def counts(row: AddressRow) -> bool:
    """Say whether an address is more than a link-local one; its scope is a word that anybody on the host chooses."""
    try:
        return not ipaddress.ip_address(str(row.get("local"))).is_link_local
    except ValueError:
        return True


def live(found: Found, ports: Iterable[Interface]) -> list[Definition]:
    """Return a record for each rail that has further addresses now."""
    return [_definition(one, addresses=more) for one in ports if (more := stray(found, one))]


def definitions(
    host: Host,
    backend: str,
    found: Found,
    ports: Sequence[Interface],
    files: Iterable[Wanted],
) -> list[Definition]:
    """Return what of others takes effect on rails after a reload, although `files`, ours, are written."""
    if backend == "networkmanager":
        return []
    generated: Mapping[str, Source] = {}
    pattern, above = NETWORKD.rpartition("/")[2], frozenset[str]()
    if backend == "netplan":
        ours = next((one.content for one in files if one.path == NETPLAN), None) or b""
        generated, pattern = _generated(host, ours), NETPLAN_FILE
        above = frozenset(host.entries(NETWORKS))
    sources = _sources(host, backend, generated, above)
    rows = []
    for one in ports:
        own = pattern.format(name=one.name)
        before = {name: it for name, it in sources.items() if name < own or name == own in above}
        first = list(_first(before, own, one, _facts(host, found, one)))
        rows += first
        if own in generated and not first:
            rows += _merged(generated[own], one)
        if backend == "netplan":
            rows += _drop_ins(host, own, one)
    return rows


def _first(
    sources: Mapping[str, Source], own: str, one: Interface, facts: Mapping[str, Sequence[str]]
) -> Iterator[Definition]:
    """Yield the first file that fits the port, or that stands in for ours under its name."""
    for name, source in sorted(sources.items()):
        if name == own or _fits(source.entries, facts):
            yield _definition(one, source, _match(source), source.addresses)
            return


def _match(source: Source) -> str:
    return next((f"{key}={value}" for part, key, value in source.entries if part == "Match"), "")


def _merged(source: Source, one: Interface) -> Iterator[Definition]:
    """Yield what netplan adds to our definition from files of others."""
    more = [cidr for cidr in source.addresses if not _same(cidr, one.cidr)]
    if more or source.dhcp:
        yield _definition(one, source, source.dhcp or "addresses", more)


def _drop_ins(host: Host, own: str, one: Interface) -> Iterator[Definition]:
    """Yield the drop-ins of the file that netplan makes of our definition; `places` removes those of our files."""
    for folder in FOLDERS:
        for name in host.entries(f"{folder}/{own}.d"):
            if name.endswith(".conf"):
                path = f"{folder}/{own}.d/{name}"
                source = _source(host, path)
                yield _definition(one, source, "drop-in", source.addresses)


def _definition(
    one: Interface, source: Source | None = None, key: str = "", addresses: Sequence[str] = ()
) -> Definition:
    return {
        "name": one.name,
        "planned": one.cidr if one.address else "none",
        "file": source.path if source else "",
        "key": key,
        "addresses": [*addresses],
    }


def sentence(row: Definition, owners: Mapping[str, str] | None = None) -> str:
    """Return the sentence on a record; `owners` says of addresses whose they are."""
    known = owners or {}
    addresses = " and ".join(
        f"{one} ({known[one]})" if one in known else one for one in row["addresses"]
    )
    if not row["file"]:
        return (
            f"{row['name']}: it has the address {addresses}, expected {row['planned']}: run playbook dpus, or "
            f"remove it with 'ip address delete'."
        )
    gives = f", gives it {addresses}" if addresses else ""
    return (
        f"{row['name']}: {row['file']}, {row['key']}: it counts after a reload{gives}, expected {row['planned']}: "
        "take it out of that file."
    )


# What systemd-networkd reads


def _sources(
    host: Host, backend: str, generated: Mapping[str, Source], above: frozenset[str]
) -> dict[str, Source]:
    """Return the files that systemd-networkd reads, by name, each with its drop-ins; those `above` win."""
    places = _named(host, "", ".network")
    if backend == "netplan":  # it removes those of an earlier run
        places = {name: path for name, path in places.items() if not path.startswith(EARLIER)}
    mains = {name: _source(host, path) for name, path in places.items()}
    mains |= {name: one for name, one in generated.items() if name not in above & mains.keys()}
    return {name: _whole(host, name, main) for name, main in mains.items()}


def _named(host: Host, below: str, end: str) -> dict[str, str]:
    """Return the path that counts of each name in the folders, or in one `below` each; a masked one is none."""
    places: dict[str, str] = {}
    for folder in FOLDERS:
        for name in host.entries(f"{folder}{below}"):
            if name.endswith(end):
                places.setdefault(name, f"{folder}{below}/{name}")
    kept = places.items()
    return {name: path for name, path in kept if os.path.realpath(host.path(path)) != MASK}


def _whole(host: Host, name: str, main: Source) -> Source:
    """Return a file with its drop-ins, in the order in which they count, by the path of who gives addresses."""
    more = sorted(_named(host, f"/{name}.d", ".conf").items())
    parts = [main, *(_source(host, path) for _name, path in more)]
    giver = next((one.path for one in parts if one.addresses), main.path)
    return Source(giver, tuple(entry for one in parts for entry in one.entries))


def _source(host: Host, path: str) -> Source:
    return Source(path, tuple(_entries(host.text(path, links=True) or "")))


def _entries(text: str) -> Iterator[Entry]:
    """Yield the lines as systemd does: NUL ends one too, and a comment goes on in no other line."""
    section = before = ""
    lines = text.lstrip("\ufeff").replace("\r", "\n").replace("\0", "\n").split("\n")
    for line in (*lines, ""):
        if line.lstrip(BLANK).startswith(("#", ";")):
            continue
        before += line
        if (len(before) - len(before.rstrip("\\"))) % 2:
            before = f"{before[:-1]} "
            continue
        bare, before = before.strip(BLANK), ""
        key, equals, value = bare.partition("=")
        if bare.startswith("["):
            section = bare.strip("[]")
        elif equals:
            yield Entry(section, key.strip(BLANK), value.strip(BLANK))


def _facts(host: Host, found: Found, one: Interface) -> dict[str, Sequence[str]]:
    """Return what a [Match] is compared with, by its key; a key that is absent is not known."""
    link = found.links.get(found.name_of(one), {})
    current, driver = link.get("address", ""), host.path(f"{PCI}/{one.pci}/driver")
    facts: dict[str, Sequence[str]] = {
        "Name": [one.name, *link.get("altnames", ())],
        "Path": [f"pci-{one.pci}"],
        "Type": ["ether"],
        "Kind": [],
        **dict.fromkeys(("SSID", "BSSID", "WLANInterfaceType"), ()),
    }
    if current:
        facts["MACAddress"] = [_hex(current)]
        facts["PermanentMACAddress"] = [_hex(link.get("permaddr") or current)]
    if driver.exists():
        facts["Driver"] = [driver.resolve().name]
    return facts


def _hex(mac: str) -> str:
    """Return the digits of a MAC address; systemd takes a byte of one digit, too."""
    digits = 4 if "." in mac else 2
    return "".join(
        part.zfill(digits) for part in mac.lower().replace("-", ":").replace(".", ":").split(":")
    )


def _fits(entries: Iterable[Entry], facts: Mapping[str, Sequence[str]]) -> bool:
    """Say whether a [Match] fits; one without a line fits nothing."""
    asked: dict[str, list[str]] = {}
    for section, key, value in entries:
        if section == "Match":
            asked[key] = [*asked.get(key, ()), value] if value else []
    return any(asked.values()) and all(
        _agrees(key, lines, facts[key]) for key, lines in asked.items() if lines and key in facts
    )


def _agrees(key: str, lines: Iterable[str], values: Sequence[str]) -> bool:
    """Compare by glob; a `!` before the first word inverts a line. A word that systemd may read otherwise agrees."""
    globs = [(line.startswith("!"), word) for line in lines for word in line.lstrip("!").split()]
    if key.endswith("MACAddress"):
        globs = [(inverted, _hex(word)) for inverted, word in globs]
    if not all(_plain(key, word) for _inverted, word in globs):
        return True
    return any(_chosen(globs, value) for value in values) if values else _chosen(globs, None)


def _plain(key: str, word: str) -> bool:
    """Say whether a word means the same to both: quotes, escapes and classes do not, and systemd drops wrong ones."""
    if key.endswith("MACAddress"):
        return len(word) in (12, 40) and set(word) <= set("0123456789abcdef")
    if key == "Name" and (word.isdigit() or word in ("all", "default") or len(word) > 127):
        return False
    return set(word) <= PLAIN - set("/:" if key == "Name" else "")


def _chosen(globs: Sequence[tuple[bool, str]], value: str | None) -> bool:
    """Say whether no inverted glob has the value, and one of the others, where there are any."""
    hits = [inverted for inverted, glob in globs if value is not None and fnmatchcase(value, glob)]
    return True not in hits and (False in hits or all(inverted for inverted, _glob in globs))


def _same(one: str, other: str) -> bool:
    try:
        return ipaddress.ip_interface(one) == ipaddress.ip_interface(other)
    except ValueError:
        return False


# What netplan makes


def _generated(host: Host, ours: bytes) -> dict[str, Source]:
    """Return the files that netplan makes of our file and those of others, by name; none where there are no others."""
    texts = {
        f"{folder}/{name}": host.content(f"{folder}/{name}", links=True)
        for folder in YAML
        for name in host.entries(folder)
        if name.endswith(".yaml") and name != Path(NETPLAN).name
    }
    if not texts:
        return {}
    program = next(filter(host.exists, GENERATORS), "")
    if not program:
        raise NicError(
            f"netplan: its generator is in none of {', '.join(GENERATORS)}: install the package netplan.io again."
        )
    with tempfile.TemporaryDirectory(prefix="spectrum-x-") as root:
        for path, text in {**texts, NETPLAN: ours}.items():
            place = Path(root + path)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.touch(0o600)
            place.write_bytes(text)
        answer = host.ask(program, "--root-dir", root)
        if failed(answer):
            first = next(iter(answer.text.strip().splitlines()), "") or reason(answer)
            raise NicError(f"netplan generate: {first.replace(root, '').rstrip('.')}: correct it.")
        files = sorted(Path(root, "run/systemd/network").glob("*.network"))
        entries = {
            one.name: tuple(_entries(_files.content(one).decode("utf-8", "replace")))
            for one in files
        }
    return {name: Source(_yaml(texts, name, some), some) for name, some in entries.items()}


def _yaml(texts: Mapping[str, bytes], name: str, entries: Iterable[Entry]) -> str:
    """Return the path of the first file of others that has an address of a definition, else its name."""
    words = [value.encode() for part, key, value in entries if (part, key) in ADDRESS]
    words.append(name[len(GENERATED) : -len(".network")].encode())
    hits = [path for word in words for path, text in texts.items() if word in text]
    return hits[0] if hits else YAML[1]
