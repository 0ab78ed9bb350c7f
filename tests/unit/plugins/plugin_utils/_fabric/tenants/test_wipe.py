# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No node goes to another customer, or to rest, unless something shows that it was wiped."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    handover,
    wipe,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.evidence import (
    Evidence,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    entry,
    jobs,
    move_plan,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

from .tenants import WIPED

NODE = "worker-su01-rack01-h01"
LEAVES = ("leaf-p1-su001-r1", "leaf-p1-su001-r2")
BOTH = "tenants: [{id: 21, slug: acme, nodes: [%s]}, {id: 22, slug: globex, nodes: [su02/h02]}]\n"
IDLE = BOTH % ""
BY_HOOK = "by the hook wipe, its cards elsewhere: no host of the lab has a card of its own"
SHOWN = (
    "wiped on 2026-11-01 by the hook wipe of the run bastion/7/0a1b2c3d, confirmed by its BMC, cards read, and "
    "as expected"
)
HAD = f"health: {{{NODE}: {{had: acme}}}}\n"
CLEAN = f"health: {{{NODE}: {{had: acme, {WIPED}}}}}\n"
LEFT = "retired: [{id: 30, slug: initech}]\n"
LATE = IDLE.replace("slug: globex,", "slug: globex, vrf: GOLD,")


@pytest.fixture
def unstated(load):
    """The laboratory where nobody judges cards elsewhere."""
    return load(wipe=...)


def order(to, vrf, **more):
    """An order while both leaves have the node in a VRF."""
    port = {"vrf": vrf, "link": {"state": {"up": {}}}}
    applied = {leaf: {"interface": {"swp1s0": port}} for leaf in LEAVES}
    return move_plan.Order(to, applied, run="bastion/9/0a", today="2026-11-23", **more)


def moved(fabric, held, to, vrf, **more):
    """The node's row of the plan."""
    return move_plan.plan(fabric, held, [fabric.device(NODE)], order(to, vrf, **more))["nodes"][
        NODE
    ]


@pytest.mark.parametrize("to", ["globex", "rest"])
@pytest.mark.parametrize(
    ("text", "vrf", "had"),
    [
        (BOTH % "su01/h01", "t21-acme", "acme"),
        (BOTH % "su01/h01", "t1-quarantine", "acme"),
        (IDLE + HAD, "t1-quarantine", "acme"),
        (
            IDLE + HAD.replace("had: acme", "since: '2026-01-01'"),
            "t1-quarantine",
            "its record does",
        ),
        (IDLE + LEFT, "t30-initech", "initech"),
        (LATE, "t1-quarantine", "unknown customers before this registry"),
        (f"customers_before: true\n{IDLE}", "t1-quarantine", "unknown customers before"),
        (
            BOTH % "" + f"moving: {{{NODE}: {{from: acme, to: GOAL, step: open}}}}\n",
            "t1-quarantine",
            "acme",
        ),
        (
            BOTH % "" + f"moving: {{{NODE}: {{from: acme, to: GOAL, step: wipe}}}}\n",
            "t1-quarantine",
            "acme",
        ),
    ],
)
def test_without_a_hook_and_a_statement_it_stays(lab, load, registry, text, vrf, had, to):
    """Directly, through quarantine, after a kill, from a tenant that has left, and where nobody knows."""
    held = registry(text.replace("GOAL", to))
    with pytest.raises(FabricError) as caught:
        moved(lab, held, to, vrf)
    (said,) = caught.value.sentences
    assert said.startswith(f"spx_nodes: {NODE} (")
    assert had in said
    assert (
        f"would go to {to} without a wipe, as the site has no hook wipe: write hooks/wipe.yml"
        in said
    )
    row = moved(lab, held, to, vrf, hooks=["wipe"])
    assert (row["wipe"], row["cards"]) == (BY_HOOK, "elsewhere")
    stated = load(wipe={"elsewhere": "the image service erases every node"})
    row = moved(stated, registry(text.replace("GOAL", to), stated), to, vrf)
    assert row["wipe"].startswith(
        "elsewhere: the image service erases every node, its cards elsewhere: no host"
    )
    after = row["records"]["rest"]["clean"]
    assert (after["by"], after["nic"]) == ("elsewhere", "elsewhere")
    assert after["reason"] == "the image service erases every node"


def test_a_node_of_nobody_needs_none_and_the_plan_says_why(lab, registry):
    """The evidence is in the record from then on, and in what is known of it in rest."""
    row = moved(lab, registry(IDLE), "rest", "t1-quarantine")
    assert row["wipe"].startswith("not needed, as the registry lists no customer of it")
    assert row["records"]["rest"]["clean"] == {"on": "2026-11-23", "by": "registry"}
    assert row["health"]["clean"]["by"] == "registry"
    late = registry("customers_before: false\n" + LATE)
    assert moved(lab, late, "globex", "t1-quarantine")["had"] == ""


def test_a_wipe_that_is_recorded_counts(lab, registry):
    """Also after the tenant has left."""
    assert moved(lab, registry(IDLE + CLEAN), "globex", "t1-quarantine")["wipe"] == SHOWN
    assert wipe.phrase(SHOWN) == SHOWN
    assert wipe.phrase("by the hook wipe") == "wipe by the hook wipe"


@pytest.mark.parametrize(
    ("step", "vrf", "again"),
    [
        ("rest", "t1-quarantine", True),
        ("join", "t1-quarantine", True),
        ("accept", "t2-rest", False),
    ],
)
def test_a_wipe_of_a_killed_run_counts_unless_the_node_waits_in_quarantine(
    lab, registry, step, vrf, again
):
    """There nothing shows who had it meanwhile: a run of another clone may have moved it to a customer and back."""
    record = f"moving: {{{NODE}: {{from: acme, to: globex, step: {step}, {WIPED}}}}}\n"
    row = moved(lab, registry(IDLE + record), "globex", vrf, hooks=["wipe"])
    assert ("wipe" in row["steps"]) is again
    assert row["wipe"] == (BY_HOOK if again else SHOWN)


def test_whose_a_node_was_outlives_its_moves(lab, registry):
    """Into quarantine it goes unwiped; from rest it is as clean there as before."""
    row = moved(lab, registry(BOTH % "su01/h01"), "quarantine", "t21-acme")
    assert row["health"] == {"had": "acme", "passed": []}
    rest = "rest: [{nodes: [su01/h01]}]\n"
    row = moved(lab, registry(IDLE + rest + CLEAN), "quarantine", "t2-rest")
    assert row["health"]["had"] == "acme"
    assert row["health"]["clean"]["by"] == "bmc"
    late = registry(LATE + rest)
    with pytest.raises(FabricError, match=r"is in t2-rest, and nothing shows that it was wiped"):
        moved(lab, late, "globex", "t2-rest", hooks=["wipe"])


@pytest.mark.parametrize("text", [IDLE + HAD, LATE])
def test_onboarding_and_resizing_take_no_such_node(lab, registry, text):
    """They run no hook, so that a statement does not help either: the node comes through tenant_move."""
    held, node = registry(text), lab.device(NODE)
    for job in (
        lambda: jobs.onboarding(held, "acme", extra=[node]),
        lambda: jobs.resizing(held, "acme", [node]),
    ):
        with pytest.raises(
            FabricError, match="has not been wiped since its last customer: move it"
        ):
            job()


def test_nor_one_that_somebody_listed_by_hand(lab, registry):
    """A leaf shows that it enters; one that is in its tenant's VRF was there before the registry."""
    listed, node = (BOTH % "su01/h01").replace("slug: globex,", "slug: globex, vrf: GOLD,"), NODE

    def enter(text, vrf):
        documents = {LEAVES[0]: order("acme", vrf).applied[LEAVES[0]]}
        entry.may_enter(registry(text), "acme", [lab.device(node)], documents)

    for vrf in ("t1-quarantine", "t2-rest"):
        with pytest.raises(FabricError, match=rf"{NODE} would enter acme unwiped \(unknown cust"):
            enter(listed, vrf)
        enter(listed + CLEAN, vrf)
        enter(BOTH % "su01/h01", vrf)
    for vrf in ("t21-acme", None):
        enter(listed, vrf)
    with pytest.raises(FabricError, match="is in t30-initech, whose tenant initech has left"):
        enter(BOTH % "su01/h01" + LEFT, "t30-initech")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("health: {%s: {passed: [wipe]}}", "'wipe' is not allowed: use 'firmware' or 'acceptance'"),
        (
            "health: {%s: {no_hook: [wipe]}}",
            "'wipe' is not allowed: use 'firmware' or 'acceptance'",
        ),
        ("health: {%s: {passed: [burned]}}", "'burned' is not allowed: use"),
        ("health: {%s: {clean: {on: '2026-11-01', by: bmc}}}", "by bmc names no run"),
        ("health: {%s: {clean: {on: '2026-11-01', by: bmc, run: a/1/b}}}", "by bmc has no nic"),
        (
            "health: {%s: {clean: {on: '2026-11-01', by: elsewhere, reason: x}}}",
            "elsewhere has no nic",
        ),
        (
            "health: {%s: {accepted: {on: '2026-11-01', by: hook, run: a/1/b}}}",
            "remove accepted, so that",
        ),
        ("health: {%s: {clean: {on: '2026-11-01', by: hook, run: a/1/b}}}", "has no confirmation"),
        (
            "health: {%s: {clean: {on: '2026-11-01', by: elsewhere, nic: elsewhere}}}",
            "by elsewhere gives no reason",
        ),
        ("health: {%s: {had: a, clean: {on: '2026-11-01', by: registry}}}", "and it had a"),
        ("health: {%s: {clean: {on: '2026-11-01', by: me}}}", "'me' is not allowed"),
        (
            "moving: {%s: {from: acme, to: globex, step: join, clean: {on: '2026-11-01', by: registry}}}",
            "and it had acme",
        ),
        (
            "moving: {%s: {from: quarantine, to: globex, step: join, clean: {on: '2026-11-01', by: registry}}}\n"
            + HAD,
            "and it had acme",
        ),
        ("moving: {%s: {from: acme, to: globex, step: join, passed: [wipe]}}", "'wipe' is not"),
    ],
)
def test_a_wipe_that_nothing_shows_is_refused_at_its_line(registry, text, part):
    """Whoever writes the registry by hand says how, or not at all."""
    with pytest.raises(FabricError) as caught:
        registry(IDLE + text % NODE)
    (said,) = caught.value.sentences
    assert part in said
    assert "line 2" in said


