# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovery of a machine's NICs, by /sys."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.discover import (
    card_of,
    discover,
    full_address,
    is_address,
    without_driver,
)

PCI = "/sys/bus/pci/devices"


@pytest.mark.parametrize(
    "text, address, card",
    [
        ("1A:00.1", "0000:1a:00.1", "0000:1a:00"),
        (" 0001:1a:00.0", "0001:1a:00.0", "0001:1a:00"),
        ("00000000:1A:00.0", "0000:1a:00.0", "0000:1a:00"),
    ],
)
def test_addresses_have_one_spelling(text, address, card):
    assert (full_address(text), card_of(text)) == (address, card)


@pytest.mark.parametrize(
    "text, good",
    [
        *[("1a:00.0", True), ("0000:1a:00.7", True), ("1a:00.8", False), ("card", False)],
        *[("00000000:1A:00.0", True), ("000000:1a:00.0", False), ("10000000:1a:00.0", False)],
    ],
)
def test_the_form_of_an_address(text, good):
    assert is_address(text) is good


def function(world, pci, *, port="p0", **files):
    texts = {"vendor": "0x15b3", "device": "0xa2dc", "class": "0x020000", **files}
    for name, text in texts.items():
        world.put(f"{PCI}/{pci}/{name}", text)
    world.put(f"{PCI}/{pci}/net/n{pci[-1]}{pci[5:7]}/phys_port_name", port)


def test_functions_of_a_card_are_one_card(world):
    function(world, "0000:1a:00.1", port="p1")
    (card,) = discover(world.host())
    assert (card["pci"], card["model"]) == ("0000:1a:00.0", "BlueField-3")
    assert [port["pci"] for port in card["ports"]] == ["0000:1a:00.0", "0000:1a:00.1"]
    first = card["ports"][0]
    assert (first["netdev"], first["rdma"], first["link"]) == ("rail1p1", "mlx5_0", "up")
    assert (first["speed"], first["mtu"]) == (400000, 9166)


@pytest.mark.parametrize(
    "files", [{"vendor": "0x8086"}, {"class": "0x010802"}, {"physfn/vendor": "0x15b3"}]
)
def test_what_is_no_nic_is_left_out(world, files):
    function(world, "0000:2a:00.0", **files)
    assert [card["pci"] for card in discover(world.host())] == ["0000:1a:00.0"]


def test_a_representor_is_not_the_port(world):
    function(world, "0000:2a:00.0", port="pf0vf1")
    assert discover(world.host())[1]["ports"][0]["netdev"] == ""


def test_a_function_without_driver_is_named(world):
    assert "no driver is bound to this function" in without_driver(world.host(), "0000:1a:00.0")
    world.put(f"{PCI}/0000:1a:00.0/driver/module", "")
    assert without_driver(world.host(), "0000:1a:00.0") == ""
    assert without_driver(world.host(), "0000:3a:00.0") == ""


def test_what_sysfs_does_not_show_is_asked_of_nothing_else(world):
    world.put(f"{PCI}/0000:1a:00.0/vendor", "0x8086")
    assert (discover(world.host()), world.card.calls) == ([], [])
