# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State of a lab, kept in ``build/lab/<name>/state.json`` so that any later command finds it."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import pathlib
import re
from collections.abc import Iterator
from typing import Any

from lab import cabling as cables
from lab.errors import LabError

ROOT = pathlib.Path(__file__).resolve().parents[2]
"""The checkout."""
TARGETS = pathlib.Path(os.environ.get("SPX_LAB_TARGETS", ROOT / "tests" / "targets")).absolute()
"""Folder with the files of the devices (``SPX_LAB_TARGETS`` overrides it)."""
SCHEMA = 1
LAB_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?")
MARK_LABEL = "spectrum-x.lab"
"""Label, with the lab's name, of every container the lab makes."""
PREFIX = "spx-"
"""Everything the lab makes on the machine has a name that begins so."""
SUBNET = "198.18.0.0/16"
"""Management network, of the block RFC 2544 sets aside for benchmarks; never routed outside."""
BRIDGE_ADDRESS = "198.18.0.1"
FIRST_ADDRESS = 10


def labs_folder() -> pathlib.Path:
    """Return the folder that holds one folder per lab (``SPX_LAB_DIR`` overrides it)."""
    return pathlib.Path(os.environ.get("SPX_LAB_DIR", ROOT / "build" / "lab")).absolute()


def cache_folder() -> pathlib.Path:
    """Return the folder of root file systems (``SPX_LAB_CACHE`` overrides it)."""
    return pathlib.Path(os.environ.get("SPX_LAB_CACHE", ROOT / "build" / "lab-cache")).absolute()


@dataclasses.dataclass
class Lab:
    """One lab: its names, its folder and its content. Written by `save` after each change."""

    name: str
    backend: str
    cabling: cables.Cabling
    document: dict[str, Any]
    engine: dict[str, str] = dataclasses.field(default_factory=dict)
    images: dict[str, str] = dataclasses.field(default_factory=dict)
    recipes: dict[str, str] = dataclasses.field(default_factory=dict)
    """Hash of what the image of each kind was made from."""
    host_names: str = "factory"
    ready: bool = False
    processes: dict[str, str] = dataclasses.field(default_factory=dict)
    """Long-running helpers on the machine: role -> "pid starttime"."""
    unplugged: list[int] = dataclasses.field(default_factory=list)
    """Numbers of the cables which are pulled out."""
    wiring: list[list[str]] = dataclasses.field(default_factory=list)
    """The cables as they are now (swaps included): [device, port, device, port]."""

    @property
    def folder(self) -> pathlib.Path:
        """Folder of everything the lab writes."""
        return labs_folder() / self.name

    @property
    def memory(self) -> pathlib.Path:
        """Folder in memory, for what needs a short path or an overlay; gone with the lab."""
        return pathlib.Path(f"/dev/shm/{PREFIX}{self.name}")

    @property
    def management(self) -> str:
        """Name of the management network namespace."""
        return f"{PREFIX}{self.name}-mgmt"

    @property
    def panel(self) -> str:
        """Name of the network namespace in which the cables meet."""
        return f"{PREFIX}{self.name}-cables"

    def container(self, device: str) -> str:
        """Name of a device's container."""
        return f"{PREFIX}{self.name}-{device}"

    def device_folder(self, device: str) -> pathlib.Path:
        """Folder of what the lab keeps for a device."""
        return self.folder / "devices" / device

    def address(self, device: str) -> str:
        """Return the management address of a device."""
        index = FIRST_ADDRESS + self.cabling.names().index(device)
        return f"198.18.{index >> 8}.{index & 255}"

    def netdev(self, end: cables.End) -> str:
        """Return the name a port has on its device: hosts may start with factory names."""
        if self.host_names == "factory":
            for nic in self.cabling.device(end.device).nics:
                if nic.port == end.port:
                    return nic.netdev
        return end.port

    def links(self) -> list[tuple[cables.End, cables.End]]:
        """Return the cables as they are now; the index is the cable's number."""
        return [(cables.End(a, b), cables.End(c, d)) for a, b, c, d in self.wiring]

    def save(self) -> None:
        """Write state.json, whole or not at all."""
        self.folder.mkdir(parents=True, exist_ok=True)
        known = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        del known["cabling"]
        text = json.dumps({"schema": SCHEMA, **known}, indent=1)
        partial = self.folder / "state.json.new"
        partial.write_text(text + "\n", encoding="utf-8")
        partial.replace(self.folder / "state.json")


def check_name(name: str) -> str:
    """Return `name` when it can name a lab, else raise LabError."""
    if not LAB_NAME.fullmatch(name):
        raise LabError(
            f"lab name {name!r} must be 1-20 lower-case letters, digits or inner hyphens"
        )
    return name


def find(name: str) -> Lab | None:
    """Return the lab called `name`, or None when it is unknown or its state unreadable."""
    path = labs_folder() / check_name(name) / "state.json"
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(kept, dict) or kept.pop("schema", None) != SCHEMA:
        return None
    return Lab(cabling=cables.parse(kept["document"], where=str(path)), **kept)


@contextlib.contextmanager
def changing(name: str) -> Iterator[Lab]:
    """Give the lab to one command at a time, and save it when that has ended well."""
    folder = load(name).folder
    with (folder / "lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        lab = load(name)
        yield lab
        lab.save()


def load(name: str) -> Lab:
    """Return the lab called `name`, or raise LabError."""
    lab = find(name)
    if lab is None:
        known = sorted(path.parent.name for path in labs_folder().glob("*/state.json"))
        raise LabError(f"there is no lab {name!r}; up are: {cables.listing(known)}")
    return lab
