# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of values that were not read: not run."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    host,
    host_pairs,
    host_tries,
)

from .hosts import parts, port, spoiled, states, view_of


@pytest.fixture
def healthy():
    return view_of(*parts(), {"doca-all": "3.3.0-088000", "doca-spcx-cc": "3.3.0109-1"})


def test_what_was_not_read_is_not_run(healthy):
    found = states(
        spoiled(
            healthy,
            {"network": {"error": "", "changed": True}, "agent": {}},
            leaves={},
            probe=None,
            addresses=None,
        )
    )
    expected = {
        "host.files",
        "host.units",
        "host.addresses",
        "host.writers",
        "host.acs",
        "host.gpu_memory",
        "host.iommu",
        "host.counters",
        "host.gateway",
        "host.same_leaf",
        "host.across_leaves",
    }
    expected |= {"host.interfaces", *(name for name in found if name.startswith("pair."))} - {
        "pair.cable"
    }
    expected |= set(host_tries.TRIED)
    assert {name for name, state in found.items() if state == "not_run"} == expected


@pytest.mark.parametrize("asked", [[], ["host.qos"]])
def test_nics_that_cannot_be_read_fail_alone_whatever_is_asked_for(healthy, asked):
    unread = spoiled(healthy, {"nics": {"error": "mlxconfig is not installed."}})
    rows = host.check(unread, asked)
    assert [(row["id"], row["state"]) for row in rows] == [("host.reachable", "fail")]


def test_checks_can_be_chosen(healthy):
    assert {row["id"] for row in host.check(healthy, ["pair"])} == set(host_pairs.CHECKS)


def test_what_could_not_be_read_says_why(healthy):
    view = copy.deepcopy(healthy)
    del port(view)["roce"]
    port(view)["errors"] = {"roce": "0000:18:00.0: the register ROCE_ACCL cannot be read."}
    (row,) = [row for row in host.check(view) if row["state"] == "fail"]
    assert (row["id"], row["sentence"]) == ("host.roce", port(view)["errors"]["roce"])


@pytest.mark.parametrize(
    "manage, network, parts_kept",
    [
        (["dpu_qos", "dpu_interfaces"], {}, ["agent", "facts"]),
        (["dpu_interfaces"], {}, ["facts"]),
        (["dpu_congestion_control"], {}, ["agent"]),
        (["dpu_interfaces"], {"changed": True}, []),
        (["dpu_interfaces"], {"error": "no netplan."}, []),
        ([], {}, []),
    ],
)
def test_files_count_where_a_role_keeps_them(healthy, manage, network, parts_kept):
    look = {
        "network": {**healthy.look["network"], **network},
        "agent": {"wrong_files": ["agent"]},
        "facts": {"wrong_files": ["facts"]},
    }
    view = spoiled(healthy, look, wanted={**healthy.wanted, "manage": manage})
    assert [row["wrong_files"][0] for row in view.kept] == parts_kept
