# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""End of a task that a switch has ended: one place, for every action that talks to switches."""

from __future__ import annotations

import re
import types
from pathlib import Path
from typing import Any

import playing
import pytest
from ansible.errors import AnsibleActionFail

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.refusals import (
    answered,
    ended,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
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
    assert ending(error) == ended(error) == {**result, "msg": "no."}


def ending(outcome: Any, **task: Any) -> dict[str, Any]:
    """The result of an action that raises or returns something."""
    return playing.ended(raw, outcome=outcome, **task)


def raw(*, outcome: Any, **task: Any) -> dict[str, Any]:
    """Return the result that Ansible gets."""

    @answered
    def run(_action: Any) -> dict[str, Any]:
        if isinstance(outcome, Exception):
            raise outcome
        return dict(outcome)

    action: Any = types.SimpleNamespace(_task=types.SimpleNamespace(**task))
    return run(action)


FAILED = {"failed": True, "msg": "one.", "counts": {}}


def test_a_refusal_is_its_sentence_alone() -> None:
    """Of an exception Ansible shows the text twice, with words of its own before it."""
    with pytest.raises(AnsibleActionFail) as caught:
        raw(outcome=FabricError.of("one."))
    assert caught.value.omit_exception_key
    assert ending(FabricError.of("one.")) == {"failed": True, "msg": "one."}


def test_what_failed_with_more_to_say_is_a_result() -> None:
    """Ansible shows the sentence first, and the rest below it."""
    assert raw(outcome=FAILED) == FAILED


@pytest.mark.parametrize("task", [{"until": ["found is success"]}, {"retries": 12}])
def test_a_task_that_is_asked_again_returns_its_failure(task: Any) -> None:
    """Ansible ends a loop of `until` with what an action raises."""
    assert raw(outcome=FabricError.of("one."), **task) == {"failed": True, "msg": "one."}


def test_no_action_decides_by_itself_what_is_unreachable() -> None:
    """An action that talks to a switch leaves its errors to the one place."""
    validate = ACTIONS.parent / "plugin_utils" / "_jobs" / "validate"
    files = [*ACTIONS.glob("*.py"), *validate.glob("*.py")]
    talking = [path for path in files if "open_api" in path.read_text("utf-8")]
    assert len(talking) >= 6
    for path in talking:
        text = path.read_text("utf-8")
        assert not re.search(r"unreachable=True|[\"']unreachable[\"']: True", text), path.name
        assert "(Action)" in text or "ended(" in text or "@answered" in text, path.name
