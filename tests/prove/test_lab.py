# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two SUs, two rails, two spines: two tenants of two nodes, and two nodes in quarantine."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from unit.plugins.plugin_utils._fabric.tenants.layouts import layouts

from . import breaking, people

EXAMPLE = "lab"


def test_switches_reach_the_plan_from_the_factory(world, saw):
    """The first tenant comes with them; the registry does not know of the second yet."""
    people.forget_tenant(world, "globex")
    begun = time.monotonic()
    done = world.play("spectrum_x.fabric.switches", "-e", "spx_factory=true")
    assert people.changed(done.stdout) == 6
    saw("six switches from the factory to the plan", f"{time.monotonic() - begun:.1f} s")


def test_a_second_run_changes_and_writes_nothing(world, saw):
    for device in world.fabric.switches():
        world.control(world.fabric.name(device), "clear_log")
    done = world.play("spectrum_x.fabric.switches")
    assert people.changed(done.stdout) == 0
    assert set(world.writes().values()) == {0}
    saw("second run over the switches", "changed=0, 0 write requests")


def test_hosts_reach_the_plan_from_the_factory(world, saw):
    """Drivers, firmware, settings, resets, names, addresses, QoS: over SSH, by our playbook.

    All hosts but one came with the validated firmware, so that they take one reset, as settings do, and not two.
    """
    bringing, *others = people.names(world)
    people.burn_firmware(world, others)
    validated = {people.validated_firmware(world)}
    assert people.firmware(world, bringing) != validated
    begun = time.monotonic()
    allowed = ["-e", "spx_allow_reboot=true", "-e", "spx_max_unavailable=6"]
    done = world.play("spectrum_x.fabric.dpus", "-e", "spx_factory=true", *allowed)
    assert people.changed(done.stdout) > 0
    assert people.firmware(world, bringing) == validated
    saw("six hosts from the factory to the plan", f"{time.monotonic() - begun:.1f} s")


def test_the_second_tenant_is_onboarded_and_once_more(world, saw):
    people.add_tenant(world, "globex", 22, ["*/*/h02"], access="managed")
    begun = time.monotonic()
    arguments = ["spectrum_x.fabric.tenant_onboard", "-e", "spx_tenant=globex"]
    assert people.changed(world.play(*arguments).stdout) == 1
    assert people.leaves_changed(world, "globex") == 4
    seconds = time.monotonic() - begun
    assert people.changed(world.play(*arguments).stdout) == 0
    saw("a second tenant of two nodes is onboarded on four leaves", f"{seconds:.1f} s")


def test_members_reach_each_other_on_every_rail_and_nobody_else(world, saw):
    probes = people.flows(world)
    seconds = people.settle(world, probes)
    assert not people.overheard(world, probes)
    reached = sum(probe["expect"] == "reached" for probe in probes)
    saw(
        "pairs in one tenant reach each other; nothing of others arrives, on any rail",
        f"{reached} + {len(probes) - reached} flows, after {seconds:.1f} s",
    )


def test_the_path_carries_its_mtu_and_not_one_byte_more(world, saw):
    assert not people.beside_path_mtu(world)
    fits = people.PATH_MTU - people.HEADERS
    saw("don't-fragment payload passes / does not pass", f"{fits} / {fits + 1} bytes")


def test_tcp_has_its_way_in_a_tenant_and_none_across(world, saw):
    """Real iperf3: what packets of ping may do, a stream may do too, over both rails and from SU to SU."""
    one, own, stranger = (
        f"worker-su0{su}-rack01-h0{slot}" for su, slot in ((1, 1), (2, 1), (2, 2))
    )
    rates = []
    for rail in (0, 1):
        found = world.throughput(one, own, rail=rail)
        assert found["reached"], found["reason"]
        rates.append(found["gbps"])
    assert min(rates) > 0.05
    across = world.throughput(one, stranger)
    assert not across["reached"]
    assert across["gbps"] is None
    saw(
        "iperf3 over EVPN, rails 1 and 2, in a tenant / to another tenant",
        f"{rates[0]} and {rates[1]} Gb/s of this machine's kernel / {across['reason']}",
    )


