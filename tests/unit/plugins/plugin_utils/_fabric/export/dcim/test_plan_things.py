# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Things of the plan in a DCIM."""

from __future__ import annotations

import collections
import itertools
import tracemalloc

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.context import (
    Context,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.mark import (
    token,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.part import Part
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.plan_things import (
    of_kind,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    KINDS,
    NATURAL,
    SHARED,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

from .wishes import NAMES, changed, fabric_of, refs, things

ORDER = {kind: number for number, kind in enumerate(KINDS)}


@pytest.fixture(params=NAMES, scope="module")
def whole(request):
    """All things of a fabric."""
    return things(fabric_of(request.param))


def test_whatever_a_thing_refers_to_comes_before_it(whole):
    seen = set()
    for thing in whole:
        assert [ref for ref in refs(thing) if tuple(ref) not in seen] == [], thing
        seen.add((thing.kind, thing.key))


def test_keys_and_natures_are_unique(whole):
    """No two things have one key, and none two have the fields by which a DCIM tells them apart."""
    assert len({(thing.kind, thing.key) for thing in whole}) == len(whole)
    natures = {(x.kind, *(token(x.values.get(field)) for field in NATURAL[x.kind])) for x in whole}
    assert len(natures) == len(whole)


def test_kinds_come_in_the_order_of_creation(whole):
    numbers = [ORDER[thing.kind] for thing in whole]
    assert numbers == sorted(numbers)


def test_two_fabrics_with_equal_names_do_not_collide():
    """Devices, racks, tenants and VRFs have the same names; keys and places differ."""
    one, other = things(example("lab")), things(changed("lab", name="other"))
    keys = [{(x.kind, x.key) for x in both if x.kind not in SHARED} for both in (one, other)]
    assert not keys[0] & keys[1]
    assert {x.name for x in one if x.kind == "device"} == {
        x.name for x in other if x.kind == "device"
    }
    at = [{x.values["location"] for x in both if x.kind == "device"} for both in (one, other)]
    assert len(at[0] | at[1]) == 2


def test_one_su_more_is_its_own_objects_and_changes_no_other():
    before = {(x.kind, x.key): x for x in things(changed("h200-2048", absent=["su04"]))}
    after = {(x.kind, x.key): x for x in things(example("h200-2048"))}
    assert all(after[key] == thing for key, thing in before.items())
    new = collections.Counter(kind for kind, _key in after.keys() - before.keys())
    assert new == {
        "rack": 16, "asn": 8, "prefix": 513, "device": 72, "interface": 1616, "address": 1112,
        "cable": 1024, "primary": 72,
    }  # fmt: skip


def test_parts_are_the_whole():
    """Each thing of a device is in one part; what belongs to no pod is in all of them."""
    fabric = example("lab-3tier")
    pods = [Part(pods=(n,), top=False) for n in range(fabric.clos.pods)]
    found = set()
    for part in [Part(pods=()), *pods]:
        for thing in things(fabric, part):
            if thing.kind in ("device", "interface", "address", "cable", "primary"):
                assert (thing.kind, thing.key) not in found
                assert part.holds(fabric, thing.key)
            found.add((thing.kind, thing.key))
    assert found == {(x.kind, x.key) for x in things(fabric)}


def test_an_su_has_the_cables_of_its_leaves_and_no_spines():
    found = things(example("lab"), Part(sus=(0,), top=False))
    roles = {x.values["role"].key for x in found if x.kind == "device"}
    assert roles == {"gpu-node", "leaf"}
    names = {x.key for x in found if x.kind == "device"}
    far = {
        ref.key for x in found if x.kind == "cable" for ref in x.values["ends"]
        if ref.key.rpartition("/")[0] not in names
    }  # fmt: skip
    assert all("/spine-" in key for key in far)
    assert far


@pytest.mark.parametrize("kind", ["prefix", "interface", "address", "cable"])
def test_memory_does_not_grow_with_the_fabric(kind):
    """Ten times as many things of a pod of 524,288 GPUs take no more memory: nothing is collected."""
    fabric = example("max-524288")
    context = Context(fabric, Registry.load(fabric), Part(pods=(127,), top=False))
    peaks = []
    for count in (400, 400, 4000):
        tracemalloc.start()
        assert sum(1 for _thing in itertools.islice(of_kind(kind, context), count)) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < peaks[1] + 300_000


def test_a_stream_begins_at_once():
    """The first cable of the largest fabric does not wait for the last."""
    fabric = example("max-524288")
    context = Context(fabric, Registry.load(fabric))
    first = next(of_kind("cable", context))
    assert first.key.startswith("max-524288/worker-pod001")
