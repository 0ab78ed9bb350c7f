# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What else sits on a rail or takes its packets: drift that is removed, or refused with the command."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.network import apply_network
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError

FABRIC = ["172.16.0.0/12"]


@pytest.fixture
def settled(machine, wanted):
    apply_network(machine.host(), wanted, backend="netplan")
    machine.calls.clear()
    return machine


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (
            {"type": "unreachable", "dst": "172.16.0.0/12", "metric": 50},
            "ip -4 route delete unreachable 172.16.0.0/12 metric 50",
        ),
        (
            {"type": "blackhole", "dst": "172.18.0.0/16"},
            "ip -4 route delete blackhole 172.18.0.0/16",
        ),
        ({"type": "prohibit", "dst": "172.0.0.0/8"}, "ip -4 route delete prohibit 172.0.0.0/8"),
        ({"type": "throw", "dst": "172.18.0.0/16"}, "throw"),
        ({"dst": "172.17.0.0/16", "dev": "docker0"}, "give that network"),
        ({"type": "blackhole", "dst": "10.244.1.0/26"}, None),
        ({"type": "unreachable", "dst": "default", "metric": 4278198272}, None),
        ({"type": "blackhole", "dst": "172.18.0.0/16", "table": "200"}, None),
        ({"dst": "172.0.0.0/8", "dev": "eno1"}, None),
    ],
)
def test_a_route_that_takes_packets_of_the_fabric_is_refused(settled, wanted, row, says):
    settled.routes.append(row)
    found = apply_network(
        settled.host(check=True), wanted, backend="netplan", prefixes=FABRIC, partly=True
    )
    assert [says in one for one in found["obstacles"]] == ([True] if says else [])
    if says:
        with pytest.raises(NicError, match="a prefix of the fabric"):
            apply_network(settled.host(), wanted, backend="netplan", prefixes=FABRIC)


@pytest.mark.parametrize(
    ("rule", "counts"),
    [
        ({"priority": 500, "src": "all", "table": "200"}, True),
        ({"priority": 500, "src": "172.16.0.0", "srclen": 24, "table": "200"}, True),
        ({"priority": 500, "src": "all", "dst": "172.16.0.0", "dstlen": 12, "table": "200"}, True),
        ({"priority": 5, "src": "all", "action": "blackhole"}, True),
        ({"priority": 9, "src": "all", "table": "main"}, True),
        ({"priority": 500, "src": "10.0.0.1", "table": "200"}, False),
        ({"priority": 500, "src": "all", "dst": "10.0.0.0", "dstlen": 8, "table": "200"}, False),
        ({"priority": 500, "src": "all", "table": "52"}, False),  # it has no route to the fabric
        ({"priority": 500, "src": "all", "fwmark": "0x1", "table": "200"}, False),
        ({"priority": 500, "src": "all", "iif": "eno1", "table": "200"}, False),
        ({"priority": 500, "src": "all", "oif": "eno1", "table": "200"}, False),
        ({"priority": 100, "src": "all", "table": "local"}, False),
        ({"priority": 5270, "src": "all", "table": "200"}, False),
    ],
)
def test_a_rule_before_ours_that_leads_elsewhere_is_refused(settled, wanted, rule, counts):
    settled.rules.append(rule)
    settled.routes += [
        {"dst": "default", "dev": "eno1", "table": "200"},
        {"dst": "100.64.0.0/10", "dev": "tailscale0", "table": "52"},
    ]
    found = apply_network(
        settled.host(check=True), wanted, backend="netplan", prefixes=FABRIC, partly=True
    )
    assert [f"ip rule delete priority {rule['priority']}" in one for one in found["obstacles"]] == [
        True
    ] * counts


@pytest.mark.parametrize(
    ("link", "route", "order"),
    [
        ({"master": "bond0"}, None, "ip link set dev rail1p1 nomaster"),
        (
            {},
            {"dst": "default", "gateway": "172.16.0.1", "protocol": "dhcp"},
            "ip -4 route delete default via 172.16.0.1 dev rail1p1",
        ),
        ({}, {"dst": "128.0.0.0/1"}, "ip -4 route delete 128.0.0.0/1 dev rail1p1"),
        (
            {},
            {"dst": "default", "gateway": "fe80::1"},
            "ip -6 route delete default via fe80::1 dev rail1p1",
        ),
        ({}, {"dst": "10.0.0.0/8", "gateway": "172.16.0.1"}, None),
    ],
)
def test_a_master_and_a_default_route_are_drift_and_go(
    settled, wanted, monkeypatch, link, route, order
):
    settled.link = link
    settled.routes += [{**route, "dev": "rail1p1"}] if route else []
    found = apply_network(settled.host(check=True), wanted, backend="netplan", partly=True)
    assert [order in one for one in found["drift"]] == ([True] if order else [])
    before = settled.run

    def run(argv, timeout):
        answer = before(argv, timeout)
        if " ".join(argv) == order:
            settled.link = {}
        return answer

    monkeypatch.setattr(settled, "run", run)
    done = apply_network(settled.host(), wanted, backend="netplan")
    assert (order in done["commands"]) is bool(order)
