# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook, run against a double as a person would, with an inventory of their own."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import yaml
from nvue_double.testing import running_double
from playing import extra_vars, play

from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

DOCUMENT = {"system": {"hostname": "mars-leaf-7"}}
BOOK = "spectrum_x.fabric.conformance"


@pytest.fixture
def asked(tmp_path):
    """Return a function that plays the playbook against a double: (exit code, output, report)."""

    def _asked(*arguments, variables=None, device="mars-leaf-7", **options):
        with running_double(document=DOCUMENT, **options) as double:
            host = {
                "ansible_host": double.host,
                "spx_nvue_port": double.port,
                "spx_nvue_user": double.username,
                "spx_nvue_password": double.password,
                "spx_nvue_ca": double.ca_file,
            }
            hosts = {"all": {"hosts": {device: host}}}
            (tmp_path / "hosts.yml").write_text(yaml.safe_dump(hosts))
            given = {"spx_device": device, "spx_report": "report", **(variables or {})}
            rc, said = play(tmp_path, "-i", "hosts.yml", BOOK, *extra_vars(given), *arguments)
        files = list((tmp_path / "report/conformance").glob("switch-*.json"))
        return rc, said, [json.loads(path.read_text()) for path in files]

    return _asked


def test_a_switch_without_ports_shows_little_and_differs_in_nothing(asked):
    rc, said, files = asked()
    assert rc == 0, said
    (report,) = files
    assert report["counts"]["differs"] == 0
    assert "mars-leaf-7 (5.16.1, SN5600): " in said
    assert "mars" not in json.dumps(report)


def test_a_difference_ends_with_2_and_names_the_file_and_the_planned_features(asked):
    rc, said, files = asked(
        device="leaf-p1-su001-r1",
        variables={"spx_description": INVENTORIES / "lab" / "model" / "fabric.yml"},
        profile="refuses_roce_mode",
    )
    sentence = "would refuse roce (qos/roce/mode), of 11 features of its planned document."
    words = " ".join(said.split())
    assert rc == 2, said
    assert f"leaf-p1-su001-r1: this switch {sentence}" in words
    assert words.count(sentence) > 1, "the message of the task has it too"
    assert "refuses qos/roce/mode" in said
    assert "to a bug report" in said
    assert files
    assert "leaf-p1" not in json.dumps(files)


@pytest.mark.parametrize(
    "variables, words",
    [
        ({"spx_device": ""}, "variable spx_device: "),
        ({"spx_conformance_write": "perhaps"}, "use true or false"),
    ],
)
def test_wrong_variables_are_refused_first(asked, variables, words):
    rc, said, files = asked(variables=variables)
    assert rc == 2
    assert words in said
    assert not files


def test_a_change_is_not_played_in_check_mode(asked):
    rc, said, _files = asked("--check", variables={"spx_conformance_write": "true"})
    assert rc == 2
    assert "is not possible with --check" in said


VENDORS = [path.read_text().strip() for path in Path("/sys/bus/pci/devices").glob("*/vendor")]


@pytest.mark.skipif("0x15b3" in VENDORS, reason="this machine has a NIC of NVIDIA")
def test_a_host_without_a_nic_differs_and_is_said(tmp_path):
    """This machine is the host: its tools are run, and it has no NIC of NVIDIA."""
    host = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
    groups = {"spx_node": {"hosts": {"mars-node-1": host}}}
    (tmp_path / "hosts.yml").write_text(yaml.safe_dump({"all": {"children": groups}}))
    given = {"spx_device": "mars-node-1", "spx_report": "report"}
    rc, said = play(tmp_path, "-i", "hosts.yml", BOOK, *extra_vars(given))
    assert rc == 2, said
    assert "tool, /sys: no NIC of NVIDIA in /sys/bus/pci/devices" in said
    (path,) = (tmp_path / "report/conformance").glob("host*.json")
    assert "mars" not in path.read_text()
