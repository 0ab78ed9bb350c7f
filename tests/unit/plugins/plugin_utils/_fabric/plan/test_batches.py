# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of work on devices: what a batch may hold, what its loss does, and how many there are."""

from __future__ import annotations

import collections
import re
import time

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.batches import (
    loss,
    of_hosts,
    of_switches,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged_cabling import (
    is_converged,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    BY_RAIL,
    FEW,
    INVENTORIES,
    OOB,
    TWO_PLANES,
    build,
    descriptions,
    example,
)


def names(fabric):
    return [fabric.name(switch) for switch in fabric.switches()]


def divided(hosts, sizes):
    """The batches that Ansible makes of a list of hosts and `serial`."""
    rest = list(hosts)
    for size in sizes:
        yield rest[:size]
        rest = rest[size:]
    assert not rest


def batches(order):
    """Every batch, in order; the first switches of each role come before the others."""
    return [
        *divided(order["first"], order["first_sizes"]),
        *divided(order["rest"], order["sizes"]),
    ]


def relays_evpn(fabric, switch):
    """Check whether the routes of tenants pass through a switch, by the architecture."""
    spines = min(4, fabric.clos.spines)
    if switch.role == "spine":
        return switch.index < spines
    return switch.role == "super_spine" and switch.pod < spines and switch.index < 2


def breaches(fabric, working, batch):
    """List the faults of a batch of names; `working` are the switches in service."""
    switches = [fabric.device(name) for name in batch]
    if len({switch.plane for switch in switches}) > 1:
        yield "two planes"
    for place in {(s.plane, s.role, s.pod) for s in switches}:
        mine = [s for s in switches if (s.plane, s.role, s.pod) == place]
        all_of_it = [s for s in working if (s.plane, s.role, s.pod) == place]
        if len(all_of_it) > 1 and len(mine) == len(all_of_it):
            yield f"all of {place}"
        if sum(relays_evpn(fabric, s) for s in mine) > 1:
            yield f"two that relay EVPN of {place}"
    for place in {(s.plane, s.role) for s in switches}:
        mine = [s for s in switches if (s.plane, s.role) == place]
        all_of_it = [s for s in working if (s.plane, s.role) == place]
        if len(all_of_it) > 1 and len(mine) == len(all_of_it):
            yield f"all of {place}"


@st.composite
def orders(draw):
    """A fabric, the switches in service, those that a run is for, and a share."""
    description = draw(descriptions())
    try:
        fabric = build(**description)
    except FabricError:
        assume(False)
    every = names(fabric)
    assume(len(every) < 400)
    some = st.lists(st.sampled_from(every), unique=True)
    out = draw(st.just([]) | some)
    rows = [{"device": name, "since": "2026-11-01", "reason": "fan"} for name in out]
    fabric = build(**description, out_of_service=rows)
    chosen = draw(st.just(every) | some)
    share = draw(st.sampled_from([25, 25, 1, 10, 50, 100]))
    return fabric, set(out), chosen, share


@settings(max_examples=300, suppress_health_check=list(HealthCheck))
@given(orders())
def test_the_loss_of_any_batch_is_survived(found):
    fabric, out, chosen, share = found
    order = of_switches(fabric, reversed(chosen), share=share)
    working = [switch for switch in fabric.switches() if fabric.name(switch) not in out]
    made = batches(order)
    for batch in made:
        assert not list(breaches(fabric, working, batch)), batch
    done = [name for batch in made for name in batch]
    assert sorted(done) == sorted(set(chosen) - out)
    assert sorted(order["resting"]) == sorted(set(chosen) & out)
    assert order == of_switches(fabric, chosen, share=share)
    numbers = [re.match(r"batch(?:es)? (\d+)(?: to (\d+))? of (\d+): ", s) for s in order["lines"]]
    spans = [range(int(n[1]), int(n[2] or n[1]) + 1) for n in numbers]
    assert [number for span in spans for number in span] == list(range(1, len(made) + 1))
    assert {int(n[3]) for n in numbers} <= {len(made)}


@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(orders())
def test_no_batch_too_many(found):
    """As many as the tightest limit of a tier asks for, and at most one more for the first switch."""
    fabric, _out, chosen, share = found
    order = of_switches(fabric, chosen, share=share)
    tiers = collections.defaultdict(list)
    for name in order["first"] + order["rest"]:
        switch = fabric.device(name)
        tiers[switch.plane, switch.role].append(switch)
    made = collections.Counter()
    for batch in divided(order["rest"], order["sizes"]):
        switch = fabric.device(batch[0])
        made[switch.plane, switch.role] += 1
    for tier, switches in tiers.items():
        pods = collections.Counter(switch.pod for switch in switches)
        relays = collections.Counter(s.pod for s in switches if relays_evpn(fabric, s))
        most = [-(-count * share // 100) for count in (len(switches), *pods.values())]
        needed = [-(-n // size) for n, size in zip([len(switches), *pods.values()], most)]
        assert made[tier] <= max([*needed, *relays.values()]) + 2, (tier, switches)


def sizes(fabric, *, role):
    """Count the switches of a tier of plane 1 that each batch takes after the first ones."""
    order = of_switches(fabric, names(fabric))
    rest = list(divided(order["rest"], order["sizes"]))
    first = [(fabric.device(batch[0]), len(batch)) for batch in rest]
    return [n for switch, n in first if (switch.plane, switch.role) == (0, role)]


def test_sixteen_spines_and_thirty_two_leaves_take_four_batches_each():
    fabric = example("h200-2048")
    assert (fabric.clos.spines, fabric.clos.leaves_per_pod) == (16, 32)
    assert sizes(fabric, role="spine") == [4, 4, 4, 3]
    assert sizes(fabric, role="leaf") == [8, 8, 8, 7]


def test_pods_go_side_by_side():
    fabric = build(tiers=3, capacity={"pods": 4, "sus_per_pod": 2})
    assert len(sizes(fabric, role="spine")) == 4
    assert len(sizes(fabric, role="leaf")) == 4


def test_the_largest_fabric_is_ordered_in_two_seconds():
    fabric = example("max-524288")
    every = names(fabric)
    begun = time.process_time()
    order = of_switches(fabric, every)
    assert time.process_time() - begun < 2
    assert len(order["first"]) + len(order["rest"]) == len(every) == 20480


@pytest.mark.parametrize("name, roles", [("lab", 2), ("lab-3tier", 3), ("b300-4096", 2)])
def test_one_of_each_role_comes_first(load, name, roles):
    fabric = load(name)
    order = of_switches(fabric, names(fabric))
    assert len({fabric.device(n).role for n in order["first"]}) == len(order["first"]) == roles
    assert order["first_sizes"] == [roles]


def test_first_ones_of_two_planes_go_one_after_the_other():
    fabric = build(planes=TWO_PLANES, capacity={"sus_per_pod": 2})
    chosen = ["leaf-p2-su001-r1", "spine-p1-s01", "spine-p1-s02"]
    order = of_switches(fabric, chosen)
    assert order["first"] == ["spine-p1-s01", "leaf-p2-su001-r1"]
    assert order["first_sizes"] == [1, 1]


def test_planes_and_tiers_follow_each_other(load):
    fabric = load("b300-4096")
    order = of_switches(fabric, names(fabric))
    places = [(fabric.device(n).plane, fabric.device(n).role == "leaf") for n in order["rest"]]
    assert places == sorted(places)
    for batch in divided(order["rest"], order["sizes"]):
        assert len({fabric.device(n).role for n in batch}) == 1


def test_out_of_service_is_left_out_and_other_hosts_are_ignored(load):
    fabric = load(out_of_service=[{"device": "spine-p1-s01", "since": "2026-11-01", "reason": "x"}])
    order = of_switches(fabric, [*names(fabric), "worker-su01-rack01-h01", "stranger"])
    assert order["resting"] == ["spine-p1-s01"]
    assert not {"spine-p1-s01", "stranger", "worker-su01-rack01-h01"} & {
        *order["first"],
        *order["rest"],
    }


def test_out_of_service_by_serial_number(load):
    model = INVENTORIES / "brownfield-256" / "model"
    row = {"device": "MT2417XT1001", "since": "2026-11-01", "reason": "fan"}
    changes = {
        "devices": str(model / "devices.csv"),
        "addressing": {"table": str(model / "links.csv")},
        "cabling": {"racks": str(model / "racks.csv")},
    }
    fabric = load("brownfield-256", **changes, out_of_service=[row])
    order = of_switches(fabric, names(fabric))
    assert order["resting"] == ["tor-a1"]
    assert "tor-a1" not in order["first"] + order["rest"]


@pytest.mark.parametrize("share, expected", [(25, [1, 1, 1]), (50, [2, 1]), (100, [3])])
def test_a_share_of_a_tier_at_a_time(load, share, expected):
    fabric = load()
    leaves = [n for n in names(fabric) if n.startswith("leaf")]
    assert of_switches(fabric, leaves, share=share)["sizes"] == expected


def lines(fabric, *chosen):
    return of_switches(fabric, chosen or names(fabric))["lines"]


def test_what_a_batch_disturbs_is_said():
    said = lines(example("h200-2048"))
    assert said[0] == (
        "batch 1 of 9: 1 spine of plane 1 (at most drainable: traffic moves to others); "
        "1 leaf of plane 1 (at most interrupting: the rails of their hosts stop)"
    )
    assert said[1] == (
        "batches 2 to 4 of 9: each 4 spines of plane 1 (at most drainable: traffic moves to others)"
    )
    assert len(said) == 5
    assert said[-1] == (
        "batch 9 of 9: 7 leaves of plane 1 (at most interrupting: the rails of their hosts stop)"
    )


def test_a_leaf_degrades_while_hosts_keep_another_plane():
    changes = {"planes": TWO_PLANES, "capacity": {"sus_per_pod": 2}}
    leaf, other = "leaf-p1-su001-r1", "leaf-p2-su001-r1"
    (said,) = lines(build(**changes), leaf)
    assert (
        said == "batch 1 of 1: 1 leaf of plane 1 (at most degrading: hosts keep their other planes)"
    )
    row = {"device": other, "since": "2026-11-01", "reason": "fan"}
    (said,) = lines(build(**changes, out_of_service=[row]), leaf)
    assert "(at most interrupting: the rails of their hosts stop)" in said


def test_a_leaf_by_rail_interrupts():
    fabric = build(planes=BY_RAIL, capacity={"sus_per_pod": 3})
    leaves = [fabric.name(switch) for switch in fabric.switches() if switch.role == "leaf"]
    assert all("(at most interrupting: the rails" in line for line in lines(fabric, *leaves))


def test_a_single_super_spine_of_a_group_is_drained_to_other_groups():
    fabric = example("lab-3tier")
    tops = [switch for switch in fabric.switches() if switch.role == "super_spine"]
    said = lines(fabric, *map(fabric.name, tops))
    assert fabric.clos.members == 1 < fabric.clos.groups
    assert all("of plane 1 (at most drainable:" in line for line in said)


@pytest.mark.parametrize("left, word", [(2, "drainable"), (1, "interrupting")])
def test_the_last_spine_that_relays_evpn_interrupts(left, word):
    out = [f"spine-p1-s{n:02}" for n in range(1, 5 - left)]
    rows = [{"device": name, "since": "2026-11-01", "reason": "fan"} for name in out]
    (said,) = lines(build(out_of_service=rows), "spine-p1-s04")
    assert f"at most {word}:" in said


def test_pods_are_counted():
    said = lines(build(tiers=3, capacity={"pods": 4, "sus_per_pod": 2}))
    assert any("16 spines of plane 1 in 4 pods (at most drainable" in line for line in said), said
    fabric = build(tiers=3, capacity={"pods": 4, "sus_per_pod": 2})
    (one,) = lines(fabric, fabric.name(next(s for s in fabric.switches() if s.pod == 2)))
    assert "1 leaf of plane 1 in pod 3 (" in one


@pytest.mark.parametrize(
    "most, expected",
    [
        (1, [["h0"], ["h1"], ["h2"], ["h3"], ["h4"], ["h5"], ["a"]]),
        (2, [["h0", "h1"], ["h2"], ["h3", "h4"], ["h5"], ["a"]]),
        (3, [["h0", "h1", "h2"], ["h3", "h4", "h5"], ["a"]]),
        (4, [["h0", "h1", "h2"], ["h3", "h4", "h5", "a"]]),
        (6, [["h0", "h1", "h2", "h3", "h4", "h5"], ["a"]]),
        (9, [["h0", "h1", "h2", "h3", "h4", "h5", "a"]]),
    ],
)
def test_racks_stay_whole_where_they_fit(most, expected):
    racks = {f"h{n}": [0, 0, n // 3] for n in reversed(range(6))} | {"a": [0, 1, 0]}
    assert of_hosts(racks, most) == expected
    assert of_hosts({}, most) == []


def test_none_at_a_time_is_refused():
    with pytest.raises(FabricError, match="spx_max_unavailable: 0 is not allowed"):
        of_hosts({"a": [0, 0, 0]}, 0)


def test_a_drained_switch_goes_first_and_takes_over_nothing():
    """The other spine carries all the traffic meanwhile."""
    fabric, spines = example("lab"), ["spine-p1-s01", "spine-p1-s02"]
    order = of_switches(fabric, spines, drained=spines[1:])
    assert [*order["first"], *order["rest"]] == spines[::-1]
    first, second = order["lines"]
    assert "(at most drainable: traffic moves to others)" in first
    assert "(at most interrupting: no other switch in service does their work)" in second
    fabric = example("b300-4096")
    every = [name for name in names(fabric) if name.startswith("spine-p1")]
    order = of_switches(fabric, every, drained=every[-2:])
    assert order["first"] == every[-2:-1]
    assert every[-1] in order["rest"][: order["sizes"][0]]


@pytest.mark.parametrize("carrying", [1, 2, 3, 4])
def test_no_batch_has_all_switches_that_still_carry_traffic(carrying):
    """Thirteen of sixteen spines are drained: a fourth of the tier is the rest of it."""
    fabric = example("h200-2048")
    spines = [name for name in names(fabric) if name.startswith("spine-p1")]
    kept = {*spines[5 : 5 + carrying]}
    order = of_switches(fabric, spines, drained={*spines} - kept)
    assert {*order["first"], *order["rest"]} == {*spines}
    lost = [len(kept & {*batch}) for batch in batches(order)]
    assert max(lost) <= max(1, carrying - 1), lost
    assert len(order["sizes"]) <= 6


@pytest.mark.parametrize("name", ["lab-converged", "b300-1024-converged"])
@pytest.mark.parametrize("share", [1, 25, 100])
def test_a_pair_and_all_spines_are_never_in_one_batch(name, share):
    fabric = example(name)
    found = batches(of_switches(fabric, names(fabric), share=share))
    assert sorted(one for batch in found for one in batch) == sorted(names(fabric))
    spines = fabric.converged.counts.spines
    for batch in found:
        devices = [fabric.device(one) for one in batch]
        pairs = collections.Counter(one[:3] for one in devices if one.role.endswith("_leaf"))
        assert max(pairs.values(), default=0) <= 1, batch
        tops = [one for one in devices if one.role == "converged_spine"]
        assert len(tops) < spines
        assert sum(map(fabric.converged.relays_evpn, tops)) <= 1
        assert len({is_converged(one) for one in devices}) == 1


def test_the_loss_of_a_converged_leaf_says_what_is_left():
    fabric = example("lab-converged")
    assert loss(fabric, ["front-end-leaf-001-1"]) == (
        "1 front-end-leaf of the converged fabric (at most degrading: hosts keep the other leaf of the pair)"
    )
    both = loss(fabric, ["front-end-leaf-001-1", "front-end-leaf-001-2"])
    assert both.startswith("2 front-end-leaves of the converged fabric (at most interrupting")
    assert "drainable" in loss(fabric, ["converged-spine-s01"])


def test_where_a_member_is_out_of_service_the_other_interrupts():
    rows = [{"device": "front-end-leaf-001-1", "since": "2026-01-01", "reason": "broken"}]
    fabric = build(networks={"front_end": {"host_speed": "200G"}}, out_of_service=rows)
    (line,) = of_switches(fabric, ["front-end-leaf-001-2"])["lines"]
    assert "interrupting: no other switch in service" in line


def test_the_out_of_band_network_is_last_and_never_a_leaf_with_its_carrier():
    oob = {**OOB, "uplinks": "spine", "leaves": 12}
    fabric = build(capacity=FEW, oob=oob)
    made = batches(of_switches(fabric, names(fabric), share=50))
    roles = [{fabric.device(name).role for name in batch} for batch in made]
    first = roles.index({"oob_spine"})
    assert roles[first:] == [{"oob_spine"}] * 2 + [{"oob_leaf"}] * (len(roles) - first - 2)
    for batch in made:
        leaves = [leaf for name in batch if (leaf := fabric.device(name)).role == "oob_leaf"]
        assert not {fabric.oob.carrier(leaf) for leaf in leaves} & set(leaves)
    assert max(map(len, made[first:])) > 1
    assert loss(fabric, made[-1]).endswith(
        "of the out-of-band network (at most interrupting: what is cabled to them cannot be reached)"
    )


def test_a_run_of_the_out_of_band_network_alone_has_a_first_switch():
    fabric = build(capacity=FEW, oob=OOB)
    own = [name for name in names(fabric) if name.startswith("oob-")]
    assert of_switches(fabric, own)["first"] == ["oob-leaf-001"]
