# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a plan was: from an earlier description, or by the files that playbook plan wrote of it.

    was = find("../before/model/fabric.yml", new)      computed again
    was = find("plan", new)                            read from slices/, else from the two CSVs

Either way the devices come one after the other, so memory follows their number and not that of
the cables. The slices have a device's place; the CSVs only its name, which is looked up in the new
plan, or by its management address where it has been renamed.
"""

from __future__ import annotations

import csv
import functools
import itertools
import json
import os
import typing as t

from .addressing import codec
from .model.errors import FabricError, NotInFabric, unreadable
from .places import TIER
from .report import pools
from .slices import SCHEMA, of_device
from .topology.cabling import UP, Device, Node, Switch

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from .fabric import Fabric
    from .slices import AnySlice, Nic, SwitchPort

VALUES = ("asn", "loopback", "vtep", "management")
_ANEW = "name a folder that playbook plan wrote completely, or remove this one"


class Link(t.NamedTuple):
    """A cable as its lower end sees it; addresses with their length, None where there is none."""

    peer: str
    peer_port: str
    own: str | None
    other: str | None


class Was(t.NamedTuple):
    """One device of a plan; `device` is None when the new plan has no such place or name."""

    device: Device | None
    fabric: str | None
    name: str
    values: t.Mapping[str, object]
    links: dict[str, Link]


class Earlier(t.Protocol):
    """A plan to compare with."""

    def devices(self) -> Iterator[Was]:
        """Every device that was built, once."""

    def device(self, name: str) -> Device | None:
        """The place of a name of that plan."""

    def pools(self) -> dict[str, str]:
        """The blocks of that plan by name; empty where they are not known."""


def find(path: str, new: Fabric) -> Earlier:
    """The earlier plan at a path: a description, the folder of one, or a folder of exports."""
    described = os.path.join(path, "model", "fabric.yml")
    if not os.path.exists(path):
        raise FabricError.of(
            f"earlier plan: {path} does not exist: name a folder that playbook plan wrote, or a description."
        )
    if not os.path.isdir(path):
        return Described(type(new).load(path))
    written = export(path, new)
    if os.path.isfile(described) and written:
        raise FabricError.of(
            f"earlier plan: {path} holds a description and an export: name {described}, or move the "
            "export to a folder of its own."
        )
    if written:
        return written
    if os.path.isfile(described):
        return Described(type(new).load(described))
    raise FabricError.of(
        f"earlier plan: {path} holds neither a description (model/fabric.yml) nor an export (slices, or "
        "links.csv and addresses.csv): name a folder or file that does."
    )


def export(path: str, new: Fabric) -> Earlier | None:
    """The plan that playbook plan wrote to a folder; None where the folder holds none."""
    slices = os.path.join(path, "slices")
    if os.path.isdir(slices):
        return Sliced(slices)
    lists = [os.path.join(path, name) for name in ("links.csv", "addresses.csv")]
    return Listed(path, new) if all(map(os.path.isfile, lists)) else None


def of_fabric(fabric: Fabric, device: Device) -> Was:
    """A device as a plan computes it."""
    return _of_slice(of_device(fabric, device, kinds=(UP,)), device)


class Described:
    """A plan from its description."""

    def __init__(self, fabric: Fabric) -> None:
        self._fabric = fabric

    def devices(self) -> Iterator[Was]:
        return (of_fabric(self._fabric, device) for device in self._fabric.devices())

    def device(self, name: str) -> Device | None:
        return self._fabric.device(name)

    def pools(self) -> dict[str, str]:
        return pools(self._fabric)


class Sliced:
    """A plan from its slices, one JSON file for each device."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def devices(self) -> Iterator[Was]:
        found = False
        for folder, folders, names in os.walk(self._folder):
            folders.sort()
            for name in sorted(names):
                if name.endswith(".json"):
                    found = True
                    yield _read_slice(os.path.join(folder, name))
        if not found:
            raise FabricError.of(f"earlier plan: {self._folder} holds no slice: {_ANEW}.")

    def device(self, name: str) -> Device | None:
        return self._places.get(name)

    @functools.cached_property
    def _places(self) -> dict[str, Device]:
        """Read only when a name differs, which costs a second pass."""
        return {was.name: was.device for was in self.devices() if was.device is not None}

    def pools(self) -> dict[str, str]:
        return {}


