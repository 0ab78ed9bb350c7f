# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filters of hosts: what a host keeps, and the batches of a run."""

from __future__ import annotations

import base64
import hashlib

import pytest
from ansible.errors import AnsibleError

from ansible_collections.spectrum_x.fabric.plugins.filter.hosts import FilterModule
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import zipapp_digest

FILTERS = FilterModule().filters()
TOOL = "/srv/spx-nic.pyz"
WANTED = {"manage": [], "nics": [], "ra": "2.1.2", "agent": "1", "agent_sha256": "a" * 64}
CHOICES = {
    "watch": "report",
    "interval": 60,
    "processors": [],
    "wait": 0,
    "tolerate_conflicts": False,
    "timeout": 30,
    "algorithm": True,
    "agent_path": TOOL,
    "sysfs": "/sys",
}
PLANS = [
    {"name": "h3", "rack": [0, 0, 1]},
    {"name": "h1", "rack": [0, 0, 0]},
    {"name": "h2", "rack": [0, 0, 0]},
]


def test_the_tool_is_compared_by_its_digest():
    tool, desired, *_rest = FILTERS["host_kept"](WANTED, CHOICES)
    assert tool == {"path": TOOL, "mode": "0755", "sha256": "a" * 64}
    assert desired["path"] == "/etc/spectrum-x/desired.json"


def test_the_tool_is_brought_with_the_content_of_its_digest():
    tool, *rest = FILTERS["host_kept"](WANTED, CHOICES, bring=True)
    assert "sha256" not in tool
    assert hashlib.sha256(base64.b64decode(tool["base64"])).hexdigest() == zipapp_digest()
    assert rest == FILTERS["host_kept"](WANTED, CHOICES)[1:]


@pytest.mark.parametrize(
    "most, batches",
    [(1, [["h1"], ["h2"], ["h3"]]), (2, [["h1", "h2"], ["h3"]]), (3, [["h1", "h2", "h3"]])],
)
def test_hosts_of_a_rack_share_a_batch_where_they_fit(most, batches):
    assert FILTERS["rack_batches"](PLANS, most) == batches


def test_a_number_of_hosts_that_is_no_number_is_refused():
    with pytest.raises(AnsibleError, match="spx_max_unavailable: 0 is not allowed"):
        FILTERS["rack_batches"](PLANS, 0)
