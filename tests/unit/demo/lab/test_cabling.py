# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import copy
import json

import pytest
from lab import cabling
from lab.errors import LabError


def test_reads_devices_and_links(tiny):
    read = cabling.parse(tiny)
    assert read.names() == ["leaf-1", "leaf-2", "host-1", "host-2"]
    assert [str(end) for end in read.links[0]] == ["leaf-1:swp1s0", "host-1:rail1p1"]
    assert read.device("host-1").nics[0].netdev == "enp24s0f0np0"
    assert read.device("leaf-1").facts["serial"] == "MT1"


@pytest.mark.parametrize(
    "pci, expected",
    [
        ("0000:18:00.0", "enp24s0f0np0"),
        ("0000:9a:00.1", "enp154s0f1np1"),
        ("0001:03:01.0", "enP1p3s1f0np0"),
    ],
)
def test_factory_name(pci, expected):
    assert cabling.factory_name(pci) == expected


@pytest.mark.parametrize(
    "change, sentence",
    [
        (lambda d: d.update(devices=[]), "devices is empty"),
        (lambda d: d.update(devices={}), "devices is dict, expected a list"),
        (
            lambda d: d["devices"].append({"name": "leaf-1", "kind": "switch"}),
            "leaf-1 occurs twice",
        ),
        (
            lambda d: d["devices"][0].update(kind="hub"),
            "kind 'hub' is none of switch, host, router",
        ),
        (lambda d: d["devices"][0].update(name="leaf_1"), "'leaf_1' is not a host name"),
        (lambda d: d["devices"][2]["nics"][0].update(pci="18:00"), "'18:00' is not written like"),
        (lambda d: d["devices"][2]["nics"][0].update(netdev="eth0"), "netdev 'eth0' is eth0"),
        (
            lambda d: d["links"].append(["leaf-1", "swp1s0", "leaf-2", "swp9"]),
            "leaf-1:swp1s0 occurs",
        ),
        (
            lambda d: d["links"].append(["leaf-1", "swp8", "leaf-9", "swp9"]),
            "'leaf-9', which devices",
        ),
        (lambda d: d["links"].append(["leaf-1", "swp8"]), "is not [device, port, device, port]"),
        (lambda d: d["links"].append(["leaf-1", "a" * 16, "leaf-2", "swp9"]), "too long (15)"),
        (
            lambda d: d["links"].append(["leaf-1", "swp8", "host-1", "rail2p1"]),
            "none of the host's",
        ),
    ],
)
def test_mistakes_are_named(tiny, change, sentence):
    document = copy.deepcopy(tiny)
    change(document)
    with pytest.raises(LabError) as caught:
        cabling.parse(document, where="x.json")
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    "patterns, devices, links",
    [
        ([], 4, 4),
        (["switch"], 2, 2),
        (["leaf-1", "host-*"], 3, 1),
    ],
)
def test_only(tiny, patterns, devices, links):
    part = cabling.only(cabling.parse(tiny), patterns)
    assert (len(part.devices), len(part.links)) == (devices, links)


def test_only_nothing_is_refused(tiny):
    with pytest.raises(LabError, match="names none of leaf-1"):
        cabling.only(cabling.parse(tiny), ["spine-*"])


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("leaf-1", "is not DEVICE:PORT, for example leaf-1:swp1s0"),
        ("leaf-9:swp1s0", "'leaf-9' is not in the lab"),
        ("leaf-1:swp2", "has no cable in 'swp2'; cabled are swp1s0, swp3s0, swp3s1"),
    ],
)
def test_an_end_that_is_none(tiny, text, sentence):
    with pytest.raises(LabError) as caught:
        cabling.end(text, cabling.parse(tiny))
    assert sentence in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(LabError, match="cannot be read"):
        cabling.load(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    with pytest.raises(LabError, match="is not JSON"):
        cabling.load(tmp_path / "bad.json")
    (tmp_path / "list.json").write_text(json.dumps([1]), encoding="utf-8")
    with pytest.raises(LabError, match="expected an object"):
        cabling.load(tmp_path / "list.json")
