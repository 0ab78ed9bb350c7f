# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A push checks, writes, and then has nothing to do; what a person has to decide stops it before a write."""

from __future__ import annotations

import json
import os
from pathlib import Path

import playing
import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.mark import (
    digest,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.owners import (
    Rules,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    DcimObject,
    Ref,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.lines import each
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.push import push
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.scope import (
    chosen,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.export.dcim.wishes import (
    changed,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._jobs.dcim.memory import (
    Memory,
    fabric,
    job,
)

LEAF = "lab/leaf-p1-su001-r1"


@pytest.fixture
def pushed() -> Memory:
    dcim = Memory()
    push(job(dcim), dry=False)
    return dcim


def test_check_says_what_a_push_would_create_and_writes_nothing() -> None:
    dcim = Memory()
    done = push(job(dcim), dry=True)
    assert dcim.writes == 0
    assert done.result(job(dcim), dry=True)["changed"]
    assert done.tally.counts["Create", "device"] == 12
    text = "\n".join(done.lines)
    assert "Memory 1.0: fabric lab: this would be written:" in text
    assert "device: 12 create (leaf-p1-su001-r1, " in text
    assert "and 9 more)" in text


def test_a_push_creates_all_of_it_and_the_second_one_writes_nothing(pushed: Memory) -> None:
    assert pushed.count("device") == 12
    assert pushed.count("cable") == 28
    before = pushed.writes
    again = push(job(pushed), dry=False)
    assert pushed.writes == before
    assert again.lines == ["Memory 1.0: fabric lab: no difference, nothing to write."]
    assert not again.result(job(pushed), dry=False)["changed"]


def test_a_run_that_was_ended_goes_on_where_it_was() -> None:
    dcim = Memory(dies_after=100)
    with pytest.raises(
        FabricError, match=r"it did not answer in time\.\ndcim: written: at least \d+, refused: 0\."
    ):
        push(job(dcim), dry=False)
    assert dcim.writes == 100
    dcim.dies_after = None
    push(job(dcim), dry=False)
    assert dcim.writes == len(dcim.held), "nothing was created twice"
    assert not push(job(dcim), dry=True).tally.counts


def test_a_token_that_is_not_valid_is_one_sentence() -> None:
    with pytest.raises(FabricError, match=r"Memory 1\.0: the token is not valid"):
        push(job(Memory(dies_after=0)), dry=False)


def test_answers_for_fewer_things_are_not_believed() -> None:
    with pytest.raises(FabricError, match="answered for 0 of 1 things"):
        push(job(Memory(forgets_answers=True)), dry=False)


def test_what_is_refused_is_named_and_nothing_that_needs_it_is_sent() -> None:
    dcim = Memory(refuses={LEAF: "this name is not allowed."})
    with pytest.raises(FabricError) as caught:
        push(job(dcim), dry=False)
    text = str(caught.value)
    assert "device leaf-p1-su001-r1: this name is not allowed." in text
    assert "refused: 1, and" in text
    assert "things that need them were not sent" in text
    assert not [
        one
        for one in dcim.held.values()
        if one.key.startswith(f"{LEAF}/") and one.kind == "interface"
    ]
    dcim.refuses = {}
    push(job(dcim), dry=False)
    assert not push(job(dcim), dry=True).tally.counts


def test_what_somebody_changed_is_a_conflict_with_both_values_and_nothing_is_written(
    pushed: Memory,
) -> None:
    pushed.edit("interface", f"{LEAF}/swp1s0", mtu=1500)
    pushed.held.pop(("cable", pushed.find("cable", next(iter(_cables(pushed)))).id))
    before, shown = pushed.writes, []
    with pytest.raises(FabricError, match="1 conflict, so nothing"):
        push(job(pushed), dry=False, show=shown.extend)
    assert pushed.writes == before
    said = [line for line in shown if line.startswith("conflict: ")]
    assert said == [
        "conflict: interface leaf-p1-su001-r1 swp1s0: somebody changed what we wrote: mtu is "
        "9166 in the plan and 1500 in the DCIM."
    ]


def _cables(dcim: Memory) -> list[str]:
    return [one.key for one in dcim.held.values() if one.kind == "cable"]


@pytest.mark.parametrize(("who", "after"), [("plan", 9166), ("dcim", 1500)])
def test_a_rule_decides_a_conflict(pushed: Memory, who: str, after: int) -> None:
    pushed.edit("interface", f"{LEAF}/swp1s0", mtu=1500)
    push(job(pushed, rules=Rules.of({"interface.mtu": who})), dry=False)
    assert pushed.find("interface", f"{LEAF}/swp1s0").values["mtu"] == after


def test_a_device_of_somebody_else_with_our_name_is_a_conflict() -> None:
    dcim = Memory()
    values = {"name": "leaf-p1-su001-r1", "location": Ref("location", "lab"), "status": "active"}
    dcim.put(DcimObject("device", "x", "", "leaf-p1-su001-r1", values, False, (), "1"))
    with pytest.raises(FabricError, match="its field spx_place is not ours"):
        push(job(dcim), dry=False)
    assert dcim.writes == 0


@pytest.mark.parametrize("kind, name", [("role", "leaf"), ("tenant", "acme")])
@pytest.mark.parametrize("dry", [True, False])
def test_an_object_of_another_name_with_the_slug_is_named_before_anything_is_written(
    kind: str, name: str, *, dry: bool
) -> None:
    """NetBox refuses a second object with a slug; a check says so too."""
    there = DcimObject(kind, "9", "", name.capitalize(), {}, False, (), "1")
    dcim = Memory(slugs={name: there})
    with pytest.raises(FabricError) as caught:
        push(job(dcim), dry=dry)
    assert str(caught.value) == (
        f"dcim: 1 conflict, so nothing was written; first: {kind} {name}: it exists with another name and the same "
        f"slug: name is {name} in the plan and {name.capitalize()} in the DCIM. Give it that name or another slug in "
        "the DCIM: no rule decides this."
    )
    assert dcim.writes == 0


def test_a_second_fabric_with_the_same_pools_is_told_of_the_first(pushed: Memory) -> None:
    made = changed("lab", name="annex")
    with pytest.raises(FabricError) as caught:
        push(job(pushed, made), dry=True)
    assert "it exists and belongs to fabric lab" in str(caught.value)
    assert "state pools under addressing in the description of one of them" in str(caught.value)


def _gone(dcim: Memory) -> None:
    """An interface that the plan does not have any more."""
    found = dcim.find("interface", f"{LEAF}/swp1s0")
    values = {**found.values, "name": "swp99"}
    dcim.put(found._replace(id="gone", key=f"{LEAF}/swp99", name="swp99", values=values))


def test_stale_things_stay_until_it_is_asked(pushed: Memory) -> None:
    _gone(pushed)
    done = push(job(pushed), dry=False)
    assert ("interface", "gone") in pushed.held
    assert done.lines[-1] == "Stale objects stay: -e spx_dcim_delete=true deletes them."
    push(job(pushed, delete=True), dry=False)
    assert ("interface", "gone") not in pushed.held


def test_more_stale_things_than_the_ceiling_delete_nothing(pushed: Memory) -> None:
    _gone(pushed)
    with pytest.raises(FabricError, match="1 thing would be deleted and 0 are allowed"):
        push(job(pushed, delete=True, most=0), dry=False)
    assert ("interface", "gone") in pushed.held


def test_a_thing_that_changed_meanwhile_is_left_and_named(pushed: Memory) -> None:
    key = f"{LEAF}/swp1s0"
    pushed.edit("interface", key, mtu=1500)
    read = pushed.read

    def late(kind, scope, index):
        yield from read(kind, scope, index)
        if kind == "primary":
            pushed.edit("interface", key, enabled=False)

    pushed.read = late
    with pytest.raises(FabricError, match="somebody changed it after it was read"):
        push(job(pushed, rules=Rules.of({"interface.mtu": "plan"})), dry=False)
    assert pushed.find("interface", key).values["mtu"] == 1500


def test_a_fabric_of_several_pods_is_pushed_part_by_part() -> None:
    made = fabric("lab-3tier")
    parts = chosen(made, Registry.load(made))
    assert len(parts) == 1 + made.clos.groups + made.clos.pods
    dcim = Memory()
    done = push(job(dcim, made, parts=parts), dry=False)
    assert dcim.count("device") == sum(1 for _device in made.devices())
    assert done.tally.counts["Create", "device"] == dcim.count("device")
    assert done.tally.counts["Create", "vrf"] == dcim.count("vrf")
    assert not push(job(dcim, made, parts=parts), dry=True).tally.counts


def test_the_ceiling_is_that_of_the_run_and_an_early_end_says_all() -> None:
    """Something more is stale by the time that a later part is read again."""
    made = fabric("lab-3tier")
    parts = chosen(made, Registry.load(made))
    dcim = Memory()
    push(job(dcim, made, parts=parts), dry=False)
    ports = [one for one in dcim.held.values() if one.kind == "interface" and "/swp" in one.key]
    first, later = ports[0], ports[-1]
    _copy(dcim, first, "one")
    _copy(dcim, first, "other")
    for port in (first, later):
        dcim.edit("interface", port.key, mtu=1500)
    delete = dcim.delete

    def late(kind, found, index):
        _copy(dcim, later, "late")
        return delete(kind, found, index)

    dcim.delete = late
    rules = Rules.of({"interface.mtu": "plan"})
    with pytest.raises(FabricError) as caught:
        push(job(dcim, made, parts=parts, rules=rules, delete=True, most=2), dry=False)
    assert str(caught.value).splitlines() == [
        "variable spx_dcim_delete: 3 things would be deleted and 2 are allowed, so nothing of this part was written: "
        "check them with --check --diff, and allow them with -e spx_dcim_delete_most=NUMBER.",
        "dcim: written: 3, refused: 0. Correct the cause and run the same command again: it reads first and writes "
        "the rest.",
    ]


def _copy(dcim: Memory, port: DcimObject, name: str) -> None:
    """A port of the device of another that the plan does not have."""
    key = f"{port.key.rpartition('/')[0]}/{name}"
    dcim.put(port._replace(id=name, key=key, name=name, values={**port.values, "name": name}))


def test_devices_have_the_names_of_the_hosts_of_the_inventory(tmp_path: Path) -> None:
    """The inventory plugins of netbox.netbox and networktocode.nautobot name a host as its device is named."""
    source = INVENTORIES / "lab" / "hosts.fabric.yml"
    listed = playing.run(
        tmp_path, "ansible-inventory", "-i", str(source), "--list", environment=os.environ
    )
    hosts = json.loads(listed.stdout)["_meta"]["hostvars"]
    dcim = Memory()
    push(job(dcim), dry=False)
    names = [one.name for (kind, _id), one in dcim.held.items() if kind == "device"]
    assert sorted(names) == sorted(hosts)


def lose(dcim: Memory, device: str) -> None:
    """Somebody takes our tag off a device and gives it another name; its ports are theirs with it."""
    for (kind, _id), one in list(dcim.held.items()):
        if one.key == device and kind in ("device", "primary"):
            values = {**one.values, "name": "mine"} if kind == "device" else one.values
            dcim.put(one._replace(name="mine", values=values, owned=False, tags=()))
        elif kind == "interface" and one.key.startswith(f"{device}/"):
            dcim.put(one._replace(owned=False, tags=()))


def test_ports_of_a_device_that_became_somebody_elses_are_not_written(pushed: Memory) -> None:
    lose(pushed, LEAF)
    port = pushed.find("interface", f"{LEAF}/swp1s0")
    old = {**port.values, "mtu": 1500}
    pushed.put(port._replace(values=old, digest=digest("interface", old)))
    writes = pushed.writes
    with pytest.raises(FabricError, match="tag spectrum-x is missing: somebody removed it"):
        push(job(pushed), dry=False)
    assert pushed.writes == writes
    push(job(pushed, rules=Rules.of({"device": "plan"})), dry=False)
    assert pushed.find("device", LEAF).name == "mine", "the device was taken over, not made again"
    assert pushed.find("interface", f"{LEAF}/swp1s0").values["mtu"] == 9166


def test_a_super_spine_that_lost_our_tag_is_taken_over_by_one_push() -> None:
    """The parts of pods have cables to it, and are compared before it is ours again."""
    made = fabric("lab-3tier")
    dcim, parts = Memory(), chosen(made, Registry.load(made))
    assert len(parts) > 1
    push(job(dcim, made, parts=parts), dry=False)
    key = next(
        one.key
        for (kind, _key), one in dcim.held.items()
        if kind == "device" and "super" in one.key
    )
    lose(dcim, key)
    with pytest.raises(FabricError, match=r"1 conflict, .* first: device .* somebody removed it"):
        push(job(dcim, made, parts=parts), dry=False)
    push(job(dcim, made, parts=parts, rules=Rules.of({"device": "plan"})), dry=False)
    done = push(job(dcim, made, parts=parts), dry=False)
    assert "no difference, nothing to write" in done.lines[0]


def test_a_device_that_is_taken_over_keeps_its_primary_address(pushed: Memory) -> None:
    lose(pushed, LEAF)
    theirs = pushed.find("primary", LEAF)
    pushed.put(theirs._replace(values={**theirs.values, "address": "192.0.2.9/24"}))
    push(job(pushed, rules=Rules.of({"device": "plan"})), dry=False)
    assert pushed.find("primary", LEAF).values["address"] == "192.0.2.9/24"


def test_a_part_puts_no_cable_into_a_device_that_became_somebody_elses(pushed: Memory) -> None:
    spine = "lab/spine-p1-s01"
    theirs = [
        place
        for place, one in pushed.held.items()
        if place[0] == "cable" and any(end.key.startswith(f"{spine}/") for end in references(one))
    ]
    assert theirs
    for place in theirs:
        del pushed.held[place]
    lose(pushed, spine)
    made = fabric()
    parts = chosen(made, Registry.load(made), hosts=["leaf-p1-su001-r1", "leaf-p1-su002-r1"])
    done = push(job(pushed, made, parts=parts), dry=False)
    assert "wait for devices outside of this run" in done.lines[-1]
    assert done.written.total == 0


def references(found: DcimObject) -> list[Ref]:
    ends = found.values["ends"]
    return [end for end in ends if isinstance(end, Ref)] if isinstance(ends, tuple) else []


def test_each_change_is_heard_of_once(pushed: Memory) -> None:
    pushed.edit("interface", f"{LEAF}/swp1s0", mtu=1500)
    rules, heard = Rules.of({"interface.mtu": "plan"}), list[str]()
    push(job(pushed, rules=rules, each=lambda seen: heard.append(each(seen))), dry=False)
    assert heard == ["change: interface leaf-p1-su001-r1 swp1s0: mtu from 1500 to 9166"]


def test_nobody_is_told_of_a_rule_where_no_rule_decides(pushed: Memory) -> None:
    pushed.edit("device", LEAF, location=Ref("location", "hall-9"))
    with pytest.raises(
        FabricError, match=r"Move it in the DCIM, or correct location of spx_dcim"
    ) as caught:
        push(job(pushed), dry=False)
    assert "rules of spx_dcim" not in str(caught.value)
