# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes for rented hosts, against the double: client and double know the published text apart."""

from __future__ import annotations

import pytest
from nvue_double.testing import running_double

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import vrf_probes
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.auth import Auth, Credentials
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.http_stdlib import (
    Endpoint,
    HttpsPort,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.release import parse

RED, BLUE = "t21-red", "t22-blue"
DOCUMENT = {
    "vrf": {RED: {}, BLUE: {}},
    "interface": {
        "swp1": {"type": "swp", "vrf": RED, "ipv4": {"address": {"172.16.0.1/31": {}}}},
        "swp2": {"type": "swp", "vrf": BLUE, "ipv4": {"address": {"172.16.0.3/31": {}}}},
    },
}
ROW = {"node": "h01", "port": "rail1p1", "vrf": RED, "address": "172.16.0.0", "whom": "h02 of blue"}


def tried(stranger: str, release: str = "5.16.1", rows: int = 1, why: str = "", **options):
    given = {"release": release, "document": DOCUMENT, "step_seconds": 0.002, **options}
    with running_double(**given) as double:
        endpoint = Endpoint(double.host, double.port, timeout=5, ca=double.ca_file)
        api = Api(HttpsPort(endpoint), Auth(Credentials(double.username, double.password)))
        told = [{**ROW, "stranger": stranger, "node": f"h{n}"} for n in range(rows)]
        found = vrf_probes.run(api, parse(release), told, why=why)
    return found["h0"]["own"], found["h0"]["other"], found[f"h{rows - 1}"]["reason"], api.writes


@pytest.mark.parametrize(
    ("stranger", "release", "options", "expected"),
    [
        ("172.16.0.2", "5.16.1", {}, (True, False, "", 2)),
        ("172.16.0.2", "5.12.0", {}, (True, False, "", 2)),
        # A stranger whose port stands in the tenant's VRF answers.
        ("172.16.0.1", "5.16.1", {}, (True, True, "", 2)),
        ("172.16.0.2", "5.16.1", {"link_state": "down"}, (False, False, "", 2)),
        ("", "5.16.1", {}, (True, None, "", 1)),
    ],
)
def test_what_is_found(stranger, release, options, expected):
    assert tried(stranger, release, **options) == expected


def test_an_older_release_is_not_asked():
    own, other, why, writes = tried("172.16.0.2", "5.11.0")
    assert (own, other, writes) == (None, None, 0)
    assert why == "Cumulus Linux 5.11.0 has no ping over NVUE: it came with 5.12."


def test_a_switch_that_shall_not_be_asked_is_not():
    assert tried("172.16.0.2", why="with --check.") == (None, None, "with --check.", 0)


def test_a_switch_that_refuses_is_asked_once():
    document = {**DOCUMENT, "vrf": {BLUE: {}}, "interface": {}}
    own, other, why, writes = tried("172.16.0.2", rows=4, document=document)
    assert (own, other, writes) == (None, None, 1)
    assert why.endswith(f"ended as action_error: VRF {RED} does not exist.")
