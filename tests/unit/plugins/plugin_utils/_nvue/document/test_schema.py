# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import schema
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import (
    OLDEST,
    parse,
)

RELEASES = [release for release in schema.releases() if parse(release) >= OLDEST]
RIGHT = {
    "interface": {"swp1": {"link": {"mtu": 9216}}, "eth0": {"type": "eth"}},
    "qos": {
        "roce": {"mode": "lossless"},
        "mapping": {"default-global": {"dscp": {"26": {"switch-priority": 3}}}},
    },
    "vrf": {"default": {"router": {"bgp": {"neighbor": {"swp1": {"type": "unnumbered"}}}}}},
}
WRONG = {
    "a key": (
        {"interface": {"swp1": {"link": {"mtuu": 9216}}}},
        "interface.swp1.link.mtuu: no key of",
    ),
    "a type": (
        {"interface": {"swp1": {"link": {"mtu": "9216"}}}},
        'interface.swp1.link.mtu: "9216": allowed: int',
    ),
    "a boolean": (
        {"interface": {"swp1": {"link": {"mtu": True}}}},
        "interface.swp1.link.mtu: true: allowed: int",
    ),
    "a range": (
        {"interface": {"swp1": {"link": {"mtu": 9217}}}},
        "9217: allowed: int 552 to 9216: change it",
    ),
    "a word": (
        {"qos": {"roce": {"mode": "lossfree"}}},
        'qos.roce.mode: "lossfree": allowed: lossy, lossless',
    ),
    "a scalar": ({"qos": {"roce": "lossless"}}, 'qos.roce: "lossless": allowed: an object'),
    "an object": ({"qos": {"roce": {"mode": {}}}}, "qos.roce.mode: an object: allowed: lossy"),
    "a list": (
        {"interface": {"swp1": {"link": {"mtu": [9216]}}}},
        "[9216]: allowed: int 552 to 9216",
    ),
    "a key of a map": (
        {"acl": {"a": {"rule": {"0": {}}}}},
        "acl.a.rule.0: allowed keys: int 1..65535: change it",
    ),
    "a key of an open map": (
        {"qos": {"pfc": {"a": {"switch-priority": {"8": {}}}}}},
        "switch-priority.8: allowed keys: int 0..7",
    ),
    "the name of a map's key": ({"interface": {"*": {}}}, "allowed keys: iface-range: change it"),
}


def judged(release: str, document: object) -> list[str]:
    found = schema.of(parse(release))
    assert found is not None
    return [str(each) for each in schema.deviations(found, document)]  # type: ignore[arg-type]


@pytest.mark.parametrize("release", RELEASES)
def test_each_release_refuses_what_is_wrong_and_nothing_else(release: str) -> None:
    assert judged(release, RIGHT) == []
    for name, (document, sentence) in WRONG.items():
        (said,) = judged(release, document)
        assert sentence in said, name


def test_a_key_of_another_release_is_named_with_its_releases() -> None:
    key = {"qos": {"roce": {"cable-length": 5}}}
    assert judged("5.16.1", key) == [
        "qos.roce.cable-length: no key of Cumulus Linux 5.16, only of 5.0 to 5.2: leave it out"
    ]


def test_a_misspelled_key_gets_the_nearest_one_and_may_be_one_that_the_models_lack() -> None:
    found = schema.of(parse("5.16"))
    assert found is not None
    (deviation,) = schema.deviations(found, {"system": {"hostnam": "a"}})
    assert str(deviation) == "system.hostnam: no key of Cumulus Linux 5.16: write hostname"
    assert not deviation.certain


@pytest.mark.parametrize(
    "identifier, refused",
    [
        ("00:44:38:39:FF:00:AA:00:00:01", 0),
        ("7", 0),
        ("03:44:38:39:FF:00:AA:00:00:01", 1),
        ("x", 1),
    ],
)
def test_an_ethernet_segment_is_named_as_the_guide_shows(identifier: str, refused: int) -> None:
    segment = {"multihoming": {"segment": {"identifier": identifier}}}
    document = {"interface": {"bond1": {"evpn": segment}}}
    assert len(schema.deviations(schema.of(parse("5.17")), document)) == refused


def test_no_secret_is_in_a_sentence() -> None:
    user = {"system": {"aaa": {"user": {"me": {"hashed-password": 7}}}}}
    community = {"system": {"snmp-server": {"readonly-community": {"canary": {}}}}}
    assert "this secret" in judged("5.16", user)[0]
    assert "canary" not in judged("5.16", community)[0]


def test_a_release_without_a_schema_is_not_judged() -> None:
    assert schema.of(parse("5.19.0")) is None


def test_each_kind_of_keys_belongs_to_a_map_of_the_schema() -> None:
    known = {
        path
        for release in RELEASES
        for path, kinds in schema.rows(release)
        if {"map", "any"} & {k[0] for k in kinds}
    }
    assert schema.keys().keys() <= known


def test_a_release_names_its_specification_and_its_checksum() -> None:
    rows = json.loads(schema.PATHS.read_text("utf-8"))["releases"]
    assert len(rows) == len(schema.releases())
    assert rows["5.16"]["spec"] == "1.12.0.76"
    assert all(len(row["sha256"]) == 64 for row in rows.values())