@pytest.mark.parametrize(
    ("stated", "part"),
    [
        (None, "wipe: an empty value is not allowed: use a mapping"),
        ({}, "wipe.nic_elsewhere: the key is missing"),
        ({"elsewhere": "x"}, "wipe.nic_elsewhere: the key is missing"),
        ({"nic_elsewhere": " "}, "wipe.nic_elsewhere: ' ' is not allowed: use a reason in words"),
        ({"elsewhere": ""}, "wipe.elsewhere: '' is not allowed: use a reason in words"),
        ({"elsewhere": "  "}, "is not allowed: use a reason in words"),
        ({"elsewhere": "x", "hook": "y"}, "the key is not known"),
    ],
)
def test_a_statement_needs_its_reason(load, stated, part):
    """At its line of the description; who states that nodes are wiped elsewhere says who judges their cards."""
    with pytest.raises(FabricError) as caught:
        load("h200-2048", wipe=stated)
    assert part in str(caught.value)


def test_the_reason_is_handed_over(load, registry):
    """The new tenant reads who wipes the nodes."""
    given = {"elsewhere": "by hand", "nic_elsewhere": "by hand too"}
    stating, silent = load("h200-2048", wipe=given), load("h200-2048")
    made = handover.handover(stating, registry(IDLE, stating), "acme")
    assert made["wipe"] == given
    assert "wipe" not in handover.handover(silent, registry(IDLE, silent), "acme")


