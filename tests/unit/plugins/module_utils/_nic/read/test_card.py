# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A card: its settings, its firmware, and why it does not answer."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import nics_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.nvconfig import apply_nvconfig
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.read.card import (
    read_devlink,
    read_firmware,
    read_flash,
    refuse_restricted,
    unanswered,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import MISSING, Result

PCI = "0000:1a:00.0"
WANTED = {"SRIOV_EN": 1, "NUM_OF_VFS": 1, "LINK_TYPE_P2": 2, "INTERNAL_CPU_OFFLOAD_ENGINE": 1}


def nics(**parts):
    return nics_from([{"pci": PCI, "device": "a2dc", "nvconfig": WANTED, **parts}])


def test_missing_tool_names_its_package(world):
    world.card.broken["mlxconfig"] = Result(127, "", "not found")
    world.card.broken["mstconfig"] = Result(127, "", "not found")
    with pytest.raises(NicError, match="mlxconfig is not installed; install DOCA-Host"):
        apply_nvconfig(world.host(), nics())


def test_open_source_tools_serve(world):
    world.card.broken["mlxconfig"] = Result(127, "", "not found")
    world.card.do_mstconfig = world.card.do_mlxconfig
    result = apply_nvconfig(world.host(), nics())
    assert result["changed"]
    assert world.card.settings["SRIOV_EN"][2] == "1"


KNOWN = {"psid": "MT_1", "running": "32.46.1006", "stored": "32.48.1000", "serial": "S"}


def test_devlink_answers_where_it_knows_what_is_stored(world):
    found = read_firmware(world.host(), PCI, {PCI: KNOWN})
    assert (found["running"], found["burned"]) == ("32.46.1006", "32.48.1000")
    assert (found["source"], world.card.calls) == ("devlink", [])


@pytest.mark.parametrize("lacks", ["psid", "running", "stored"])
def test_the_flash_is_asked_where_devlink_does_not_say_all(world, lacks):
    found = read_firmware(world.host(), PCI, {PCI: {**KNOWN, lacks: ""}})
    assert (found["running"], found["burned"]) == ("32.43.1014", "32.43.1014")
    assert (found["source"], found["stored"]) == (
        "flint",
        "" if lacks == "stored" else "32.48.1000",
    )


def test_one_devlink_serves_all_cards(world):
    text = '{"info": {"pci/0000:1a:00.0": {"versions": {"fixed": {"fw.psid": "MT_1"}}}}}'
    world.card.broken["devlink"] = Result(0, text, "")
    assert read_devlink(world.host())[PCI]["psid"] == "MT_1"


def test_a_card_that_does_not_answer_is_one_sentence(world):
    world.card.broken["flint"] = Result(1, "", "-E- Cannot open\n")
    with pytest.raises(NicError, match="flint does not answer: Cannot open"):
        read_flash(world.host(), PCI)


@pytest.mark.parametrize("level, restricted", [("PRIVILEGED", False), ("RESTRICTED", True)])
def test_a_restricted_host_is_refused(world, level, restricted):
    world.card.privilege = level
    if restricted:
        with pytest.raises(NicError, match=r"the host is restricted \(zero-trust\)"):
            refuse_restricted(world.host(), PCI)
    else:
        refuse_restricted(world.host(), PCI)


@pytest.mark.parametrize(
    "level, result, words",
    [
        ("PRIVILEGED", Result(MISSING, "", ""), "flint is not installed"),
        ("RESTRICTED", Result(MISSING, "", ""), "flint is not installed"),
        ("RESTRICTED", Result(1, "", "-E- no\n"), "the host is restricted"),
        ("PRIVILEGED", Result(1, "", "-E- no\n"), "flint does not answer: no"),
    ],
)
def test_the_reason_of_a_query_that_failed(world, level, result, words):
    world.card.privilege = level
    assert words in str(unanswered(world.host(), PCI, "flint", result))
