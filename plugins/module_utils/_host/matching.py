# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Matches of what others say of ports: by name, MAC address, driver, type or path, with wildcards.

    look = seen(host, found, ports)
    fits([Entry("Match", "Name", "rail*")], look.facts["rail1p1"])

The words are those of [Match] of systemd; profiles, stanzas and rules of others are put into them. What cannot be
compared fits. Sources: systemd.network(5), udevadm(8).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from string import ascii_letters, digits
from typing import NamedTuple

from .._nic.discover import PCI
from .._nic.tools import Host
from .interfaces import Interface, LiveState
from .records import Definition, LinkRow

BLANK = " \t"
PLAIN = frozenset(f"{ascii_letters}{digits}*?._-+@/:")
"""Characters of a word that means the same to systemd and to us."""
Facts = Mapping[str, Sequence[str]]
"""Values that a [Match] is compared with, by its key; a key that is absent is not known."""
VENDOR = ("/usr/lib/", "/lib/")
"""Folders of packages, which are taken for right where a rule cannot be compared."""


class Entry(NamedTuple):
    """A line of a .network file."""

    section: str
    key: str
    value: str


@dataclass(frozen=True)
class Claim:
    """A definition of a port by somebody else: the line `key` of a file, and the addresses that it gives, or a name.

    `id` is that of netplan where the file is YAML; `fits` compares it with other devices; `lines` are those
    to take out of a file that has more.
    """

    port: Interface
    path: str
    key: str
    addresses: tuple[str, ...] = ()
    names: bool = False
    id: str = ""
    fits: Callable[[Facts], bool] = field(default=lambda _facts: False, compare=False)
    lines: tuple[str, ...] = ()

    def plain(self) -> Definition:
        """Return the record."""
        address = self.port.cidr if self.port.address else "none"
        return {
            "name": self.port.name,
            "planned": self.port.name if self.names else address,
            "file": self.path,
            "key": self.key,
            "addresses": [*self.addresses],
        }


@dataclass(frozen=True)
class Look:
    """The facts of each port of the plan by its name there, and of each other device on a bus."""

    ports: Mapping[str, Facts]
    others: Mapping[str, Facts]


def seen(host: Host, found: LiveState, ports: Iterable[Interface]) -> Look:
    """Read what definitions of others may match."""
    now = {found.name_of(one): one for one in ports}
    further = _further(host, list(now))
    others = {
        name: _facts(host, row, f"/sys/class/net/{name}/device", [name])
        for name, row in found.links.items()
        if name not in now and host.exists(f"/sys/class/net/{name}/device")
    }
    facts = {
        one.name: {
            **_facts(
                host, found.links.get(name, {}), f"{PCI}/{one.pci}", [one.name, *further[name]]
            ),
            "Path": [f"pci-{one.pci}"],
        }
        for name, one in now.items()
    }
    return Look(facts, others)


def _further(host: Host, names: Sequence[str]) -> dict[str, list[str]]:
    """Return the names that each port has beside the first at the next boot; where udev has none, its name now."""
    made: dict[str, list[str]] = {name: [] for name in names}
    answer = host.ask("udevadm", "info", *(f"/sys/class/net/{name}" for name in names))
    current = ""
    for line in answer.out.splitlines() if names else ():
        kind, _space, text = line.partition(" ")
        key, _equals, value = text.partition("=")
        current = text.rpartition("/")[2] if kind == "P:" else current
        if kind == "E:" and key.startswith("ID_NET_NAME_"):
            made.get(current, []).append(value)
    return {name: more or [name] for name, more in made.items()}


def _facts(host: Host, link: LinkRow, device: str, names: Sequence[str]) -> Facts:
    current, driver = link.get("address", ""), host.path(f"{device}/driver")
    facts: dict[str, Sequence[str]] = {
        "Name": [*names, *link.get("altnames", ())],
        "Type": ["ether"],
        "Kind": [],
        **dict.fromkeys(("SSID", "BSSID", "WLANInterfaceType"), ()),
    }
    if current:
        facts["MACAddress"] = [bare(current)]
        facts["PermanentMACAddress"] = [bare(link.get("permaddr") or current)]
    if driver.exists():
        facts["Driver"] = [driver.resolve().name]
    return facts


def entries(text: str) -> Iterator[Entry]:
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


def bare(mac: str) -> str:
    """Return the digits of a MAC address; systemd takes a byte of one digit, too."""
    digits = 4 if "." in mac else 2
    return "".join(
        part.zfill(digits) for part in mac.lower().replace("-", ":").replace(".", ":").split(":")
    )


def fits(rows: Iterable[Entry], facts: Facts) -> bool:
    """Say whether a [Match] fits; one without a line fits nothing."""
    asked: dict[str, list[str]] = {}
    for section, key, value in rows:
        if section == "Match":
            asked[key] = [*asked.get(key, ()), value] if value else []
    return any(asked.values()) and all(
        _agrees(key, lines, facts[key]) for key, lines in asked.items() if lines and key in facts
    )


def _agrees(key: str, lines: Iterable[str], values: Sequence[str]) -> bool:
    """Compare by glob; a `!` before the first word inverts a line. A word that systemd may read otherwise agrees."""
    globs = [(line.startswith("!"), word) for line in lines for word in line.lstrip("!").split()]
    if key.endswith("MACAddress"):
        globs = [(inverted, bare(word)) for inverted, word in globs]
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
