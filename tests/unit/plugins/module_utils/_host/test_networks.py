# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Front end and storage of a host: bonds, routed ports, the storage VLAN, and what is refused."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.attempt import FOLDER
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.interfaces import (
    interfaces_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.network import apply_network
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.networks import networks_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError

from .conftest import WANTED
from .converged import BOND, BONDED, ROUTED, SHARED, VLAN, Converged, port

RAILS = interfaces_from([WANTED])
NETWORKS = "etc/systemd/network"


@pytest.fixture
def machine(tmp_path):
    return Converged(tmp_path)


def work(machine, rows, *, check=False, **more):
    return apply_network(machine.host(check=check), RAILS, others=networks_from(rows), **more)


@pytest.mark.parametrize("rows", [BONDED, BONDED[:3], ROUTED], ids=["vlan", "bond", "routed"])
def test_from_factory_to_the_plan_and_no_further(machine, rows):
    predicted = work(machine, rows, check=True)
    assert machine.calls == []
    assert "attempt" not in predicted
    done = work(machine, rows)
    for key in ("files", "commands", "diff", "drift", "wrong_files", "wrong_units"):
        assert done[key] == predicted[key], key
    assert machine.calls[0].startswith("systemd-run "), "the timer runs before anything is changed"
    assert (machine.folder / FOLDER[1:] / f"take-back-{done['attempt']}").exists()
    machine.calls.clear()
    again = work(machine, rows)
    assert (again["changed"], again["drift"], machine.calls) == (False, [], [])
    assert "attempt" not in again
    assert [row["name"] for row in again["interfaces"]] == ["rail1p1"]
    assert again["networks"].keys() == {row["name"] for row in rows}


def test_the_vlan_of_another_tenant_goes_and_that_of_the_new_one_comes(machine):
    work(machine, BONDED)
    other = {**VLAN, "name": "front.2034", "vlan": 2034}
    clear(machine)
    predicted = work(machine, [*BONDED[:3], other], check=True)
    assert "front.2021: it exists and is not planned." in predicted["drift"]
    done = work(machine, [*BONDED[:3], other])
    assert done["commands"] == predicted["commands"]
    assert "front.2021" not in machine.links
    assert {path.name for path in (machine.folder / NETWORKS).glob("*front.*")} >= {
        "30-spectrum-x-front.2034.netdev"
    }
    assert not list((machine.folder / NETWORKS).glob("*front.2021*"))
    assert not work(machine, [*BONDED[:3], other])["changed"]


def clear(machine):
    """The first attempt was confirmed."""
    for path in (machine.folder / FOLDER[1:]).iterdir():
        path.unlink()
    machine.calls.clear()


def change(machine, name, **values):
    machine.links[name] |= values


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda m: change(m, "front", mtu=1500), "front: mtu is 1500, expected 9166."),
        (lambda m: change(m, "front", flags=[]), "front: it is down."),
        (lambda m: m.links["front2"].pop("master"), "front: front2 is not in it."),
        (lambda m: m.links.pop("front.2021"), "front.2021: there is no such vlan."),
        (
            lambda m: change(m, "front.2021", link="eth9"),
            "front.2021: it is VLAN 2021 on eth9, expected VLAN 2021 on front.",
        ),
        (
            lambda m: m.routes[-1].update(metric=50),
            "front: it has a default route of metric 50, expected metric 512.",
        ),
        (
            lambda m: m.routes.append(
                {"dst": "default", "gateway": "1.2.3.4", "dev": "front.2021"}
            ),
            "front.2021: it has a default route of metric 0, expected none.",
        ),
        (
            lambda m: change(m, "eth7", master="front", ifname="eth7"),
            "front: eth7 is a member that is not planned.",
        ),
    ],
)
def test_a_drift_of_the_live_state_is_said_and_put_right(machine, spoil, words):
    work(machine, BONDED)
    clear(machine)
    machine.links["eth7"] = {"ifname": "eth7"}
    spoil(machine)
    assert words in work(machine, BONDED, check=True)["drift"]


