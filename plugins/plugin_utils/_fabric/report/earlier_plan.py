# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Earlier plan: from an earlier description, or from the files that playbook plan wrote of it.

    was = find("../before/model/fabric.yml", new)      computed again
    was = find("plan", new)                            read from slices/, else from the two CSVs

Either way the devices come one after the other, so memory follows their number and not that of
the cables. The slices have a device's place; the CSVs only its name, which is looked up in the new
plan, or by its management address where it has been renamed.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
import typing as t

from ....module_utils import _json
from ..catalog.roles import ROLES
from ..description import tables
from ..description.errors import FabricError, NotInFabric, unreadable
from ..plan.addressing import codec
from ..plan.slices import SCHEMA, of_device
from ..plan.topology.cabling import UP, Device, Node, Switch
from ..plan.topology.converged import OUTSIDE
from ..tenants.registry import Registry
from .report import pools

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..plan.fabric import Fabric
    from ..plan.slices import AnySlice, ConvergedPort, NetNic, Nic, SwitchPort

    AnyPort = t.Union[Nic, NetNic, SwitchPort, ConvergedPort]

VALUES = ("asn", "loopback", "vtep", "management")
_LOWER = (UP, *OUTSIDE)
"""Ports whose cable is listed at their switch: those that lead up, and those to the outside."""
_ANEW = "name a folder that playbook plan wrote completely, or remove this one"


class Link(t.NamedTuple):
    """A cable as its lower end sees it; addresses with their length, None where there is none."""

    peer: str
    peer_port: str
    own: str | None
    other: str | None


class EarlierDevice(t.NamedTuple):
    """One device of a plan; `device` is None when the new plan has no such place or name."""

    device: Device | None
    fabric: str | None
    name: str
    values: t.Mapping[str, object]
    links: dict[str, Link]


@dataclasses.dataclass(frozen=True)
class EarlierPlan:
    """A plan to compare with.

    `devices` gives every device that was built, once, and `device` the place of a name of that plan.
    `pools` are its blocks by name; empty where they are not known. So is `site` None, where the ASNs show it.
    """

    devices: Callable[[], Iterator[EarlierDevice]]
    device: Callable[[str], Device | None]
    pools: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    site: int | None = None
    tenants: t.Mapping[int, str] = dataclasses.field(default_factory=dict)
    """Slugs by id, of which their VRFs and VNIs follow; empty where only devices are known."""


def find(path: str, new: Fabric) -> EarlierPlan:
    """The earlier plan at a path: a description, the folder of one, or a folder of exports."""
    described = os.path.join(path, "model", "fabric.yml")
    if not os.path.exists(path):
        raise FabricError.of(
            f"earlier plan: {path} does not exist: name a folder that playbook plan wrote, or a description."
        )
    if not os.path.isdir(path):
        return _described(path, new)
    found, stated = export(path, new), os.path.isfile(described)
    if found and stated:
        raise FabricError.of(
            f"earlier plan: {path} holds a description and an export: name {described}, or move the "
            "export to a folder of its own."
        )
    if stated:
        found = _described(described, new)
    if found:
        return found
    raise FabricError.of(
        f"earlier plan: {path} holds neither a description (model/fabric.yml) nor an export (slices, or "
        "links.csv and addresses.csv): name a folder or file that does."
    )


def _described(path: str, new: Fabric) -> EarlierPlan:
    """The plan of a description, with the tenants of the registry beside it."""
    fabric = type(new).load(path)
    return dataclasses.replace(computed(fabric), tenants=slugs(fabric))


def slugs(fabric: Fabric) -> dict[int, str]:
    """The slug of each tenant by its id."""
    return {tenant.id: tenant.slug for tenant in Registry.load(fabric).file.tenants}


def export(path: str, new: Fabric) -> EarlierPlan | None:
    """The plan that playbook plan wrote to a folder; None where the folder holds none."""
    slices = os.path.join(path, "slices")
    if os.path.isdir(slices):
        return _sliced(slices)
    links, addresses = (os.path.join(path, name) for name in ("links.csv", "addresses.csv"))
    found = os.path.isfile(links) and os.path.isfile(addresses)
    return _listed(links, addresses, new) if found else None


def of_fabric(fabric: Fabric, device: Device) -> EarlierDevice:
    """A device as a plan computes it."""
    return _of_slice(of_device(fabric, device, kinds=_LOWER), device)