class Listed:
    """A plan from links.csv and addresses.csv, which have no ASNs."""

    def __init__(self, folder: str, new: Fabric) -> None:
        self._links = os.path.join(folder, "links.csv")
        self._addresses = os.path.join(folder, "addresses.csv")
        self._new = new

    def devices(self) -> Iterator[Was]:
        without = dict(self._values)
        cables = self._cables()
        for name, rows in itertools.groupby(cables, key=lambda row: row["a_device"]):
            links = {row["a_port"]: self._link(row) for row in rows}
            yield Was(self.device(name), None, name, without.pop(name, {}), links)
        for name, values in without.items():
            yield Was(self.device(name), None, name, values, {})

    def device(self, name: str) -> Device | None:
        known = self._new.device(name)
        if known is not None or name not in self._values:
            return known
        address = self._values[name].get("management", "").partition("/")[0]
        try:
            return self._new.addresses.find(*codec.number(address))[0].device
        except (FabricError, NotInFabric):
            return None

    def pools(self) -> dict[str, str]:
        return {}

    @functools.cached_property
    def _values(self) -> dict[str, dict[str, str]]:
        """The addresses of devices, without those of links."""
        made: dict[str, dict[str, str]] = {}
        for row in _table(self._addresses, ("address", "length", "kind", "device")):
            if row["kind"] in VALUES:
                length = f"/{row['length']}" if row["kind"] == "management" else ""
                made.setdefault(row["device"], {})[row["kind"]] = row["address"] + length
        return made

    def _cables(self) -> Iterator[dict[str, str]]:
        columns = ("a_device", "a_port", "a_address", "b_device", "b_port", "b_address")
        return _table(self._links, columns)

    def _link(self, row: dict[str, str]) -> Link:
        ends = row["a_address"] or None, row["b_address"] or None
        return Link(row["b_device"], row["b_port"], *ends)


def _table(path: str, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The rows of a CSV that has these columns, none of them short."""
    try:
        with open(path, encoding="utf-8", newline="") as handle:
            for number, row in enumerate(csv.DictReader(handle), start=2):
                if any(row.get(column) is None for column in columns):
                    raise FabricError.of(
                        f"earlier plan: {path} line {number} does not have the columns "
                        f"{', '.join(columns)}: {_ANEW}."
                    )
                yield row
    except (OSError, UnicodeDecodeError, csv.Error) as exc:
        raise FabricError.of(
            f"earlier plan: {path} cannot be read ({unreadable(exc)}): {_ANEW}."
        ) from exc


def _read_slice(path: str) -> Was:
    try:
        with open(path, encoding="utf-8") as handle:
            row: AnySlice = json.load(handle)
        if row["schema"] != SCHEMA:
            raise FabricError.of(
                f"earlier plan: {path} has schema {row['schema']} and this collection writes {SCHEMA}: "
                "compare with the earlier description (spx_against), or remove this folder."
            )
        return _of_slice(row, _device_of(row))
    except (OSError, UnicodeDecodeError) as exc:
        raise FabricError.of(
            f"earlier plan: {path} cannot be read ({unreadable(exc)}): {_ANEW}."
        ) from exc
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as exc:
        raise FabricError.of(
            f"earlier plan: {path} is not the slice of a device: {_ANEW}."
        ) from exc


def _device_of(row: AnySlice) -> Device:
    """The place in a slice; ValueError when it has none."""
    role = row["role"]
    if role not in TIER:
        raise ValueError(role)
    keys = {"node": ("pod", "su", "slot"), "super_spine": ("plane", "group", "index")}
    stated: t.Mapping[str, t.Any] = row
    numbers = [stated[key] for key in keys.get(role, ("plane", "pod", "index"))]
    if not all(isinstance(number, int) and number >= 0 for number in numbers):
        raise ValueError(numbers)
    return Node(*numbers) if role == "node" else Switch(role, *numbers)


def _of_slice(row: AnySlice, device: Device) -> Was:
    stated: t.Mapping[str, object] = row
    values = {key: stated[key] for key in VALUES if key in stated}
    links = {
        port["port"]: _link_of(port)
        for port in row["ports"]
        if port.get("kind", UP) == UP and port.get("present", True)
    }
    return Was(device, str(row["fabric"]), str(row["name"]), values, links)


def _link_of(port: Nic | SwitchPort) -> Link:
    length = port.get("length")
    own, other = (
        f"{address}/{length}" if address else None
        for address in (port.get("address"), port.get("gateway") or port.get("peer_address"))
    )
    return Link(str(port["peer"]["device"]), str(port["peer"]["port"]), own, other)
