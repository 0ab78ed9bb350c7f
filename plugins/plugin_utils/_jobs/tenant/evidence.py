# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence that a hook gives: who says, from outside the node, that it is wiped or accepted, or the registry committed.

    spectrum_x.fabric.tenant: {do: confirm, what: wiped, by: bmc, note: "erase job 4711"}

The action runs on the controller, and takes the node and the run from the run's store. Of a node only its own hook
confirms anything. An answer of the node decides nothing: a tenant that was root there can forge it.
"""

from __future__ import annotations

import dataclasses
import typing as t
from pathlib import Path

from ....module_utils import _text
from ..._fabric.description import devices
from ..._fabric.description.errors import FabricError
from ..._fabric.tenants.evidence import Evidence, HookAtWork
from ..._fabric.tenants.hooks import BY, CONFIRMS, FORMER
from .. import clock
from ..hooks import hook_files
from . import hook_machine
from .kinds import EVIDENCE, HOOK, REGISTRY

if t.TYPE_CHECKING:
    from ..._fabric.tenants.moves.records import HookCall
    from ..run import Result
    from ..run_store import RunStore

WIPED, CARDS, IDENTITY, ACCEPTED = "wiped", "cards", "identity", "accepted"
"""Kinds of evidence of a node: hooks give the first and the last, actions of ours read `cards` and `identity`."""


def confirm(store: RunStore, what: str, *, by: str, note: str, machine: str = "") -> Result:
    """Keep a confirmation of the hook at work; FabricError where it is not that hook's."""
    hook = store.get(HOOK)
    if by not in BY[what]:
        raise FabricError.of(
            f"confirm: by: '{by}' is not allowed with {what}: use {', '.join(BY[what])}."
        )
    if CONFIRMS.get(hook.name) != what:
        due = next(name for name, confirmed in CONFIRMS.items() if confirmed == what)
        raise FabricError.of(
            f"confirm: what: only the hook {due} confirms '{what}': put this task into hooks/{due}.yml."
        )
    if what == WIPED:
        _same_machine(store, hook, machine)
    record = add(store, what, by=by, node=hook.node, note=note)
    if what == "committed":
        store.put(
            REGISTRY, dataclasses.replace(store.get(REGISTRY), committed=True, uncommitted="")
        )
    return {"changed": False, **dataclasses.asdict(record)}


def _same_machine(store: RunStore, hook: HookAtWork, machine: str) -> None:
    """FabricError where another machine was wiped than the node, or it is not said which, and no run logs in there.

    Where the hook had our own action identify the host by its leaves, that says it.
    """
    marks = _marks(hook)
    if not machine and hook.node in of(store, IDENTITY):
        return
    if hook.managed and not (machine and marks):
        return
    if _mark(machine) not in marks:
        stated = f"'{_text.line(machine)}' is not" if machine else "it does not say"
        has = " or ".join(sorted(marks)) or "nothing"
        raise FabricError.of(
            f"confirm: machine: {stated} what devices.csv has of {hook.node} ({has}): find out which machine the hook "
            "wiped."
        )


def _marks(hook: HookAtWork | HookCall) -> set[str]:
    """Return serial number and MAC addresses of the node of a hook in one spelling."""
    return {_mark(one) for one in (hook.serial, *hook.macs) if one}


def _mark(text: str) -> str:
    word = text.strip()
    return devices.mac(word) if devices.MAC.fullmatch(word) else word.lower()


def add(store: RunStore, what: str, *, by: str, node: str, note: str = "") -> Evidence:
    """Keep who says what of a node, and return the record."""
    record = Evidence(what, by, node, _text.line(note), clock.stamp())
    store.put(EVIDENCE, [*every(store), record])
    return record


def begin(store: RunStore, hook: HookAtWork) -> None:
    """Note the hook at work; earlier evidence of its node does not count."""
    what = CONFIRMS.get(hook.name)
    over = (WIPED, CARDS, IDENTITY) if what == WIPED else (what,)
    kept = [one for one in every(store) if one.node != hook.node or one.what not in over]
    store.put(EVIDENCE, kept)
    store.put(HOOK, hook)


def end(store: RunStore) -> None:
    """Note that no hook is at work."""
    store.put(HOOK, HookAtWork())


def every(store: RunStore) -> list[Evidence]:
    """Return all evidence of this playbook, in the order in which it was given."""
    return store.get(EVIDENCE)


def of(store: RunStore, what: str) -> dict[str, Evidence]:
    """Return the evidence of one kind by node, the last one of each."""
    return {one.node: one for one in every(store) if one.what == what}


def must_name(hooks: t.Iterable[HookCall], files: t.Mapping[str, str]) -> None:
    """Refuse a hook that confirms a wipe without the machine, where runs do not log in to nodes of `hooks`.

    The machine is what BMC or image service answer. A hook that has our action identify the host needs none: it
    confirms nothing where that did not prove it. One that confirms nothing is refused at its end.
    """
    sentences = list[str]()
    due = [call for call in hooks if CONFIRMS.get(call.name) == WIPED and not call.managed]
    for name in dict.fromkeys(call.name for call in due):
        hook, calls = Path(files[name]), [call for call in due if call.name == name]
        why = hook_machine.doubt(hook, {call.node for call in calls})
        if why is None:
            continue
        sentences += [
            f"{call.node}: devices.csv has neither serial nor MAC of it, by which the hook {name} proves which "
            "machine it wiped: write one of them."
            for call in calls
            if not _marks(call)
        ]
        if why:
            sentences.append(
                f"{hook}: machine: runs do not log in to {calls[0].node}: confirm with machine, the answer of the BMC "
                f"or the image service: {why}."
            )
    if sentences:
        raise FabricError(sentences)


def must_confirm(files: t.Mapping[str, str]) -> None:
    """Refuse hooks that set a fact in place of a confirmation, with the line to write; `files` by hook.

    Files that a hook includes by their names count as the hook.
    """
    found = []
    for name, hook in files.items():
        what = CONFIRMS.get(name)
        if what is None:
            continue
        for file in hook_files(Path(hook)):
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            if any(FORMER[what] in line.partition("#")[0] for line in lines):
                found.append(
                    f"{file}: {FORMER[what]}: a fact is not evidence: write spectrum_x.fabric.tenant: {{do: confirm, "
                    f"what: {what}, by: {'|'.join(BY[what])}}} in its place."
                )
    if found:
        raise FabricError(found)
