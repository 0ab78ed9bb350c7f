# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A tenant's life on all networks, a provider that leaks, and the death of a border leaf and of a provider.

It takes minutes, so that ``make drill DRILL=outside`` runs it. ``make prove`` has its beginning (test_lab_routed.py).
"""

from __future__ import annotations

import time

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host import attempt

from . import beyond, people

EXAMPLE = "lab-routed"
MOVER = "worker-su01-rack01-h03"


def test_switches_and_hosts_come_to_the_plan_while_nobody_has_a_node(world, saw):
    """The playbook of the hosts brings the ports of the front end and storage too, with their tables of routes."""
    for tenant in beyond.TENANTS:
        people.forget_tenant(world, tenant)
    done = world.play("spectrum_x.fabric.switches", "-e", "spx_factory=true")
    assert people.changed(done.stdout) == 10
    begun = time.monotonic()
    hosts = ["spectrum_x.fabric.dpus", "-e", "spx_allow_reboot=true", "-e", "spx_max_unavailable=4"]
    assert people.changed(world.play(*hosts, "-e", "spx_factory=true").stdout) > 0
    seconds = time.monotonic() - begun
    assert people.changed(world.play(*hosts).stdout) == 0
    saw("four hosts from the factory to the plan, with front end and storage", f"{seconds:.1f} s")


def test_a_run_that_dies_before_it_confirms_is_taken_back_by_the_host(world, saw):
    """A timer of systemd does it, by what the files said before the run. The next run ends well."""
    (port, *_others) = beyond.ports(world, world.fabric.device(MOVER))
    world.node(MOVER, "systemctl", "stop", "spectrum-x-watch.timer")
    world.node(MOVER, "ip", "address", "flush", "dev", port["port"], "scope", "global")

    def has_address():
        return port["address"] in world.node(MOVER, "ip", "-brief", "address", "show", port["port"])

    assert not has_address()
    hosts = ["spectrum_x.fabric.dpus", f"--limit={MOVER}", "-e", "dpu_interfaces_attempt=20"]
    people.killed_when(world, hosts, lambda: people.attempts(world, MOVER, attempt.ARMED))
    begun = time.monotonic()
    _eventually(has_address, bool, seconds=10)
    _eventually(lambda: people.attempts(world, MOVER, attempt.TAKEN), bool, seconds=60)
    seconds = time.monotonic() - begun
    assert not people.attempts(world, MOVER, attempt.ARMED)
    world.play(*hosts)
    assert has_address()
    world.node(MOVER, "systemctl", "start", "spectrum-x-watch.timer")
    saw("dpus dies (-9) before it confirms: the host takes its network back", f"{seconds:.1f} s")


def test_one_tenant_comes(world):
    people.remember_tenants(world, EXAMPLE)
    people.forget_tenant(world, "globex")
    world.play("spectrum_x.fabric.tenant_onboard", "-e", "spx_tenant=acme")
    probes = beyond.flows(world, ["acme"])
    people.settle(world, probes, seconds=60)
    assert not beyond.overheard(world, probes)


def test_a_tenant_is_onboarded_with_its_storage_and_its_outside(world, saw):
    """The other tenant's packets to its outside and its storage are all answered meanwhile."""
    others = beyond.members(world, ["acme"])
    people.remember_tenants(world, EXAMPLE)
    begun = time.monotonic()
    with people.watched(world, others) as timeline:
        done = world.play("spectrum_x.fabric.tenant_onboard", "-e", "spx_tenant=globex")
    seconds = time.monotonic() - begun
    assert people.changed(done.stdout) == 1
    assert people.leaves_changed(world, "globex") == 7
    lost = [gap for flow in timeline["flows"] for gap in flow["gaps"] if flow["lost"]]
    assert not lost
    people.settle(world, beyond.flows(world))
    assert not beyond.overheard(world, beyond.flows(world))
    saw(
        "a tenant is onboarded with all networks by one command, others lose no packet",
        f"{seconds:.1f} s",
    )


def test_validate_agrees(world, saw):
    assert not beyond.validate(world, "healthy", checks="switch,tenant,network")
    saw("validate of switches, tenants and networks", "0 failed")


