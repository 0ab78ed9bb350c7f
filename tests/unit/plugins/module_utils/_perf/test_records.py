# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A measurement without value."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.records import (
    Measurement,
    nothing,
)


def test_nothing_has_every_value_that_is_not_optional():
    found = nothing("x", "client", "failed", "one\ntwo")
    assert found["sentence"] == "one two"
    assert (found["gbps"], found["latency"], found["transport"]) == (None, None, "")
    optional = {
        key for key, kind in Measurement.__annotations__.items() if "NotRequired" in str(kind)
    }
    assert {*found} == {*Measurement.__annotations__} - optional
