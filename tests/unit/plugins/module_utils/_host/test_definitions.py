# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What gives a rail another address, now and after a reload, and which file of others counts."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.definitions import sentence
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.network import apply_network
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result

from .others import NETWORKS

THEIRS = "172.16.0.4/31"
FOREIGN = f"[Match]\nName=rail1p1\n\n[Network]\nAddress={THEIRS}\n"
ATTACK = "/etc/systemd/network/05-x.network"
GENERATOR = "/usr/libexec/netplan/generate"


@pytest.fixture
def settled(machine, wanted):
    """A host as planned, kept by the backend that is asked for; `look` reads it as validate does."""

    class Settled:
        def __init__(self):
            self.machine = machine

        def by(self, backend):
            self.backend = backend
            apply_network(machine.host(), wanted, backend=backend)
            machine.calls.clear()
            return self

        def write(self, path, text):
            place = machine.folder / path.lstrip("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)

        def look(self):
            host = machine.host(check=True)
            return apply_network(host, wanted, backend=self.backend, partly=True)["addresses"]

    return Settled()


def row(path, key, *addresses):
    return {
        "name": "rail1p1",
        "planned": "172.16.0.0/31",
        "file": path,
        "key": key,
        "addresses": [*addresses],
    }


@pytest.mark.parametrize("backend", ["netplan", "networkd"])
def test_a_file_that_comes_first_and_fits_counts(settled, backend):
    host = settled.by(backend)
    assert host.look() == []
    host.write(ATTACK, FOREIGN)
    assert host.look() == [row(ATTACK, "Name=rail1p1", THEIRS)]


def test_nothing_is_written_where_a_file_of_others_counts(settled, wanted):
    host = settled.by("netplan")
    host.write(ATTACK, FOREIGN)
    with pytest.raises(NicError) as refused:
        apply_network(host.machine.host(), wanted, backend="netplan")
    assert str(refused.value) == (
        f"rail1p1: {ATTACK}, Name=rail1p1: it counts after a reload, gives it {THEIRS}, expected 172.16.0.0/31: "
        "take it out of that file, or let dpu_interfaces_take_over move it aside."
    )
    assert host.machine.calls == []


@pytest.mark.parametrize(
    ("match", "fits"),
    [
        ("Name=rail*", True),
        ("Name=eth0 rail1p1", True),
        ("Name=!eth0", True),
        ("Name=!rail1p1 eth0", True),  # its alternative name is another
        ("Name=!rail1p1 enp*", False),
        ("Name=!eth0\nName=rail1p1", True),
        ('Name="rail1p1"', True),
        ("Name=rail1[[:lower:]]1", True),  # not compared, so it may
        ("Name=a/b\nType=ether", True),  # systemd drops a wrong name
        ("Name=rail1p1 \u2028Name=", True),
        ("# it goes on \\\nName=rail1p1", True),
        ("Name=eth0 \\\nrail1p1", True),
        ("Type=wlan\0Type=\0Name=rail1p1", True),
        ("Name=eth0", False),
        ("Name=rail1p1\nName=", False),
        ("Name=eth0\nName=rail1p1", True),
        ("Name=enp24s0f0np0", True),  # an alternative name
        ("MACAddress=02-00-00-00-00-0A", True),
        ("MACAddress=2:0:0:0:0:a", True),
        ("MACAddress=02:00:00:00:00:0b", False),
        ("MACAddress=none\nName=rail1p1", True),
        ("PermanentMACAddress=0200.0000.000c", True),
        ("Path=pci-0000:18:00.*", True),
        ("Driver=mlx5_core", True),
        ("Driver=e1000e", False),
        ("Type=ether", True),
        ("Type=wlan", False),
        ("Kind=bond", False),
        ("Kind=!bond", True),
        ("Kind=!*", True),
        ("Host=elsewhere", True),  # not compared, so it may
        ("# Name=rail1p1", False),
    ],
)
def test_what_cannot_be_compared_fits(settled, match, fits):
    host = settled.by("networkd")
    (host.machine.folder / "sys/bus/pci/drivers/mlx5_core").mkdir(parents=True)
    driver = host.machine.folder / "sys/bus/pci/devices/0000:18:00.0/driver"
    driver.symlink_to("../../drivers/mlx5_core")
    host.machine.link = {
        "address": "02:00:00:00:00:0a",
        "permaddr": "02:00:00:00:00:0c",
        "altnames": ["enp24s0f0np0"],
    }
    host.write(ATTACK, f"[Match]\n{match}\n[Network]\nDHCP=yes\n")
    assert [one["file"] for one in host.look()] == ([ATTACK] if fits else [])


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("/run/systemd/network/05-x.network", True),
        ("/usr/lib/systemd/network/05-x.network", True),
        ("/etc/systemd/network/31-x.network", False),  # after ours
        ("/etc/systemd/network/05-x.netdev", False),
    ],
)
def test_the_first_name_of_all_folders_counts(settled, path, counts):
    host = settled.by("networkd")
    host.write(path, FOREIGN)
    assert bool(host.look()) is counts


def test_a_masked_file_and_one_of_a_later_folder_do_not_count(settled):
    host = settled.by("networkd")
    host.write("/usr/lib/systemd/network/05-x.network", FOREIGN)
    host.write(ATTACK, "[Match]\nName=eth0\n")
    assert host.look() == []
    place = host.machine.folder / ATTACK.lstrip("/")
    place.unlink()
    place.symlink_to("/dev/null")
    assert host.look() == []


