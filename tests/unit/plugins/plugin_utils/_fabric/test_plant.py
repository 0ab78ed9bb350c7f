# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a site states, beside what would have been computed."""

from __future__ import annotations

import csv

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import plant
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric

from .fabrics import EXAMPLES, build, described, example


def compared(fabric):
    plain = plant.computed(fabric)
    counts = plant.Counts(plain.description.addressing.profile)
    rows = list(csv.DictReader(plant.lines(counts.watch(plant.values(fabric, plain)))))
    return rows, counts, plain


def test_a_plant_of_two_tables():
    fabric = example("brownfield-256")
    rows, counts, plain = compared(fabric)
    assert counts.sentence() == (
        f"the plant differs from a computed one (profile {plain.description.addressing.profile}) in 44 of 44 names, "
        "44 of 44 management addresses, 12 of 12 ASNs, 12 of 12 loopbacks, 8 of 8 VTEPs, 256 of 256 addresses of "
        "hosts, 256 of 256 addresses of leaf ports"
    )
    assert {
        "what": "name",
        "place": "spine-p1-s01",
        "stated": "core-1",
        "computed": "spine-p1-s01",
        "differs": "yes",
    } in rows
    for row in rows:
        device, _colon, port = row["place"].partition(":")
        assert plain.device(device) is not None
        if row["what"] == "host_address":
            (place,) = fabric.locate(row["stated"])
            assert place["port"] == port
            (computed,) = plain.locate(row["computed"])
            assert (computed["device"], computed["port"]) == (device, port)
        elif row["what"] in ("asn", "loopback", "vtep"):
            assert str(plain.slice(device)[row["what"]]) == row["computed"]
            assert (
                str(
                    fabric.slice(fabric.device(row["stated"]) or fabric.name(plain.device(device)))[
                        row["what"]
                    ]
                )
                == row["stated"]
            )


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "brownfield-256"])
def test_a_fabric_without_tables_has_nothing_to_say(name):
    assert not plant.stated(example(name))


def test_what_is_stated_as_computed_does_not_differ(tmp_path):
    (tmp_path / "devices.csv").write_text(
        "place,name,asn\nleaf-p1-su001-r1,leaf-p1-su001-r1,\nspine-p1-s01,,65001\n"
    )
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump(described(devices="devices.csv")))
    fabric = Fabric.load(str(tmp_path / "fabric.yml"))
    assert plant.stated(fabric)
    rows, counts, plain = compared(fabric)
    assert [(row["what"], row["differs"]) for row in rows] == [("name", "no"), ("asn", "yes")]
    assert "0 of 1 names, 1 of 1 ASNs" in counts.sentence()
    assert plain.description.addressing.profile == "octet-v4", "a profile of the site stays"


def test_cables_of_a_table(tmp_path):
    """Each cable between switches is stated; two of the first leaf are exchanged."""
    small = {
        "rails": 2,
        "capacity": {"sus_per_pod": 2, "slots_per_su": 4},
        "switches": {"usable_ports": 8},
    }
    plain = build(**small)
    cables = []
    for leaf in plain.switches():
        for port in plain.slice(leaf)["ports"]:
            if port["kind"] == "up":
                cables.append(
                    [plain.name(leaf), port["port"], port["peer"]["device"], port["peer"]["port"]]
                )
    cables[0][1], cables[1][1] = cables[1][1], cables[0][1]
    with (tmp_path / "cables.csv").open("w", newline="") as handle:
        csv.writer(handle).writerows([["lower", "lower_port", "upper", "upper_port"], *cables])
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump(described(**small, uplinks="cables.csv")))
    rows, counts, _plain = compared(Fabric.load(str(tmp_path / "fabric.yml")))
    assert counts.sentence().endswith("in 2 of 16 cables")
    first = next(row for row in rows if row["differs"] == "yes")
    assert first["stated"] == "swp3s1 to spine-p1-s01:swp1s0"
    assert first["computed"] == "swp3s0 to spine-p1-s01:swp1s0"


def test_swapped_ports_are_cables_that_differ():
    swaps = [{"device": "leaf-p1-su001-r1", "ports": ["swp1s0", "swp1s1"]}]
    rows, counts, _plain = compared(build(swapped_ports=swaps, absent=["su01/h02"]))
    assert counts.sentence().endswith("in 1 of 1 cables")
    assert rows[0]["place"] == "worker-su01-rack01-h01:rail1p1"
    assert rows[0]["stated"] == "rail1p1 to leaf-p1-su001-r1:swp1s1"
