# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of a run and facts of its fabric, as jobs read them."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import kinds


def test_variables_have_their_types_and_others_are_passed_over(begin):
    begin(variables={"spx_wait": 5, "spx_report": None, "spx_nodes": ["h01"], "spx_factory": True})
    assert kinds.given(store) == kinds.RunVariables(wait=5, factory=True)
    begin(variables={"spx_wait": "5"})
    with pytest.raises(FabricError, match=r"run store: variables\.wait: '5' is not allowed"):
        kinds.given(store)


def test_facts_of_the_fabric(begin):
    begin()
    assert (kinds.git(store), kinds.hook_folders(store)) == (None, [])
    begin(fabric={"git": "", "hooks": ["/hooks"], "name": "lab"})
    assert (kinds.git(store), kinds.hook_folders(store)) == ("", ["/hooks"])
