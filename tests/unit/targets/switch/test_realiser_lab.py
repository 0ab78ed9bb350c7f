# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The realiser on real FRR and Linux: two leaves, a spine, two tenants, four hosts."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from . import namespaces
from .namespaces import Host, Switch, cable, eventually

pytestmark = [
    pytest.mark.large,
    pytest.mark.skipif(bool(namespaces.missing()), reason=namespaces.missing() or "can run"),
]

SPINE_AS, LEAF_AS = 4200000001, {"leaf-1": 4200000101, "leaf-2": 4200000102}
TENANTS = {"t21-red": 4000021, "t22-blue": 4000022}
PAYLOAD_MTU = 9166


class Fabric:
    """The machines of the lab."""

    def __init__(self, folder: Path) -> None:
        self.switches = {n: Switch(n, folder) for n in ("leaf-1", "leaf-2", "spine-1")}
        names = [f"{tenant}-{n}" for n in (1, 2) for tenant in TENANTS]
        self.hosts = {name: Host(name, folder) for name in names}
        for n in (1, 2):
            leaf = self.switches[f"leaf-{n}"]
            for cage, tenant in enumerate(TENANTS):
                self._host_link(leaf, f"swp1s{cage}", self.hosts[f"{tenant}-{n}"], n, cage)
            cable(leaf, "swp3", self.switches["spine-1"], f"swp{n}")
        for switch in self.switches.values():
            switch.go()
        assert all(eventually(switch.ready) for switch in self.switches.values()), self.logs()

    def _host_link(self, leaf: Switch, port: str, host: Host, n: int, cage: int) -> None:
        cable(leaf, port, host, "rail0")
        address = self.address(n, cage)
        host.sh(
            f"ip link set rail0 mtu {PAYLOAD_MTU} up; ip addr add {address}/31 dev rail0; "
            f"ip route add 10.0.0.0/9 via {self.gateway(n, cage)}"
        )

    @staticmethod
    def address(n: int, cage: int) -> str:
        """A host's address."""
        return f"10.{n}.{cage}.0"

    @staticmethod
    def gateway(n: int, cage: int) -> str:
        """Its leaf's address on the same link."""
        return f"10.{n}.{cage}.1"

    def logs(self) -> str:
        """Return the logs of the machines."""
        return "\n".join(switch.log.read_text() for switch in self.switches.values())

    def stop(self) -> None:
        """End everything."""
        for node in (*self.switches.values(), *self.hosts.values()):
            node.stop()


def bgp(asn: int, loopback: str, peers: dict[str, int], **more: Any) -> dict[str, Any]:
    """The default VRF's routing of a switch."""
    return {
        "interface": {"lo": {"ipv4": {"address": {f"{loopback}/32": {}}}}},
        "router": {
            "bgp": {"state": "enabled", "autonomous-system": asn, "router-id": loopback},
            "policy": {
                "route-map": {
                    "LOOPBACK": {
                        "rule": {
                            "10": {
                                "action": {"permit": {}},
                                "match": {"type": "ipv4", "interface": "lo"},
                            }
                        }
                    }
                }
            },
        },
        "vrf": {
            "default": {
                "router": {
                    "bgp": {
                        "state": "enabled",
                        "path-selection": {"multipath": {"aspath-ignore": "enabled"}},
                        "address-family": {
                            "ipv4-unicast": {
                                "state": "enabled",
                                "multipaths": {"ebgp": 128},
                                "redistribute": {
                                    "connected": {"state": "enabled", "route-map": "LOOPBACK"}
                                },
                            },
                            "l2vpn-evpn": {"state": "enabled"},
                        },
                        "peer-group": {
                            "FABRIC": {
                                "address-family": {
                                    "ipv4-unicast": {
                                        "prefix-limits": {
                                            "inbound": {"maximum": 300, "warning-only": "enabled"}
                                        }
                                    },
                                    "l2vpn-evpn": {"state": "enabled"},
                                }
                            }
                        },
                        "neighbor": {
                            port: {
                                "type": "unnumbered",
                                "remote-as": remote,
                                "peer-group": "FABRIC",
                            }
                            for port, remote in peers.items()
                        },
                    }
                }
            }
        },
        **more,
    }


