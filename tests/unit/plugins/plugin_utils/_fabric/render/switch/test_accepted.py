# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every choice that a description or a role offers, as documents that a strict switch takes.

The double knows the object model from the vendor's documents, not from this renderer. From the factory
to the plan is one revision; after it nothing differs, whatever the release.
"""

from __future__ import annotations

import pytest
import yaml
from nvue_double.testing import running_doubles

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.connection import Endpoint
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.converge import (
    Terms,
    converge,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import Wish
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.client import Limits
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.port import (
    HttpsPort,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    with_core,
)

RELEASES = ("5.14.0", "5.16.1", "5.18.0")
LIMITS = Limits(poll_first=0.005, poll_most=0.05)
TWO, THREE = ("leaf-p1-su001-r1", "spine-p1-s01"), ("super-spine-p1-g01-s01",)
SERVICES = {
    "domain": "fabric.example",
    "ntp": ["192.0.2.10", "ntp.example"],
    "dns": ["192.0.2.53", "2001:db8::53"],
    "syslog": ["192.0.2.20:1514", "log.example"],
    "telemetry": ["192.0.2.30:4317", "192.0.2.31:4318"],
}
OLD_TOO = {"accept_releases": ["5.14"]}
BASE = {
    "timezone": "Etc/UTC",
    "snmp": {"community": "a-community", "networks": ["192.0.2.0/24"]},
    "banner": {"pre-login": "Authorised access only", "post-login": "Welcome"},
    "users": {
        "ops": {
            "hashed_password": "$6$salt$hash",
            "role": "nvue-admin",
            "full_name": "Operations",
            "ssh_keys": {"laptop": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI me@example"},
        }
    },
}
VERIFIED = {
    "telemetry_certificate": "ca",
    "api_certificate": "own",
    "telemetry_certificates": {"192.0.2.31": "ca"},
    "telemetry_groups": ["histogram"],
}
BUFFERS = {"ingress-lossless-buffer": {"shared-alpha": "alpha_2"}}
QUALITY = {"ecn": {"3": {"min-threshold": 200000}}, "cnp_shaper_kbps": 1000000}
TENANTS = (
    "tenants: [{id: 21, slug: acme, nodes: [su01/h01]}, {id: 22, slug: globex, nodes: [su01/h03]}]\n"
    "rest: [{nodes: [su01/h02], acceptance: burn-in}]\n"
)
NUMBERED = {"profile": "octet-v4", "inter_switch": "numbered-31"}

# example, what its description changes, options of roles, switches
CASES = {
    "two tiers": ("lab", {}, {}, TWO),
    "tenants": ("lab", {}, {"tenants": TENANTS}, TWO[:1]),
    "three tiers": ("lab-3tier", {}, {}, THREE),
    "spine of three tiers": ("lab-3tier", {}, {}, ("spine-p1-pod02-s02",)),
    "links of /31": ("lab", {"addressing": NUMBERED}, {}, TWO),
    "links of /127": ("lab", {"addressing": {**NUMBERED, "inter_switch": "numbered-127"}}, {}, TWO),
    "IPv6": ("lab", {"addressing": {"profile": "nvidia-guide-v6"}}, {"tenants": TENANTS}, TWO),
    "EVPN between loopbacks": ("lab", {"routing": {"evpn": "loopbacks"}}, {}, TWO),
    "graceful restart": ("lab", {"routing": {"restart": "issu"}, **OLD_TOO}, {}, TWO[1:]),
    "BFD": ("lab", {"routing": {"restart": "bfd", "evpn": "loopbacks"}}, {}, TWO),
    "no adaptive routing": ("lab", {"routing": {"adaptive_routing": False}}, {}, TWO[:1]),
    "services": ("lab", {"management": SERVICES, **OLD_TOO}, BASE, TWO[:1]),
    "verified collectors": ("lab", {"management": SERVICES, **OLD_TOO}, VERIFIED, TWO[1:]),
    "quality of service": ("lab", {}, {**QUALITY, "advanced_buffers": BUFFERS}, TWO[:1]),
    "other shares": ("lab", {"qos": {"lossless_percent": 70, "lossy_percent": 30}}, {}, TWO[:1]),
    "maintenance": ("lab", {}, {"maintenance": True}, TWO[1:]),
    "planes of split ports": ("b300-4096", {}, {}, ("leaf-p2-su008-r8",)),
}


def planned(fabric, device, options):
    """Return the context of a switch, with its tenants."""
    stated = dict(options)
    registry = Registry.parse(fabric, stated.pop("tenants", "tenants: []"))
    return compose.context(fabric, device, options=stated, tenants=registry)


def wish(fabric, device, options):
    """Return the wish of all roles together for a switch."""
    ctx = planned(fabric, device, options)
    return Wish(compose.render(ctx), state="replaced", owns=tuple(compose.owns(ctx)))


def bring(double, planned):
    """Bring a double to a wish."""
    endpoint = Endpoint(double.host, double.port, ca=double.ca_file)
    api = Api(HttpsPort(endpoint), Auth(double.username, double.password))
    return converge(api, planned, Terms(), LIMITS)


@pytest.mark.parametrize("case", CASES)
def test_a_switch_takes_it_and_keeps_it_as_it_was_sent(load, case):
    example, changes, options, devices = CASES[case]
    fabric = load(example, **changes)
    started = [{"release": release, "step_seconds": 0.0} for release in RELEASES]
    for device in devices:
        planned = wish(fabric, device, options)
        with running_doubles(started) as doubles:
            for double in doubles:
                assert bring(double, planned).changed
                again = bring(double, planned)
                assert (again.changed, again.changes) == (False, [])
                assert double.violations == []


OUTSIDE = (
    "{name: isp, link: isp-a, address: 192.0.2.0/31, peer_address: 192.0.2.1, asn: 64496, network: front-end, "
    "bfd: true, prefixes: [198.51.100.0/24]}"
)
BESIDE = (
    "{name: plain, link: isp-a, asn: 64497, network: storage, vlan: 3500, default: false, "
    "prefixes: [10.217.0.0/24]}, "
    "{name: far, link: isp-b, address: 203.0.113.0/31, peer_address: 203.0.113.1, asn: 64496, ttl_security: 1}"
)
"""A session without addresses, and one with security of its TTL."""
SIX = {
    "10.217.0.0/24": "2001:db8:a::/64",
    "192.0.2.0/31, peer_address: 192.0.2.1": "'2001:db8::/127', peer_address: '2001:db8::1'",
    "203.0.113.0/31, peer_address: 203.0.113.1": "'2001:db8:1::/127', peer_address: '2001:db8:1::1'",
    "198.51.100.0/24": "'2001:db8:2::/48'",
}
"""Values of the sessions where links of nodes have IPv6, for those with IPv4."""
NETWORKS = (
    "tenants:\n"
    "  - id: 21\n    slug: acme\n    networks: [east-west, front-end, storage]\n    nodes: [su01/h01]\n"
    f"    external_peers: [{OUTSIDE}, {BESIDE}]\n"
    "  - {id: 22, slug: beta, networks: [east-west, front-end, storage], nodes: [su01/h02]}\n"
)
ROUTED = {"attachment": "routed"}
# what the networks change, switches
CONVERGED = {
    "bonds": (
        {},
        (
            "front-end-leaf-001-1",
            "storage-leaf-001-1",
            "border-leaf-01-1",
            "border-leaf-01-2",
            "converged-spine-s01",
        ),
    ),
    "shared storage": ({"storage": {"mode": "shared"}}, ("storage-leaf-001-1",)),
    "routed": (
        {"front_end": ROUTED, "storage": ROUTED},
        ("front-end-leaf-001-1", "storage-leaf-001-1"),
    ),
    "routed, IPv6": (
        {
            "front_end": {**ROUTED, "provisioning": {"servers": ["2001:db8:5::/48"]}},
            "storage": {**ROUTED, "arrays": [], "array_prefixes": ["2001:db8:a::/48"]},
        },
        ("front-end-leaf-001-1", "storage-leaf-001-1", "border-leaf-01-1"),
    ),
    "core": ({"core": {}}, ("converged-core-1", "converged-core-2")),
}
EXAMPLE = INVENTORIES / "lab-converged" / "model" / "fabric.yml"


def converged(load, case):
    """Return the fabric of a case, the text of its tenants, and its switches."""
    changes, devices = CONVERGED[case]
    stated = yaml.safe_load(EXAMPLE.read_text())["networks"]
    networks = {
        key: {**part, **changes.get(key, {})} if isinstance(part, dict) else part
        for key, part in ({key: {} for key in changes} | stated).items()
    }
    networks = with_core(networks) if "core" in changes else networks
    links = {"routed_ports": "numbered-127"} if "IPv6" in case else {}
    stated = {"profile": "nvidia-guide-v4-2tier", **links}
    text = NETWORKS
    for four, six in (SIX if links else {}).items():
        text = text.replace(four, six)
    return load("lab-converged", networks=networks, addressing=stated), text, devices


@pytest.mark.parametrize("case", CONVERGED)
def test_a_switch_of_the_converged_fabric_takes_it_too(load, case):
    fabric, text, devices = converged(load, case)
    started = [{"release": release, "step_seconds": 0.0} for release in RELEASES]
    for device in devices:
        planned = wish(fabric, device, {"tenants": text})
        with running_doubles(started) as doubles:
            for double in doubles:
                assert bring(double, planned).changed
                again = bring(double, planned)
                assert (again.changed, again.changes) == (False, [])
                assert double.violations == []
