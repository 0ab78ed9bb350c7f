# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents of one switch of each converged role, in every dialect, as files that a person has read.

The newest spelling is a whole document. An older one, named by its first release, is the difference from the next
newer one; where it has no file, both are equal. System, QoS and adaptive routing are as on the east-west side.
`SPX_UPDATE_GOLDEN=1 pytest tests/golden/switch` writes them anew; read the difference before it is committed.
"""

from __future__ import annotations

import difflib
import itertools
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
EXPECTED = HERE / "expected" / "converged"
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
    """Return the spellings of a case, the newest first."""
    first = NEEDS.get(case, "5.9")
    return [spelling for spelling in reversed(SPELLINGS) if parse(spelling) >= parse(first)]


def expected_files(case: str, texts: dict[str, str]) -> dict[str, str]:
    """Return the files of a case: the newest document, and each difference between neighbours that is not empty."""
    newest = next(iter(texts))
    files = {f"{case}-{newest}.yml": texts[newest]}
    for newer, older in itertools.pairwise(texts):
        lines = difflib.unified_diff(
            texts[newer].splitlines(), texts[older].splitlines(), newer, older, n=2, lineterm=""
        )
        if text := "".join(f"{line}\n" for line in lines):
            files[f"{case}-{older}.diff"] = text
    return files


@pytest.mark.parametrize("case", CASES)
def test_documents(case: str) -> None:
    texts = {}
    for spelling in in_order(case):
        documents = {text_of(case, release) for release in SPELLINGS[spelling]}
        assert len(documents) == 1, f"releases {SPELLINGS[spelling]} are no longer spelled alike"
        texts[spelling] = documents.pop()
    paths = [path for path in EXPECTED.iterdir() if path.stem.rpartition("-")[0] == case]
    files = expected_files(case, texts)
    if os.environ.get("SPX_UPDATE_GOLDEN"):
        for path in paths:
            path.unlink()
        for name, text in files.items():
            (EXPECTED / name).write_text(text)
        return
    assert {path.name: path.read_text() for path in paths} == files
