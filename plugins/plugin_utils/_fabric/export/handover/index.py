# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The first page: what the fabric is, where everything is, how to read it, and the bill of materials."""

from __future__ import annotations

import itertools
import typing as t

from ...._pages import html
from ...._pages.html import Html, element
from ...catalog.data import table
from ...plan.slices import model_of, speed_of
from ...plan.topology.cabling import DOWN, Node, Port, Switch
from ...plan.topology.converged import CONVERGED_SPINE, CORE
from ...report.report import pools, sizes
from . import bill, labels, racks, remarks

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...plan.topology.cabling import Device
    from .cables import Cables
    from .sheets import Sheet

_BILL = (("What", ""), ("Part", ""), ("Where", ""), ("Length (m)", "number"), ("Count", "number"))
_POOLS = {
    "vtep": "VTEP",
    "dpu": "DPU",
    "host_oob": "management of hosts",
    "switch_oob": "management of switches",
}
FILES = (
    ("cables.csv", "every cable once, with both ends, length, label and bundle"),
    ("labels.csv", "every label once, for a label printer"),
    ("bill-of-materials.csv", "parts with their numbers"),
)


def page(
    cables: Cables,
    items: Iterable[bill.Item],
    *,
    sheets: Iterable[Sheet],
    devices: Iterable[tuple[str, str]],
) -> Iterator[str]:
    """The page; `devices` are (file, title) of the pages of devices."""
    name, own = cables.fabric.description.name, list(sheets)
    nodes = (one for sheet in own for rack in sheet.racks.values() for one in rack.devices)
    body = (
        *(*_fabric(cables), *_where(own, devices), *_reading(cables)),
        *(element("p", sentence) for sentence in mixed(cables, nodes)),
        *("</section>\n", *_bill(cables, items)),
    )
    return html.page(f"{name}: hand-over", body)


def _fabric(cables: Cables) -> Iterator[str]:
    d, c = cables.fabric.description, cables.fabric.clos
    yield "<section>"
    yield element("h1", f"Fabric {d.name}") + "\n"
    yield element("p", f"{', '.join(sizes(cables.fabric))}.")
    tiers = "leaf and spine" if c.tiers == 2 else "leaf, spine and super-spine"
    yield html.facts(
        (
            ("Reference architecture", d.release.ra),
            ("Switches", f"{d.switches.model}, Cumulus Linux {d.release.cumulus}"),
            ("NICs", f"{' or '.join(d.nics.models)}, {c.rails} of a node"),
            ("Tiers", tiers),
            ("Planes", f"{c.planes}{', one for each rail' if c.by_rail else ''}"),
            (
                "Speeds",
                f"{d.switches.host_speed} to hosts, {d.switches.fabric_speed} between switches",
            ),
            *_networks(cables),
            ("Address profile", d.addressing.profile),
            *(
                (f"Addresses, {_POOLS.get(key, key.replace('_', ' '))}", prefix)
                for key, prefix in pools(cables.fabric).items()
            ),
        )
    )


def _networks(cables: Cables) -> Iterator[tuple[str, str]]:
    """The other networks, where there are some."""
    counts = cables.fabric.others
    if not counts.leaves:
        return
    first = Switch(CONVERGED_SPINE if counts.spines else CORE, 0, 0, 0)
    speed = speed_of(cables.fabric, first, Port(DOWN, 0))
    yield "Converged fabric", f"{model_of(cables.fabric, first)}, {speed} between switches"


def _where(sheets: Iterable[Sheet], devices: Iterable[tuple[str, str]]) -> Iterator[str]:
    yield element("h3", "Tables")
    yield from (
        "<ul>",
        *(_item(html.link(name, name), f": {what}") for name, what in FILES),
        "</ul>",
    )
    yield element("h3", "Racks: their devices, and every plug")
    yield "<ul>"
    for sheet in sheets:
        target = f"racks/{sheet.file}.html"
        named = [rack for rack in sheet.racks if rack]
        inside = ", ".join(html.link(target, rack, anchor=racks.anchor(rack)) for rack in named)
        yield _item(html.link(target, sheet.title), Html(f": {inside}") if inside else "")
    yield "</ul>"
    yield element("h3", "Devices: addresses, and the far end of each port")
    yield "<ul>"
    yield from (_item(html.link(f"devices/{file}.html", title), "") for file, title in devices)
    yield "</ul></section>\n"


