# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One run at a time measures on a host."""

from __future__ import annotations

import concurrent.futures
import time

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf import lease


@pytest.fixture
def at(tmp_path):
    """The host at a second."""

    def made(second, *, check=False):
        return Host(root=str(tmp_path), clock=lambda: float(second), check_mode=check)

    return made


def test_another_run_is_refused_until_the_first_lets_go(at):
    lease.take(at(100), "A", 30)
    with pytest.raises(NicError) as caught:
        lease.take(at(112), "B", 30)
    assert str(caught.value) == (
        "run A measures there, reported 12 s ago, and counts as ended after 618 s without a report: wait for its end, "
        "or choose other nodes."
    )
    lease.release(at(112), "B")
    assert lease.other(at(112), "B")
    lease.release(at(112), "A")
    assert lease.other(at(112), "B") == ""


def test_the_same_run_goes_on_and_holds_on(at):
    lease.take(at(100), "A", 30)
    lease.take(at(700), "A", 30)
    assert lease.other(at(1329), "B")
    assert lease.other(at(700), "A") == ""


@pytest.mark.parametrize("second", [730, 99])
def test_a_killed_run_and_one_before_a_reboot_hold_nothing(at, second):
    lease.take(at(100), "A", 30)
    assert lease.other(at(second), "B") == ""


def test_of_two_runs_that_ask_together_one_has_the_host(at, tmp_path):
    """Each looks, and is slow to note: without a lock all of them would pass."""
    asked = [f"run {number}" for number in range(8)]
    with concurrent.futures.ThreadPoolExecutor(len(asked)) as pool:
        said = list(pool.map(lambda run: lease.claim(slow(at(100), tmp_path), run, 0), asked))
    (first,) = [run for run, why in zip(asked, said) if not why]
    assert [why.startswith(f"run {first} measures there") for why in said].count(True) == 7
    assert lease.other(at(100), first) == ""


def slow(host, folder, reading=0.01):
    """The host, whose note takes a while from the disk to whoever reads it."""

    def text(path):
        file = folder / path.lstrip("/")
        found = file.read_text() if file.exists() else None
        time.sleep(reading)
        return found

    host.text = text
    return host


def test_a_run_whose_ranks_run_is_heard_and_ends_ten_minutes_after_them(at):
    lease.take(at(100), "A", 60)
    for second in range(130, 4000, 30):
        assert lease.renew(at(second), busy=True)
    assert lease.other(at(4000), "B")
    assert lease.renew(at(3970 + lease.HELD - 1), busy=False)
    assert not lease.renew(at(3970 + lease.HELD), busy=True)
    assert lease.other(at(3970 + lease.HELD), "B") == ""


def test_who_has_let_go_is_not_heard_again(at):
    assert not lease.renew(at(100), busy=True)
    lease.take(at(100), "A", 60)
    lease.release(at(110), "A")
    assert not lease.renew(at(120), busy=True)


def test_who_lets_go_during_a_look_is_not_noted_again(at, tmp_path):
    """The look has read the note, and is slow to write it."""
    lease.take(at(100), "A", 60)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        looking = pool.submit(lease.renew, slow(at(110), tmp_path, reading=0.2), busy=True)
        time.sleep(0.1)
        lease.release(at(110), "A")
        assert looking.result()
    assert lease.other(at(120), "B") == ""


def test_who_names_no_run_is_neither_refused_nor_noted(at):
    lease.take(at(100), "", 30)
    assert lease.other(at(100), "B") == ""
    lease.take(at(100), "A", 30)
    assert lease.other(at(100), "") == ""


def test_in_check_mode_nothing_is_noted(at):
    lease.take(at(100, check=True), "A", 30)
    assert lease.other(at(100), "B") == ""
    lease.take(at(100), "A", 30)
    lease.release(at(100, check=True), "A")
    assert lease.other(at(100), "B")


def test_a_damaged_note_holds_nothing(at, tmp_path):
    lease.take(at(100), "A", 30)
    (note,) = tmp_path.rglob("measure-run.json")
    note.write_text('{"run": "A", "until": "soon", "heard": 1.0}')
    assert lease.other(at(100), "B") == ""
