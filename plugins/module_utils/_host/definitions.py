# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses that a rail has beside the planned one, and .network files of others that count for a port.

    stray(found, port)                               addresses that the kernel has
    of_networkd(host, backend, look, ports, made)    what networkd takes in the place of ours, as it will be
    by_networkd(host, backend, ports)                what it says itself that it took

systemd-networkd takes the first .network file, by name over all folders, whose [Match] fits. No tool shows before a
reload which one that will be, so `matching` compares. What netplan makes of the files of others and ours, its own
generator says, in a folder of its own. Sources: systemd.network(5), networkctl(1), netplan-generate(8).
"""

from __future__ import annotations

import ipaddress
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from .. import _files
from .._nic.errors import NicError
from .._nic.tools import Host, failed, reason
from .backends import NETPLAN, NETWORKD
from .files import DesiredFile
from .interfaces import Interface, LiveState
from .matching import Claim, Entry, Facts, Look, entries, fits
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
NAME = "netplan"
GENERATED = "10-netplan-"
EARLIER = f"/run/systemd/network/{GENERATED}"
OWN = {NAME: f"{GENERATED}{{name}}.network", "networkd": NETWORKD.rpartition("/")[2]}
"""Name of the file that networkd reads for a port of ours, by backend."""
FORMER = NETWORKD.rpartition("/")[2].partition("{")[0]
LAST = "~"
"""After the name of every file: beside another backend any that fits counts."""
MADE = re.compile(r"(?:10-|99-)?netplan-(.+)\.(?:network|link|rules|nmconnection)")
"""Files that netplan makes below /run, with its id of them."""
TAKEN = re.compile(
    r"^\S{0,4}[ \t]{0,8}\d{1,10}: (\S+)[^\n]*$|^ *Network File: (\S+)$", re.MULTILINE
)
MASK = "/dev/null"


@dataclass(frozen=True)
class Source:
    """A file of lines, mostly .network: where a person finds what it says, and the id that netplan has of it."""

    path: str
    entries: tuple[Entry, ...] = ()
    id: str = ""
    text: str = ""

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


def stray(found: LiveState, one: Interface) -> list[str]:
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


def live(found: LiveState, ports: Iterable[Interface]) -> list[Definition]:
    """Return a record for each rail that has further addresses now."""
    rows = [(one, tuple(stray(found, one))) for one in ports]
    return [Claim(one, "", "", more).plain() for one, more in rows if more]


def of_networkd(
    host: Host, backend: str, look: Look, ports: Iterable[Interface], made: Mapping[str, Source]
) -> Iterator[Claim]:
    """Yield what networkd takes for a port before our file; beside another backend, every file that fits."""
    above = frozenset(host.entries(NETWORKS)) if backend == NAME else frozenset[str]()
    sources = _sources(host, backend, made, above)
    for one in ports:
        own = OWN.get(backend, LAST).format(name=one.name)
        before = {
            name: it for name, it in sources.items() if name < own or (name == own and own in above)
        }
        if own == LAST:  # what an earlier run left is not of others
            before = {name: it for name, it in before.items() if not name.startswith(FORMER)}
        ahead = list(_ahead(before, own, one, look.ports[one.name]))
        yield from ahead
        if own in made and not ahead:
            yield from _merged(made[own], one)
        if backend == NAME:
            yield from _drop_ins(host, own, one)


def _ahead(
    sources: Mapping[str, Source], own: str, one: Interface, facts: Facts
) -> Iterator[Claim]:
    """Yield the files that fit the port, or that stand in for ours under its name, in their order."""
    for name, source in sorted(sources.items()):
        if name == own or fits(source.entries, facts):
            yield _claim(one, source, _match(source))


def _claim(one: Interface, source: Source, key: str) -> Claim:
    given = tuple(source.addresses)
    return Claim(one, source.path, key, given, id=source.id, fits=partial(fits, source.entries))


def _match(source: Source) -> str:
    return next((f"{key}={value}" for part, key, value in source.entries if part == "Match"), "")


def _merged(source: Source, one: Interface) -> Iterator[Claim]:
    """Yield what netplan adds to our definition from files of others."""
    more = tuple(cidr for cidr in source.addresses if not _same(cidr, one.cidr))
    if more or source.dhcp:
        yield Claim(one, source.path, source.dhcp or "addresses", more, id=source.id)


def _drop_ins(host: Host, own: str, one: Interface) -> Iterator[Claim]:
    """Yield the drop-ins of the file that netplan makes of our definition; `places` removes those of our files."""
    for folder in FOLDERS:
        for name in host.entries(f"{folder}/{own}.d"):
            if name.endswith(".conf"):
                path = f"{folder}/{own}.d/{name}"
                yield Claim(one, path, "drop-in", tuple(_source(host, path).addresses))


def by_networkd(host: Host, backend: str, ports: Iterable[Interface]) -> Iterator[Claim]:
    """Yield the files that networkd itself says it took for ports in the place of ours."""
    rows = {one.name: one for one in ports}
    if backend not in OWN or not rows:
        return
    answer = host.ask("networkctl", "--no-pager", "--lines=0", "status", *rows)
    name = ""
    for header, path in TAKEN.findall(answer.out):
        name = header or name
        if path.startswith("/") and name in rows and not _is_own(path, backend, name):
            yield Claim(rows[name], path, "networkctl status")


def _is_own(path: str, backend: str, name: str) -> bool:
    return path.rpartition("/")[2] == OWN[backend].format(name=name)


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
        "take it out of that file, or let dpu_interfaces_take_over move it aside."
    )


# What systemd-networkd reads


def _sources(
    host: Host, backend: str, made: Mapping[str, Source], above: frozenset[str]
) -> dict[str, Source]:
    """Return the files that systemd-networkd reads, by name, each with its drop-ins; those `above` win."""
    places = named(host, ".network")
    if made or backend == NAME:  # it removes those of an earlier run
        places = {name: path for name, path in places.items() if not path.startswith(EARLIER)}
    mains = {name: _source(host, path) for name, path in places.items()}
    fresh = {name: one for name, one in made.items() if name.endswith(".network")}
    mains |= {name: one for name, one in fresh.items() if name not in above & mains.keys()}
    return {name: _whole(host, name, main) for name, main in mains.items()}


def named(host: Host, end: str, below: str = "") -> dict[str, str]:
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
    more = sorted(named(host, ".conf", f"/{name}.d").items())
    parts = [main, *(_source(host, path) for _name, path in more)]
    giver = next((one.path for one in parts if one.addresses), main.path)
    return Source(giver, tuple(entry for one in parts for entry in one.entries), main.id)


def _source(host: Host, path: str) -> Source:
    return Source(path, tuple(entries(host.text(path, links=True) or "")))


def _same(one: str, other: str) -> bool:
    try:
        return ipaddress.ip_interface(one) == ipaddress.ip_interface(other)
    except ValueError:
        return False


# What netplan makes


def texts_of_others(host: Host) -> dict[str, bytes]:
    """Return the YAML files of others."""
    return {
        f"{folder}/{name}": host.content(f"{folder}/{name}", links=True)
        for folder in YAML
        for name in host.entries(folder)
        if name.endswith(".yaml") and name != Path(NETPLAN).name
    }


def generated(host: Host, files: Iterable[DesiredFile], *, required: bool) -> dict[str, Source]:
    """Return the files that netplan makes of ours and those of others, by name; none where there are no others."""
    texts = texts_of_others(host)
    program = next(filter(host.exists, GENERATORS), "")
    if not texts or not (program or required):
        return {}
    if not program:
        raise NicError(
            f"netplan: its generator is in none of {', '.join(GENERATORS)}: install the package netplan.io again."
        )
    ours = {one.path: one.content or b"" for one in files if one.path == NETPLAN}
    with tempfile.TemporaryDirectory(prefix="spectrum-x-") as root:
        lay(root, {**texts, **ours})
        answer = host.ask(program, "--root-dir", root)
        if failed(answer):
            first = next(iter(answer.text.strip().splitlines()), "") or reason(answer)
            raise NicError(f"netplan generate: {first.replace(root, '').rstrip('.')}: correct it.")
        made = [(one.name, one) for one in sorted(Path(root, "run").rglob("*netplan-*"))]
        found = {
            name: (match[1], _files.content(one).decode("utf-8", "replace"))
            for name, one in made
            if (match := MADE.fullmatch(name))
        }
    return {name: _made(texts, own, text) for name, (own, text) in found.items()}


def lay(root: str, texts: Mapping[str, bytes]) -> None:
    """Write files below a folder, for root alone."""
    for path, text in texts.items():
        place = Path(root + path)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.touch(0o600)
        place.write_bytes(text)


def _made(texts: Mapping[str, bytes], own: str, text: str) -> Source:
    """Return a file by the path of the first file of others that has an address of it, else its id."""
    rows = tuple(entries(text))
    words = [one.value.encode() for one in rows if (one.section, one.key) in ADDRESS]
    hits = [path for word in [*words, own.encode()] for path, data in texts.items() if word in data]
    return Source(hits[0] if hits else YAML[1], rows, own, text)