def leaf(name: str) -> dict[str, Any]:
    """The underlay of a leaf."""
    n = int(name[-1])
    document = bgp(LEAF_AS[name], f"10.254.1.{n}", {"swp3": SPINE_AS})
    document["system"] = {"hostname": name, "lldp": {"tx-interval": 5}}
    document["interface"] |= {
        "swp1": {"link": {"breakout": {"2x": {}}}},
        "swp3": {"link": {"mtu": 9216}},
    }
    document["evpn"] = {"state": "enabled"}
    document["nve"] = {"vxlan": {"state": "enabled", "source": {"address": f"10.254.1.{n}"}}}
    document["qos"] = {"roce": {"state": "enabled", "mode": "lossless"}}
    return document


def tenant(name: str, n: int, cage: int) -> dict[str, Any]:
    """A tenant's VRF on a leaf, with one host port."""
    vni = TENANTS[name]
    target = {f"64512:{vni}": {}}
    return {
        "interface": {
            f"swp1s{cage}": {
                "vrf": name,
                "link": {"mtu": PAYLOAD_MTU, "state": {"up": {}}},
                "ipv4": {"address": {f"10.{n}.{cage}.1/31": {}}},
            }
        },
        "vrf": {
            name: {
                "evpn": {"state": "enabled", "vni": {str(vni): {}}},
                "router": {
                    "bgp": {
                        "state": "enabled",
                        "rd": f"10.254.1.{n}:{vni % 1000}",
                        "route-export": {"to-evpn": {"route-target": target}},
                        "route-import": {"from-evpn": {"route-target": target}},
                        "path-selection": {"multipath": {"aspath-ignore": "enabled"}},
                        "address-family": {
                            "ipv4-unicast": {
                                "state": "enabled",
                                "redistribute": {"connected": {"state": "enabled"}},
                                "route-export": {"to-evpn": {"state": "enabled"}},
                            },
                            "l2vpn-evpn": {"state": "enabled"},
                        },
                    }
                },
            }
        },
    }


@pytest.fixture(scope="module")
def fabric(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fabric]:
    """The lab with its underlay and both tenants."""
    made = Fabric(tmp_path_factory.mktemp("lab"))
    try:
        spine = bgp(SPINE_AS, "10.254.0.1", dict(zip(("swp1", "swp2"), LEAF_AS.values())))
        made.switches["spine-1"].apply(
            {**spine, "system": {"hostname": "spine-1", "lldp": {"tx-interval": 5}}}
        )
        for n in (1, 2):
            made.switches[f"leaf-{n}"].apply(leaf(f"leaf-{n}"))
            for cage, name in enumerate(TENANTS):
                made.switches[f"leaf-{n}"].apply(tenant(name, n, cage))
        yield made
    finally:
        made.stop()


def test_sessions_come_up(fabric: Fabric) -> None:
    path = "/vrf/default/router/bgp/neighbor"

    def established() -> bool:
        peers = fabric.switches["spine-1"].operational(path)
        return [peer["session-state"] for peer in peers.values()] == ["established", "established"]

    assert eventually(established), fabric.logs()
    peer = fabric.switches["leaf-1"].operational(path)["swp3"]
    assert peer["remote-as"] == SPINE_AS
    assert set(peer["address-family"]) == {"ipv4-unicast", "l2vpn-evpn"}


def test_tenants_reach_their_own_and_nobody_else(fabric: Fabric) -> None:
    hosts = fabric.hosts
    for cage, name in enumerate(TENANTS):
        assert eventually(lambda: hosts[f"{name}-1"].ping(fabric.address(2, cage))), fabric.logs()  # noqa: B023
        assert hosts[f"{name}-2"].ping(fabric.address(1, cage))
    assert not hosts["t21-red-1"].ping(fabric.address(1, 1))
    assert not hosts["t21-red-1"].ping(fabric.address(2, 1))
    assert not hosts["t21-red-1"].ping("10.254.1.1")


@pytest.mark.parametrize(("cage", "state"), [(0, "action_success"), (1, "action_error")])
def test_a_leaf_pings_from_a_vrf(fabric: Fabric, cage: int, state: str) -> None:
    leaf = fabric.switches["leaf-1"]
    wanted = {"destination": fabric.address(1, cage), "vrf": "t21-red", "count": 1, "wait": 1}
    number = leaf.api("POST", "/system", {"@ping": {"state": "start", "parameters": wanted}})
    assert eventually(lambda: leaf.api("GET", f"/action/{number}")["state"] == state, 10)


