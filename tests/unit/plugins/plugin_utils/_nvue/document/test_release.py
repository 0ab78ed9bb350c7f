# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import (
    Release,
    accepted,
    parse,
    within,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import NvueError


@pytest.mark.parametrize(
    "text, release",
    [
        ("Cumulus Linux 5.16.1", "5.16.1"),
        ("5.9", "5.9.0"),
        ("Cumulus Linux 5.11.0.0026", "5.11.0"),
    ],
)
def test_a_release_is_found_in_text(text: str, release: str) -> None:
    assert str(parse(text)) == release


def test_text_without_a_release_is_an_error() -> None:
    with pytest.raises(NvueError, match="is not a Cumulus Linux release"):
        parse("unknown")
    with pytest.raises(NvueError, match="is not a Cumulus Linux release") as refused:
        parse("5." + "9" * 5000)
    assert len(str(refused.value)) < 200


def test_order_is_by_number() -> None:
    assert parse("5.9.1") < parse("5.10") < parse("5.16.1") < parse("6.0")


@pytest.mark.parametrize(
    "wanted, yes", [("5.16", True), ("5.16.1", True), ("5.16.2", False), ("5.1", False)]
)
def test_accepted(wanted: str, yes: bool) -> None:
    assert accepted(Release(5, 16, 1), wanted) is yes


@pytest.mark.parametrize(
    "span, yes",
    [
        ("5.14.0-5.17.0", True),
        ("5.16.1-5.16.1", True),
        ("5.16.2-5.17.0", False),
        ("5.14.0-5.16.0", False),
        (">=5.15.0", True),
        ("5.16.1", True),
        ("*", True),
    ],
)
def test_within(span: str, yes: bool) -> None:
    assert within(Release(5, 16, 1), span) is yes
