# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A provider leaks, a border leaf dies, a provider dies.

It takes minutes, so that ``make drill DRILL=outside`` runs it, and ``make prove`` does not.
"""

from __future__ import annotations

import time

from . import beyond, people

EXAMPLE = "lab-routed"


def test_both_tenants_come_with_the_switches(world):
    done = world.play("spectrum_x.fabric.switches", "-e", "spx_factory=true")
    assert people.changed(done.stdout) == 10
    world.address_hosts()
    people.settle(world, beyond.flows(world), seconds=60)


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
        f"refused; session ended, the other provider carries; validate: {wrong[0]['sentence']}",
    )


def _is_over(session):
    return session.get("bgpState") != "Established"


def _eventually(measure, holds, seconds=30.0):
    """What is measured as soon as it holds."""
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
