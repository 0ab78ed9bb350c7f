# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The file of known bugs: each bug once, with a release, a moment, a remedy and a source."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import hardware
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import known_bugs
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse

RUNNING = {4423244, 3341214, 3442569, 3637444, 4501632, 4657192, 5175518}
RUNNING |= {4100629, 4277042, 4214678}
INSTALL = {4992289, 3362113, 4495383, 5225576, 5217147, 4547463, 3878394}
"""What the release notes say of upgrades, of logins and of running switches."""


@pytest.mark.parametrize("bug", known_bugs.every(), ids=lambda bug: str(bug.id))
def test_a_bug_is_whole(bug: known_bugs.KnownBug) -> None:
    assert 1_000_000 < bug.id < 10_000_000
    assert bug.moment in known_bugs.MOMENTS
    assert bug.needs in known_bugs.NEEDS
    assert bug.upgrade in known_bugs.UPGRADE
    assert all((bug.what, bug.remedy, bug.source))
    assert set(bug.models) <= set(hardware.models())
    assert set(bug.asics) <= {row["asic"] for row in hardware.models().values()}
    for part in f"{bug.releases}, {bug.fixed}".replace("-", ", ").split(", "):
        assert not part or parse(part)


def test_each_bug_is_there_once() -> None:
    ids = [bug.id for bug in known_bugs.every()]
    assert sorted(set(ids)) == sorted(ids)
    of_moment = {
        moment: {b.id for b in known_bugs.every() if b.moment == moment}
        for moment in known_bugs.MOMENTS
    }
    assert of_moment["running"] == RUNNING
    assert of_moment["install"] == INSTALL


@pytest.mark.parametrize(
    "bug, release, has",
    [
        (4992289, "5.16.4", True),
        (4992289, "5.16.5", False),
        (4992289, "5.18.0", True),
        (5175518, "5.17.0", False),
        (5217147, "5.16.6", True),
    ],
)
def test_a_bug_may_have_several_spans(bug: int, release: str, has: bool) -> None:
    found = [*known_bugs.of(parse(release), "install"), *known_bugs.of(parse(release), "running")]
    assert (bug in {one.id for one in found}) is has


def test_an_upgrade_heeds_the_bugs_of_either_release() -> None:
    of = known_bugs.of_upgrade
    found = {bug.id: bug.upgrade for bug in of(parse("5.16.1"), parse("5.16.7"))}
    assert (found[4501632], found[4992289]) == ("wait", "warn")
    assert 5217091 not in found
    assert 5217091 in {bug.id for bug in of(parse("5.16.7"), parse("5.18.0"))}
    assert 5217091 not in {bug.id for bug in of(parse("5.9.0"), parse("5.10.0"))}


def test_a_bug_of_some_models_hits_no_other() -> None:
    (optics,) = (bug for bug in known_bugs.every() if bug.id == 4657192)
    assert optics.hits("SN5640", "spectrum-5")
    assert not optics.hits("SN5600", "spectrum-4")
    (copper,) = (bug for bug in known_bugs.every() if bug.id == 4648833)
    assert copper.hits("SN5600", "spectrum-4")
