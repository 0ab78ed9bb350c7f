# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addresses of two hosts are exchanged in the inventory: no playbook touches the wrong one."""

from __future__ import annotations

import json
import sys

import pytest
import yaml

from .leaves import LEAF, NODE, confirm

OTHER_RAIL, OTHER = "leaf-p1-su001-r2", "worker-su01-rack01-h02"
CARDS = ("0000:18:00.0", "0000:3b:00.0")
RAILS = {NODE: ("172.16.0.0", "172.18.0.0"), OTHER: ("172.16.0.2", "172.18.0.2")}
PORTS = {NODE: "swp1s0", OTHER: "swp1s1"}
MANAGED = (
    "tenants:\n  - {id: 21, slug: acme, nodes: [su01/h01], host_access: managed}\n"
    "  - {id: 22, slug: globex, nodes: [su01/h02], host_access: managed}\n"
)


def mac(node, rail):
    return f"0c:42:a1:00:0{list(RAILS).index(node)}:0{rail}"


def host(lab, node, *, addresses=True):
    """Make a host of a folder, with rails on two cards; returns the variables by which it is reached."""
    folder = lab.folder / f"host-{node}"
    (folder / "bin").mkdir(parents=True)
    links = []
    for rail, (pci, address) in enumerate(zip(CARDS, RAILS[node]), start=1):
        name = f"rail{rail}p1"
        (folder / f"sys/bus/pci/devices/{pci}/net/{name}").mkdir(parents=True)
        rows = [{"local": address, "prefixlen": 31}] if addresses else []
        link = {"ifname": name, "address": mac(node, rail), "flags": [], "addr_info": rows}
        links.append(link)
        place = ((LEAF, OTHER_RAIL)[rail - 1], PORTS[node])
        known = {mac(node, rail): {"state": {"reachable": {}}}}
        lab.neighbours[place] = {"ipv4": {address: known}}
    answers = f"""case "$*" in *address*) echo '{json.dumps(links)}' ;; *) echo '[]' ;; esac"""
    for name, text in (
        ("bin/ip", answers),
        ("bin/lldpctl", "exit 1"),
        ("python", f'PATH={folder}/bin:$PATH exec {sys.executable} "$@"'),
    ):
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    return {
        "ansible_host": f"192.0.2.{len(lab.neighbours)}",
        "ansible_connection": "local",
        "ansible_python_interpreter": str(folder / "python"),
        "dpu_state_sysfs": str(folder / "sys"),
    }


def reach(lab, **variables):
    """State by which variables each node is reached."""
    for node, stated in variables.items():
        path = lab.folder / "inventory" / "host_vars" / f"{node}.yml"
        path.write_text(yaml.safe_dump(stated))


@pytest.fixture
def exchanged(lab):
    """The lab whose two hosts have each other's address in the inventory."""
    one, two = host(lab, NODE), host(lab, OTHER)
    reach(lab, **{NODE: two, OTHER: one})
    return lab


def wiping(lab):
    """The hook wipe logs in to the node, as that of the attack."""
    task = {
        "name": "Wipe",
        "ansible.builtin.raw": f"touch '{lab.folder}/wiped-{{{{ hook_node }}}}'",
        "delegate_to": "{{ hook_node }}",
    }
    prove = {
        "name": "Prove that it is the right one",
        "spectrum_x.fabric.host": {"do": "identify", "device": "{{ hook_node }}", "outside": True},
        "delegate_to": "{{ hook_node }}",
    }
    lab.hook("wipe", yaml.safe_dump([prove, task, confirm("wiped", "bmc")]))


MOVE = {"spx_tenant": "globex", "spx_nodes": NODE, "spx_registry_write": "true", "spx_wait": 5}


@pytest.mark.parametrize("lab", [MANAGED], indirect=True)
def test_a_move_wipes_no_other_node(exchanged):
    lab = exchanged
    wiping(lab)
    before = lab.writes()
    code, output = lab.run("tenant_move", spx_factory="true", **MOVE)
    assert code == 2, output
    said = " ".join(output.split())
    assert f"the host at 192.0.2.4 (ansible_host of {NODE}) is {OTHER}: " in said
    assert "correct ansible_host" in said
    assert (lab.writes(), lab.registry.read_text()) == (before, MANAGED)
    assert not list(lab.folder.glob("wiped-*"))


@pytest.mark.large
@pytest.mark.parametrize("lab", [MANAGED], indirect=True)
def test_dpus_gives_no_other_node_its_addresses(exchanged):
    code, output = exchanged.run(
        "dpus", "--check", "--limit", f"{NODE},{OTHER}", spx_factory="true"
    )
    assert code == 2, output
    said = " ".join(output.split())
    assert f"the host at 192.0.2.4 (ansible_host of {NODE}) is {OTHER}: " in said
    assert f"the host at 192.0.2.2 (ansible_host of {OTHER}) is {NODE}: " in said


@pytest.mark.large
@pytest.mark.parametrize("lab", [MANAGED], indirect=True)
def test_a_move_goes_on_where_leaves_hear_the_host(lab):
    """A host from the factory has no rail address; an unknown one needs somebody who vouches for it."""
    lab.committing()
    reach(lab, **{NODE: host(lab, NODE, addresses=False)})
    wiping(lab)
    heard = dict(lab.neighbours)
    lab.neighbours.clear()
    code, output = lab.run("tenant_move", **MOVE)
    assert code == 2, output
    assert "nothing proves that the host at" in " ".join(output.split())
    lab.neighbours.update(heard)
    code, output = lab.run("tenant_move", **MOVE)
    assert code == 0, output
    assert (lab.folder / f"wiped-{NODE}").exists()
    assert lab.vrf_of(NODE) == {"t22-globex"}
