# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of a site, beside the computed ones."""

from __future__ import annotations

import csv
import os
import shutil

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import selection
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import rows
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.desired import (
    desired,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report import plant
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report.report import (
    facts,
    missing,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    nodes,
    prefixes,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    move_plan,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

from ..audit.conftest import Healthy
from ..fabrics import EXAMPLES, INVENTORIES, build, described, example


def compared(fabric):
    plain = plant.computed(fabric)
    counts = plant.Counts(plain.description.addressing.profile)
    rows = list(csv.DictReader(plant.lines(counts.watch(plant.values(fabric, plain)))))
    return rows, counts, plain


def test_a_plant_of_two_tables():
    fabric = example("brownfield-256")
    values, counts, plain = compared(fabric)
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
    } in values
    for row in values:
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
    values, counts, plain = compared(fabric)
    assert [(row["what"], row["differs"]) for row in values] == [("name", "no"), ("asn", "yes")]
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
    values, counts, _plain = compared(Fabric.load(str(tmp_path / "fabric.yml")))
    assert counts.sentence().endswith("in 2 of 16 cables")
    first = next(row for row in values if row["differs"] == "yes")
    assert first["stated"] == "swp3s1 to spine-p1-s01:swp1s0"
    assert first["computed"] == "swp3s0 to spine-p1-s01:swp1s0"


def test_swapped_ports_are_cables_that_differ():
    swaps = [{"device": "leaf-p1-su001-r1", "ports": ["swp1s0", "swp1s1"]}]
    values, counts, _plain = compared(build(swapped_ports=swaps, absent=["su01/h02"]))
    assert counts.sentence().endswith("in 1 of 1 cables")
    assert values[0]["place"] == "worker-su01-rack01-h01:rail1p1"
    assert values[0]["stated"] == "rail1p1 to leaf-p1-su001-r1:swp1s1"


TENANTS = """tenants:
  - {id: 21, slug: acme, nodes: [gpu-101, gpu-102], host_access: managed}
  - {id: 22, slug: globex, nodes: [su01/h03]}
"""


@pytest.fixture(scope="module")
def taken_over(tmp_path_factory):
    """The example with tenants, its registry, and the names that the plan would have computed."""
    folder = shutil.copytree(INVENTORIES / "brownfield-256", tmp_path_factory.mktemp("plant") / "b")
    (folder / "model" / "tenants.yml").write_text(TENANTS)
    fabric = Fabric.load(str(folder / "model" / "fabric.yml"))
    return fabric, Registry.load(fabric), [fabric.names.name(device) for device in fabric.rows]


def clean(said, computed):
    """No computed name of a device that the site has named."""
    assert not [name for name in computed if name in str(said)]


def test_devices_go_by_the_names_of_the_site(taken_over):
    fabric, registry, computed = taken_over
    for device in fabric.devices():
        clean(fabric.slice(device), computed)
        clean(fabric.locate(fabric.name(device)), computed)
        if not isinstance(device, Node):
            clean(compose.document(fabric, device, tenants=registry), computed)
    clean(list(rows.links(fabric)) + list(rows.addresses(fabric)), computed)
    clean([facts(fabric), missing(fabric, (), credentials=False)], computed)


WRONG = {
    "a name": lambda fabric, held: fabric.known("nowhere"),
    "a name of the plan": lambda fabric, held: fabric.known("nowhere-2"),
    "locate": lambda fabric, held: fabric.locate("nowhere"),
    "an address": lambda fabric, held: fabric.locate("203.0.113.9"),
    "where": lambda fabric, held: selection.devices(fabric, ["nowhere"], held),
    "nodes": lambda fabric, held: nodes.expand(fabric, "gpu-999"),
    "no node": lambda fabric, held: prefixes.tenant_of(fabric, held, "core-1"),
    "a document of a node": lambda fabric, held: compose.context(fabric, "gpu-101"),
    "a host that is a switch": lambda fabric, held: desired(fabric, "tor-a1", registry=held),
    "a move": lambda fabric, held: move_plan.plan(
        fabric, held, [fabric.device("gpu-101")], move_plan.Order("nobody", applied={})
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_sentences_name_devices_as_the_site_does(taken_over, name):
    fabric, held, computed = taken_over
    with pytest.raises(FabricError) as caught:
        WRONG[name](fabric, held)
    clean(caught.value, computed)


def test_plans_of_moves_do(taken_over):
    fabric, held, computed = taken_over
    order = move_plan.Order("globex", applied={}, hooks=("wipe",))
    plan = move_plan.plan(fabric, held, [fabric.device("gpu-101")], order)
    assert list(plan["nodes"]) == ["gpu-101"]
    clean(plan, computed)


@pytest.mark.parametrize("name", ["tor-a1", "core-1"])
def test_results_of_validate_do(taken_over, name):
    """Every check, of a switch that hears nothing and runs nothing; `place` is the plan's."""
    fabric, _held, computed = taken_over
    switch = Healthy(fabric, name)
    heard = list(switch.lldp.values())
    switch.lldp = dict(zip(switch.lldp, heard[1:] + heard[:1]))
    switch.neighbors = {key: {"state": "idle"} for key in switch.neighbors}
    found = switch.failures(applied={})
    assert found
    for row in found:
        assert row["device"] == name
        clean({**row, "place": ""}, computed)


def test_what_a_table_refuses_names_devices_so(taken_over, tmp_path):
    fabric, _held, computed = taken_over
    folder = shutil.copytree(os.path.dirname(fabric.source.path), tmp_path / "model")
    (folder / "cables.csv").write_text(
        "lower,lower_port,upper,upper_port\ntor-a1,swp17s0,core-1,swp1s0\n"
    )
    for line in (
        "uplinks: cables.csv",
        "swapped_ports: [{device: tor-a1, ports: [swp1s0, swp99]}]",
    ):
        text = (INVENTORIES / "brownfield-256" / "model" / "fabric.yml").read_text()
        (folder / "fabric.yml").write_text(f"{text}{line}\n")
        with pytest.raises(FabricError) as caught:
            Fabric.load(str(folder / "fabric.yml"))
        assert "tor-a1" in str(caught.value)
        clean(caught.value, computed)


def test_exchanged_cables_of_a_table_are_corrected_there(taken_over, tmp_path):
    """swapped_ports would refuse them."""
    whole = taken_over[0]
    model = shutil.copytree(os.path.dirname(whole.source.path), tmp_path / "model")
    cables = [x for x in rows.links(whole) if x.kind == "leaf"]
    lines = [",".join([x.a.device, x.a.port, x.b.device, x.b.port]) for x in cables]
    (model / "cables.csv").write_text(
        "\n".join(["lower,lower_port,upper,upper_port", *lines]) + "\n"
    )
    with (model / "fabric.yml").open("a") as handle:
        handle.write("uplinks: cables.csv\n")
    switch = Healthy(Fabric.load(str(model / "fabric.yml")), "tor-a1")
    heard = switch.lldp
    for one, other, remedy in (
        ("swp17s0", "swp18s0", "correct their rows in uplinks."),
        ("swp1s0", "swp1s1", "list the ports in swapped_ports."),
    ):
        switch.lldp = {**heard, one: heard[other], other: heard[one]}
        (found,) = switch.failures("switch.lldp.swap")
        assert found["sentence"].endswith(remedy)
