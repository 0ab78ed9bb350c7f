# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of the switch: start one, follow its job."""

from __future__ import annotations

from ....module_utils._json import Doc, Json
from ..document.paths import Path
from ..document.shapes import MisfitError, mapping
from ..errors import NvueError
from .api import Api, transient

RUNNING = frozenset({"", "start", "running", "action_running"})
SUCCESS = "action_success"


def start(api: Api, path: Path, action: str, parameters: Doc) -> str:
    """Start ``action`` on ``path`` and return the number of its job."""
    body: Doc = {"state": "start"}
    if parameters:
        body["parameters"] = parameters
    return api.post(path, {f"@{action.lstrip('@')}": body}, _job)


def _job(found: Json) -> str:
    if isinstance(found, bool) or not isinstance(found, int | str) or not str(found).isdigit():
        raise MisfitError("a job number")
    return str(found)


def follow(api: Api, job: str, *, within: float, silence: float = 0.0) -> Doc:
    """Poll a job until it ends; raise ``NvueError`` when it fails or takes too long.

    ``silence`` is how long, in seconds, the switch may not answer (a reboot).
    """
    clock = api.clock
    begun = heard = clock.now()
    delay = 0.2
    while True:
        try:
            found = api.get(("action", job), {}, _state)
            heard = clock.now()
            if _ended(api, job, found):
                return found
        except NvueError as exc:
            if not transient(exc) or clock.now() - heard >= silence:
                raise
        if clock.now() - begun >= within:
            raise NvueError(f"{api.port.target}: job {job} did not end within {within:g} s.")
        clock.sleep(delay)
        delay = min(delay * 1.5, 2.0)


def _state(found: Json) -> Doc:
    if not isinstance(mapping(found).get("state"), str):
        raise MisfitError("a job with its state")
    return mapping(found)


def _ended(api: Api, job: str, found: Doc) -> bool:
    if found["state"] == SUCCESS:
        return True
    if found["state"] in RUNNING:
        return False
    raise NvueError(f"{api.port.target}: job {job} ended as {found['state']}: {_why(found)}.")


def _why(found: Doc) -> str:
    issues = found.get("issue")
    if isinstance(issues, dict):
        issues = list(issues.values())
    said = [
        str(issue.get("message") if isinstance(issue, dict) else issue)
        for issue in (issues if isinstance(issues, list) else ())
    ]
    said += [str(found[key]) for key in ("detail", "status") if found.get(key)]
    return "; ".join(dict.fromkeys(said)).rstrip(".") or "no reason given"
