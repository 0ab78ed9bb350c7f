# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of an upgrade on one switch, in one table. Private.

Each step reads the switch first, and does what is still to be done: a run after a killed one goes on where the switch
is. From the reboot on a step that fails boots the old partition, brings the switch to the registry of today, and proves
it; the run ends there.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..._fabric.catalog import upgrades
from ..._fabric.description.errors import FabricError
from ..._fabric.tenants.moves.leaf import LeafError
from ..._nvue.change import known_bugs
from ..._nvue.change import proof as proof_of_change
from ..._nvue.document.release import Release, parse
from ..._nvue.errors import NvueError
from ..._nvue.wire import images, operational
from ..switch import maintenance
from . import state
from .proof import prove
from .records import SAVED, STATE, SavedState

if t.TYPE_CHECKING:
    from collections.abc import Callable

    from .state import UpgradeSwitch

Result = dict[str, object]


@dataclasses.dataclass(frozen=True)
class Options:
    """Times of a step in seconds, and the packets a second that a drained port may still have."""

    seconds: int = 10
    most: float = 20
    apply_wait: int = 60
    soak: int = 60


@dataclasses.dataclass(frozen=True)
class Step:
    """A step: its work, and whether it is about a switch that booted, which then goes back where it fails."""

    work: Callable[[UpgradeSwitch, Options], Result]
    booted: bool = False


def take(switch: UpgradeSwitch, name: str, how: Options) -> Result:
    """Take a step; FabricError, NvueError or LeafError where the run stops with it."""
    step = STEPS[name]
    if switch.how.check:
        return {"skipped": True, "msg": "check mode upgrades nothing."}
    try:
        runs_new = _runs_new(switch)
        if step.booted is not runs_new and name not in EITHER:
            if step.booted:
                raise FabricError.of(f"{switch.name}: it has booted its old release again.")
            return {"changed": False}
        return step.work(switch, how)
    except (FabricError, NvueError, LeafError) as exc:
        if not step.booted:
            raise
        return _back(switch, how, str(exc))
    finally:
        switch.api.port.close()


def _runs_new(switch: UpgradeSwitch) -> bool:
    target = switch.target
    return images.state(switch.api).running.holds(target.release, target.build)


def _done(result: Result) -> Result:
    """Return the result of a change; FabricError where it failed."""
    if result.get("failed"):
        raise FabricError.of(str(result["msg"]))
    return {"changed": bool(result.get("changed"))}


# Before the boot


def _try(switch: UpgradeSwitch, _how: Options) -> Result:
    """Choose the other partition for the next boot, and take it back: a switch that cannot is not upgraded."""
    found = images.state(switch.api)
    if found.pending or not found.waiting.release:
        return {"changed": False}
    within = upgrades.seconds("boot_next")
    images.boot_next(switch.api, found.other, within)
    images.boot_next(switch.api, found.current, within)
    return {"changed": True}


def _install(switch: UpgradeSwitch, _how: Options) -> Result:
    found, target = images.state(switch.api), switch.target
    if found.waiting.holds(target.release, target.build):
        return {"changed": False}
    limits = upgrades.seconds("fetch"), upgrades.seconds("install")
    images.install(switch.api, target.url, target.build, target.release, limits)
    return {"changed": True}


def _boot_next(switch: UpgradeSwitch, _how: Options) -> Result:
    found = images.state(switch.api)
    if found.pending:
        return {"changed": False}
    images.boot_next(switch.api, found.other, upgrades.seconds("boot_next"))
    return {"changed": True}


def _drain(switch: UpgradeSwitch, _how: Options) -> Result:
    """Note what is up, and ask the neighbours for other ways."""
    if not state.drained(switch):
        up = proof_of_change.read(switch.api, dict(switch.leaf.applied().document)).up
        noted = SavedState([list(one) for one in sorted(up)], sorted(switch.leaf.carriers()))
        switch.store.put(SAVED, noted, of=switch.name)
    return _done(switch.bring(switch.drain(enter=True)))


def _shut(switch: UpgradeSwitch, _how: Options) -> Result:
    """Shut the ports towards nodes, so that nobody sends into a boot, and see that the next boot has that."""
    result: Result = {"changed": False}
    if switch.host_ports:
        result = _done(switch.bring(switch.closed))
    if not state.saved(switch):
        raise FabricError.of(
            f"{switch.name}: its startup configuration is not the applied one: save it (nv config save), and run again."
        )
    return result


def _quiet(switch: UpgradeSwitch, how: Options) -> Result:
    wish = switch.drain(enter=True)
    return maintenance.prove(switch.leaf, wish, enter=True, seconds=how.seconds, most=how.most)


def _reboot(switch: UpgradeSwitch, how: Options) -> Result:
    """Boot the other partition: the boot of before is known by its partition, this one by its uptime too."""
    api, target = switch.api, switch.target
    found = images.state(api)
    if not (found.pending and found.waiting.holds(target.release, target.build)):
        raise FabricError.of(
            f"{switch.name}: its next boot is {found.next} and not the new image: run again from the start."
        )
    if not state.drained(switch) or (switch.host_ports and not state.shut(switch)):
        raise FabricError.of(f"{switch.name}: it is not drained and shut any more: run again.")
    _boot(switch, how)
    return {"changed": True}


