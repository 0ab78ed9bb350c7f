# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The typed registry of tenants (`tenants.yml`, beside the description).

    tenants:
      - id: 21
        slug: acme
        nodes: ["su01/[01-16]", worker-su02-rack01-h01]
        networks: [east-west, storage]
        quotas: {nodes: 64}
        shared: [storage]
    rest:
      - {nodes: ["su02/h02"], acceptance: burn-in}
    moving:
      worker-su02-rack01-h03: {from: acme, to: rest, step: withdraw}

Nodes that nobody names sit in `quarantine`. `rest` holds clean nodes by acceptance group. A moving
record decides a node's place while it lasts, whatever the lists say.
"""

from __future__ import annotations

import contextlib
import copy
import ipaddress
import re
import typing as t

from ..description import endpoints
from ..description._third_party import pydantic
from ..description.base import Strict
from ..description.description import NO_BLANK, VRF_NAME, WORD, Day

Field = pydantic.Field

QUARANTINE, REST = "quarantine", "rest"
RESERVED_SLUGS = (QUARANTINE, REST, "default", "mgmt")
QUARANTINE_ID, REST_ID = 1, 2
FIRST_SERVICE_ID, FIRST_TENANT_ID, LAST_ID = 3, 16, 65535
STORAGE_ID = 4
DEFAULT_SERVICES = {"shared": 3, "storage": STORAGE_ID}
VRF_NAME_LENGTH = 15
"""A VRF is a network device of Linux, whose names have at most 15 characters."""

Network = t.Literal["east-west", "storage", "front-end"]
OTHERS: tuple[t.Literal["front-end", "storage"], ...] = ("front-end", "storage")
"""The networks of the converged fabric."""
L3VNI_BASE = {"east-west": 4_000_000, "front-end": 4_100_000, "storage": 4_200_000}
L2VNI_BASE = {"front-end": 4_300_000, "storage": 4_400_000}
SITE_STEP = 1_000_000
"""Distance between the VNIs of two sites; the largest one of the last site, 10,465,535, is below 2^24."""

Step = t.Literal[
    "drain",
    "shut",
    "quarantine",
    "withdraw",
    "open",
    "wipe",
    "rest",
    "accept",
    "join",
    "verify",
    "release",
]
STEPS: tuple[str, ...] = t.get_args(Step)


def is_route_target(text: str) -> bool:
    """Check whether a text is a route target in its only spelling, of eight bytes with its type."""
    match = re.fullmatch(r"([1-9][0-9]{0,9}):(0|[1-9][0-9]{0,9})", text)
    administrator, number = (int(match[1]), int(match[2])) if match else (0, 0)
    room = 2**32 if administrator < 2**16 else 2**16
    return 0 < administrator < 2**32 and number < room


def _route_target(text: str) -> str:
    """Route targets are compared as text, so 64512:04000021 must not be another one."""
    if not is_route_target(text):
        raise ValueError(
            "a route target such as 64512:4000021 (a 2-byte AS number and a number up to "
            "4294967295, or a 4-byte one and a number up to 65535, without leading zeros)"
        )
    return text


def _interface(text: str) -> str:
    with contextlib.suppress(ValueError):
        if "/" in text:
            return str(ipaddress.ip_interface(text))
    raise ValueError("an address with its length, such as 192.0.2.0/31")


def _prefix(text: str) -> str:
    with contextlib.suppress(ValueError):
        if "/" in text:
            return str(ipaddress.ip_network(text))
    raise ValueError(
        "a prefix such as 192.0.2.0/24 or 2001:db8::/32, with no bit set behind its length"
    )


def _subnet(text: str) -> str:
    with contextlib.suppress(ValueError):
        network = ipaddress.IPv4Network(text)
        if "/" in text and 8 <= network.prefixlen <= 29:
            return str(network)
    raise ValueError(
        "an IPv4 prefix of length 8 to 29 such as 10.208.14.0/23, with no bit set behind its length"
    )


Slug = t.Annotated[str, Field(pattern=WORD)]
Address = t.Annotated[str, pydantic.AfterValidator(endpoints.address)]
Interface = t.Annotated[str, pydantic.AfterValidator(_interface)]
Prefix = t.Annotated[str, pydantic.AfterValidator(_prefix)]
Subnet = t.Annotated[str, pydantic.AfterValidator(_subnet)]
FIRST_VLAN = 11
Vlan = t.Annotated[int, Field(ge=FIRST_VLAN, le=3999)]
"""VLAN 1 is a bridge's default, 2 to 10 are those that a switch uses by itself, from 4000 on they are for L3VNIs."""
Asn = t.Annotated[int, Field(ge=1, le=4_294_967_295)]
VrfName = t.Annotated[str, Field(pattern=VRF_NAME)]
NodeText = t.Annotated[str, Field(pattern=NO_BLANK)]
RouteTarget = t.Annotated[str, pydantic.AfterValidator(_route_target)]


