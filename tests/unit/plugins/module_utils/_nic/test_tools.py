# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools are bounded in time, and what is killed leaves nothing."""

from __future__ import annotations

import time

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import (
    Host,
    system_runner,
)


def test_real_tools_are_bounded():
    assert system_runner(["sleep", "30"], 0.2).rc == 124
    assert system_runner(["/no/such/tool"], 1).rc == 127
    assert system_runner(["sh", "-c", "echo out; echo err >&2; exit 3"], 5) == (3, "out\n", "err\n")


def test_a_tool_that_takes_too_long_cleans_up_behind_it(tmp_path):
    """As bfb-install does, which gives functions their driver back."""
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/bash\ntrap 'sleep 1; echo bound' EXIT INT TERM\nsleep 30\n")
    tool.chmod(0o755)
    rc, out, _err = system_runner([str(tool)], 0.5)
    assert (rc, "bound" in out) == (124, True)


@pytest.mark.large
def test_a_killed_tool_whose_daemon_keeps_its_output_is_left(tmp_path):
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\nsetsid sleep 12 &\nsleep 12\n")
    tool.chmod(0o755)
    begun = time.monotonic()
    assert system_runner([str(tool)], 0.5).rc == 124
    assert time.monotonic() - begun < 8


@pytest.mark.parametrize("text, number", [("400000\n", 400000), ("0", 0), ("-1", None), ("", None)])
def test_a_number_of_a_file_is_whole_or_none(world, text, number):
    world.put("/sys/class/net/rail1p1/speed", text)
    assert world.host().number("/sys/class/net/rail1p1/speed") == number
    assert world.host().number("/sys/class/net/rail1p1/nothing") is None


def test_a_card_that_is_away_or_says_nothing_is_waited_for():
    said = iter([NicError("away"), {}, {"psid": "x"}])

    def read():
        found = next(said)
        if isinstance(found, NicError):
            raise found
        return found

    ticks = iter(range(100))
    host = Host(sleep=lambda _seconds: None, clock=lambda: float(next(ticks)))
    assert host.answer(read, 10, every=1) == {"psid": "x"}
    assert host.answer(dict, 10, every=1) is None
