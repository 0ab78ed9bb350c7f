# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurements as hosts return them, for the tests of what is made of them."""

from __future__ import annotations

import typing as t

H01, H02, H03 = (f"worker-su01-rack0{rack}-h0{slot}" for rack, slot in ((1, 1), (1, 2), (2, 3)))
K01, K02, K03 = (f"worker-su02-rack0{rack}-h0{slot}" for rack, slot in ((1, 1), (1, 2), (2, 3)))


def side(asked: t.Any, which: str, value: t.Any, **changes: t.Any) -> dict[str, t.Any]:
    """Measurement of one side."""
    made = {
        "id": asked["id"],
        "side": which,
        "state": "measured",
        "sentence": "",
        "gbps": value if which == "client" or asked["kind"] == "bidirectional" else None,
        "latency": None,
        "transport": "roce",
        "memory": "host",
        "counters": {},
        "seconds": 10.0,
        "note": "",
    }
    return {**made, **changes}


def measured(asked: t.Any, value: t.Any, **changes: t.Any) -> list[t.Any]:
    """Measurements of both sides of a pair, or the one side of a collective."""
    if asked["kind"] == "busbw":
        own = {"best": value, "busbw": {"1024": 0.1, "1073741824": value}, "memory": "gpu"}
        return [side(asked, "client", None, **{**own, **changes})]
    return [side(asked, which, value, **changes) for which in ("client", "server")]
