# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Is this the switch that is meant?"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.identity import (
    Identity,
    Place,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import Wish
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    RefusedError,
)

from ..changing import Make, fails, run


@pytest.mark.parametrize(
    "identity, script, by",
    [
        (Identity(serial="MT1"), {"GET /platform": [{"serial-number": "mt1"}]}, "serial mt1"),
        (Identity(serial="MT1"), {"GET /platform": [{"hardware": {"serial-number": "MT1"}}]},
         "serial MT1"),
        (Identity(hostname="old"), {}, "host name old"),
        (Identity(serial="MT1", hostname="old"), {}, "host name old"),
        (Identity(), {}, ""),
    ],
)  # fmt: skip
def test_the_device_is_recognised(ready: Make, identity: Identity, script: Any, by: str) -> None:
    switch = ready(script=script)
    assert run(switch, identity=identity).recognised == by


def test_a_switch_that_needs_no_change_is_recognised_where_it_must_be_sure(ready: Make) -> None:
    """A switch that is to be replaced, and still answers, has the configuration of its place."""
    script = {"GET /platform": [{"serial-number": "MT2"}]}
    kept = Wish({"system": {"hostname": "old"}})
    said = fails(ready(script=script), kept, RefusedError, identity=Identity("MT1", sure=True))
    assert "expected serial MT1, found serial MT2; nothing was written" in said
    found = run(ready(script=script), kept, identity=Identity("MT2", sure=True))
    assert (found.changes, found.recognised) == ([], "serial MT2")
    assert run(ready(script=script), kept, identity=Identity("MT1")).recognised == ""


@pytest.mark.parametrize(
    "identity, script, sentence",
    [
        (Identity(serial="MT1", hostname="old"), {"GET /platform": [{"serial-number": "MT2"}]},
         "expected serial MT1, found serial MT2"),
        (Identity(hostname="leaf-01"), {}, "expected host name leaf-01, found host name old"),
    ],
)  # fmt: skip
def test_another_device_is_refused(
    ready: Make, identity: Identity, script: Any, sentence: str
) -> None:
    switch = ready(script=script)
    assert sentence in fails(switch, kind=RefusedError, identity=identity)
    assert switch.writes() == []


@pytest.mark.parametrize(
    "told, refused",
    [
        ({"model": "SN5600"}, False),
        ({"hardware": {"product-name": "MSN5600-CS2R"}}, False),
        ({"model": "VX"}, False),
        ({}, False),
        ({"hardware": {"model": "sn5400"}}, True),
    ],
)
def test_another_model_is_refused(ready: Make, told: Any, refused: bool) -> None:
    switch = ready(script={"GET /platform": [told]})
    identity = Identity(hostname="old", model="SN5600")
    if refused:
        said = fails(switch, kind=RefusedError, identity=identity)
        assert "the switch at leaf-01:8765 is a SN5400, expected SN5600: put the" in said
        assert switch.writes() == []
    else:
        assert run(switch, identity=identity).recognised == "host name old"


@pytest.mark.parametrize("planned", ["SN3700C", "SN3700"])
def test_letters_behind_a_model_are_none_of_what_a_switch_says(ready: Make, planned: str) -> None:
    switch = ready(script={"GET /platform": [{"model": "MSN3700-CS2F"}]})
    assert run(switch, identity=Identity(hostname="old", model=planned)).recognised


LLDP = {"swp1": Place("spine-01", "swp3")}


@pytest.mark.parametrize(
    "seen, by, sentence",
    [
        ({"spine-01": {"chassis": {"system-name": "spine-01"}, "port": {"name": "swp3"}}},
         "LLDP neighbours of swp1", ""),
        ({"spine-02": {"port": {"name": "swp3"}}}, "",
         "expected spine-01 swp3 at swp1, found spine-02 swp3 there"),
        ({}, "", "nothing shows that the switch at leaf-01:8765 is leaf-01"),
    ],
)  # fmt: skip
def test_a_factory_switch_is_known_by_its_neighbours(
    ready: Make, seen: Any, by: str, sentence: str
) -> None:
    switch = ready(
        applied={"system": {"hostname": "cumulus"}},
        operational={"interface": {"swp1": {"lldp": {"neighbor": seen}}}},
    )
    identity = Identity(serial="MT1", hostname="leaf-01", lldp=LLDP)
    if by:
        assert run(switch, identity=identity).recognised == by
    else:
        assert sentence in fails(switch, kind=RefusedError, identity=identity)
        assert switch.writes() == []


PLANNED, CUMULUS, OTHER = ("spine-01", "swp3"), ("cumulus", "swp3"), ("spine-02", "swp3")


@pytest.mark.parametrize(
    ("heard", "recognised"),
    [
        ([PLANNED], "LLDP neighbours of swp1"),
        ([("Spine-01.example.net", "swp3")], "LLDP neighbours of swp1"),
        ([PLANNED, OTHER], ""),
        ([OTHER, PLANNED], ""),
        ([PLANNED, CUMULUS], ""),
        ([PLANNED, ("spine-01", "swp4")], ""),
        ([CUMULUS], ""),
        ([("spine-01", "swp4")], None),
        ([("spine-012", "swp3")], None),
        ([OTHER, CUMULUS], None),
    ],
)
def test_several_neighbours_at_a_port_show_nothing(
    ready: Make, heard: list[tuple[str, str]], recognised: str | None
) -> None:
    """One of them lies: the switch is neither recognised by it nor taken for another one."""
    seen = {
        f"n{number}": {"chassis": {"system-name": system}, "port": {"name": port}}
        for number, (system, port) in enumerate(heard)
    }
    switch = ready(applied={}, operational={"interface": {"swp1": {"lldp": {"neighbor": seen}}}})
    identity = Identity(hostname="leaf-01", lldp=LLDP, factory=True)
    if recognised is not None:
        assert run(switch, identity=identity).recognised == recognised
    else:
        said = fails(switch, kind=RefusedError, identity=identity)
        assert "expected spine-01 swp3 at swp1, found " in said
        assert switch.writes() == []


def test_a_factory_switch_without_neighbours_needs_a_word(ready: Make) -> None:
    switch = ready(applied={})
    assert run(switch, identity=Identity(hostname="leaf-01", factory=True)).recognised == ""
