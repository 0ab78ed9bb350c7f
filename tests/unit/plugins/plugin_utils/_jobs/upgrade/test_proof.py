# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Proof of a switch: what sends it back, what is late, and what only a person can judge."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import upgrades
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade import proof
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade.records import (
    SAVED,
    SavedState,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse

from .upgradable import OLD, upgradable


@pytest.fixture
def leaf(project, tmp_path, monkeypatch):
    monkeypatch.setattr(upgrades, "seconds", lambda _name: 0.0)
    with upgradable(project, tmp_path / "store") as made:
        yield made


def hear(leaf, port, system, far):
    neighbor = {"1": {"chassis": {"system-name": system}, "port": {"name": far}}}
    leaf.double.control.operational(["interface", port, "lldp", "neighbor"], neighbor)


DRIFT = {"system": {"lldp": {"tx-interval": 77}}}


def prove(leaf, release=OLD, build=None):
    return proof.prove(leaf.switch, parse(release), build, seconds=0)


def test_a_switch_as_before_is_proven(leaf):
    found = prove(leaf)
    assert found.failures == []
    assert found.remarks == [
        "no port between switches counted a packet, so nothing shows that each carries some"
    ]


@pytest.mark.parametrize(
    "change, words",
    [
        (lambda leaf: leaf.double.control.sessions("idle"), "4 BGP sessions are not back: default/swp3s0"),
        (lambda leaf: hear(leaf, "swp3s0", "spine-p1-s02", "swp9"), "swp3s0 hears spine-p1-s02 swp9"),
        (lambda leaf: leaf.double.control.foreign(DRIFT), "differs from the plan in 1"),
        (lambda leaf: setattr(leaf.double.switch.images, "next", "2"), "its next boot is partition2"),
    ],
)  # fmt: skip
def test_what_is_not_as_before_is_named(leaf, change, words):
    change(leaf)
    (said,) = prove(leaf).failures
    assert words in said


def test_another_release_or_build_is_named(leaf):
    assert "expected 5.16.7 build b" in prove(leaf, "5.16.7", "b").failures[0]
    assert "expected 5.16.1 build other" in prove(leaf, OLD, "other").failures[0]


def test_a_session_that_was_down_before_is_not_awaited(leaf):
    leaf.store.put(SAVED, SavedState([["default", "swp3s0"]], ["swp1s0"]), of=leaf.name)
    assert proof.expected_sessions(leaf.switch) == {("default", "swp3s0")}
    assert prove(leaf).failures == []


def test_a_port_towards_a_node_that_stays_down_is_named(leaf):
    leaf.double.control.operational(["interface", "swp1s0", "link", "oper-status"], "down")
    found = prove(leaf)
    assert found.failures == []
    assert "swp1s0 towards nodes stay down" in found.remarks[-1]
