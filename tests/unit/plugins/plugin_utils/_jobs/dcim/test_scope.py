# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A limit and spx_where mean whole SUs, since no single host owns a cable."""

from __future__ import annotations

import ipaddress

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.context import (
    Context,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.part import (
    WHOLE,
    Part,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.scope import (
    chosen,
    scope,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._jobs.dcim.memory import (
    fabric,
)

LAB, TIERS = fabric(), fabric("lab-3tier")
TENANTS = Registry.parse(LAB, "tenants: [{id: 21, slug: acme, nodes: [su02/h01]}]")


def name_of(role: str, *, last: bool = False) -> str:
    found = [TIERS.name(one) for one in TIERS.switches() if one.role == role]
    return found[-1 if last else 0]


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ([], (WHOLE,)),
        (["pod01"], (Part((0,), None, top=False),)),
        (["su02"], (Part((0,), (1,), top=False),)),
        (["pod01/su02", "su01/h01"], (Part((0,), (0, 1), top=False),)),
        (["acme"], (Part((0,), (1,), top=False),)),
        (["leaf-p1-su001-r1", "acme"], (Part((0,), (0, 1), top=False),)),
    ],
)
def test_parts_that_words_mean(words: list[str], parts: tuple[Part, ...]) -> None:
    assert chosen(LAB, TENANTS, words) == parts


@pytest.mark.parametrize(
    ("hosts", "part"),
    [
        (["worker-su02-rack01-h02"], Part((0,), (1,), top=False)),
        (["localhost", "leaf-p1-su001-r1"], Part((0,), (0,), top=False)),
        (["leaf-p1-su001-r1", "spine-p1-s01"], Part((0,), None, top=False)),
    ],
)
def test_parts_of_a_limit(hosts: list[str], part: Part) -> None:
    assert chosen(LAB, TENANTS, hosts=hosts) == (part,)


def test_a_converged_switch_belongs_to_no_pod() -> None:
    converged = fabric("lab-converged")
    assert chosen(converged, Registry.load(converged), ["border-leaf-01-1"]) == (Part(pods=()),)
    keys = scope(Context(converged, Registry.load(converged), Part(pods=()))).devices
    assert keys is not None
    assert "lab-converged/converged-spine-s01" in keys


def test_the_addresses_of_arrays_are_looked_for_in_the_subnets_of_storage() -> None:
    """They are on no device, and belong to no pod: each subnet once, joined where they follow each other."""
    converged = fabric("lab-converged")
    registry = Registry.load(converged)
    loose = scope(Context(converged, registry, Part(pods=()))).loose
    wanted = {net.subnet for (_slug, network), net in registry.nets.items() if network == "storage"}
    for subnet in map(ipaddress.ip_network, wanted):
        assert sum(subnet.subnet_of(ipaddress.ip_network(one)) for one in loose) == 1
    assert scope(Context(converged, registry, Part(pods=(0,), top=False))).loose == ()


def test_parts_of_a_fabric_of_several_pods() -> None:
    pods = TIERS.clos.pods
    groups = TIERS.clos.groups
    registry = Registry.load(TIERS)
    parts = chosen(TIERS, registry)
    assert parts[0] == Part(pods=(), groups=())
    assert parts[1] == Part(pods=(), top=False, groups=(0,))
    assert len(parts) == 1 + groups + pods
    devices = [TIERS.name(one) for part in parts for one in part.devices(TIERS)]
    assert sorted(devices) == sorted(map(TIERS.name, TIERS.devices())), "each device is in one part"
    whole = Context(TIERS, Registry.load(TIERS))
    every = [whole.device(one).key for one in TIERS.devices()]
    for part in parts:
        context = Context(TIERS, Registry.load(TIERS), part)
        own = {context.device(one).key for one in part.devices(TIERS)}
        assert {key for key in every if part.holds(TIERS, key)} == own
    hosts = [name_of("leaf", last=True), name_of("super_spine")]
    leaf = TIERS.known(hosts[0])
    su = leaf.index // TIERS.clos.leaves_per_su
    assert chosen(TIERS, registry, hosts=hosts) == (
        Part(pods=()),
        Part((leaf.pod,), (su,), top=False),
    )


@pytest.mark.parametrize(
    ("words", "hosts", "said"),
    [
        (["pod02"], None, "spx_where: 'pod02' is outside the capacity"),
        (["rest"], None, "spx_where: rest means no node or switch of fabric lab"),
        ([], ["localhost"], "no host of it is a device of fabric lab"),
        (["su01"], ["leaf-p1-su001-r1"], "use one of them"),
    ],
)
def test_what_chooses_nothing_is_refused(
    words: list[str], hosts: list[str] | None, said: str
) -> None:
    with pytest.raises(FabricError, match=said):
        chosen(LAB, TENANTS, words, hosts)


def test_the_scope_of_an_su_has_the_spines_at_the_other_ends() -> None:
    registry = Registry.load(LAB)
    assert scope(Context(LAB, registry)).devices is None
    made = scope(Context(LAB, registry, Part(sus=(0,), top=False)))
    devices = made.devices
    assert set(made.beyond.values()) == {"spine-p1-s01", "spine-p1-s02"}
    assert made.ports == ("swp1s0", "swp1s1", "swp2s0", "swp2s1")
    assert devices is not None
    names = set(devices.values())
    assert "worker-su01-rack01-h01" in names
    assert "spine-p1-s01" not in names
    assert "worker-su02-rack01-h01" not in names
    assert devices["lab/leaf-p1-su001-r1"] == "leaf-p1-su001-r1"
