# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person reads at the end of playbook plan."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.filter.plan_summary import plan_summary
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report import facts
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)


def summary(name, **result):
    return plan_summary({"facts": facts(example(name)), "files": 0, "files_changed": 0, **result})


def test_the_fabric_and_its_capacity():
    first, *rest = summary("max-524288")
    assert first == (
        "max-524288: 524288 GPUs on 65536 nodes at capacity (65536 nodes built), 20480 switches "
        "(8192 leaves, 8192 spines, 4096 super-spines), profile octet-v4"
    )
    assert "capacity, super_spine: bgp_sessions 128 of 256 (128 spare)" in rest
    assert "capacity, leaf: routes_if_one_tenant_has_all 552960 of 82000 (470960 too many)" in rest


def test_every_file_counts():
    """The names of at most a hundred are returned, the number of all."""
    assert summary("lab", files=300, files_changed=250)[-1] == "300 files, 250 changed"


def test_differences_beyond_those_returned():
    row = {"what": "asn", "place": "leaf-1 asn", "before": 1, "after": 2}
    lines = summary("lab", renumbered=3, differences=5, changes=[row])
    assert lines[-4:-1] == [
        "3 values of existing equipment would change, 5 differences in all",
        "asn of leaf-1 asn: 1 -> 2",
        "and 4 more: -e spx_report=FOLDER writes all of them to plan-changes.csv",
    ]


def test_profiles():
    lines = plan_summary({"suggestions": {"b": ["It is too small."], "a": []}})
    assert lines == ["profile a: fits", "profile b: does not fit: It is too small."]
