# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From a switch in its box to one that the playbooks reach: the ZTP script, run as the switch would."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import yaml
from nvue_double.testing import running_double

from .fleet import ROOT, SPINE, factory_lab

pytestmark = pytest.mark.slow

SERIAL, MAC, HASH, PASSWORD = "MT2417XT00001", "00:00:5e:00:53:01", "$6$salt$hash", "Better-1!"
STEP = {
    "ansible.builtin.import_role": {
        "name": "spectrum_x.fabric.switch_bootstrap",
        "tasks_from": "files",
    }
}


@pytest.fixture
def lab(tmp_path):
    with factory_lab(tmp_path) as made:
        made.describe(devices="devices.csv")
        rows = f"place,serial,mac\n{SPINE},{SERIAL},{MAC}\n"
        (tmp_path / "model" / "devices.csv").write_text(rows)
        yield made


def write_files(lab, **variables):
    """Run the step of the documentation for one spine with a serial number, and one without."""
    play = {"hosts": "spx_spine", "gather_facts": False, "vars": variables, "tasks": [STEP]}
    path = lab.folder / "ztp.yml"
    path.write_text(yaml.safe_dump([play]))
    return lab.play(path)


def provision(folder, script, serial):
    """Run a script where nv, decode-syseeprom and usermod are those of a stand-in."""
    commands = folder / "commands"
    commands.mkdir(exist_ok=True)
    nv = ROOT / "tests" / "targets" / "switch" / "nv"
    for name, line in {
        "nv": f'exec {sys.executable} {nv} "$@"',
        "decode-syseeprom": f"echo {serial}",
        "usermod": f'echo "$@" >>{folder}/usermod',
    }.items():
        (commands / name).write_text(f"#!/bin/sh\n{line}\n")
        (commands / name).chmod(0o755)
    found = {"NVUE_SOCKET": f"{folder}/nvue.sock", "NVUE_ATTACHED": f"{folder}/attached"}
    found["PATH"] = f"{commands}:{os.environ['PATH']}"
    return subprocess.run(
        ["bash", str(script)],
        env=found,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.large
def test_a_switch_from_its_box_is_reached_by_the_playbooks(lab, tmp_path):
    dest = tmp_path / "www"
    code, output = write_files(
        lab,
        switch_bootstrap_dest=str(dest),
        switch_bootstrap_url="http://192.0.2.1/spx",
        switch_bootstrap_password_hash=HASH,
    )
    assert code == 0, output
    assert HASH not in output
    script = dest / "ztp" / f"{SPINE}.sh"
    assert script.stat().st_mode & 0o777 == 0o640
    told = json.loads((dest / "dhcp" / f"{SPINE}.json").read_text())
    assert (told["serial"], told["mac"]) == (SERIAL, MAC)
    assert told["provision_url"] == f"http://192.0.2.1/spx/ztp/{SPINE}.sh"
    assert f"dhcp-host={MAC}," in (dest / "dhcp" / f"{SPINE}.conf").read_text()
    assert "has no mac" in (dest / "dhcp" / "spine-p1-s02.conf").read_text()

    box = {"factory_default_password": True, "local_socket": f"{tmp_path}/nvue.sock"}
    with running_double(serial=SERIAL, **box) as double:
        reached = lab.folder / "inventory" / "host_vars" / f"{SPINE}.yml"
        stated = yaml.safe_load(reached.read_text())
        stated |= {"spx_nvue_port": double.port, "spx_nvue_ca": double.ca_file}
        reached.write_text(yaml.safe_dump({**stated, "spx_nvue_password": "cumulus"}))
        code, output = lab.run("switches", "--limit", SPINE)
        assert code == 2, output
        assert "The API is closed until the factory's password is changed." in output

        wrong = provision(tmp_path, script, "MT9")
        assert wrong.returncode == 1
        assert "This switch has serial MT9" in wrong.stderr
        assert double.applied["system"].get("hostname") != SPINE
        right = provision(tmp_path, script, SERIAL.lower())
        assert right.returncode == 0, right.stderr
        assert (tmp_path / "usermod").read_text() == f"--password {HASH} cumulus\n"
        assert double.applied["system"]["hostname"] == SPINE
        own = double.applied["interface"]["eth0"]
        address = told["address"]
        assert (own["vrf"], list(own["ipv4"]["address"])) == ("mgmt", [f"{address}/18"])
        assert list(double.applied["system"]["api"]["listening-address"]) == [address]

        double.control.password("cumulus", PASSWORD)
        reached.write_text(yaml.safe_dump({**stated, "spx_nvue_password": PASSWORD}))
        code, output = lab.run("switches", "--limit", SPINE)
        assert code == 0, output
        assert "bgp" in double.applied["router"]


def test_a_default_password_is_not_left(lab, tmp_path):
    code, _output = write_files(
        lab, switch_bootstrap_dest=str(tmp_path / "www"), switch_bootstrap_password_hash="cumulus"
    )
    assert code == 2
    assert not (tmp_path / "www").exists()
