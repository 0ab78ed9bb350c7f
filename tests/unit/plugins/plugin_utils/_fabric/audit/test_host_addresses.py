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
