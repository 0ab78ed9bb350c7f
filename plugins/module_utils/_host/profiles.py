# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles of NetworkManager, ifcfg files and stanzas of ifupdown that count for a port.

NetworkManager says itself which profiles it has loaded, of whatever plugin. What it has not is read from the files, as
it reads them at the next boot; so are the files of daemons that show nothing. Of profiles that fit it takes the one
with the highest priority, and of equal ones the one used last, so that an equal one counts. A port that its
configuration leaves unmanaged gets no profile, of ours neither. Sources: nmcli(1), nm-settings-keyfile(5),
nm-settings-ifcfg-rh(5), NetworkManager.conf(5), interfaces(5).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from .._nic.tools import Host
from .backends import MANAGER
from .definitions import Source
from .interfaces import Interface
from .matching import Claim, Entry, Facts, Look, entries, fits

NAME, SERVICE = "networkmanager", "NetworkManager.service"
KEYFILES = tuple(f"{top}/NetworkManager/system-connections" for top in ("/etc", "/run", "/usr/lib"))
CONFIGURATION = "/etc/NetworkManager/NetworkManager.conf"
PARTS = tuple(f"{top}/NetworkManager/conf.d" for top in ("/etc", "/run", "/usr/lib"))
"""Of two files of one name the one in the first folder counts."""
LISTED = {
    "interface-name": "Name",
    "mac": "PermanentMACAddress",
    "driver": "Driver",
    "type": "Type",
}
"""Word of a list of devices, and that of systemd for what it is compared with."""
IFCFG = "/etc/sysconfig/network-scripts"
LEGACY, IFUPDOWN = "network.service", "networking.service"
INTERFACES = "/etc/network/interfaces"
STANZAS = ("iface", "auto", "mapping", "source", "source-directory")
OURS = MANAGER.rpartition("/")[2].partition("{")[0]
ETHERNET = ("", "ethernet", "802-3-ethernet")
NO = ("no", "false", "0", "off", "NO", "No")
MATCHES = {
    "connection.interface-name": ("Name", ""),
    "match.interface-name": ("Name", ""),
    "ethernet.mac-address": ("PermanentMACAddress", ""),
    "match.driver": ("Driver", ""),
    "match.path": ("Path", ""),
    "ethernet.mac-address-denylist": ("PermanentMACAddress", "!"),
    "ethernet.mac-address-blacklist": ("PermanentMACAddress", "!"),
}
"""Key of a profile, the word of systemd for what it is compared with, and what inverts it."""
ADDRESS = ("ipv4.address", "ipv6.address")
BLANKS = str.maketrans(";,", "  ")
OTHERS = ("~", ".bak", ".orig", ".rpmnew", ".rpmsave")
"""Ends of names that nobody reads."""
WORDS = {
    "DEVICE": "connection.interface-name",
    "HWADDR": "ethernet.mac-address",
    "ONBOOT": "connection.autoconnect",
    "TYPE": "connection.type",
    "AUTOCONNECT_PRIORITY": "connection.autoconnect-priority",
    "IPADDR": "ipv4.address1",
}
"""Key of an ifcfg file, and of a profile."""


