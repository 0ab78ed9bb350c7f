# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The other networks of the description: front end, storage and border, on a fabric of their own.

networks:
  switches: {model: SN5600, fabric_speed: 400G}
  front_end: {host_speed: 200G}
  storage: {host_speed: 200G, array_speed: 200G, arrays: [{name: vast-1, ports: [1, 2]}]}
  border: {external_speed: 100G, links: [{name: isp-a, leaf: border-leaf-01-1, port: 1}]}

Leaves are in pairs, and every leaf has links to every converged spine. With `core: {}` one pair of switches has
the ports of all networks, and there are neither leaves nor spines.
"""

from __future__ import annotations

import re
import typing as t

from ._third_party import pydantic
from .base import Address, Field, PciPort, Prefix, Prefix4, Slug, Speed, Strict

MOST_PORTS = 256
"""Ports of a kind on a leaf; no switch of the catalog has more."""
Attachment = t.Literal["bond", "routed"]
ATTACHMENT = (
    "bond: LACP to both leaves by EVPN multihoming; routed: a link with addresses for each port."
)
Oversubscription = t.Annotated[int, Field(ge=1, le=8)]
PerNode = t.Literal[1, 2]


class NetworkSwitches(Strict):
    """The switches of the converged fabric."""

    model: str | None = Field(
        default=None, description="Model as in the catalog; that of the fabric by default."
    )
    fabric_speed: Speed | None = Field(
        default=None,
        description="Speed of a port between switches; that of the fabric by default.",
    )
    usable_ports: t.Annotated[int, Field(ge=2, le=1024)] | None = Field(
        default=None,
        description="Ports at fabric speed that may be used, first cages first; all by default.",
    )
    segments_per_leaf: t.Annotated[int, Field(ge=1, le=1024)] | None = Field(
        default=None,
        description=(
            "Ethernet segments that a leaf may have: one for each bond of a node or array. NVIDIA publishes no figure, "
            "so that none is checked by default."
        ),
    )


class Subnets(Strict):
    """Prefix of the owners' subnets, one subnet for each owner by its id."""

    prefix: Prefix4 = Field(description="IPv4 prefix that holds the subnets.")
    length: t.Annotated[int, Field(ge=8, le=29)] = Field(
        default=23, description="Prefix length of a subnet."
    )


class Provisioning(Strict):
    """Servers that nodes in quarantine and rest reach on the front end, and nothing else."""

    servers: list[Prefix] = Field(
        default_factory=list, description="Prefixes of the servers that install nodes."
    )
    dhcp: list[Address] = Field(default_factory=list, description="DHCP servers of the relay.")
    border: str | None = Field(
        default=None,
        description="Pair of border leaves, or the core, behind which the servers are, such as border-leaf-01.",
    )


def _array_port(value: int | str) -> int | str:
    """A one-based array port, of the first pair or of a stated one."""
    if not re.fullmatch(r"([1-9][0-9]{0,2}/)?[1-9][0-9]{0,2}", str(value)):
        raise ValueError("a one-based port of the first pair such as 1, or pair/port such as '2/1'")
    return value


ArrayPort = t.Annotated[t.Union[int, str], pydantic.AfterValidator(_array_port)]


class Server(Strict):
    """A login, management or service node, which is on no rail, and the tenants that it serves."""

    name: Slug = Field(description="Name of the server.")
    ports: t.Annotated[list[ArrayPort], Field(min_length=1)] = Field(
        description="One-based server ports, each on both leaves of a pair; of the first pair without 'pair/'."
    )
    tenants: t.Annotated[list[Slug], Field(min_length=1)] = Field(
        description="Tenants and services in whose front-end VLAN it is: that of one untagged, of several all tagged."
    )
    attachment: t.Literal["bond", "single"] = Field(
        default="bond",
        description="bond: LACP to both leaves by EVPN multihoming; single: each cable for itself.",
    )


class FrontEnd(Strict):
    """The network by which nodes and tenants reach the outside."""

    host_speed: Speed = Field(description="Speed of a front-end port of a node.")
    ports_per_node: PerNode = Field(
        default=2, description="Front-end ports of a node, on both leaves of its pair where 2."
    )
    attachment: Attachment = Field(
        default="bond",
        description=ATTACHMENT,
    )
    oversubscription: Oversubscription = Field(
        default=1, description="Bandwidth of the ports of a leaf over that of its uplinks."
    )
    subnets: Subnets = Subnets(prefix="10.208.0.0/13")
    dhcp: list[Address] = Field(
        default_factory=list,
        description="DHCP servers of tenants, reached in the VRF of the tenant.",
    )
    provisioning: Provisioning | None = Field(
        default=None,
        description="Servers that nodes in quarantine and rest reach; none by default.",
    )
    server_speed: Speed | None = Field(
        default=None, description="Speed of a server port; needed where server_ports is not 0."
    )
    server_ports: t.Annotated[int, Field(ge=0, le=MOST_PORTS)] = Field(
        default=0, description="Ports for servers on each front-end leaf."
    )
    servers: list[Server] = Field(
        default_factory=list, description="Login, management and service nodes at the server ports."
    )
    pci: list[PciPort] = Field(
        default_factory=list,
        description="PCI address of each front-end port of a node, such as 0000:01:00.0; without it hosts keep them.",
    )


