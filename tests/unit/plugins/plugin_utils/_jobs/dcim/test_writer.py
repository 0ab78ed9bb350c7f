# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Order of writes: stale things go first, then kinds in order; large lists go in slices."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.port import DcimError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.difference import (
    Create,
    Stale,
    Update,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    DcimObject,
    Ref,
    Thing,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim import writer as writing
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.index import RunIndex
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.writer import (
    WriteTally,
    delete,
    write,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._jobs.dcim.memory import (
    Memory,
    job,
)

PORT = Thing(
    "interface", "lab/a/swp1", "a swp1", {"device": Ref("device", "lab/a"), "name": "swp1"}
)
DEVICE = Thing("device", "lab/a", "a", {"name": "a"})
OLD = DcimObject("cable", "7", "lab/a/swp1", "a swp1", {}, True, (), "")


class Ordered(Memory):
    """Remembers what was asked of it."""

    def create(self, kind, things, index):
        self.reads.append(f"create {len(things)} {kind}")
        return super().create(kind, things, index)

    def delete(self, kind, found, index):
        self.reads.append(f"delete {len(found)} {kind}")
        return super().delete(kind, found, index)


def test_deletes_come_before_creates_and_only_where_they_are_allowed() -> None:
    for allowed, asked in ((True, ["delete 1 cable"]), (False, [])):
        dcim, into = Ordered(), WriteTally()
        dcim.put(OLD)
        write(
            job(dcim, delete=allowed), [Create(PORT), Create(DEVICE), Stale(OLD)], RunIndex(), into
        )
        assert dcim.reads == [*asked, "create 1 device", "create 1 interface"]
        assert into.total == len(asked) + 2


def test_what_others_refer_to_is_left_for_the_end() -> None:
    """The ports of a VRF that is gone are in another one only after they are written."""
    gone = DcimObject("vrf", "8", "lab/t9-blue", "t9-blue", {}, True, (), "")
    dcim, into = Ordered(), WriteTally()
    dcim.put(OLD)
    dcim.put(gone)
    left = write(
        job(dcim, delete=True), [Stale(gone), Stale(OLD), Create(DEVICE)], RunIndex(), into
    )
    assert left == [gone]
    assert dcim.reads == ["delete 1 cable", "create 1 device"]
    delete(job(dcim, delete=True), left, RunIndex(), into)
    assert dcim.reads[-1] == "delete 1 vrf"
    assert into.deleted == 2


def test_many_things_go_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "SLICE", 2)
    dcim, told = Ordered(), []
    things = [Create(DEVICE._replace(key=f"lab/{n}")) for n in range(5)]
    write(job(dcim, tell=told.append), things, RunIndex(), WriteTally())
    assert dcim.reads == ["create 2 device", "create 2 device", "create 1 device"]
    assert told[-1] == "device: 5 things created ..."


def test_a_thing_that_refers_to_a_refused_one_is_held_back() -> None:
    dcim, into = Ordered(refuses={"lab/a": "no."}), WriteTally()
    write(job(dcim), [Create(DEVICE), Create(PORT)], RunIndex(), into)
    assert dcim.reads == ["create 1 device"]
    assert (into.created, into.held_back, into.refused[0].why) == (0, 1, "no.")


def test_what_was_refused_or_held_back_is_counted_once_over_all_parts() -> None:
    """A later part wants the same thing again; what would only be changed waits for it too."""
    dcim, into = Ordered(refuses={"lab/a": "no."}), WriteTally()
    changed = Update(PORT, DcimObject("interface", "7", PORT.key, PORT.name, {}, True, (), ""), {})
    write(job(dcim), [Create(DEVICE)], RunIndex(), into)
    write(job(dcim), [Create(DEVICE), changed], RunIndex(), into)
    assert dcim.reads == ["create 1 device"]
    assert (len(into.refused), into.held_back) == (1, 1)


def test_too_few_answers_are_an_error() -> None:
    with pytest.raises(DcimError, match="answered for 0 of 1 things"):
        write(job(Memory(forgets_answers=True)), [Create(DEVICE)], RunIndex(), WriteTally())