def test_a_route_to_arrays_is_missed_where_the_interface_has_an_address(machine):
    """Before somebody answers by DHCP its gateway is out of reach, which is no difference."""
    rows = [*BONDED[:-1], SHARED]
    work(machine, rows)
    assert not work(machine, rows)["drift"]
    lease = {"family": "inet", "local": "10.216.14.20", "prefixlen": 23}
    change(machine, "front.2021", addr_info=[lease])
    said = "front.2021: it lacks the route 10.216.0.0/13 by 10.216.14.1, metric 512."
    assert work(machine, rows, check=True)["drift"] == [said]
    way = {"dst": "10.216.0.0/13", "gateway": "10.216.14.1", "dev": "front.2021", "metric": 512}
    machine.routes.append(way)
    assert not work(machine, rows)["drift"]


def test_settings_of_a_bond_are_put_right_where_it_stands(machine):
    work(machine, BONDED)
    clear(machine)
    info = machine.links["front"]["linkinfo"]
    data = {**info["info_data"], "miimon": 0, "xmit_hash_policy": "layer2", "ad_lacp_rate": "slow"}
    machine.links["front"]["linkinfo"] = {**info, "info_data": data}
    done = work(machine, BONDED)
    assert done["commands"][:2] == [
        "ip link set dev front down",
        "ip link set dev front type bond miimon 100 xmit_hash_policy layer3+4 lacp_rate fast",
    ]


def test_nobody_answering_by_dhcp_is_no_difference(machine):
    machine.deaf = False
    work(machine, BONDED)
    machine.routes.pop()
    machine.links["front"]["addr_info"] = []
    assert not work(machine, BONDED)["changed"]


@pytest.mark.parametrize(
    ("links", "words"),
    [
        (
            {"enp1s0f0np0": {"master": "bond0"}},
            "front1: enp1s0f0np0 is in bond0, which is not of this collection",
        ),
        (
            {"front": {"linkinfo": {"info_kind": "bond", "info_data": {"mode": "active-backup"}}}},
            "front: the host has a bond of mode active-backup of this name, expected a bond",
        ),
        ({"front": {}}, "front: the host has a network device of this name"),
    ],
)
def test_what_is_not_ours_is_refused_before_anything_is_written(machine, links, words):
    for name, row in links.items():
        machine.links[name] = {**machine.links.get(name, {}), "ifname": name, **row}
    with pytest.raises(NicError, match=words):
        work(machine, BONDED)
    assert (machine.calls, (machine.folder / "etc").exists()) == ([], False)


def test_a_route_of_the_front_end_into_the_fabric_is_refused(machine):
    work(machine, BONDED)
    machine.routes.append({"dst": "172.16.0.0/12", "gateway": "10.208.0.1", "dev": "front"})
    with pytest.raises(NicError, match=r"route 172\.16\.0\.0/12 of front lies inside"):
        work(machine, BONDED, prefixes=["172.16.0.0/12"])


def test_an_absent_port_names_the_key_of_its_network(machine):
    rows = [{**port("front1", bond="front"), "pci": "0000:99:00.0"}, *BONDED[1:]]
    with pytest.raises(NicError, match=r"0000:99:00\.0; check networks\.front_end\.pci of the"):
        work(machine, rows)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([BONDED[0], BOND], "the members of front are not the ports that name it"),
        ([BONDED[0]], "the members of front are not the ports"),
        ([VLAN], "front.2021 is on front, which is no bond of the list"),
        ([{**BOND, "name": "bond0"}], "'bond0' is neither front, stor nor a VLAN"),
        ([{"name": "front", "mtu": 9000}], "either the members of a bond or the parent"),
        ([{**VLAN, "vlan": 4095}], "4095 is not between 2 and 4094"),
    ],
)
def test_what_cannot_be_meant_is_refused(rows, words):
    with pytest.raises(NicError, match=words):
        networks_from(rows)


def test_a_change_that_fails_says_that_it_is_taken_back(machine):
    machine.deaf = True
    with pytest.raises(NicError, match=r"not as written: .* reverts the change within 77 s\.$"):
        work(machine, BONDED, attempt_seconds=77)
