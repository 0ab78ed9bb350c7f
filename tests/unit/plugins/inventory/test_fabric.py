# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory plugin as people run it: through `ansible-inventory`, for every example."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import playing
import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.inventory.fabric import InventoryModule
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.groups import Groups
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.places import identity
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    example,
)

TOOL, PLAYBOOK = "ansible-inventory", "ansible-playbook"


def run(*arguments, folder=None, tool=TOOL, **environment):
    """The finished process; nothing in it connects to anything."""
    whole = os.environ | {"ANSIBLE_NOCOLOR": "1"} | environment
    return playing.run(folder or Path.cwd(), tool, *arguments, environment=whole)


def data(text):
    """Plain data of the tool's JSON, which marks strings that are never templates."""
    return json.loads(text, object_hook=lambda row: row.get("__ansible_unsafe", row))


def listed(*sources, options=(), folder=None):
    """`ansible-inventory --list` of sources, as data; any error fails the test."""
    arguments = [part for source in sources for part in ("-i", str(source))]
    done = run(*arguments, "--list", *options, folder=folder, ANSIBLE_INVENTORY_UNPARSED_FAILED="1")
    assert done.returncode == 0, done.stderr
    return data(done.stdout)


def source_of(name):
    return INVENTORIES / name / "hosts.fabric.yml"


@pytest.fixture
def site(tmp_path):
    """A copy of an example with options of the source and lines of the description to change."""

    def _site(name, *, replace=(), files=None, **options):
        folder = tmp_path / f"{name}-{len(list(tmp_path.iterdir()))}"
        shutil.copytree(INVENTORIES / name, folder)
        stated = {"plugin": "spectrum_x.fabric.fabric", "description": "model/fabric.yml"}
        (folder / "hosts.fabric.yml").write_text(yaml.safe_dump(stated | options))
        description = folder / "model" / "fabric.yml"
        text = description.read_text()
        for old, new in replace:
            assert old in text
            text = text.replace(old, new)
        description.write_text(text)
        for path, content in (files or {}).items():
            (folder / path).write_text(content)
        return folder / "hosts.fabric.yml"

    return _site


@pytest.mark.parametrize(
    "name",
    [
        "lab",
        "lab-3tier",
        "lab-converged",
        "h200-2048",
        "b300-4096",
        "brownfield-256",
        "multiplane-16384",
    ],
)
def test_example(name):
    """Every device is a host with its identity, in the groups of its place and no other."""
    made = listed(source_of(name))
    fabric = example(name)
    groups = Groups(fabric)
    variables = made.pop("_meta")["hostvars"]
    members = {group: set(row.get("hosts", ())) for group, row in made.items()}
    expected = {}
    for device in fabric.devices():
        host = fabric.name(device)
        spx = variables.pop(host)
        assert spx["spx"] == identity(fabric, device)
        assert "ansible_host" not in spx, "an example never dials the plan's addresses"
        for group in groups.of(device):
            expected.setdefault(group, set()).add(host)
    assert variables == {}
    tenants = {group for group in members if group.startswith("spx_tenant_")}
    for group in tenants:
        assert members.pop(group) <= expected["spx_node"]
    assert {group: hosts for group, hosts in members.items() if hosts} == expected
    roles = {group for group in expected if group in made[groups.all]["children"]}
    assert roles == set(groups.expected())


def test_hosts_have_the_file_and_folder_of_their_source():
    """As Ansible's own plugins set them, although they are found once and not for each host."""
    source = source_of("lab")
    shown = ("-m", "ansible.builtin.debug", "-a", "msg={{ inventory_dir }}:{{ inventory_file }}")
    done = run("-i", str(source), "spx_spine", *shown, tool="ansible")
    assert done.returncode == 0, done.stderr
    places = [line.strip() for line in done.stdout.splitlines() if '"msg"' in line]
    assert set(places) == {f'"msg": "{source.parent}:{source}"'}


def test_groups_of_the_laboratory():
    made = listed(source_of("lab"))
    made.pop("_meta")
    assert made["spx_fabric_lab"]["children"] == ["spx_leaf", "spx_node", "spx_spine"]
    assert made["spx_su_01_002"]["hosts"] == [
        "leaf-p1-su002-r1",
        "leaf-p1-su002-r2",
        "worker-su02-rack01-h01",
        "worker-su02-rack01-h02",
        "worker-su02-rack02-h03",
    ]
    assert made["spx_rail_2"]["hosts"] == ["leaf-p1-su001-r2", "leaf-p1-su002-r2"]
    assert {"spx_plane_1", "spx_pod_01", "spx_rail_1", "spx_leaf", "spx_spine", "spx_node"} <= set(
        made
    )


def test_variables_of_a_leaf(site):
    made = listed(site("lab"))["_meta"]["hostvars"]["leaf-p1-su002-r1"]
    assert made == {
        "ansible_host": "10.198.0.3",
        "spx": {
            "fabric": "lab",
            "name": "leaf-p1-su002-r1",
            "role": "leaf",
            "plane": 0,
            "pod": 0,
            "su": 1,
            "index": 2,
            "rails": [0],
            "asn": 4230000002,
            "loopback": "10.134.0.2",
            "management": "10.198.0.3/18",
            "management_gateway": "10.198.63.254",
        },
    }


