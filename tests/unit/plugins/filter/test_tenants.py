# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The filters of tenants: plain data out, sentences when it goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from ansible.errors import AnsibleError

from ansible_collections.spectrum_x.fabric.plugins.filter.fabric import FilterModule

MODEL = Path(__file__).resolve().parents[4] / "inventories" / "lab" / "model" / "fabric.yml"
FILTERS = FilterModule().filters()


@pytest.mark.parametrize(
    "name, value, found",
    [
        ("tenant_vrfs", "leaf-p1-su001-r1", ["t1-quarantine", "t21-acme", "t22-globex"]),
        ("tenant_prefixes", "acme", ["172.16.0.0/31", "172.16.1.0/31"]),
        ("tenant_of", "172.16.0.2", ["globex"]),
    ],
)
def test_answers(name, value, found):
    """Each filter over the lab's registry."""
    rows = json.loads(json.dumps(FILTERS[name](value, str(MODEL))))
    key = {"tenant_vrfs": "vrf", "tenant_prefixes": "prefixes", "tenant_of": "slug"}[name]
    values = [row[key] for row in rows]
    assert (values[0] if name == "tenant_prefixes" else values) == found


@pytest.mark.parametrize(
    "name, value, part",
    [
        ("tenant_vrfs", "worker-su01-rack01-h01", "is a node: name a leaf"),
        ("tenant_vrfs", "leaf-x", "is not a device"),
        ("tenant_prefixes", "acm", "did you mean 'acme'"),
        ("tenant_of", "192.0.2.1", "belongs to no place"),
    ],
)
def test_refusals(name, value, part):
    """A sentence, as Ansible's filter error."""
    with pytest.raises(AnsibleError, match=part):
        FILTERS[name](value, str(MODEL))
