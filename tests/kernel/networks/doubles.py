# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents as switches have them once they have taken them by their API."""

from __future__ import annotations

import base64
import copy
import json
import time
import urllib.request
from collections.abc import Callable, Iterable
from typing import Any

from nvue_double.testing import running_doubles

Plain = dict[str, Any]
RELEASE = "5.16.1"


def checked(names: Iterable[str], source: Callable[[str], Plain]) -> dict[str, Plain]:
    """Return the configuration of switches once they have applied their documents."""
    rows = list(names)
    with running_doubles([{"release": RELEASE} for _name in rows], encrypted=False) as doubles:
        pairs = zip(rows, doubles)
        return {name: copy.deepcopy(_applied(one, source(name))) for name, one in pairs}


def _asked(double: Any, method: str, path: str, body: Any = None) -> Any:
    """A request to a double that must succeed."""
    words = base64.b64encode(f"{double.username}:{double.password}".encode()).decode()
    request = urllib.request.Request(
        f"{double.url}/nvue_v1{path}",
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Content-Type": "application/json", "Authorization": f"Basic {words}"},
    )
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read() or "null")


def _applied(double: Any, document: Plain) -> Plain:
    number = next(iter(_asked(double, "POST", "/revision")))
    _asked(double, "PATCH", f"/?rev={number}", document)
    order = {"state": "apply", "auto-prompt": {"ays": "ays_yes"}}
    _asked(double, "PATCH", f"/revision/{number}", order)
    for _attempt in range(200):
        state = _asked(double, "GET", f"/revision/{number}")
        if state["state"].startswith("applied"):
            made: Plain = double.switch.running
            return made
        assert "issue" not in state["transition"] or not state["transition"]["issue"], state
        time.sleep(0.05)
    raise AssertionError(f"not applied: {state}")
