# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which firmware is burned and running: by devlink, else by flint."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.read.firmware import (
    read_devlink,
    read_firmware,
    read_flash,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result

PCI = "0000:1a:00.0"
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
