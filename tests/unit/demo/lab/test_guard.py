# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json

import pytest
from lab import guard
from lab.errors import LabError


@pytest.fixture(name="routes")
def _routes(tmp_path, monkeypatch):
    """Put an ip(8) first on the path whose routes a test chooses: address -> answer."""

    def choose(answers):
        (tmp_path / "routes.json").write_text(json.dumps(answers), encoding="utf-8")
        program = tmp_path / "ip"
        program.write_text(
            "#!/usr/bin/python3\n"
            "import json, sys\n"
            f"answers = json.load(open({str(tmp_path / 'routes.json')!r}))\n"
            "print(json.dumps(answers.get(sys.argv[-1], [])))\n",
            encoding="utf-8",
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    return choose


def test_loopback_passes_and_the_network_does_not(routes):
    routes({"127.0.0.5": [{"dev": "lo"}], "10.0.0.1": [{"dev": "ens3"}]})
    guard.refuse_outside(["127.0.0.5"])
    with pytest.raises(LabError, match=r"10\.0\.0\.1 would leave .* through ens3"):
        guard.refuse_outside(["127.0.0.5", "10.0.0.1"])


def test_inside_a_lab_the_bridge_passes(routes):
    routes({"198.18.0.10": [{"dev": "mgmt0"}], "10.0.0.1": [{"dev": "ens3"}]})
    guard.refuse_outside(["198.18.0.10"], namespace="spx-lab-mgmt")
    with pytest.raises(LabError, match="through ens3"):
        guard.refuse_outside(["10.0.0.1"], namespace="spx-lab-mgmt")


def test_outside_a_lab_the_bridge_does_not_pass(routes):
    routes({"198.18.0.10": [{"dev": "mgmt0"}]})
    with pytest.raises(LabError, match="through mgmt0"):
        guard.refuse_outside(["198.18.0.10"])


def test_what_has_no_route_passes_and_names_do_not(routes):
    routes({"10.0.0.2": [{"type": "unreachable", "dev": "lo"}]})
    guard.refuse_outside(["10.0.0.1", "10.0.0.2"])
    with pytest.raises(LabError, match="'leaf-1' is not an IP address"):
        guard.refuse_outside(["leaf-1"])
