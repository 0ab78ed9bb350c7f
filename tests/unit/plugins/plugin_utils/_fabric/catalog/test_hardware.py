# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switch models, NIC cards and server platforms, and what each of them allows."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import hardware
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table

# NVIDIA's page Minimum Cumulus Linux Release for Each Switch Model; SN5640 and SN6600: What's New of the release.
OLDEST = {
    "SN5400": "5.9.0",
    "SN5600": "5.8.0",
    "SN5610": "5.13.1",
    "SN5640": "5.15",
    "SN6600_LD": "5.18.2",
    "SN6600": "5.19",
    # What's New of 5.2 has ZTP on the ports of the SN2201; the others are older than what is supported here.
    "SN2201": "5.2",
    "SN3700C": "5.9",
    "SN4600C": "5.9",
}


@pytest.mark.parametrize("model", hardware.models())
def test_the_oldest_release_of_a_model_is_nvidias(model):
    assert hardware.models()[model]["since"] == OLDEST[model]
    assert hardware.release_refusal(model, OLDEST[model]) == ""


@pytest.mark.parametrize(
    "model, release, refused",
    [
        ("SN5610", "5.13.0", True),
        ("SN5610", "5.13", False),  # every 5.13.x, of which 5.13.1 is one
        ("SN5640", "5.14.0", True),
        ("SN6600_LD", "5.18.1", True),
        ("SN6600_LD", "5.18.2.0012", False),
        ("SN5400", "5.8.9", True),
        ("SN9999", "5.8", False),  # another rule says that it is not in the catalog
    ],
)
def test_an_older_release_is_refused_in_one_sentence(model, release, refused):
    sentence = hardware.release_refusal(model, release)
    assert bool(sentence) is refused
    assert not refused or f"{model} runs Cumulus Linux {OLDEST[model]} or newer" in sentence


# What the platform files of SONiC and the manuals list, for whole cages.
WHOLE = [
    ("SN5600", {800: 1, 400: 2, 200: 4, 100: None}),
    ("SN5400", {800: None, 400: 1, 200: 2, 100: 4}),
    ("SN5640", {800: None, 400: 2, 200: 4, 100: 8}),
    ("SN6600_LD", {800: 2, 400: 4, 200: 8, 100: None}),
]


@pytest.mark.parametrize("model, ports", WHOLE)
def test_ports_of_a_cage_by_speed(model, ports):
    assert {gbps: hardware.whole(model, gbps) for gbps in ports} == ports


def test_ports_may_run_at_half_the_speed():
    assert hardware.most("SN5600", 100) == 4
    assert hardware.most("SN6600_LD", 100) == 8
    assert hardware.most("SN5400", 800) is None
    assert hardware.speeds("SN6600_LD") == ["800G", "400G", "200G"]
    assert hardware.speeds("SN6600_LD", halves=True) == ["800G", "400G", "200G", "100G"]


def test_a_model_whose_cages_are_not_published_is_known_by_name():
    assert "its cages and their splits are not published" in hardware.model_refusal("SN6600")
    assert "did you mean 'SN5600'" in hardware.model_refusal("SN5601")
    assert hardware.model_refusal("SN5600") == ""
    assert "SN6600" not in hardware.plannable()


MODES = [
    ("ConnectX-7", ["none"]),
    ("BlueField-3", ["none", "swplb"]),
    ("ConnectX-8", ["none", "swplb", "hwplb"]),
    ("ConnectX-9", ["none", "swplb", "hwplb"]),
]


@pytest.mark.parametrize("card, modes", MODES)
def test_the_modes_of_a_card(card, modes):
    refused = [mode for mode in MODES[-1][1] if hardware.mode_refusal(card, mode)]
    assert [mode for mode in MODES[-1][1] if mode not in modes] == refused


def test_a_mode_is_refused_with_what_to_do():
    assert hardware.mode_refusal("BlueField-3", "hwplb") == (
        "hwplb is not a mode of BlueField-3, which has none and swplb: use one of those, or ConnectX-8 or ConnectX-9."
    )
    assert "which has none: use one plane, or BlueField-3" in hardware.mode_refusal(
        "ConnectX-7", "swplb"
    )


@pytest.mark.parametrize(
    "platform, mode, planes, words",
    [
        ("", "hwplb", 2, ""),
        ("H200", "none", 1, ""),
        ("gb300", "hwplb", 2, ""),
        ("etl256", "swplb", 2, ""),
        ("rtx", "none", 1, ""),
        ("rtx", "swplb", 2, "NICs of rtx have the mode none, and the fabric has swplb with 2"),
        ("vr", "none", 1, "mode swplb or hwplb with 8 planes, and the fabric has none with 1"),
        ("vr", "hwplb", 4, "with 8 planes"),
        ("vr", "hwplb", 8, ""),
        ("h20", "none", 1, "did you mean 'h200'"),
    ],
)
def test_a_platform_limits_the_modes(platform, mode, planes, words):
    sentence = hardware.platform_refusal(platform, mode, planes)
    assert words in sentence if words else not sentence


def test_nvidias_remark_about_a_release():
    assert "other than Spectrum-X only" in hardware.remark_of("5.19.0")
    assert hardware.remark_of("5.18.2") == ""
    assert all(row["source"] for row in table("switches")["releases"].values())
