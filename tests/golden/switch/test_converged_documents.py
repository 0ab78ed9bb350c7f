# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents of one switch of each converged role, in every dialect, as files that a person has read.

A file is named by the first release that spells so. System, QoS and adaptive routing are left out: they are as on the
east-west side.
`SPX_UPDATE_GOLDEN=1 pytest tests/golden/switch` writes them anew; read the difference before it is committed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import dialect
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.render.switch import (
    converged_fabric as made,
)

HERE = Path(__file__).parent
FEATURES = (
    "interfaces",
    "loopback",
    "policy",
    "bgp",
    "evpn",
    "control_plane_acl",
    "tenants",
)
SPELLINGS = {"5.9": ("5.9.0", "5.13.0"), "5.14": ("5.14.0",), "5.15": ("5.15.0", "5.18.0")}
CASES = {
    "front-end-leaf": (made.FRONT, None, None),
    "front-end-leaf-routed": (made.FRONT, made.routed_vrfs, made.route),
    "storage-leaf": (made.STORAGE, None, None),
    "storage-leaf-shared": (made.STORAGE, made.shared_vrfs, None),
    "border-leaf": (made.BORDER, None, None),
    "border-leaf-sessions": (made.BORDER, made.other_sessions, made.both_cabled),
    "converged-spine": (made.SPINE, None, None),
    "converged-core": (made.CORE, None, None),
}
"""Switch, VRFs and a change of its slice, where they are not the usual ones."""
NEEDS = {"storage-leaf-shared": "5.14"}
"""The first spelling of a case, where older releases are refused."""


class Plain(yaml.SafeDumper):
    """Writes every mapping out, never an alias."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def load(**_changes: object) -> Fabric:
    return Fabric.load(str(HERE / "input" / "lab.yml"))


def text_of(case: str, release: str) -> str:
    switch, rows, change = CASES[case]
    networks = rows() if rows else None
    ctx = made.context(load, switch, networks=networks, change=change, releases=[release])
    doc = dialect.to_release(compose.render(ctx, FEATURES), parse(release))
    return yaml.dump(doc, Dumper=Plain, width=100)


def in_order(case: str) -> list[str]:
    first = NEEDS.get(case, "5.9")
    return [spelling for spelling in SPELLINGS if parse(spelling) >= parse(first)]


@pytest.mark.parametrize(
    "case, spelling", [(case, spelling) for case in CASES for spelling in in_order(case)]
)
def test_document(case: str, spelling: str) -> None:
    texts = {text_of(case, release) for release in SPELLINGS[spelling]}
    expected = HERE / "expected" / "converged" / f"{case}-{spelling}.yml"
    if os.environ.get("SPX_UPDATE_GOLDEN"):
        expected.parent.mkdir(parents=True, exist_ok=True)
        expected.write_text(texts.pop())
        return
    assert texts == {expected.read_text()}
