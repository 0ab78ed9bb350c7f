# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filters of the host roles."""

from __future__ import annotations

import base64

import pytest

from ansible_collections.spectrum_x.fabric.plugins.filter.hosts import FilterModule
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host import kept
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import zipapp_bytes

FILTERS = FilterModule().filters()
CHOICES = {"agent_path": "/usr/local/lib/spectrum-x/spx-nic.pyz"}
WANTED = {"agent_sha256": "a" * 64}


@pytest.mark.parametrize("bring", [False, True])
def test_the_tool_is_brought_only_where_it_lacks(monkeypatch, bring):
    """Else its digest is compared; the other files follow."""
    monkeypatch.setattr(kept, "files", lambda _wanted, _choices: [{"path": "/etc/x"}])
    tool, other = FILTERS["host_kept"](WANTED, CHOICES, bring)
    assert (tool["path"], tool["mode"], other["path"]) == (CHOICES["agent_path"], "0755", "/etc/x")
    assert ("sha256" in tool, "base64" in tool) == (not bring, bring)
    assert not bring or base64.b64decode(tool["base64"]) == zipapp_bytes()


def test_no_batch_has_more_hosts_than_may_be_away():
    plans = [{"name": f"h{n}", "rack": "r1" if n < 3 else "r2"} for n in range(5)]
    batches = FILTERS["rack_batches"](plans, 2)
    assert sorted(name for batch in batches for name in batch) == ["h0", "h1", "h2", "h3", "h4"]
    assert max(map(len, batches)) <= 2
    assert all({*batch} <= {"h0", "h1", "h2"} or {*batch} <= {"h3", "h4"} for batch in batches)
