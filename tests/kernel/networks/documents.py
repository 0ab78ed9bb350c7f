# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents of converged switches, written by hand from the leaf that NVIDIA's own generator renders and from the
user guides (EVPN Multihoming, VRR, VRF, Optional BGP), not by this collection, so that lab and collection can disagree.

The shape of the fabric: two spines; a pair of leaves for the outside, one for nodes, one for storage; each leaf has
one port to each spine. Tenants acme (21) and globex (22) each have a front-end VRF and a storage VRF.
"""

from __future__ import annotations

from typing import Any

from kernel.networks.surroundings import PROVIDER_ASN, TENANTS, Site

Plain = dict[str, Any]

SPINES = ("spine-1", "spine-2")
BORDERS = ("border-1", "border-2")
FRONTS = ("front-1", "front-2")
STORES = ("store-1", "store-2")
LEAVES = (*BORDERS, *FRONTS, *STORES)
SWITCHES = (*SPINES, *LEAVES)
UPLINKS = ("swp63", "swp64")
ON = {"state": "enabled"}
SECRETS = {"acme": "acme-and-its-provider", "globex": "globex-and-its-provider"}
LIMIT = 5


def cables() -> list[list[str]]:
    """Every leaf to both spines, nodes to both front-end leaves, array and provider to both leaves of their pairs."""
    rows = [
        [leaf, up, spine, f"swp{number}"]
        for number, leaf in enumerate(LEAVES, 1)
        for up, spine in zip(UPLINKS, SPINES)
    ]
    for member in (0, 1):
        rows.append(["provider", f"p{member + 1}", BORDERS[member], "swp1"])
        rows.append(["array", f"a{member + 1}", STORES[member], "swp1"])
        rows += [
            [f"node-{tenant}", f"front{member + 1}", FRONTS[member], f"swp{port}"]
            for port, tenant in enumerate(TENANTS, 1)
        ]
    return rows


def site(applied: dict[str, Plain]) -> Site:
    """The lab around these switches, whose documents their API has applied."""
    roles = {"spine": SPINES, "border": BORDERS, "front": FRONTS, "store": STORES}
    return Site(applied, {role: list(names) for role, names in roles.items()}, cables(), SECRETS)


def subnet(tenant: str, network: str) -> str:
    """A tenant's prefix without its last number: "10.208.14." of 10.208.14.0/24."""
    return f"10.{208 if network == 'front' else 216}.{(TENANTS[tenant] - 14) * 2}."


def asn(name: str) -> int:
    """A number of each leaf's own, and one for all spines."""
    roles = {
        "spine": 4_240_000_000,
        "border": 4_241_000_000,
        "front": 4_242_000_000,
        "store": 4_243_000_000,
    }
    role, _dash, number = name.partition("-")
    return roles[role] + (0 if role == "spine" else int(number) - 1)


def loopback(name: str, what: int = 0) -> str:
    """What 0: the loopback; what 1: the VTEP."""
    return (
        f"10.{200 + 2 * what}.{('spine', 'border', 'front', 'store').index(name[:-2])}.{name[-1]}"
    )


def document(name: str) -> Plain:
    """The whole document of a switch."""
    if name in SPINES:
        return _spine(name)
    merged = _leaf(name)
    parts = {"border": _border, "front": _front, "store": _store}[name[:-2]](name)
    for part in parts:
        _merge(merged, part)
    return merged


def _merge(one: Plain, other: Plain) -> None:
    for key, value in other.items():
        if isinstance(value, dict) and isinstance(one.get(key), dict):
            _merge(one[key], value)
        else:
            one[key] = value


def _underlay(name: str, ports: dict[str, str]) -> Plain:
    """BGP without addresses on the links, and EVPN on the same sessions."""
    families = {"ipv4-unicast": ON, "l2vpn-evpn": ON}
    return {
        "system": {"hostname": name, "global": {"anycast-mac": "44:38:39:ff:00:ff"}},
        "interface": {
            "lo": {"type": "loopback", "ipv4": {"address": {f"{loopback(name)}/32": {}}}},
            **{port: {"type": "swp", "description": f"to {peer}"} for port, peer in ports.items()},
        },
        "evpn": {**ON},
        "router": {
            "bgp": {**ON, "autonomous-system": asn(name), "router-id": loopback(name)},
            "policy": {
                "route-map": {
                    "LOOPBACKS": {
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
                        **ON,
                        "path-selection": {"multipath": {"aspath-ignore": "enabled"}},
                        "address-family": {
                            "ipv4-unicast": {
                                **ON,
                                "redistribute": {"connected": {**ON, "route-map": "LOOPBACKS"}},
                            },
                            "l2vpn-evpn": {**ON},
                        },
                        "peer-group": {
                            "underlay": {
                                "remote-as": "external",
                                "address-family": families,
                                "timers": {"connection-retry": 2},
                            }
                        },
                        "neighbor": {
                            port: {"type": "unnumbered", "peer-group": "underlay"} for port in ports
                        },
                    }
                }
            }
        },
    }


