# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of roles, as a role and as a playbook without it read them."""

from __future__ import annotations

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _role_variables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)


def values(role, **variables):
    templar = Templar(loader=DataLoader(), variables=variables)
    return _role_variables.values(role, variables, templar.template)


def test_what_is_not_set_has_the_default_of_the_role():
    assert values("switch_roce") == {
        "pfc": [],
        "ecn": {},
        "advanced_buffers": {},
        "cnp_shaper_kbps": 0,
    }
    assert values("switch_apply", spx_report="report", spx_rotate="a,b")["report"] == "report"


def test_what_is_set_is_typed_and_rendered():
    found = values(
        "switch_apply",
        switch_apply_factory="false",
        switch_apply_allow_disruptive="breakout,frr_restart",
        switch_apply_timeout=trust_as_template("{{ 60 * 2 }}"),
    )
    assert found["factory"] is False
    assert found["allow_disruptive"] == ["breakout", "frr_restart"]
    assert found["timeout"] == 120


@pytest.mark.parametrize(
    "name, value, sentence",
    [
        (
            "switch_apply_timeout",
            "soon",
            "role switch_apply: argument 'switch_apply_timeout' is of type",
        ),
        (
            "switch_apply_allow_disruptive",
            ["reboot"],
            "role switch_apply: value of switch_apply_allow",
        ),
    ],
)
def test_a_wrong_value_is_named_with_its_role(name, value, sentence):
    with pytest.raises(FabricError, match=sentence):
        values("switch_apply", **{name: value})


def test_a_role_without_variables_has_none():
    assert values("switch_underlay") == {}
