# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change is confirmed over a fresh connection only, and by nobody where the host is not reached again."""

from __future__ import annotations

import pytest
from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.connection import ConnectionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import attempts

LOST = AnsibleConnectionFailure("no route to host")


class Kept:
    """A connection that is kept open between tasks."""

    def __init__(self):
        self.forgotten = 0

    def reset(self):
        self.forgotten += 1


class Bare:
    """One that has nothing to forget."""

    reset = ConnectionBase.reset


class World:
    """A host that answers in turn, and time that passes by sleeping only."""

    def __init__(self, monkeypatch, *answers):
        self.answers, self.asked, self.now = list(answers), [], 0.0
        monkeypatch.setattr(attempts.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(attempts.time, "sleep", self._sleep)

    def _sleep(self, seconds):
        self.now += seconds

    def execute(self, more):
        self.asked.append(more)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return dict(answer)


def test_what_changed_nothing_is_asked_once(monkeypatch):
    world, connection = World(monkeypatch, {"changed": False}), Kept()
    assert attempts.made(world.execute, connection, seconds=120) == {"changed": False}
    assert (world.asked, connection.forgotten) == ([{}], 0)


def test_a_change_is_confirmed_over_a_fresh_connection(monkeypatch):
    world = World(monkeypatch, {"changed": True, "attempt": "ab"}, {"changed": False})
    connection = Kept()
    assert attempts.made(world.execute, connection, seconds=120) == {"changed": True}
    assert (world.asked, connection.forgotten) == ([{}, {"confirm": "ab"}], 1)


def test_a_bond_may_take_some_seconds(monkeypatch):
    world = World(monkeypatch, {"changed": True, "attempt": "ab"}, LOST, LOST, {"changed": False})
    assert attempts.made(world.execute, Bare(), seconds=120) == {"changed": True}
    assert (len(world.asked), world.now) == (4, 2 * attempts.AGAIN)


def test_who_is_not_reached_again_is_unreachable_and_takes_it_back(monkeypatch):
    world = World(monkeypatch, {"changed": True, "attempt": "ab"}, LOST)
    with pytest.raises(AnsibleConnectionFailure, match="reverts the change within 120 s"):
        attempts.made(world.execute, Kept(), seconds=120)
    assert 60 < world.now < 64, "half of the time of the attempt"


def test_who_is_lost_in_the_middle_is_asked_nothing_more(monkeypatch):
    world = World(monkeypatch, LOST)
    with pytest.raises(AnsibleConnectionFailure, match=r"no route to host\. If it has started"):
        attempts.made(world.execute, Kept(), seconds=120)
    assert world.asked == [{}]


def test_a_host_that_took_it_back_fails_the_task(monkeypatch):
    took = {"failed": True, "msg": "the host reverted the change of its network"}
    world = World(monkeypatch, {"changed": True, "attempt": "ab"}, took)
    assert attempts.made(world.execute, Kept(), seconds=120) == {"changed": True, **took}
