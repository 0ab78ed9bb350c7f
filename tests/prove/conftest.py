# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof: example fabrics come up in the lab, and packets say whether the promises hold.

Each module is one story over one fabric and stops at its first failure, since every step stands on
the one before. What was seen, with times, is written to build/prove/report.md.
"""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import time
import typing as t

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
from lab.world import World

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.converged import (
    WITH_VTEP,
)

from .picture import timeline

REPORT_FOLDER = ROOT / "build" / "prove"
SEEN = REPORT_FOLDER / "seen"
"""A file for each example, one line for each finding: stories may run side by side."""

MOST_KEPT = 12
ASKED = (
    ("vtysh", "-c", "show evpn vni"),
    ("vtysh", "-c", "show bgp vrf all summary"),
    ("vtysh", "-c", "show bgp l2vpn evpn"),
    ("vtysh", "-c", "show running-config"),
    ("ip", "-d", "link"),
    ("ip", "netns", "list"),
    ("ip", "-4", "route", "show", "table", "all"),
)
"""Reads from a leaf of a story that failed."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without root there is nothing to prove, and that is a failure of the set-up, not a skip."""
    if items and os.geteuid() != 0:
        pytest.exit("the proof needs root for network namespaces: run it with sudo", returncode=1)


@pytest.fixture(scope="module")
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> t.Iterator[World]:
    """The fabric of the module's EXAMPLE, up; taken down afterwards. A module may have a `project` of its own made."""
    example = t.cast(str, request.module.EXAMPLE)
    made = World(f"prove-{example}"[:20].rstrip("-"))
    source, change = ROOT / "inventories" / example, getattr(request.module, "changed", None)
    if change:
        source = change(source, tmp_path_factory.mktemp("project") / example)
    begun = time.monotonic()
    made.up(source, "--host-names", "port")
    note(example, what="devices and cables are up", figure=f"{time.monotonic() - begun:.1f} s")
    try:
        yield made
    finally:
        if not os.environ.get("SPX_KEEP"):
            made.down()


@pytest.fixture
def saw(request: pytest.FixtureRequest) -> t.Callable[[str, str], None]:
    """Records a finding for the report: saw(what, figure)."""
    example = t.cast(str, request.module.EXAMPLE)

    def record(what: str, figure: str) -> None:
        note(example, what=what, figure=figure)

    return record


@pytest.fixture
def draw(request: pytest.FixtureRequest) -> t.Callable[..., None]:
    """Adds a timeline to the report: draw(name, title, what `lab probe` wrote, [(epoch, words)])."""
    example = t.cast(str, request.module.EXAMPLE)

    def picture(
        name: str, title: str, found: dict[str, t.Any], marks: t.Sequence[tuple[float, str]] = ()
    ) -> None:
        since = [(at - found["started"], words) for at, words in sorted(marks)]
        REPORT_FOLDER.mkdir(parents=True, exist_ok=True)
        file = REPORT_FOLDER / f"{example}-{name}.svg"
        file.write_text(timeline(found, title=title, marks=since))
        note(example, picture=file.name, title=title)

    return picture


_failed: set[str] = set()


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """A story ends where it fails; what its leaves have then is kept."""
    if call.excinfo is None or call.excinfo.errisinstance(pytest.skip.Exception):
        return
    story = item.nodeid.split("::")[0]
    if story not in _failed and "world" in getattr(item, "funcargs", {}):
        item.add_report_section(call.when, "leaves", _kept(item.funcargs["world"]))
    _failed.add(story)


def _kept(world: World) -> str:
    """The state of the first leaves, in files of the report; their VNIs as the text of the failure."""
    folder, said = REPORT_FOLDER / "failed" / world.name, []
    folder.mkdir(parents=True, exist_ok=True)
    leaves = [s for s in world.fabric.switches() if s.role in WITH_VTEP and world.fabric.present(s)]
    for name in (world.fabric.name(leaf) for leaf in leaves[:MOST_KEPT]):
        found = [f"$ {' '.join(line)}\n{world.node(name, *line, check=False)}" for line in ASKED]
        (folder / f"{name}.txt").write_text("\n".join(found), encoding="utf-8")
        said.append(f"{name}: {found[0]}")
    return "\n".join([*said, f"More is in {folder}."])


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Steps after a failed one are failed too: they would stand on nothing."""
    if item.nodeid.split("::")[0] in _failed:
        pytest.fail("an earlier step of this story failed", pytrace=False)


def note(example: str, **finding: str) -> None:
    """Add a finding to those of its example."""
    SEEN.mkdir(parents=True, exist_ok=True)
    with (SEEN / f"{example}.jsonl").open("a", encoding="utf-8") as handle:
        handle.write(json.dumps({"fabric": example, **finding}) + "\n")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Begin with nothing seen; workers only add."""
    if not hasattr(session.config, "workerinput"):
        shutil.rmtree(SEEN, ignore_errors=True)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Write the report: the table, then the pictures."""
    if hasattr(session.config, "workerinput"):
        return
    REPORT_FOLDER.mkdir(parents=True, exist_ok=True)
    found = [
        json.loads(line)
        for file in sorted(SEEN.glob("*.jsonl"))
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    lines = ["| fabric | what was shown | figure |", "|---|---|---|"]
    lines += [f"| {x['fabric']} | {x['what']} | {x['figure']} |" for x in found if "what" in x]
    for picture in (x for x in found if "picture" in x):
        lines += ["", f"![{picture['title']}]({picture['picture']})"]
    (REPORT_FOLDER / "report.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
