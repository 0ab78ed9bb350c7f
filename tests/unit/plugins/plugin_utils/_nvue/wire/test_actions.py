# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import NvueError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire import actions

PATH = ("interface", "swp1")
DONE = {"state": "action_success", "status": "ok"}


def test_an_action_is_started_and_followed(switch: Callable[..., Any]) -> None:
    made = switch(
        script={
            "POST /interface/swp1": [12],
            "GET /action/12": [
                {"state": ""},
                {"state": "start"},
                {"state": "running"},
                {"state": "action_running"},
                DONE,
            ],
        }
    )
    api = made.api()
    job = actions.start(api, PATH, "clear", {"force": True})
    assert actions.follow(api, job, within=60) == DONE
    assert made.log == ["POST /interface/swp1", *["GET /action/12"] * 5]
    assert made.bodies[0] == {"@clear": {"state": "start", "parameters": {"force": True}}}


@pytest.mark.parametrize(
    "answer, sentence",
    [
        ({"state": "action_error", "issue": [{"message": "no such file."}]},
         "job 3 ended as action_error: no such file."),
        ({"state": "action_error", "issue": {"0": {"message": "bad"}}, "status": "gave up"},
         "job 3 ended as action_error: bad; gave up."),
        ({"state": "running"}, "job 3 did not end within 60 s."),
        ("odd", "GET /action/3 was answered with '\"odd\"'; a mapping was expected."),
        ({"odd": 1}, "GET /action/3 was answered with '{\"odd\": 1}'; a job with its state was "
         "expected."),
    ],
)  # fmt: skip
def test_endings(switch: Callable[..., Any], answer: Any, sentence: str) -> None:
    made = switch(script={"GET /action/3": [answer]})
    with pytest.raises(NvueError) as error:
        actions.follow(made.api(), "3", within=60)
    assert str(error.value) == f"leaf-01:8765: {sentence}"


def test_no_job_number_is_an_error(switch: Callable[..., Any]) -> None:
    made = switch(script={"POST /system": [{"odd": 1}]})
    with pytest.raises(NvueError, match="a job number was expected"):
        actions.start(made.api(), ("system",), "@reboot", {})
    assert made.bodies == [{"@reboot": {"state": "start"}}]


@pytest.mark.parametrize("silence, ends", [(0, False), (60, True)])
def test_a_switch_may_be_silent_only_as_long_as_it_is_told(
    switch: Callable[..., Any], dropped: Callable[[], Exception], silence: int, ends: bool
) -> None:
    made = switch(script={"GET /action/3": [{"state": "running"}, dropped(), dropped(), DONE]})
    if ends:
        assert actions.follow(made.api(), "3", within=600, silence=silence) == DONE
        return
    with pytest.raises(NvueError, match="connection was closed"):
        actions.follow(made.api(), "3", within=600, silence=silence)
