# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Boots of a switch: which partition comes up, and with which configuration.

The running partition again: what is saved. The other one: what is saved, translated to its release; with `rollback`
what that partition ran with last. A downgrade without `rollback` starts with that too, else as from the factory
[inferred].
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from . import translation, tree
from .revisions import Revisions
from .schema import load

if TYPE_CHECKING:
    from .images import Partition
    from .switch import Switch

MODES = ("cold", "fast", "warm", "immediate", "halt", "power-cycle", "power-off")
OFF = ("halt", "power-off")
"""Modes after which only a person brings the switch back."""
KEPT = (["system", "aaa", "user"], ["system", "api"])
"""Places that a start without a configuration keeps here, so that the double can still be asked."""


def check(parameters: Any) -> None:
    """Raise ValueError for a mode that does not exist."""
    mode = parameters.get("mode", "cold")
    if mode not in MODES:
        raise ValueError(f"reboot: mode '{mode}' is not one of {', '.join(MODES)}")


def dark(running: dict[str, Any]) -> dict[str, Any]:
    """The running document (newer spelling) with every front port down, as while a switch boots."""
    ports = {
        name: tree.overlay(tree.without(body, ["link", "state"]), {"link": {"state": {"down": {}}}})
        for name, body in running.get("interface", {}).items()
        if body.get("type", "swp") == "swp"
    }
    return {**running, "interface": {**running.get("interface", {}), **ports}}


def start(switch: Switch) -> None:
    """Come up on the chosen partition, with the configuration that it starts with."""
    images, store = switch.images, switch.revisions
    for revision in store.busy():
        revision.state = "pending"
    if images.next != images.current and switch.faults.take("boots_old"):
        images.next = images.current
    if images.next == images.current:
        store.applied = copy.deepcopy(store.startup)
    else:
        _other_partition(switch)
    images.rollback = False
    switch.run(switch.schema.canonical(switch.revisions.applied))
    if fault := switch.faults.take("uplink_idle"):
        switch.operational.idle(fault.get("interface", None) or _first_uplink(switch.running))


def _first_uplink(running: dict[str, Any]) -> str:
    """The first front port of the default VRF; where a leaf has its hosts is another one."""
    ports = running.get("interface", {}).items()
    found = (name for name, body in ports if body.get("vrf", "default") == "default")
    return next((name for name in found if name.startswith("swp")), "swp1")


def _other_partition(switch: Switch) -> None:
    images, saved = switch.images, switch.revisions.startup
    before = switch.schema
    runs = images.leave(saved)
    switch.options.release = runs.release
    untranslated = switch.faults.take("untranslated") is not None
    if untranslated:
        document = _bare(switch, saved)
    elif images.rollback or switch.schema.release < before.release:
        document = _former(switch, runs, saved)
    else:
        document, lost = translation.translate(saved, before, load(switch.schema.release))
        switch.faults_seen += [f"boot: {place} is no place of {runs.release}" for place in lost]
    switch.revisions = Revisions(copy.deepcopy(document), switch.options.max_revisions)
    if untranslated:
        switch.revisions.startup = saved
    switch.keep_startup()


def _former(switch: Switch, runs: Partition, saved: dict[str, Any]) -> dict[str, Any]:
    return _bare(switch, saved) if runs.kept is None else runs.kept


def _bare(switch: Switch, saved: dict[str, Any]) -> dict[str, Any]:
    """The factory's configuration with the places of `KEPT`."""
    document = switch.factory()
    for place in KEPT:
        content = tree.get(saved, place)
        if content is not tree.MISSING:
            document = tree.overlay(document, tree.wrap(place, content))
    return document