def _item(name: object, rest: object) -> Html:
    return element("li", Html(html.text(name) + html.text(rest))) + "\n"  # type: ignore[return-value]


def _reading(cables: Cables) -> Iterator[str]:
    yield "<section>" + html.heading("How to read it", "")
    yield element("h3", "Cables and labels")
    yield element("p", _ON_CABLES)
    yield element("p", _ON_LABELS)
    yield element("h3", "Lengths")
    yield element("p", _ON_LENGTHS)
    terms = table("cabling")["floor"]
    stated = cables.fabric.description.cabling
    head = (("Term", ""), ("Metres or units", "number"), ("Meaning", ""), ("From", ""))
    yield from html.table(
        head,
        (
            (
                f"cabling.{key}",
                labels.metres(cables.floor.terms[key]),
                term["words"],
                _source(stated, key),
            )
            for key, term in terms.items()
        ),
    )
    yield from (element("p", sentence) for sentence in unknown(cables))


def _source(stated: object, key: str) -> str:
    return "our assumption" if getattr(stated, key) is None else "the description"


_ON_CABLES = (
    "A breakout cable is one cable: its head fills a cage of a switch, and each leg has a far end of its own. Fibre "
    "is counted by cables with two ends; two of them leave a twin-port transceiver. Cages and legs are counted from "
    "1. Names of ports are those of the switch, where swp5s0 is the first leg of cage 5."
)
_ON_LABELS = (
    "A label has one line for the cable, one for the end that it is at, and one for each other end. No line is longer "
    f"than {labels.MOST_CHARACTERS} characters; a name that is too long gives way to the code of its device, which the "
    "pages of racks show. The name of a cable follows from the places of its ends. Building more changes none."
)
_ON_LENGTHS = (
    "Within a rack, a cable is as long as the units between its ends. Between racks it goes from each end up to the "
    "tray, along the row and across the rows. Spare length at both ends comes on top. The length to order is the next "
    "that is made. Rows are parallel, in the order of racks.csv, and position 1 is the same end of every row."
)


def unknown(cables: Cables) -> Iterator[str]:
    """Yield the gaps in lengths and parts: each one once, for all cables that lack it."""
    d, data = cables.fabric.description, table("cabling")
    if not d.cabling.racks:
        yield "No length between racks is given: cabling.racks does not name a racks.csv."
    yield from remarks.doubts(cables.fabric)
    if d.switches.model not in data["models"]:
        yield f"No public source says which cables fit {d.switches.model}: all are to be chosen."
    else:
        for model in d.nics.models:
            if not cables.nic(model)["plug"]:
                yield f"No public source says which cables fit {model}: those of hosts are to be chosen."
    if cables.fabric.description.networks:
        yield (
            "Cables from the converged fabric to nodes, arrays and the outside are to be chosen: the plan "
            "does not know the plugs there."
        )


def mixed(cables: Cables, devices: Iterable[Device]) -> Iterator[str]:
    """Report nodes with cables of several media: one sentence, with the first of them."""
    found: dict[str, list[str]] = {}
    for node in devices:
        if isinstance(node, Node):
            own = (cable for cable, _plug in cables.at(node) if cable.medium)
            media = list(dict.fromkeys(labels.medium(cable) for cable in own))
            if len(media) > 1:
                found[cables.fabric.name(node)] = media
    for name, media in itertools.islice(found.items(), 1):
        have = "1 node has" if len(found) == 1 else f"{len(found):,} nodes have"
        yield (
            f"{have} cables of several media, such as {name} with {' and '.join(media)}: "
            "the ways to its leaves differ. cabling.host states one medium for all nodes."
        )


def _bill(cables: Cables, items: Iterable[bill.Item]) -> Iterator[str]:
    yield "<section>" + html.heading(
        "Bill of materials", f"fabric {cables.fabric.description.name}"
    )
    yield element("p", "Built equipment, counted from the cables. No spares are in it.")
    yield from html.table(
        _BILL,
        (
            (item.what, item.part, item.where, labels.metres(item.length), f"{item.amount:,}")
            for item in items
        ),
    )
    yield element(
        "p",
        "Parts are classes, not order numbers. Sources on docs.nvidia.com/networking/display:",
        "quiet",
    )
    rows_of = [
        table("cabling")["sources"]["models"],
        *(m["source"] for m in table("cabling")["media"].values()),
    ]
    yield from ("<ul>", *(element("li", row, "quiet") for row in rows_of), "</ul></section>\n")