def _spine(name: str) -> Plain:
    return _underlay(name, {f"swp{number}": leaf for number, leaf in enumerate(LEAVES, 1)})


def _leaf(name: str) -> Plain:
    made = _underlay(name, dict(zip(UPLINKS, SPINES)))
    made["interface"]["lo"]["ipv4"]["address"][f"{loopback(name, 1)}/32"] = {}
    made["nve"] = {
        "vxlan": {**ON, "source": {"address": loopback(name, 1)}, "arp-nd-suppress": "enabled"}
    }
    made["evpn"]["multihoming"] = {**ON}
    for port in UPLINKS:
        made["interface"][port]["evpn"] = {"multihoming": {"uplink": "enabled"}}
    return made


def _vrf(name: str, tenant: str, network: str) -> Plain:
    """A VRF that announces its own subnets as type 5."""
    number = TENANTS[tenant]
    vrf, base = (
        (f"t{number}-{tenant}", 4_100_000)
        if network == "front"
        else (f"s{number}-{tenant}", 4_200_000)
    )
    vni, router = base + number, loopback(name, 0 if network == "front" else 1)
    target = {f"64512:{vni}": {}}
    bgp = {
        **ON,
        "rd": f"{router}:{number}",
        "address-family": {
            "ipv4-unicast": {
                **ON,
                "redistribute": {"connected": {**ON}},
                "route-export": {"to-evpn": {**ON}},
            },
            "l2vpn-evpn": {**ON},
        },
        "route-import": {"from-evpn": {"route-target": target}},
        "route-export": {"to-evpn": {"route-target": target}},
    }
    return {"vrf": {vrf: {"evpn": {**ON, "vni": {str(vni): {}}}, "router": {"bgp": bgp}}}}


def _vlan(name: str, tenant: str, network: str) -> Plain:
    """A VLAN, its VNI, and its gateway, which both leaves of a pair have."""
    number, front = TENANTS[tenant], network == "front"
    vlan = number if front else 2000 + number
    vni = (4_300_000 if front else 4_400_000) + number
    own = f"{subnet(tenant, network)}{250 + LEAVES.index(name) - 2}/23"
    return {
        "bridge": {
            "domain": {
                "br_default": {"type": "vlan-aware", "vlan": {str(vlan): {"vni": {str(vni): {}}}}}
            }
        },
        "evpn": {
            "vni": {
                str(vni): {
                    "rd": f"{loopback(name)}:{vlan}",
                    "route-target": {
                        "import": {f"64512:{vni}": {}},
                        "export": {f"64512:{vni}": {}},
                    },
                }
            }
        },
        "interface": {
            f"vlan{vlan}": {
                "type": "svi",
                "vlan": vlan,
                "vrf": f"{'t' if front else 's'}{number}-{tenant}",
                "ipv4": {
                    "address": {own: {}},
                    "vrr": {
                        **ON,
                        "vrr-state": {"up": {}},
                        "address": {f"{subnet(tenant, network)}1/23": {}},
                    },
                },
            }
        },
        "router": {"vrr": {**ON}},
    }


def _front(name: str) -> list[Plain]:
    """A bond for each node: the tenant's front end untagged, its storage tagged."""
    parts = []
    for port, (tenant, number) in enumerate(TENANTS.items(), 1):
        parts += [
            part(name, tenant, network) for part in (_vrf, _vlan) for network in ("front", "store")
        ]
        segment = {**ON, "local-id": port, "mac-address": "44:38:39:ff:02:00"}
        bond = {
            "type": "bond",
            "bond": {"member": {f"swp{port}": {}}, "lacp-bypass": "enabled"},
            "bridge": {
                "domain": {"br_default": {"untagged": number, "vlan": {str(2000 + number): {}}}}
            },
            "evpn": {"multihoming": {"segment": segment}},
        }
        parts.append({"interface": {f"bond{port}": bond, f"swp{port}": {"type": "swp"}}})
    return parts