def test_hosts_reach_no_loopback_and_no_management_address(world):
    targets = []
    for device in world.fabric.switches():
        place = world.fabric.slice(device)
        targets += [place["loopback"], place.get("vtep", place["loopback"])]
        targets.append(
            world.lab_folder
            and json.loads((world.lab_folder / "management.json").read_text())[place["name"]]
        )
    probes = []
    for node in world.fabric.nodes():
        port = world.ports(node)[0]
        name = world.fabric.name(node)
        world.node(
            name, "ip", "route", "replace", "default", "via", port["gateway"], "dev", port["port"]
        )
        probes += [
            {"from": name, "source": port["address"], "to": target, "expect": "silent"}
            for target in set(targets)
        ]
    try:
        assert not people.wrong(world.ping(probes, tries=1))
    finally:
        for node in world.fabric.nodes():
            world.node(world.fabric.name(node), "ip", "route", "del", "default")


def test_a_leaf_sees_the_remote_leaf_as_next_hop(world):
    leaves = {
        world.fabric.slice(device)["vtep"]: world.fabric.name(device)
        for device in world.fabric.switches()
        if device.role == "leaf"
    }
    for name in leaves.values():
        text = world.node(name, "vtysh", "-c", "show bgp l2vpn evpn route type prefix json")
        hops = set(_hops(json.loads(text)))
        assert hops, f"{name} has no type-5 route"
        assert hops <= set(leaves), f"{name} has next hops {hops - set(leaves)}"