def test_a_pod_of_the_largest(site):
    """One controller's share: 64 leaves, 64 spines, 512 nodes; three digits in the pod's group."""
    made = listed(site("max-524288", where=["pod017"]))
    assert len(made["_meta"]["hostvars"]) == 640
    assert len(made["spx_pod_017"]["hosts"]) == 640
    assert "spx_super_spine" not in made
    assert made["spx_sliced"]["children"] == ["spx_fabric_max_524288"]


@pytest.mark.parametrize(
    "options, counts",
    [
        ({"planes": [2]}, {"spx_leaf": 64, "spx_spine": 32, "spx_node": 512}),
        ({"where": ["su[03-04]"]}, {"spx_leaf": 32, "spx_node": 128}),
        ({"planes": [1], "where": ["su08"]}, {"spx_leaf": 8, "spx_node": 64}),
    ],
)
def test_slices(site, options, counts):
    made = listed(site("b300-4096", **options))
    found = {
        group: len(row["hosts"])
        for group, row in made.items()
        if group in ("spx_leaf", "spx_spine", "spx_node")
    }
    assert found == counts


def test_full_slices_as_variables(site):
    made = listed(site("lab", slices=True))["_meta"]["hostvars"]
    for device in (fabric := example("lab")).devices():
        assert made[fabric.name(device)]["spx_slice"] == fabric.slice(device)


def test_management_none(site):
    made = listed(site("lab", management="none"))["_meta"]["hostvars"]
    assert not any("ansible_host" in row for row in made.values())


def test_management_from_a_file(site):
    addresses = {"leaf-p1-su001-r1": "127.0.0.11", "worker-su01-rack01-h01": "127.0.0.21"}
    table = "\n".join(["Name;IP Address", *(f"{name};{at}/24" for name, at in addresses.items())])
    source = site("lab", management="addresses.csv", files={"addresses.csv": table})
    made = listed(source)["_meta"]["hostvars"]
    found = {name: row["ansible_host"] for name, row in made.items() if "ansible_host" in row}
    assert found == addresses


@pytest.mark.parametrize(
    "content, part",
    [("- 127.0.0.1\n", "is not a mapping of names to addresses"), (None, "does not exist")],
)
def test_a_wrong_management_file(site, content, part):
    files = {"addresses.yml": content} if content else {}
    done = run("-i", str(site("lab", management="addresses.yml", files=files)), "--list")
    assert part in done.stderr
    assert "Traceback" not in done.stderr


def test_compose_groups_and_keyed_groups(site):
    source = site(
        "lab",
        compose={"spine_count": "2", "rack_name": "'R%02d' | format(spx.rack + 1)"},
        groups={"first_su": "spx.su | default(-1) == 0"},
        keyed_groups=[{"key": "spx.role", "prefix": "kind"}],
        strict=False,
    )
    made = listed(source)
    hosts = made["_meta"]["hostvars"]
    assert hosts["worker-su01-rack02-h03"]["rack_name"] == "R02"
    assert "rack_name" not in hosts["spine-p1-s01"]
    assert hosts["spine-p1-s01"]["spine_count"] == 2
    assert len(made["kind_node"]["hosts"]) == 6
    assert len(made["first_su"]["hosts"]) == 5


def test_strict_composition_fails(site):
    done = run("-i", str(site("lab", compose={"x": "spx.nothing.at.all"}, strict=True)), "--list")
    assert "Could not set x" in done.stderr


def test_two_fabrics_with_equal_names_are_refused(site):
    second = site("lab", replace=[("name: lab", "name: lab-two")])
    done = run("-i", str(source_of("lab")), "-i", str(second), "--list")
    assert (
        "host 'leaf-p1-su001-r1' of fabric lab-two is already in the inventory: give the fabrics "
        "different names by a naming template, or load one of them."
    ) in " ".join(done.stderr.split())


def test_two_fabrics_with_names_of_their_own_live_together(site):
    naming = 'naming: {leaf: "b-l{su}-{rail}", spine: "b-s{index}", node: "b-n{su}-{slot}"}\n'
    second = site("lab", replace=[("name: lab", naming + "name: lab-two")])
    made = listed(source_of("lab"), second)
    assert {"spx_fabric_lab", "spx_fabric_lab_two"} <= set(made)
    assert len(made["spx_leaf"]["hosts"]) == 8


def test_a_broken_description_ends_the_run_with_its_sentences(site):
    """No other parser is tried, and none warns: what a person reads is what is wrong."""
    source = site("lab", replace=[("tiers: 2", "tiers: 5\nrials: 2")])
    done = run("-i", str(source), "--list")
    assert (done.returncode, done.stdout) == (2, "")
    text = done.stderr.splitlines()
    assert text[0].startswith(f"[ERROR]: -i {source}: fabric.yml line ")
    assert "tiers: 5 is not allowed: use 2 or 3." in done.stderr
    assert "rials: the key is not known, did you mean 'rails'" in done.stderr
    assert len([line for line in text if line]) == 2, done.stderr


