# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML with its traps closed, and the line of every key."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    Breach,
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.yaml_source import (
    parse,
    read,
)


def test_each_key_has_its_line():
    source = parse("a: 1\nb:\n  - c: 2\n  - d: 3\n", path="x/fabric.yml")
    assert source.data == {"a": 1, "b": [{"c": 2}, {"d": 3}]}
    assert (source.line(("b", 1, "d")), source.line(("b", 7)), source.line(("z",))) == (4, 2, 0)
    assert source.sentence(Breach(("b", 1, "d"), "it is wrong.")).startswith(
        "fabric.yml line 4, b[1].d: it is wrong."
    )


@pytest.mark.parametrize(
    "text, words",
    [
        ("a: no\n", "read by YAML as a boolean"),
        ("a: 0o17\nb: 017\n", "an octal number"),
        ("a: 1:30\n", "a base-60 number"),
        ("a: 1\na: 2\n", "the key 'a' is already in line 1"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", "merge keys are not followed"),
        ("a: !!python/name:os.system x\n", "is not a value that YAML can read"),
        ("a: [1\n", "the YAML does not parse"),
        ("a: " + "[" * 200 + "]" * 200 + "\n", "levels deep"),
        ("a: " + "9" * 40 + "\n", "larger than any number here"),
    ],
)
def test_traps_are_refused_with_their_line(text, words):
    with pytest.raises(FabricError, match=words) as error:
        parse(text, path="fabric.yml")
    assert "fabric.yml line " in str(error.value)


TEN = {"list": "[{}]", "mapping": "{{{}}}"}


def bomb(kind):
    """Twelve lines that mean ten times as much each as the line before."""
    rows = [
        ", ".join(f"{f'k{j}: ' if kind == 'mapping' else ''}*a{i}" for j in range(10))
        for i in range(11)
    ]
    lines = [f"a0: &a0 {TEN[kind].format('x: 1' if kind == 'mapping' else 'x')}"]
    return "\n".join(
        lines + [f"a{i + 1}: &a{i + 1} {TEN[kind].format(row)}" for i, row in enumerate(rows)]
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[" * 100_000, "levels deep"),
        ("{a: " * 100_000, "levels deep"),
        ("- " * 100_000, "levels deep"),
        ("? - " * 100_000, "levels deep"),
        ("".join(f"{' ' * level}a:\n" for level in range(1_400)) + "]", "levels deep"),
        ("[" + '"]", [' * 100_000, "levels deep"),
        (f"a: '{']' * 100_000}'\nb: {'[' * 100_000}", "levels deep"),
        (bomb("list"), "the aliases repeat more values than any file needs"),
        (bomb("mapping"), "the aliases repeat more values than any file needs"),
    ],
)
def test_a_text_that_means_too_much_is_one_sentence(text, words):
    with pytest.raises(FabricError, match=words) as caught:
        parse(text, path="fabric.yml")
    assert len(caught.value.sentences) == 1


def test_a_key_that_is_a_list_is_refused():
    with pytest.raises(FabricError, match="a key of this mapping is itself a list"):
        parse("? [1]\n: 2\n", path="fabric.yml")


def test_words_in_quotes_are_no_traps():
    source = parse("a: 'no'\nb: \"017\"\nc: 2026-01-31\nd: true\n", path="x")
    assert source.data == {"a": "no", "b": "017", "c": "2026-01-31", "d": True}


def test_files_that_cannot_be_read_are_one_sentence(tmp_path):
    with pytest.raises(FabricError, match="does not exist: look there"):
        read(str(tmp_path / "x.yml"), remedy="look there")
    (tmp_path / "y.yml").write_bytes(b"a: \xff\n")
    with pytest.raises(FabricError, match="byte 3 is not UTF-8"):
        read(str(tmp_path / "y.yml"))
