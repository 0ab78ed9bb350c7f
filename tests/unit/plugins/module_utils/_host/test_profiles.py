# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles of NetworkManager, ifcfg files and stanzas of ifupdown that come up on a port."""

from __future__ import annotations

import pytest

from .conftest import PCI
from .others import BURNED, IFUPDOWN, INTERFACES, LEGACY, MAC, NM, ON, PROFILE, profile

UPPER = BURNED.upper()
IFCFG = "/etc/sysconfig/network-scripts/ifcfg-p1"
LO = "auto lo\niface lo inet loopback\n\n"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (profile("[ethernet]", f"mac-address={UPPER}"), f"mac-address={UPPER}"),
        (profile("[802-3-ethernet]", f"mac-address={BURNED}"), f"mac-address={BURNED}"),
        (profile("[ethernet]", f"mac-address={MAC}"), None),
        (profile("interface-name=rail1p1"), "interface-name=rail1p1"),
        (profile("interface-name=enp24s0f0np0"), None),
        (profile("[match]", "driver=mlx5_core;ice;"), "driver=mlx5_core;ice;"),
        (profile("[match]", f"path=pci-{PCI}"), f"path=pci-{PCI}"),
        (profile("[match]", "interface-name=rail*"), "interface-name=rail*"),
        (profile(), "type=ethernet"),
        (profile(priority=0), "type=ethernet"),
        (profile(priority=-999), None),
        (profile("autoconnect=false"), None),
        (profile(kind="wifi"), None),
        (profile("[ethernet]", f"mac-address-blacklist={BURNED};"), None),
    ],
)
def test_a_profile_that_fits_with_our_priority_or_a_higher_one_counts(prepared, text, key):
    prepared.by("networkmanager").judge(PROFILE, text, key)


@pytest.mark.parametrize(
    ("backend", "unit", "path", "text", "key"),
    [
        ("networkd", NM, PROFILE, profile(priority=-999), "type=ethernet"),
        ("networkd", None, PROFILE, profile(), None),
        ("networkmanager", None, IFCFG, f"HWADDR={BURNED}\nONBOOT=yes\n", f"mac-address={BURNED}"),
        ("networkmanager", None, IFCFG, f'HWADDR="{BURNED}"\nONBOOT="no"\n', None),
        ("networkd", LEGACY, IFCFG, "DEVICE=enp24s0f0np0\n", "interface-name=enp24s0f0np0"),
        ("networkd", None, IFCFG, "DEVICE=enp24s0f0np0\n", None),
    ],
)
def test_a_file_counts_where_a_daemon_reads_it(prepared, backend, unit, path, text, key):
    prepared.by(backend).judge(path, text, key, *([unit] if unit else []))


@pytest.mark.parametrize(
    ("file", "text", "key"),
    [
        ("", "auto enp24s0f0np0\niface enp24s0f0np0 inet dhcp\n", "iface enp24s0f0np0 inet dhcp"),
        (".d/x", "allow-hotplug rail1p1\niface rail1p1 inet6 auto\n", "iface rail1p1 inet6 auto"),
        ("", "auto /rail*\niface /rail* inet dhcp\n", "iface /rail* inet dhcp"),
        ("", "auto rail1p1\niface rail1p1 inet manual\n  mtu 1500\n", "iface rail1p1 inet manual"),
        ("", "auto rail1p1\niface rail1p1 inet manual\n", None),
        ("", "auto eno1\niface eno1 inet dhcp\n", None),
        ("", "iface rail1p1 inet dhcp\n", None),
    ],
)
def test_a_stanza_counts_that_comes_up_at_a_boot(prepared, file, text, key):
    prepared.by("networkd").judge(f"{INTERFACES}{file}", LO + text, key, IFUPDOWN)


def test_stanzas_without_ifupdown_count_for_nobody(prepared):
    prepared.by("networkd").judge(INTERFACES, "auto rail1p1\niface rail1p1 inet dhcp\n", None)


