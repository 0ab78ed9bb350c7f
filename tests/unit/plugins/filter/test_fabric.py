# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The pair of filters and the plan lookup, also as templates of one play."""

from __future__ import annotations

import json
import sys

import pytest
import yaml
from ansible.errors import AnsibleError
from playing import play

from ansible_collections.spectrum_x.fabric.plugins.filter.fabric import FilterModule
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    example,
)

INTERPRETER = f"ansible_python_interpreter={sys.executable}"
LAB = str(INVENTORIES / "lab" / "model" / "fabric.yml")
OTHER = str(INVENTORIES / "lab-3tier")


def test_address_and_locate_are_inverses():
    filters = FilterModule().filters()
    fabric = example("lab")
    for node in fabric.nodes():
        for port in fabric.slice(node)["ports"]:
            (place,) = filters["locate"](port["address"], LAB)
            assert filters["address"](place, LAB) == port["address"]
            name = f"{fabric.name(node)}:{port['port']}"
            assert filters["address"](name, LAB, side="leaf") == port["gateway"]


@pytest.mark.parametrize("gid", ["::ffff:172.18.1.2", "0000:0000:0000:0000:0000:ffff:ac12:0102"])
def test_a_gid_is_the_address_that_it_has(gid):
    filters = FilterModule().filters()
    assert filters["locate"](gid, LAB) == filters["locate"]("172.18.1.2", LAB)


def test_filters_translate_errors():
    with pytest.raises(AnsibleError, match="belongs to no place"):
        FilterModule().filters()["locate"]("192.0.2.1", LAB)


PLAN = "lookup('spectrum_x.fabric.plan', "
RIGHT = [
    ("'172.18.1.2' | spectrum_x.fabric.locate(lab) | map(attribute='slot') | first", 1),
    ("'su02/h02/rail2p1' | spectrum_x.fabric.address(lab)", "172.18.1.2"),
    ("'su02/h02/rail2p1' | spectrum_x.fabric.address(lab, side='leaf')", "172.18.1.3"),
    (PLAN + "'leaf-p1-su001-r1', key='mtu.host', description=lab)", 9166),
    (PLAN + "'fabric', key='switches.leaf', description=lab)", 4),
    (
        PLAN.replace("lookup", "query")
        + "'spine-p1-s01', 'spine-p1-s02', key='asn', description=lab) | unique | length",
        1,
    ),
    # the folder of SPX_PROJECT, and the variable, which comes first
    (PLAN + "'fabric', key='name')", "lab-3tier"),
    ("lab_by_variable", "lab"),
]
WRONG = [
    ("'192.0.2.1' | spectrum_x.fabric.locate(lab)", "belongs to no place of fabric lab"),
    ("'su09/h01/rail1p1' | spectrum_x.fabric.address(lab)", "is not an address, device, port"),
    ("'su01/h01' | spectrum_x.fabric.address(lab)", "has no address of its own"),
    (
        PLAN + "'leaf-p1-su009-r1', description=lab)",
        "'leaf-p1-su009-r1' is not a device of fabric lab: use a name such as leaf-p1-su001-r1",
    ),
    (
        PLAN + "'fabric', key='mtu.hosts', description=lab)",
        "key 'mtu.hosts': 'hosts' is not there, did you mean 'host'",
    ),
    (
        PLAN + "'worker-su01-rack02-h04', description=lab)",
        "is not built (it is listed in absent)",
    ),
    (PLAN + "'fabric', description='/nowhere/fabric.yml')", "/nowhere/fabric.yml does not exist"),
    (PLAN + "5, description=lab)", "5 is not a device name: pass each name as a text of its own"),
    (PLAN + "['a', 'b'], description=lab)", "['a', 'b'] is not a device name"),
    (PLAN + "{'a': 1}, description=lab)", "{'a': 1} is not a device name"),
    (PLAN + "none, description=lab)", "None is not a device name"),
]


def book(folder):
    """One play that renders everything: values, and the sentence of each error."""
    values = {str(n): f"{{{{ {text} }}}}" for n, (text, _expected) in enumerate(RIGHT)}
    by_variable = "{{ " + PLAN + "'fabric', key='name') }}"
    named = {"values": values | {"7": by_variable}, "spx_description": LAB}
    tasks = [
        {"ansible.builtin.set_fact": {"kept": "{{ values }}"}, "vars": named},
        {"ansible.builtin.set_fact": {"project": values["6"]}},
    ]
    for number, (text, _part) in enumerate(WRONG):
        keep = {f"error{number}": "{{ ansible_failed_result.msg }}"}
        tasks.append(
            {
                "block": [{"ansible.builtin.debug": {"msg": f"{{{{ {text} }}}}"}}],
                "rescue": [{"ansible.builtin.set_fact": keep}],
            }
        )
    said = ["kept", "project", *(f"error{number}" for number in range(len(WRONG)))]
    whole = {name: f"{{{{ {name} }}}}" for name in said}
    last = {"content": "{{ whole | to_json }}", "dest": f"{folder}/said"}
    tasks.append({"ansible.builtin.copy": last, "vars": {"whole": whole}})
    return [{"hosts": "localhost", "gather_facts": False, "vars": {"lab": LAB}, "tasks": tasks}]


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("play")
    (folder / "play.yml").write_text(yaml.safe_dump(book(folder)))
    code, output = play(
        *(folder, "-i", "localhost,", "-c", "local", "-e", INTERPRETER, "play.yml"),
        SPX_PROJECT=OTHER,
    )
    assert code == 0, output
    assert "Traceback" not in output
    return json.loads((folder / "said").read_text())


@pytest.mark.parametrize("number", range(len(RIGHT)))
def test_in_templates(number, rendered):
    found = rendered["kept"][str(number)]
    if number == 6:
        assert found == "lab", "the variable comes before the project"
        found = rendered["project"]
    assert found == RIGHT[number][1]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_errors_are_sentences(number, rendered):
    assert WRONG[number][1] in rendered[f"error{number}"]
