# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics for the tests of the core: the examples, and descriptions made on the spot."""

from __future__ import annotations

import copy
import typing as t
from pathlib import Path

import yaml
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.description import (
    Description,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.load import (
    typed,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.yaml_source import (
    Source,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric

ROOT = Path(__file__).resolve().parents[5]
INVENTORIES = ROOT / "inventories"
SMALL = ("lab", "lab-3tier")
EXAMPLES = (*SMALL, "h200-2048", "b300-4096", "brownfield-256", "multiplane-16384", "max-524288")

H200: dict[str, t.Any] = {
    "name": "test",
    "release": {"ra": "2.1", "cumulus": "5.16.1"},
    "switches": {"model": "SN5600", "host_speed": "400G", "fabric_speed": "400G"},
    "nics": {"model": "BlueField-3"},
    "rails": 8,
    "tiers": 2,
    "capacity": {"sus_per_pod": 4, "slots_per_su": 64, "nodes_per_rack": 4},
    "addressing": {"profile": "octet-v4"},
}
NETWORKS: dict[str, t.Any] = {
    "front_end": {"host_speed": "200G"},
    "storage": {"host_speed": "200G", "array_speed": "200G"},
    "border": {"external_speed": "100G"},
}
"""All other networks, with as few keys as they need."""
OOB: dict[str, t.Any] = {
    "prefix": "10.224.0.0/16",
    "uplinks": "outside",
    "outside": ["mgmt-a", "mgmt-b"],
    "dpus": 2,
    "controllers": ["10.250.1.0/28"],
    "services": ["10.250.0.0/24"],
    "dhcp": ["10.250.0.10"],
    "extras": [
        {"name": "nvlink-1", "kind": "nvlink", "mac": "48:b0:2d:00:00:01", "rack": "r1"},
        {"name": "pdu-a", "kind": "pdu"},
        {"name": "pdu-b", "kind": "pdu", "mac": "48:B0:2D:00:00:02"},
    ],
}
"""An out-of-band network whose leaves are cabled to the site's own switches."""
FEW: dict[str, t.Any] = {"sus_per_pod": 3, "slots_per_su": 12, "nodes_per_rack": 4}
"""A capacity of which a test may try every port."""
TWO_PLANES = {"count": 2, "mode": "split", "balancing": "swplb"}
CARRIED = ("ConnectX-8", "ConnectX-9")
PORTS = {4: {"host_speed": "200G"}, 8: {"model": "SN5400", "host_speed": "100G"}}
"""Ports for so many planes of a card of 800 Gb/s."""
BY_RAIL = {"count": 8, "mode": "by-rail"}


def example(name: str) -> Fabric:
    """The fabric of an example of the collection."""
    return Fabric.load(str(INVENTORIES / name / "model" / "fabric.yml"))


def with_core(stated: dict[str, t.Any]) -> dict[str, t.Any]:
    """Other networks on a core: one pair in place of leaves and spines."""
    made = copy.deepcopy({**stated, "core": {}})
    for link in made.get("border", {}).get("links", ()):
        link["leaf"] = link["leaf"].replace("border-leaf-01", "converged-core")
    if "provisioning" in made.get("front_end", {}):
        made["front_end"]["provisioning"]["border"] = "converged-core"
    return made


def core_lab() -> Fabric:
    """The example lab-converged with a core in place of leaves and spines."""
    text = (INVENTORIES / "lab-converged" / "model" / "fabric.yml").read_text(encoding="utf-8")
    stated = yaml.safe_load(text)
    source = Source("fabric.yml", {**stated, "networks": with_core(stated["networks"])}, {})
    return Fabric(typed(Description, source), source)


def described(**changes: t.Any) -> dict[str, t.Any]:
    """A 2,048-GPU description with changes; dictionaries are merged one level deep.

    Split planes get a card that carries them, and four or eight of them ports that it carries, unless these are stated.
    """
    made = dict(H200)
    for key, value in changes.items():
        old = made.get(key)
        made[key] = {**old, **value} if isinstance(old, dict) else value
    planes = made.get("planes") or {}
    count = planes.get("count", 1) if planes.get("mode", "split") == "split" else 1
    if count > 1 and "nics" not in changes:
        made["nics"] = {"model": "ConnectX-9" if count > 4 else "ConnectX-8"}
    if made["nics"]["model"] in CARRIED and "host_speed" not in changes.get("switches", {}):
        made["switches"] = {**made["switches"], **PORTS.get(count, {})}
    return made


def build(**changes: t.Any) -> Fabric:
    """The fabric of `described`, without a file."""
    source = Source("fabric.yml", described(**changes), {})
    return Fabric(typed(Description, source), source)


@st.composite
def networks(draw: t.Any) -> dict[str, t.Any]:
    """Other networks of every kind; some are impossible."""
    speeds = st.sampled_from(["100G", "200G", "400G"])
    share = st.sampled_from([1, 2, 3, 8])
    made: dict[str, t.Any] = {"switches": {"fabric_speed": draw(speeds)}}
    core = draw(st.integers(0, 3)) == 0
    if not core and draw(st.booleans()):
        made["spines"] = draw(st.integers(2, 9))
    made["front_end"] = {
        "host_speed": draw(speeds),
        "ports_per_node": draw(st.sampled_from([1, 2])),
        "attachment": draw(st.sampled_from(["bond", "routed"])),
        "oversubscription": draw(share),
    }
    if draw(st.booleans()):
        made["storage"] = {
            "node_ports": draw(st.sampled_from([1, 2])),
            "host_speed": draw(speeds),
            "array_speed": draw(speeds),
            "array_ports": draw(st.integers(1, 24)),
            "arrays": [{"name": "vast-1", "ports": [1]}],
            "oversubscription": draw(share),
        }
    if draw(st.booleans()):
        links = [{"name": "isp-a", "leaf": "border-leaf-01-2", "port": 1}]
        pairs = 1 if core else draw(st.integers(1, 3))
        made["border"] = {"external_speed": draw(speeds), "pairs": pairs}
        made["border"]["links"] = links
    return with_core(made) if core else made


@st.composite
def descriptions(draw: t.Any) -> dict[str, t.Any]:
    """Small descriptions of every kind; some are impossible."""
    rails = draw(st.sampled_from([1, 2, 3, 4, 8]))
    by_rail = rails in (2, 4, 8) and draw(st.booleans())
    planes = (
        {"count": rails, "mode": "by-rail"} if by_rail else draw(st.sampled_from([{}, TWO_PLANES]))
    )
    tiers = draw(st.sampled_from([2, 3]))
    wiring = {}
    if not by_rail and draw(st.booleans()):
        wiring = draw(
            st.sampled_from(
                [{"mode": "top-of-rack"}, {"rails_per_leaf": 2}, {"rails_per_leaf": rails}]
            )
        )
    return {
        "rails": rails,
        "planes": planes,
        "tiers": tiers,
        "wiring": wiring,
        "routing": {"adaptive_routing": False},
        "switches": {
            "host_speed": draw(st.sampled_from(["200G", "400G", "800G"])),
            "fabric_speed": draw(st.sampled_from(["200G", "400G", "800G"])),
            "usable_ports": draw(st.sampled_from([8, 12, 16, 24, 32, 48, 64])),
        },
        "capacity": {
            "pods": 1 if tiers == 2 else draw(st.integers(1, 5)),
            "sus_per_pod": draw(st.integers(1, 4)),
            "slots_per_su": draw(st.integers(1, 12)),
        },
    }
