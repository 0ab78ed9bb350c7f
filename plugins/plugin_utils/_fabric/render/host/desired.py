# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The desired state of one host, as plain data.

    desired(fabric, "worker-su01-rack01-h01", registry=registry)

    {schema, name, fabric, tenant, access: managed|none, manage: [role], rack: [pod, su, rack],
     ra, profile, cc_package, versions: {component: [version]}, doca: "3.3.0",
     own_versions: [component],   those that the settings say
     nics: [...],        entries as the NIC modules take them
     storage_nics: [...],   such entries of the cards of storage with QoS alone, where RoCE is asked for there
     resting: reason or "", resting_ports: {interface: reason},   see `outages.py`
     interfaces: [...],  see `interfaces.py`
     networks: [...],    see `networks.py`
     fabric_prefixes: [prefix],   what no other route of the host may point into
     nccl: {...}}        see `nccl.py`

Nothing is read from the host.
"""

from __future__ import annotations

import typing as t

from ...catalog import hardware, ra
from ...catalog.data import table
from ...description.errors import FabricError
from ...plan.topology.cabling import Node
from ...plan.topology.converged import FRONT_END, STORAGE
from ...tenants.nets import part_of
from ...tenants.registry import Registry
from . import interfaces, nccl, networks, outages

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .....module_utils._host.nccl import Plan as NcclPlan
    from .....module_utils._host.nccl import Stack
    from .....module_utils._json import Doc
    from ...description.description import Description
    from ...plan.fabric import Fabric
    from .interfaces import Interface
    from .networks import Attachment


SCHEMA = 1
PREFIX = "dpu_"
UNIT = "spx-cc@{rdma}.service"
# Key of the version set for each PCI device id.
FIRMWARE = {"a2dc": "bf3_fw", "1021": "cx7_fw", "1023": "cx8_fw"}
DPU_MODE: Doc = {"INTERNAL_CPU_MODEL": 1, "INTERNAL_CPU_OFFLOAD_ENGINE": 0}


class Settings(t.TypedDict, total=False):
    """Settings of the site over the profile and the validated set; see `desired`."""

    platform: str
    qos: Doc
    nvconfig: Doc
    inter_packet_gap: int | None
    watch: Doc
    table_base: int
    versions: Mapping[str, str | list[str]]


class Holder(t.TypedDict):
    """Tenant of a node, and the access of playbooks: managed or none."""

    tenant: str
    access: str


class Port(t.TypedDict):
    """A port of a card, for the watchdog; speed in Mb/s."""

    netdev: str
    pci: str
    mtu: int
    speed: int


class Firmware(t.TypedDict):
    """The version that a card has to run."""

    version: str


class Card(t.TypedDict):
    """A card, as module_utils/_nic/desired.py reads it; one in DPU mode is the DPU's to configure."""

    device: str
    multiplane: str
    planes: int
    nvconfig: Doc
    required: t.NotRequired[list[str]]
    qos: t.NotRequired[Doc]
    roce: t.NotRequired[ra.RocePart]
    firmware: t.NotRequired[Firmware]
    pci: str
    mode: str
    ports: list[Port]


class DesiredNode(Holder):
    """Everything about one node."""

    schema: int
    name: str
    fabric: str
    place: list[int]
    rack: list[int]
    resting: str
    resting_ports: dict[str, str]
    manage: list[str]
    ra: str
    profile: str
    cc_package: str | None
    versions: dict[str, list[str]]
    own_versions: list[str]
    doca: str | None
    nics: list[Card]
    storage_nics: list[Card]
    interfaces: list[Interface]
    networks: list[Attachment]
    fabric_prefixes: list[str]
    path_mtu: int
    nccl: NcclPlan


class Target(DesiredNode):
    """The desired state, with the version and the digest of the tool that applies it."""

    agent: str
    agent_sha256: str


def desired(
    fabric: Fabric,
    name: str,
    *,
    registry: Registry | None = None,
    settings: Settings | None = None,
) -> DesiredNode:
    """Everything about one node; FabricError with sentences when it cannot be said.

    `settings`: platform (such as h200, picks among versions), qos and inter_packet_gap (over the
    profile's), versions (over the validated set's), table_base (first routing table).
    """
    chosen = settings or {}
    node = fabric.known(name)
    if not isinstance(node, Node):
        raise FabricError.of(f"'{name}' is a switch: name a node such as {_some(fabric)}.")
    slice_ = fabric.slice(node)
    stated = fabric.stated(node)
    profile = _profile(fabric, stated)
    if wrong := hardware.platform_refusal(
        str(chosen.get("platform") or ""), *fabric.description.planes.of_nic
    ):
        raise FabricError.of(wrong)
    versions = _versions(fabric, chosen)
    table_base = int(chosen.get("table_base") or 1000)
    rows = interfaces.rows(fabric, slice_, table_base=table_base)
    registry = registry or Registry.load(fabric)
    attached = networks.planned(fabric, registry, node, slice_, table_base=table_base)
    stack: Stack = {
        "ra": profile["ra"],
        "nccl": versions.get("nccl", []),
        "hpcx": versions.get("hpcx", []),
    }
    return {
        "schema": SCHEMA,
        "name": slice_["name"],
        "fabric": slice_["fabric"],
        "place": [node.pod, node.su, node.slot],
        "rack": [node.pod, node.su, slice_["rack"]],
        **_holder(registry, node),
        "resting": outages.whole(fabric, node),
        "resting_ports": outages.ports(fabric, node),
        "manage": [role for role in fabric.description.manage if role.startswith(PREFIX)],
        "ra": profile["ra"],
        "profile": profile["profile"],
        "cc_package": profile["cc_package"],
        "versions": versions,
        "own_versions": sorted(chosen.get("versions") or {}),
        "doca": _first(versions.get("doca_host")),
        "nics": _nics(stated, rows, profile, versions, chosen),
        "storage_nics": list(_storage_nics(fabric, attached, profile, chosen)),
        "interfaces": rows,
        "networks": attached,
        "fabric_prefixes": interfaces.whole(rows),
        "path_mtu": slice_["mtu"]["path"],
        "nccl": nccl.facts(fabric, stack),
    }


