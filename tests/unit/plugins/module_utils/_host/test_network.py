# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Interfaces of the rails: files, live state, names, and what is refused."""

from __future__ import annotations

import configparser
import itertools

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.backends import (
    MANAGER,
    NAMES,
    NETPLAN,
    NETWORKD,
    RDMA_RULES,
    RULES,
    commands,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.interfaces import (
    LiveState,
    interfaces_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.network import (
    apply_network,
    differences,
    rdma_renames,
    renames,
    renames_in_use,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.module_utils._host.conftest import (
    WANTED,
)

from .ports import SHARING, gid_table, rails, written

FABRIC = ("172.16.0.0/12",)


def test_from_factory_to_the_plan_and_no_further(machine, wanted):
    predicted = apply_network(machine.host(check=True), wanted, prefixes=FABRIC)
    assert (machine.calls, machine.name) == ([], "enp24s0f0np0")
    done = apply_network(machine.host(), wanted, prefixes=FABRIC)
    for key in ("files", "commands", "diff", "drift"):
        assert done[key] == predicted[key]
    assert "absent" not in done  # refused here, whatever is absent
    assert machine.calls[:4] == [
        "udevadm control --reload",
        "ip link set dev enp24s0f0np0 down",
        "ip address flush dev enp24s0f0np0",
        "ip link set dev enp24s0f0np0 name rail1p1",
    ]
    machine.calls.clear()
    again = apply_network(machine.host(), wanted, prefixes=FABRIC)
    assert (again["changed"], again["drift"], machine.calls) == (False, [], [])


SYSCTL = "etc/sysctl.d/zz-spectrum-x.conf"


def test_arp_options_are_set_and_go_from_the_file_again(machine, wanted):
    apply_network(machine.host(), wanted, arp=True)
    values = {name: machine.setting(name).read_text() for name in ("arp_ignore", "arp_announce")}
    assert values == {"arp_ignore": "1", "arp_announce": "2"}
    assert "net.ipv4.conf.rail1p1.arp_ignore = 1\n" in (machine.folder / SYSCTL).read_text()
    assert not apply_network(machine.host(), wanted, arp=True)["changed"]
    assert apply_network(machine.host(), wanted)["files"] == [f"/{SYSCTL}"]
    assert "arp_ignore" not in (machine.folder / SYSCTL).read_text()
    assert not apply_network(machine.host(), wanted)["changed"]


@pytest.mark.parametrize(
    "own, every, strict", [(1, 0, True), (0, 1, True), (1, 2, False), (0, 0, False)]
)
def test_a_strict_rp_filter_is_found_predicted_and_set_loose(machine, wanted, own, every, strict):
    apply_network(machine.host(), wanted)
    assert (machine.folder / SYSCTL).read_text().endswith("net.ipv4.conf.rail1p1.rp_filter = 2\n")
    machine.setting("rp_filter").write_text(f"{own}\n")
    machine.setting("rp_filter").parent.with_name("all").joinpath("rp_filter").write_text(
        f"{every}\n"
    )
    machine.calls.clear()
    predicted = apply_network(machine.host(check=True), wanted)
    assert predicted["changed"] is strict
    if not strict:
        return
    assert predicted["drift"] == ["rail1p1: rp_filter is 1, expected 2."]
    done = apply_network(machine.host(), wanted)
    assert done == predicted
    assert done["commands"] == ["echo 2 > /proc/sys/net/ipv4/conf/rail1p1/rp_filter"]
    assert (machine.calls, machine.setting("rp_filter").read_text()) == ([], "2")
    assert not apply_network(machine.host(), wanted)["changed"]


@pytest.mark.parametrize(
    "name, text, said",
    [
        ("sysctl.d/zzz.conf", "net.ipv4.conf.rail1p1.rp_filter=1", True),
        ("sysctl.d/zzz.conf", "net/ipv4/conf/rail1p1/rp_filter = 1", True),
        ("sysctl.conf", "-net.ipv4.conf.rail1p1.rp_filter = 1", True),
        ("sysctl.d/99-site.conf", "net.ipv4.conf.rail1p1.rp_filter=1", False),
        ("sysctl.d/zzz.conf", "net.ipv4.conf.all.rp_filter=1", False),
        ("sysctl.d/zzz.conf", "#net.ipv4.conf.rail1p1.rp_filter=1", False),
        ("sysctl.d/zzz.conf", "net.ipv4.conf.rail1p1.rp_filter=2", False),
    ],
)
def test_a_file_that_wins_at_the_next_boot_is_said(machine, wanted, name, text, said):
    apply_network(machine.host(), wanted)
    (machine.folder / "etc" / name).write_text(text + "\n")
    found = apply_network(machine.host(), wanted)
    sentence = (
        f"/etc/{name}: it sets net.ipv4.conf.rail1p1.rp_filter to 1 after /{SYSCTL} and wins at the "
        "next boot; remove the line."
    )
    assert (found["changed"], found["left"]) == (False, [sentence] if said else [])


@pytest.mark.parametrize(
    "backend, path",
    [
        ("netplan", "/run/netplan/90-spectrum-x.yaml"),
        ("networkd", "/run/systemd/network/30-spectrum-x-rail1p1.network"),
        ("networkd", "/etc/systemd/network/30-spectrum-x-rail1p1.network.d/x.conf"),
        ("networkd", "/run/udev/rules.d/70-spectrum-x-names.rules"),
        ("networkd", f"/run/{SYSCTL[4:]}"),
        (
            "networkmanager",
            "/run/NetworkManager/system-connections/spectrum-x-rail1p1.nmconnection",
        ),
    ],
)
def test_a_file_that_stands_in_for_ours_is_removed(machine, wanted, backend, path):
    apply_network(machine.host(), wanted, backend=backend)
    place = machine.folder / path[1:]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("x\n")
    predicted = apply_network(machine.host(check=True), wanted, backend=backend)
    assert predicted["files"] == [path]
    assert predicted["wrong_files"][0].startswith(f"{path}: it ")
    assert apply_network(machine.host(), wanted, backend=backend) == predicted
    assert not place.exists()
    assert not apply_network(machine.host(), wanted, backend=backend)["changed"]


def test_rights_alone_disturb_no_rail(machine, wanted):
    apply_network(machine.host(), wanted, backend="netplan")
    machine.calls.clear()
    (machine.folder / NETPLAN[1:]).chmod(0o666)
    done = apply_network(machine.host(), wanted, backend="netplan")
    assert (done["files"], done["commands"], machine.calls) == ([NETPLAN], [], [])


@pytest.mark.parametrize(
    "spoil, words",
    [
        (lambda m: setattr(m, "mtu", 1500), "rail1p1: mtu is 1500, expected 9166."),
        (lambda m: m.addresses.clear(), "rail1p1: it lacks the address 172.16.0.0/31."),
        (lambda m: m.routes.pop(), "it lacks the route 172.16.0.0/12 in table 1001."),
        (lambda m: m.rules.clear(), "it lacks the rule from 172.16.0.0 to table 1001."),
    ],
)
def test_a_drift_of_the_live_state_is_told_and_mended(machine, wanted, spoil, words):
    apply_network(machine.host(), wanted)
    spoil(machine)
    found = apply_network(machine.host(), wanted)
    assert any(words in sentence for sentence in found["drift"])
    assert (found["changed"], found["files"]) == (True, [])
    assert not apply_network(machine.host(), wanted)["changed"]


@pytest.mark.parametrize(
    "route, refused",
    [
        ({"dst": "172.17.0.0/16", "dev": "docker0"}, True),
        ({"dst": "172.16.0.0/12", "dev": "eno1"}, True),
        ({"dst": "172.20.3.4", "dev": "eno1"}, True),
        ({"dst": "172.0.0.0/8", "dev": "eno1"}, False),
        ({"dst": "default", "dev": "eno1"}, False),
        ({"dst": "10.0.0.0/8", "dev": "eno1"}, False),
        ({"dst": "172.17.0.0/16", "dev": "lo", "table": "local", "type": "local"}, False),
    ],
)
def test_routes_into_the_fabric_are_refused_before_anything_is_written(
    machine, wanted, route, refused
):
    machine.routes.append(route)
    if not refused:
        assert apply_network(machine.host(check=True), wanted, prefixes=FABRIC)["changed"]
        return
    with pytest.raises(NicError, match=r"lies inside 172\.16\.0\.0/12, a prefix of the fabric"):
        apply_network(machine.host(), wanted, prefixes=FABRIC)
    assert not (machine.folder / "etc").exists()


def test_a_link_that_networkd_gave_up_is_asked_for_once_more(machine, wanted):
    machine.lazy = 1
    done = apply_network(machine.host(), wanted)
    asked = [command for command in done["commands"] if command.startswith("networkctl")]
    assert asked == ["networkctl reload", "networkctl reconfigure rail1p1"]
    assert not apply_network(machine.host(), wanted)["changed"]


def test_a_state_that_does_not_settle_is_an_error(machine, wanted):
    machine.deaf = True
    with pytest.raises(NicError, match="after 30 s the interfaces are not as written"):
        apply_network(machine.host(), wanted)


@pytest.mark.parametrize(
    "names", list(itertools.permutations(["rail1p1", "rail2p1", "ens3", "ens4"], 3))
)
def test_ports_whose_cards_were_exchanged_get_their_names(names):
    """Whoever bears whose name: never two of one name, none renamed while up or with addresses."""
    wanted = interfaces_from(
        {**WANTED, "name": f"rail{n}p1", "pci": f"0000:{n}8:00.0", "table": 1000 + n}
        for n in (1, 2, 3)
    )
    by_pci = dict(zip((one.pci for one in wanted), names))
    links = {name: {"up", "addresses"} for name in names}
    found = LiveState({name: {} for name in names}, (), (), dict(by_pci))
    for argv in renames(found, wanted):
        if argv[1] == "address":
            links[argv[-1]].discard("addresses")
        elif argv[-2] == "name":
            assert (links[argv[4]], argv[-1] in links) == (set(), False)
            assert len(argv[-1]) <= 15
            links[argv[-1]] = links.pop(argv[4])
            by_pci[next(pci for pci, name in by_pci.items() if name == argv[4])] = argv[-1]
        else:
            links[argv[4]] = (
                links[argv[4]] | {"up"} if argv[-1] == "up" else links[argv[4]] - {"up"}
            )
    assert by_pci == {one.pci: one.name for one in wanted}
    assert all("up" in state for state in links.values())


def test_a_name_that_a_stranger_has_is_refused_before_anything_is_written(machine, wanted):
    machine.strangers = ["rail1p1"]
    with pytest.raises(NicError, match="rail1p1: another network device of the host has this name"):
        apply_network(machine.host(), wanted)
    assert not (machine.folder / "etc").exists()


def test_a_missing_port_names_its_address(machine):
    other = interfaces_from([{**WANTED, "pci": "0000:99:00.0"}])
    with pytest.raises(NicError, match=r"no network device at 0000:99:00\.0; check nics\.pci"):
        apply_network(machine.host(), other)
    assert not (machine.folder / "etc").exists()


def test_a_port_whose_driver_was_lost_says_how_to_get_it_back(machine):
    (machine.folder / "sys/bus/pci/devices/0000:99:00.0").mkdir(parents=True)
    other = interfaces_from([{**WANTED, "pci": "0000:99:00.0"}])
    with pytest.raises(
        NicError, match=r"rail1p1: 0000:99:00\.0: no driver is bound to this function, so"
    ):
        apply_network(machine.host(), other)


def test_a_port_that_is_still_to_come_hinders_no_other(machine):
    other = {**WANTED, "name": "rail2p1", "pci": "0000:99:00.0", "address": "172.18.0.0"}
    found = apply_network(machine.host(), interfaces_from([WANTED, other]), partly=True)
    assert found["absent"] == [
        "rail2p1: the host shows no network device at 0000:99:00.0; check nics.pci of the "
        "description and that the driver mlx5_core is bound to the card."
    ]
    assert machine.name == "rail1p1"
    again = apply_network(machine.host(), interfaces_from([WANTED, other]), partly=True)
    assert (again["changed"], again["drift"], len(again["absent"])) == (False, [], 1)


def test_what_collides_is_refused_although_ports_are_still_to_come(machine, wanted):
    machine.routes.append({"dst": "172.17.0.0/16", "dev": "docker0"})
    other = interfaces_from([{**WANTED, "pci": "0000:99:00.0"}])
    found = apply_network(machine.host(check=True), other, prefixes=FABRIC, partly=True)
    assert "lies inside" in found["obstacles"][0]
    with pytest.raises(NicError, match="lies inside"):
        apply_network(machine.host(), other, prefixes=FABRIC)
    machine.routes.clear()
    machine.strangers = ["rail1p1"]
    with pytest.raises(NicError, match="another network device of the host has this name"):
        apply_network(machine.host(check=True), other, prefixes=FABRIC, partly=True)


@pytest.mark.parametrize(
    "names, bearing, expected",
    [
        (("eth0", "eth1"), {}, []),
        (("eth0", "eth1"), {"eth0": "10.0.0.9"}, []),
        (("rail1p1", "rail1p2"), {"rail1p1": "172.16.0.0"}, []),
        (("eth0", "rail1p2"), {"eth0": "172.16.0.0"}, ["eth0 to rail1p1"]),
        (("rail1p1", "eth1"), {"rail1p1": "172.16.0.0"}, ["eth1 to rail1p2"]),
        (("eth0", "eth1"), {"eno1": "172.16.0.0"}, []),
    ],
)
def test_a_rename_of_a_port_that_bears_the_plan_s_address_is_told(planes, names, bearing, expected):
    """The second shares the address of the first; a host from the factory bears none."""
    links = {
        name: {"addr_info": [{"local": bearing[name]}] if name in bearing else []}
        for name in {*names, *bearing}
    }
    found = LiveState(links, (), (), dict(zip((one.pci for one in planes), names)))
    assert list(renames_in_use(found, planes)) == expected


@pytest.fixture
def named(machine):
    """The RDMA device of the port is to have NVIDIA's name."""
    (machine.folder / "sys/bus/pci/devices/0000:18:00.0/infiniband/mlx5_0").mkdir(parents=True)
    return interfaces_from([{**WANTED, "rdma": "roce_r0"}])


def test_an_rdma_device_gets_its_name_and_a_rule_that_keeps_it(machine, named):
    predicted = apply_network(machine.host(check=True), named)
    done = apply_network(machine.host(), named)
    assert done["commands"] == predicted["commands"]
    assert machine.calls[1] == "rdma dev set mlx5_0 name roce_r0"
    assert (
        predicted["drift"][1] == "rail1p1: the name of its RDMA device is mlx5_0, expected roce_r0."
    )
    assert (done["interfaces"][0]["rdma"], done["renames_in_use"]) == ("roce_r0", [])
    rules = (machine.folder / RDMA_RULES.lstrip("/")).read_text()
    assert rules.splitlines()[1:] == [
        'ACTION=="add", SUBSYSTEM=="infiniband", DEVPATH=="*/0000:18:00.0/infiniband/*", '
        'PROGRAM="rdma_rename %k NAME_FIXED roce_r0"'
    ]
    assert RDMA_RULES.rpartition("/")[2] < "60-rdma-persistent-naming.rules"
    assert not apply_network(machine.host(), named)["changed"]


def test_names_of_rdma_devices_are_kept_where_none_is_wanted(machine, named, wanted):
    apply_network(machine.host(), wanted)
    assert not [call for call in machine.calls if call.startswith("rdma")]
    assert not (machine.folder / RDMA_RULES.lstrip("/")).exists()
    apply_network(machine.host(), named)
    assert apply_network(machine.host(), wanted)["files"] == [RDMA_RULES]


def test_a_device_in_use_is_said_before_it_is_renamed(machine, named):
    machine.addresses = [{"local": "172.16.0.0", "prefixlen": 31}]
    found = apply_network(machine.host(check=True), named)
    assert found["renames_in_use"] == ["enp24s0f0np0 to rail1p1", "mlx5_0 to roce_r0"]


@pytest.mark.parametrize("unit", ["spx-cc@mlx5_0.service", ""])
def test_congestion_control_with_the_former_name_ends_first(machine, named, unit):
    process = machine.folder / "proc/4711"
    process.mkdir(parents=True)
    (process / "cmdline").write_text("/opt/doca_spcx_cc\0--device\0mlx5_0\0")
    (process / "cgroup").write_text(f"0::/system.slice/{unit}\n")
    if not unit:
        with pytest.raises(NicError, match="mlx5_0: doca_spcx_cc runs without a unit"):
            apply_network(machine.host(), named)
        return
    apply_network(machine.host(), named)
    wrote = [call for call in machine.calls if not call.startswith("journalctl")]
    assert wrote[1:3] == [f"systemctl stop {unit}", "rdma dev set mlx5_0 name roce_r0"]


def test_two_devices_exchange_their_names(machine):
    devices = machine.folder / "sys/bus/pci/devices"
    both = interfaces_from(
        [
            {**WANTED, "rdma": "roce_r0"},
            {"name": "rail2p1", "pci": "0000:28:00.0", "mtu": 9166, "rdma": "roce_r1"},
        ]
    )
    now = {both[0].pci: "roce_r1", both[1].pci: "roce_r0"}
    for pci, name in now.items():
        (devices / pci / "infiniband" / name).mkdir(parents=True)
    found = LiveState({}, (), (), {}, rdma=now)
    for argv in rdma_renames(machine.host(), found, both):
        machine.run(list(argv), 1)
    names = {
        one.pci: path.name for one in both for path in (devices / one.pci / "infiniband").iterdir()
    }
    assert names == {both[0].pci: "roce_r0", both[1].pci: "roce_r1"}


def test_a_merged_route_of_our_own_is_no_strangers(machine, wanted):
    hops = [{"gateway": "172.16.0.1", "dev": machine.name, "weight": 1}]
    machine.routes = [{"dst": "172.16.0.0/12", "metric": 100, "nexthops": hops}]
    assert apply_network(machine.host(), wanted, prefixes=FABRIC)["changed"]


@pytest.fixture
def planes():
    return interfaces_from([WANTED, SHARING])


def test_a_port_without_an_address_gets_its_name_and_its_mtu(planes):
    texts = {backend: written(backend, planes) for backend in NAMES}
    for made in texts.values():
        assert made[RULES].count('NAME="rail1p') == 2
    both = yaml.safe_load(texts["netplan"][NETPLAN])["network"]["ethernets"]
    assert both["rail1p1"]["addresses"] == ["172.16.0.0/31"]
    assert both["rail1p2"] == {
        "renderer": "networkd",
        "dhcp4": False,
        "dhcp6": False,
        "accept-ra": False,
        "link-local": [],
        "optional": True,
        "ignore-carrier": True,
        "mtu": 9166,
    }
    networkd = texts["networkd"]["/etc/systemd/network/30-spectrum-x-rail1p2.network"]
    assert "MTUBytes=9166\n" in networkd
    assert "LinkLocalAddressing=no\n" in networkd
    assert "Address=" not in networkd.replace("LocalAddressing=", "")
    parser = configparser.ConfigParser()
    parser.read_string(
        texts["networkmanager"][
            "/etc/NetworkManager/system-connections/spectrum-x-rail1p2.nmconnection"
        ]
    )
    assert [parser[family]["method"] for family in ("ipv4", "ipv6")] == ["disabled", "disabled"]
    assert parser["ethernet"]["mtu"] == "9166"


@pytest.mark.parametrize(
    "link, said",
    [
        ({"flags": ["UP"], "mtu": 9166}, []),
        ({"flags": [], "mtu": 9166}, ["rail1p2: it is down."]),
        ({"flags": ["UP"], "mtu": 1500}, ["rail1p2: mtu is 1500, expected 9166."]),
        (
            {
                "flags": ["UP"],
                "mtu": 9166,
                "addr_info": [
                    {"local": "fe80::1", "prefixlen": 64, "scope": "link"},
                    {"local": "172.16.0.0", "prefixlen": 31, "scope": "global"},
                ],
            },
            [
                "rail1p2: it has the address 172.16.0.0/31, expected none: the first port of its "
                "NIC has the rail's."
            ],
        ),
    ],
)
def test_what_a_port_without_an_address_may_lack(planes, link, said):
    found = LiveState({"rail1p2": link}, (), (), {"0000:18:00.1": "rail1p2"})
    assert differences(found, planes[1:]) == ({"rail1p2": said} if said else {})


def test_no_gid_is_waited_for_where_no_address_is_wanted(machine, planes):
    for number, name in enumerate(("enp24s0f0np0", "rail1p2")):
        device = machine.folder / f"sys/bus/pci/devices/0000:18:00.{number}"
        (device / f"net/{name}").mkdir(parents=True, exist_ok=True)
        (device / "infiniband/mlx5_0").mkdir(parents=True)
    gid_table(machine)
    host = machine.host(check=True)
    machine.name = "rail1p1"
    (machine.folder / "sys/bus/pci/devices/0000:18:00.0/net/enp24s0f0np0").rename(
        machine.folder / "sys/bus/pci/devices/0000:18:00.0/net/rail1p1"
    )
    machine.strangers = ["rail1p2"]
    found = apply_network(host, planes)["interfaces"]
    assert [(row["name"], row["gid_index"]) for row in found] == [("rail1p1", 3), ("rail1p2", None)]


NMCLI_UP = "nmcli --wait 10 connection up spectrum-x-rail1p1"


def test_networkmanager_learns_of_new_files_before_a_profile_is_asked_for(machine, wanted):
    apply_network(machine.host(), wanted, backend="networkmanager")
    assert machine.calls[-3:] == ["nmcli general reload conf", "nmcli connection reload", NMCLI_UP]
    machine.calls.clear()
    machine.mtu = 1500
    apply_network(machine.host(), wanted, backend="networkmanager")
    assert machine.calls == ["nmcli connection reload", NMCLI_UP]


NEW = {"netplan": NETPLAN, "networkd": NETWORKD, "networkmanager": MANAGER}
RELOADED = ["nmcli connection reload"]


@pytest.mark.parametrize(
    "backend, off, new, expected",
    [
        ("netplan", ["rail2p1"], False, ["netplan generate", "networkctl reconfigure rail2p1"]),
        ("netplan", ["rail2p1"], True, ["netplan generate", "networkctl reload"]),
        ("networkd", ["rail2p1"], False, ["networkctl reconfigure rail2p1"]),
        ("networkd", [], True, ["networkctl reload"]),
        ("networkd", ["rail1p1"], True, ["networkctl reload"]),
        ("networkd", ["rail2p1"], True, ["networkctl reload", "networkctl reconfigure rail2p1"]),
        ("networkmanager", ["rail1p1"], False, [*RELOADED, NMCLI_UP]),
        ("networkmanager", [], True, [*RELOADED, NMCLI_UP]),
        ("netplan", [], False, []),
        ("networkd", [], False, []),
        ("networkmanager", [], False, []),
    ],
)
def test_a_rail_that_carries_what_it_should_is_left_alone(machine, backend, off, new, expected):
    """Of two, the first one's file may be new; none is asked for twice."""
    written = [RULES, *([NEW[backend].format(name="rail1p1")] if new else [])]
    made = commands(machine.host(), backend, rails(), off=off, written=written)
    assert [" ".join(argv) for argv in made] == expected


@pytest.mark.parametrize("status, goes_on", [(3, True), (10, False)])
def test_a_profile_that_waits_for_its_carrier_is_judged_by_the_live_state(
    machine, wanted, status, goes_on
):
    """Over IPv6 the address is there, and its activation does not end before there is a carrier."""
    run = machine.run

    def waits(argv, timeout):
        said = run(argv, timeout)
        return Result(status, "", "Error: x") if "up" in argv[3:] and argv[0] == "nmcli" else said

    machine.run = waits
    if goes_on:
        assert apply_network(machine.host(), wanted, backend="networkmanager")["changed"]
        return
    with pytest.raises(NicError, match=f"'{NMCLI_UP}' failed"):
        apply_network(machine.host(), wanted, backend="networkmanager")


@pytest.mark.parametrize("comes, index", [(True, 3), (False, None)])
def test_a_fresh_address_is_waited_for_in_the_gid_table(machine, wanted, comes, index):
    (machine.folder / f"sys/bus/pci/devices/{wanted[0].pci}/infiniband/mlx5_0").mkdir(parents=True)
    host = machine.host()
    host.sleep = lambda _seconds: gid_table(machine) if comes else None
    assert apply_network(host, wanted)["interfaces"][0]["gid_index"] == index
