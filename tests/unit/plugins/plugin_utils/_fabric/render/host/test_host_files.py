# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that a host keeps of its NICs."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host import (
    host_files,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.desired import (
    desired,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    example,
)

CHOICES = {
    "watch": "repair",
    "interval": 150,
    "processors": [],
    "wait": 120,
    "tolerate_conflicts": False,
    "timeout": 60,
    "algorithm": True,
    "agent_path": "/usr/local/lib/spectrum-x/spx-nic.pyz",
    "sysfs": "/sys",
}


def wanted(name: str):
    fabric = example(name)
    node = fabric.name(next(fabric.nodes()))
    return {**desired(fabric, node, registry=Registry.empty(fabric)), "agent": "1.0.0"}


def made(state, **choices):
    """File name -> text."""
    rows = host_files.files(state, {**CHOICES, **choices})
    return {row["path"].rpartition("/")[2]: row["content"] for row in rows}


def test_a_unit_starts_for_each_function_that_appears():
    state = wanted("lab-2plane")
    rules = made(state)["90-spectrum-x-nic.rules"].splitlines()[1:]
    functions = ("0000:18:00.0", "0000:18:00.1")
    assert [f'KERNELS=="{pci}"' in line for pci, line in zip(functions, rules, strict=True)] == [
        True,
        True,
    ]
    assert all('SUBSYSTEM=="infiniband"' in line for line in rules)
    assert all('DEVPATH!="*/mlx5_core.sf.*"' in line for line in rules)
    assert all(
        'ENV{SYSTEMD_WANTS}+="spectrum-x-nic@0000:18:00.0.service"' in line for line in rules
    )
    ports = [{"pci": pci} for pci in functions]
    state["nics"] = [{"pci": functions[0], "multiplane": "hwplb", "ports": ports}]
    rules = made(state)["90-spectrum-x-nic.rules"].splitlines()[1:]
    assert ['SUBSYSTEM=="net"' in line for line in rules] == [False, True]


@pytest.mark.parametrize(
    "choices, state, start, apply",
    [
        ({}, (False, 60), 120, 600),
        ({"tolerate_conflicts": True, "timeout": 200}, (True, 200), 260, 880),
    ],
)
def test_unit_and_watchdog_know_what_the_roles_were_told(choices, state, start, apply):
    files = made(wanted("lab"), **choices)
    found = json.loads(files["desired.json"])
    assert (found["tolerate_conflicts"], found["cc_timeout"]) == state
    assert f"TimeoutStartSec={start}\n" in files["spx-cc@.service"]
    assert f"TimeoutStartSec={apply}\n" in files["spectrum-x-nic@.service"]


def test_a_host_that_does_not_start_congestion_control_keeps_the_rest():
    state = wanted("lab")
    starts, idle = (
        json.loads(made(state, algorithm=value)["desired.json"]) for value in (True, False)
    )
    assert "cc" in starts["nics"][0]["roce"]
    assert "cc" not in idle["nics"][0]["roce"]
    assert idle["nics"][0]["qos"] == starts["nics"][0]["qos"]


def test_the_unit_loads_what_the_traffic_class_needs():
    lines = made(wanted("lab"))["spectrum-x-nic@.service"].splitlines()
    loads = lines.index("ExecStartPre=-/usr/bin/env modprobe rdma_cm")
    assert loads < next(n for n, line in enumerate(lines) if line.startswith("ExecStart="))
    assert "After=local-fs.target sys-kernel-config.mount" in lines


def test_the_unit_of_the_algorithm_hands_the_processors_over():
    state = wanted("lab")
    start = "spx-nic.pyz --sysfs /sys cc --device %i"
    assert f"{start}\n" in made(state)["spx-cc@.service"]
    assert f"{start} --cpus 2,3\n" in made(state, processors=[2, 3])["spx-cc@.service"]


def test_an_interval_of_nothing_stops_the_watchdog():
    assert host_files.units(0) == {host_files.TIMER: {"enabled": False, "running": False}}


def test_the_host_keeps_only_what_roles_may_write():
    stated = {**wanted("lab"), "manage": ["dpu_qos"]}
    nic = host_files.state(stated, CHOICES)["nics"][0]
    assert {"qos", "pci"} <= set(nic)
    assert not {"roce", "nvconfig", "firmware", "ports"} & set(nic)
    everything = {**stated, "manage": ["dpu_qos", "dpu_congestion_control"]}
    assert "cc" in host_files.state(everything, CHOICES)["nics"][0]["roce"]
    without = host_files.state(everything, {**CHOICES, "algorithm": False})["nics"][0]["roce"]
    assert "cc" not in without


def test_a_path_is_one_word_of_the_command_line():
    """Another word, such as a semicolon, would begin another command of root."""
    text = made(wanted("lab"), agent_path='/opt/a ; b"%i$x\\')["spectrum-x-watch.service"]
    assert r' -I "/opt/a ; b\"%%i$$x\\" --sysfs /sys watch' in text
    assert " -I /usr/local/lib/spectrum-x/spx-nic.pyz --sysfs /sys watch" in "".join(
        made(wanted("lab")).values()
    )
