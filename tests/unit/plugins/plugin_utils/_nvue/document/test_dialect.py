# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import dialect
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import (
    Doc,
    merge,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError

PORT = "interface/swp1"


def at(place: str, value: object) -> Doc:
    for key in reversed(place.replace("%2F", "\0").split("/")):
        value = {key.replace("\0", "/"): value}
    assert isinstance(value, dict)
    return value


# (release, neutral, spelled): what reads the same in both directions
PAIRS: list[tuple[str, Doc, Doc]] = [
    ("5.14", at(f"{PORT}/vrf", "RED"), at(f"{PORT}/ip/vrf", "RED")),
    (
        "5.14",
        {"interface": {"swp1": {
            "ipv4": {"address": {"10.0.0.1/31": {}}, "gateway": {"10.0.0.0": {}},
                     "forward": "enabled"},
            "ipv6": {"address": {"fd00::1/64": {}}, "state": "disabled"}}}},
        {"interface": {"swp1": {"ip": {
            "address": {"10.0.0.1/31": {}, "fd00::1/64": {}},
            "gateway": {"10.0.0.0": {}},
            "ipv4": {"forward": "on"},
            "ipv6": {"enable": "off"}}}}},
    ),
    ("5.14", at("interface/eth0/ipv4/dhcp-client/state", "enabled"),
     at("interface/eth0/ip/address/dhcp", {})),
    ("5.14", at("router/bgp/state", "enabled"), at("router/bgp/enable", "on")),
    ("5.14", at("router/adaptive-routing/state", "disabled"),
     at("router/adaptive-routing/enable", "off")),
    ("5.14", at("nve/vxlan/arp-nd-suppress", "enabled"), at("nve/vxlan/arp-nd-suppress", "on")),
    ("5.14", at(f"{PORT}/qos/pfc-watchdog/state", "enable"),
     at(f"{PORT}/qos/pfc-watchdog/state", "enable")),
    ("5.14", at(f"{PORT}/link/state/up", {}), at(f"{PORT}/link/state/up", {})),
    ("5.14", at(f"{PORT}/link/fec", "off"), at(f"{PORT}/link/fec", "off")),
    ("5.14", at("router/bgp/graceful-restart/mode", "off"),
     at("router/bgp/graceful-restart/mode", "off")),
    ("5.14", at("system/api/state", "enabled"), at("system/api/state", "enabled")),
    ("5.14", at("system/ssh-server/permit-root-login", "disabled"),
     at("system/ssh-server/permit-root-login", "disabled")),
    ("5.10", at("system/config/auto-save/state", "enabled"),
     at("system/config/auto-save/state", "enabled")),
    ("5.9", at("system/config/auto-save/state", "enabled"),
     at("system/config/auto-save/enable", "on")),
    ("5.14", {"system": {"lldp": {"tx-interval": 5, "state": "enabled"}}},
     {"service": {"lldp": {"tx-interval": 5, "state": "enabled"}}}),
    (
        "5.14",
        {"system": {"ntp": {"state": "enabled", "vrf": "mgmt", "listen": {"eth0": {}},
                            "server": {"192.0.2.1": {"iburst": "enabled"}}}}},
        {"service": {"ntp": {"mgmt": {"listen": "eth0",
                                      "server": {"192.0.2.1": {"iburst": "on"}}}}}},
    ),
    (
        "5.14",
        {"system": {"dns": {"server": {"192.0.2.1": {"vrf": "mgmt"},
                                       "192.0.2.2": {"vrf": "default"}}}}},
        {"service": {"dns": {"mgmt": {"server": {"192.0.2.1": {}}},
                             "default": {"server": {"192.0.2.2": {}}}}}},
    ),
    (
        "5.12",
        {"system": {"syslog": {"server": {"192.0.2.1": {"vrf": "mgmt", "port": 514}}}}},
        {"service": {"syslog": {"mgmt": {"server": {"192.0.2.1": {"port": 514}}}}}},
    ),
    ("5.13", at("system/syslog/server/192.0.2.1/vrf", "mgmt"),
     at("system/syslog/server/192.0.2.1/vrf", "mgmt")),
    ("5.14", at("system/date-time/timezone", "Etc/UTC"), at("system/timezone", "Etc/UTC")),
    ("5.15", at("system/date-time/timezone", "Etc/UTC"),
     at("system/date-time/timezone", "Etc/UTC")),
    ("5.10", at("system/snmp-server/listening-address/all/vrf", "mgmt"),
     at("service/snmp-server/listening-address/all/vrf", "mgmt")),
    ("5.11", at("system/snmp-server/listening-address/all/vrf", "mgmt"),
     at("system/snmp-server/listening-address/all/vrf", "mgmt")),
    ("5.9", at("system/telemetry/histogram/counter/histogram-size", 1024),
     at("service/telemetry/histogram/counter/histogram-size", 1024)),
    ("5.14", at("system/telemetry/state", "enabled"), at("system/telemetry/enable", "on")),
    ("5.14", at("system/telemetry/export/otlp/grpc/certificate", "c1"),
     at("system/telemetry/export/otlp/grpc/cert-id", "c1")),
    ("5.13", at("system/telemetry/ai-ethernet-stats/sample-interval", 30),
     at("system/telemetry/adaptive-routing-stats/sample-interval", 30)),
    ("5.10", at("qos/advance-buffer-config/P/ingress-service-pool/0/memory-percent", 5),
     at("qos/advance-buffer-config/P/ingress-pool/0/memory-percent", 5)),
    ("5.10", at("vrf/mgmt/router/static/0.0.0.0%2F0/via/eth0/interface/eth0", {}),
     at("vrf/mgmt/router/static/0.0.0.0%2F0/via/eth0/interface", "eth0")),
    ("5.13", at("vrf/A/router/bgp/address-family/ipv4-unicast/route-import/from-vrf/list/B", {}),
     at("vrf/A/router/bgp/address-family/ipv4-unicast/route-import/from-vrf/list/B", {})),
    ("5.14", at("vrf/A/dhcp-server-v4/subnet/p1/ping-check", "enabled"),
     at("service/dhcp-server/A/pool/p1/ping-check", "on")),
    ("5.14", at("vrf/A/loopback/ip/address/10.0.0.1%2F32", {}),
     at("vrf/A/loopback/ip/address/10.0.0.1%2F32", {})),
    (
        "5.14",
        {"router": {"bfd": {"state": "enabled", "profile": {"bfd-3-100-300": {
            "detect-multiplier": 3, "min-rx-interval": 100, "min-tx-interval": 300}}}},
         **at("vrf/default/router/bgp/peer-group/up/bfd/profile", "bfd-3-100-300")},
        at("vrf/default/router/bgp/peer-group/up/bfd", {
            "enable": "on", "detect-multiplier": 3, "min-rx-interval": 100,
            "min-tx-interval": 300}),
    ),
]  # fmt: skip


@pytest.mark.parametrize("release, neutral, spelled", PAIRS)
def test_every_rename_in_both_directions(release: str, neutral: Doc, spelled: Doc) -> None:
    assert dialect.to_release(neutral, parse(release)) == spelled
    assert dialect.from_release(spelled, parse(release)) == neutral


def test_all_renames_at_once_do_not_disturb_each_other() -> None:
    neutral: Doc = {}
    spelled: Doc = {}
    for release, new, old in PAIRS:
        if release == "5.14":
            neutral, spelled = merge(neutral, new), merge(spelled, old)
    assert dialect.to_release(neutral, parse("5.14.0")) == spelled
    assert dialect.from_release(spelled, parse("5.14.0")) == neutral


@pytest.mark.parametrize("release", ["5.15", "5.16.1", "5.18"])
def test_from_5_15_on_nothing_is_renamed(release: str) -> None:
    neutral = at(f"{PORT}/vrf", "RED")
    assert dialect.to_release(neutral, parse(release)) == neutral
    assert dialect.from_release(neutral, parse(release)) == neutral


@pytest.mark.parametrize(
    "release, doc, sentence",
    [
        ("5.8", {}, "The switch runs 5.8.0; 5.9.0 is the oldest release"),
        (
            "5.17",
            at("vrf/T/router/bgp/plane-id", 1),
            "vrf/T/router/bgp/plane-id: no key of Cumulus Linux 5.17, only of 5.18: leave it out",
        ),
        (
            "5.11",
            at("qos/roce/mode", "lossless-single-ipool"),
            'qos/roce/mode: "lossless-single-ipool": allowed: lossy, lossless: change it',
        ),
        (
            "5.17",
            at("system/docker/state", "enabled"),
            "system/docker/state: no key of Cumulus Linux 5.17, only of 5.15 to 5.16: leave it out",
        ),
        (
            "5.14",
            at("interface/swp1/ipv4/vrrp/state", "enabled"),
            "interface/swp1/ipv4: no key of Cumulus Linux 5.14, only of 5.15 to 5.18: leave it out",
        ),
        (
            "5.14",
            at("system/dns/domain", "example.net"),
            "system/dns/domain has no spelling in 5.14.0",
        ),
        ("5.14", at("system/ntp/state", "disabled"), "system/ntp/state cannot be disabled"),
        (
            "5.14",
            at("system/ntp/listen", {"eth0": {}, "eth1": {}}),
            "service/ntp/default/listen has the members eth0, eth1; 5.14.0 takes one.",
        ),
        (
            "5.14",
            at("vrf/A/router/bgp/neighbor/swp1/bfd/profile", "up"),
            "The BFD profile up is used by a BGP peer but not defined",
        ),
        (
            "5.14",
            {
                **at("router/bfd/profile/up/minimum-ttl", 250),
                **at("vrf/A/router/bgp/neighbor/swp1/bfd/profile", "up"),
            },
            "router/bfd/profile/up/minimum-ttl has no spelling in 5.14.0",
        ),
    ],
)
def test_what_a_release_cannot_say_is_refused(release: str, doc: Doc, sentence: str) -> None:
    with pytest.raises(RefusedError) as refused:
        dialect.to_release(doc, parse(release))
    assert sentence in str(refused.value)


def test_what_has_no_old_name_is_brought_into_the_form_of_a_read_back() -> None:
    wish = {
        "router": {"bfd": {"profile": {"underlay": {"min-rx-interval": 100}, "unused": {}}}},
        "system": {"ntp": {"server": {"192.0.2.1": {}}}},
        **at("vrf/default/router/bgp/neighbor/swp1/bfd/profile", "underlay"),
    }
    once = dialect.from_release(dialect.to_release(wish, parse("5.14")), parse("5.14"))
    assert once["vrf"]["default"]["router"]["bgp"]["neighbor"]["swp1"] == {
        "bfd": {"profile": "bfd-3-100-300"}
    }
    assert list(once["router"]["bfd"]["profile"]) == ["bfd-3-100-300"]
    assert once["system"]["ntp"]["vrf"] == "default"
    assert dialect.from_release(dialect.to_release(once, parse("5.14")), parse("5.14")) == once


def test_several_ntp_vrfs_stay_as_the_switch_spells_them() -> None:
    spelled = {
        "service": {"ntp": {"mgmt": {"server": {"a": {}}}, "default": {"server": {"b": {}}}}}
    }
    assert dialect.from_release(spelled, parse("5.14")) == spelled