@pytest.mark.parametrize("limit", ["leaf-p1-su001-r1", ""])
def test_a_broken_description_is_no_success_of_a_run(site, tmp_path, limit):
    """Neither beside a healthy source, nor where --limit leaves out localhost, whose play would say it."""
    source = site("lab", replace=[("tiers: 2", "tiers: 5")], files={"other.ini": "[web]\nw1\n"})
    book = tmp_path / "book.yml"
    book.write_text("- hosts: localhost:spx_leaf\n  gather_facts: false\n  tasks: []\n")
    options = ["--limit", limit] if limit else []
    other = str(source.parent / "other.ini")
    done = run("-i", str(source), "-i", other, str(book), *options, tool=PLAYBOOK)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "tiers: 5 is not allowed: use 2 or 3." in done.stderr


def test_a_link_is_of_the_fabric_that_its_file_names(site, tmp_path):
    """Also where another fabric is beside the link."""
    own, other = site("lab"), site("lab", replace=[("name: lab", "name: other")])
    link = other.parent / "link.fabric.yml"
    link.symlink_to(own)
    assert "spx_fabric_lab" in listed(link)
    (own.parent / "model" / "fabric.yml").unlink()
    done = run("-i", str(link), "--list")
    assert done.returncode == 2
    text = " ".join(done.stderr.split())
    assert f"-i {link} (a link to {own}): " in text
    assert f"does not exist: {own.parent}/model has tenants.yml: pass -i" in text


def test_a_missing_description(site):
    done = run("-i", str(site("lab", description="model/gone.yml")), "--list")
    assert "gone.yml does not exist" in " ".join(done.stderr.split())


@pytest.mark.parametrize("kind", ["json", "yaml"])
def test_an_export_loads_again(kind, tmp_path):
    """Check an export as AWX uses it: as a script or a file, it has the same hosts and groups."""
    options = ["--yaml"] if kind == "yaml" else []
    done = run("-i", str(source_of("lab")), "--list", "--export", *options)
    assert done.returncode == 0, done.stderr
    exported = tmp_path / "exported.yml"
    exported.write_text(done.stdout)
    if kind == "json":
        exported = tmp_path / "exported.sh"
        exported.write_text(f"#!/bin/sh\ncat <<'END'\n{done.stdout}\nEND\n")
        exported.chmod(0o755)
    first, second = listed(source_of("lab")), listed(exported)
    assert first["_meta"]["hostvars"] == second["_meta"]["hostvars"]
    for group, row in first.items():
        if group not in ("_meta", "all"):
            assert sorted(second[group].get("hosts", [])) == sorted(row.get("hosts", []))


def test_tenants_are_groups(site):
    registry = "tenants:\n  - {id: 21, slug: acme, nodes: [su01/h01, 'su02/[01-02]']}\n"
    source = site("lab", files={"model/tenants.yml": registry})
    made = listed(source)
    assert made["spx_tenant_acme"]["hosts"] == [
        "worker-su01-rack01-h01",
        "worker-su02-rack01-h01",
        "worker-su02-rack01-h02",
    ]


def test_other_files_are_not_taken_for_a_source(tmp_path):
    """`-i` of a folder with a description in it: only *.fabric.yml is this plugin's."""
    (tmp_path / "hosts.yml").write_text("plugin: spectrum_x.fabric.fabric\n")
    done = run("-i", str(tmp_path / "hosts.yml"), "--list")
    assert "spx_" not in done.stdout


def test_a_source_that_nests_deep_is_refused_before_ansible_reads_it(tmp_path):
    """At this depth its reader ends the process; the parser `auto` of core is another's, and does."""
    source, most = tmp_path / "hosts.fabric.yml", 100_000
    source.write_text(f"description: {'[' * most}{']' * most}\n")
    with pytest.raises(FabricError, match="levels deep: write it flatter"):
        InventoryModule()._parse(str(source))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"plane": [1]}, "plane: the option is not known, did you mean 'planes'"),
        ({"slices": "maybe"}, "slices: 'maybe' is not allowed: use true or false."),
        ({"where": []}, "neither planes nor where may be an empty list"),
        (
            {"where": ["su03"]},
            "spx_where: 'su03' is outside the capacity (su 03, and there are 1 to 2)",
        ),
        ({"planes": ["x"]}, "planes: use one-based numbers, 1 to 1 in fabric lab"),
        ({"tenants": "nope.yml"}, "nope.yml does not exist: name an existing file."),
    ],
)
def test_a_wrong_option_loads_nothing(options, sentence, site):
    done = run("-i", str(site("lab", **options)), "--list")
    assert sentence in done.stderr
    assert (done.returncode, done.stdout) == (2, "")


def test_a_place_twice_is_once(site):
    """So is a node of it, which means its SU, as in the words of `spx_where`."""
    made = listed(site("lab", where=["su01", "su01/h02"], planes=["1", "1"]))
    assert len(made["spx_leaf"]["hosts"]) == 2