def test_path_mtu_is_exact(fabric: Fabric) -> None:
    host = fabric.hosts["t21-red-1"]
    host.sh("ip link set rail0 mtu 9216")
    assert host.ping(fabric.address(2, 0), "-M", "do", "-s", str(PAYLOAD_MTU - 28))
    assert not host.ping(fabric.address(2, 0), "-M", "do", "-s", str(PAYLOAD_MTU - 27))
    host.sh(f"ip link set rail0 mtu {PAYLOAD_MTU}")


def test_operational_answers_are_real(fabric: Fabric) -> None:
    leaf_1 = fabric.switches["leaf-1"]
    rib = leaf_1.operational("/vrf/t21-red/router/rib/ipv4/route")
    entry = rib["10.2.0.0/31"]["route-entry"]["1"]
    assert entry["protocol"] == "bgp"
    assert "10.254.1.2" in entry["via-entry"]
    assert "10.2.1.0/31" not in rib
    fib = leaf_1.operational("/vrf/t21-red/router/fib")["ipv4"]["route"]
    assert (fib["10.2.0.0/31"]["protocol"], fib["10.1.0.0/31"]["scope"]) == ("bgp", "link")
    assert "10.2.1.0/31" not in fib
    assert "10.254.1.2/32" in leaf_1.operational("/vrf/default/router/fib/ipv4/route")
    port = leaf_1.operational("/interface/swp1s0")
    assert (port["link"]["oper-status"], port["link"]["mtu"]) == ("up", PAYLOAD_MTU)
    assert port["vrf"] == "t21-red"
    assert port["link"]["stats"]["in-pkts"] > 0
    assert leaf_1.operational("/vrf/t21-red/evpn/vni")["4000021"]["state"] == "up"
    assert leaf_1.operational("/system")["hostname"] == "leaf-1"
    assert leaf_1.operational("/vrf/default/router/bgp/address-family/ipv4-unicast/route")[
        "10.254.1.2/32"
    ]


def test_lldp_neighbours_are_real(fabric: Fabric) -> None:
    leaf_1 = fabric.switches["leaf-1"]

    def heard() -> bool:
        found = leaf_1.operational("/interface/swp3/lldp/neighbor")
        return "spine-1" in found and found["spine-1"]["port"]["name"] == "swp1"

    assert eventually(heard, 60), leaf_1.operational("/interface/swp3")


def test_what_is_not_realised_is_said_and_unknown_routing_refused(fabric: Fabric) -> None:
    leaf_1 = fabric.switches["leaf-1"]
    report = leaf_1._request("/report", "GET", None, "control.sock", "")
    assert "qos.roce.mode" in report["not_realised"]
    assert "interface.swp1s0.vrf" not in report["not_realised"]
    strange = {
        "router": {
            "policy": {
                "route-map": {
                    "LOOPBACK": {"rule": {"10": {"match": {"evpn-default-route": "enabled"}}}}
                }
            }
        }
    }
    view = leaf_1.apply(strange, expect="apply_fail")
    assert "evpn-default-route" in str(view)
    assert eventually(lambda: fabric.hosts["t21-red-1"].ping(fabric.address(2, 0)))


def probing(host: Host, address: str) -> subprocess.Popen[str]:
    """A ping every 10 ms until it is told to stop."""
    command = ["nsenter", "-t", str(host.pid), "-n", "ping", "-n", "-q", "-i", "0.01", address]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def losses(probe: subprocess.Popen[str]) -> tuple[int, int]:
    """(sent, lost) of a probe that is stopped now."""
    probe.send_signal(2)
    words = probe.communicate(timeout=10)[0].split()
    sent = int(words[words.index("packets") - 1])
    return sent, sent - int(words[words.index("received,") - 1])


def test_another_tenant_disturbs_nobody(fabric: Fabric) -> None:
    probe = probing(fabric.hosts["t21-red-1"], fabric.address(2, 0))
    time.sleep(0.3)
    TENANTS["t30-new"] = 4000030
    for n in (1, 2):
        new = tenant("t30-new", n, 1)
        new["interface"] = {}
        fabric.switches[f"leaf-{n}"].apply(new)
        fabric.switches[f"leaf-{n}"].apply({"vrf": {"t30-new": None}})
    TENANTS.pop("t30-new")
    sent, lost = losses(probe)
    assert sent > 30
    assert lost == 0


