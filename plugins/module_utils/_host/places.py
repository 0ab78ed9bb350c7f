# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files beside ours that change what ours mean: drop-ins, and copies in another folder.

Where a folder below /etc wins, a copy below /run does nothing until our file is gone; it is removed
all the same. Sources: systemd.unit(5), systemd.network(5), udev(7), sysctl.d(5), netplan(5),
NetworkManager.conf(5).
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from .._nic.errors import NicError
from .._nic.tools import Host

UNITS = "/etc/systemd/system"
NETWORKS = "/etc/systemd/network"
SETTINGS = "/etc/sysctl.d"

# Our folder -> the other folders that are searched for a file of the same name. One of a package
# (/usr/lib) loses against all of them.
OTHERS = {
    UNITS: (
        *("/etc/systemd/system.control", "/run/systemd/system.control", "/run/systemd/transient"),
        *("/run/systemd/generator.early", "/etc/systemd/system.attached", "/run/systemd/system"),
        *("/run/systemd/system.attached", "/run/systemd/generator", "/run/systemd/generator.late"),
        "/usr/local/lib/systemd/system",
    ),
    NETWORKS: ("/run/systemd/network", "/usr/local/lib/systemd/network"),
    "/etc/udev/rules.d": ("/run/udev/rules.d", "/usr/local/lib/udev/rules.d"),
    SETTINGS: ("/run/sysctl.d", "/usr/local/lib/sysctl.d"),
    "/etc/netplan": ("/run/netplan",),
    "/etc/NetworkManager/system-connections": ("/run/NetworkManager/system-connections",),
    "/etc/NetworkManager/conf.d": ("/run/NetworkManager/conf.d",),
}

# Our folder -> those of packages. A drop-in there counts as one below /etc does. No package brings one
# of our units, so it goes the same way; where /usr is read-only, the sentence says so.
PACKAGED = {
    UNITS: ("/usr/lib/systemd/system", "/lib/systemd/system"),
    NETWORKS: ("/usr/lib/systemd/network", "/lib/systemd/network"),
}
DROP_IN = ".d"
BESIDE = {
    DROP_IN: "it changes",
    **dict.fromkeys((".wants", ".requires", ".upholds"), "it starts with"),
}
"""End of a folder beside a unit -> what the entries of such a folder do."""

# A drop-in of every service or timer is the site's own, unless it decides what root runs.
DECIDES = re.compile(
    r"^[^\S\n]*(Exec\w+|User|Group|DynamicUser|Environment\w*|Root\w+|BindPaths|BindReadOnlyPaths"
    r"|OnFailure|OnSuccess|On\w+Sec|OnCalendar|Unit|Condition\w+|Assert\w+)[^\S\n]*=",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Rival:
    """A file that changes what `of`, one of ours, means."""

    path: str
    of: str
    sentence: str


def rivals(host: Host, ours: Iterable[str]) -> list[Rival]:
    """List the files to remove so that ours take effect."""
    return [rival for path in ours for rival in _rivals(host, path)]


def _rivals(host: Host, path: str) -> Iterator[Rival]:
    folder, _slash, name = path.rpartition("/")
    for place in _searched(host, folder):
        copies = place in OTHERS.get(folder, ())
        for entry in host.entries(place):
            there = f"{place}/{entry}"
            if (copies and entry == name) or (folder == UNITS and _is_instance(entry, name)):
                yield Rival(there, path, f"{there}: it stands in for {path}.")
            stem, end = os.path.splitext(entry)
            if end in _ends(folder) and _is_beside(stem, name):
                for file in host.entries(there):
                    if end != DROP_IN or file.endswith(".conf"):
                        sentence = f"{there}/{file}: {BESIDE[end]} {name}."
                        yield Rival(f"{there}/{file}", path, sentence)


def _searched(host: Host, folder: str) -> list[str]:
    """The folders in which something beside a file of ours may be; one that has two names once."""
    places = (folder, *OTHERS.get(folder, ()), *PACKAGED.get(folder, ()))
    once = {os.path.realpath(host.path(place)): place for place in reversed(places)}
    return [place for place in places if place in once.values()]


def _ends(folder: str) -> Collection[str]:
    return BESIDE if folder == UNITS else (DROP_IN,) if folder == NETWORKS else ()


def _is_beside(stem: str, name: str) -> bool:
    """The folder of a unit, of one instance of it, or of all our units of its kind."""
    if stem.startswith("spectrum-x-."):  # what all our units of a kind have
        return stem.rpartition(".")[2] == name.rpartition(".")[2]
    return stem == name or _is_instance(stem, name)


def _is_instance(entry: str, template: str) -> bool:
    """`spx-cc@mlx5_0.service` of `spx-cc@.service`."""
    head, at, tail = template.partition("@")
    named = at and tail.startswith(".") and entry != template
    return bool(named) and entry.startswith(f"{head}@") and entry.endswith(tail)


def of_all_units(host: Host, ours: Iterable[str]) -> list[str]:
    """A sentence for each drop-in of all units of a kind that decides what ours run.

    They are of the site, which other units may need: they are said and left. Those of the
    distribution (/usr/lib) are taken for right.
    """
    names = [path.rpartition("/")[2] for path in ours if path.startswith(f"{UNITS}/")]
    stems = {f"{stem}.{name.rpartition('.')[2]}" for name in names for stem in _general(name)}
    stems |= {name.rpartition(".")[2] for name in names}
    found = [
        f"{place}/{stem}.d/{file}"
        for stem in sorted(stems)
        for place in (UNITS, *OTHERS[UNITS])
        for file in host.entries(f"{place}/{stem}.d")
        if file.endswith(".conf")
    ]
    return [sentence for name in found if (sentence := _of_all(host, name))]


def _of_all(host: Host, name: str) -> str:
    try:
        text = host.text(name, links=True) or ""
    except NicError as exc:
        return str(exc)
    decides = f"{name}: it changes what all units of its kind run, ours too; move it to the units that need it."
    return decides if DECIDES.search(text) else ""


def _general(name: str) -> Iterator[str]:
    """`spectrum-` of `spectrum-x-watch.service`: prefixes that others may have too."""
    parts = name.rpartition(".")[0].split("-")
    for count in range(1, len(parts)):
        prefix = "-".join(parts[:count]) + "-"
        if prefix != "spectrum-x-":
            yield prefix
