# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schema that editors use: generated, committed, and in step with the model."""

from __future__ import annotations

import copy
import json
import os

import jsonschema
import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import schema
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
    H200,
    INVENTORIES,
    ROOT,
)

FILE = ROOT / "docs" / "schema" / "fabric.schema.json"


def test_the_committed_file_is_the_generated_one():
    """`SPX_UPDATE_GOLDEN=1 pytest <this file>` writes it anew."""
    if os.environ.get("SPX_UPDATE_GOLDEN"):
        FILE.write_text(schema.text(table), encoding="utf-8")
    assert FILE.read_text(encoding="utf-8") == schema.text(table)


@pytest.fixture(scope="module")
def validator():
    made = json.loads(FILE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(made)
    return jsonschema.Draft202012Validator(made)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_valid(name, validator):
    text = (INVENTORIES / name / "model" / "fabric.yml").read_text(encoding="utf-8")
    validator.validate(yaml.safe_load(text))


def test_an_editor_sees_every_key_explained(validator):
    """Each top-level key, or the section it leads to, has a description."""
    made = validator.schema
    for name, key in made["properties"].items():
        inner = made["$defs"].get(key.get("$ref", "").rpartition("/")[2], {})
        listed = made["$defs"].get(key.get("items", {}).get("$ref", "").rpartition("/")[2], {})
        assert any(part.get("description") for part in (key, inner, listed)), name


WRONG = [
    (("rails",), 9),
    (("rails",), "8"),
    (("name",), "Not A Slug"),
    (("planes",), {"count": 3}),
    (("capacity", "slots_per_su"), 0),
    (("manage",), ["switch_rocee"]),
    (("switches", "host_speed"), 400),
    (("addressing", "profil"), "octet-v4"),
    (("addressing", "profile"), "octet-v5"),
    (("switches", "model"), "SN9999"),
    (("rials",), 8),
]


@pytest.mark.parametrize("path, value", WRONG)
def test_wrong_values_are_marked(path, value, validator):
    described = copy.deepcopy(H200)
    inner = described
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    assert list(validator.iter_errors(described))
    assert not list(validator.iter_errors(H200))
