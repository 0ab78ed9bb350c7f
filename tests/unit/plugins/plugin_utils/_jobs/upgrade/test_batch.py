# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches of an upgrade: whether one may begin, and the nodes to drain for it."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade import batch
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade.records import PLAN


def kept(site):
    return site.store.get(PLAN)


def test_a_hook_of_the_site_drains_who_rents(site):
    (site.project / "hooks").mkdir()
    task = {"name": "Drain", "ansible.builtin.command": {"argv": ["drain"]}}
    (site.project / "hooks" / "drain.yml").write_text(json.dumps([task]))
    site.make()
    assert kept(site).sizes == [1, 1, 1, 1, 2]
    assert "now, after the hook drain" in site.shown[5]
    _made, run = site.make()
    ready = batch.ready(run, "leaf-p1-su001-r2", site.names, None)
    assert ready["switches"] == ["leaf-p1-su001-r1", "leaf-p1-su001-r2"]
    assert ready["nodes"] == [{"node": "worker-su01-rack01-h01", "tenant": "acme"}]


def test_a_batch_begins_only_in_its_window(site):
    _made, run = site.make(window="2999-12-31 CHG-42")
    assert batch.ready(run, "leaf-p1-su001-r1", site.names, "2999-12-31 CHG-42")["nodes"] == []
    with pytest.raises(FabricError, match="worker-su01-rack01-h01: somebody rents"):
        batch.ready(run, "leaf-p1-su001-r1", site.names, None)
    with pytest.raises(FabricError, match="is in no batch of this run"):
        batch.of_switch(site.store, "leaf-p1-su009-r1")