def test_a_port_moves_between_tenants(fabric: Fabric) -> None:
    hosts, leaf_1 = fabric.hosts, fabric.switches["leaf-1"]
    assert eventually(lambda: hosts["t22-blue-1"].ping(fabric.address(2, 1)))
    probe = probing(hosts["t21-red-1"], fabric.address(2, 0))
    leaf_1.apply({"interface": {"swp1s1": {"vrf": "t21-red"}}})
    assert eventually(lambda: hosts["t22-blue-1"].ping(fabric.address(1, 0)))
    assert eventually(lambda: hosts["t22-blue-1"].ping(fabric.address(2, 0)))
    assert not hosts["t22-blue-1"].ping(fabric.address(2, 1))
    assert losses(probe)[1] == 0
    leaf_1.apply({"interface": {"swp1s1": {"vrf": "t22-blue"}}})
    assert eventually(lambda: hosts["t22-blue-1"].ping(fabric.address(2, 1)))
    assert not hosts["t22-blue-1"].ping(fabric.address(2, 0))


def test_a_shut_port_takes_its_route_along(fabric: Fabric) -> None:
    leaf_1, leaf_2 = fabric.switches["leaf-1"], fabric.switches["leaf-2"]
    leaf_1.apply({"interface": {"swp1s1": {"link": {"state": {"down": {}}}}}})
    rib = "/vrf/t22-blue/router/rib/ipv4/route"
    assert eventually(lambda: "10.1.1.0/31" not in leaf_2.operational(rib))
    fib = "/vrf/t22-blue/router/fib/ipv4/route"
    for leaf in (leaf_1, leaf_2):
        assert eventually(lambda: "10.1.1.0/31" not in leaf.operational(fib))  # noqa: B023
    assert leaf_1.operational("/interface/swp1s1/link/oper-status") == "down"
    assert "NO-CARRIER" in fabric.hosts["t22-blue-1"].sh("ip link show rail0")
    leaf_1.apply({"interface": {"swp1s1": {"link": {"state": {"up": {}}}}}})
    assert eventually(lambda: fabric.hosts["t22-blue-1"].ping(fabric.address(2, 1)))
    assert "10.1.1.0/31" in leaf_2.operational(fib)


def test_confirm_rolls_the_machine_back(fabric: Fabric) -> None:
    leaf_1 = fabric.switches["leaf-1"]
    number = next(iter(leaf_1.api("POST", "/revision")))
    leaf_1.api("PATCH", f"/?rev={number}", {"interface": {"swp1s0": {"link": {"mtu": 1500}}}})
    order = {"state": "apply", "state-controls": {"confirm": 1}}
    leaf_1.api("PATCH", f"/revision/{number}", order)
    mtu = "/interface/swp1s0/link/mtu"
    assert eventually(lambda: leaf_1.operational(mtu) == 1500, 10)
    assert eventually(lambda: leaf_1.operational(mtu) == PAYLOAD_MTU, 10)
    view = f"/revision/{number}"
    assert eventually(lambda: leaf_1.api("GET", view)["state"] == "confirm_fail", 10)


def test_port_acls_filter(fabric: Fabric) -> None:
    leaf_1, host = fabric.switches["leaf-1"], fabric.hosts["t21-red-1"]
    permit = {"match": {"ip": {"dest-ip": "10.1.0.1/32"}}, "action": {"permit": {}}}
    deny = {"match": {"ip": {"dest-ip": "ANY"}}, "action": {"deny": {}}}
    leaf_1.apply(
        {
            "acl": {"spx-tenant": {"type": "ipv4", "rule": {"10": permit, "20": deny}}},
            "interface": {"swp1s0": {"acl": {"spx-tenant": {"inbound": {}}}}},
        }
    )
    assert host.ping("10.1.0.1")
    assert not host.ping(fabric.address(2, 0))
    leaf_1.apply({"interface": {"swp1s0": {"acl": None}}, "acl": None})
    assert eventually(lambda: host.ping(fabric.address(2, 0)))