MANAGED = (BOTH % "su01/h01").replace("acme,", "acme, host_access: managed,")


def test_cards_are_read_where_nobody_judges_them_elsewhere(unstated):
    """After the hook; a plan does not know the verdict, and the registry refuses a record without it."""
    held = Registry.parse(unstated, MANAGED)
    row = moved(unstated, held, "globex", "t21-acme", hooks=["wipe"])
    assert (row["wipe"], row["cards"]) == (
        "by the hook wipe, after which its cards are read",
        "read",
    )
    assert row["records"]["rest"]["clean"] == {
        "on": "2026-11-23",
        "by": "hook",
        "run": "bastion/9/0a",
    }


def test_nobody_logs_in_to_read_cards_of_a_tenant_without_host_access(unstated):
    """Refused when it is planned; in quarantine the node is the operator's."""
    with pytest.raises(FabricError) as caught:
        moved(
            unstated,
            Registry.parse(unstated, BOTH % "su01/h01"),
            "rest",
            "t21-acme",
            hooks=["wipe"],
        )
    assert (
        f"the cards of {NODE} (acme) cannot be read after the wipe, as the tenant has host_access none"
        in str(caught.value)
    )
    held = Registry.parse(unstated, IDLE + HAD)
    assert moved(unstated, held, "rest", "t1-quarantine", hooks=["wipe"])["cards"] == "read"


