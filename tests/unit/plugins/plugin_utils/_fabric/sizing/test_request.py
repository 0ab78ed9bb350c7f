# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Defaults from the catalogs, which break no rule."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import hardware
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology import rules
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing.request import (
    Request,
    base,
    checked,
    of_options,
    uncovered,
)


def made(**asked):
    return base(checked(Request(**{"gpus": 64, **asked})))


def test_the_default_is_the_newest_validated_release_at_full_speed():
    d = made()
    assert (d.switches.model, d.nics.model, d.rails) == ("SN5600", "BlueField-3", 8)
    assert (d.release.ra, d.release.cumulus) == ("2.1", "5.16.1")
    assert (d.switches.host_speed, d.switches.fabric_speed) == ("400G", "400G")


@pytest.mark.parametrize("model", hardware.plannable())
@pytest.mark.parametrize("nic", table("switches")["nics"])
def test_every_switch_and_nic_of_the_catalog_makes_a_description_that_keeps_the_rules(model, nic):
    d = made(switch=model, nic=nic)
    assert list(rules.before_counting(d)) == []
    row = table("switches")["models"][model]
    assert int(d.switches.fabric_speed[:-1]) <= row["ar_max_gbps"]


@pytest.mark.parametrize(
    "asked, count, mode, balancing, speed",
    [
        ({"planes": 2}, 2, "split", "swplb", "200G"),
        ({"planes": 2, "nic": "ConnectX-8"}, 2, "split", "swplb", "400G"),
        ({"planes": 4, "nic": "ConnectX-8"}, 4, "split", "swplb", "200G"),
        ({"planes": 8}, 8, "by-rail", "none", "400G"),
    ],
)
def test_planes_are_split_where_nics_can_and_by_rail_where_they_cannot(
    asked, count, mode, balancing, speed
):
    d = made(**asked)
    assert (d.planes.count, d.planes.mode, d.planes.balancing) == (count, mode, balancing)
    assert d.switches.host_speed == speed


def test_a_parameter_set_that_is_public_is_preferred_and_a_missing_one_is_said():
    assert uncovered(made()) == ""
    assert "not public" in uncovered(made(nic="ConnectX-7"))


def test_a_switch_that_needs_a_newer_release_gets_one():
    assert hardware.version(made(switch="SN6600_LD").release.cumulus) >= (5, 18)


@pytest.mark.parametrize(
    "asked, sentence",
    [
        ({"gpus": 0}, "variable spx_gpus: 0 is not allowed: use 1 or more."),
        (
            {"final_gpus": 8},
            "variable spx_final_gpus: 8 is less than the 64 of spx_gpus: use as many or more.",
        ),
        ({"switch": "SN5200"}, "variable spx_switch: 'SN5200' is not in the catalog, did you mean"),
        ({"nic": "ConnectX-6"}, "variable spx_nic: 'ConnectX-6' is not in the catalog"),
        ({"rails": 9}, "variable spx_rails: 9 is not allowed: use 1 to 8."),
        ({"planes": 3}, "variable spx_planes: 3 is not allowed: use 1, 2, 4, 8."),
        (
            {"planes": 8, "rails": 4},
            "no fabric is possible with these variables: planes.balancing: 8 split planes",
        ),
    ],
)
def test_what_cannot_be_is_one_sentence(asked, sentence):
    with pytest.raises(FabricError) as caught:
        made(**asked)
    assert caught.value.sentences[0].startswith(sentence.split(": planes")[0])
    assert len(caught.value.sentences) == 1


def test_nodes_follow_from_gpus():
    assert Request(gpus=2048).nodes == 256
    assert Request(gpus=2041).nodes == 256
    assert Request(gpus=72, gpus_per_node=4).nodes == 18
    assert checked(Request(gpus=72, gpus_per_node=4)).rails == 4
    assert checked(Request(gpus=144, gpus_per_node=16)).rails == 8
    assert Request(gpus=256, final_gpus=2048).final == 256


def test_options_of_a_task_are_the_fields():
    given = {"gpus": 64, "nic": None, "planes": 1, "dest": "x"}
    assert of_options(given) == Request(gpus=64)
