# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A description file is checked, or every breach is told in one go."""

from __future__ import annotations

import re

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.description import (
    PATTERNS,
    Description,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.load import load
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.schema import (
    TenantsFile,
)

from ..fabrics import described


@pytest.fixture
def file(tmp_path):
    """Write a description with changes; returns its path."""

    def _file(**changes):
        path = tmp_path / "fabric.yml"
        path.write_text(yaml.safe_dump(described(**changes), sort_keys=False))
        return str(path)

    return _file


def test_a_description_comes_with_its_lines(file):
    description, source = load(file())
    assert description.name == "test"
    assert source.line(("rails",)) > source.line(("name",)) == 1


def test_every_breach_is_told_with_its_line(file):
    with pytest.raises(FabricError) as error:
        load(file(name="köln", rails="many", manage=["switch_bsae"]))
    said = error.value.sentences
    assert len(said) >= 2
    assert any("characters outside printable ASCII" in sentence for sentence in said)
    assert all(sentence.startswith("fabric.yml line ") for sentence in said)


def test_a_role_that_writes_nothing_is_refused_with_the_nearest(file):
    with pytest.raises(FabricError, match="did you mean 'switch_base'"):
        load(file(manage=["switch_bsae"]))


def test_a_profile_stands_in_where_none_is_chosen(file, tmp_path):
    text = described()
    del text["addressing"]
    (tmp_path / "bare.yml").write_text(yaml.safe_dump(text))
    with pytest.raises(FabricError, match="addressing"):
        load(str(tmp_path / "bare.yml"))
    made, _source = load(str(tmp_path / "bare.yml"), profile="octet-v4")
    assert made.addressing.profile == "octet-v4"
    made, _source = load(file(), profile="dense-v4")
    assert made.addressing.profile == "octet-v4"


@pytest.mark.parametrize("text, words", [("- a\n", "the file holds"), ("7\n", "the file holds")])
def test_a_file_without_keys_is_refused(tmp_path, text, words):
    (tmp_path / "fabric.yml").write_text(text)
    with pytest.raises(FabricError, match=words):
        load(str(tmp_path / "fabric.yml"))


def test_a_missing_description_says_what_is_there_instead(tmp_path):
    """A person sees which folder was looked in, and the file that they meant."""
    (tmp_path / "hosts.fabric.yml").touch()
    (tmp_path / "fabrik.yml").touch()
    with pytest.raises(
        FabricError, match=rf"{tmp_path} has fabrik\.yml, hosts\.fabric\.yml: pass -i "
    ):
        load(str(tmp_path / "model" / "fabric.yml"))
    (tmp_path / "model").mkdir()
    with pytest.raises(FabricError, match=r"model/fabric\.yml does not exist: pass -i with "):
        load(str(tmp_path / "model" / "fabric.yml"))


def test_each_pattern_has_words():
    """A person reads words, never a regular expression."""
    for schema in (Description.model_json_schema(), TenantsFile.model_json_schema()):
        stated = re.findall(r"'pattern': '(.*?)'[,}]", str(schema).replace("\\\\", "\\"))
        assert stated
        assert set(stated) <= set(PATTERNS)
    assert {row["pattern"] for row in table("variables").values() if "pattern" in row} <= set(
        PATTERNS
    )
