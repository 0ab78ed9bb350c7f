# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Applying a revision: the documented states, one after the other, over time.

    apply (waits for another) -> checking -> checked -> [ays] -> readying -> ready -> verifying
    -> verified -> reloading -> reloaded -> [confirm, or ays again: option confirm_form] -> applied
    -> auto_save -> auto_saving -> applied_and_saved

`Apply.run` is that sequence; a failure anywhere raises `Failed` with the state it ends in, and
whatever was realised is put back.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from . import certificates, changes, known_issues, rules, tree
from .revisions import Revision

if TYPE_CHECKING:
    from .switch import Switch


class Failed(Exception):
    """An apply that ends in a failure state, with the issue to show."""

    def __init__(
        self, state: str, code: str, message: str, progress: str = "", **data: Any
    ) -> None:
        super().__init__(message)
        self.state = state
        self.progress = progress or _PROGRESS.get(state, "Failed to apply config")
        self.issue = {"code": code, "severity": "error", "message": message, "data": data}


class Interrupted(Exception):
    """The switch went down in the middle, or the fault that held it up was cleared."""


class RealiseError(Exception):
    """A realiser could not bring a document to life; the text says why."""


class Apply:
    """One apply of one revision on one switch."""

    def __init__(self, switch: Switch, revision: Revision) -> None:
        self.switch = switch
        self.revision = revision
        self.before = switch.revisions.applied
        self.accounts = switch.accounts.snapshot()
        self.target = revision.doc
        self.dry = (revision.controls or {}).get("dry-run")

    async def run(self) -> None:
        """Walk the revision to its end; never raises."""
        revision = self.revision
        try:
            async with self.switch.applying:
                await self._sequence()
        except Failed as failure:
            self.switch.faults_seen.append(str(failure))
            revision.state = failure.state
            revision.issues = [*revision.issues, failure.issue]
            revision.progress = failure.progress
        except Interrupted:
            revision.state, revision.progress = "pending", ""

    async def _sequence(self) -> None:
        self.before = self.switch.revisions.applied
        self.accounts = self.switch.accounts.snapshot()
        self._rebase()
        await self._check()
        if self.dry:
            await self._enter("dry_run_complete")
            return
        await self._ask()
        for state in ("readying", "ready", "verifying", "verified"):
            await self._enter(state)
        await self._enter("reloading")
        await self._realise()
        await self._enter("reloaded")
        await self._confirm()
        self._commit()
        await self._save()

    def _rebase(self) -> None:
        revision = self.revision
        if revision.was_applied:
            self.target = revision.doc
            return
        merged, conflicts = tree.rebase(revision.base, revision.doc, self.before)
        if conflicts:
            raise Failed(
                "invalid",
                "config_conflict",
                f"Config conflict at {', '.join(sorted(conflicts))}: the applied configuration "
                "changed since this revision was created",
                location=conflicts[0],
            )
        self.target = merged

    async def _check(self) -> None:
        switch = self.switch
        await self._enter("checking")
        if switch.known_issue("5172157"):
            raise Failed("apply_error", "stale_session", "a stale session holds the configuration")
        breaches = switch.schema.check(self.target, [], patch=False)
        document = {} if breaches else switch.schema.canonical(self.target)
        if not breaches:
            options = switch.options
            breaches = rules.check(document, options.parsed_release, options.hardware)
            breaches += [*self._self_removal(), *self._unknown_certificate(document)]
        if breaches:
            self.revision.issues = [_invalid(breach) for breach in breaches[:-1]]
            last = breaches[-1]
            raise Failed(
                "invalid",
                "config_invalid",
                f"Config invalid at {last.location}: {last.reason}",
                location=last.location,
                reason=last.reason,
            )
        await self._enter("checked")

    def _self_removal(self) -> list[Any]:
        users = tree.get(self.target, ["system", "aaa", "user"])
        if users is not tree.MISSING and self.revision.user in users:
            return []
        if self.revision.user in self.switch.local_users():
            place = f"system.aaa.user.{self.revision.user}"
            return [rules.Breach(place, "a user that is logged in cannot be deleted")]
        return []

    def _unknown_certificate(self, document: dict[str, Any]) -> list[Any]:
        name = self.switch.certificates.unknown(document)
        if name is None or self.switch.options.unknown_certificate == "accept":
            return []
        place = ".".join(certificates.BINDING)
        return [rules.Breach(place, f"certificate {name} is not imported")]

    async def _ask(self) -> None:
        switch, revision = self.switch, self.revision
        warnings = [effect.warning for effect in self._effects() if effect.prompts]
        fault = switch.faults.take("ask")
        if fault:
            warnings.append(fault.get("message", "files were changed by hand. Are you sure?"))
        if not warnings:
            return
        if revision.prompts.get("ays") == "ays_yes":
            return
        revision.issues = [
            {"code": "warning", "severity": "warning", "message": text, "data": {}}
            for text in warnings
        ]
        limit = switch.options.answer_seconds
        answer = revision.prompts.get("ays") or await self._wait_answer("ays", limit)
        revision.issues = []
        if answer != "ays_yes":
            code = "client_timeout" if answer is None else "client_refused"
            raise Failed("ays_fail", code, warnings[0])

    def _effects(self) -> list[changes.Effect]:
        canonical = self.switch.schema.canonical
        release = self.switch.options.parsed_release
        return changes.effects(canonical(self.before), canonical(self.target), release)

    async def _wait_answer(self, question: str, seconds: float) -> str | None:
        """Be in the state that asks; the answer, or None where none came in time."""
        await self._enter(question)
        revision = self.revision
        try:
            answer = await asyncio.wait_for(revision.answers.get(), seconds)
        except TimeoutError:
            if not revision.answers.qsize():
                revision.state = f"{question}_no"
                return None
            answer = revision.answers.get_nowait()
        await self._pause()
        return answer

    async def _realise(self) -> None:
        switch = self.switch
        canonical = switch.schema.canonical
        old, new = canonical(self.before), canonical(self.target)
        try:
            for sentence in known_issues.apply_failures(old, new, switch.options):
                raise Failed("apply_fail", "apply_failed", sentence)
            fault = switch.faults.take("apply_fail", at=None)
            if fault:
                await self._strike(fault)
            await switch.realise(new)
        except RealiseError as error:
            await self._undo()
            raise Failed("apply_fail", "apply_failed", str(error)) from error
        except Failed:
            await self._undo()
            raise
        self._pursue(switch.schema.canonical(self.target))

    async def _strike(self, fault: Any) -> None:
        text = fault.get("message", "service frr reload failed") + self.switch.options.hostile_text
        if fault.get("ignorable", False):
            prompts = self.revision.prompts
            limit = self.switch.options.answer_seconds
            answer = prompts.get("ignore_fail") or await self._wait_answer("ignore_fail", limit)
            if answer == "ignore_fail_yes":
                return
        raise Failed(fault.get("state", "apply_fail"), fault.get("code", "apply_failed"), text)

    def _pursue(self, document: dict[str, Any]) -> None:
        """Let what is running take effect: management fault, listening address, accounts."""
        switch = self.switch
        fault = switch.faults.take("lost_management")
        if fault:
            switch.lose_management(fault.get("seconds", None))
        upset = any(effect.kind == "login_restart" for effect in self._effects())
        fault = switch.faults.take("unauthorized") if upset else None
        if fault:
            switch.refuse_logins(fault.get("seconds", None))
        switch.run(document)
        switch.operational.strike()

    async def _confirm(self) -> None:
        seconds = (self.revision.controls or {}).get("confirm")
        if not seconds:
            return
        if self.switch.options.applied_during_confirm == "new":
            self.switch.revisions.applied = self.target
        form = self.switch.options.confirm_form
        answer = self._answered_beforehand() or await self._wait_answer(form, float(seconds))
        if answer == f"{form}_yes":
            return
        self.switch.revisions.applied = self.before
        await self._undo()
        reason = "rejected" if answer else f"not confirmed within {seconds} seconds"
        end = f"{form}_fail"
        raise Failed(end, end, f"configuration was {reason}, rolled back", "Rolled back")

    def _answered_beforehand(self) -> str | None:
        """Return the answer of `auto-prompt.confirm`, in the words of the question, if it counts."""
        options = self.switch.options
        given = self.revision.prompts.get("confirm")
        by_form = "answers" if options.confirm_form == "confirm" else "asks"
        counts = {"by_form": by_form}.get(options.auto_prompt_confirm, options.auto_prompt_confirm)
        if given is None or counts == "asks":
            return None
        return f"{options.confirm_form}_{given.rpartition('_')[2]}"

    async def _undo(self) -> None:
        document = self.switch.schema.canonical(self.before)
        try:
            await self.switch.realise(document)
        except RealiseError as error:
            self.switch.faults_seen.append(f"roll-back: {error}")
        self.switch.running = document
        self.switch.accounts.restore(self.accounts)
        self.switch.operational.recover()
        self.switch.find_management()

    def _commit(self) -> None:
        switch, revision = self.switch, self.revision
        store = switch.revisions
        store.current.state = "inactive"
        store.current = revision
        store.applied = revision.doc = self.target
        revision.base = self.target
        revision.was_applied = True
        revision.state, revision.progress = "applied", ""
        revision.issues = []
        switch.after_commit()
        if fault := switch.faults.take("applied_and_reverts"):
            switch.revert(self.before, fault)

    async def _save(self) -> None:
        switch, revision = self.switch, self.revision
        if not switch.auto_save():
            return
        await self._pause()
        if switch.options.final_state == "applied":
            switch.save()
            return
        revision.state = "auto_save"
        await self._pause()
        revision.state = "auto_saving"
        await self._pause()
        switch.save()
        revision.state = switch.options.final_state

    async def _enter(self, state: str) -> None:
        """Be in a state for a while; faults that strike there do so."""
        revision, switch = self.revision, self.switch
        revision.state = state
        revision.progress = _PROGRESS.get(state, "")
        await self._pause()
        fault = switch.faults.take("apply_slow", at=state) if state == "reloading" else None
        if fault:
            await asyncio.sleep(fault.get("seconds", 1.0))
        for fault in [item for item in switch.faults.waiting if item.get("at", None) == state]:
            await self._strike_at(fault.kind, state)

    async def _strike_at(self, kind: str, state: str) -> None:
        switch = self.switch
        fault = switch.faults.take(kind, at=state)
        if fault is None:
            return
        if kind == "apply_never_ends":
            await switch.faults.until_cleared()
            raise Interrupted
        if kind == "apply_slow":
            await asyncio.sleep(fault.get("seconds", 1.0))
        elif kind == "apply_fail":
            await self._strike(fault)
        elif kind == "drop_mid_apply":
            switch.lose_management(fault.get("seconds", 0.5))
        elif kind == "reboot":
            switch.start_reboot(fault.get("seconds", None))
            raise Interrupted

    async def _pause(self) -> None:
        await asyncio.sleep(self.switch.options.step_seconds)


def _invalid(breach: rules.Breach) -> dict[str, Any]:
    return {
        "code": "config_invalid",
        "severity": "error",
        "message": f"Config invalid at {breach.location}: {breach.reason}",
        "data": {"location": breach.location, "reason": breach.reason},
    }


_PROGRESS = {
    "ignore_fail": "Failure during apply. Ignore?",
    "invalid": "Invalid config",
    "ays_fail": "Aborted apply after warnings",
    "apply_fail": "Failed to apply config",
    "apply_error": "Failed to apply config",
}
