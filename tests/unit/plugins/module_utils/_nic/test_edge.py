# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the module's options to one result or one sentence."""

from __future__ import annotations

import contextlib
import importlib
import json
import runpy
import sys

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.edge import (
    finish,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result, Step


class Ended(Exception):
    """The module has ended."""


class Module:
    """Interface of AnsibleModule, as far as it is used here."""

    def __init__(self):
        self.warned, self.said = [], {}

    def warn(self, warning):
        self.warned.append(warning)

    def exit_json(self, **said):
        self.said = said
        raise Ended

    def fail_json(self, msg, **said):
        self.said = {"failed": msg, **said}
        raise Ended


def host():
    return Host(run=lambda _argv, _timeout: Result(0, "", ""))


def ended(module, host, work):
    with pytest.raises(Ended):
        finish(module, host, work)
    return module.said


def test_warnings_reach_the_person_and_the_rest_is_the_result():
    module = Module()
    said = ended(module, host(), lambda: {"changed": False, "warnings": ["low"]})
    assert said == {"changed": False}
    assert module.warned == ["low"]


def failing(host, *steps):
    def work():
        for step in steps:
            host.perform(step)
        raise NicError("rail1p1: it failed.")

    return work


def test_an_error_is_its_sentence_and_what_was_done_before():
    there = host()
    said = ended(Module(), there, failing(there, Step("rail1p1", "gap", 12, 33, argv=("true",))))
    assert (said["failed"], said["changed"], said["done"]) == (
        "rail1p1: it failed.",
        True,
        ["true"],
    )
    assert said["diff"]["after"] == {"rail1p1": {"gap": 33}}


def test_nothing_done_is_no_change_and_no_difference():
    there = host()
    said = ended(Module(), there, failing(there))
    assert said == {"failed": "rail1p1: it failed.", "changed": False, "done": []}


@pytest.mark.parametrize(("version", "old"), [((3, 8, 10), True), ((3, 9, 0), False)])
def test_an_old_python_is_one_sentence(monkeypatch, capsys, version, old):
    """Check what modules import first, as AnsiballZ runs it on the host."""
    package = importlib.import_module(Host.__module__.rpartition(".")[0])
    monkeypatch.setattr(sys, "version_info", version)
    with pytest.raises(SystemExit) if old else contextlib.nullcontext():
        runpy.run_path(str(package.__file__))
    said = capsys.readouterr().out
    words = (
        "Python 3.8 is too old for this collection: set ansible_python_interpreter to 3.9 or newer."
    )
    assert (json.loads(said) if said else {}) == ({"failed": True, "msg": words} if old else {})
