# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels, parts, lengths, bundles."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover import (
    labels,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.cables import (
    Cables,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    EXAMPLES,
    build,
    example,
)

from .reading import FAST, brownfield


@pytest.mark.large
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "max-524288"])
def test_every_line_of_every_label_fits(name):
    """Both ends are on each label, and no two plugs have the same."""
    cables = Cables(example(name))
    seen, links = set(), 0
    for cable in cables.all():
        for plug in cable.plugs:
            if plug.built:
                links += 1
                label = labels.label(cables, cable, plug)
                assert max(map(len, label.lines)) <= labels.MOST_CHARACTERS
                assert label.there
                assert len(label.lines) == 2 + len(label.there)
                seen.add(label.here)
    assert len(seen) == links


def test_the_longest_names_give_way_to_codes():
    made = build(
        tiers=3,
        capacity={"pods": 100, "sus_per_pod": 8, "slots_per_su": 64},
        absent=[f"pod{n:03}" for n in range(2, 101)],
        naming={"node": "a-name-that-is-much-too-long-for-labels-{pod}-{su}-{slot}"},
    )
    cables = Cables(made)
    cable = next(cables.all())
    assert labels.label(cables, cable, cable.head).lines == (
        "L1.001.1.1/01-N001.1.01/r1p1",
        "leaf-p1-pod001-su001-r1 swp1",
        "to N001.1.01 rail1p1",
        "to N001.1.02 rail1p1",
    )


def test_a_leg_names_its_port_of_the_head():
    cables = Cables(example("lab"))
    cable = next(cables.all())
    assert [labels.label(cables, cable, plug).text for plug in cable.plugs] == [
        "leaf-p1-su001-r1 swp1 / worker-su01-rack01-h01 rail1p1 + worker-su01-rack01-h02 rail1p1",
        "worker-su01-rack01-h01 rail1p1 / leaf-p1-su001-r1 swp1s0",
        "worker-su01-rack01-h02 rail1p1 / leaf-p1-su001-r1 swp1s1",
    ]


def test_what_is_not_built_is_a_remark_and_not_an_end():
    cables = Cables(example("lab"))
    cable = next(c for c in cables.all() if not all(plug.built for plug in c.ends))
    assert labels.remarks(cables, cable) == [
        "The end at swp2s1 stays free: worker-su01-rack02-h04 is not built."
    ]
    assert "h04" not in labels.label(cables, cable, cable.head).text


@pytest.mark.parametrize(
    "speed, medium, expected",
    [
        ("400G", "dac", ("800G OSFP to 2 x 400G QSFP112, passive copper", "", "")),
        (
            "400G",
            "single-mode",
            (
                "MPO-12/APC single-mode fibre",
                "twin-port OSFP 800G, 2xDR4, single-mode",
                "QSFP112 400G, single-mode",
            ),
        ),
        ("200G", "acc", ("800G OSFP to 4 x 200G QSFP112, active copper", "", "")),
        (
            "200G",
            "multimode",
            (
                "MPO-12/APC multimode fibre, 1 to 2",
                "twin-port OSFP 800G, 4x200G, multimode",
                "QSFP112 400G, multimode",
            ),
        ),
        ("400G", None, ("breakout 1 to 2, 400G each, to be chosen", "", "")),
    ],
)
def test_parts_of_host_links(speed, medium, expected):
    made = build(
        capacity={"sus_per_pod": 1, "slots_per_su": 8},
        switches={"host_speed": speed},
        cabling={"host": medium},
    )
    cables = Cables(made)
    cable = next(c for c in cables.all() if c.kind == "host")
    assert labels.parts(cables, cable) == expected


def test_parts_of_links_between_switches():
    cables = Cables(build(cabling={"fabric": "multimode"}))
    cable = next(c for c in cables.all() if c.kind == "leaf")
    twin = "twin-port OSFP 800G, 2xSR4, multimode"
    assert labels.parts(cables, cable) == ("MPO-12/APC multimode fibre", twin, twin)


@pytest.mark.parametrize(
    "medium, way, metres",
    [
        ("dac", 1.4, 1.5),
        ("dac", 3.0, 3),
        ("dac", 3.1, None),
        ("multimode", 31, 35),
        (None, 2, None),
        ("acc", None, None),
    ],
)
def test_the_length_to_order_is_the_next_that_is_made(medium, way, metres):
    cable = next(Cables(example("lab")).all())._replace(medium=medium, route=way)
    assert labels.length(cable) == metres
    too_long = bool(medium and way and metres is None)
    assert (
        any("longer than" in r for r in labels.remarks(Cables(example("lab")), cable)) is too_long
    )


def test_bundles_are_the_same_from_either_end():
    cables = brownfield()
    found = {labels.bundle(cables, cable) for cable in cables.all()}
    assert found == {f"G{n:02} to N{m}" for n in range(1, 9) for m in (1, 2)} | {
        "N1 to N3",
        "N2 to N3",
    }
    inside = Cables(build(**FAST))
    assert labels.bundle(inside, next(inside.all())) == "leaf-p1-su001-r1 to su01-rack01"


@pytest.mark.parametrize("value, text", [(None, ""), (1.5, "1.5"), (30, "30"), (2.04, "2")])
def test_metres(value, text):
    assert labels.metres(value) == text
