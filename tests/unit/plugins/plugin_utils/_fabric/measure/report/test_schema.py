# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schema of a run's record: generated, committed, and in step with the typed dictionaries."""

from __future__ import annotations

import json
import os
import typing as t

import jsonschema
import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import schema

from ...fabrics import ROOT, example
from .. import runs

FILE = ROOT / "docs" / "schema" / "performance-run.schema.json"


def test_the_committed_file_is_the_generated_one() -> None:
    """`SPX_UPDATE_GOLDEN=1 pytest <this file>` writes it again."""
    if os.environ.get("SPX_UPDATE_GOLDEN"):
        FILE.write_text(schema.text(), encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == schema.text()


def test_a_record_is_valid_and_a_broken_one_is_not() -> None:
    made = json.loads(FILE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(made)
    validator = jsonschema.Draft202012Validator(made)
    record = runs.of(example("lab"))
    validator.validate(record)
    wrong: list[t.Any] = [
        {**record, "schema": 2},
        {**record, "run": "a/b"},
        {**record, "more": 1},
        {**record, "tests": [{**record["tests"][0], "state": "green"}]},
        {key: value for key, value in record.items() if key != "summary"},
    ]
    assert [bool(list(validator.iter_errors(one))) for one in wrong] == [True] * len(wrong)


@pytest.mark.parametrize("name", list(schema.WORDS))
def test_each_key_has_words(name: str) -> None:
    """And no words are of a key that is gone."""
    shapes = {one.__name__: one for one in vars(schema).values() if t.is_typeddict(one)}
    assert set(t.get_type_hints(shapes[name])) == set(schema.WORDS[name])
    assert set(shapes) == set(schema.WORDS)
