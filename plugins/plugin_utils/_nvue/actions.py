# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of the switch: start one, follow its job."""

from __future__ import annotations

from typing import Any

from .api import Api, transient
from .errors import ApiError, NvueError
from .paths import Path, to_text
from .tree import Doc

RUNNING = frozenset({"", "start", "running"})
SUCCESS = "action_success"


def start(api: Api, path: Path, action: str, parameters: Doc) -> str:
    """Start ``action`` on ``path`` and return the number of its job."""
    body: Doc = {"state": "start"}
    if parameters:
        body["parameters"] = parameters
    answer = api.post(path, {f"@{action.lstrip('@')}": body})
    if isinstance(answer, int | str) and str(answer).isdigit():
        return str(answer)
    raise ApiError(
        f"{api.port.target}: the action {action} on {to_text(path)} was answered with "
        f"{str(answer)[:200]!r}; a job number was expected.",
        status=200,
    )


def follow(api: Api, job: str, *, within: float, silence: float = 0.0) -> Doc:
    """Poll a job until it ends; raise ``NvueError`` when it fails or takes too long.

    ``silence`` is how long, in seconds, the switch may not answer (a reboot).
    """
    clock = api.clock
    begun = heard = clock.now()
    delay = 0.2
    while True:
        try:
            found = api.get(("action", job))
            heard = clock.now()
            if _ended(api, job, found):
                return dict(found)
        except NvueError as exc:
            if not transient(exc) or clock.now() - heard >= silence:
                raise
        if clock.now() - begun >= within:
            raise NvueError(f"{api.port.target}: job {job} did not end within {within:g} s.")
        clock.sleep(delay)
        delay = min(delay * 1.5, 2.0)


def _ended(api: Api, job: str, found: Any) -> bool:
    state = found.get("state") if isinstance(found, dict) else None
    if state == SUCCESS:
        return True
    if state in RUNNING:
        return False
    raise NvueError(f"{api.port.target}: job {job} ended as {state}: {_why(found)}.")


def _why(found: Any) -> str:
    if not isinstance(found, dict):
        return str(found)[:200]
    issues = found.get("issue")
    if isinstance(issues, dict):
        issues = list(issues.values())
    said = [
        str(issue.get("message") if isinstance(issue, dict) else issue) for issue in issues or ()
    ]
    said += [str(found[key]) for key in ("detail", "status") if found.get(key)]
    return "; ".join(dict.fromkeys(said)).rstrip(".") or "no reason given"
