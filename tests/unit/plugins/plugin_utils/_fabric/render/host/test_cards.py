# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cards of a wiped node are as wanted, or one sentence says which is not, what differs and what to do."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host import cards
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.audit import (
    hosts,
)

NAME = "NUM_OF_VFS"


@pytest.fixture(scope="module")
def seen():
    """(wanted, found) of a node whose cards are as wanted."""
    _fabric, _registry, wanted = hosts.parts()
    return wanted, {"error": "", "nics": [hosts.record(nic) for nic in wanted["nics"]]}


def test_cards_as_wanted_have_no_sentence(seen):
    assert cards.verdict(*seen) == ""


def _firmware(card):
    card["firmware"]["running"] = "1.2.3"


def _burned(card):
    card["firmware"]["burned"] = "1.2.3"


def _stored(card):
    card["firmware"]["stored"] = "1.2.3"


def _setting(card, key="current"):
    card["nvconfig"][NAME][key] = "7"


def _staged(card):
    _setting(card, "next")


def _mode(card):
    card["mode_next"] = "dpu"


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (_firmware, "runs firmware 1.2.3 (wanted "),
        (_burned, "is burned with firmware 1.2.3 (wanted "),
        (_stored, "loads at its next reset firmware 1.2.3 (wanted "),
        (_setting, f"has {NAME} 7"),
        (_staged, ", 7 from its next reset (wanted "),
        (_mode, "goes in mode dpu (wanted nic)"),
        (lambda card: card.pop("mode"), "is in mode unknown"),
        (lambda card: card.pop("firmware"), "shows no firmware"),
        (lambda card: card.pop("nvconfig"), "shows no settings"),
        (lambda card: card.update(pci="0000:99:00.0"), "was not read"),
    ],
)
def test_what_differs_is_one_sentence(seen, spoil, words):
    """Check that unread values are not as wanted; nor are those that the next reset changes."""
    wanted, found = seen[0], copy.deepcopy(seen[1])
    spoil(found["nics"][1])
    said = cards.verdict(wanted, found)
    assert said.startswith(
        f"{wanted['name']}: its cards are not as wanted after the wipe: card {wanted['nics'][1]['pci']} "
    )
    assert words in said
    assert (
        f"run playbook dpus -l {wanted['name']} -e spx_allow_reset=true, and run this playbook"
        in said
    )
    assert wanted["nics"][0]["pci"] not in said


def test_what_cannot_be_judged_is_no_verdict(seen):
    """Without a wanted version, without cards of the plan, and where nothing could be read."""
    wanted, found = copy.deepcopy(seen)
    wanted["nics"][0].pop("firmware")
    assert "has no wanted version of its firmware" in cards.verdict(wanted, found)
    assert "its cards were not read after the wipe (the plan has no card of it)" in cards.verdict(
        {**wanted, "nics": []}, found
    )
    said = cards.verdict(seen[0], {"error": "no tool answers."})
    assert "its cards were not read after the wipe (no tool answers): let the hook wipe end" in said


def test_a_required_setting_that_a_card_hides_is_not_as_wanted(seen):
    wanted, found = copy.deepcopy(seen)
    name = wanted["nics"][0]["required"][0]
    found["nics"][0]["nvconfig"].pop(name)
    assert f"cannot have {name} as wanted" in cards.verdict(wanted, found)
