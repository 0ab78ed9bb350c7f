# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which profile fits, a site's own layout, and addresses that exist already."""

from __future__ import annotations

import copy
import ipaddress

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.addressing import profiles
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.addressing.codec import (
    text,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.addressing.suggest import (
    of_file,
    suggest,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.topology.cabling import (
    NicPort,
    Node,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    TWO_PLANES,
    build,
    described,
    example,
)

EIGHT = {"count": 8, "mode": "split", "balancing": "swplb"}
CX8 = {"model": "ConnectX-8"}
FULL = {"tiers": 3, "capacity": {"pods": 128, "sus_per_pod": 8}}

SUGGESTIONS = [
    # description, profiles that fit, and a part of the reason against each of the others
    (
        {},
        {
            "nvidia-guide-v4-2tier",
            "nvidia-guide-v4-3tier",
            "nvidia-guide-v6",
            "octet-v4",
            "dense-v4",
        },
        {},
    ),
    (
        FULL,
        {"octet-v4", "nvidia-guide-v6", "dense-v4"},
        {
            "nvidia-guide-v4-2tier": "is for 2 tiers",
            "nvidia-guide-v4-3tier": "pod 127 does not fit the 5-bit pod field",
        },
    ),
    (
        {"nics": CX8, "planes": EIGHT, "site_profiles": ["ours.yml"]},
        {"octet-v4", "nvidia-guide-v6", "dense-v4"},
        {
            "nvidia-guide-v4-2tier": "plane 7 does not fit the 2-bit plane field",
            "nvidia-guide-v4-3tier": "plane 7 does not fit the 2-bit plane field",
        },
    ),
    (
        {"tiers": 3, "capacity": {"pods": 32, "sus_per_pod": 8}},
        {"nvidia-guide-v4-3tier", "octet-v4", "nvidia-guide-v6", "dense-v4"},
        {"nvidia-guide-v4-2tier": "is for 2 tiers"},
    ),
    (
        # the links would fit, the infrastructure blocks beside them would not
        {"tiers": 3, "capacity": {"pods": 32, "sus_per_pod": 16}, "rails": 4},
        {"octet-v4", "nvidia-guide-v6", "dense-v4"},
        {
            "nvidia-guide-v4-2tier": "is for 2 tiers",
            "nvidia-guide-v4-3tier": "need 9 bits, and the infrastructure blocks",
        },
    ),
]


@pytest.mark.parametrize("changes, fitting, reasons", SUGGESTIONS)
def test_suggestions(changes, fitting, reasons):
    fabric = build(**changes)
    answer = suggest(fabric.description, fabric.clos)
    assert {name for name, against in answer.items() if not against} == fitting
    for name, part in reasons.items():
        assert part in " ".join(answer[name])


@pytest.mark.parametrize(
    "addressing",
    [
        "",
        "addressing:",
        "addressing: {}",
        "addressing: {inter_switch: numbered-31}",
        "addressing: {profile: nvidia-guide-v4-3tier}",
        "addressing: {profile: octet-v5}",
    ],
)
def test_suggestions_before_a_profile_fits(addressing, tmp_path):
    """Which is when they are wanted."""
    text = (INVENTORIES / "max-524288" / "model" / "fabric.yml").read_text(encoding="utf-8")
    (tmp_path / "fabric.yml").write_text(
        text.replace("addressing: {profile: octet-v4}", addressing), encoding="utf-8"
    )
    answer = of_file(str(tmp_path / "fabric.yml"))
    assert [name for name, reasons in answer.items() if not reasons] == [
        "nvidia-guide-v6",
        "octet-v4",
        "dense-v4",
    ]


def test_suggestions_need_a_fabric_that_can_be(tmp_path):
    (tmp_path / "fabric.yml").write_text("name: lab\ntires: 2\n", encoding="utf-8")
    with pytest.raises(FabricError, match="did you mean 'tiers'") as caught:
        of_file(str(tmp_path / "fabric.yml"))
    assert not any(", addressing:" in sentence for sentence in caught.value.sentences)


@pytest.mark.parametrize("changes, fitting, _reasons", SUGGESTIONS)
def test_a_suggested_profile_loads_and_the_others_do_not(changes, fitting, _reasons):
    """The promise of the list."""
    for profile in profiles.names():
        if profile in ("custom", "table"):
            continue
        if profile in fitting:
            build(**changes, addressing={"profile": profile})
        else:
            with pytest.raises(FabricError):
                build(**changes, addressing={"profile": profile})


CUSTOM = {
    "base": "10.64.0.0/12",
    "link_length": 31,
    "fields": [
        {"name": "pad", "width": 1, "value": 1},
        {"name": "rail", "width": 3},
        {"name": "su", "width": 8, "max": 199},
        {"name": "host", "width": 7},
        {"name": "side", "width": 1, "values": {"host": 1, "leaf": 0}},
    ],
}


def custom(**changes):
    """A custom layout with changes: fields by number, or whole keys."""
    made = copy.deepcopy(CUSTOM)
    for key, value in changes.items():
        if key.startswith("f"):
            made["fields"][int(key[1:])].update(value)
        else:
            made[key] = value
    return {"profile": "custom", "custom": made}


def test_custom_layout():
    fabric = build(addressing=custom())
    host, leaf = fabric.plan.link(Node(0, 3, 7), NicPort(5, 0))
    assert text(host, 4) == "10.77.3.15"
    assert text(leaf, 4) == "10.77.3.14"
    (place,) = fabric.locate("10.77.3.14")
    assert (place["side"], place["prefix"], place["peer_address"]) == (
        "leaf",
        "10.77.3.14/31",
        "10.77.3.15",
    )


def test_custom_layout_of_slash_30():
    fabric = build(
        addressing=custom(
            base="10.64.0.0/11",
            link_length=30,
            f4={"width": 2, "values": {"host": 2, "leaf": 1}},
        )
    )
    port = fabric.slice(Node(0, 3, 7))["ports"][5]
    (place,) = fabric.locate(port["address"])
    network = ipaddress.ip_network(place["prefix"])
    assert network.prefixlen == 30
    assert [ipaddress.ip_address(port[key]) for key in ("gateway", "address")] == list(
        network.hosts()
    )


ORDERS = [
    # leading fields, planes, routes of rail 3 in the last plane
    (["rail"], {}, ["10.70.0.0/15", "10.64.0.0/12"]),
    (["plane", "rail"], TWO_PLANES, ["10.75.0.0/16", "10.72.0.0/13"]),
    (["rail", "plane"], TWO_PLANES, ["10.71.0.0/16"]),
]


@pytest.mark.parametrize("leading, planes, routes", ORDERS)
def test_routes_of_a_custom_layout_stay_inside_a_plane(leading, planes, routes):
    widths = {"plane": 1, "rail": 3}
    fields = [{"name": name, "width": widths[name]} for name in leading]
    fields += [
        {"name": "su", "width": 5},
        {"name": "host", "width": 7},
        {"name": "side", "width": 1},
    ]
    free = 20 - sum(field["width"] for field in fields)
    fields[-3]["width"] += free
    made = {"base": "10.64.0.0/12", "link_length": 31, "fields": fields}
    fabric = build(planes=planes, addressing={"profile": "custom", "custom": made})
    assert fabric.plan.routes(Node(0, 0, 0), NicPort(3, fabric.clos.planes - 1)) == routes


WRONG_CUSTOM = [
    (custom(f2={"name": "rail"}), "fields[2]: 'rail' already stands in fields[1]"),
    (custom(f2={"max": 256}), "fields[2].max: 256 does not fit 8 bits: use 0 to 255"),
    (custom(f0={"value": 2}), "fields[0].value: 2 does not fit 1 bits: use 0 to 1"),
    (custom(f4={"values": {"host": 1}}), "fields[4].values: one side has no code"),
    (custom(f4={"values": {"host": 1, "leaf": 1}}), "have the same code"),
    (custom(f4={"values": {"host": 2, "leaf": 1}}), "a code does not fit 1 bits"),
    (custom(f1={"values": {"host": 1, "leaf": 0}}), "only the field side is coded"),
    (custom(link_length=30), "link_length: /30 does not end before the side alone"),
    (custom(link_length=32), "link_length: /32 does not end before the side alone"),
    (custom(link_length=8), "is no prefix length of a link inside 10.64.0.0/12"),
    (custom(link_length=64), "is no prefix length of a link inside 10.64.0.0/12"),
    (custom(base="10.64.0.0/16"), "addressing.custom.base: its fields need 20 bits"),
    (custom(base="10.64.0.0/9"), "is not a prefix"),
    (
        custom(f2={"max": 2}),
        "su 3 does not fit the 8-bit su field of custom (max 2): widen the field",
    ),
    (custom(f3={"name": "pad"}), "custom has no host field and 64 hosts need one"),
    ({"profile": "custom"}, "addressing.custom: the key is missing"),
]


@pytest.mark.parametrize("addressing, part", WRONG_CUSTOM)
def test_wrong_custom_layouts(addressing, part):
    with pytest.raises(FabricError) as caught:
        build(addressing=addressing)
    assert part in str(caught.value)
    assert str(caught.value).startswith("fabric.yml, addressing.")


def test_table_gives_the_addresses_of_the_site():
    fabric = example("brownfield-256")
    (place,) = fabric.locate("10.40.1.53")
    assert (place["device"], place["port"], place["side"]) == ("gpu-120", "rail3p1", "host")
    assert (place["peer_device"], place["peer_address"]) == ("tor-a2", "10.40.1.52")
    assert place["prefix"] == "10.40.1.52/31"
    routes = fabric.slice("gpu-120")["ports"][2]["routes"]
    assert "10.40.1.52/31" in routes
    assert len(routes) == 32


LINKS = """place,host,leaf
su01/h01/rail1p1,10.4.0.1/31,10.4.0.0/31
su01/h02/rail1p1,10.4.0.3/31,10.4.0.2/31
"""
WRONG_TABLES = [
    (LINKS.replace("10.4.0.3", "10.4.0.1"), "line 3: 10.4.0.1 already stands in line 2"),
    (LINKS.replace("10.4.0.2/31", "10.4.0.4/31"), "10.4.0.3/31 and 10.4.0.4/31 are not of one"),
    (LINKS.replace("h02/rail1p1", "h01/rail1p1"), "su01/h01/rail1p1 stands there twice"),
    (LINKS.replace("h02", "h03"), "(h 03, and there are 1 to 2)"),
    (LINKS.replace("rail1p1", "rail9p1"), "'su01/h01/rail9p1' is not a NIC port"),
    (LINKS.replace("10.4.0.3/31", "10.4.0.3/x"), "'10.4.0.3/x' has no prefix length"),
    (LINKS.replace("10.4.0.3/31", "ten"), "'ten' is not an IPv4 or IPv6 address"),
    (LINKS.replace("10.4.0.3/31,10.4.0.2/31", "10.4.0.3/30,10.4.0.2/30"), "mixes prefix lengths"),
    (LINKS.rsplit("su01", 1)[0], "without a row: 1"),
    (LINKS.replace("10.4.0", "10.128.0"), "lies in 10.128.0.0/13, the block of loopback"),
    (LINKS.replace("10.4.0", "224.4.0"), "224.4.0.0 lies in 224.0.0.0/3"),
    ("place,host\n", "columns are not place,host,leaf"),
    ("", "columns are not place,host,leaf"),
]


def load_table(tmp_path, rows, **changes):
    """A fabric of two nodes with one rail whose links come from a CSV."""
    described_ = described(
        rails=1,
        capacity={"sus_per_pod": 1, "slots_per_su": 2},
        **{"addressing": {"profile": "table", "table": "links.csv"}, **changes},
    )
    (tmp_path / "fabric.yml").write_text(yaml.safe_dump(described_))
    (tmp_path / "links.csv").write_text(rows)
    return Fabric.load(str(tmp_path / "fabric.yml"))


def test_a_small_table(tmp_path):
    fabric = load_table(tmp_path, LINKS)
    assert fabric.slice(Node(0, 0, 1))["ports"][0]["gateway"] == "10.4.0.2"


@pytest.mark.parametrize("rows, part", WRONG_TABLES)
def test_wrong_tables(tmp_path, rows, part):
    with pytest.raises(FabricError) as caught:
        load_table(tmp_path, rows)
    assert part in str(caught.value)
    assert "links.csv" in str(caught.value)


def test_a_missing_table(tmp_path):
    with pytest.raises(FabricError, match=r"addressing.table: .*gone.csv cannot be read"):
        load_table(tmp_path, LINKS, addressing={"profile": "table", "table": "gone.csv"})
    with pytest.raises(FabricError, match=r"addressing.table: the key is missing"):
        build(addressing={"profile": "table"})
