# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
from lab import cli


@pytest.fixture(autouse=True)
def _no_labs(tmp_path, monkeypatch):
    monkeypatch.setenv("SPX_LAB_DIR", str(tmp_path))


@pytest.mark.parametrize(
    "words, sentence",
    [
        ("exec none -- true", "there is no lab 'none'; up are: none"),
        ("node none leaf-1 -- true", "there is no lab 'none'"),
        ("cable none leaf-1:swp1 down", "there is no lab 'none'"),
        ("ping-matrix NONE --spec x", "lab name 'NONE' must be"),
    ],
)
def test_errors_are_one_sentence(words, sentence, capsys):
    assert cli.main(words.split()) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("lab: ")
    assert sentence in said.err
    assert said.err.count("\n") == 1


def test_list_of_none(capsys):
    assert cli.main(["list"]) == 0
    assert capsys.readouterr().out == ""
