# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A role owns what it renders, and no other role does."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import tree
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.paths import Globs

from . import converged_fabric as made

EXAMPLES = ("lab", "lab-3tier", "b300-4096")


def one_of_each_role(fabric):
    return {switch.role: switch for switch in fabric.switches()}.values()


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("feature", compose.FEATURES, ids=lambda feature: feature.name)
def test_a_role_owns_what_it_renders_and_no_other_role_does(load, name, feature):
    fabric = load(name, management={"telemetry": ["192.0.2.30"]})
    options = {
        "telemetry_groups": ["histogram", "lldp"],
        "users": {"op": {"role": "nvue-monitor"}},
        "snmp": {"community": "c0mmunity-x"},
        "banner": {"pre-login": "hello"},
        "api_certificate": "spx",
        "maintenance": True,
        "timezone": "Etc/UTC",
    }
    for switch in one_of_each_role(fabric):
        ctx = compose.context(fabric, switch, options=options)
        part = compose.render(ctx, [feature.name])
        for role in compose.ROLES:
            globs = Globs(compose.owns(ctx, [role]))
            covered = [path for path, _value in tree.leaves(part) if globs.covers(path)]
            if role == feature.role:
                assert len(covered) == tree.count(part), (role, switch)
            else:
                assert covered == [], (role, switch)


@pytest.mark.parametrize("switch", made.ALL, ids=lambda switch: switch.role)
@pytest.mark.parametrize("feature", compose.FEATURES, ids=lambda feature: feature.name)
def test_of_converged_switches_too(load, switch, feature):
    networks = made.shared_vrfs() if switch == made.STORAGE else None
    ctx = made.context(load, switch, networks=networks)
    part = compose.render(ctx, [feature.name])
    for role in compose.ROLES:
        globs = Globs(compose.owns(ctx, [role]))
        covered = [path for path, _value in tree.leaves(part) if globs.covers(path)]
        if role == feature.role:
            rest = tree.remove(part, globs)
            assert len(covered) == tree.count(part), (role, tree.leaves(rest))
        else:
            assert covered == [], (role, switch)


def test_a_converged_leaf_keeps_the_vrfs_of_others(load):
    """Check that foreign names are not removed, but that a VRF on the leaf with another name of its owner is."""
    rows = made.front_vrfs()
    rows[1]["vrf"] = "CUSTOMER"
    globs = Globs(compose.owns(made.context(load, made.FRONT, networks=rows), ["switch_tenants"]))
    owned = {
        name: globs.covers(("vrf", name, "evpn"))
        for name in ("t21-acme", "s21-acme", "CUSTOMER", "mgmt", "default", "FOREIGN")
    }
    assert owned == {
        "t21-acme": True,
        "s21-acme": True,
        "CUSTOMER": True,
        "mgmt": False,
        "default": False,
        "FOREIGN": False,
    }
