# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and units: only what differs, all of it told."""

from __future__ import annotations

import base64
import os

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.files import (
    apply_files,
    apply_units,
    wanted_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError

UNIT = "/etc/systemd/system/x.service"


def apply(machine, *files, check=False):
    return apply_files(machine.host(check=check), wanted_from(files))


def test_a_file_is_written_once_with_its_mode_and_one_reload(machine):
    files = (
        {"path": UNIT, "content": "a\n"},
        {"path": UNIT + "2", "content": "b\n", "mode": "0600"},
    )
    assert apply(machine, *files, check=True).files == [UNIT, UNIT + "2"]
    assert not (machine.folder / "etc").exists()
    done = apply(machine, *files)
    assert done.diff[0]["after"] == "a\n"
    assert machine.calls == ["systemctl daemon-reload"]
    assert (machine.folder / UNIT[1:]).read_text() == "a\n"
    assert ((machine.folder / UNIT[1:]).with_name("x.service2").stat().st_mode & 0o777) == 0o600
    assert not apply(machine, *files).changed
    (machine.folder / UNIT[1:]).chmod(0o600)
    assert apply(machine, *files).files == [UNIT]


def test_what_was_written_is_reloaded_although_a_later_file_fails(machine):
    (machine.folder / "opt/x").mkdir(parents=True)
    with pytest.raises(NicError, match="/opt/x: it cannot be"):
        apply(
            machine,
            {"path": UNIT, "content": "a\n"},
            {"path": "/opt/x/y", "content": "b"},
            {"path": "/opt/x", "content": "b"},
        )
    assert machine.calls == ["systemctl daemon-reload"]


def test_a_power_cycle_finds_what_was_written_and_not_what_is_gone(machine, monkeypatch):
    synced = []
    monkeypatch.setattr(
        os, "fsync", lambda handle: synced.append(os.readlink(f"/proc/self/fd/{handle}"))
    )
    apply(machine, {"path": "/opt/x", "content": "a"})
    folder = str(machine.folder / "opt")
    assert synced == [f"{folder}/.x.new", folder]
    apply(machine, {"path": "/opt/x", "state": "absent"})
    assert synced[2:] == [folder]


def test_absent_and_binary(machine):
    content = bytes(range(256))
    one = {"path": "/opt/x", "base64": base64.b64encode(content).decode(), "mode": "0755"}
    assert "bytes" in apply(machine, one).diff[0]["after"]
    assert (machine.folder / "opt/x").read_bytes() == content
    gone = {"path": "/opt/x", "state": "absent"}
    assert apply(machine, gone).files == ["/opt/x"]
    assert not apply(machine, gone).changed


@pytest.mark.parametrize(
    "entry, words",
    [
        ({"path": "x", "content": ""}, "is not an absolute path"),
        ({"path": "/x"}, "needs its content"),
        ({"path": "/x", "content": "", "mode": "rw"}, "is not an octal mode"),
        ({"path": "/x", "text": ""}, "'text' is not known"),
    ],
)
def test_wrong_entries_are_one_sentence(entry, words):
    with pytest.raises(NicError, match=words):
        wanted_from([entry])


@pytest.mark.parametrize(
    "state, row, commands",
    [
        (
            ("loaded", "disabled", "inactive"),
            {"enabled": True, "running": True},
            ["enable", "start"],
        ),
        (("loaded", "enabled", "active"), {"enabled": True, "running": True}, []),
        (
            ("loaded", "enabled", "active"),
            {"enabled": False, "running": False},
            ["disable", "stop"],
        ),
        (("loaded", "enabled", "active"), {"running": True, "restart_for": [UNIT]}, ["restart"]),
        (("loaded", "enabled", "active"), {"running": True, "restart_for": ["/other"]}, []),
        (("not-found", "", "inactive"), {"enabled": False, "running": False}, []),
        (("loaded", "static", "inactive"), {}, []),
    ],
)
def test_units(machine, state, row, commands):
    machine.units["x.service"] = state
    outcome = apply_units(machine.host(), {"x.service": row}, [UNIT])
    assert outcome.commands == [f"systemctl {word} x.service" for word in commands]
    assert machine.calls == outcome.commands
