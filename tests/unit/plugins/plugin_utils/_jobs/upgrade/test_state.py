# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read of a switch before an upgrade, and what forbids it."""

from __future__ import annotations

import dataclasses
import re

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade import state
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth

from .upgradable import BUILD, LEAF, NEW, OLD, upgradable


@pytest.fixture
def leaf(project, tmp_path):
    with upgradable(project, tmp_path / "store") as made:
        yield made


def foreign(document):
    return lambda leaf: leaf.double.control.foreign(document)


def unsaved(leaf):
    leaf.double.switch.revisions.startup = {"system": {"hostname": "other"}}


def other_next(leaf):
    images = leaf.double.switch.images
    images.partitions["2"] = dataclasses.replace(
        images.partitions["2"], release="5.15.0", build="x"
    )
    images.next = "2"


SNIPPET = {"system": {"config": {"snippet": {"theirs": {"file": "/etc/x", "content": "y"}}}}}


@pytest.mark.parametrize(
    "change, words",
    [
        (foreign({"router": {"bgp": {"graceful-shutdown": "enabled"}}}), "it is in maintenance: give it back"),
        (foreign({"system": {"lldp": {"tx-interval": 77}}}), "differs from the plan in 1 places .system/lldp/tx"),
        (unsaved, "its startup configuration is not the applied one"),
        (other_next, "its next boot is partition2, which has 5.15.0: somebody else upgrades it"),
    ],
)  # fmt: skip
def test_what_is_not_in_order_forbids_the_upgrade(leaf, change, words):
    assert leaf.look() == state.look(leaf.switch)
    change(leaf)
    (said, *_more) = leaf.look().refusals
    assert re.search(words, said)
    assert said.startswith(f"{LEAF}: ")


def test_a_switch_in_order_takes_five_requests_and_a_done_one_three(leaf):
    before = len(leaf.double.log.requests)
    found = leaf.look()
    assert (found.release, found.stage, found.refusals, found.remarks) == (OLD, "old", [], [])
    assert len(leaf.double.log.requests) - before == 5
    leaf.double.control.foreign(SNIPPET)
    assert "snippets of others (theirs)" in leaf.look().remarks[0]


def test_the_same_release_of_another_build_is_named(project, tmp_path):
    with upgradable(project, tmp_path / "store", release=NEW) as leaf:
        (said, *_more) = leaf.look().refusals
        assert f"runs {NEW} of build {NEW}.0001, and release.images says {BUILD}" in said


def test_a_node_that_moves_and_a_token_alone_forbid_it(leaf):
    switch = leaf.switch
    text = "moving:\n  worker-su01-rack01-h01: {from: acme, to: quarantine, step: shut}\n"
    tenants = "tenants: [{id: 21, slug: acme, nodes: [su01/h01]}]\n"
    registry = Registry.parse(switch.plan, tenants + text)
    switch.api.auth = Auth(None, None, token="x" * 20)
    made = dataclasses.replace(switch, registry=registry)
    found = state._refusals(made, state.SwitchState(OLD, "chosen"), leaf.switch.compare())
    assert [text.split(":")[0] for text in found] == [
        "a token ends with the reboot",
        "worker-su01-rack01-h01 is moving",
    ]
