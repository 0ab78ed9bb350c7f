# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A call that is handed over to the service answers as one that is not."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest
from simulated_host import TARGET

CALLS = {
    "reads": (["mlxreg", "-d", "0000:18:00.0", "--reg_name", "ROCE_ACCL", "--get"], ""),
    "refuses": (["mlnx_qos", "-i", "nix"], ""),
    "is told yes": (["mlxconfig", "-d", "0000:18:00.0", "set", "SRIOV_EN=0"], "y\n"),
    "is told no": (["mlxconfig", "-d", "0000:18:00.0", "set", "SRIOV_EN=1"], "n\n"),
}


@pytest.fixture(name="door")
def _door(host, monkeypatch):
    """Path at which the service of this simulation answers."""
    place = host.folder / "door"
    monkeypatch.setenv("NICSIM_DOOR", str(place))
    service = subprocess.Popen([sys.executable, TARGET / "bin" / "nicsim", "serve"], cwd="/")
    end = time.monotonic() + 30
    while not place.exists() and time.monotonic() < end:
        time.sleep(0.05)
    yield place
    service.kill()
    service.wait()


def ask(host, words, text):
    """((status, output, errors), whether the caller's own process did the work)."""
    caller = subprocess.Popen(
        [sys.executable, host.folder / "bin" / words[0], *words[1:]],
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    said = caller.communicate(text, timeout=30)
    call = host.log()[-1]
    assert (call["tool"], call["argv"]) == (words[0], words[1:])
    return (caller.returncode, *said), call["pid"] == caller.pid


@pytest.mark.parametrize("words, text", CALLS.values(), ids=CALLS)
def test_the_same_answer(host, door, monkeypatch, words, text):
    handed, alone = ask(host, words, text)
    assert not alone
    monkeypatch.setenv("NICSIM_DOOR", str(door.with_name("nobody")))
    assert ask(host, words, text) == (handed, True)


def test_what_lives_longer_stays_a_process_of_its_own(host, door):
    dummy, alone = ask(host, ["flint", "-d", "0000:18:00.0", "q"], "")
    assert alone
    assert door.exists()
