# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nic_config: options in, one plain result or one sentence out."""

from __future__ import annotations

import pytest

from .cards import PCI, WANTED


def test_config_in_check_mode(card):
    result = card.run("nic_config", nics=WANTED, check=True)
    assert result["changed"] is True
    assert result["commands"] == ["mlxconfig -y -d 0000:1a:00.0 set SRIOV_EN=1"]
    assert result["diff"]["after"] == {PCI: {"nvconfig": {"SRIOV_EN": "1"}}}
    assert not any(" set " in call for call in card.calls)


def test_config_that_fails_is_one_sentence(card):
    card.answer("mlxconfig -y", "Applying... Failed!\n-E- Failed to set configuration: busy\n", 3)
    result = card.run("nic_config", nics=WANTED)
    assert result["failed"]
    assert result["msg"] == (
        "0000:1a:00.0: setting nvconfig failed: Failed to set configuration: busy."
    )
    assert result["done"] == []


@pytest.mark.parametrize(
    "module", ["nic_config", "nic_firmware", "nic_reset", "nic_qos", "nic_roce"]
)
def test_bad_options_are_one_sentence(card, module):
    result = card.run(module, nics=[{"pci": "card one"}])
    assert result["failed"]
    assert result["msg"] == "nics[0].pci: 'card one' is not a PCI address such as 0000:1a:00.0."
    assert card.calls == []
