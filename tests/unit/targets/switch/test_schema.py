# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Object model of each release: accepted and refused documents, one documented command a row.

A row reads like an `nv set` command: the path in words, the value, releases that accept it and
releases that refuse it. The pages behind the rows are listed in the data's README.md.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from nvue_double import rules, schema
from nvue_double.models import MODELS
from nvue_double.release import Release
from nvue_double.schema import load

Row = tuple[str, Any, str, str]
ALL = "5.9 5.10 5.11 5.12 5.13 5.14 5.15 5.16 5.17 5.18 5.19"
OLD, NEW = "5.9 5.14", "5.15 5.19"
BGP = "vrf RED router bgp"
PEER = f"{BGP} neighbor swp1"
GROUP = f"{BGP} peer-group LEAFS"
MAP = "router policy route-map M rule 10"
RELAY = "service dhcp-relay RED"
BUFFER = "qos advance-buffer-config default-global"
SEGMENT = "interface bond1 evpn multihoming segment"
STORM = "interface swp1 storm-control"
OTLP = "system telemetry export otlp grpc destination 192.0.2.1"

INTERFACE: list[Row] = [
    ("interface bond1 bond mode", "lacp", ALL, ""),
    ("interface bond1 bond mode", "802.3ad", "", ALL),
    ("interface bond1 bond member", {"swp1-4": {}}, ALL, ""),
    ("interface bond1 bond lacp-rate", "slow", ALL, ""),
    ("interface bond1 bond lacp-rate", "normal", "", ALL),
    ("interface bond1 bond lacp-bypass", "enabled", NEW, OLD),
    ("interface bond1 bond lacp-bypass", "on", OLD, NEW),
    ("interface bond1 bond up-delay", 65535, ALL, ""),
    ("interface bond1 bond down-delay", 65536, "", ALL),
    (f"{SEGMENT} local-id", 1, ALL, ""),
    (f"{SEGMENT} local-id", 2**24, "", ALL),
    (f"{SEGMENT} identifier", "10", ALL, ""),
    (f"{SEGMENT} identifier", "00:44:38:39:FF:00:AA:00:00:01", f"5.5 {ALL}", ""),
    (f"{SEGMENT} identifier", "03:44:38:39:FF:00:AA:00:00:01", "5.5", ALL),
    (f"{SEGMENT} df-preference", 65536, "", ALL),
    (f"{SEGMENT} state", "enabled", NEW, OLD),
    (f"{SEGMENT} enable", "on", OLD, NEW),
    ("interface swp1 evpn multihoming uplink", "enabled", NEW, OLD),
    ("interface swp1 evpn multihoming uplink", "on", OLD, NEW),
    ("interface swp1.100 base-interface", "swp1", ALL, ""),
    ("interface swp1.100 type", "sub", ALL, ""),
    ("interface swp1.100 vlan", 100, ALL, ""),
    ("interface swp1.100 vlan", 4095, "", ALL),
    ("interface gre1 type", "tunnel", ALL, ""),
    ("interface swp1 bridge domain br_default access", "none", "", ALL),
    ("interface swp1 bridge domain br_default untagged", "auto", ALL, ""),
    ("interface swp1 bridge domain br_default stp bpdu-guard", "enabled", NEW, OLD),
    (f"{STORM} broadcast", 400, ALL, ""),
    (f"{STORM} unicast", 400, "", ALL),
    ("interface vlan10 ipv4 vrr mac-address", "auto", NEW, OLD),
    ("interface vlan10 ipv4 vrr mac-id", 256, "", ALL),
    ("interface vlan10 ipv6 vrr mac-id", "none", NEW, OLD),
    ("interface vlan10 ip vrr mac-id", 255, OLD, NEW),
    ("interface eth0 ip address", {"dhcp6": {}}, OLD, NEW),
    ("interface swp1 ipv6 neighbor-discovery router-advertisement interval", 70, NEW, OLD),
    ("interface swp1 ipv6 neighbor-discovery router-advertisement interval", 69, "", ALL),
    ("interface swp1 ipv6 neighbor-discovery home-agent lifetime", 65520, NEW, OLD),
    ("interface swp1 ipv6 neighbor-discovery mtu", 0, "", ALL),
    ("interface swp1 link mac-address", "00:00:5e:00:53:01", "5.10 5.19", "5.9"),
    ("interface swp1 link tx-squelch", "enabled", "5.16", "5.15"),
    ("interface swp1 lldp state", "disabled", "5.11 5.14 5.15", "5.9 5.10"),
    ("interface swp1 lldp enable", "off", "", ALL),
    ("interface swp1 lldp tlv profile", "HOSTS", "5.17", "5.16"),
    ("interface swp1 link-tracking group", "UPLINKS", "5.18", "5.17"),
    ("interface swp1 link-tracking group", {"UPLINKS": {}}, "", "5.18 5.19"),
    ("interface swp1 qos headroom lossy extra-threshold", 1236481, "", "5.16 5.18 5.19"),
]
QOS: list[Row] = [
    ("qos link-pause P switch-priority", {"3": {}}, "", ALL),
    ("qos pfc P switch-priority", {"3": {}}, ALL, ""),
    ("qos link-pause P small-packet-probability", 60, "", ALL),
    ("qos pfc P small-packet-probability", 60, "5.17", "5.16"),
    ("qos egress-shaper P port-max-rate", 2147483648, "", ALL),
    ("qos egress-shaper P traffic-class 2 max-rate", 2147483648, "", ALL),
    (f"{BUFFER} ingress-lossy-buffer priority-group bulk headroom", 1, "5.10", "5.9"),
    (f"{BUFFER} egress-lossy-buffer traffic-class 3 switch-priority", {"3": {}}, "", ALL),
    (f"{BUFFER} ingress-mgmt-buffer headroom", 10000, "5.10", "5.9"),
    (f"{BUFFER} egress-mgmt-buffer headroom", 10000, "", ALL),
    (f"{BUFFER} shared-headroom exclusive-headroom-per-pg", 19455, "", ALL),
    (f"{BUFFER} shared-headroom exclusive-headroom-per-pg", 19456, "5.17", "5.16"),
]
ROUTING: list[Row] = [
    ("router bfd offload", "enabled", "5.16 5.18", "5.15 5.19"),
    ("router bfd offload state", "enabled", "", "5.16 5.18"),
    ("router bgp graceful-restart restart-time", 0, "5.15", "5.14"),
    ("router bgp graceful-restart path-selection-deferral-time", 3601, "", ALL),
    ("router segment-routing srv6 state", "enabled", "5.14", "5.13"),
    (f"{MAP} match ip-nexthop-len", 32, ALL, ""),
    (f"{MAP} match ip-nexthop-type", "blackhole", ALL, ""),
    (f"{MAP} match source-protocol", "eigrp", "", ALL),
    (f"{MAP} set aggregator-as 65101 address 10.0.0.1", {}, ALL, ""),
    (f"{MAP} set as-path-exclude", 65101, ALL, ""),
    (f"{MAP} set as-path-prepend as", "65101,65102", ALL, ""),
    (f"{MAP} set as-path-prepend as", 65101, "", ALL),
    (f"{MAP} set ip-nexthop", "peer-addr", ALL, ""),
    (f"{MAP} set ip-nexthop", "self", "", ALL),
    (f"{MAP} set metric", "rtt-plus", ALL, ""),
    (f"{MAP} set metric", "metric-plus", "", ALL),
    (f"{MAP} set metric-type", "type-3", "", ALL),
    (f"{MAP} set label-index", 1048561, "", ALL),
    (f"{MAP} action permit exit-policy rule", 20, ALL, ""),
    (f"{MAP} action permit exit-policy leave", 20, "", ALL),
    ("router policy ext-community-list L rule 10 ext-community rt 64510:1", {}, ALL, ""),
    ("router policy ext-community-list L rule 10 ext-community bw 64510:1", {}, "", ALL),
    ("vrf RED router static 10.0.0.0/8 distance 2 via 10.0.1.0 type", "ipv4-address", ALL, ""),
    ("vrf RED router static 10.0.0.0/8 distance 256 via 10.0.1.0 type", "reject", "", ALL),
    ("vrf RED router static 10.0.0.0/8 tag", "none", ALL, ""),
    ("vrf RED router static 10.0.0.0/8 via 10.0.1.0 bfd profile", "B", "5.15", "5.14"),
    (f"{BGP} cluster-id", 10, "", ALL),
    (f"{BGP} route-reflection cluster-id", 10, ALL, ""),
    (f"{BGP} route-reflection reflect-between-clients", "on", OLD, NEW),
    (f"{BGP} confederation id", "none", ALL, ""),
    (f"{BGP} timers hold", 2, "", ALL),
    (f"{BGP} timers hold", 0, "", ALL),
    (f"{BGP} timers route-advertisement", 0, "", ALL),
    (f"{BGP} timers keepalive", "none", ALL, ""),
    (f"{BGP} timers conditional-advertise", 4, "", ALL),
    (f"{BGP} path-selection use-imported-attributes", "enabled", "5.16", "5.15"),
    (f"{BGP} address-family ipv4-unicast advertise-origin", {}, "5.11", "5.10"),
    (f"{BGP} address-family ipv4-unicast nhg-per-origin", {}, "5.11", "5.10"),
    (f"{BGP} address-family ipv6-unreachability state", "enabled", "5.16", "5.15"),
    (f"{BGP} address-family ipv4-unreachability export-lldp state", "enabled", "5.17", "5.16"),
    (f"{PEER} state", "enabled", NEW, OLD),
    (f"{PEER} enable", "on", OLD, NEW),
    (f"{GROUP} enable", "on", "", ALL),
    (f"{PEER} graceful-shutdown", "on", "5.10 5.12", "5.9"),
    (f"{GROUP} graceful-shutdown", "on", "5.12", "5.9 5.11"),
    (f"{PEER} remote-as", "auto", ALL, ""),
    (f"{PEER} multihop-ttl", "auto", ALL, ""),
    (f"{PEER} multihop-ttl", 256, "", ALL),
    (f"{PEER} ttl-security hops", 255, "", ALL),
    (f"{PEER} password", "none", ALL, ""),
    (f"{PEER} update-source", {"interface": "lo"}, "", ALL),
    (f"{PEER} timers hold", 2, "", ALL),
    (f"{PEER} timers keepalive", "none", ALL, ""),
    (f"{PEER} timers keepalive", 0, ALL, ""),
    (f"{PEER} timers route-advertisement", 0, "", ALL),
    (f"{PEER} address-family ipv4-unicast prefix-limits inbound maximum", 0, "", ALL),
    (f"{PEER} address-family ipv4-unicast add-path-tx", "best-per-AS", "", ALL),
    ("qos advance-buffer-config A egress-service-pool 0 infinite", "true", "5.11", "5.10"),
    ("qos advance-buffer-config A egress-service-pool 0 infinite", {}, "", ALL),
    ("nve vxlan encapsulation dscp value", "af11", ALL, ""),
    ("nve vxlan encapsulation dscp value", "af14", "", ALL),
    (f"{PEER} address-family l2vpn-evpn prefix-limits inbound maximum", 1, "5.10", "5.9"),
    (f"{PEER} address-family ipv4-unicast prefix-limits inbound maximum", 300, ALL, ""),
    (
        f"{PEER} address-family l2vpn-evpn prefix-limits inbound reestablish-wait",
        65536,
        "",
        ALL,
    ),
    (
        f"{PEER} address-family ipv4-unicast prefix-limits inbound reestablish-wait",
        65536,
        "5.9",
        "5.10 5.19",
    ),
    (f"{PEER} address-family ipv4-unreachability state", "enabled", "5.16", "5.15"),
    (f"{PEER} address-family ipv4-unicast conditional-advertise exist-map", "M", ALL, ""),
    (f"{PEER} address-family ipv4-unicast conditional-advertise map", "M", "", ALL),
]
ROOT: list[Row] = [
    ("evpn mac-vrf-soo", "10.0.1.12:10", ALL, ""),
    ("evpn dad duplicate-action freeze duration", "permanent", ALL, ""),
    ("evpn dad duplicate-action freeze duration", 29, "", ALL),
    ("evpn dad duplicate-action warning-only", {}, ALL, ""),
    ("evpn vni 10 route-advertise svi-ip", "auto", ALL, ""),
    ("evpn vni 10 route-target both 65101:10", {}, ALL, ""),
    ("nve vxlan source address", "auto", "5.16 5.19", "5.9 5.15"),
    ("nve vxlan flooding head-end-replication evpn", {}, ALL, ""),
    ("nve vxlan flooding head-end-replication everyone", {}, "", ALL),
    ("nve vxlan flooding multicast-group", "224.0.0.10", ALL, ""),
    ("bridge default-vlan", 1, "5.18", "5.17"),
    ("bridge domain br_default untagged", "none", ALL, ""),
    ("bridge domain br_default vlan-vni-offset", 16773121, "", ALL),
    ("bridge domain br_default vlan 10 vni 10 mac-learning", "enabled", NEW, OLD),
    ("bridge domain br_default vlan 10 vni 10 flooding multicast-group", "224.0.0.10", ALL, ""),
    ("bridge domain br_default multicast snooping querier state", "enabled", NEW, OLD),
    ("bridge domain br_default dhcp-snoop vlan 10", {}, "5.11", "5.10"),
    ("bridge domain br_default arp-inspection vlan 10 state", "enabled", "5.18", "5.17"),
    ("acl A rule 10 match ip ecn flags tcp-cwr", {}, ALL, ""),
    ("acl A rule 10 match ip icmp-type", "echo-request", ALL, ""),
    ("acl A rule 10 match ip icmp-type", "echo", "", ALL),
    ("acl A rule 10 match inner-ip source-ip", "10.0.0.0/8", "5.16", "5.15"),
    ("acl A rule 10 match offset 1 value", "0x1", "5.16", "5.15"),
    ("acl A rule 10 match mac source-mac-mask", "00:00:00:00:00:12", ALL, ""),
    ("acl A rule 10 match mac protocol", "arp", ALL, ""),
    ("acl A rule 10 match mac protocol", "lldp", "", ALL),
    ("acl A rule 10 action police class", 8, "", ALL),
    ("acl A rule 10 action erspan ttl", 256, "", ALL),
    (f"{RELAY} source-ip", "giaddress", ALL, ""),
    (f"{RELAY} source-ip", "gateway", "", ALL),
    (f"{RELAY} agent enable", "on", "5.9 5.13", "5.14 5.19"),
    (f"{RELAY} agent use-pif-circuit-id state", "enabled", "5.14 5.19", "5.9 5.13"),
    (f"{RELAY} gateway-interface lo address", "fd00::1", "", ALL),
    (f"{RELAY} server-group G server 172.16.1.102", {}, "5.14", "5.13"),
    (f"{RELAY} server-group G server fd00::1", {}, "", ALL),
    (f"{RELAY} server-group G upstream-interface swp51-52", {}, "5.14", "5.13"),
    (f"{RELAY} downstream-interface vlan10,20 server-group-name", "G", "5.14", "5.13"),
    (f"{RELAY} server 172.16.1.102", {}, "5.9 5.13", "5.14"),
    ("service dhcp-relay6 RED interface downstream swp1 link-address", "fd00::1", ALL, ""),
    ("service dhcp-relay6 RED interface upstream swp2 server-address", "fd00::2", ALL, ""),
    ("service ntp mgmt server 192.0.2.1 iburst", "on", OLD, NEW),
    ("service ntp mgmt pool 192.0.2.1 iburst", "on", OLD, NEW),
    ("service ntp mgmt server 192.0.2.1 version", 4, "", ALL),
    ("service dns mgmt search nvidia.com", {}, OLD, NEW),
    ("service dns mgmt domain", "nvidia.com", "", ALL),
    ("service lldp state", "disabled", "5.11 5.14", "5.10 5.15"),
    ("service dhcp-server6 default interface swp1", {}, OLD, NEW),
    ("service control ptm resource-limit cpu", 10, "5.11", "5.10"),
    ("service telemetry histogram ingress-buffer sample-interval", 1024, "5.9", "5.10"),
    ("platform ps-redundancy policy", "grid-redundant", "5.15", "5.14"),
]
SYSTEM: list[Row] = [
    ("system api mtls ca-certificate", "C", "5.11 5.19", "5.10"),
    ("system api mtls crl", "C", "5.13", "5.12"),
    ("system api compression", "gzip", "5.16", "5.15"),
    ("system api compression", "off", "", ALL),
    ("system message post-logout", "bye", NEW, OLD),
    ("system dns domain", "nvidia.com", "5.14 5.15", "5.13"),
    ("system dns server 192.0.2.1 vrf", "mgmt", "5.14", "5.10"),
    ("system dns search nvidia.com priority", 1, "5.15", "5.14"),
    ("system syslog severity", "notice", "", ALL),
    ("system syslog selector S rate-limit burst", 65536, "", ALL),
    ("system syslog format welf firewall-name", "F", "5.13", "5.12"),
    ("system log secured-logs state", "enabled", "5.16", "5.15"),
    ("system snmp-server state", "enabled", "5.11 5.19", "5.10"),
    ("system snmp-server mibs cumulus-status-mib", {}, "5.11", "5.10"),
    ("system snmp-server trap-link-up check-frequency", 4, "", ALL),
    ("system lldp mode", "force-send-lldp", "5.15", "5.14"),
    ("system lldp mode", "cdp", "", ALL),
    ("system lldp tx-hold-multiplier", 8193, "", ALL),
    ("system lldp application-tlv app iSCSI priority", 3, "5.15", "5.14"),
    ("system lldp tlv egress-policy system-name state", "enabled", "5.17", "5.16"),
    ("system aaa user a state", "enabled", "5.11 5.19", "5.9 5.10"),
    ("system aaa user a enable", "on", "5.9 5.10", "5.11 5.15"),
    ("system aaa user a spiffe-id spiffe", {}, "5.12", "5.11"),
    ("system aaa user a ssh cert-auth state", "enabled", "5.13", "5.12"),
    ("system aaa class nvshow action", "allow", ALL, ""),
    ("system aaa class nvshow command-path / permission", "ro", ALL, ""),
    ("system aaa class nvshow command-path / permission", "read", "", ALL),
    ("system aaa authentication restrictions lockout-attempts", 2, "", ALL),
    ("system aaa authentication restrictions lockout-attempts", 3, "5.15", "5.14"),
    ("system aaa tacacs server 192.0.2.1 priority", 1, "5.12 5.19", "5.11"),
    ("system aaa tacacs server 1 host", "192.0.2.1", "5.11", "5.12"),
    ("system aaa tacacs enable", "on", "5.11", "5.12 5.14"),
    ("system aaa tacacs source-ip", "fd00::1", "", ALL),
    ("system aaa tacacs accounting send-records", "first-response", ALL, ""),
    ("system aaa tacacs debug-level", 3, "", ALL),
    ("system ssh-server permit-root-login", "on", "", ALL),
    ("system ssh-server strict", "disabled", OLD, NEW),
    ("system ssh-server login-record-period", 1, "5.10", "5.9"),
    ("system ssh-server max-unauthenticated session-count", 10001, "", ALL),
    ("system security encryption db state", "disabled", "5.10", "5.9"),
    ("system link flap-protection interval", 61, "5.11 5.19", "5.9 5.10"),
    ("system link-tracking group G state-change-action", "control-plane-action", "5.18", "5.17"),
    ("system link-tracking group G state-change-action", "shutdown", "", "5.18 5.19"),
    ("system forwarding resource-mode", "half", "5.15", "5.14"),
    ("system forwarding host-route-preference", "route", ALL, ""),
    ("system forwarding ecmp-hash source-ip", "enabled", NEW, OLD),
    ("system forwarding ecmp-hash source-mac", "enabled", "", ALL),
    ("system forwarding lag-hash source-mac", "enabled", NEW, OLD),
    ("system forwarding ecmp-weight-normalisation mode", "enabled", ALL, ""),
    ("system forwarding ecmp-weight-normalisation max-hw-weight", 8, "5.10", "5.9"),
    ("system forwarding ecmp-weight-normalisation max-hw-weight", 9, "5.10", "5.9"),
    ("system forwarding programming log-level", "trace", "", ALL),
    ("system global reserved vlan l3-vni-vlan begin", 4094, "", ALL),
    ("system global reserved routing-table pbr begin", 9999, "", ALL),
    ("system control-plane policer bfd rate", 50001, "", ALL),
    ("system control-plane trap l3-mtu-err state", "enabled", NEW, OLD),
    ("system control-plane acl A inbound control-plane", {}, ALL, ""),
    ("system counter polling-interval physical-interface", 11, "", ALL),
    ("system docker state", "disabled", "5.13 5.16", "5.12 5.17 5.18"),
    ("system docker vrf", "mgmt", "5.13 5.19", "5.12"),
    ("system do-spx profile leaf uplink swp1-32 breakout", "4x", "5.18", "5.17"),
    ("system do-spx profile border uplink swp1 breakout", "4x", "", "5.18"),
    ("system telemetry interface-stats sample-interval", 1, "5.10", "5.9"),
    ("system telemetry buffer-stats sample-interval", 1, "5.12", "5.11"),
    ("system telemetry router sample-interval", 61, "", ALL),
    ("system telemetry lldp export state", "enabled", "5.13", "5.12"),
    ("system telemetry stats-group G", {}, "5.12", "5.11"),
    ("system telemetry label L description", "x", "5.11", "5.10"),
    ("system telemetry latency-measurement state", "enabled", "5.15", "5.14"),
    (f"{OTLP} stats-group", "G", "5.12", "5.11"),
    (f"{OTLP} client-certificate", "C", "5.16", "5.15"),
]
ROWS = [*INTERFACE, *QOS, *ROUTING, *ROOT, *SYSTEM]


