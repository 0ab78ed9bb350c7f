# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Counts that hold a number of nodes, and the best of them.

The forms are those that a person would try: two tiers or three, full SUs or SUs that divide the nodes evenly, and what
`advice` tries beyond them: larger SUs, and rails that share leaves.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..catalog.data import table
from ..description.description import MOST_SLOTS, MOST_SUS, Description
from ..description.errors import Breach
from ..plan.addressing import suggest
from ..plan.topology import rules
from ..plan.topology.clos import Clos, count
from ..report import advice
from .request import NODES_PER_RACK

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EVEN = 4
"""The most SUs that nodes are divided into evenly; more SUs are full ones."""


@dataclasses.dataclass(frozen=True)
class Form:
    """A description without a profile, and its counts; `first_day` is the number of switches that are built first."""

    description: Description
    clos: Clos
    first_day: int

    @property
    def switches(self) -> int:
        """Switches at capacity."""
        return sum(self.clos.switches().values())


def fewest(form: Form) -> tuple[int, ...]:
    """Fewest switches at capacity first; of as many, the one with more room."""
    clos = form.clos
    return form.switches, clos.rails_per_leaf, clos.tiers, clos.pods, -clos.nodes


def first_day(form: Form) -> tuple[int, ...]:
    """Fewest switches on the first day first, then as `fewest`."""
    return form.first_day, *fewest(form)


def best(
    base: Description,
    nodes: int,
    *,
    built: int,
    order: Callable[[Form], tuple[int, ...]],
    wanted: Callable[[Form], bool] = lambda _form: True,
) -> Description | None:
    """The best description that holds `nodes` and has an address profile; None where none does.

    `built` nodes exist on the first day.
    """
    found = {form.description.model_dump_json(): form for form in forms(base, nodes, built=built)}
    for form in sorted(filter(wanted, found.values()), key=order):
        profile = _profile(form)
        if profile:
            addressing = form.description.addressing.model_copy(update={"profile": profile})
            return form.description.model_copy(update={"addressing": addressing})
    return None


def _profile(form: Form) -> str | None:
    """The first address profile of the catalog that fits."""
    found = suggest.suggest(form.description, form.clos)
    return next((name for name, reasons in found.items() if not reasons), None)


def forms(base: Description, nodes: int, *, built: int) -> Iterator[Form]:
    """Every form that holds the nodes and breaks no rule."""
    full = _full(base)
    for slots in _slots(full, nodes):
        for sized in (*_two_tiers(base, nodes, slots), *_three_tiers(base, nodes, slots)):
            for d in (sized, *(made for _words, made in advice.others(sized))):
                form = _form(d, built)
                if form is not None and _regular(form.clos, full):
                    yield form


def _form(d: Description, built: int) -> Form | None:
    clos = count(d)
    if isinstance(clos, Breach) or any(rules.after_counting(d, clos)):
        return None
    return Form(d, clos, sum(switches_of(clos, built).values()))


def _regular(clos: Clos, full: int) -> bool:
    """Check whether many SUs are full, halves or quarters: odd sizes save little and confuse many."""
    usual = clos.slots in (full, full // 2, full // 4)
    return clos.slots <= full and (usual or clos.pods * clos.sus <= EVEN)


def switches_of(clos: Clos, nodes: int) -> dict[str, int]:
    """Switches by role where the first `nodes` slots are built: super-spines are all there from the first day."""
    sus = -(-nodes // clos.slots)
    pods = -(-sus // clos.sus)
    return {
        "leaf": clos.planes * sus * clos.leaves_per_su,
        "spine": clos.planes * pods * clos.spines,
        "super_spine": clos.switches()["super_spine"],
    }


def _slots(full: int, nodes: int) -> list[int]:
    """Sizes of an SU that are tried: the largest, its half and quarter, and even parts of the nodes."""
    even = (_racks(-(-nodes // parts)) for parts in range(1, EVEN + 1))
    sizes = {full, full // 2, full // 4, *even, nodes}
    return sorted(size for size in sizes if 1 <= size <= full)


def _full(base: Description) -> int:
    """The most slots of an SU, in whole racks where it has one, whose leaves carry them 1:1 with one rail each.

    All of them may have tenants of their own, each of which needs a VLAN for its L3VNI on the leaf.
    """
    tenants = int(table("switches")["limits"]["l3vni_vlans"]["value"])
    fits = (
        slots
        for slots in range(min(MOST_SLOTS, tenants), 0, -1)
        if not isinstance(count(_sized(base, slots=slots, sus=1)), Breach)
    )
    most = next(fits, 0)
    return most // NODES_PER_RACK * NODES_PER_RACK or most


def _racks(nodes: int) -> int:
    """Whole racks."""
    return -(-nodes // NODES_PER_RACK) * NODES_PER_RACK


def _two_tiers(base: Description, nodes: int, slots: int) -> Iterator[Description]:
    sus = -(-nodes // slots)
    if sus <= MOST_SUS:
        yield _sized(base, slots=slots, sus=sus)


def _three_tiers(base: Description, nodes: int, slots: int) -> Iterator[Description]:
    """Try as few pods as hold the nodes, and up to twice as many, which may divide them evenly."""
    units = -(-nodes // slots)
    most = _most_sus(base, slots)
    if not most:
        return
    fewest_pods = -(-units // most)
    for pods in range(fewest_pods, min(2 * fewest_pods, rules.MOST_PODS) + 1):
        yield _sized(base, slots=slots, sus=-(-units // pods), pods=pods)


def _most_sus(base: Description, slots: int) -> int:
    """The most SUs of a pod whose spines carry them 1:1; 0 where a single one is too many."""

    def carries(sus: int) -> bool:
        return not isinstance(count(_sized(base, slots=slots, sus=sus, pods=1)), Breach)

    return largest(carries, MOST_SUS)


def _sized(base: Description, *, slots: int, sus: int, pods: int = 0) -> Description:
    """The base with counts; with pods it has three tiers."""
    size = {
        "pods": pods or 1,
        "sus_per_pod": sus,
        "slots_per_su": slots,
        "nodes_per_rack": min(NODES_PER_RACK, slots),
    }
    capacity = base.capacity.model_copy(update=size)
    return base.model_copy(update={"tiers": 3 if pods else 2, "capacity": capacity})


def absent(clos: Clos, nodes: int) -> list[str]:
    """Places that are not built where the first `nodes` slots are, as a description lists them."""
    full, slots = divmod(nodes, clos.slots)
    pods, sus = divmod(full, clos.sus)
    prefix = f"pod{pods + 1:02}/" if clos.pods > 1 else ""
    made = []
    if slots:
        made.append(f"{prefix}su{sus + 1:02}/{_range(slots, clos.slots)}")
    if (sus or slots) and sus + bool(slots) < clos.sus:
        rest = range(sus + bool(slots), clos.sus)
        made += [f"{prefix}su{_range(rest.start, rest.stop)}"]
    begun = pods + bool(sus or slots)
    return [*made, *([f"pod{_range(begun, clos.pods)}"] if begun < clos.pods else [])]


def _range(after: int, last: int) -> str:
    """Numbers behind `after` up to `last`: `05` or `[05-64]`."""
    return f"{last:02}" if after + 1 == last else f"[{after + 1:02}-{last:02}]"


def largest(fits: Callable[[int], bool], most: int) -> int:
    """The largest number up to `most` that fits, where each smaller one does too; 0 where none does."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low
