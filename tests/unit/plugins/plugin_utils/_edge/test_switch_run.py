# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One switch is changed under the variables of switch_apply, and only by roles that the description lists."""

from __future__ import annotations

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from nvue_double.testing import running_double

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import switch_run, switch_wish
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.http_stdlib import (
    Endpoint,
    HttpsPort,
)

LEAF = "leaf-p1-su001-r1"


def conditions(*, extra=None, check=False, write=True, also=(), **stated):
    template = Templar(loader=DataLoader(), variables=stated).template
    return switch_run.conditions(
        *(stated, template), extra=extra or {}, origin={}, also=also, check=check, write=write
    )


def test_renumbering_is_allowed_with_e_alone():
    """Whoever writes it into the inventory would allow it for every run; a replacement allows it by itself."""
    given = {"switch_apply_allow_disruptive": ["breakout", "renumber"]}
    with pytest.raises(FabricError) as caught:
        conditions(**given)
    assert "switch_apply_allow_disruptive: renumber counts only when given with -e" in str(
        caught.value
    )
    assert conditions(extra=given, **given).given["allow_disruptive"] == ["breakout", "renumber"]
    word = {"spx_allow_disruptive": "renumber"}
    allowed = conditions(extra=word, **word, switch_apply_allow_disruptive=["renumber"])
    assert allowed.given["allow_disruptive"] == ["renumber"]
    listed = {"switch_apply_allow_disruptive": ["breakout"]}
    assert conditions(**listed, also=["renumber"]).given["allow_disruptive"] == [
        "breakout",
        "renumber",
    ]


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("timeout", 0, "0 is not allowed: use 1 to 86400 seconds."),
        ("timeout", 86401, "86401 is not allowed: use 1 to 86400 seconds."),
        ("confirm_timeout", -1, "-1 is not allowed: use 0 to 86400 seconds."),
        ("settle_time", -2, "-2 is not allowed: use -1 to 86400 seconds."),
    ],
)
def test_a_time_out_of_bounds_is_one_sentence(name, value, said):
    with pytest.raises(FabricError) as caught:
        conditions(**{f"switch_apply_{name}": value})
    assert caught.value.sentences == [f"variable switch_apply_{name}: {said}"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("timeout", 1), ("timeout", 86400), ("confirm_timeout", 0), ("settle_time", -1)],
)
def test_the_bounds_are_allowed(name, value):
    assert conditions(**{f"switch_apply_{name}": value}).given[name] == value


@pytest.fixture
def turn(project):
    """Return a function that brings the base role to a double under conditions: (result, writes)."""
    path = project / "model" / "fabric.yml"

    def _turn(manage, **how):
        described = yaml.safe_load(path.read_text())
        path.write_text(yaml.safe_dump({**described, "manage": manage}))
        fabric = Fabric.load(str(path))
        device = fabric.device(LEAF)
        roles = ["switch_base"]
        wanted = switch_wish.wanted(fabric, LEAF, {}, lambda value: value, roles=roles)
        assert fabric.name(device) == LEAF
        options = {"release": fabric.description.release.cumulus, "step_seconds": 0.002}
        with running_double(**options) as double:
            endpoint = Endpoint(double.host, double.port, timeout=5, ca=double.ca_file)
            api = Api(HttpsPort(endpoint), Auth(double.username, double.password))
            result = switch_run.run(api, wanted, conditions(**how))
            return result, len(double.log.writes)

    return _turn


def test_nothing_is_changed_by_a_role_that_manage_does_not_list(turn):
    result, writes = turn([], switch_apply_factory=True)
    assert (result["changed"], result["due"], writes) == (False, False, 0)
    (said,) = [text for text in result["warnings"] if "manage" in text]
    assert said == (
        "Nothing will be written: manage in the description does not list switch_base; --check --diff shows what "
        "would be."
    )


def test_the_same_is_written_where_it_is_listed(turn):
    result, writes = turn(["switch_base"], switch_apply_factory=True)
    assert (result["changed"], result["due"]) == (True, True)
    assert writes > 0
    assert not any("manage" in text for text in result.get("warnings", ()))


@pytest.mark.parametrize(("how", "changed"), [({"check": True}, True), ({"write": False}, False)])
def test_comparing_writes_nothing(turn, how, changed):
    result, writes = turn(["switch_base"], switch_apply_factory=True, **how)
    assert (result["changed"], result["due"], writes) == (changed, True, 0)
