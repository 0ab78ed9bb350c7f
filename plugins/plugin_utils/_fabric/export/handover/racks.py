# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a row or a part of the plan: each rack from the front, its devices, and every plug in it."""

from __future__ import annotations

import collections
import typing as t

from ...._pages import html
from ...._pages.html import Html, element
from ...plan.topology.converged_cabling import FarEnd
from . import elevation, labels, sheets

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...plan.topology.cabling import Device
    from .cables import Cable, Cables, Far, Plug

    Inside = dict[Device, list[tuple[Cable, Plug]]]
    """The devices of a rack, from the top down, each with its cables and what is plugged into it."""

_PLUGS = (
    ("", "tick"),
    ("Label: cable", "mono"),
    ("this end", "mono"),
    ("to", "mono"),
    ("Rack, unit", ""),
    ("Part", ""),
    ("Length (m)", "number"),
)
_DEVICES = (("Unit", ""), ("Device", ""), ("Role", ""), ("Serial", ""), ("Cables", "number"))


def page(cables: Cables, sheet: sheets.Sheet) -> Iterator[str]:
    """The page of a sheet."""
    name = cables.fabric.description.name
    top = f"{html.link('../index.html', name)} / {html.text(sheet.title)}"
    racks = sorted(sheet.racks.values(), key=lambda rack: not rack.name)
    body = (chunk for rack in racks for chunk in _rack(cables, sheet, rack))
    return html.page(f"{name}: {sheet.title}", body, top=top)


def anchor(rack: str) -> str:
    """The id of a rack on its page."""
    return f"rack-{rack}"


def _rack(cables: Cables, sheet: sheets.Sheet, rack: sheets.Rack) -> Iterator[str]:
    devices = sorted(rack.devices, key=lambda device: -cables.floor.spot(device).unit)
    inside = {device: list(cables.at(device)) for device in devices}
    found = {cable.id: cable for own in inside.values() for cable, _plug in own}
    title = f"Rack {rack.name}" if rack.name else f"{sheet.title}, rack not stated"
    yield "<section>"
    yield html.heading(
        title,
        f"{_position(cables, rack.name)}{len(found):,} cables; fabric {cables.fabric.description.name}",
        anchor=anchor(rack.name),
    )
    yield '<div class="rack">'
    yield from _front(cables, rack, inside)
    yield from _bundles(cables, found.values())
    yield "</div></div>\n"
    if found:
        above = f"{title}: cables, plug by plug"
        yield from html.table(_PLUGS, _plugs(cables, inside), above=above)
    yield "</section>\n"


def _position(cables: Cables, rack: str) -> str:
    found = cables.floor.racks.get(rack)
    return f"row {found.row}, position {found.position}; " if found else ""


def _front(cables: Cables, rack: sheets.Rack, inside: Inside) -> Iterator[str]:
    """The picture, and beside it the table of devices and what is to be said of them."""
    boxes = [_box(cables, device) for device in inside if cables.floor.spot(device).unit]
    units = cables.floor.units(rack.name)
    if rack.name and (boxes or rack.name in cables.floor.racks):
        yield elevation.draw(rack.name, units, boxes)
    yield "<div>"
    if inside:
        yield from html.table(_DEVICES, (_device(cables, *pair) for pair in inside.items()))
    else:
        yield element("p", "The plan has no device in this rack.", "quiet")
    for sentence in (*elevation.overlaps(boxes, units), *_notes(rack, inside, boxes)):
        yield element("p", sentence, "quiet")


def _notes(rack: sheets.Rack, inside: Inside, boxes: list[elevation.Box]) -> Iterator[str]:
    if not rack.name and inside:
        yield "No rack is stated for these devices: give it in the column rack of devices.csv."
    elif inside and not boxes:
        yield "No unit is stated, so there is no picture: give units in the column unit of devices.csv."
    elif len(boxes) < len(inside):
        yield "Devices without a unit have none in the column unit of devices.csv, and are not in the picture."
    if any(not box.height for box in boxes):
        yield (
            "A dashed box has the lowest unit of a device whose height is not stated (cabling.switch_units, "
            "cabling.node_units): units above it may be taken."
        )


def _box(cables: Cables, device: Device) -> elevation.Box:
    row = cables.fabric.rows.get(device)
    return elevation.Box(
        cables.fabric.name(device),
        labels.role(device),
        row.serial if row else "",
        cables.floor.spot(device).unit,
        cables.floor.height(device),
    )


def _device(cables: Cables, device: Device, own: list[tuple[Cable, Plug]]) -> tuple[object, ...]:
    row, unit = cables.fabric.rows.get(device), cables.floor.spot(device).unit
    name = cables.fabric.name(device)
    file, _title = sheets.part(cables, device)
    linked = html.link(f"../devices/{file}.html", name, anchor=name)
    count = len({cable.id for cable, _plug in own})
    return unit or "-", linked, labels.role(device), row.serial if row else "", count


def _bundles(cables: Cables, found: Iterable[Cable]) -> Iterator[str]:
    """List the bundles of cables that are pulled together, with their lengths."""
    bundles: dict[str, collections.Counter[str]] = {}
    for cable in found:
        length = labels.metres(labels.length(cable))
        bundles.setdefault(labels.bundle(cables, cable), collections.Counter())[length] += 1
    if bundles:
        yield element("h3", "Bundles")
        head = (("From and to", ""), ("Cables", "number"), ("Lengths", "number"))
        rows = ((name, sum(own.values()), _lengths(own)) for name, own in bundles.items())
        yield from html.table(head, rows)


def _lengths(found: collections.Counter[str]) -> str:
    return ", ".join(f"{count} of {length} m" for length, count in found.items() if length)


def _plugs(cables: Cables, inside: Inside) -> Iterator[tuple[object, ...] | Html]:
    for device, own in inside.items():
        spot = cables.floor.spot(device)
        unit = f"Unit {spot.unit}: " if spot.unit else ""
        quiet = element("span", f", {labels.role(device)}, code {cables.code(device)}", "quiet")
        if own:
            yield html.span(
                Html(f"{unit}{html.text(cables.fabric.name(device))}{quiet}"), len(_PLUGS)
            )
        for cable, plug in own:
            yield _plug(cables, cable, plug)


def _plug(cables: Cables, cable: Cable, plug: Plug) -> tuple[object, ...]:
    label = labels.label(cables, cable, plug)
    others = [cable.head] if plug is not cable.head else [end for end in cable.ends if end.built]
    remarks = html.lines(labels.remarks(cables, cable), "where")
    here = labels.transceiver(cables, cable, plug)
    ends = html.lines([f"this end: {here}"] if here else [], "where")
    part = Html(html.text(labels.parts(cables, cable).cable) + ends + remarks)
    length = labels.metres(labels.length(cable))
    places = html.lines(_place(cables, other.device) for other in others)
    return "", label.cable, label.here, html.lines(label.there), places, part, length


def _place(cables: Cables, device: Far) -> str:
    if isinstance(device, FarEnd):
        return "outside of the plan"
    spot = cables.floor.spot(device)
    if not spot.rack:
        return "not stated"
    return f"{spot.rack}, {spot.unit}" if spot.unit else spot.rack
