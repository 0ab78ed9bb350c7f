# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables that nothing reads, and which of them are the collection's."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import unused_variables

ROOT = Path(__file__).parents[5]


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("switch_rocee_pfc", "switch_roce_pfc"),
        ("switch_base_userz", "switch_base_users"),
        ("dpu_doca_vresion", "dpu_doca_version"),
        ("spx_allow_disruptiv", "spx_allow_disruptive"),
    ],
)
def test_a_name_that_is_misspelt_is_said_with_the_nearest(name, nearest):
    assert unused_variables.sentences([name]) == [
        f"variable {name}: nothing reads it, did you mean '{nearest}': correct its name, remove it, or give your "
        "own variable another prefix."
    ]


def test_names_of_a_site_are_its_own():
    own = ["switch_location", "dpu_rack_power", "switches", "spx", "dpu_contact", "userz"]
    assert unused_variables.sentences(own) == []
    said = unused_variables.sentences(["spx_rack_colour_of_ours"])
    assert said[0].startswith("variable spx_rack_colour_of_ours: nothing reads it: ")


def test_what_roles_and_playbooks_read_and_set_is_known():
    specs = [
        yaml.safe_load(path.read_text()) for path in ROOT.glob("roles/*/meta/argument_specs.yml")
    ]
    options = {
        name for spec in specs for name in spec["argument_specs"]["main"].get("options") or {}
    }
    assert len(options) > 60
    internal = {"switch_apply_result", "dpu_state_wanted", "dpu_state_look", "tenant_edit"}
    reached = {"spx_nvue_host", "spx_slice", "spx_report"}
    assert unused_variables.sentences(options | internal | reached) == []


def test_it_takes_no_time_that_a_fleet_would_notice():
    names = [f"ansible_{number}" for number in range(500)] + [
        f"switch_of_ours_{n}" for n in range(5)
    ]
    begun = time.perf_counter()
    for _host in range(20):
        unused_variables.sentences(names)
    assert (time.perf_counter() - begun) / 20 < 0.005
