# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Context of every feature of a switch's document: the plan's slice and roles' options."""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from .....module_utils._json import Doc, Json
from ...._nvue.document import release
from ...catalog.data import table
from ...catalog.roles import ROLES
from ...plan.slices import SwitchPort, SwitchSlice, model_of
from ...plan.topology.cabling import DOWN, HOST, UP, Switch
from ...plan.topology.cages import parse
from ...plan.topology.clos import EVPN_SPINES
from ...plan.topology.converged import CORE

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from ...description.description import Description
    from ...plan.fabric import Fabric
    from ...tenants.registry import Registry
    from ...tenants.vrfs import Vrf

Row = SwitchPort


class PfcRow(t.TypedDict):
    """The PFC constants of a port speed, up to a length of cable; bytes."""

    asic: str
    speed: str
    cable_max: int
    port_buffer: int
    xoff: int
    xon: int


class Snmp(t.TypedDict, total=False):
    """Settings of a role for SNMP."""

    community: str
    networks: list[str]


class User(t.TypedDict, total=False):
    """Settings of a role for an account."""

    role: str
    hashed_password: str
    full_name: str
    ssh_keys: dict[str, str]


class Options(t.TypedDict, total=False):
    """Settings of roles for a switch beside the description."""

    advanced_buffers: Json
    api_certificate: str
    ar_values: dict[str, object]
    banner: dict[str, str]
    cnp_shaper_kbps: int
    ecn: dict[str, Doc]
    external_passwords: dict[str, str]
    lldp: Doc
    maintenance: bool
    pfc: list[PfcRow]
    snmp: Snmp
    telemetry_certificate: str
    telemetry_certificates: dict[str, str]
    telemetry_client_certificate: str
    telemetry_groups: list[str]
    telemetry_interval: int
    timezone: str
    users: dict[str, User]


@dataclasses.dataclass(frozen=True)
class Context:
    """One switch: its place, its slice of the plan (see slices.py), and options of roles.

    `options` are plain values that roles pass (users, banner, PFC rows ...); `tenants` is what the
    tenants' feature needs and nothing else reads. `networks` are the VRFs of a leaf of the converged
    fabric; None where the registry was not asked.
    """

    fabric: Fabric
    device: Switch
    slice: SwitchSlice
    options: Options = dataclasses.field(default_factory=Options)
    tenants: Registry | None = None
    networks: list[Vrf] | None = None

    @property
    def registry(self) -> Registry:
        """The registry, for what is only rendered with one."""
        if self.tenants is None:
            raise ValueError("a context without tenants")
        return self.tenants

    @property
    def description(self) -> Description:
        """The fabric's description."""
        return self.fabric.description

    @property
    def role(self) -> str:
        """leaf, spine or super_spine; of the converged fabric a role of `roles.yaml`."""
        return self.device.role

    @property
    def converged(self) -> bool:
        """Check whether the switch is one of the converged fabric."""
        return ROLES[self.role].converged

    @property
    def oob(self) -> bool:
        """Check whether the switch is one of the out-of-band network."""
        return ROLES[self.role].oob

    @property
    def model(self) -> str:
        """The switch model; the converged fabric may have one of its own."""
        return model_of(self.fabric, self.device)

    def everywhere_since(self, since: release.Release) -> bool:
        """Check whether every release that switches of this fabric may run is that one or newer."""
        d = self.description
        return all(release.parse(text) >= since for text in (d.release.cumulus, *d.accept_releases))

    @property
    def asic(self) -> str:
        """The ASIC of the switch model, by the catalog."""
        return str(table("switches")["models"][self.model]["asic"])

    @functools.cached_property
    def ports(self) -> list[Row]:
        """All planned ports, in the order of the cages."""
        return self.slice["ports"]

    @functools.cached_property
    def host_ports(self) -> list[Row]:
        """Ports towards nodes."""
        return [row for row in self.ports if row["kind"] == HOST]

    @functools.cached_property
    def fabric_ports(self) -> list[Row]:
        """Ports towards switches."""
        return [row for row in self.ports if row["kind"] in (UP, DOWN)]

    @functools.cached_property
    def cages(self) -> dict[str, int]:
        """Cages that are broken out, with their factor: {"swp1": 2}."""
        return {f"swp{row['cage']}": row["breakout"] for row in self.ports if row["breakout"] > 1}

    @functools.cached_property
    def resting_ports(self) -> frozenset[str]:
        """Ports that the description takes out of service, named at either end of their cable."""
        listed = {(row.device, row.port) for row in self.description.out_of_service if row.port}
        if not listed:
            return frozenset()
        own = self.slice["name"]
        return frozenset(
            row["port"]
            for row in self.ports
            if {(own, row["port"]), (row["peer"]["device"], row["peer"]["port"])} & listed
        )

    def shut(self, row: Row) -> bool:
        """Check whether a port is administratively down: its peer is not built, or it is out of service.

        An open port that nobody uses is an invitation; a port out of service flaps when left up.
        """
        return not row["present"] or row["port"] in self.resting_ports

    @functools.cached_property
    def evpn_ports(self) -> frozenset[str]:
        """Fabric ports whose session carries EVPN: one for each neighbour that has it, two in a core."""
        rows = (row for row in self.fabric_ports if self.carries_evpn(row))
        return frozenset(_lowest(rows, 2 if self.role == CORE else 1))

    def carries_evpn(self, row: Row) -> bool:
        """Check whether EVPN runs with the neighbour of a fabric port."""
        if self.oob:
            return False
        if self.converged:
            spine = row["peer"]["index"] if row["kind"] == UP else self.device.index
            return spine < EVPN_SPINES
        upper = self.device
        if row["kind"] != DOWN:
            leaf = self.role == "leaf"
            role, pod = ("spine", upper.pod) if leaf else ("super_spine", upper.index)
            upper = Switch(role, upper.plane, pod, row["peer"]["index"])
        return self.fabric.cabling.relays_evpn(upper)

    @property
    def evpn_on_links(self) -> bool:
        """Check whether EVPN uses the sessions of the links; on the converged fabric it always does."""
        return self.converged or self.description.routing.evpn == "links"

    @property
    def evpn(self) -> bool:
        """Check whether the switch takes part in EVPN."""
        return any(self.carries_evpn(row) for row in self.fabric_ports)

    @functools.cached_property
    def evpn_peers(self) -> list[Row]:
        """The rows (ports) with which EVPN runs, of neighbours that are built."""
        carried = self.evpn_ports
        return [row for row in self.fabric_ports if row["present"] and row["port"] in carried]


def _lowest(rows: Iterable[Row], most: int) -> list[str]:
    """Ports to each neighbour: the lowest as the lower tier numbers them, so both ends agree."""
    found: dict[str, list[tuple[tuple[int, int], str]]] = {}
    for row in rows:
        lower = row["port"] if row["kind"] == UP else row["peer"]["port"]
        cage, sub = parse(lower) or (0, None)
        found.setdefault(row["peer"]["device"], []).append(((cage, sub or 0), row["port"]))
    return [port for ports in found.values() for _key, port in sorted(ports)[:most]]
