# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A part of a fabric is compared with what the DCIM has; a cable waits for the device at its other end."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.difference import (
    Create,
    Stale,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.part import Part
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    KINDS,
    Ref,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.comparison import (
    Tally,
    look,
    references,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.index import RunIndex
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.job import WaitingCable
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.push import push
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.scope import (
    chosen,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._jobs.dcim.memory import (
    Memory,
    fabric,
    job,
)

SU = Part(sus=(0,), top=False)


def test_every_kind_that_the_dcim_has_is_read_in_order() -> None:
    dcim = Memory(kinds=tuple(kind for kind in KINDS if kind != "asn"))
    work = job(dcim)
    kinds = [seen.thing.kind for seen in look(work, work.parts[0], RunIndex())]
    assert dcim.reads == list(dcim.kinds)
    assert kinds == sorted(kinds, key=KINDS.index)


def test_cables_to_devices_that_are_not_there_wait() -> None:
    dcim = Memory()
    work = job(dcim, parts=(SU,))
    seen = list(look(work, SU, RunIndex()))
    waits = [each for each in seen if isinstance(each, WaitingCable)]
    made = [each for each in seen if isinstance(each, Create) and each.thing.kind == "cable"]
    assert {each.thing.name.partition(" ")[0] for each in waits} == {
        "leaf-p1-su001-r1",
        "leaf-p1-su001-r2",
    }
    assert {each.thing.name.partition("-")[0] for each in made} == {"worker"}
    done = push(work, dry=False)
    assert f"{len(waits)} cables wait for devices outside of this run" in done.lines[-1]
    push(job(dcim), dry=False)
    assert dcim.count("cable") == 28


def test_cables_to_devices_that_an_earlier_part_makes_do_not_wait() -> None:
    dcim, made = Memory(), fabric("lab-3tier")
    work = job(dcim, made, parts=chosen(made, Registry.load(made)))
    asked = push(work, dry=True).tally
    push(work, dry=False)
    assert asked.of("WaitingCable") == 0
    assert asked.counts["Create", "cable"] == dcim.count("cable")


def test_what_another_su_has_is_not_stale() -> None:
    dcim = Memory()
    push(job(dcim), dry=False)
    found = list(look(job(dcim, parts=(SU,)), SU, RunIndex()))
    assert not [each for each in found if isinstance(each, Stale)]


def test_references_are_found_inside_of_tuples() -> None:
    one, two = Ref("device", "a"), Ref("interface", "b")
    assert list(references((one, (two, "text"), 3))) == [one, two]


def test_what_belongs_to_no_pod_is_counted_once() -> None:
    made = fabric("lab-3tier")
    parts = (Part((0,), top=False), Part((1,), top=False))
    work = job(Memory(), made, parts=parts)
    tally = Tally(work)
    for part in parts:
        for seen in look(work, part, RunIndex()):
            tally.add(seen)
    assert tally.counts["Create", "tag"] == 1
    assert tally.names["Create", "tag"] == ["spectrum-x"]
    assert tally.of("Create") == sum(
        n for (what, _kind), n in tally.counts.items() if what == "Create"
    )