@pytest.mark.parametrize(
    ("to", "vrf"), [("globex", "t2-rest"), ("globex", "t22-globex"), ("rest", "t2-rest")]
)
@pytest.mark.parametrize("step", ["shut", "wipe"])
def test_ports_behind_the_wipe_do_not_show_one(lab, registry, to, vrf, step):
    """An older configuration came back, or somebody moved them: the record alone says what was done."""
    held = registry(BOTH % "" + f"moving: {{{NODE}: {{from: acme, to: {to}, step: {step}}}}}\n")
    assert "wipe" in moved(lab, held, to, vrf, hooks=["wipe"])["steps"]
    with pytest.raises(FabricError, match="without a wipe"):
        moved(lab, held, to, vrf)


@pytest.mark.parametrize(
    ("text", "vrf"),
    [
        (
            IDLE + HAD + f"moving: {{{NODE}: {{from: rest, to: globex, step: join}}}}\n",
            "t2-rest",
        ),
        (IDLE + LEFT + "rest: [{nodes: [su01/h01]}]\n", "t30-initech"),
    ],
)
@pytest.mark.parametrize("hooks", [[], ["wipe"]])
def test_out_of_rest_nothing_wipes_and_something_has_to_show_it(lab, registry, text, vrf, hooks):
    """Neither a record written by hand nor a list of the registry does."""
    with pytest.raises(FabricError, match=r"wipe|wiped|initech"):
        moved(lab, registry(text), "globex", vrf, hooks=hooks)


def test_whose_it_was_outlives_a_kill_at_the_wipe(lab, registry):
    """A node out of the VRF of a tenant that has left: by then no port and no list shows whose data it holds."""
    held = registry(IDLE + LEFT)
    row = moved(lab, held, "globex", "t30-initech", hooks=["wipe"])
    assert row["records"]["wipe"]["had"] == "initech"
    record = f"moving: {{{NODE}: {{from: quarantine, to: globex, step: wipe, had: initech}}}}\n"
    killed = registry(IDLE + LEFT + record)
    assert moved(lab, killed, "globex", "t1-quarantine", hooks=["wipe"])["had"] == "initech"
    with pytest.raises(FabricError, match=r"\(initech\) would go to globex without a wipe"):
        moved(lab, killed, "globex", "t1-quarantine")


def test_who_lists_a_node_may_have_had_it(lab, registry):
    """A record that says quarantine is not evidence against the list of another customer."""
    record = f"moving: {{{NODE}: {{from: quarantine, to: acme, step: open}}}}\n"
    assert moved(lab, registry(IDLE + record), "acme", "t1-quarantine")["had"] == ""
    with pytest.raises(FabricError, match=r"\(acme\) would go to globex without a wipe"):
        moved(lab, registry(BOTH % "su01/h01"), "globex", "t1-quarantine", from_="quarantine")


def test_a_plan_gets_the_witness_of_each_wipe_and_of_no_other():
    """Check that a wipe without evidence stays as the plan had it, which the registry refuses."""
    by_hook, earlier = {"on": "2026-11-29", "by": "hook", "run": "a/1/b"}, {"by": "elsewhere"}
    record = {"from": "acme", "to": "rest", "clean": by_hook}
    plan = {
        "nodes": {
            name: {
                "records": {
                    "rest": record,
                    "accept": {**record, "clean": earlier},
                    "join": {**record, "accepted": by_hook},
                }
            }
            for name in ("h01", "h02")
        },
        "edits": {"end": {"health": {"h01": {"clean": by_hook}, "h02": {"clean": by_hook}}}},
    }
    evidence = [
        Evidence("wiped", "bmc", "h01", "job 4711", ""),
        Evidence("cards", "read", "h01", "", ""),
        Evidence("cards", "read", "h02", "", ""),
        Evidence("accepted", "measured", "h01", "", ""),
    ]
    made = wipe.attested(plan, evidence)
    witnessed = {**by_hook, "by": "bmc", "reason": "job 4711", "nic": "read"}
    accepted = made["nodes"]["h01"]["records"]["join"]["accepted"]
    assert accepted == {**by_hook, "by": "measured"}
    assert made["nodes"]["h01"]["records"]["rest"]["clean"] == witnessed
    assert made["nodes"]["h01"]["records"]["accept"]["clean"] == earlier
    assert made["edits"]["end"]["health"] == {
        "h01": {"clean": witnessed},
        "h02": {"clean": by_hook},
    }
    assert made["nodes"]["h02"] == plan["nodes"]["h02"]