def _boot(switch: UpgradeSwitch, how: Options) -> None:
    old = parse(switch.store.get(STATE, of=switch.name).release)
    if any(
        bug.upgrade == known_bugs.WAIT and bug.id == 4501632
        for bug in known_bugs.of_upgrade(old, switch.target.release)
    ):
        switch.api.clock.sleep(how.apply_wait)
    boot = images.reboot(switch.api)
    images.await_boot(switch.api, boot, upgrades.seconds("reboot"), switch.how.say)


# After the boot


def _booted(switch: UpgradeSwitch, _how: Options) -> Result:
    """See that the boot kept what was saved before it; a run that finds the switch further on has seen that."""
    begun = switch.store.get(STATE, of=switch.name)
    made = switch.compare()
    if begun.stage != "booted" and (lost := state.kept(switch, made)):
        raise FabricError.of(
            f"{switch.name}: the boot did not keep its configuration: {', '.join(lost)} is not as it was saved."
        )
    return {"changed": False}


def _tenancy(switch: UpgradeSwitch, _how: Options) -> Result:
    """Bring the tenants of today while the ports are shut; where one is open already, that was done."""
    if not switch.host_ports or not state.shut(switch):
        return {"changed": False}
    result = _done(switch.bring(switch.closed))
    made = state.changes(switch, switch.closed)
    if made.changes or made.held.drift:
        said = made.held.drift or [
            f"{len(made.changes)} places of its tenants are not as the registry says."
        ]
        raise FabricError([f"{switch.name}: {text}" for text in said])
    return result


def _open(switch: UpgradeSwitch, _how: Options) -> Result:
    return _done(switch.bring(switch.tenancy)) if switch.host_ports else {"changed": False}


def _switches(switch: UpgradeSwitch, _how: Options) -> Result:
    return _done(switch.bring(switch.wanted))


def _prove(switch: UpgradeSwitch, how: Options) -> Result:
    target = switch.target
    found = prove(switch, target.release, target.build, seconds=how.seconds)
    if found.failures:
        raise FabricError([f"{switch.name}: {text}." for text in found.failures])
    return {"changed": False, **({"warnings": found.remarks} if found.remarks else {})}


def _leave(switch: UpgradeSwitch, _how: Options) -> Result:
    wish = switch.drain(enter=False)
    result = _done(switch.bring(wish))
    maintenance.prove(switch.leaf, wish, enter=False)
    return result


def _soak(switch: UpgradeSwitch, how: Options) -> Result:
    switch.api.clock.sleep(how.soak)
    return {"changed": False}


STEPS: dict[str, Step] = {
    "try": Step(_try),
    "install": Step(_install),
    "boot_next": Step(_boot_next),
    "drain": Step(_drain),
    "shut": Step(_shut),
    "quiet": Step(_quiet),
    "reboot": Step(_reboot),
    "booted": Step(_booted, booted=True),
    "tenancy": Step(_tenancy, booted=True),
    "open": Step(_open, booted=True),
    "switches": Step(_switches, booted=True),
    "prove": Step(_prove, booted=True),
    "leave": Step(_leave),
    "soak": Step(_soak),
}
"""The steps in their order."""
EITHER = ("leave", "soak")
"""Steps that are the same before and after the boot."""


# The way back


def _back(switch: UpgradeSwitch, how: Options, why: str) -> t.NoReturn:
    """Boot the old partition and bring the switch back to service; FabricError says how that ended."""
    old = parse(switch.store.get(STATE, of=switch.name).release)
    try:
        remarks = _return(switch, how, old)
    except (FabricError, NvueError, LeafError) as exc:
        raise FabricError.of(
            f"{why.rstrip('.')}. The way back did not succeed either: {str(exc).rstrip('.')}. Look at the switch by "
            "its console; nothing further is upgraded."
        ) from exc
    also = f" ({'; '.join(remarks)})" if remarks else ""
    raise FabricError.of(
        f"{why.rstrip('.')}. It is back on {old}, in service and proven{also}: nothing further is upgraded; find the "
        "reason, then run again."
    )


def _return(switch: UpgradeSwitch, how: Options, old: Release) -> list[str]:
    found = images.state(switch.api)
    within = upgrades.seconds("boot_next")
    if found.running.release and parse(found.running.release) == old:
        if found.pending:
            images.boot_next(switch.api, found.current, within)
    else:
        if not found.waiting.release or parse(found.waiting.release) != old:
            raise FabricError.of(f"{switch.name}: {found.other} does not have {old} any more.")
        images.boot_next(switch.api, found.other, within)
        _boot(switch, how)
    if operational.about(switch.api).release != old:
        raise FabricError.of(f"{switch.name}: it does not run {old}.")
    for wish in (switch.tenancy, switch.wanted):
        if wish is switch.wanted or switch.host_ports:
            _done(switch.bring(wish))
    proof = prove(switch, old, None, seconds=how.seconds)
    if proof.failures:
        raise FabricError([f"{switch.name}: {text}." for text in proof.failures])
    _leave(switch, how)
    return proof.remarks