class Quotas(Strict):
    """The most that a tenant may hold."""

    nodes: t.Annotated[int, Field(ge=0)] | None = Field(default=None, description="Most nodes.")
    gpus: t.Annotated[int, Field(ge=0)] | None = Field(
        default=None, description="Most GPUs; a node has one for each rail."
    )


class FrontEnd(Strict):
    """Values of a tenant's front-end network, instead of the computed ones."""

    vlan: Vlan | None = Field(
        default=None, description="VLAN on the front-end leaves; by default the id, up to 1999."
    )
    subnet: Subnet | None = Field(
        default=None,
        description="IPv4 subnet of its hosts; by default cut from networks.front_end.subnets.",
    )


class Storage(Strict):
    """Values of a tenant's or service's storage network, instead of the computed ones."""

    vlan: Vlan | None = Field(
        default=None,
        description="VLAN on the storage leaves; by default 2000 + id, where the id is up to 1999.",
    )
    subnet: Subnet | None = Field(
        default=None,
        description="IPv4 subnet of hosts and storage; by default cut from networks.storage.subnets.",
    )
    vips: list[Address] = Field(
        default_factory=list,
        description="Addresses that the storage array has for it; they move between the array's ports.",
    )


class ExternalPeer(Strict):
    """A BGP neighbour of the tenant outside the fabric, on a link of networks.border."""

    name: Slug = Field(description="Short name of the neighbour.")
    link: Slug = Field(description="Link of networks.border.links that leads to it.")
    network: t.Literal["front-end", "storage"] = Field(
        default="front-end", description="Network whose VRF peers with it."
    )
    tagged: bool = Field(
        default=True,
        description="true: an 802.1Q subinterface, so that tenants share the link; false: the port itself.",
    )
    vlan: Vlan | None = Field(
        default=None,
        description="VLAN of the subinterface; by default 3000 + id, where the id is up to 999.",
    )
    address: Interface | None = Field(
        default=None,
        description="Address of the border leaf, with its length; without it the session is unnumbered.",
    )
    peer_address: Address | None = Field(default=None, description="Address of the neighbour.")
    asn: Asn = Field(description="Its AS number.")
    local_as: Asn | None = Field(
        default=None,
        description="AS number that the border leaf has for it; by default that of networks.border, or of the leaf.",
    )
    local_as_replaces: bool = Field(
        default=True,
        description="true: it sees local_as alone; false: the border leaf's own AS number behind it too.",
    )
    announce_private: bool = Field(
        default=False,
        description="true: private prefixes of the tenant are announced to it, though its AS number is a public one.",
    )
    password: bool = Field(
        default=False,
        description="true: the session has a password (MD5), from spx_external_passwords.",
    )
    bfd: bool = Field(default=False, description="true: BFD watches the session.")
    ttl_security: t.Annotated[int, Field(ge=1, le=254)] | None = Field(
        default=None, description="Hops to the neighbour that TTL security allows; off by default."
    )
    default: bool = Field(default=True, description="true: a default route is accepted from it.")
    prefixes: list[Prefix] = Field(
        default_factory=list, description="Prefixes accepted from it, and their parts."
    )
    maximum: t.Annotated[int, Field(ge=1, le=4_294_967_295)] = Field(
        default=1000, description="Prefixes beyond which the session is ended."
    )
    warning: t.Annotated[int, Field(ge=1, le=100)] = Field(
        default=75, description="Percentage of maximum from which the switch warns."
    )
    reestablish_wait: t.Annotated[int, Field(ge=1, le=4_294_967_295)] = Field(
        default=60, description="Seconds until a session that maximum has ended is tried again."
    )


class ProvisioningPeer(Strict):
    """A BGP neighbour that leads quarantine and rest to the provisioning servers, and to nothing else."""

    name: Slug = Field(description="Short name of the neighbour.")
    link: Slug = Field(description="Link of networks.border.links that leads to it.")
    asn: Asn = Field(description="Its AS number.")
    password: bool = Field(
        default=False,
        description="true: the sessions have a password (MD5), from spx_external_passwords.",
    )
    bfd: bool = Field(default=False, description="true: BFD watches the sessions.")


class RouteTargets(Strict):
    """Route targets that an existing numbering already uses, instead of the computed one."""

    imports: t.Annotated[list[RouteTarget], Field(min_length=1)] = Field(
        description="Route targets that the VRF imports."
    )
    exports: t.Annotated[list[RouteTarget], Field(min_length=1)] = Field(
        description="Route targets that the VRF exports."
    )


