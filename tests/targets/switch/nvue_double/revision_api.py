# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The /revision endpoints: create, list, show, and drive through the life cycle."""

from __future__ import annotations

from typing import Any

from .replies import Problem, missing
from .revisions import BUSY, QUESTIONS, Revision
from .switch import Switch

_ORDERS = {
    "apply",
    "save",
    "pending",
    "ays_yes",
    "ays_no",
    "ignore_fail_yes",
    "ignore_fail_no",
    "confirm_yes",
    "confirm_no",
}
_PROMPTS = {
    "ays": {"ays_yes", "ays_no"},
    "ignore_fail": {"ignore_fail_yes", "ignore_fail_no"},
    "confirm": {"confirm_yes", "confirm_no"},
}
_CONTROLS: dict[str, set[str] | None] = {
    "confirm": None,
    "dry-run": {"brief", "verbose"},
    "reload": {"skip"},
    "check-health": {"skip"},
    "readying": {"skip"},
    "verifying": {"skip", "skinny_startup"},
    "apply-type": {"CLI", "API", "startup-apply", "Internal", "Unknown"},
}


def handle(switch: Switch, method: str, path: list[str], body: Any, user: str | None) -> Any:
    """Answer a request below /revision; path is what follows it."""
    if method == "POST" and not path:
        revision = _foreign(switch) or switch.revisions.create(user or "root")
        return {revision.id: revision.view(switch.options.issue_keys)}
    if method == "GET":
        return _list(switch) if not path else _show(switch, _find(switch, path), path[0])
    if method == "PATCH" and len(path) == 1:
        return _drive(switch, path[0], body)
    if method == "DELETE" and len(path) == 1 and switch.options.revision_delete == "allow":
        revision = _find(switch, path)
        if revision.state in BUSY or revision is switch.revisions.current:
            raise Problem(400, f"Revision {revision.id} cannot be deleted")
        del switch.revisions.by_id[revision.id]
        return {}
    raise Problem(405, f"{method} is not allowed")


def _foreign(switch: Switch) -> Revision | None:
    """The draft of somebody else, where that is ordered."""
    if switch.faults.take("foreign_draft") is None:
        return None
    found = switch.revisions.by_id.values()
    return next(one for one in found if one.user == "someone-else" and one.state == "pending")


def _list(switch: Switch) -> Any:
    keys = switch.options.issue_keys
    listed = {name: item.view(keys) for name, item in switch.revisions.by_id.items()}
    still = {"issue": {}, "progress": ""}
    listed["applied"] = switch.revisions.current.view(keys)
    listed["startup"] = {"state": "inactive", "transition": dict(still)}
    listed["empty"] = {"state": "inactive", "transition": dict(still)}
    return listed


def _find(switch: Switch, path: list[str]) -> Revision:
    store = switch.revisions
    revision = store.current if path == ["applied"] else store.named(path[0])
    if revision is None or len(path) != 1:
        raise missing()
    return revision


def _show(switch: Switch, revision: Revision, name: str) -> Any:
    view = revision.view(switch.options.issue_keys)
    return {name: view} if switch.options.revision_reply == "wrapped" else view


def _drive(switch: Switch, name: str, body: Any) -> Any:
    order, prompts, controls, message = _read(switch, body)
    revision = _find(switch, [name])
    if name == "applied" and order not in ("save", None):
        raise Problem(400, f"state '{order}' is not allowed on the applied revision")
    if order == "apply" and revision.state in QUESTIONS:
        order = _answer_in(prompts, revision)
    if message is not None:
        revision.message = message
    if order == "save":
        _save(switch, revision)
    elif order == "apply":
        _apply(switch, revision, prompts, controls)
        reply = revision.view(switch.options.issue_keys)
        _detach(switch, revision)
        return reply
    elif order == "pending":
        if revision.state in BUSY or revision.was_applied:
            raise Problem(400, f"Revision {name} in state {revision.state} cannot be cancelled")
        revision.state, revision.issues, revision.progress = "pending", [], ""
    elif order is not None:
        _answer(revision, order)
    return revision.view(switch.options.issue_keys)


def _read(switch: Switch, body: Any) -> tuple[Any, dict[str, Any], dict[str, Any], Any]:
    if not isinstance(body, dict):
        raise Problem(400, "The body must be an object")
    unknown = set(body) - {"state", "auto-prompt", "state-controls", "message"}
    if unknown:
        raise Problem(400, f"Unknown key {', '.join(sorted(unknown))}")
    order = body.get("state")
    if order is not None and order not in _ORDERS:
        raise Problem(400, f"state '{order}' is not one of {', '.join(sorted(_ORDERS))}")
    prompts = _prompts(switch, body.get("auto-prompt", {}))
    return order, prompts, _controls(switch, body.get("state-controls", {})), body.get("message")


def _prompts(switch: Switch, given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise Problem(400, "auto-prompt must be an object")
    spelling = switch.options.ignore_fail_key
    found = {}
    for name, value in given.items():
        plain = name
        if name in ("ignore_fail", "ignore-fail") and spelling in ("both", name):
            plain = "ignore_fail"
        elif name == "ignore_fail":
            plain = ""
        if value not in _PROMPTS.get(plain, ()):
            raise Problem(400, f"auto-prompt: {name} '{value}' is not allowed")
        found[plain] = value
    return found


def _controls(switch: Switch, given: Any) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise Problem(400, "state-controls must be an object")
    for name, value in given.items():
        allowed = _CONTROLS.get(name, set())
        if name == "dry-run" and not switch.options.parsed_release.at_least("5.17"):
            allowed = set()
        if allowed is None:
            wrong = not isinstance(value, int) or isinstance(value, bool) or value <= 0
        else:
            wrong = value not in allowed
        if wrong:
            raise Problem(400, f"state-controls: {name} '{value}' is not allowed")
    return given


def _apply(
    switch: Switch, revision: Revision, prompts: dict[str, Any], controls: dict[str, Any]
) -> None:
    if revision.state in BUSY:
        raise Problem(400, f"Revision {revision.id} is in state {revision.state}")
    revision.prompts, revision.controls = prompts, controls
    if "dry-run" not in controls and switch.no_diff(revision):
        revision.state = revision.state if revision.was_applied else "pending"
        revision.progress = "no config diff"
        return
    switch.start_apply(revision)


def _detach(switch: Switch, revision: Revision) -> None:
    """Releases without known issue 5067214 do not leave the revision behind."""
    unchanged = revision.progress == "no config diff" and not revision.was_applied
    if unchanged and not switch.known_issue("5067214"):
        revision.state = "detached"


def _save(switch: Switch, revision: Revision) -> None:
    """Save now, or after the commit that has its confirmation and is about to be applied."""
    if any(item.state.endswith("_yes") for item in switch.revisions.busy()):
        switch.spawn(switch.save_next())
        return
    switch.save()
    revision.state = "saved"


def _answer_in(prompts: dict[str, Any], revision: Revision) -> Any:
    """The answer that an order to apply brings to a revision that asks."""
    if revision.state not in prompts:
        raise Problem(400, f"Revision {revision.id} in state {revision.state} waits for an answer")
    return prompts[revision.state]


def _answer(revision: Revision, order: str) -> None:
    waiting = order.rpartition("_")[0]
    if revision.state != waiting:
        raise Problem(400, f"Revision {revision.id} in state {revision.state} asks no {waiting}")
    revision.state = order
    revision.answers.put_nowait(order)
