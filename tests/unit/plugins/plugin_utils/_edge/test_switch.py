# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of a switch: conditions that count with -e alone, bounds, passwords that stay secret."""

from __future__ import annotations

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import switch
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)


def wanted(fabric, device, roles=(), **variables):
    return switch.wanted(fabric, device, variables, lambda value: value, roles=roles)


def conditions(*, extra=None, check=False, write=True, also=(), **stated):
    template = Templar(loader=DataLoader(), variables=stated).template
    return switch.conditions(
        *(stated, template), extra=extra or {}, origin={}, also=also, check=check, write=write
    )


def test_renumbering_is_allowed_with_e_alone():
    """Whoever writes it into the inventory would allow it for every run; a replacement allows it by itself."""
    given = {"switch_apply_allow_disruptive": ["breakout", "renumber"]}
    with pytest.raises(FabricError) as caught:
        conditions(**given)
    assert "switch_apply_allow_disruptive: renumber counts only when given with -e" in str(
        caught.value
    )
    assert conditions(extra=given, **given).given["allow_disruptive"] == ["breakout", "renumber"]
    word = {"spx_allow_disruptive": "renumber"}
    allowed = conditions(extra=word, **word, switch_apply_allow_disruptive=["renumber"])
    assert allowed.given["allow_disruptive"] == ["renumber"]
    listed = {"switch_apply_allow_disruptive": ["breakout"]}
    assert conditions(**listed, also=["renumber"]).given["allow_disruptive"] == [
        "breakout",
        "renumber",
    ]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("timeout", 0, "0 is not allowed: use 1 to 86400 seconds."),
        ("timeout", 86401, "86401 is not allowed: use 1 to 86400 seconds."),
        ("confirm_timeout", -1, "-1 is not allowed: use 0 to 86400 seconds."),
        ("settle_time", -2, "-2 is not allowed: use -1 to 86400 seconds."),
    ],
)
def test_a_time_out_of_bounds_is_one_sentence(name, value, said):
    with pytest.raises(FabricError) as caught:
        conditions(**{f"switch_apply_{name}": value})
    assert caught.value.sentences == [f"variable switch_apply_{name}: {said}"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("timeout", 1), ("timeout", 86400), ("confirm_timeout", 0), ("settle_time", -1)],
)
def test_the_bounds_are_allowed(name, value):
    assert conditions(**{f"switch_apply_{name}": value}).given[name] == value


def test_passwords_of_sessions_to_the_outside_reach_the_document_alone():
    """By tenant and peer, from a vault; a wrong value is not shown."""
    fabric = Fabric.load(str(INVENTORIES / "lab" / "model" / "fabric.yml"))
    device = fabric.name(next(iter(fabric.switches())))
    stated = {"spx_external_passwords": {"acme/isp-a": "s3cret"}}
    found = wanted(fabric, device, roles=["switch_base"], **stated)
    assert found.ctx.options["external_passwords"] == {"acme/isp-a": "s3cret"}
    assert "s3cret" not in str(found.wish().config)
    assert wanted(fabric, device, roles=["switch_base"]).ctx.options["external_passwords"] == {}
    with pytest.raises(FabricError) as caught:
        wanted(fabric, device, spx_external_passwords={"acme/isp-a": ["s3cret"]})
    assert str(caught.value).startswith("variable spx_external_passwords.acme/isp-a: this secret")
