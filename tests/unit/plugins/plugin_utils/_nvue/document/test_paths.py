# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.paths import (
    Globs,
    parse,
    to_text,
    to_url,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError

PATHS = [
    ("interface/swp1/ipv4/address/10.0.0.0%2F31", ("interface", "swp1", "ipv4", "address",
                                                   "10.0.0.0/31")),
    ("system/config/snippet/50%25", ("system", "config", "snippet", "50%")),
]  # fmt: skip


@pytest.mark.parametrize("text, path", PATHS)
def test_text_and_path_are_the_same(text: str, path: tuple[str, ...]) -> None:
    assert parse(text) == path
    assert to_text(path) == text
    assert parse("/" + text + "/") == path


def test_everything_is_encoded_in_a_url() -> None:
    assert to_url(("vrf", "a b", "2001:db8::/64")) == "/vrf/a%20b/2001%3Adb8%3A%3A%2F64"
    assert to_url(()) == "/"


@pytest.mark.parametrize(
    "glob, path, covered",
    [
        ("interface/swp*/qos", ("interface", "swp1", "qos", "pfc"), True),
        ("interface/swp*/qos", ("interface", "swp1", "qos"), True),
        ("interface/swp*/qos", ("interface", "swp1"), False),
        ("interface/swp*/qos", ("interface", "eth0", "qos"), False),
        ("vrf/t*-*", ("vrf", "t21-acme", "evpn", "vni"), True),
        ("vrf/t*-*", ("vrf", "default"), False),
        ("interface/*", ("interface", "a/b"), True),
        ("acl/spx-tenant-?", ("acl", "spx-tenant-1"), True),
        ("acl/spx-tenant-?", ("acl", "spx-tenant-12"), False),
    ],
)
def test_globs_cover_what_they_match_and_everything_below(
    glob: str, path: tuple[str, ...], covered: bool
) -> None:
    assert Globs([glob, "nowhere/else"]).covers(path) is covered


def test_a_glob_over_everything_is_refused() -> None:
    with pytest.raises(RefusedError, match="covers the whole configuration"):
        Globs(["/"])
