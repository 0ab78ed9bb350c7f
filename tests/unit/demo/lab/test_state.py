# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import dataclasses

import pytest
from lab import cabling, files, images, state
from lab.errors import LabError


@pytest.fixture(name="lab")
def _lab(tiny, tmp_path, monkeypatch):
    monkeypatch.setenv("SPX_LAB_DIR", str(tmp_path))
    wiring = [list(link) for link in tiny["links"]]
    return state.Lab("t", "podman", cabling.parse(tiny), tiny, wiring=wiring)


def test_a_saved_lab_is_found_again(lab):
    lab.unplugged = [2]
    lab.save()
    assert state.load("t") == lab


def test_an_unknown_lab_is_named(lab):
    lab.save()
    with pytest.raises(LabError, match="there is no lab 'u'; up are: t"):
        state.load("u")


@pytest.mark.parametrize("name", ["", "Lab", "../x", "a" * 21, "-a"])
def test_names_that_are_refused(name):
    with pytest.raises(LabError, match="lab name"):
        state.find(name)


def test_addresses_are_of_the_benchmark_block(lab):
    assert [lab.address(name) for name in lab.cabling.names()] == [
        f"198.18.0.{number}" for number in (10, 11, 12, 13)
    ]


@pytest.mark.parametrize("names, netdev", [("factory", "enp24s0f0np0"), ("port", "rail1p1")])
def test_what_a_host_is_told(lab, names, netdev):
    lab.host_names = names
    (nic,) = files.nics(lab, lab.cabling.device("host-1"))
    assert (nic["netdev"], nic["port"], nic["pci"]) == (netdev, "rail1p1", "0000:18:00.0")
    assert nic["cabled"] is True
    assert nic["mac"].startswith("02:")


def test_the_environment_of_a_switch(lab):
    lines = files.environment(lab, lab.cabling.device("leaf-1")).splitlines()
    expected = {"SPX_DEVICE=leaf-1", "SPX_SERIAL=MT1", "SPX_ADDRESS=198.18.0.10", "SPX_FABRIC=tiny"}
    assert expected <= set(lines)


def test_the_inventory_has_logins_for_hosts_only(lab):
    hosts = files.inventory(lab)["all"]["hosts"]
    assert hosts["leaf-1"] == {"ansible_host": "198.18.0.10"}
    assert hosts["host-1"]["ansible_user"] == "root"


def test_files_are_not_written_through_links(tmp_path):
    (tmp_path / "run").symlink_to("/tmp")
    with pytest.raises(LabError, match="leads through the link run"):
        files._write(tmp_path, "run/spx/go", "", 0o644)


def test_an_image_is_named_by_what_it_is_made_of(tmp_path):
    (tmp_path / "switch").mkdir()
    (tmp_path / "switch" / "start.sh").write_text("true\n", encoding="utf-8")
    first = images.recipe("switch", tmp_path)
    assert images.recipe("switch", tmp_path) == first
    (tmp_path / "switch" / "start.sh").write_text("false\n", encoding="utf-8")
    second = images.recipe("switch", tmp_path)
    assert (second.base, second.full != first.full) == (first.base, True)
    (tmp_path / "host").mkdir()
    (tmp_path / "host" / "packages.txt").write_text("# ours\nhello  # one\n", encoding="utf-8")
    third = images.recipe("switch", tmp_path)
    assert third.base != first.base
    assert "hello" in third.packages
    assert "ours" not in third.packages


def test_labs_do_not_share_connections(lab):
    """Same addresses, other hosts: a socket of one lab would lead into the other."""
    other = dataclasses.replace(lab, name="u")
    folders = {
        files.inventory(one)["all"]["hosts"]["host-1"]["ansible_control_path_dir"]
        for one in (lab, other)
    }
    assert len(folders) == 2
