# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""host_files: files and units as planned, and a second run changes nothing."""

from __future__ import annotations

SHOWN = "Id=a.service\nLoadState=loaded\nUnitFileState=enabled\nActiveState=active\n"


def test_a_file_is_written_once(target):
    path = target.folder / "kept.conf"
    wanted = {"files": [{"path": str(path), "content": "one\n", "mode": "0600"}]}
    assert target.run("host_files", check=True, **wanted)["changed"] is True
    assert not path.exists()
    result = target.run("host_files", **wanted)
    assert result["changed"] is True
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("one\n", 0o600)
    assert target.run("host_files", **wanted)["changed"] is False


def test_a_unit_is_ordered_only_where_it_differs(target):
    target.answer("systemctl", SHOWN)
    result = target.run("host_files", units={"a.service": {"enabled": True, "running": True}})
    assert result["changed"] is False
    result = target.run("host_files", units={"a.service": {"running": False}}, check=True)
    assert result["changed"] is True
    assert not any(" stop " in call for call in target.calls)


def test_wrong_options_are_one_sentence(target):
    result = target.run("host_files", units={"a.service": {"speed": 1}})
    assert result["failed"]
    assert result["msg"].startswith("units.a.service: 'speed' is not known; allowed are ")
