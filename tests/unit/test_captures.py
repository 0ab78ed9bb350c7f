# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Outputs of real devices, as people reported them: they are still read; a report becomes a fixture by one command."""

from __future__ import annotations

import json

import captures
import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.conformance import (
    OF_SYSTEM,
    of_card,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance import (
    check,
    questions,
)

from .plugins.plugin_utils._jobs.conformance.doubles import checked, differing

REPORTED = sorted(captures.ROOT.glob("*.json"))
PORT = {"netdev": "eth0", "rdma": "mlx5_0"}
OBJECTS = ("ip", "dcb")
"""Tools whose answer follows from the object that they are asked about, their third word."""
STRANGE = {"interface": {"swp1": {"link": {"oper-status": "sleeping"}}}}


def lacking(argv, out):
    """List the values that the parser of a command misses in its output."""
    silent = Host(run=lambda _argv, _timeout: Result(1, "", ""), sysfs="/nowhere", root="/nowhere")
    known = [*OF_SYSTEM, *of_card(silent, {"pci": "0000:1a:00.0", "ports": [PORT]})]
    return next(one for one in known if command(one.argv) == command(argv)).lacks(out)


def command(argv):
    """`ip address`, `flint`."""
    return (argv[0], argv[2]) if argv[0] in OBJECTS else argv[0]


def verdicts(capture):
    """The verdict that each answer of a capture has now."""
    if capture["kind"] == "host":
        return [bool(lacking(row["request"].split(), row["answer"])) for row in capture["rows"]]
    asked = {one.name: one for one in questions.questions(["default"], 4, "5.16.1")}
    return [
        questions.judge(asked[row["question"]], row["answer"])["verdict"]
        for row in capture["rows"]
        if row["question"] in asked
    ]


def test_what_devices_said_is_read_without_a_difference():
    for path in REPORTED:
        capture = json.loads(path.read_text(encoding="utf-8"))
        assert not any(one in (True, "differs") for one in verdicts(capture)), path.name


@pytest.fixture
def taken(tmp_path, monkeypatch):
    """Return a function that takes the file of a check in, as the command does."""
    monkeypatch.setattr(captures, "ROOT", tmp_path / "captures")

    def _taken(found):
        path, _body = check.write(found, str(tmp_path))
        assert captures.main([path]) == 0
        (made,) = captures.ROOT.glob("*.json")
        return json.loads(made.read_text(encoding="utf-8"))

    return _taken


def test_a_double_with_a_capture_differs_as_the_switch_did(taken, tmp_path):
    found = checked(tmp_path, extra=STRANGE)
    capture = taken(found)
    assert "differs" in verdicts(capture)
    again = checked(tmp_path / "again", extra=captures.operational(capture))
    assert differing(again) == differing(found) != {}


def test_what_a_tool_printed_is_read_again(taken):
    told = {
        "tool": "flint",
        "argv": ["flint", "-d", "0000:1a:00.0", "q"],
        "rc": 0,
        "version": "4.30",
    }
    out = "FW Version: 32.43.1014\nPSID: MT_0000001069\n"
    capture = taken(check.of_host("mars-node-1", [{**told, "out": out, "lacks": []}], ()))
    assert verdicts(capture) == [False]
    assert capture["rows"][0]["answer"] == out


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"kind": "switch", "rows": 7}'])
def test_another_file_is_refused_in_one_sentence(tmp_path, capsys, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    assert captures.main([str(path)]) == 2
    assert "it is not a file of a check of conformance" in capsys.readouterr().err
