# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses of rails: each sentence fails, and what was not read is not proven."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import host

from .hosts import parts, spoiled, view_of

SAYS = "rail1p1: /etc/systemd/network/05-x.network, Name=rail1p1: it counts after a reload."


@pytest.mark.parametrize(
    ("addresses", "error", "state"),
    [
        ([], "", "pass"),
        ([SAYS], "", "fail"),
        (None, "", "not_run"),
        ([], "ip: it failed.", "not_run"),
    ],
)
def test_each_sentence_fails_and_what_was_not_read_is_not_run(addresses, error, state):
    view = view_of(*parts(), {})
    look = {"network": {**view.look["network"], "error": error}}
    (result,) = host.check(spoiled(view, look, addresses=addresses), ["host.addresses"])
    assert result["state"] == state
    if addresses:
        assert (result["port"], result["sentence"]) == ("rail1p1", SAYS)


WRITER = {"role": "dpu_qos", "sentence": "lldpad.service: it sets PFC: end it."}


@pytest.mark.parametrize(
    ("manage", "writers", "state"),
    [
        (["dpu_qos"], [], "pass"),
        (["dpu_qos"], [WRITER], "fail"),
        (["dpu_interfaces"], [WRITER], "pass"),
        ([], [WRITER], "not_run"),
        (["dpu_qos"], None, "not_run"),
    ],
)
def test_who_else_sets_what_a_role_sets_fails(manage, writers, state):
    view = view_of(*parts(), {})
    network = {**view.look["network"], "writers": writers}
    view = spoiled(view, {"network": network}, wanted={**view.wanted, "manage": manage})
    (result,) = host.check(view, ["host.writers"])
    assert result["state"] == state


@pytest.mark.parametrize(
    ("values", "state"), [(("True(1)", "True(1)"), "fail"), (("True(1)", "False(0)"), "pass")]
)
def test_firmware_that_follows_the_leaf_in_dcbx_fails(values, state):
    view = view_of(*parts(), {})
    names = ("LLDP_NB_DCBX_P1", "DCBX_WILLING_P1")
    rows = {name: {"current": value, "next": value} for name, value in zip(names, values)}
    view.nics[0]["nvconfig"] = {**view.nics[0]["nvconfig"], **rows}
    results = host.check(view, ["host.writers"])
    assert [row["state"] for row in results] == [state]
    assert ("DCBX_WILLING_P1 to 0" in results[0]["sentence"]) is (state == "fail")
