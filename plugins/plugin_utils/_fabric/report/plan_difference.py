# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison of descriptions: changed devices, cables, addresses, ASNs and names.

    changes = against(earlier, new)  rows {what: device|link|address|asn|vni|name, place, before, after}

Rows about equipment that exists in both are *renumbering*; rows about equipment that one of them
lacks are growth or removal. Each cable is listed once, at its lower end.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..description import words
from ..tenants.schema import L3VNI_BASE, SITE_STEP
from .earlier_plan import of_fabric, slugs
from .report import csv_lines, pools

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plan.fabric import Fabric
    from ..plan.topology.cabling import Device
    from .earlier_plan import EarlierDevice, EarlierPlan


class Row(t.TypedDict):
    """A difference; `before` is None of what comes, `after` of what goes."""

    what: str
    place: str
    before: object
    after: object


UNPLUGGED = "no cable"
"""Other end of a port of existing equipment that loses its cable: that is no removal of equipment."""
_TENANT = "tenant"
COLUMNS = ("what", "place", "before", "after")


@dataclasses.dataclass
class Differences:
    """Counts of all rows that passed by, and the rows themselves up to `most`.

    `came` counts the devices that the earlier plan does not have.
    """

    most: int
    renumbered: int = 0
    others: int = 0
    came: int = 0
    _touched: list[Row] = dataclasses.field(default_factory=list)
    _rest: list[Row] = dataclasses.field(default_factory=list)

    def watch(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Pass rows on."""
        for row in rows:
            touches = renumbers(row)
            kept = self._touched if touches else self._rest
            if len(kept) < self.most:
                kept.append(row)
            self.renumbered += touches
            self.others += not touches
            self.came += row["what"] == "device" and row["before"] is None
            yield row

    @property
    def rows(self) -> list[Row]:
        """Renumbering first, at most `most`."""
        return (self._touched + self._rest)[: self.most]


def lines(rows: Iterator[Row]) -> Iterator[str]:
    """The rows as CSV."""
    return csv_lines(",".join(COLUMNS), (tuple(row.values()) for row in rows))


COMMENTED = 50
"""Rows of the comment of a merge request; the CSV has all of them."""


def comment(found: Differences, name: str) -> Iterator[str]:
    """The differences as Markdown, for the comment of a merge request."""
    count = found.renumbered + found.others
    verdict = (
        f"**{words.count(range(found.renumbered), 'value')} of existing equipment would change.**"
        if found.renumbered
        else "Nothing of existing equipment changes."
    )
    yield f"### Plan of {name}\n\n{verdict} Differences in all: {count:,}.\n"
    rows = found.rows[:COMMENTED]
    if rows:
        yield "\n| what | place | before | after |\n|---|---|---|---|\n"
    for row in rows:
        cells = (row["place"], row["before"] or "nothing", row["after"] or "nothing")
        yield f"| {row['what']} | {' | '.join(f'`{cell}`' for cell in cells)} |\n"
    if count > len(rows):
        yield f"\nAnd {count - len(rows):,} more in `plan-changes.csv`.\n"


def against(old: EarlierPlan, new: Fabric) -> Iterator[Row]:
    """Every difference, in the order of the old plan, then what is new."""
    blocks = pools(new)
    for name, prefix in old.pools.items():
        if blocks.get(name, prefix) != prefix:  # what is numbered from it moves along
            yield _row("address", f"block {name}", prefix, blocks[name])
    if old.site not in (None, new.description.site):  # with it those of every tenant
        first = L3VNI_BASE["east-west"]
        before, after = (first + site * SITE_STEP for site in (old.site, new.description.site))
        yield _row("vni", "first L3VNI", before, after)
    yield from _tenants(old.tenants, slugs(new) if old.tenants else {})
    seen: set[Device] = set()
    named = False
    for was in old.devices():
        if was.fabric not in (None, new.description.name) and not named:
            named = True
            yield _row("name", "fabric", was.fabric, new.description.name)
        place = was.device
        if place is None or not (new.addresses.holds(place) and new.present(place)):
            yield _row("device", was.name, "built", None)
            continue
        seen.add(place)
        yield from _device(old, new, was, of_fabric(new, place))
    for device in new.devices():
        if device not in seen:
            yield _row("device", new.name(device), None, "built")


def _tenants(old: t.Mapping[int, str], new: t.Mapping[int, str]) -> Iterator[Row]:
    """Tenants whose id is another, or whose id another has: VRF, VNIs and route targets follow the two."""
    ids = {slug: number for number, slug in new.items()}
    for number, slug in old.items():
        if ids.get(slug, number) != number:
            yield _row("vni", f"{_TENANT} {slug}: id", number, ids[slug])
        elif new.get(number, slug) != slug:
            yield _row("name", f"{_TENANT} {number}", slug, new[number])


def of_tenants(row: Row) -> bool:
    """Check whether a row is of the registry, and not of the description."""
    return row["place"].startswith(f"{_TENANT} ")


def renumbers(row: Row) -> bool:
    """Check whether a row touches equipment that exists in both; only devices and links come and go."""
    both = row["before"] is not None and row["after"] is not None
    return both or row["what"] not in ("device", "link")


def _device(
    old: EarlierPlan, new: Fabric, was: EarlierDevice, will: EarlierDevice
) -> Iterator[Row]:
    if was.name != will.name:
        yield _row("name", was.name, was.name, will.name)
    for key, before in was.values.items():
        if before != will.values.get(key):
            what = "asn" if key == "asn" else "address"
            yield _row(what, f"{was.name} {key}", before, will.values.get(key))
    yield from _links(old, new, was, will)


def _links(old: EarlierPlan, new: Fabric, was: EarlierDevice, will: EarlierDevice) -> Iterator[Row]:
    for port, before in was.links.items():
        place, after = f"{was.name}:{port}", will.links.get(port)
        end = f"{before.peer}:{before.peer_port}"
        if after is None:
            yield _row("link", place, end, UNPLUGGED)
            continue
        if before[:2] != after[:2] and not _same_end(old, new, before[:2], after[:2]):
            yield _row("link", place, end, f"{after.peer}:{after.peer_port}")
        ends = (place, before.own, after.own), (end, before.other, after.other)
        for where, one, two in ends:
            if one != two:
                yield _row("address", where, one, two)
    for port, link in will.links.items():
        if port not in was.links:
            yield _row("link", f"{will.name}:{port}", None, f"{link.peer}:{link.peer_port}")


def _same_end(
    old: EarlierPlan, new: Fabric, before: tuple[str, str], after: tuple[str, str]
) -> bool:
    """Check whether two ends are one port of one device, which has only got another name."""
    place = old.device(before[0])
    return before[1] == after[1] and place is not None and place == new.device(after[0])


def _row(what: str, place: str, before: object, after: object) -> Row:
    return {"what": what, "place": place, "before": before, "after": after}
