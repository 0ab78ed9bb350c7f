# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a switch may be drained, by what is known of those that do its work."""

from __future__ import annotations

import types

import pytest
import yaml
from ansible import context

from ansible_collections.spectrum_x.fabric.plugins.action import switch_drain
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.leaf import (
    Applied,
    LeafError,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

ONE, TWO = "spine-p1-s01", "spine-p1-s02"
DRAINED = {"router": {"bgp": {"graceful-shutdown": "enabled"}}}
UNIT = {"maintenance": {"unit": {"all-protocols": {"mode": "enabled"}}}}


class Switches:
    """Switches by name: their documents, sessions, or an error; `asked` is who was read, look by look."""

    def __init__(self, **found):
        self.found, self.asked = found, []

    def each(self, names, work):
        self.asked.append(list(names))
        return {name: work(self._one(name)) for name in names}

    def _one(self, name):
        document, sessions = self.found.get(name.replace("-", "_"), ({}, {("default", "swp1")}))

        def applied():
            if isinstance(document, Exception):
                raise document
            return Applied("5.16.1", document)

        return types.SimpleNamespace(name=name, applied=applied, sessions=lambda: sessions)


@pytest.fixture
def lacking(tmp_path, monkeypatch):
    """A function that returns why a switch may not be drained, and who was read for that."""
    monkeypatch.setattr(context, "CLIARGS", {"forks": 2})

    def _lacking(found, name=ONE, drained=(ONE,), example="lab", hosts=None, **changes):
        text = (INVENTORIES / example / "model" / "fabric.yml").read_text()
        path = tmp_path / f"{example}-{len(changes)}.yml"
        path.write_text(yaml.safe_dump({**yaml.safe_load(text), **changes}))
        fabric, switches = Fabric.load(str(path)), Switches(**found)
        listed = hosts or [fabric.name(switch) for switch in fabric.switches()]
        others = switch_drain.Others(fabric, switches, listed, drained)
        return others.lacking(fabric.known(name)), switches.asked

    return _lacking


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ((DRAINED, {1}), f"{TWO} is drained by router/bgp/graceful-shutdown"),
        ((UNIT, {1}), f"{TWO} is drained by maintenance/unit/all-protocols"),
        (({}, set()), f"{TWO} has no BGP session that is Established"),
        ((LeafError(f"{TWO}: it does not answer."), {1}), f"{TWO}: it does not answer"),
    ],
)
def test_one_that_is_not_in_service_takes_nothing_over(lacking, found, why):
    said, _asked = lacking({TWO.replace("-", "_"): found})
    assert said == (
        f"{ONE}: no switch in service takes over its traffic ({why}): bring one back, or allow the loss with "
        "-e spx_allow_interrupting=true."
    )


def test_one_in_service_is_enough(lacking):
    assert lacking({}) == ("", [[TWO]])


def test_what_cannot_be_read_is_not_asked(lacking):
    """Out of service by the description, drained by the same run, or not in the inventory."""
    said, asked = lacking({}, drained=(ONE, TWO))
    assert (f"{TWO} is drained in this run" in said, asked) == (True, [])
    rest = [{"device": TWO, "since": "2026-01-01", "reason": "dead"}]
    said, asked = lacking({}, out_of_service=rest)
    assert (f"{TWO} is out of service" in said, asked) == (True, [])
    said, asked = lacking({}, hosts=[ONE])
    assert (f"{TWO} is not in the inventory" in said, asked) == (True, [[]])


def test_a_leaf_of_the_only_plane(lacking):
    said, asked = lacking({}, name="leaf-p1-su001-r1")
    assert asked == []
    assert said == (
        "leaf-p1-su001-r1: no other plane reaches the rails of its nodes: allow the loss with "
        "-e spx_allow_interrupting=true."
    )


def test_no_more_are_read_than_it_takes(lacking):
    """As many as forks at a time, until one is in service; many reasons are counted."""
    name, example = "spine-p1-s05", "b300-4096"
    said, asked = lacking({}, name=name, drained=[name], example=example)
    assert (said, len(asked), len(asked[0])) == ("", 1, 2)
    dead = {f"spine_p1_s0{n}": ({}, set()) for n in range(1, 4)}
    said, asked = lacking(dead, name=name, drained=[name], example=example)
    assert (said, [len(look) for look in asked]) == ("", [2, 2])
    every = {f"spine_p1_s{n:02}": ({}, set()) for n in range(1, 99)}
    said, asked = lacking(every, name=name, drained=[name], example=example)
    count = sum(map(len, asked))
    assert f"; {count - 3} more): bring one back" in said
