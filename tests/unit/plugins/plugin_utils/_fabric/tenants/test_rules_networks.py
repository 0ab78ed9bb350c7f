# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""VLANs, subnets and addresses of storage: each belongs to one owner."""

from __future__ import annotations

import pytest

from .converged_lab import laboratory
from .rows import refused

ALL = "networks: [east-west, front-end, storage]"


@pytest.fixture
def beside(lab, registry):
    """Return a function from a text to the registry over a converged laboratory."""
    return lambda text: registry(text, laboratory())


@pytest.mark.parametrize(
    "text, sentence",
    [
        (
            f"tenants:\n  - {{id: 21, slug: acme, {ALL}, front_end: {{vlan: 22}}}}\n"
            f"  - {{id: 22, slug: globex, {ALL}}}",
            "tenants.yml line 3, tenants[1].front_end.vlan: 22 of globex is already the VLAN of acme on the network "
            "front-end (line 2): give each its own.",
        ),
        (
            f"tenants: [{{id: 21, slug: acme, {ALL}, storage: {{vlan: 11}}}}]",
            "tenants.yml line 1, tenants[0].storage.vlan: 11 of acme is already the VLAN of quarantine on the network "
            "front-end: give each its own.",
        ),
        (
            "tenants: [{id: 2000, slug: acme, networks: [storage], storage: {subnet: 198.18.0.0/24}}]",
            "tenants.yml line 1, tenants[0].storage.vlan: no VLAN follows from the id 2000 of acme, as it does from 11 "
            "to 1999: add a VLAN of its own, 11 to 3999.",
        ),
        (
            f"services: [{{id: 3, slug: shared, {ALL}}}]",
            "tenants.yml line 1, services[0].front_end.vlan: no VLAN follows from the id 3 of shared, as it does from "
            "11 to 1999: add a VLAN of its own, 11 to 3999.",
        ),
        (
            f"vrfs_per_leaf: 200\ntenants: [{{id: 21, slug: acme, {ALL}, front_end: {{vlan: 3950}}}}]",
            "tenants.yml line 2, tenants[0].front_end.vlan: 3950 of acme is one of the VLANs 3894 to 4093, which "
            "leaves keep for L3VNIs: state another one, or a smaller vrfs_per_leaf.",
        ),
        (
            f"tenants: [{{id: 21, slug: acme, {ALL}, storage: {{vlan: 10}}}}]",
            "tenants.yml line 1, tenants[0].storage.vlan: 10 is not allowed: use 11 or more.",
        ),
        (
            "tenants: [{id: 1025, slug: acme, networks: [front-end]}]",
            "tenants.yml line 1, tenants[0].front_end.subnet: acme (id 1025) has none of the 1024 subnets of length 23 "
            "in 10.208.0.0/13: state a subnet here, or make networks.front_end.subnets of the description wider.",
        ),
        (
            f"tenants:\n  - {{id: 21, slug: acme, {ALL}, storage: {{subnet: 10.208.16.0/24}}}}\n"
            f"  - {{id: 22, slug: globex, {ALL}}}",
            "tenants.yml line 2, tenants[0].storage.subnet: 10.208.16.0/24 of acme overlaps 10.208.16.0/23 of globex "
            "on the network front-end (line 3): give each a subnet of its own.",
        ),
        (
            f"tenants: [{{id: 21, slug: acme, {ALL}, front_end: {{subnet: 10.208.0.0/24}}}}]",
            "tenants.yml line 1, tenants[0].front_end.subnet: 10.208.0.0/24 of acme overlaps 10.208.0.0/23 of "
            "quarantine on the network front-end: give each a subnet of its own.",
        ),
        (
            f"tenants: [{{id: 21, slug: acme, {ALL}, storage: {{vips: [10.216.14.1]}}}}]",
            "tenants.yml line 1, tenants[0].storage.vips[0]: '10.216.14.1' of acme is the gateway: use hosts of "
            "10.216.14.0/23 behind 10.216.14.1, each once.",
        ),
        (
            f"tenants: [{{id: 21, slug: acme, {ALL}, storage: {{vips: [10.216.14.9, 10.216.14.9]}}}}]",
            "tenants.yml line 1, tenants[0].storage.vips[1]: '10.216.14.9' of acme stands twice: use hosts of "
            "10.216.14.0/23 behind 10.216.14.1, each once.",
        ),
        (
            f"tenants: [{{id: 21, slug: acme, {ALL}, storage: {{vips: [192.0.2.1]}}}}]",
            "tenants.yml line 1, tenants[0].storage.vips[0]: '192.0.2.1' of acme is not in its subnet: use hosts of "
            "10.216.14.0/23 behind 10.216.14.1, each once.",
        ),
        (
            f"tenants: [{{id: 21, slug: acme, {ALL}, storage: {{vips: [10.216.15.255]}}}}]",
            "tenants.yml line 1, tenants[0].storage.vips[0]: '10.216.15.255' of acme is in the last quarter of its "
            "subnet, where the leaves have addresses: use hosts of 10.216.14.0/23 behind 10.216.14.1, each once.",
        ),
        (
            f"tenants: [{{id: 21, slug: acme, {ALL}, storage: {{vips: [10.216.14.0]}}}}]",
            "tenants.yml line 1, tenants[0].storage.vips[0]: '10.216.14.0' of acme is not a host of its "
            "subnet: use hosts of 10.216.14.0/23 behind 10.216.14.1, each once.",
        ),
        (
            f"tenants: [{{id: 21, slug: acme, {ALL}, front_end: {{vlan: 4000}}}}]",
            "tenants.yml line 1, tenants[0].front_end.vlan: 4000 is not allowed: use 3999 or less.",
        ),
        (
            f"tenants: [{{id: 21, slug: acme, {ALL}, front_end: {{subnet: 10.208.16.1/23}}}}]",
            "tenants.yml line 1, tenants[0].front_end.subnet: '10.208.16.1/23' is not allowed: use an IPv4 prefix of "
            "length 8 to 29 such as 10.208.14.0/23, with no bit set behind its length.",
        ),
        (
            f"services: [{{id: 11, slug: logs, {ALL}}}]",
            "tenants.yml line 1, services[0].front_end.vlan: 11 of logs is already the VLAN of quarantine on the "
            "network front-end: give each its own.",
        ),
        (
            f"tenants: [{{id: 21, slug: acme, {ALL}, storage: {{vlna: 4}}}}]",
            "tenants.yml line 1, tenants[0].storage.vlna: the key is not known, did you mean 'vlan': rename it or "
            "remove it.",
        ),
    ],
)
def test_breaches(beside, text, sentence):
    assert refused(beside, text) == [sentence]


def test_a_thousand_tenants_have_subnets_of_their_own(beside):
    rows = ", ".join(f"{{id: {16 + n}, slug: n{n}, networks: [front-end]}}" for n in range(1000))
    assert len(beside(f"tenants: [{rows}]").nets) == 3 + 1 + 1000


def test_without_the_block_nothing_is_asked(registry):
    assert registry("tenants: [{id: 2345, slug: acme, networks: [storage]}]")
