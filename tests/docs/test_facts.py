# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every fact of the data files says where it comes from."""

from __future__ import annotations

import pytest

from . import facts


def test_no_fact_is_unmarked() -> None:
    assert [fact.name for fact in facts.unmarked()] == []


def test_an_area_is_a_file_or_a_part_of_the_double() -> None:
    counts = facts.counts()
    assert counts["Configuration of switches"].total() > 2000
    assert counts["Known bugs"].total() == counts["Known bugs"]["NVIDIA's page"]
    assert counts["Answers of the double"]["a capture"] == 1
    assert {"Catalog ra_profiles", "Catalog switches", "Catalog qos"} <= set(counts)


@pytest.mark.parametrize(
    "source, kind",
    [
        ("NVIDIA's schema of 5.15; the page of 5.15 still has the old place", "NVIDIA's schema"),
        ("SHOW System [doc]; the issues, ICC's tests [code]", "NVIDIA's page"),
        ("NVCM, nvue/5.14.0/system.json [code]", "public code"),
        ("githedgehog/fabric, NVIDIA/nv-config-manager", "public code"),
        ("D515 (a word in the command; inferred for the model)", "inferred"),
        ("this project", "ours"),
        ("somebody said so", "unmarked"),
        ("", "unmarked"),
    ],
)
def test_a_source_is_of_a_kind(source: str, kind: str) -> None:
    assert facts.Fact("", "", source).kind == kind


def test_a_row_without_a_source_would_be_found(tmp_path) -> None:
    (tmp_path / "new.yaml").write_text("sources: {a: this project}\na: 1\nb: {c: 2}\n")
    found = {fact.name: fact.kind for fact in facts._catalog(tmp_path / "new.yaml")}
    assert found == {"new.a": "ours", "new.b": "unmarked"}
