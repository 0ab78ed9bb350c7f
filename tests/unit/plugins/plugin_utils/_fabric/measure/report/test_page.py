# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a run without a browser: its parts, its size, and that nothing of it is taken for markup."""

from __future__ import annotations

import re
import typing as t

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan.records import (
    Suspect,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import page

from ...fabrics import example
from .. import runs

NODE, LEAF = "worker-su02-rack01-h02", "leaf-p1-su002-r2"
HOSTILE = "</script><img src=x onerror=alert(1)>"


def ids(text: str) -> list[str]:
    return re.findall(r'<section class="[a-z ]+" id="([a-z-]+)"', text)


def words(text: str) -> str:
    """Return the words for a person."""
    body = text.split("<main>")[1].split("</main>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def test_parts_of_a_run_that_failed() -> None:
    record = runs.of(
        example("lab"),
        slow={(NODE, 1): 0.48},
        suspects=[runs.cable(NODE, LEAF)],
        counters={f"{NODE}:rail2p1": {"rx_symbol_err_phy": 12}},
    )
    text = page.page(record, runs.of(example("lab"), run="20261101T000000Z"))
    assert ids(text) == [
        "result",
        "suspects",
        "not-run",
        "bandwidth",
        "figures",
        "failed",
        "compared",
        "counters",
    ]
    said = words(text)
    assert "✕ Failed 8 of 72 measurements failed." in said
    assert (
        f"{NODE} rail2p1 rack su02-rack01 L1.2.2/01-N2.1/r2p1 {LEAF} swp1s1 rack not known" in said
    )
    assert "rx_symbol_err_phy packets dropped for symbol errors the cable" in said


def test_a_healthy_run_has_only_what_it_needs() -> None:
    text = page.page(runs.of(example("lab"), not_run=[], levels=["pairs", "rails"]))
    assert ids(text) == ["result", "bandwidth", "figures"]
    assert "✓ Passed All 72 measurements passed." in words(text)


def test_a_run_that_measured_nothing() -> None:
    text = page.page(runs.of(example("lab"), levels=[]))
    assert ids(text) == ["result", "not-run", "figures"]
    assert "– Not complete Nothing was measured." in words(text)


def test_what_no_part_explains_is_said() -> None:
    text = page.page(runs.of(example("lab"), slow={(NODE, 1): 0.48}))
    assert "No part that the failed measurements share could be named." in words(text)


def test_many_that_cannot_be_told_apart_are_a_list() -> None:
    many: list[Suspect] = [
        {
            "kind": "uplink",
            "place": f"{LEAF} port swp{n}",
            "certain": False,
            "score": 1.0,
            "reasons": ["One of them."],
        }
        for n in range(1, 17)
    ]
    two: list[Suspect] = [
        {**one, "kind": "spine", "place": f"spine-p1-s0{n}"} for n, one in enumerate(many[:2], 1)
    ]
    said = words(page.page(runs.of(example("lab"), slow={(NODE, 1): 0.48}, suspects=[*many, *two])))
    assert "uplink: one of 16 (one of several)" not in said
    assert "uplink: one of 16" in said
    assert "spine: spine-p1-s01, or spine-p1-s02" in said
    assert said.count("One of them.") == 2


def test_nothing_is_markup_and_nothing_is_asked_for() -> None:
    record: t.Any = runs.of(
        example("lab"), slow={(NODE, 1): 0.48}, by=HOSTILE, disturbances=[HOSTILE]
    )
    for test in record["tests"]:
        test["sentence"] = test["limit_source"] = HOSTILE
    record["suspects"] = [{**runs.cable(NODE, LEAF), "place": HOSTILE, "reasons": [HOSTILE]}]
    record["not_run"] = [{"level": "noise", "reason": HOSTILE}]
    text = page.page(record, record)
    assert "<img" not in text
    assert text.count("</script>") == 2
    assert "default-src 'none'" in text
    assert re.findall(r"""(?:src|href)=["'](?!#|data:)[^"']*["']""", text) == []


@pytest.mark.parametrize("name, most", [("lab", 40_000), ("h200-2048", 70_000)])
def test_size(name: str, most: int) -> None:
    record = runs.of(example(name))
    assert len(page.page(record, record).encode()) < most
    assert page.page(record, record) == page.page(record, record)