class Profile(NamedTuple):
    """A profile: its file, its values by section and key, and the id that netplan has of it."""

    path: str
    values: Mapping[str, str]
    id: str = ""

    @property
    def match(self) -> list[Entry]:
        """Return what it fits, as lines of [Match]."""
        rows = [("Type", "ether")]
        for key, (word, inverted) in MATCHES.items():
            if words := self.values.get(key):
                rows.append((word, inverted + words.translate(BLANKS)))
        return [Entry("Match", *row) for row in rows]

    @property
    def key(self) -> str:
        """Return the line by which it fits."""
        hits = (key for key, (_word, inverted) in MATCHES.items() if not inverted)
        key = next(filter(self.values.get, hits), "")
        return f"{key.partition('.')[2]}={self.values[key]}" if key else "type=ethernet"

    @property
    def addresses(self) -> tuple[str, ...]:
        """Return the addresses that it gives."""
        rows = [(key[12:], value) for key, value in self.values.items() if key[:12] in ADDRESS]
        own = [value.partition(",")[0] for end, value in rows if end.isdecimal()]
        return (
            *own,
            *(one.strip() for end, text in rows if end == "es" for one in text.split(",") if one),
        )

    def counts(self, least: int | None) -> bool:
        """Say whether it comes up by itself, with a priority of at least this one."""
        values = self.values
        number = values.get("connection.autoconnect-priority") or "0"
        high = least is None or int(number) >= least if number.lstrip("-").isdecimal() else True
        named = "connection.interface-name" in values
        ethernet = values.get("connection.type", "").lower() in ETHERNET
        return values.get("connection.autoconnect", "") not in NO and high and (named or ethernet)


def claims(
    host: Host,
    backend: str,
    on: Collection[str],
    look: Look,
    ports: Iterable[Interface],
    made: Mapping[str, Source],
) -> Iterator[Claim]:
    """Yield what of profiles and stanzas comes up on a port, where a daemon that reads them starts at a boot."""
    rows, least = [], 0 if backend == NAME else None
    manager = backend == NAME or SERVICE in on
    if manager:
        rows += [(one, True) for one in _of_manager(host, made)]
    if manager or LEGACY in on:
        known = {one.path for one, _exact in rows}
        rows += [(one, LEGACY not in on) for one in _ifcfg(host) if one.path not in known]
    beside = SERVICE in on and backend != NAME
    idle = host.ask("nmcli", "-t", "-f", "DEVICE,STATE", "device").out if beside else ""
    for one in ports:
        facts = look.ports[one.name]
        first = {**facts, "Name": [one.name]}
        for profile, exact in rows if f"{one.name}:unmanaged" not in idle.splitlines() else ():
            if profile.counts(least if exact else None) and fits(
                profile.match, first if exact else facts
            ):
                ours = partial(fits, profile.match)
                yield Claim(
                    one, profile.path, profile.key, profile.addresses, id=profile.id, fits=ours
                )
        if backend == NAME:
            yield from _unmanaged(host, one, first)
        if IFUPDOWN in on:
            yield from _stanzas(host, one, facts)


def _unmanaged(host: Host, one: Interface, facts: Facts) -> Iterator[Claim]:
    """Yield the files by which NetworkManager leaves a port to others; of a list of devices the last one counts."""
    names = {name: f"{top}/{name}" for top in reversed(PARTS) for name in host.entries(top)}
    parts = [path for name, path in sorted(names.items()) if name.endswith(".conf")]
    lists, sections = list[tuple[str, str]](), list[tuple[str, str]]()
    for path in (CONFIGURATION, *parts):
        rows = list(entries(host.text(path, links=True) or ""))
        for section, key, value in rows:
            if (section, key.rstrip("+")) == ("keyfile", "unmanaged-devices"):
                lists = [*(lists if key.endswith("+") else ()), (path, value)]
            if section.startswith("device") and key == "managed" and value in NO:
                own = (row.value for row in rows if row[:2] == (section, "match-device"))
                sections.append((path, next(own, "*")))
    for key, found in (("unmanaged-devices", lists), ("managed=0", sections)):
        for path, devices in found:
            if _is_listed(devices, facts):
                ours = partial(_is_listed, devices)
                yield Claim(one, path, f"{key}, {devices}", fits=ours)


def _is_listed(devices: str, facts: Facts) -> bool:
    """Say whether a list of devices has a port, which `except:` takes out of it."""
    words = [word.strip() for word in devices.replace(",", ";").split(";")]
    hits = {
        word.startswith("except:")
        for word in words
        if _is_meant(word.removeprefix("except:"), facts)
    }
    return hits == {False}