class Takeover(Strict):
    """Existing numbering of a VRF; each key replaces what would be computed."""

    vrf: VrfName | None = Field(default=None, description="Name of the VRF.")
    l3vni: t.Annotated[int, Field(ge=1, le=16_777_215)] | None = Field(
        default=None, description="L3VNI of the VRF."
    )
    route_targets: RouteTargets | None = Field(
        default=None, description="Route targets of the VRF."
    )
    rd_id: t.Annotated[int, Field(ge=1, le=65535)] | None = Field(
        default=None, description="Number behind the loopback in the route distinguisher."
    )


class Service(Takeover):
    """A VRF of shared services, which tenants may be entitled to reach."""

    id: t.Annotated[int, Field(ge=1, le=LAST_ID)] = Field(description="3 to 15.")
    slug: Slug = Field(description="Short name that people type.")
    nodes: list[NodeText] = Field(default_factory=list, description="Nodes that offer the service.")
    networks: t.Annotated[list[Network], Field(min_length=1)] | None = Field(
        default=None,
        description="Networks that it is on: by default east-west, and storage for the service with the id 4.",
    )
    front_end: FrontEnd = FrontEnd()
    storage: Storage = Storage()

    @property
    def entitled(self) -> tuple[Network, ...]:
        """The networks that it is on."""
        if self.networks is not None:
            return tuple(self.networks)
        return ("east-west", "storage") if self.id == STORAGE_ID else ("east-west",)


class Tenant(Takeover):
    """A customer: its nodes, networks and numbers."""

    id: t.Annotated[int, Field(ge=1, le=LAST_ID)] = Field(
        description="16 or more; never used again."
    )
    slug: Slug = Field(description="Short name that people type.")
    nodes: list[NodeText] = Field(
        default_factory=list, description="Names or places of nodes, or ranges of either."
    )
    networks: t.Annotated[list[Network], Field(min_length=1)] = Field(
        default=["east-west"], description="Networks the tenant is entitled to."
    )
    quotas: Quotas = Quotas()
    shared: list[Slug] = Field(
        default_factory=list, description="Services, or other tenants, whose VRF it may reach."
    )
    front_end: FrontEnd = FrontEnd()
    storage: Storage = Storage()
    external_peers: list[ExternalPeer] = Field(default_factory=list)
    host_access: t.Literal["managed", "none"] = Field(
        default="none", description="Login of playbooks to its hosts."
    )
    routes: t.Literal["exact", "rail", "leaf"] = Field(
        default="exact",
        description="exact: every host link; rail: of the leaf's rails; leaf: collapsed by leaf.",
    )
    since: Day | None = Field(default=None, description="Day of the onboarding.")
    contact: str | None = Field(
        default=None, description="Person to notify; never read by a playbook."
    )

    @property
    def entitled(self) -> tuple[Network, ...]:
        """The networks that it is on."""
        return tuple(self.networks)


class Rest(Strict):
    """Clean nodes that may reach each other, and nobody else, for acceptance tests."""

    nodes: t.Annotated[list[NodeText], Field(min_length=1)] = Field(
        description="Names or places of nodes, or ranges of either."
    )
    acceptance: Slug | None = Field(
        default=None, description="Acceptance group; without it each node reaches only itself."
    )


RunName = t.Annotated[str, Field(max_length=200, pattern=NO_BLANK)]
Proof = t.Literal["firmware", "acceptance"]
"""Hooks that a node may have passed or not; of the wipe, which no node may lack, `WipeRecord` says more."""


class WipeRecord(Strict):
    """Reason that a node has no data of its last customer."""

    on: Day = Field(description="Day of the wipe, or of the decision that none is needed.")
    by: t.Literal["bmc", "provisioner", "hand", "elsewhere", "registry", "hook"] = Field(
        description="Witness of the hook wipe: bmc, provisioner or hand; elsewhere: the site wipes by other means; "
        "registry: it lists no customer of the node. hook is in plans alone, until somebody confirms."
    )
    run: RunName | None = Field(
        default=None, description="Run whose hook wiped it; for bmc, provisioner and hand."
    )
    reason: str | None = Field(
        default=None, description="Method of the wipe, for elsewhere; the note of a confirmation."
    )
    nic: t.Literal["read", "elsewhere"] | None = Field(
        default=None,
        description="Verdict on its cards: read: firmware and settings were as wanted after the wipe; "
        "elsewhere: the site judges them by other means. registry needs none.",
    )


