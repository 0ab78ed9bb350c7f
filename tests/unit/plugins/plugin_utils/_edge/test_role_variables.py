# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of roles, as a role and as a playbook without it read them."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar, trust_as_template

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import (
    host_look,
    role_variables,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch.wish import ROLES


def values(role, **variables):
    templar = Templar(loader=DataLoader(), variables=variables)
    return role_variables.values(role, variables, templar.template)


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


ROW = {
    "asic": "spectrum-4",
    "speed": "400G",
    "cable_max": 40,
    "port_buffer": 1,
    "xoff": 1,
    "xon": 1,
}


@pytest.mark.parametrize(
    "name, value, sentence",
    [
        ("switch_apply_timeout", "soon", ": 'soon' is not allowed: use a whole number."),
        ("switch_apply_timeout", True, ": 'True' is not allowed: use a whole number."),
        ("switch_apply_factory", "perhaps", ": 'perhaps' is not allowed: use true or false."),
        (
            "switch_apply_allow_disruptive",
            ["reboot"],
            "[0]: 'reboot' is not allowed: use breakout, frr_restart, port_flap, renumber, session_flap, "
            "switchd_reload, telemetry_restart, unread_sessions.",
        ),
        (
            "switch_base_timezone",
            ["UTC"],
            """: "['UTC']" is not allowed: use text (in quotes where it looks like a boolean).""",
        ),
        ("switch_base_telemetry_groups", {"a": 1}, """: "{'a': 1}" is not allowed: use a list."""),
        ("switch_base_lldp", {"tx-interval": "soon"}, ".tx-interval: 'soon' is not allowed: use a whole number."),
        ("switch_base_lldp", [5], ": '[5]' is not allowed: use a mapping of keys."),
        (
            "switch_base_banner",
            {"pre_login": "Keep out"},
            ".pre_login: the key is not known, did you mean 'pre-login': use pre-login, post-login.",
        ),
        (
            "switch_base_snmp",
            {"comunity": "canary-1"},
            ".comunity: the key is not known, did you mean 'community': use community, networks.",
        ),
        (
            "switch_base_snmp",
            {"community": ["canary-1"]},
            ".community: this secret is not allowed: use text (in quotes where it looks like a boolean).",
        ),
        ("switch_base_snmp", "canary-1", ": this secret is not allowed: use a mapping of keys."),
        ("switch_base_snmp", {"networks": {"a": 1}}, """.networks: "{'a': 1}" is not allowed: use a list."""),
        ("switch_base_users", ["ops"], ": this secret is not allowed: use a mapping of keys."),
        ("switch_base_users", {"ops": "canary-1"}, ".ops: this secret is not allowed: use a mapping of keys."),
        ("switch_base_users", {"ops": None}, ".ops: this secret is not allowed: use a mapping of keys."),
        (
            "switch_base_users",
            {"ops": {"password": "canary-1"}},
            ".ops.password: the key is not known, did you mean 'hashed_password': use hashed_password, role, "
            "full_name, ssh_keys.",
        ),
        (
            "switch_base_users",
            {"ops": {"ssh_keys": {"mine": ["ssh-ed25519 A"]}}},
            """.ops.ssh_keys.mine: "['ssh-ed25519 A']" is not allowed: use text (in quotes where it looks like a """
            "boolean).",
        ),
        ("switch_roce_pfc", [{**ROW, "xoff": "high"}], "[0].xoff: 'high' is not allowed: use a whole number."),
        (
            "switch_roce_pfc",
            [ROW, {**ROW, "speed": "10G"}],
            "[1].speed: '10G' is not allowed: use 100G, 200G, 400G, 800G.",
        ),
        ("switch_roce_pfc", [{**ROW, "xon": None}], "[0].xon: the key is missing: add it."),
        ("switch_roce_pfc", [4], "[0]: '4' is not allowed: use a mapping of keys."),
        ("switch_roce_ecn", {"3": {"ecn": "on"}}, ".3.ecn: 'on' is not allowed: use enable, disable."),
        ("switch_roce_ecn", {"3": 200000}, ".3: '200000' is not allowed: use a mapping of keys."),
        (
            "switch_adaptive_routing_values",
            {"ar.ctm": {"to": 900}},
            """.ar.ctm: "{'to': 900}" is not allowed: use text (in quotes where it looks like a boolean).""",
        ),
    ],
)  # fmt: skip
def test_a_wrong_value_is_named_with_its_role_and_its_key(name, value, sentence):
    role = next(role for role in (*ROLES, "switch_apply") if name.startswith(role))
    with pytest.raises(FabricError) as caught:
        values(role, **{name: value})
    assert str(caught.value) == f"role {role}, variable {name}{sentence}"
    assert "canary" not in str(caught.value)


def test_keys_of_a_mapping_are_typed_and_those_that_are_null_are_not_stated():
    found = values(
        "switch_base",
        switch_base_lldp={"tx-interval": "10", "tx-hold-multiplier": None},
        switch_base_users={"ops": {"role": "nvue-admin", "full_name": None, "ssh_keys": {}}},
    )
    assert found["lldp"] == {"tx-interval": 10}
    assert found["users"] == {"ops": {"role": "nvue-admin", "ssh_keys": {}}}
    assert values("switch_roce", switch_roce_ecn={3: {"probability": "50"}})["ecn"] == {
        "3": {"probability": 50}
    }


@pytest.mark.parametrize(
    "value",
    [
        trust_as_template("{{ nowhere }}"),
        {"pre-login": trust_as_template("{{ nowhere }}")},
        {"pre-login": trust_as_template("{{ 'a' | no_such_filter }}")},
        {"pre-login": trust_as_template("{{ ")},
    ],
)
def test_a_template_that_fails_is_named_with_its_role_and_variable(value):
    with pytest.raises(FabricError) as caught:
        values("switch_base", switch_base_banner=value)
    said = str(caught.value)
    assert said.startswith("role switch_base, variable switch_base_banner: its template fails (")
    assert said.endswith("): correct it, or define what it names, such as in a vault.")
    assert "\n" not in said


def test_every_wrong_variable_is_named():
    with pytest.raises(FabricError) as caught:
        values("switch_base", switch_base_timezone=[], switch_base_lldp=[])
    assert len(caught.value.sentences) == 2


def test_a_role_without_variables_has_none():
    assert values("switch_underlay") == {}


def test_every_role_of_hosts_is_read_with_the_first_look():
    """A wrong value that only its role met would be met after the host was drained."""
    roles = Path(role_variables.__file__).parents[3] / "roles"
    assert {f"dpu_{role}" for role in host_look.ROLES} == {p.name for p in roles.glob("dpu_*")}


@pytest.mark.parametrize("role", host_look.ROLES)
def test_roles_of_hosts_are_read_as_those_of_switches_are(role):
    """With paths among their options."""
    found = values(f"dpu_{role}")
    assert role != "state" or found["sysfs"] == "/sys"