def document(path: str, value: Any) -> Any:
    """The document that holds `value` at a path of words."""
    for word in reversed(path.split()):
        value = {word: value}
    return value


def accepts(release: str, path: str, value: Any) -> bool:
    """Check whether the model of a release takes the value at the path."""
    return not load(Release.parse(release)).check(document(path, value), [], patch=False)


@pytest.mark.parametrize("path, value, accepted, refused", ROWS)
def test_a_documented_command(path: str, value: Any, accepted: str, refused: str) -> None:
    assert [release for release in accepted.split() if not accepts(release, path, value)] == []
    assert [release for release in refused.split() if accepts(release, path, value)] == []


def test_json_types_are_strict() -> None:
    path = "interface swp1 link mtu"
    assert [value for value in (1500, "1500", 1500.0, True) if accepts("5.18", path, value)] == [
        1500
    ]


@pytest.mark.parametrize("release", ALL.split())
def test_each_release_refuses_a_wrong_key_type_and_range(release: str) -> None:
    wrong = [
        ("link rate", "400G"),
        ("link mtu", "big"),
        ("link mtu", 9217),
        ("bond member 1", {}),
    ]
    assert [row for row in wrong if accepts(release, f"interface swp1 {row[0]}", row[1])] == []


def test_a_release_after_the_newest_schema_is_judged_by_it(
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert (
        load(Release.parse("5.19.99")).judged_by == load(Release.parse("6.0")).judged_by == "5.18"
    )
    assert load(Release.parse("5.18.99")).judged_by == "5.18"
    assert [record.getMessage() for record in caplog.records] == [
        "5.19: judged by the schema of 5.18",
        "6.0: judged by the schema of 5.18",
    ]


@pytest.mark.parametrize("mode", ["control-plane", "kernel", "hardware"])
def test_the_mode_of_bfd_offload_comes_in_the_place_of_its_switch(mode: str) -> None:
    """5.19 replaces `router bfd offload` by a mode (NVIDIA's What's New); the schema ends with 5.18."""
    place = "router bfd offload-mode"
    taken = [accepts(release, place, mode) for release in ("5.18.0", "5.19.0", "6.0")]
    assert taken == [False, True, True]
    assert not accepts("5.19.0", place, "enabled")
    filled = load(Release.parse("5.19.0")).fill({"router": {"bfd": {"state": "enabled"}}}, [])
    assert filled["router"]["bfd"]["offload-mode"] == "control-plane"


def test_our_own_rows_say_what_the_schema_does_not() -> None:
    data = schema.DATA
    nvidia = json.loads((data / "nvue_schema.json").read_text("utf-8"))["paths"]
    ours = yaml.safe_load((data / "beyond.yml").read_text("utf-8"))
    named = [
        path
        for kind in ("default", "choice", "secret")
        for page in ours[kind].values()
        for path in page
    ]
    nodes = {path for rows in ours["node"].values() for path in rows}
    assert [path for path in named if path not in nvidia and path not in nodes] == []
    gone = {path: first for rows in ours["gone"].values() for path, first in rows.items()}
    assert all(nvidia[path][-1][1] < first for path, first in gone.items())
    for rows in ours["node"].values():
        for path, spans in rows.items():
            theirs = nvidia.get(path, [])
            assert [
                kind
                for first, last, *kinds in spans
                for begin, end, *published in theirs
                if begin <= last and first <= end
                for kind in published
                if kind not in kinds
            ] == [], f"{path}: a row that NVIDIA has may only add kinds"


BOND = {"bond": {"member": {"swp1": {}}}}
FULL = {"server": {"192.0.2.1": {}}, "upstream-interface": {"vlan4024_l3": {}}}
VXLAN = {"state": "enabled", "source": {"address": "auto"}}
LOOPBACK = {"lo": {"ipv4": {"address": {"10.0.0.1/32": {}}}}}


def tied(segment: Any, **others: Any) -> Any:
    """An interface with an Ethernet segment."""
    return {"evpn": {"multihoming": {"segment": segment}}, **others}


@pytest.mark.parametrize(
    "doc, says",
    [
        ({"interface": {"bond1": tied({"local-id": 1, "mac-address": "44"}, **BOND)}}, ""),
        ({"interface": {"bond1": tied({"local-id": 1}, **BOND)}}, "mac-address is required"),
        (
            {
                "evpn": {"multihoming": {"segment": {"mac-address": "44"}}},
                "interface": {"bond1": tied({"local-id": 1}, **BOND)},
            },
            "",
        ),
        (
            {
                "interface": {
                    "bond1": tied({"local-id": 1, "identifier": "", "mac-address": "44"}, **BOND)
                }
            },
            "exclude each other",
        ),
        ({"interface": {"swp1": tied({"local-id": 1, "mac-address": "44"})}}, "bonds only"),
        ({"service": {"dhcp-relay": {"RED": {"server-group": {"G": FULL}}}}}, ""),
        (
            {"service": {"dhcp-relay": {"RED": {"server-group": {"G": {"server": {"a": {}}}}}}}},
            "requires a server and an upstream interface",
        ),
        (
            {
                "service": {
                    "dhcp-relay": {
                        "RED": {"downstream-interface": {"vlan10": {"server-group-name": "G"}}}
                    }
                }
            },
            "server group G does not exist",
        ),
        ({"interface": {"swp8": {"link-tracking": {"group": "G"}}}}, "group G does not exist"),
        ({"bridge": {"domain": {"br_default": {"stp": {"priority": 8192}}}}}, ""),
        ({"bridge": {"domain": {"br_default": {"stp": {"priority": 8193}}}}}, "multiple of 4096"),
        ({"nve": {"vxlan": VXLAN}, "interface": LOOPBACK}, ""),
        ({"nve": {"vxlan": VXLAN}}, "auto is no address of interface lo"),
    ],
)
def test_objects_that_belong_together(doc: Any, says: str) -> None:
    reasons = [b.reason for b in rules.check(doc, Release.parse("5.18"), MODELS["SN5600"])]
    assert [reason for reason in reasons if says not in reason or not says] == []
    assert bool(reasons) == bool(says)


TENANT = {
    "bridge": {
        "domain": {
            "br_default": {
                "type": "vlan-aware",
                "stp": {"priority": 8192},
                "vlan": {"200": {"vni": {"4200": {}}}},
            }
        }
    },
    "evpn": {"state": "enabled", "multihoming": {"state": "enabled"}},
    "interface": {
        **LOOPBACK,
        "bond1": {
            "type": "bond",
            "bond": {"member": {"swp1": {}}, "lacp-bypass": "enabled"},
            "bridge": {"domain": {"br_default": {"vlan": {"200": {}}, "untagged": 200}}},
            "evpn": {
                "multihoming": {
                    "segment": {
                        "state": "enabled",
                        "local-id": 10,
                        "mac-address": "44:38:39:FF:00:AA",
                    }
                }
            },
            "link-tracking": {"group": "UPLINKS"},
        },
        "swp33": {"evpn": {"multihoming": {"uplink": "enabled"}}},
        "swp2.100": {"type": "sub", "base-interface": "swp2", "vlan": 100, "vrf": "RED"},
        "vlan200": {
            "type": "svi",
            "vlan": 200,
            "vrf": "RED",
            "ipv4": {
                "address": {"10.2.0.2/24": {}},
                "vrr": {
                    "state": "enabled",
                    "vrr-state": {"up": {}},
                    "address": {"10.2.0.1/24": {}},
                    "mac-address": "00:00:5E:00:01:00",
                },
            },
        },
    },
    "nve": {"vxlan": {**VXLAN, "arp-nd-suppress": "enabled"}},
    "router": {
        "bgp": {"state": "enabled", "autonomous-system": 65001, "router-id": "10.0.0.1"},
        "vrr": {"state": "enabled"},
    },
    "service": {
        "dhcp-relay": {
            "RED": {
                "server-group": {"G": FULL},
                "downstream-interface": {"vlan200": {"server-group-name": "G"}},
                "source-ip": "giaddress",
            }
        }
    },
    "system": {
        "link-tracking": {
            "state": "enabled",
            "group": {"UPLINKS": {"watch-interface": {"swp33-64": {}}, "min-links": 8}},
        }
    },
    "vrf": {
        "RED": {
            "evpn": {"state": "enabled", "vlan": 3001, "vni": {"5001": {}}},
            "loopback": {"ip": {"address": {"10.3.0.1/32": {}}}},
            "router": {
                "bgp": {
                    "state": "enabled",
                    "neighbor": {
                        "10.4.0.1": {
                            "type": "numbered",
                            "remote-as": 65100,
                            "password": "of-two-peers",
                            "ttl-security": {"state": "enabled", "hops": 1},
                            "address-family": {
                                "ipv4-unicast": {
                                    "state": "enabled",
                                    "prefix-limits": {
                                        "inbound": {"maximum": 300, "warning-threshold": 80}
                                    },
                                }
                            },
                        }
                    },
                }
            },
        }
    },
}


def test_a_leaf_with_hosts_on_bonds_is_accepted() -> None:
    release = Release.parse("5.18")
    model = load(release)
    assert model.check(TENANT, [], patch=False) == []
    assert rules.check(model.canonical(TENANT), release, MODELS["SN5600"]) == []


def test_defaults_that_the_pages_state_are_filled_in() -> None:
    model = load(Release.parse("5.18"))
    filled = model.fill({"evpn": {"multihoming": {}}, "system": {"link-tracking": {}}}, [])
    assert filled["evpn"]["multihoming"]["mac-holdtime"] == 1080
    assert filled["evpn"]["multihoming"]["startup-delay"] == 180
    group = model.fill({"watch-interface": {}}, ["system", "link-tracking", "group", "G"])
    assert group["state-change-action"] == "protodown-target-interface"
    assert group["min-links"] == 1


def bonded(*ports: str, **others: Any) -> Any:
    """A bond of ports."""
    return {"type": "bond", "bond": {"member": {port: {} for port in ports}}, **others}


def bridged(**words: Any) -> Any:
    """A port of the bridge."""
    return {"bridge": {"domain": {"br_default": words}}}


def addressed(text: str = "10.9.0.0/31") -> Any:
    """An interface with an address."""
    return {"ipv4": {"address": {text: {}}}}


SEGMENT = {"state": "enabled", "local-id": 7, "mac-address": "44:38:39:ff:02:00"}
SAME_SEGMENT = {**SEGMENT, "mac-address": "44:38:39:FF:02:00"}
MULTIHOMED = {"evpn": {"multihoming": {"state": "enabled"}}}


def leaking(vrf: str, **bgp: Any) -> Any:
    """A VRF that takes routes of another one."""
    family = {"ipv4-unicast": {"route-import": {"from-vrf": {"list": {vrf: {}}}}}}
    return {"router": {"bgp": {"address-family": family, **bgp}}}


@pytest.mark.parametrize(
    "doc, says",
    [
        ({**MULTIHOMED, "interface": {"bond1": bonded("swp1")}}, ""),
        ({**MULTIHOMED, "mlag": {"state": "enabled"}}, "cannot be configured on one switch"),
        (
            {
                **MULTIHOMED,
                "interface": {"bond1": {"bond": {"member": {"swp1": {}}, "mlag": {"id": 1}}}},
            },
            "cannot be configured on one switch",
        ),
        (
            {
                "interface": {
                    "bond1": tied(SEGMENT, **bonded("swp1")),
                    "bond2": tied(SAME_SEGMENT, **bonded("swp2")),
                }
            },
            "local-id 7 is that of bond1",
        ),
        ({"interface": {"bond1": bonded("swp1"), "bond2": bonded("swp1")}}, "in bond1 already"),
        ({"interface": {"bond1": bonded("vlan10")}}, "only ports"),
        ({"interface": {"bond1": bonded("swp1"), "swp1": addressed()}}, "ipv4 address of its own"),
        (
            {"vrf": {"RED": {}}, "interface": {"bond1": bonded("swp1"), "swp1": {"vrf": "RED"}}},
            "cannot have a VRF",
        ),
        (
            {"interface": {"bond1": bonded("swp1"), "swp1": bridged(access=10)}},
            "cannot have a bridge domain",
        ),
        (
            {"interface": {"bond1": bonded("swp1"), "swp1.30": {"type": "sub"}}},
            "cannot have a subinterface",
        ),
        ({"interface": {"swp1.30": {"base-interface": "swp1", "vlan": 30}}}, ""),
        ({"interface": {"swp1.30": {"base-interface": "swp1", "vlan": 31}}}, "does not fit"),
        ({"interface": {"swp1.30": {"base-interface": "swp2"}}}, "does not fit"),
        (
            {
                "interface": {
                    "swp1.30": {},
                    "one": {"type": "sub", "base-interface": "swp1", "vlan": 30},
                }
            },
            "VLAN 30 of swp1 is that of swp1.30",
        ),
        ({"interface": {"one": {"type": "sub", "base-interface": "swp1"}}}, "vlan is required"),
        ({"interface": {"swp1": bridged(), "swp1.30": {}}}, "swp1 is a port of a bridge"),
        ({"interface": {"swp1": {**bridged(access=10), **addressed()}}}, "ipv4 address of its own"),
        (
            {"interface": {"swp1": bridged(access=10, vlan={"20": {}})}},
            "excludes untagged and vlan",
        ),
        ({"interface": {"swp1": bridged(untagged=10, vlan={"20": {}})}}, ""),
        ({"interface": {"swp1": {"bridge": {"domain": {"a": {}, "b": {}}}}}}, "one bridge only"),
        ({"bridge": {"domain": {"br_default": {"vlan": {"3724": {}}}}}}, ""),
        (
            {"bridge": {"domain": {"br_default": {"vlan": {"3725": {}}}}}},
            "reserved for internal use",
        ),
        ({"interface": {"swp1": bridged(access=3999)}}, "reserved for internal use"),
        ({"interface": {"vlan4000": {"type": "svi"}}}, "reserved for L3 VNIs"),
        (
            {
                "system": {"global": {"reserved": {"vlan": {"internal": {"range": "100-400"}}}}},
                "bridge": {"domain": {"br_default": {"vlan": {"3725": {}, "100": {}}}}},
            },
            "VLAN 100 is in the range 100-400",
        ),
        ({"vrf": {"RED": {"evpn": {"vlan": 3001}}, "BLUE": {"evpn": {"vlan": 3002}}}}, ""),
        (
            {"vrf": {"RED": {"evpn": {"vlan": 3001}}, "BLUE": {"evpn": {"vlan": 3001}}}},
            "VLAN 3001 is used by RED",
        ),
        (
            {
                "vrf": {"RED": {"evpn": {"vlan": 30}}},
                "bridge": {"domain": {"br_default": {"vlan": {"30": {}}}}},
            },
            "VLAN 30 is used by a bridge",
        ),
        ({"interface": {"vlan10": {"type": "svi", "vlan": 11}}}, "not the VLAN of the name"),
        ({"vrf": {"RED": leaking("BLUE"), "BLUE": {}}}, ""),
        ({"vrf": {"RED": leaking("BLUE")}}, "VRF BLUE does not exist"),
        ({"vrf": {"RED": leaking("RED")}}, "or is this one"),
        (
            {"vrf": {"RED": leaking("BLUE", **{"autonomous-system": 65001}), "BLUE": {}}},
            "another autonomous-system",
        ),
        (
            {
                "router": {
                    "policy": {
                        "route-map": {
                            "M": {
                                "rule": {
                                    "1": {
                                        "action": {"permit": {}},
                                        "match": {"community-list": "C"},
                                    }
                                }
                            }
                        }
                    }
                }
            },
            "community-list C does not exist",
        ),
        (
            {"vrf": {"RED": {"router": {"bgp": {"peer-group": {"G": {"bfd": {"profile": "P"}}}}}}}},
            "BFD profile P does not exist",
        ),
        (
            {"service": {"dhcp-relay": {"RED": {"interface": {"vlan10": {}}}}}},
            "interfaces and servers",
        ),
    ],
)
def test_what_a_converged_leaf_may_not_have(doc: Any, says: str) -> None:
    reasons = [b.reason for b in rules.check(doc, Release.parse("5.18"), MODELS["SN5600"])]
    assert [reason for reason in reasons if says not in reason or not says] == []
    assert bool(reasons) == bool(says)