class Acceptance(Strict):
    """Record of a node's acceptance, with who gave it."""

    on: Day = Field(description="Day of the acceptance.")
    by: t.Literal["measured", "hand", "hook"] = Field(
        description="Witness of the hook acceptance: measured or hand. hook is in plans alone, until somebody "
        "confirms."
    )
    run: RunName = Field(description="Run whose hook tested it.")
    reason: str | None = Field(default=None, description="The note of the confirmation.")


class MovingRecord(Strict):
    """A node on its way; `step` is the one being carried out."""

    from_: Slug = Field(alias="from", description="Tenant, rest or quarantine it leaves.")
    to: Slug = Field(description="Tenant, rest or quarantine it goes to.")
    step: Step = Field(description="Step of the move that is being carried out.")
    acceptance: Slug | None = Field(
        default=None,
        description="Acceptance group in rest; without it the node reaches only itself.",
    )
    since: Day | None = Field(default=None, description="Day on which the move began.")
    had: Slug | None = Field(
        default=None, description="Customer that had it last, where from does not say so."
    )
    passed: list[Proof] | None = Field(
        default=None, description="Hooks of the site that it has passed on its way."
    )
    no_hook: list[Proof] | None = Field(
        default=None, description="Hooks of its way that the site does not have."
    )
    clean: WipeRecord | None = Field(
        default=None,
        description="Reason that it has no data of its last customer; from the wipe on.",
    )
    accepted: Acceptance | None = Field(
        default=None, description="Witness that it passed its acceptance; from the step accept on."
    )
    run: RunName | None = Field(
        default=None,
        description="Run that carries it on: its machine, its process, and a number of its own.",
    )

    def plain(self) -> dict[str, t.Any]:
        """The record as the file has it."""
        return self.model_dump(by_alias=True, exclude_none=True)


class Health(Strict):
    """Record of a node that nobody rents; without `clean` it is not wiped."""

    since: Day | None = Field(default=None, description="Day it came.")
    had: Slug | None = Field(default=None, description="Customer that had it last.")
    clean: WipeRecord | None = Field(
        default=None, description="Reason that it has no data of its last customer."
    )
    accepted: Acceptance | None = Field(
        default=None, description="Witness that it passed its acceptance."
    )
    passed: list[Proof] = Field(default_factory=list, description="Hooks it passed.")
    no_hook: list[Proof] = Field(
        default_factory=list,
        description="Hooks that the site did not have when it came: nothing was checked.",
    )


class RetiredTenant(Takeover):
    """A former tenant; its numbers are given to nobody, and its VRF is removed where it is met."""

    id: t.Annotated[int, Field(ge=1, le=LAST_ID)] = Field(
        description="Id of the former tenant; never used again."
    )
    slug: Slug = Field(description="Short name that the former tenant had.")


class TenantsFile(Strict):
    """The whole of `tenants.yml`."""

    leaking: bool = Field(
        default=False, description="true: 'shared' is realised by importing routes between VRFs."
    )
    customers_before: bool | None = Field(
        default=None,
        description="true: the fabric had customers before this registry began; a node without a record "
        "then needs a wipe. By default true where a row takes over numbering.",
    )
    vrfs_per_leaf: t.Annotated[int, Field(ge=1, le=4000)] | None = Field(
        default=None, description="VRFs expected on a leaf; from the capacity by default."
    )
    provisioning_peers: list[ProvisioningPeer] = Field(default_factory=list)
    tenants: list[Tenant] = Field(default_factory=list)
    services: list[Service] = Field(default_factory=list)
    rest: list[Rest] = Field(default_factory=list)
    moving: dict[str, MovingRecord] = Field(default_factory=dict)
    health: dict[str, Health] = Field(default_factory=dict)
    retired: list[RetiredTenant] = Field(default_factory=list)


Row = tuple[str | int, ...]


def judgeable(data: t.Any) -> tuple[TenantsFile, set[Row]] | None:
    """The file without the values that the schema refuses, and the rows that have them.

    None where such a row cannot be judged at all: it is no mapping, or lacks a key.
    """
    made, rows = copy.deepcopy(data), set[Row]()
    try:
        return TenantsFile.model_validate(made), rows
    except pydantic.ValidationError as exc:
        places = list(dict.fromkeys(error["loc"] for error in exc.errors()))
    for *path, last in reversed(places):  # from the end of a list, so that numbers stay true
        if len(path) < 2:
            return None
        held = made
        for part in path:
            held = held[part]
        held.pop(last, None) if isinstance(held, dict) else held.pop(last)
        rows.add(tuple(path[:2]))
    try:
        return TenantsFile.model_validate(made), rows
    except pydantic.ValidationError:
        return None
