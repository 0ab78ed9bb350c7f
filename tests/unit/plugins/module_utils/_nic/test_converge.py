# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Read, compare, write, read again."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.converge import converge
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.plan.base import Plan
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result, Step


class Gap:
    """A value of a tool, which takes it or does not."""

    def __init__(self, value, takes=True):
        self.value, self.takes, self.reads = value, takes, 0

    def run(self, argv, _timeout):
        if self.takes:
            self.value = int(argv[-1])
        return Result(0, "", "")

    def read(self):
        self.reads += 1
        return {"gap": self.value}

    @staticmethod
    def plan(found):
        if found["gap"] == 33:
            return Plan()
        return Plan((Step("rail1p1", "gap", found["gap"], 33, argv=("set", "33")),))


def test_what_is_right_is_read_once_and_not_written():
    gap = Gap(33)
    assert converge(Host(run=gap.run), gap.read, gap.plan) == Plan()
    assert (gap.reads, gap.value) == (1, 33)


def test_what_was_written_is_proven():
    gap = Gap(12)
    host = Host(run=gap.run)
    assert len(converge(host, gap.read, gap.plan).steps) == 1
    assert (gap.value, gap.reads, host.done) == (33, 2, ["set 33"])


def test_what_does_not_take_is_an_error():
    gap = Gap(12, takes=False)
    with pytest.raises(NicError, match="gap did not take: it is 12 after writing 33; 'set 33'"):
        converge(Host(run=gap.run), gap.read, gap.plan)


def test_check_mode_plans_only():
    gap = Gap(12)
    plan = converge(Host(run=gap.run, check_mode=True), gap.read, gap.plan)
    assert (len(plan.steps), gap.value, gap.reads) == (1, 12, 1)
