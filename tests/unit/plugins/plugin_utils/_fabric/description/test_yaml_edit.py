# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""YAML that keeps its comments."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.yaml_edit import (
    dumped,
    read,
)

TEXT = """# The laboratory.
name: lab  # short
absent: ["*/*/h04"]
rows:
  - {a: 1}
  # later
  - {a: 2}
"""


def test_a_text_is_written_as_it_was():
    yaml, data = read(TEXT, "fabric.yml")
    assert dumped(yaml, data) == TEXT


def test_a_change_leaves_the_rest():
    yaml, data = read(TEXT, "fabric.yml")
    data["absent"].append("su01")
    assert dumped(yaml, data) == TEXT.replace('h04"]', 'h04", su01]')


def test_a_text_that_cannot_be_read_is_one_sentence():
    with pytest.raises(FabricError) as caught:
        read("a: [", "folder/fabric.yml")
    assert str(caught.value).startswith("fabric.yml: the file cannot be edited")
    with pytest.raises(FabricError, match="nests more than 64 levels deep"):
        read("[" * 100_000, "folder/fabric.yml")
