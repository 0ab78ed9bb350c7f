# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of nvue_config as a wish and its terms."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.action import nvue_config as action
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch import change
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.disruption_table import (
    CLASSES,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.identity import (
    Identity,
    Place,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError


def options(**given: Any) -> dict[str, Any]:
    """Return arguments as the validation of Ansible hands them over."""
    return {name: spec.get("default") for name, spec in action.ActionModule.SPEC.items()} | given


@pytest.mark.parametrize(
    "given, config, owns",
    [
        ({"config": {"qos": {"a": 1}}}, {"qos": {"a": 1}}, ()),
        ({"config": {"a": 1}, "path": "/qos/roce"}, {"qos": {"roce": {"a": 1}}}, ("qos/roce",)),
        ({"config": {}, "path": "qos", "owns": ["pfc", "/roce"]}, {"qos": {}},
         ("qos/pfc", "qos/roce")),
        ({"config": {"a": 1}, "path": "vrf/x%2Fy"}, {"vrf": {"x/y": {"a": 1}}}, ("vrf/x%2Fy",)),
    ],
)  # fmt: skip
def test_a_path_stands_above_config_and_owns(given: Any, config: Any, owns: Any) -> None:
    args = options(state="replaced", **given)
    wish = action._wish(args)
    assert (wish.config, wish.owns) == (config, owns)


def test_terms() -> None:
    expected = {
        "releases": [5.16],
        "serial": "MT1",
        "lldp": {"swp1": {"system": "spine-01", "port": "swp3"}},
    }
    args = options(expected=expected, allow_disruptive=["breakout"], confirm_timeout=60)
    terms = change.terms_of(args, "leaf-01", write=True, message=str, say=print)
    assert terms.releases == ("5.16",)
    assert terms.identity == Identity(serial="MT1", lldp={"swp1": Place("spine-01", "swp3")})
    assert (terms.confirm, terms.needs_approval) == (60, False)
    assert terms.allow_disruptive == {"breakout"}


@pytest.mark.parametrize(
    "given, sentence",
    [
        ({"confirm_timeout": -1}, "confirm_timeout is -1; it must be from 0"),
        ({"settle_time": 86401}, "settle_time is 86401; it must be from 0"),
        ({"expected": {"lldp": {"swp1": "spine"}}}, "expected.lldp.swp1 is 'spine'; it must be"),
    ],
)
def test_terms_that_cannot_be_meant(given: Any, sentence: str) -> None:
    with pytest.raises(RefusedError) as refused:
        change.terms_of(options(**given), "leaf-01", write=True, message=str, say=print)
    assert str(refused.value).startswith(sentence)


def test_every_class_of_disruption_can_be_allowed() -> None:
    assert action.ActionModule.SPEC["allow_disruptive"]["choices"] == sorted(CLASSES)