def _is_meant(word: str, facts: Facts) -> bool:
    """Say whether a word of a list is a port: its name, its MAC address, or one of these behind the kind of word."""
    kind, colon, text = word.partition(":")
    if not colon or kind not in LISTED:
        kind, text = ("mac" if word.count(":") == 5 else "interface-name"), word
    text = text.partition("/")[0] if kind == "driver" else text.lstrip("=~")
    text = text.replace("ethernet", "ether") if kind == "type" else text
    return word == "*" or (bool(text) and fits([Entry("Match", LISTED[kind], text)], facts))


def _of_manager(host: Host, made: Mapping[str, Source]) -> Iterator[Profile]:
    loaded = list(_loaded(host))
    yield from (one for one in loaded if not one.path.rpartition("/")[2].startswith(OURS))
    known = {one.path for one in loaded}
    for name, source in made.items():
        if name.endswith(".nmconnection"):
            yield Profile(source.path, _values(source.entries), source.id)
    for folder in KEYFILES:
        for path in host.files(folder):
            name = path.rpartition("/")[2]
            passed = name.startswith((OURS, ".")) or name.endswith(OTHERS)
            if not (passed or path in known or name in made):
                yield Profile(path, _values(entries(host.text(path, links=True) or "")))


def _values(rows: Iterable[Entry]) -> dict[str, str]:
    return {f"{one.section.replace('802-3-', '')}.{one.key}": one.value for one in rows}


def _loaded(host: Host) -> Iterator[Profile]:
    """Yield the profiles that NetworkManager shows, those of its other plugins and of its memory too."""
    shown = host.ask("nmcli", "-t", "-e", "no", "-f", "UUID,FILENAME", "connection", "show").out
    files = dict(line.partition(":")[::2] for line in shown.splitlines() if ":" in line)
    answer = host.ask("nmcli", "-t", "-e", "no", "connection", "show", *files).out if files else ""
    for block in answer.split("connection.id:")[1:]:
        lines = (line.partition(":") for line in block.splitlines()[1:])
        values = {key.replace("802-3-", ""): value.strip() for key, _colon, value in lines}
        if path := files.get(values.get("connection.uuid", "")):
            yield Profile(path, values)


def _ifcfg(host: Host) -> Iterator[Profile]:
    for name in host.entries(IFCFG):
        if name.startswith("ifcfg-") and name != "ifcfg-lo" and not name.endswith(OTHERS):
            lines = (host.text(f"{IFCFG}/{name}", links=True) or "").splitlines()
            rows = dict(line.strip().partition("=")[::2] for line in lines)
            values = {word: rows[key].strip("'\"") for key, word in WORDS.items() if key in rows}
            yield Profile(f"{IFCFG}/{name}", values)


def _stanzas(host: Host, one: Interface, facts: Facts) -> Iterator[Claim]:
    """Yield the stanzas of ifupdown for a port that comes up at a boot."""
    files = [INTERFACES, *host.files(f"{INTERFACES}.d")]
    begun, stanzas = False, [("", [""])]
    for path in files:
        for line in (host.text(path, links=True) or "").splitlines():
            word, *rest = [*line.split(), ""]
            if word in STANZAS or word.startswith("allow-"):
                begun = begun or (word != "iface" and any(_named(name, facts) for name in rest))
                stanzas.append((path, [line]))
            elif word and not word.startswith("#"):
                stanzas[-1][1].append(line)
    for path, lines in stanzas if begun else ():
        rows = [[*line.split(), "", ""] for line in lines]
        idle = len(lines) == 1 and "manual" in rows[0]
        if rows[0][0] == "iface" and _named(rows[0][1], facts) and not idle:
            addresses = tuple(row[1] for row in rows if row[0] == "address")
            yield Claim(one, path, lines[0].strip(), addresses, lines=tuple(lines))


def _named(word: str, facts: Facts) -> bool:
    return (
        fits([Entry("Match", "Name", word.lstrip("/").partition("=")[0])], facts) if word else False
    )
