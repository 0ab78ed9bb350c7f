# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between a DCIM and the plan."""

from __future__ import annotations

import collections
import functools
import itertools

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim import (
    difference as d,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.difference import (
    Conflict,
    Create,
    Stale,
    Update,
    difference,
    equal,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.owners import (
    Rules,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.part import Part
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    KINDS,
    Ref,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

from .wishes import NAMES, changed, fabric_of, found, things


def by_kind(made):
    return [
        (kind, [thing for thing in made if thing.kind == kind]) for kind in KINDS
    ]  # fmt: skip


def count(changes):
    return collections.Counter(type(change) for change in changes)


def one(kind, key, made=None):
    return next(x for x in made or things(example("lab")) if (x.kind, x.key) == (kind, key))


LEAF = "lab/leaf-p1-su001-r1"


@pytest.mark.parametrize("name", NAMES)
def test_after_a_push_nothing_differs(name):
    for _kind, made in by_kind(things(fabric_of(name))):
        assert list(difference(made, map(found, made))) == []


def test_an_empty_dcim_gets_everything():
    made = things(example("lab"))
    for _kind, own in by_kind(made):
        assert list(difference(own, [])) == [Create(thing) for thing in own]


def without(*places):
    return things(changed("lab", absent=[*example("lab").description.absent, *places]))


def test_one_su_more_is_created_and_nothing_else():
    """Its devices and what is on them; its AS numbers and its management subnet."""
    made = []
    for (_kind, old), (_same, new) in zip(
        by_kind(without("su02")), by_kind(things(example("lab")))
    ):
        made += difference(new, map(found, old))
    assert {type(change) for change in made} == {Create}
    assert {change.thing.kind for change in made} == {
        "rack", "asn", "prefix", "device", "interface", "address", "cable", "primary"
    }  # fmt: skip
    for change in made:
        if change.thing.kind in ("device", "interface", "address", "primary"):
            assert "su02" in change.thing.key or "su002" in change.thing.key


def test_a_node_that_is_gone_is_stale():
    before, after = things(example("lab")), without("su02/h02")
    gone = []
    for (_kind, old), (_same, new) in zip(by_kind(before), by_kind(after)):
        changes = list(difference(new, map(found, old)))
        gone += [change.found.key for change in changes if isinstance(change, Stale)]
    assert "lab/worker-su02-rack01-h02" in gone
    assert {key.split("/")[1] for key in gone} <= {
        "worker-su02-rack01-h02", "leaf-p1-su002-r1", "leaf-p1-su002-r2"
    }  # fmt: skip


def test_what_is_outside_of_the_part_is_not_stale():
    fabric = example("lab")
    part = Part(sus=(0,), top=False)
    there = [x for x in things(fabric) if x.kind == "device"]
    wanted = [
        x for x in there if "su02" not in x.key and "su002" not in x.key and "spine" not in x.key
    ]
    inside = functools.partial(part.holds, fabric)
    assert list(difference(wanted, map(found, there), inside=inside)) == []
    assert count(difference(wanted, map(found, there))) == {Stale: len(there) - len(wanted)}


def test_a_cable_of_somebody_else_on_a_port_of_ours_is_a_conflict():
    """Also where our cable is there already and moves to this port."""
    cable = next(thing for thing in things(example("lab")) if thing.kind == "cable")
    low, high = cable.values["ends"]
    foreign = found(cable)._replace(
        id="patch", key="", owned=False, values={**cable.values, "ends": (low, "dcim.interface 9")}
    )
    moved = found(cable, ends=(high, Ref("interface", "lab/x/swp1")))
    for there in ([foreign], [foreign, moved]):
        (change,) = difference([cable], there)
        assert isinstance(change, Conflict)
        assert change.fields == {"ends": ((low, high), (low, "dcim.interface 9"))}
        assert "holds a port" in change.why


def test_a_cable_of_which_a_person_deleted_an_end_gets_it_back():
    """The DCIM keeps the cable at its other end; at another port it is still a conflict."""
    cable = next(thing for thing in things(example("lab")) if thing.kind == "cable")
    low, _high = cable.values["ends"]
    for there, kind in ((low,), Update), ((), Update), ((low, "dcim.interface 9"), Conflict):
        (change,) = difference([cable], [found(cable, ends=there)])
        assert isinstance(change, kind), there
    other = Ref("interface", "lab/x/swp1")
    (change,) = difference([cable], [found(cable, ends=(other,))])
    assert isinstance(change, Conflict)


def test_what_is_not_ours_is_never_stale():
    thing = one("device", LEAF)
    foreign = found(thing)._replace(owned=False)
    assert list(difference([], [foreign])) == []


def test_ports_of_a_device_that_lost_our_tag_are_neither_conflicts_nor_stale():
    """The device is a conflict, or is taken over with them."""
    port = one("interface", f"{LEAF}/swp1s0")
    there = found(port)._replace(owned=False, tags=())
    assert list(difference([port], [there])) == []
    (change,) = difference([port], [found(port, mtu=1500)._replace(owned=False, tags=())])
    assert isinstance(change, Conflict)
    assert change.why == d.CHANGED
    assert list(difference([], [there])) == []


def test_the_plan_changed_and_nobody_else_did():
    """A port went to another tenant: the digest is that of what is there."""
    port = one("interface", f"{LEAF}/swp1s0")
    moved = port._replace(values={**port.values, "vrf": Ref("vrf", "lab/t2-rest")})
    (change,) = difference([moved], [found(port)])
    assert isinstance(change, Update)
    assert change.fields == {"vrf": (Ref("vrf", "lab/t2-rest"), port.values["vrf"])}


def test_somebody_changed_what_we_wrote():
    """Both values are there; nothing is written before a person has decided."""
    port = one("interface", f"{LEAF}/swp1s0")
    (change,) = difference([port], [found(port, mtu=1500)])
    assert isinstance(change, Conflict)
    assert (change.why, change.fields) == (d.CHANGED, {"mtu": (9166, 1500)})


@pytest.mark.parametrize("rule, made", [("plan", Update), ("dcim", None)])
@pytest.mark.parametrize("name", ["interface.mtu", "interface"])
def test_a_rule_decides(rule, made, name):
    port = one("interface", f"{LEAF}/swp1s0")
    changes = list(difference([port], [found(port, mtu=1500)], Rules.of({name: rule})))
    assert [type(change) for change in changes] == ([made] if made else [])


def test_a_field_that_is_left_to_the_dcim_hides_no_other_change():
    port = one("interface", f"{LEAF}/swp1s0")
    moved = port._replace(values={**port.values, "vrf": ""})
    rules = Rules.of({"interface.mtu": "dcim"})
    (change,) = difference([moved], [found(port, mtu=1500)], rules)
    assert isinstance(change, Update)
    assert list(change.fields) == ["vrf"]


@pytest.mark.parametrize(
    "kind, place, field, then, now",
    [
        ("vrf", "lab/t21-acme", "rd", None, "64512:7"),
        ("vrf", "lab/t21-acme", "rd", "64512:7", None),
        ("prefix", "lab/pool/vtep", "vlan", None, Ref("vlan", "lab/vlan/t21")),
    ],
)
def test_a_field_that_the_plan_did_not_have_or_has_no_more(kind, place, field, then, now):
    """`rd` of spx_dcim was changed, or a session became tagged; the tenant changes in the same run."""
    old = one(kind, place)
    old = old._replace(values={**old.values, field: then})
    there = found(old, **({field: ""} if then is None else {}))
    new = old._replace(values={**old.values, field: now, "tenant": Ref("tenant", "lab/other")})
    (change,) = difference([new], [there])
    assert isinstance(change, Update)
    assert "tenant" in change.fields
    (change,) = difference([new], [there._replace(values={**there.values, "tenant": "someone"})])
    assert isinstance(change, Conflict)


@pytest.mark.parametrize("theirs, made", [(9166, Update), (1500, Conflict)])
def test_a_field_that_is_left_to_the_dcim_may_have_another_value_in_the_plan_by_now(theirs, made):
    """Check a field with another value in the DCIM too: nobody knows the value of the last push."""
    port = one("interface", f"{LEAF}/swp1s0")
    moved = port._replace(values={**port.values, "vrf": "", "mtu": 9000})
    there = found(port, mtu=theirs)
    (change,) = difference([moved], [there], Rules.of({"interface.mtu": "dcim"}))
    assert isinstance(change, made)
    assert list(change.fields) == ["vrf"]


def test_without_a_digest_nobody_knows_who_changed_it():
    port = one("interface", f"{LEAF}/swp1s0")
    (change,) = difference([port], [found(port, mtu=1500)._replace(digest="")])
    assert isinstance(change, Conflict)


@pytest.mark.parametrize(
    "field, value", [("serial", "SN1"), ("unit", 12), ("status", "failed"), ("asset_tag", "A1")]
)
def test_what_the_dcim_owns_is_left_alone(field, value):
    leaf = one("device", LEAF)
    assert list(difference([leaf], [found(leaf, **{field: value})])) == []


def test_what_was_not_read_is_not_compared():
    port = one("interface", f"{LEAF}/swp1s0")
    less = found(port)
    values = {k: v for k, v in less.values.items() if k != "mtu"}
    assert list(difference([port], [less._replace(values=values)])) == []
    moved = port._replace(values={**port.values, "vrf": ""})
    (change,) = difference([moved], [less._replace(values=values)])
    assert isinstance(change, Update)


def test_a_device_of_that_name_that_is_not_ours_is_a_conflict():
    leaf = one("device", LEAF)
    other = found(leaf, role="core")._replace(key="", owned=False, digest="")
    other = other._replace(values={**other.values, "location": "lab"})
    (change,) = difference([leaf], [other])
    assert isinstance(change, Conflict)
    assert (change.why, change.fields) == (d.FOREIGN, {"role": (Ref("role", "leaf"), "core")})
    elsewhere = other._replace(values={**other.values, "location": "hall-9"})
    assert list(difference([leaf], [elsewhere])) == [Create(leaf)]


@pytest.mark.parametrize("rules", [{}, {"device": "plan"}])
def test_a_device_that_lost_our_tag_is_known_under_another_name(rules):
    """No second one is created beside it; a site takes it over, or clears our field."""
    leaf = one("device", LEAF)
    lost = found(leaf, name="mine")._replace(name="mine", owned=False, tags=())
    (change,) = difference([leaf], [lost], Rules.of(rules))
    assert change.fields == {"name": ("leaf-p1-su001-r1", "mine")}
    assert isinstance(change, Update if rules else Conflict)
    assert rules or change.why == d.LOST
    away = lost._replace(values={**lost.values, "location": Ref("location", "hall-9")})
    (change,) = difference([leaf], [away], Rules.of({"device": "plan"}))
    assert (type(change), change.why) == (Conflict, d.FIXED)


def seen(into):
    return lambda _thing, one: into.append(one)


def test_of_two_ports_with_our_key_that_on_our_device_is_ours():
    """The other one is on a copy, which somebody made of the device, without our tag."""
    port = one("interface", f"{LEAF}/swp1s0")
    copy = found(port, device="copy")._replace(id="copy", owned=False, tags=())
    for there in itertools.permutations([found(port), copy]):
        assert list(difference([port], there, matched=seen(taken := []))) == []
        assert [each.owned for each in taken] == [True]
    assert list(difference([port], [copy])) == [Create(port)]


@pytest.mark.parametrize("rules", [{}, {"device.role": "dcim"}])
def test_a_device_that_is_taken_over_keeps_what_the_plan_does_not_own(rules):
    leaf = one("device", LEAF)
    made = found(leaf, status="active", rack="R9", role="core")
    made = made._replace(key="", owned=False, digest="")
    (change,) = difference([leaf], [made], Rules.of({"device": "plan", **rules}))
    assert isinstance(change, Update)
    assert [*change.fields] == ([] if rules else ["role"])


def test_a_primary_address_of_somebody_stays_where_its_device_is_taken_over():
    primary = one("primary", LEAF)
    theirs = found(primary, address="192.0.2.9/24")._replace(key="", owned=False, digest="")
    assert list(difference([primary], [theirs], Rules.of({"device": "plan"}))) == []
    rules = Rules.of({"device": "plan", "primary.address": "plan"})
    (change,) = difference([primary], [theirs], rules)
    assert [*change.fields] == ["address"]


def test_a_rule_for_a_kind_leaves_what_the_dcim_owns_alone():
    leaf = one("device", LEAF)
    there = [found(leaf, status="active", face="rear")]
    assert list(difference([leaf], there, Rules.of({"device": "plan"}))) == []


def test_a_kind_can_be_taken_over():
    """Interfaces that a template of the device type made, for example."""
    port = one("interface", f"{LEAF}/swp1s0")
    made = found(port, mtu=None)._replace(key="", owned=False, digest="")
    (change,) = difference([port], [made], Rules.of({"interface": "plan"}))
    assert isinstance(change, Update)
    assert change.fields == {"mtu": (9166, None)}


@pytest.mark.parametrize("kind", ["rack", "tenant", "route_target", "asn", "role", "location"])
def test_what_fabrics_lend_each_other_is_used_as_it_is(kind):
    """It is found under a name that is not ours, and others can refer to its id."""
    thing = next(x for x in things(example("lab")) if x.kind == kind)
    there = found(thing)._replace(key="", owned=False, digest="", id="7")
    seen = []
    changes = difference([thing], [there], matched=lambda x, f: seen.append((x.key, f.id)))
    assert list(changes) == []
    assert seen == [(thing.key, "7")]


def test_two_fabrics_in_one_dcim():
    """The second one shares tenants and targets, has VRFs of its own, and no device of the first one."""
    first, second = things(example("lab")), things(changed("lab", name="other"))
    made = {}
    for (kind, old), (_same, new) in zip(by_kind(first), by_kind(second)):
        made[kind] = count(
            difference(new, map(found, old), inside=lambda key: key.startswith("other/"))
        )
        if kind in ("device", "interface", "cable", "vrf", "rack"):
            assert made[kind] == {Create: len(new)}
        elif kind in ("tenant", "route_target", "asn"):
            assert made[kind] == {}
    assert set(made["address"]) == {Conflict, Create}, "both have the same management addresses"


@pytest.mark.parametrize("rules", [{}, {"device": "plan"}, {"device": "dcim"}])
@pytest.mark.parametrize("wanted", [True, False])
def test_the_name_of_a_fabric_that_is_taken(rules, wanted):
    """A device with our key at another location is neither moved nor deleted, whatever a site chose for devices."""
    leaf = one("device", LEAF)
    there = found(leaf, location=Ref("location", "hall-9"))
    here = Ref("location", "lab")
    made = [leaf] if wanted else []
    (change,) = difference(made, [there], Rules.of(rules), location=here)
    assert isinstance(change, Conflict)
    assert (change.why, change.fields) == (d.FIXED, {"location": (here, Ref("location", "hall-9"))})
    (stale,) = difference([], [found(leaf)], location=here)
    assert isinstance(stale, Stale)


def test_the_place_of_a_fabric_is_no_choice_of_a_site():
    with pytest.raises(FabricError) as caught:
        Rules.of({"device.location": "plan"})
    assert "variable spx_dcim.rules.device.location: an object elsewhere" in str(caught.value)


def test_a_device_of_another_fabric_that_lost_its_tag_is_not_taken_over():
    leaf = one("device", LEAF)
    lost = found(leaf, role="core")._replace(key="other/leaf-1", owned=False)
    (change,) = difference([leaf], [lost], Rules.of({"device": "plan"}))
    assert isinstance(change, Conflict)
    assert change.why == "it exists and belongs to fabric other"


def test_a_place_of_this_fabric_in_the_way_is_named():
    leaf = one("device", LEAF)
    other = found(leaf)._replace(key="lab/leaf-p1-su001-r2")
    change, _stale = difference([leaf], [other])
    assert change.why == "it exists and belongs to leaf-p1-su001-r2"


def test_a_copy_is_not_deleted():
    """NetBox copies our field when somebody clones an object: the original stays ours."""
    leaf = one("device", LEAF)
    copy = found(leaf, name="copy")._replace(id="copy", name="copy")
    for there in itertools.permutations([found(leaf), copy]):
        (change,) = difference([leaf], there)
        assert isinstance(change, Conflict)
        assert (change.why, change.found.id) == (d.TWICE, "copy")


@pytest.mark.parametrize(
    "ours, theirs, same",
    [
        (Ref("vrf", "lab/t2"), "t2", True),
        (Ref("vrf", "lab/t2"), Ref("vrf", "other/t2"), False),
        (Ref("tenant", "lab/acme"), Ref("tenant", "other/acme"), True),
        (Ref("rack", "lab/R1"), Ref("vrf", "lab/R1"), False),
        ("", None, True),
        (9216, "9216", True),
        (True, False, False),
        ((Ref("x", "lab/a"), Ref("x", "lab/b")), ("b", "a"), True),
        ((Ref("x", "lab/a"),), ("b", "a"), False),
    ],
)
def test_equal(ours, theirs, same):
    assert equal(ours, theirs) is same
