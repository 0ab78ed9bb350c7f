# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How a task ends that a switch has ended: one place, for every action that talks to switches."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import (
    ended,
    of_a_switch,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApplyError,
    NvueError,
    RefusedError,
    TransportError,
    UnfitError,
    UntrustedError,
)

ACTIONS = Path(__file__).parents[5] / "plugins" / "action"


@pytest.mark.parametrize(
    "error, result",
    [
        (TransportError("no."), {"unreachable": True}),
        (UnfitError("no."), {"unreachable": True}),
        (UntrustedError("no."), {"failed": True, "untrusted": True}),
        (RefusedError("no."), {"failed": True}),
        (ApplyError("no."), {"failed": True}),
    ],
)
def test_how_a_task_ends(error: NvueError, result: dict[str, Any]) -> None:
    @of_a_switch
    def run() -> dict[str, Any]:
        raise error

    assert run() == ended(error) == {**result, "msg": "no."}


def test_no_action_decides_by_itself_what_is_unreachable() -> None:
    """An action that talks to a switch leaves its errors to the one place."""
    validate = ACTIONS.parent / "plugin_utils" / "_edge" / "validate"
    files = [*ACTIONS.glob("*.py"), *validate.glob("*.py")]
    talking = [path for path in files if "open_api" in path.read_text("utf-8")]
    assert len(talking) >= 6
    for path in talking:
        text = path.read_text("utf-8")
        assert not re.search(r"unreachable=True|[\"']unreachable[\"']: True", text), path.name
        assert "(Action)" in text or "ended(" in text, path.name