class StorageArray(Strict):
    """A storage array and the ports it is cabled to."""

    name: Slug = Field(description="Name of the array.")
    ports: t.Annotated[list[ArrayPort], Field(min_length=1)] = Field(
        description="One-based array ports, each on both leaves of a pair; of the first pair without 'pair/'."
    )
    attachment: t.Literal["bond", "single"] = Field(
        default="bond",
        description="bond: LACP to both leaves by EVPN multihoming; single: each cable for itself.",
    )


class Storage(Strict):
    """The network between nodes and storage arrays."""

    mode: t.Literal["per-tenant", "shared"] = Field(
        default="per-tenant",
        description="per-tenant: a VLAN and VRF for each tenant; shared: one service VRF for all.",
    )
    node_ports: t.Literal[0, 1, 2] = Field(
        default=2,
        description="Storage ports of a node; 0 puts a tagged VLAN on its front-end bond.",
    )
    attachment: Attachment = Field(
        default="bond",
        description=ATTACHMENT,
    )
    host_speed: Speed | None = Field(
        default=None,
        description="Speed of a storage port of a node; needed where node_ports is not 0.",
    )
    array_speed: Speed | None = Field(
        default=None, description="Speed of an array port; needed where array_ports is not 0."
    )
    array_ports: t.Annotated[int, Field(ge=0, le=MOST_PORTS)] = Field(
        default=8, description="Ports for arrays on each storage leaf."
    )
    arrays: list[StorageArray] = Field(
        default_factory=list, description="Storage arrays at the array ports."
    )
    oversubscription: Oversubscription = Field(
        default=1, description="Bandwidth of the ports of a leaf over that of its uplinks."
    )
    subnets: Subnets = Subnets(prefix="10.216.0.0/13")
    array_prefixes: list[Prefix] = Field(
        default_factory=list,
        description="Prefixes behind BGP sessions that have arrays too; hosts have routes to them.",
    )
    pci: list[PciPort] = Field(
        default_factory=list,
        description="PCI address of each storage port of a node, such as 0000:02:00.0; without it hosts keep them.",
    )
    roce: bool = Field(
        default=False,
        description="RoCE class of rails (trust and PFC) on the ports of nodes that carry storage.",
    )


class BorderLink(Strict):
    """A port that is cabled to the outside."""

    name: Slug = Field(description="Name of the link; the registry of tenants names it.")
    leaf: str = Field(description="Name of the border leaf, or of the switch of the core.")
    port: t.Annotated[int, Field(ge=1, le=MOST_PORTS)] = Field(
        description="One-based external port of the leaf."
    )


class Border(Strict):
    """The leaves towards providers and routers of customers."""

    pairs: t.Annotated[int, Field(ge=1, le=99)] = Field(
        default=1, description="Pairs of border leaves."
    )
    external_speed: Speed = Field(description="Speed of an external port.")
    external_ports: t.Annotated[int, Field(ge=1, le=MOST_PORTS)] = Field(
        default=8, description="External ports of each border leaf."
    )
    asn: t.Annotated[int, Field(ge=1, le=4_294_967_295)] | None = Field(
        default=None,
        description="AS number that all sessions to the outside have, on every leaf; that of each leaf by default.",
    )
    links: list[BorderLink] = Field(
        default_factory=list,
        description="Links to the outside; other external ports are spare.",
    )


class Core(Strict):
    """One pair of switches for all networks, in place of leaves below spines."""

    links: t.Annotated[int, Field(ge=1, le=MOST_PORTS)] | None = Field(
        default=None,
        description="Links between the two switches; by default as many as carry what one of them alone is cabled to.",
    )


class Networks(Strict):
    """The converged fabric beside the east-west one: front end, storage and border."""

    switches: NetworkSwitches = NetworkSwitches()
    spines: t.Annotated[int, Field(ge=2, le=128)] | None = Field(
        default=None, description="Converged spines; the fewest that carry the capacity by default."
    )
    core: Core | None = Field(
        default=None,
        description="One pair of switches has the ports of all networks; leaves below spines by default.",
    )
    front_end: FrontEnd | None = Field(
        default=None, description="Ports of nodes towards tenants' users and the outside."
    )
    storage: Storage | None = Field(
        default=None, description="Storage arrays and how nodes reach them."
    )
    border: Border | None = Field(default=None, description="Leaves towards the outside.")