def test_a_port_that_moves_is_never_without_its_filter(fabric: Fabric) -> None:
    """As in a move from quarantine to rest: two nodes of a VRF that hear nobody, of which one goes on."""
    leaf_1, heard, mover = (
        fabric.switches["leaf-1"],
        fabric.hosts["t21-red-1"],
        fabric.hosts["t22-blue-1"],
    )
    deny = {"match": {"ip": {"dest-ip": "ANY"}}, "action": {"deny": {}}}
    closed = {"acl": {"spx-quarantine": {"inbound": {}}}}
    ports = {"swp1s0": closed, "swp1s1": {"vrf": "t21-red", **closed}}
    leaf_1.apply(
        {"acl": {"spx-quarantine": {"type": "ipv4", "rule": {"10": deny}}}, "interface": ports}
    )
    before = echoes(heard)
    probe = probing(mover, fabric.address(1, 0))
    for vrf in ("t22-blue", "t21-red", "t22-blue", "t21-red", "t22-blue"):
        time.sleep(0.2)
        leaf_1.apply({"interface": {"swp1s1": {"vrf": vrf}}})
    assert losses(probe)[0] > 50
    assert echoes(heard) == before
    leaf_1.apply({"interface": {port: {"acl": None} for port in ports}, "acl": None})
    assert eventually(lambda: mover.ping(fabric.address(2, 1)))


def echoes(host: Host) -> int:
    """Count the pings that have reached a host since it started."""
    names, values = (line.split() for line in host.sh("grep Icmp: /proc/net/snmp").splitlines())
    return int(values[names.index("InEchos")])


def test_control_plane_acls_spare_what_is_forwarded(fabric: Fabric) -> None:
    leaf_1, host = fabric.switches["leaf-1"], fabric.hosts["t21-red-1"]
    deny = {"match": {"ip": {"protocol": "icmp"}}, "action": {"deny": {}}}
    leaf_1.apply(
        {
            "acl": {"spx-control": {"type": "ipv4", "rule": {"10": deny}}},
            "interface": {"swp1s0": {"acl": {"spx-control": {"inbound": {"control-plane": {}}}}}},
        }
    )
    assert not host.ping("10.1.0.1")
    assert host.ping(fabric.address(2, 0))
    leaf_1.apply({"interface": {"swp1s0": {"acl": None}}, "acl": None})


def test_a_lost_link_takes_the_session_down_and_back(fabric: Fabric) -> None:
    spine = fabric.switches["spine-1"]
    state = "/vrf/default/router/bgp/neighbor/swp2/session-state"
    spine.apply({"interface": {"swp2": {"link": {"state": {"down": {}}}}}})
    assert eventually(lambda: spine.operational(state) != "established")
    assert not fabric.hosts["t21-red-1"].ping(fabric.address(2, 0))
    spine.apply({"interface": {"swp2": {"link": {"state": {"up": {}}}}}})
    assert eventually(lambda: fabric.hosts["t21-red-1"].ping(fabric.address(2, 0)))


def test_a_wrong_remote_as_brings_no_session(fabric: Fabric) -> None:
    spine = fabric.switches["spine-1"]
    peers = "/vrf/default/router/bgp/neighbor"
    wrong = {"neighbor": {"swp2": {"remote-as": 4200000999}}}
    right = {"neighbor": {"swp2": {"remote-as": LEAF_AS["leaf-2"]}}}
    spine.apply({"vrf": {"default": {"router": {"bgp": wrong}}}})
    time.sleep(2)
    assert spine.operational(f"{peers}/swp2/session-state") != "established"
    assert spine.operational(f"{peers}/swp1/session-state") == "established"
    spine.apply({"vrf": {"default": {"router": {"bgp": right}}}})
    assert eventually(lambda: spine.operational(f"{peers}/swp2/session-state") == "established")
    assert eventually(lambda: fabric.hosts["t22-blue-1"].ping(fabric.address(2, 1)))


def test_a_tenant_leaves_without_a_trace(fabric: Fabric) -> None:
    leaf_2 = fabric.switches["leaf-2"]
    leaf_2.apply({"vrf": {"t22-blue": None}, "interface": {"swp1s1": None}})
    assert leaf_2.sh("ls /run/netns").split() == ["t21-red"]
    assert "t22-blue" not in leaf_2.sh("vtysh -c 'show running-config'").replace(
        "vrf t22-blue\n exit-vrf", ""
    )
    assert leaf_2.operational("/interface/swp1s1/vrf") == "default"
    assert eventually(lambda: fabric.hosts["t21-red-1"].ping(fabric.address(2, 0)))
    leaf_2.apply(tenant("t22-blue", 2, 1))
    assert eventually(lambda: fabric.hosts["t22-blue-1"].ping(fabric.address(2, 1))), fabric.logs()
