# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the module's options to one result or one sentence."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.edge import (
    finish,
    partly,
    wanted_nics,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result, Step


class Ended(Exception):
    """The module has ended."""


class Module:
    """What is used of AnsibleModule."""

    def __init__(self, check_mode=False, **params):
        self.params = {"sysfs_path": "/sys", "timeout": 5, "nics": [], **params}
        self.check_mode, self.warned, self.said = check_mode, [], {}

    def warn(self, warning):
        self.warned.append(warning)

    def exit_json(self, **said):
        self.said = said
        raise Ended

    def fail_json(self, msg, **said):
        self.said = {"failed": msg, **said}
        raise Ended


def ended(module, work):
    with pytest.raises(Ended):
        finish(module, work)
    return module.said


def test_options_reach_the_host_and_warnings_the_person():
    module = Module(check_mode=True)
    seen = []
    said = ended(module, lambda host: seen.append(host) or {"changed": False, "warnings": ["low"]})
    assert (seen[0].check_mode, seen[0].sysfs, seen[0].timeout) == (True, "/sys", 5.0)
    assert said == {"changed": False, "queries": 0}
    assert module.warned == ["low"]


def test_an_error_is_its_sentence_and_what_was_done_before():
    step = Step("rail1p1", "gap", 12, 33, argv=("true",))

    def work(host):
        host.perform(step)
        raise NicError("rail1p1: it failed.")

    said = ended(Module(), work)
    assert (said["failed"], said["changed"], said["done"]) == (
        "rail1p1: it failed.",
        True,
        ["true"],
    )
    assert said["diff"]["after"] == {"rail1p1": {"gap": 33}}


def test_nothing_done_is_no_change_and_no_difference():
    assert partly(Host(run=lambda _argv, _timeout: Result(0, "", ""))) == {
        "changed": False,
        "done": [],
    }


def test_wrong_nics_are_refused():
    with pytest.raises(NicError, match=r"nics\[0\]\.pci: 'x' is not a PCI address"):
        wanted_nics(Module(nics=[{"pci": "x"}]))
