# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules that keep places as they are because of what the switch holds now."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.guard import forbidden, hold
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.plan import Wish, make
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.release import Release

PORT = {
    "place": "interface/swp1/vrf",
    "like": ["t*"],
    "keep": ["interface/swp1/vrf", "vrf/{value}"],
}
VRFS = {"place": "vrf", "like": ["t*"], "keep": ["vrf/{value}"], "say": "{value} stays"}


@pytest.mark.parametrize(
    "rule, before, wish, keep",
    [
        (PORT, "tA", "tB", ("interface/swp1/vrf", "vrf/tA")),
        (PORT, "tA", None, ("interface/swp1/vrf", "vrf/tA")),
        (PORT, "tA", "tA", ()),
        ({**PORT, "always": True}, "tA", "tA", ("interface/swp1/vrf", "vrf/tA")),
        (PORT, "mine", "tB", ()),
        ({**PORT, "but": ["tA"]}, "tA", "tB", ()),
        (PORT, None, "tB", ()),
    ],
)
def test_a_scalar(rule, before, wish, keep):
    """Speaks when the value is like a pattern and differs from the wish."""

    def doc(vrf):
        return {"interface": {"swp1": {"vrf": vrf} if vrf else {}}}

    assert hold([rule], doc(before), doc(wish)).keep == keep


def test_keys_of_a_mapping():
    """Speaks for each key that the wish lacks, and says its sentence for each."""
    held = hold([VRFS], {"vrf": {"tA": {}, "tB": {}, "mine": {}}}, {"vrf": {"tA": {}}})
    assert (held.keep, held.notes, held.drift) == (("vrf/tB",), ("tB stays",), ())


def test_what_an_earlier_rule_keeps_is_not_said_again():
    """A key that is kept already makes no second sentence."""
    before = {"interface": {"swp1": {"vrf": "tA"}}, "vrf": {"tA": {}}}
    assert hold([PORT, VRFS], before, {}).notes == ()
    assert hold([VRFS, PORT], before, {}).notes == ("tA stays",)


def test_spare():
    """So many keys may go at once; the others stay."""
    before = {"vrf": {f"t{n}": {} for n in range(5)}}
    assert hold([{**VRFS, "spare": 3}], before, {}).keep == ("vrf/t3", "vrf/t4")


@pytest.mark.parametrize(
    "more, bodies, sentences",
    [
        ({}, {"tA": {"out": {"1": {}}}, "x": {"out": {"1": {}}}}, ("out 1: tA, x",)),
        ({}, {"tA": {"out": {"1": {}}}, "x": {"in": {"1": {}}}}, ("out 1: tA, x",)),
        ({}, {"tA": {"in": {"1": {}}}, "x": {"out": {"1": {}}}}, ("out 1: tA, x",)),
        ({}, {"tA": {"rd": "1"}, "x": {"rd": "1"}}, ("rd 1: tA, x",)),
        ({}, {"tA": {"in": {"1": {}}}, "x": {"in": {"1": {}}}}, ()),
        ({}, {"x": {"out": {"1": {}}}, "y": {"out": {"1": {}}}}, ()),
        ({"but": ["1"]}, {"tA": {"out": {"1": {}}}, "x": {"out": {"1": {}}}}, ()),
        ({}, {"tA": {"out": {"1": {}}, "in": {"1": {}}}, "x": None}, ()),
    ],
)
def test_what_a_key_has_alone(more, bodies, sentences):
    """One sentence for two keys, however much they would share."""
    rule = {"place": "vrf", "like": ["t*"], "say": "{what} {value}: {one}, {other}", **more}
    rule["alone"] = {"out": ["in", "out"], "rd": ["rd"]}
    assert forbidden([rule], {}, {"vrf": bodies}) == sentences
    assert hold([rule], {"vrf": bodies}, {}).keep == ()


def test_companions_and_drift():
    """What is bound at a place is kept with it; a drift is told apart from a note."""
    rule = {**PORT, "with": {"interface/swp1/acl": "acl"}, "say": "x", "drift": True}
    before = {"interface": {"swp1": {"vrf": "tA", "acl": {"a": {}, "b/c": {}}}}}
    held = hold([rule], before, {})
    assert held.keep[-2:] == ("acl/a", "acl/b%2Fc")
    assert (held.notes, held.drift) == ((), ("x",))


def test_a_guarded_wish_changes_nothing_it_keeps():
    """Through the plan: kept places survive a replace of what owns them."""
    before = {"interface": {"swp1": {"vrf": "tA"}}, "vrf": {"tA": {"table": "auto"}}}
    wish = Wish(
        {"interface": {"swp1": {"vrf": "tB"}}, "vrf": {"tB": {"table": "auto"}}},
        state="replaced",
        owns=("interface/swp1/vrf", "vrf/t*"),
        guard=(PORT,),
    )
    plan = make(before, wish, Release(5, 16, 1))
    assert plan.after["interface"]["swp1"]["vrf"] == "tA"
    assert sorted(plan.after["vrf"]) == ["tA", "tB"]
    assert plan.foreign == 0


@pytest.mark.parametrize(
    ("has", "wished", "sentences"),
    [
        ("t1-quarantine", "t22-globex", ()),
        ("t23-initech", "t22-globex", ("found t23-initech",)),
        ("t23-initech", "t23-initech", ()),
        (None, "t22-globex", ()),
    ],
)
def test_a_place_is_changed_out_of_some_values_alone(has, wished, sentences):
    """Somebody else was quicker: what stands there is none of what this run has put there."""
    rule = {"place": "interface/swp1/vrf", "only": ["t1-quarantine"], "say": "found {value}"}
    before = {"interface": {"swp1": {"vrf": has} if has else {}}}
    after = {"interface": {"swp1": {"vrf": wished}}}
    assert forbidden([rule], before, after) == sentences
    wish = Wish(after, "replaced", owns=("interface/swp1/vrf",), guard=(rule,))
    assert make(before, wish, Release(5, 16, 1)).forbidden == sentences
    assert hold([rule], before, after).keep == ()