def _hops(value):
    if isinstance(value, dict):
        if "nexthops" in value:
            yield from (hop["ip"] for hop in value["nexthops"] if hop.get("ip"))
        for inner in value.values():
            yield from _hops(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _hops(inner)


def test_each_spine_dies_and_returns(world, saw):
    members = [p for p in people.flows(world) if p["expect"] == "reached"]
    for spine in ("spine-p1-s01", "spine-p1-s02"):
        world.lab_command("kill", world.name, spine)
        seconds = people.settle(world, members)
        saw(f"{spine} is dead, over the other members reach each other again", f"{seconds:.1f} s")
        world.lab_command("start", world.name, spine)
        people.sessions_up(world, spine)
    people.settle(world, people.flows(world), seconds=60)


def test_a_link_is_cut(world, saw):
    members = [p for p in people.flows(world) if p["expect"] == "reached"]
    world.lab_command("cable", world.name, "leaf-p1-su001-r1:swp3s0", "down")
    saw("a link is down, members reach each other again", f"{people.settle(world, members):.1f} s")
    world.lab_command("cable", world.name, "leaf-p1-su001-r1:swp3s0", "up")
    people.settle(world, members)


def test_a_leaf_restarts(world, saw):
    begun = time.monotonic()
    world.lab_command("reboot", world.name, "leaf-p1-su001-r1")
    people.settle(world, people.flows(world), seconds=90)
    saw("a leaf restarted, everything is as before", f"{time.monotonic() - begun:.1f} s")


def test_a_host_heals_after_a_reboot(world, saw):
    """A reboot takes every setting that is not stored; units of the host bring them back, and no playbook runs."""
    host = people.names(world)[0]
    world.node(host, "nicsim", "reboot")
    seconds = people.healed(world, host)
    people.settle(world, people.flows(world), seconds=60)
    saw("a host rebooted, all its settings are as wanted again", f"{seconds:.1f} s")


# Tenants


def test_onboarding_a_third_tenant_loses_no_packet_of_the_others(world, saw, draw):
    members = [p for p in people.flows(world) if p["expect"] == "reached"]
    people.add_tenant(world, "initech", 23, ["*/*/h03"])
    with people.watched(world, members) as timeline:
        done = world.play("spectrum_x.fabric.tenant_onboard", "-e", "spx_tenant=initech")
    draw("onboarding", "A third tenant is onboarded while two others talk", timeline)
    assert people.changed(done.stdout) == 1
    assert people.leaves_changed(world, "initech") == 4
    lost = sum(flow["lost"] for flow in timeline["flows"])
    sent = sum(flow["sent"] for flow in timeline["flows"])
    assert lost == 0, [flow["gaps"] for flow in timeline["flows"] if flow["lost"]]
    people.settle(world, people.flows(world))
    saw("a third tenant is onboarded while others ping every 10 ms", f"{lost} of {sent} lost")


def test_onboarding_again_changes_nothing(world):
    done = world.play("spectrum_x.fabric.tenant_onboard", "-e", "spx_tenant=initech")
    assert people.changed(done.stdout) == 0


def test_a_move_is_isolated_at_every_moment(world, saw, draw):
    """The node leaves initech for acme: never heard by both, nor ever by globex.

    The controller dies when the first of the node's two leaves has changed to let it join: the next run finishes.
    """
    node = "worker-su01-rack02-h03"
    addresses = {name: people.addresses(world, name) for name in people.names(world)}
    probes = [
        {
            "id": f"to {slug}, rail {rail}",
            "from": node,
            "source": mine,
            "to": addresses[peer][rail - 1],
        }
        for rail, mine in enumerate(addresses[node], 1)
        for slug, peer in (
            ("initech", "worker-su02-rack02-h03"),
            ("acme", "worker-su01-rack01-h01"),
            ("globex", "worker-su01-rack01-h02"),
        )
    ]
    people.give_hook(world, "wipe")
    world.node(node, "sh", "-c", "mkdir -p /scratch && echo secret >/scratch/initech")
    begun = time.monotonic()
    with people.watched(world, probes) as timeline, people.steps_noted(world, node) as steps:
        people.move_killed(world, node, "acme", "join half")
        killed = (time.time(), "the controller is killed")
        assert people.step_of(world, node) == "join"
        people.move(world, node, "acme")
        ended = (time.time(), "the second run has ended")
        time.sleep(0.5)
    draw("move", "A node moves from initech to acme", timeline, [*steps, killed, ended])
    quiet, flows = 0.0, timeline["flows"]
    for old, new, stranger in zip(flows[::3], flows[1::3], flows[2::3]):
        assert old["received"], "the node spoke to its old tenant at first"
        assert new["received"], "the node speaks to its new tenant at last"
        assert stranger["received"] == 0
        assert people.last_answer(old) < people.first_answer(new)
        quiet = max(quiet, people.first_answer(new) - people.last_answer(old))
    assert people.addresses(world, node) == addresses[node]
    assert world.node(node, "ls", "-A", "/scratch") == "", "the hook wipe left nothing of initech"
    people.settle(world, people.flows(world))
    assert not people.overheard(world, people.flows(world))
    saw("a node is moved; between its tenants it is silent for", f"{quiet:.1f} s")
    saw(
        "the whole move, with all gates, its controller killed once",
        f"{time.monotonic() - begun:.1f} s",
    )


def test_moving_again_changes_nothing(world):
    assert people.changed(people.move(world, "worker-su01-rack02-h03", "acme").stdout) == 0


def test_broken_documents_are_caught_by_packets_and_by_the_audit(world, saw):
    """Somebody configures four leaves past the plan, each in another way; both notice each."""
    breaking.break_by_hand(world, breaking.BREAKAGES)
    with breaking.way_to_the_underlay(world):
        people.settle(world, breaking.broken_flows(world), seconds=30)
    done = world.play(
        "spectrum_x.fabric.validate",
        "-e",
        "spx_report=broken",
        "-e",
        "spx_checks=tenant",
        check=False,
    )
    assert done.returncode == 2, done.stdout[-3000:]
    caught = {(row["id"], row["device"]) for row in breaking.failures(world, "broken")}
    assert caught >= breaking.CAUGHT, breaking.CAUGHT - caught
    # A fleet run takes no port out of a customer's VRF: that one is put back by hand.
    breaking.break_by_hand(world, breaking.MENDED)
    world.play("spectrum_x.fabric.switches")
    people.settle(world, people.flows(world))
    breaking.forget_paths(world)
    saw(
        "wrong route target, port in a wrong VRF, port in the underlay, control plane open to hosts",
        "each is caught by packets and by validate; switches corrects them",
    )


def test_everything_once_more_changes_nothing_and_is_proven(world, saw):
    """It is `provision`, whose last part validates all of it; the plan knows of the tenants by then."""
    world.play("spectrum_x.fabric.plan", "-e", "spx_dest=plan")
    begun = time.monotonic()
    arguments = ["-e", "spx_dest=plan", "-e", "spx_report=report"]
    done = world.play("spectrum_x.fabric.provision", *arguments, check=False)
    wrong = [row["sentence"] for row in breaking.failures(world, "report")]
    assert (done.returncode, wrong) == (0, []), done.stdout[-1000:]
    assert people.changed(done.stdout) == 0
    saw(
        "plan, switches, hosts and validate once more",
        f"changed=0, 0 failed, {time.monotonic() - begun:.1f} s",
    )


def test_offboarding_leaves_nothing_behind(world, saw):
    for tenant in ("initech",):
        people.offboard(world, tenant)
        assert people.changed(people.offboard(world, tenant).stdout) == 0
    people.settle(world, people.flows(world))
    for device in world.fabric.switches():
        assert "t23-initech" not in world.node(world.fabric.name(device), "ip", "netns")
    saw("a tenant is offboarded", "no trace of its VRF on any switch")


# Performance


@pytest.mark.large
def test_a_slow_cable_is_named_with_both_ends(world, saw):
    people.put_layout(world, people.rest_of_all(world))
    record = people.performs(world, "slow_cable", code=2)
    place = "worker-su01-rack01-h02 port rail2p1 <-> leaf-p1-su001-r2 port swp1s1"
    assert [(row["kind"], row["place"], row["certain"]) for row in record["suspects"]] == [
        ("cable", place, True)
    ]
    saw("performance names a slow cable", place)


@pytest.mark.large
def test_a_slow_nic_is_named(world, saw):
    record = people.performs(world, "slow_nic", nodes="su02", code=2)
    place = "worker-su02-rack01-h01:rail1p1"
    assert [(row["kind"], row["place"], row["certain"]) for row in record["suspects"]] == [
        ("nic", place, True)
    ]
    saw("performance names a slow NIC", place)


@pytest.mark.large
def test_a_node_is_accepted_when_its_nic_is_no_longer_slow(world, saw):
    """The step accept of its move measures it with two partners on real hosts, in place of a hook."""
    node, begun = "worker-su02-rack01-h01", time.monotonic()
    people.put_layout(world, people.leave_out(world, node))
    place, record = people.accepts(world, node, "slow_nic")
    assert place == "quarantine"
    assert record["summary"]["result"] == "fail"
    assert all(node in (test["first"], test["second"]) for test in record["tests"])
    assert {row["place"] for row in record["suspects"]} >= {f"{node}:rail1p1"}
    place, record = people.accepts(world, node, "healthy")
    assert place == "rest"
    assert record["summary"]["counts"]["pass"]
    assert f"{node}:rail1p1" not in {row["place"] for row in record["suspects"]}
    saw(
        "a node with a slow NIC goes back to quarantine with its report; without the fault it is accepted",
        f"{record['summary']['counts']['pass']} tests pass, {time.monotonic() - begun:.1f} s",
    )


@settings(
    max_examples=1,
    deadline=None,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(text=layouts(2).filter(people.mixed))
def test_a_random_layout_holds_for_packets(world, saw, text):
    """Put into place by our transaction over what was there; test_random has more of them."""
    registry = people.put_layout(world, text)
    probes = people.flows_of(world, registry)
    seconds = people.settle(world, probes)
    reached = sum(probe["expect"] == "reached" for probe in probes)
    saw("a random layout", f"{reached} + {len(probes) - reached} flows, after {seconds:.1f} s")
