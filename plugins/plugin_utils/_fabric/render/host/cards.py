# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The verdict on the cards of a wiped node: firmware, mode and non-volatile settings as wanted, by what was read.

A tenant with root can leave a changed card, which no new image of the host corrects. What was not read, and what
nothing is wanted of, is no verdict.
"""

from __future__ import annotations

import typing as t

from .....module_utils._nic.desired import nics_from
from .....module_utils._nic.discover import card_of
from .....module_utils._nic.plan.nvconfig import skipped, states

if t.TYPE_CHECKING:
    from .....module_utils._host.records import Nics
    from .....module_utils._nic.desired import Nic
    from .....module_utils._nic.records import Card
    from .desired import DesiredNode


def verdict(wanted: DesiredNode, found: Nics) -> str:
    """Return the one sentence on what keeps a node from leaving quarantine; empty where its cards are as wanted."""
    name, cards = wanted["name"], nics_from(wanted["nics"])
    if found.get("error") or not cards:
        return unread(name, found.get("error") or "the plan has no card of it")
    seen = {card_of(card["pci"]): card for card in found["nics"]}
    said = [
        f"card {nic.pci} {', '.join(wrong)}"
        for nic in cards
        if (wrong := list(_wrong(nic, seen.get(card_of(nic.pci)))))
    ]
    if not said:
        return ""
    return (
        f"{name}: its cards are not as wanted after the wipe: {'; '.join(said)}: run playbook dpus -l {name} -e "
        "spx_allow_reset=true, and run this playbook again."
    )


def unread(name: str, why: str) -> str:
    """Return why a node whose cards nobody has read stays in quarantine."""
    reason = why.removeprefix(f"{name}: ").rstrip(".")
    return (
        f"{name}: its cards were not read after the wipe ({reason}): let the hook wipe end when the node "
        f"answers with the tools of its cards, or run playbook dpus -l {name}, and run this playbook again."
    )


def _wrong(nic: Nic, card: Card | None) -> t.Iterator[str]:
    """Yield what of a card is not as wanted, as half sentences."""
    if card is None:
        yield "was not read"
        return
    yield from _firmware(nic, card)
    if nic.mode in ("nic", "dpu"):
        for when, mode in (("is", card.get("mode")), ("goes", card.get("mode_next"))):
            if mode != nic.mode:
                yield f"{when} in mode {mode or 'unknown'} (wanted {nic.mode})"
                break
    yield from _settings(nic, card)


def _firmware(nic: Nic, card: Card) -> t.Iterator[str]:
    """Yield the first of running, burned and loaded firmware that is not as wanted."""
    flash = card.get("firmware")
    if nic.firmware is None:
        yield "has no wanted version of its firmware (dpu_state_versions names one)"
    elif flash is None:
        yield "shows no firmware"
    else:
        version = nic.firmware.version
        stored = flash.get("stored") or version
        for what, there in (
            ("runs", flash["running"]),
            ("is burned with", flash["burned"]),
            ("loads at its next reset", stored),
        ):
            if there != version:
                yield f"{what} firmware {there} (wanted {version})"
                break


def _settings(nic: Nic, card: Card) -> t.Iterator[str]:
    shown = card.get("nvconfig")
    if shown is None:
        yield "shows no settings"
        return
    for name, why in skipped(shown, nic.nvconfig).items():
        # A setting that the card has and hides or forbids is not as wanted; one that no such card has is nobody's.
        if name in nic.required or name in shown:
            yield f"cannot have {name} as wanted ({why})"
    for name, row in states(shown, nic.nvconfig).items():
        if row["state"] != "current":
            later = f", {row['next']} from its next reset" if row["next"] != row["current"] else ""
            yield f"has {name} {row['current']}{later} (wanted {row['wanted']})"