def computed(fabric: Fabric) -> EarlierPlan:
    """A plan from its description."""

    def devices() -> Iterator[EarlierDevice]:
        return (of_fabric(fabric, device) for device in fabric.devices())

    return EarlierPlan(devices, fabric.device, pools(fabric), fabric.description.site)


def _sliced(folder: str) -> EarlierPlan:
    """A plan from its slices, one JSON file for each device.

    For the places of names they are read again: only where a name differs.
    """

    def devices() -> Iterator[EarlierDevice]:
        paths = (
            os.path.join(at, name) for at, _folders, names in os.walk(folder) for name in names
        )
        found = sorted(path for path in paths if path.endswith(".json"))
        if not found:
            raise FabricError.of(f"earlier plan: {folder} holds no slice: {_ANEW}.")
        return map(_read_slice, found)

    places = functools.cache(lambda: {was.name: was.device for was in devices()})
    return EarlierPlan(devices, lambda name: places().get(name))


def _listed(links: str, addresses: str, new: Fabric) -> EarlierPlan:
    """A plan from links.csv and addresses.csv, which have no ASNs."""
    values: dict[str, dict[str, str]] = {}
    for row in _table(addresses, ("address", "length", "kind", "device")):
        if row["kind"] in VALUES:
            length = f"/{row['length']}" if row["kind"] == "management" else ""
            values.setdefault(row["device"], {})[row["kind"]] = row["address"] + length

    def device(name: str) -> Device | None:
        known = new.device(name)
        if known is not None or name not in values:
            return known
        address = values[name].get("management", "").partition("/")[0]
        try:
            return new.addresses.find(*codec.number(address))[0].device
        except (FabricError, NotInFabric):
            return None

    def devices() -> Iterator[EarlierDevice]:
        left = dict(values)
        columns = ("a_device", "a_port", "a_address", "b_device", "b_port", "b_address")
        cables = _table(links, columns)
        for name, rows in itertools.groupby(cables, key=lambda row: row["a_device"]):
            ends = {row["a_port"]: _listed_link(row) for row in rows}
            yield EarlierDevice(device(name), None, name, left.pop(name, {}), ends)
        for name, own in left.items():
            yield EarlierDevice(device(name), None, name, own, {})

    return EarlierPlan(devices, device)


def _listed_link(row: dict[str, str]) -> Link:
    ends = row["a_address"] or None, row["b_address"] or None
    return Link(row["b_device"], row["b_port"], *ends)


def _table(path: str, columns: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """The rows of a CSV that has these columns, none of them short."""
    form = tables.Form("earlier plan", columns, columns, open=True, whole=True, remedy=_ANEW)
    table = tables.read(path, form)
    for row in table.rows:
        if table.wrong:
            raise FabricError(table.wrong)
        yield row.cells


def _read_slice(path: str) -> EarlierDevice:
    try:
        with open(path, "rb") as handle:
            row: AnySlice = _json.parse(handle.read())
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
    except (ValueError, LookupError, TypeError, AttributeError) as exc:
        raise FabricError.of(
            f"earlier plan: {path} is not the slice of a device: {_ANEW}."
        ) from exc


def _device_of(row: AnySlice) -> Device:
    """The place in a slice; ValueError when it has none."""
    role = row["role"]
    if role not in ROLES:
        raise ValueError(role)
    stated: t.Mapping[str, t.Any] = row
    numbers = [stated[key] for key in ROLES[role].place]
    if not all(isinstance(number, int) and number >= 0 for number in numbers):
        raise ValueError(numbers)
    if ROLES[role].converged:
        return Switch(role, 0, *(numbers if ROLES[role].pairs else (0, *numbers)))
    return Node(*numbers) if role == "node" else Switch(role, *numbers)


def _of_slice(row: AnySlice, device: Device) -> EarlierDevice:
    stated: t.Mapping[str, object] = row
    values = {key: stated[key] for key in VALUES if key in stated}
    below = t.cast("list[AnyPort]", [*row["ports"], *stated.get("networks", ())])  # type: ignore[misc]
    links = {
        port["port"]: _link_of(port)
        for port in below
        if port.get("kind", UP) in _LOWER and port.get("present", True)
    }
    return EarlierDevice(device, str(row["fabric"]), str(row["name"]), values, links)


def _link_of(port: AnyPort) -> Link:
    length = port.get("length")
    own, other = (
        f"{address}/{length}" if address else None
        for address in (port.get("address"), port.get("gateway") or port.get("peer_address"))
    )
    return Link(str(port["peer"]["device"]), str(port["peer"]["port"]), own, other)