def _store(name: str) -> list[Plain]:
    """A port of the array on each leaf, with every tenant's storage VLAN tagged."""
    parts = [part(name, tenant, "store") for tenant in TENANTS for part in (_vrf, _vlan)]
    vlans = {str(2000 + number): {} for number in TENANTS.values()}
    port = {
        "type": "swp",
        "bridge": {"domain": {"br_default": {"untagged": "none", "vlan": vlans}}},
    }
    return [*parts, {"interface": {"swp1": port}}]


def _border(name: str) -> list[Plain]:
    """For each tenant a subinterface of the link to the provider, in the tenant's front-end VRF."""
    bfd = {"outside": {"detect-multiplier": 3, "min-rx-interval": 1000, "min-tx-interval": 1000}}
    parts: list[Plain] = [
        {"interface": {"swp1": {"type": "swp"}}, "router": {"bfd": {**ON, "profile": bfd}}},
        *(_policy(tenant) for tenant in TENANTS),
    ]
    for tenant, number in TENANTS.items():
        vrf, port = f"t{number}-{tenant}", f"swp1.{3000 + number}"
        mine, peer = link(name, tenant)
        rules = {
            "policy": {way: {"prefix-list": f"{vrf}-{way[:-5]}"} for way in ("inbound", "outbound")}
        }
        session = {
            "type": "numbered",
            "remote-as": PROVIDER_ASN,
            "password": SECRETS[tenant],
            "bfd": {"profile": "outside"},
            "ttl-security": {**ON, "hops": 1},
            "timers": {"connection-retry": 2},
            "address-family": {
                "ipv4-unicast": {
                    **ON,
                    **rules,
                    "prefix-limits": {
                        "inbound": {
                            "maximum": LIMIT,
                            "warning-threshold": 75,
                            "reestablish-wait": 60,
                        }
                    },
                }
            },
        }
        export = {"to-evpn": {**ON, "route-map": f"{vrf}-evpn"}}
        bgp = {
            "neighbor": {peer: session},
            "address-family": {"ipv4-unicast": {"route-export": export}},
        }
        device = {
            "type": "sub",
            "base-interface": "swp1",
            "vlan": 3000 + number,
            "vrf": vrf,
            "ipv4": {"address": {f"{mine}/31": {}}},
            "acl": {f"{vrf}-egress": {"outbound": {}}},
        }
        parts += [
            _vrf(name, tenant, "front"),
            {"interface": {port: device}, "vrf": {vrf: {"router": {"bgp": bgp}}}},
        ]
    return parts


def link(border: str, tenant: str) -> tuple[str, str]:
    """The addresses of a tenant's session: the border leaf's, the provider's."""
    even = 2 * (BORDERS.index(border) + 2 * (TENANTS[tenant] - 21))
    return f"100.64.0.{even}", f"100.64.0.{even + 1}"


def _policy(tenant: str) -> Plain:
    """What a tenant takes from its provider, what it gives, and from whom a packet may leave."""
    vrf, own = f"t{TENANTS[tenant]}-{tenant}", f"{subnet(tenant, 'front')}0/23"
    taken = {"10": ("0.0.0.0/0", {}), "20": ("203.0.113.0/24", {"max-prefix-len": 32})}
    lists = {
        f"{vrf}-in": {
            number: {"action": "permit", "match": {prefix: more}}
            for number, (prefix, more) in taken.items()
        },
        f"{vrf}-out": {"10": {"action": "permit", "match": {own: {}}}},
    }
    export = {
        "10": {"action": {"permit": {}}, "match": {"type": "ipv4", "ip-prefix-list": f"{vrf}-in"}}
    }
    allowed = {"match": {"ip": {"source-ip": own}}, "action": {"permit": {}}}
    rest = {"match": {"ip": {"source-ip": "ANY"}}, "action": {"deny": {}}}
    return {
        "acl": {f"{vrf}-egress": {"type": "ipv4", "rule": {"10": allowed, "20": rest}}},
        "router": {
            "policy": {
                "prefix-list": {
                    name: {"type": "ipv4", "rule": rules} for name, rules in lists.items()
                },
                "route-map": {f"{vrf}-evpn": {"rule": export}},
            }
        },
    }
