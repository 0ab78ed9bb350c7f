# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a report: replaced as a whole, without a character that is not printed."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._reports import put, put_json


def test_a_file_is_made_with_its_folders_and_replaced_as_a_whole(tmp_path):
    path = str(tmp_path / "a" / "b" / "r.txt")
    assert put(path, "one\n", ValueError) == path
    put(path, "two\x1b[2J\n", ValueError)
    text = (tmp_path / "a" / "b" / "r.txt").read_text()
    assert text.startswith("two")
    assert "\x1b" not in text
    assert [file.name for file in (tmp_path / "a" / "b").iterdir()] == ["r.txt"]


def test_data_are_sorted(tmp_path):
    put_json(str(tmp_path / "r.json"), {"b": 1, "a": "x\u202ey"}, ValueError)
    text = (tmp_path / "r.json").read_text()
    assert list(json.loads(text)) == ["a", "b"]
    assert "\u202e" not in text
    assert text.isascii()


def test_a_file_that_cannot_be_written_is_the_callers_error(tmp_path):
    (tmp_path / "a").write_text("a file where the folder belongs")
    with pytest.raises(ValueError, match=r"^report: .* cannot be written \(.*: make room, or name"):
        put(str(tmp_path / "a" / "r.txt"), "x", ValueError)


def test_neither_a_link_in_the_place_of_the_draft_nor_a_file_of_such_a_name_is_written(tmp_path):
    victim, own = tmp_path / "victim", tmp_path / "r.txt.part"
    victim.write_text("mine")
    own.write_text("mine")
    (tmp_path / ".r.txt.part").symlink_to(victim)
    put(str(tmp_path / "r.txt"), "new\n", ValueError)
    assert (victim.read_text(), own.read_text()) == ("mine", "mine")
    assert (tmp_path / "r.txt").read_text() == "new\n"
