# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of a switch about itself, in every form that releases use."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.shapes import (
    something,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    RefusedError,
    UnfitError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire import operational

IMAGE = {"build-date": "2026-03-01T00:00:00+00:00", "build-id": "5.15.9.0001"}
"""`version.image` from 5.14 on: an object, whose build id is no release."""


@pytest.mark.parametrize(
    "system, release",
    [
        ({"build": "Cumulus Linux 5.16.1"}, (5, 16, 1)),
        ({"version": {"image": "5.18.0"}}, (5, 18, 0)),
        ({"build": "", "product-release": "5.14.0"}, (5, 14, 0)),
        ({"version": {"image": IMAGE, "onie": "N/A", "product-release": "5.16.0"}}, (5, 16, 0)),
        ({"build": "Cumulus Linux 5.11.1", "uptime": "1 day, 2:03:04"}, (5, 11, 1)),
    ],
)
def test_the_release(switch, system, release):
    made = switch(script={"GET /system": [{**system, "hostname": "leaf-01"}]})
    about = operational.about(made.api())
    assert about.hostname == "leaf-01"
    assert str(about.release).endswith(".".join(map(str, release)))


def test_an_answer_without_a_release_is_none(switch):
    made = switch(script={"GET /system": [{"hostname": "x"}]})
    with pytest.raises(UnfitError, match="a release of Cumulus Linux"):
        operational.about(made.api())


@pytest.mark.parametrize(
    "platform, serial, model",
    [
        ({"serial-number": " MT1 ", "model": "SN5600-XY"}, "MT1", "SN5600"),
        ({"hardware": {"serial": "MT2", "product-name": "msn/sn5610"}}, "MT2", "SN5610"),
        ({"model": "VX"}, "", ""),
    ],
)
def test_serial_number_and_model(switch, platform, serial, model):
    found = operational.hardware(switch(operational={"platform": platform}).api())
    assert (found.serial, found.model) == (serial, model)


def test_a_switch_without_a_platform_has_neither(switch):
    assert operational.hardware(switch().api()) == operational.Hardware()


PORTS = {
    "swp1": {"link": {"oper-status": "up", "mtu": 9216}, "type": "swp"},
    "swp2": {"link": {"state": {"up": {}}}},
    "swp3": {"oper-status": "UP"},
    "swp4": {"link": {"oper-status": "DOWN", "state": "up"}},
    "swp5": {},
    "swp7": {"link": {"state": {}}},
    "lo": {"link": {"oper-status": "unknown"}},
    "swp6": {"link": {"oper-status": None, "state": "down"}},
}


def test_carriers_in_two_forms_and_none_that_is_not_known(switch):
    made = switch(script={"GET /interface": [PORTS]})
    found = operational.carriers(made.api())
    assert found == {"swp1": True, "swp2": True, "swp4": False, "swp6": False}


def test_interfaces_are_asked_for_places_as_the_client_of_nvidia_repeats_them(switch):
    """NVIDIA's nv-config-manager gives the list to requests, whose spelling of a URL is that of urlencode."""
    made = switch(script={"GET /interface": [PORTS]})
    found = operational.interfaces(made.api(), ("/*/link/oper-status", "/*/type"))
    assert made.log == [
        "GET /interface?rev=operational&include=%2F%2A%2Flink%2Foper-status&include=%2F%2A%2Ftype"
    ]
    assert found["swp1"] == {"link": {"oper-status": "up"}, "type": "swp"}
    assert {"swp2", "swp3", "swp5"}.isdisjoint(found)


def test_a_switch_that_refuses_the_places_shows_nothing(switch):
    refusal = Reply(400, {"content-type": "application/json"}, b'{"title": "Bad Request"}')
    made = switch(script={"GET /interface": [refusal]})
    assert operational.carriers(made.api()) == {}
    assert operational.packets(made.api()) == {}


@pytest.mark.parametrize("place", [(), ("interface",)])
@pytest.mark.parametrize("params", [{"rev": "operational"}, {}, {"omit": "/*/lldp"}])
def test_no_whole_answer_about_all_interfaces_is_asked_for(switch, place, params):
    made = switch()
    with pytest.raises(RefusedError, match="is never sent whole"):
        made.api().get(place, params, something)
    assert made.log == []


def test_lldp_neighbours(switch):
    heard = {"neighbor": {"x": {"chassis": {"system-name": "spine-1"}, "port": {"name": "swp9"}}}}
    made = switch(operational={"interface": {"swp1": {"lldp": heard}}})
    assert operational.lldp(made.api(), "swp1") == [("spine-1", "swp9")]
    assert operational.lldp(made.api(), "swp2") == []


@pytest.mark.parametrize(
    "name, system",
    [("spine-1\0", "spine-1"), (" spine-1 \0\0", "spine-1"), ("\0", "x"), ("", "x")],
)
def test_the_end_of_a_name_is_that_of_no_other(name, system):
    """Some agents send the NUL of their own text; one without a name has the key of the neighbour."""
    heard = {"neighbor": {"x": {"chassis": {"system-name": name}, "port": {"name": "swp9\0"}}}}
    assert [one[:2] for one in operational.neighbours(heard)] == [(system, "swp9")]