def test_networkmanager_says_itself_what_it_has_loaded(prepared):
    """Blocks as nmcli prints them for several profiles; source: nmcli(1); not run here."""
    host = prepared.by("networkmanager")
    listed = "nmcli -t -e no -f UUID,FILENAME connection show"
    host.machine.says[listed] = f"11-22:/run/x/Wired.nmconnection\n33-44:{PROFILE}\n"
    host.machine.says["nmcli -t -e no connection show 11-22 33-44"] = (
        f"connection.id:Wired\nconnection.uuid:11-22\nconnection.type:802-3-ethernet\n"
        f"connection.autoconnect:yes\nconnection.autoconnect-priority:0\n802-3-ethernet.mac-address:{BURNED}\n"
        "ipv4.addresses:172.16.0.4/31, 10.9.9.9/24\n\n"
        "connection.id:w\nconnection.uuid:33-44\nconnection.type:802-3-ethernet\n"
        "connection.autoconnect:no\n"
    )
    host.machine.write(PROFILE, profile())
    (row,) = host.look()["addresses"]
    assert (row["file"], row["key"]) == ("/run/x/Wired.nmconnection", f"mac-address={BURNED}")
    assert row["addresses"] == ["172.16.0.4/31", "10.9.9.9/24"]


def test_networkmanager_beside_networkd_leaves_what_it_does_not_manage(prepared):
    host = prepared.by("networkd")
    host.machine.units[NM] = ON
    host.machine.write(PROFILE, profile())
    assert host.named()
    host.machine.says["nmcli -t -f DEVICE,STATE device"] = "rail1p1:unmanaged\n"
    assert host.named() == []


CALICO = "interface-name:rail*;interface-name:cali*"
UBUNTU = "*,except:type:wifi,except:type:gsm,except:type:cdma"


@pytest.mark.parametrize(
    ("text", "key"),
    [
        (f"[keyfile]\nunmanaged-devices={CALICO}\n", f"unmanaged-devices, {CALICO}"),
        (f"[keyfile]\nunmanaged-devices={UBUNTU}\n", f"unmanaged-devices, {UBUNTU}"),
        ("[keyfile]\nunmanaged-devices=*,except:type:ethernet\n", None),
        ("[keyfile]\nunmanaged-devices=interface-name:=rail1p1\n", "unmanaged-devices, interface-name:=rail1p1"),
        ("[keyfile]\nunmanaged-devices=interface-name:enp24s0f0np0\n", None),  # its name before udev's rule
        (f"[keyfile]\nunmanaged-devices=mac:{BURNED.upper()}\n", f"unmanaged-devices, mac:{BURNED.upper()}"),
        (f"[keyfile]\nunmanaged-devices={BURNED}\n", f"unmanaged-devices, {BURNED}"),
        ("[keyfile]\nunmanaged-devices=interface-name:cali*;tunl*\n", None),
        ("[keyfile]\nunmanaged-devices+=driver:mlx5_core/*\n", "unmanaged-devices, driver:mlx5_core/*"),
        ("[keyfile]\nunmanaged-devices=rail1p1\nunmanaged-devices=\n", None),
        ("[device-site]\nmatch-device=driver:mlx5_core\nmanaged=0\n", "managed=0, driver:mlx5_core"),
        ("[device]\nmanaged=false\n", "managed=0, *"),
        ("[device-site]\nmatch-device=type:wifi\nmanaged=0\n", None),
        ("[device-site]\nmatch-device=driver:mlx5_core\nmanaged=1\n", None),
        ("# unmanaged-devices=*\n", None),
    ],
)  # fmt: skip
def test_a_port_that_networkmanager_leaves_to_others(prepared, text, key):
    """Lists of devices as NetworkManager.conf(5) has them; our profile counts for nothing then."""
    prepared.by("networkmanager").judge("/etc/NetworkManager/conf.d/50-site.conf", text, key)


def test_a_later_or_nearer_file_of_networkmanager_counts(prepared):
    host = prepared.by("networkmanager")
    host.machine.write(
        "/usr/lib/NetworkManager/conf.d/10-x.conf", "[keyfile]\nunmanaged-devices=*\n"
    )
    assert host.named() == [("/usr/lib/NetworkManager/conf.d/10-x.conf", "unmanaged-devices, *")]
    host.machine.write("/etc/NetworkManager/conf.d/10-x.conf", "")
    assert host.named() == []
    host.machine.write(
        "/etc/NetworkManager/conf.d/09-y.conf", "[keyfile]\nunmanaged-devices=rail*\n"
    )
    host.machine.write(
        "/etc/NetworkManager/conf.d/11-z.conf", "[keyfile]\nunmanaged-devices=wlan*\n"
    )
    assert host.named() == []
