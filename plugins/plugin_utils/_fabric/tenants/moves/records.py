# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a tenant's job as the store of a run keeps it.

A field that ends in an underscore, as `from_` must in Python, has none where playbooks read it.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..attachments import Attachment
from ..prefixes import Prefixes

Names = list[str]
Note = dict[str, object]
"""A record of the registry (`moving` or `health` of a node) as its file has it."""
Watch = t.Literal["old_watched", "new_watched", "met"]
"""Lists of leaves of a node that gates ask."""


class NetworkEnd(t.TypedDict):
    """Place of the ports of a network: VRF, VLAN and subnet."""

    vrf: str
    vlan: int | None
    subnet: str | None


NetworkMove = t.TypedDict(
    "NetworkMove",
    {"network": str, "from": NetworkEnd | None, "to": NetworkEnd | None, "address": str},
)
"""Effect of a move on a node's ports of one of the other networks.

`from` and `to` are None where the ports are shut. `address`: changes (by DHCP) where the node is on a bond, stays where
its links are routed, none where the ports are shut at the goal.
"""


class NodeMove(t.TypedDict):
    """The move of a node.

    record          the record with which it begins, `records` the record while each step is carried out
    steps           the steps to take; `after` has the step that the registry names before each
    found           the step of the registry's record, empty without one; `seen` is [VRF, up] by port
    back            the record of a node that failed a proof; `health` what is known of it at the end
    had, wipe       the customer whose data may be there, and how they go; `cards` the way to a verdict on its cards
    ports           its attachments on all networks, also those that cannot be changed, as their leaf is out of service
    met, watched    the leaves that it is on, and those that watch for its routes
    others_links    its routed links on the other networks by old VRF: `old_watched` has their leaves too
    outside         by tenant the border leaves that announce these links
    """

    record: Note
    steps: Names
    records: dict[str, Note]
    found: str
    after: dict[str, str]
    seen: dict[str, list[str | bool | None]]
    back: Note
    health: Note
    had: str
    wipe: str
    cards: str
    ports: list[Attachment]
    others_links: dict[str, Names]
    outside: dict[str, Names]
    networks: list[NetworkMove]
    met: Names
    old_vrf: str
    new_vrf: str
    old_watched: Names
    new_watched: Names
    watched: Names
    group_leaves: Names
    old_prefixes: list[Prefixes]
    new_prefixes: list[Prefixes]
    routes: str
    managed: bool
    serial: str
    macs: Names
    bmc: str


@dataclasses.dataclass(frozen=True)
class HookCall:
    """A hook of the site, for one node; `prefixes` are of its old or new place, `managed`: playbooks may log in."""

    name: str
    node: str
    from_: str
    to: str
    prefixes: list[Prefixes]
    managed: bool
    bmc: str
    serial: str
    macs: Names


@dataclasses.dataclass(frozen=True)
class RegistryEdit:
    """An edit of the registry.

    slug, state       the tenant, and whether it is there at the end; None edits records of nodes alone
    fields            values of the tenant that change, by the names of the file
    add_nodes         nodes that it gets; with `take` from another one too, in rest with `acceptance`
    remove_nodes      nodes that it gives
    moves, health     records of nodes; an empty one is removed
    moves_at          the step at which the file must have the move of a node; `moves_of` the run that has it
    wait              seconds that the file may be held by others
    """

    slug: str | None = None
    state: str = "present"
    fields: dict[str, t.Any] = dataclasses.field(default_factory=dict)
    add_nodes: Names = dataclasses.field(default_factory=list)
    remove_nodes: Names = dataclasses.field(default_factory=list)
    take: bool = False
    acceptance: str | None = None
    moves: dict[str, Note] = dataclasses.field(default_factory=dict)
    moves_at: dict[str, str] = dataclasses.field(default_factory=dict)
    moves_of: dict[str, str] = dataclasses.field(default_factory=dict)
    health: dict[str, Note] = dataclasses.field(default_factory=dict)
    wait: int = 30


@dataclasses.dataclass(frozen=True)
class Entry:
    """Nodes that enter a tenant.

    `ending` are by leaf the VRFs that may be empty behind them, `others` the leaves of the other networks.
    """

    nodes: Names
    ending: dict[str, Names]
    others: Names


@dataclasses.dataclass(frozen=True)
class Job:
    """The plan of a tenant's playbook.

    job, tenant   what was asked
    lines         what is said before anything is touched
    acts          whether devices and registry may be changed: not in check mode, not without the role in `manage`
    planned       the steps of the move, also where none is taken
    steps         the steps to take, in order: those of a move, `enter` and `leave`
    nodes         the moves of nodes
    enter         who enters the tenant
    others        the leaves of the other networks that a tenant leaves which is offboarded
    extra, gone   nodes that the tenant has, or has no more, beside the registry's file
    hooks         those that the site has, by step
    hosts         the nodes of hooks to which playbooks may log in: each is proven before its hooks
    cards         the nodes whose cards are read, by step
    site_hooks    the hooks that the site has of its own; `hook_files` are the files of all hooks
    edits         edits of the registry, by name: begin, nodes, end
    leaves        the leaves that the job touches; `watched` those that it asks for routes
    runs          the run that has the record of each node; `run` is this one
    written       whether the registry may be written
    wait          seconds that a gate is waited for
    """

    job: str
    tenant: str
    acts: bool = False
    lines: Names = dataclasses.field(default_factory=list)
    planned: Names = dataclasses.field(default_factory=list)
    steps: Names = dataclasses.field(default_factory=list)
    nodes: dict[str, NodeMove] = dataclasses.field(default_factory=dict)
    enter: Entry | None = None
    others: Names = dataclasses.field(default_factory=list)
    extra: Names = dataclasses.field(default_factory=list)
    gone: Names = dataclasses.field(default_factory=list)
    hooks: dict[str, list[HookCall]] = dataclasses.field(default_factory=dict)
    hosts: Names = dataclasses.field(default_factory=list)
    cards: dict[str, Names] = dataclasses.field(default_factory=dict)
    site_hooks: Names = dataclasses.field(default_factory=list)
    hook_files: dict[str, str] = dataclasses.field(default_factory=dict)
    edits: dict[str, RegistryEdit] = dataclasses.field(default_factory=dict)
    leaves: Names = dataclasses.field(default_factory=list)
    watched: Names = dataclasses.field(default_factory=list)
    runs: dict[str, str] = dataclasses.field(default_factory=dict)
    run: str = ""
    written: bool = False
    wait: float = 0.0