@pytest.mark.parametrize("folder", ["/etc/systemd/network", "/usr/lib/systemd/network"])
def test_a_file_is_read_with_its_drop_ins(settled, folder):
    host = settled.by("networkd")
    host.write(ATTACK, "[Match]\nName=eth0\n")
    drop_in = f"{folder}/05-x.network.d/x.conf"
    host.write(drop_in, FOREIGN)
    assert host.look() == [row(drop_in, "Name=eth0", THEIRS)]


def test_a_file_by_the_name_of_what_netplan_makes_stands_in_for_it(settled):
    host = settled.by("netplan")
    path = "/etc/systemd/network/10-netplan-rail1p1.network"
    host.write(path, FOREIGN)
    assert host.look() == [row(path, "Name=rail1p1", THEIRS)]


def test_netplan_itself_says_what_it_makes_of_files_of_others(settled, monkeypatch):
    host = settled.by("netplan")
    host.write(GENERATOR, "")
    host.write("/etc/netplan/50-cloud.yaml", f"network: {{ethernets: [{THEIRS}]}}\n")
    host.write("/run/systemd/network/10-netplan-old.network", FOREIGN)  # of an earlier run
    made = {
        "10-netplan-rail1p1": f"[Match]\nName=rail1p1\n[Network]\nAddress=172.16.0.0/31\nAddress={THEIRS}\n"
    }
    before = host.machine.run

    def run(argv, timeout):
        if argv[0] != GENERATOR:
            return before(argv, timeout)
        root = Path(argv[2])
        assert (root / "etc/netplan/50-cloud.yaml").read_text().startswith("network")
        assert b"rail1p1" in (root / "etc/netplan/90-spectrum-x.yaml").read_bytes()
        for name, text in made.items():
            (root / "run/systemd/network").mkdir(parents=True, exist_ok=True)
            (root / f"run/systemd/network/{name}.network").write_text(text)
        return Result(0, "", "")

    monkeypatch.setattr(host.machine, "run", run)
    assert host.look() == [row("/etc/netplan/50-cloud.yaml", "addresses", THEIRS)]
    made["10-netplan-a"] = f"[Match]\nName=rail*\n[Network]\nDHCP=ipv4\nAddress={THEIRS}\n"
    assert host.look() == [row("/etc/netplan/50-cloud.yaml", "Name=rail*", THEIRS)]
    made.clear()
    made["10-netplan-rail1p1"] = (
        "[Match]\nName=rail1p1\n[Network]\nDHCP=ipv4\nAddress=172.16.0.0/31\n"
    )
    (one,) = host.look()
    assert (one["key"], one["addresses"]) == ("DHCP=ipv4", [])


def test_files_of_others_that_netplan_cannot_be_asked_about_are_refused(settled):
    host = settled.by("netplan")
    host.write("/etc/netplan/50-cloud.yaml", "network: {}\n")
    with pytest.raises(NicError, match="its generator is in none of"):
        host.look()


def test_a_drop_in_of_what_netplan_makes_counts(settled):
    host = settled.by("netplan")
    path = "/etc/systemd/network/10-netplan-rail1p1.network.d/x.conf"
    host.write(path, f"[Address]\nAddress={THEIRS}\n")
    assert host.look() == [row(path, "drop-in", THEIRS)]


@pytest.mark.parametrize("scope", ["global", "link", "host", "50"])
def test_an_address_beside_the_planned_one_is_said_and_taken_away_alone(settled, wanted, scope):
    host = settled.by("netplan")
    there = {"local": "10.9.9.9", "prefixlen": 24, "scope": scope}
    planned = {"local": "172.16.0.0", "prefixlen": 31, "scope": "global"}
    link_local = {"local": "fe80::1", "prefixlen": 64, "scope": "link"}
    host.machine.addresses = [planned, link_local, there]
    assert host.look() == [row("", "", "10.9.9.9/24")]
    done = apply_network(host.machine.host(), wanted, backend="netplan")
    assert done["commands"] == ["ip address delete 10.9.9.9/24 dev rail1p1"]
    assert host.machine.calls == done["commands"]


def test_a_sentence_names_the_owner_of_an_address():
    owners = {THEIRS: "of h02, tenant globex"}
    assert sentence(row("", "", THEIRS, "10.9.9.9/24"), owners) == (
        f"rail1p1: it has the address {THEIRS} (of h02, tenant globex) and 10.9.9.9/24, expected 172.16.0.0/31: "
        "run playbook dpus, or remove it with 'ip address delete'."
    )


def test_networkd_says_itself_which_file_it_took(prepared):
    """Lines as networkctl(1) of systemd 252 has them; not run here."""
    host = prepared.by("networkd")
    shown = "● 3: rail1p1\n       Link File: n/a\n    Network File: {}\n            Type: ether\n"
    asked = "networkctl --no-pager --lines=0 status rail1p1"
    host.machine.says[asked] = shown.format(f"{NETWORKS}/30-spectrum-x-rail1p1.network")
    assert host.named() == []
    host.machine.says[asked] = shown.format("/run/systemd/network/05-y.network")
    assert host.named() == [("/run/systemd/network/05-y.network", "networkctl status")]
