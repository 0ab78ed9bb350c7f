# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Congestion control begins on all hosts of a rack or on none."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.congestion_control import (
    HostVerdict,
    gate,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

H01, H02, H03 = (f"worker-su01-rack0{rack}-h0{n}" for rack, n in ((1, 1), (1, 2), (2, 3)))
ABLE, LATE, RUNS = (
    HostVerdict(able=True),
    HostVerdict(able=False),
    HostVerdict(able=True, runs=True),
)
FAILED, LOST = HostVerdict(able=True, failed=True), HostVerdict(able=False, failed=True)


@pytest.fixture
def ask(load):
    """Return a function: the gate of the first host, given who was seen."""

    def _ask(seen, *, text="", among=None, **changes):
        fabric = load(**changes)
        return gate(fabric, Registry.parse(fabric, text), H01, seen, among=among)

    return _ask


def test_a_whole_rack_begins(ask):
    """The host of another rack is nobody's business."""
    said = ask({H01: ABLE, H02: ABLE})
    assert said == {"opens": True, "keeps": False, "sentence": "", "back": ""}


def test_who_cannot_yet_holds_all_back(ask):
    said = ask({H01: ABLE, H02: LATE, H03: LATE})
    assert said["sentence"] == (
        f"{H01}: congestion control is not started, as {H02} of its rack cannot run it yet."
    )
    assert (said["opens"], said["keeps"]) == (False, False)


def test_who_was_left_out_counts_unless_it_ran(ask):
    said = ask({H01: ABLE})
    assert f"with --limit={H01},{H02}." in said["sentence"]
    assert ask({H01: RUNS})["opens"]
    assert ask({H01: ABLE}, among=[])["opens"]


def test_what_runs_goes_on(ask):
    said = ask({H01: RUNS, H02: LATE})
    assert (said["opens"], said["keeps"]) == (False, True)
    assert "congestion control stays as it is, as" in said["sentence"]


@pytest.mark.parametrize("one, other", [(ABLE, FAILED), (FAILED, ABLE), (ABLE, LOST)])
def test_what_did_not_begin_everywhere_ends_everywhere(ask, one, other):
    bad = H01 if one.failed else H02
    assert ask({H01: one, H02: other})["back"] == (
        f"{H01}: congestion control is stopped again, as it did not start on {bad} of its rack: repair it, and run "
        f"again over the whole rack, with --limit={H01},{H02}."
    )


@pytest.mark.parametrize("one, other", [(RUNS, FAILED), (FAILED, RUNS), (RUNS, LOST)])
def test_a_rack_where_it_ran_keeps_it(ask, one, other):
    assert ask({H01: one, H02: other})["back"] == ""


def test_who_is_not_looked_at_takes_nothing_back(ask):
    assert ask({H01: ABLE, H02: FAILED}, among=[H01])["back"] == ""
    assert ask({H01: ABLE, H03: FAILED})["back"] == ""


def test_rented_hosts_and_those_out_of_service_never_count(ask):
    assert ask({H01: ABLE}, text=f"tenants: [{{id: 23, slug: initech, nodes: [{H02}]}}]")["opens"]
    rest = [{"device": H02, "since": "2026-01-01", "reason": "dead"}]
    assert ask({H01: ABLE}, out_of_service=rest)["opens"]


def test_a_switch_is_in_no_rack_of_hosts(load):
    fabric = load()
    with pytest.raises(FabricError, match="is a switch: name a node"):
        gate(fabric, Registry.empty(fabric), "leaf-p1-su001-r1", {})