def test_what_a_provider_leaks_is_refused_limited_and_reported(world, saw):
    """First the other tenant's prefixes, then more prefixes than the registry lets in."""
    border, peer = beyond.BORDERS[0], "100.64.0.1"
    stolen = beyond.links(world, "worker-su01-rack01-h02", "front-end")
    before = beyond.accepted(world, border, "acme")
    beyond.announce(world, "isp-a", "acme", stolen)
    time.sleep(2)
    sent = beyond.ask(
        world, "isp-a", "show bgp vrf acme ipv4 unicast neighbors 100.64.0.0 advertised-routes"
    )
    assert set(stolen) <= set(sent["advertisedRoutes"])
    assert beyond.accepted(world, border, "acme") == before
    (refused,) = beyond.validate(world, "stolen", checks="network", code=2)
    named = tuple(refused[key] for key in ("id", "device", "tenant"))
    assert named == ("network.refused", border, "acme")
    assert sorted(refused["found"]) == sorted(stolen)
    beyond.announce(world, "isp-a", "acme", stolen, back=True)
    beyond.announce(world, "isp-a", "acme", beyond.MANY)
    ended = _eventually(lambda: beyond.session(world, border, "acme", peer), _is_over)
    assert "Maximum Number of Prefixes" in str(ended), ended
    people.settle(world, beyond.members(world, beyond.TENANTS))
    wrong = beyond.validate(world, "leaked", checks="network", code=2)
    assert {(row["id"], row["device"]) for row in wrong} == {("network.session", border)}
    beyond.announce(world, "isp-a", "acme", beyond.MANY, back=True)
    world.node(border, "vtysh", "-c", f"clear bgp vrf t21-acme {peer}")
    _eventually(lambda: beyond.session(world, border, "acme", peer), lambda row: not _is_over(row))
    saw(
        "a provider announces another tenant's prefixes, then too many",
        "refused; session ended, the other provider carries; validate: "
        f"{refused['sentence']} {wrong[0]['sentence']}",
    )


def test_a_default_that_the_array_gives_is_refused(world, saw):
    """Its sessions may give none, so that nothing of a tenant's storage network leads anywhere else."""
    leaf, vrf = beyond.BORDERS[0], "s21-acme"
    before = beyond.heard(world, leaf, vrf)
    assert before
    beyond.announce(world, beyond.ARRAY, "acme", ["0.0.0.0/0"])
    time.sleep(2)
    sent = beyond.ask(
        world,
        beyond.ARRAY,
        "show bgp vrf acme ipv4 unicast neighbors 100.64.1.0 advertised-routes",
    )
    assert "0.0.0.0/0" in sent["advertisedRoutes"]
    assert beyond.heard(world, leaf, vrf) == before
    wrong = beyond.validate(world, "default", checks="network", code=2)
    assert {(row["id"], *row["found"]) for row in wrong} == {("network.refused", "0.0.0.0/0")}
    beyond.announce(world, beyond.ARRAY, "acme", ["0.0.0.0/0"], back=True)
    saw("a storage array gives a default", "refused by both sessions of the tenant")


def _is_over(session):
    return session.get("bgpState") != "Established"


def _eventually(measure, holds, seconds=30.0):
    """Return the measurement as soon as it holds."""
    until = time.monotonic() + seconds
    while not holds(found := measure()):
        assert time.monotonic() < until, found
        time.sleep(0.5)
    return found


def test_a_border_leaf_dies_and_a_provider(world, saw):
    """Everybody is carried by the other leaf, then by the other provider, and all is as before afterwards."""
    carried = beyond.members(world, beyond.TENANTS)
    for dead in (beyond.BORDERS[0], "isp-b"):
        with people.watched(world, carried) as timeline:
            world.lab_command("kill", world.name, dead)
            people.settle(world, carried)
        gap = max(flow["longest_gap"] for flow in timeline["flows"])
        saw(f"{dead} dies; the longest silence of a tenant's outside or storage", f"{gap:.1f} s")
        world.lab_command("start", world.name, dead)
        people.settle(world, beyond.flows(world), seconds=90)


def test_a_node_moves_with_all_its_networks(world, saw, draw):
    """Its addresses stay; both tenants never answer it at once, on whichever network."""
    people.give_hook(world, "wipe")
    node = world.fabric.device(MOVER)
    probes = [
        {
            "id": f"{row['port']} to {slug}",
            "from": MOVER,
            "source": row["address"],
            "to": beyond.GOALS[row["network"]][slug],
        }
        for row in beyond.ports(world, node)
        for slug in beyond.TENANTS
    ]
    begun = time.monotonic()
    with people.watched(world, probes) as timeline, people.steps_noted(world, MOVER) as steps:
        people.move(world, MOVER, "globex")
        seconds = time.monotonic() - begun
        time.sleep(1)
    draw("move", "A node moves from acme to globex, with front end and storage", timeline, steps)
    old, new = timeline["flows"][::2], timeline["flows"][1::2]
    assert all(flow["received"] for flow in timeline["flows"])
    quiet = min(map(people.first_answer, new)) - max(map(people.last_answer, old))
    assert quiet > 0
    people.settle(world, beyond.flows(world))
    assert not beyond.overheard(world, beyond.flows(world))
    for provider in beyond.PROVIDERS:
        links = set(beyond.links(world, MOVER, "front-end"))
        assert links <= beyond.heard(world, provider, "globex")
        assert not links & beyond.heard(world, provider, "acme")
    saw(
        "a node moves with all its networks by one command; between its tenants it is silent for",
        f"{quiet:.1f} s of {seconds:.1f} s",
    )


def test_offboarding_leaves_nothing(world, saw):
    people.offboard(world, "globex")
    people.settle(world, beyond.flows(world, ["acme"]))
    assert not beyond.traces(world, "globex")
    for router in beyond.BEGINS:
        assert not beyond.heard(world, router, "globex")
    assert beyond.traces(world, "acme")
    saw("a tenant is offboarded", "no trace of it on any switch, no route of it outside")