def managed(fabric: Fabric, registry: Registry, node: Node) -> bool:
    """Check whether playbooks may log in to a node: all but those of tenants without host access."""
    return str(_holder(registry, node)["access"]) == "managed"


def _some(fabric: Fabric) -> str:
    """A node's name; of a planned one where none is built."""
    return fabric.name(next(fabric.nodes(), next(fabric.cabling.nodes())))


def _first(values: list[str] | None) -> str | None:
    return values[0].partition("-")[0] if values else None


def _holder(registry: Registry, node: Node) -> Holder:
    """Tenant and access. What a customer states counts; every other node is the operator's."""
    slug = registry.holding(node).slug
    access = next((row.host_access for row in registry.file.tenants if row.slug == slug), "managed")
    return {"tenant": slug, "access": access}


def device_id(stated: Description) -> str:
    """The PCI device id of the description's NIC model."""
    model = stated.nics.model
    for number, row in table("ra_profiles")["devices"].items():
        if row["name"] == model:
            return str(number)
    raise FabricError.of(f"nics.model: '{model}' has no PCI device id in the catalog.")


def site_file(fabric: Fabric) -> str | None:
    """The site's own profiles, if the description names a file."""
    names = fabric.description.site_profiles
    return fabric.beside(names[0]) if names else None


def _profile(fabric: Fabric, stated: Description) -> ra.Profile:
    mode, planes = stated.planes.of_nic
    release = stated.release.ra
    return ra.load_profile(
        release, device_id(stated), mode, site_file(fabric), planes=planes, overlay=True
    )


def _versions(fabric: Fabric, chosen: Settings) -> dict[str, list[str]]:
    """The validated set with the site's own words laid over it; {} where none is public."""
    release, site = fabric.description.release.ra, site_file(fabric)
    made: dict[str, list[str]] = {}
    if ra.version_id(release, site):
        found = ra.version_set(release, site, platform=chosen.get("platform") or None)
        made = {key: list(values) for key, values in found["versions"].items()}
    for key, value in (chosen.get("versions") or {}).items():
        made[key] = [str(v) for v in (value if isinstance(value, list) else [value])]
    return made


def _nics(
    stated: Description,
    rows: list[Interface],
    profile: ra.Profile,
    versions: Mapping[str, list[str]],
    chosen: Settings,
) -> list[Card]:
    speed = int(stated.switches.host_speed.rstrip("G")) * 1000
    part, mode = profile["nic"], _mode(stated)
    own = chosen.get("nvconfig") or {}
    firmware = versions.get(FIRMWARE.get(part["device"], ""))
    cards: dict[str, list[Interface]] = {}
    for row in rows:
        cards.setdefault(row["card"], []).append(row)
    made: list[Card] = []
    for pci, ports in cards.items():
        card: Card = {
            "device": part["device"],
            "multiplane": part["multiplane"],
            "planes": part["planes"],
            "nvconfig": DPU_MODE if mode == "dpu" else {**part["nvconfig"], **own},
            "pci": pci,
            "mode": mode,
            "ports": [
                {"netdev": row["name"], "pci": row["pci"], "mtu": row["mtu"], "speed": speed}
                for row in ports
            ],
        }
        if firmware:
            card["firmware"] = {"version": firmware[0]}
        if mode != "dpu":
            card["required"] = list(dict.fromkeys((*part["required"], *own)))
            card["qos"] = {**part["qos"], **(chosen.get("qos") or {})}
            card["roce"] = _roce(part["roce"], chosen)
        made.append(card)
    return made


LOSSLESS = ("trust", "pfc", "dscp2prio")
"""Parts of a rail's QoS that make the class of RoCE."""


def _storage_nics(
    fabric: Fabric, attached: list[Attachment], profile: ra.Profile, chosen: Settings
) -> Iterator[Card]:
    """The cards that carry storage, of which nothing but QoS is ever read or set."""
    storage = part_of(STORAGE, fabric.description)
    if storage is None or not storage.roce:
        return
    network = STORAGE if storage.node_ports else FRONT_END
    speed = int(str(part_of(network, fabric.description).host_speed).rstrip("G")) * 1000
    qos = {**profile["nic"]["qos"], **(chosen.get("qos") or {})}
    cards: dict[str, list[Attachment]] = {}
    for row in attached:
        if "pci" in row and row["network"] == network:
            cards.setdefault(row["pci"].rpartition(".")[0], []).append(row)
    for card, ports in cards.items():
        yield {
            "device": "",
            "multiplane": "none",
            "planes": 1,
            "nvconfig": {},
            "pci": f"{card}.0",
            "mode": "adapter",
            "ports": [
                {"netdev": row["name"], "pci": row["pci"], "mtu": row["mtu"], "speed": speed}
                for row in ports
            ],
            "qos": {key: qos[key] for key in LOSSLESS if key in qos},
        }


def _mode(stated: Description) -> str:
    nics = stated.nics
    return str(nics.mode) if nics.model.startswith("BlueField") else "adapter"


def _roce(part: ra.RocePart, chosen: Settings) -> ra.RocePart:
    gap = chosen.get("inter_packet_gap")
    return {
        **part,
        "cc": {**part["cc"], "run": True, "unit": UNIT},
        "inter_packet_gap": part["inter_packet_gap"] if gap is None else int(gap),
    }
