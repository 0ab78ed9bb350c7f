# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""View of one host for its checks."""

from __future__ import annotations

import dataclasses
import typing as t

from ....module_utils._host.records import Look
from ....module_utils._nic.desired import nics_from
from ....module_utils._nic.discover import card_of

if t.TYPE_CHECKING:
    from ....module_utils._host.records import FileResult, ProbeResult
    from ....module_utils._nic.desired import Nic
    from ....module_utils._nic.records import Card, PortRecord
    from ..render.host.desired import DesiredNode
    from ..render.host.identity import Identity
    from ..render.host.interfaces import Interface
    from .host_partners import Partner
    from .results import Subject


class SiteRequirements(t.TypedDict, total=False):
    """Requirements of the site beside the plan: a version of DOCA-Host, packages."""

    doca: str
    packages: list[str]


class LeafPort(t.TypedDict):
    """Settings of a host port in a leaf's applied configuration."""

    mtu: int
    speed: int
    roce: str | None
    trust: str | None
    dscp: dict[str, int]
    pfc: list[int]
    classes: dict[str, int]
    ecn: list[int]


class HostReading(Look):
    """State of a host as it was read, with the wanted state and the requirements of the site."""

    wanted: DesiredNode
    asked: SiteRequirements


@dataclasses.dataclass(frozen=True)
class View:
    """Plan of one host, and its state as it was read.

    `wanted` as of host.desired; `look` as of module host, empty where no NIC was asked for; `probe` as of
    its probe; `leaves` maps a leaf to what its applied configuration says of each host port
    (`host_pairs.leaf_ports`), absent where it was not read; `others` maps `same_leaf` and
    `across_leaves` to the node met there, or to why none is. `identity` is whose host it is; `addresses` are sentences
    on addresses that are not of the plan, None where they were not read. `allow` allows versions outside the set.
    `macs` are (name, MAC address) of its network devices on PCI, `unproven` the MAC addresses that its leaves resolve
    at ports of which LLDP proves nothing.
    """

    subject: Subject
    wanted: DesiredNode
    look: HostReading
    identity: Identity | None = None
    addresses: t.Sequence[str] | None = None
    allow: bool = False
    probe: ProbeResult | None = None
    leaves: t.Mapping[str, t.Mapping[str, LeafPort]] = dataclasses.field(default_factory=dict)
    others: t.Mapping[str, Partner] = dataclasses.field(default_factory=dict)
    macs: t.Sequence[tuple[str, str]] = ()
    unproven: t.Mapping[str, t.Mapping[str, t.Sequence[str]]] = dataclasses.field(
        default_factory=dict
    )

    @property
    def nics(self) -> t.Sequence[Card]:
        """The cards that were read."""
        return self.look["nics"].get("nics") or () if "nics" in self.look else ()

    @property
    def kept(self) -> list[FileResult]:
        """Files and units that a role of `manage` keeps.

        Those of schedulers follow from the interfaces, so that they count where those are as planned.
        """
        manage, network = set(self.wanted["manage"]), self.look["network"]
        kept = [self.look["agent"]] if {"dpu_qos", "dpu_congestion_control"} & manage else []
        if "dpu_interfaces" in manage and not network["error"] and not network["changed"]:
            kept.append(self.look["facts"])
        return kept

    @property
    def resting(self) -> t.Mapping[str, str]:
        """Interfaces whose link the description takes out of service, with the reason."""
        return self.wanted["resting_ports"]

    def unasked(self, what: str) -> str:
        """Reason that nothing is compared where the plan requires nothing of a card."""
        if any(nic.get("mode") == "dpu" for nic in self.wanted["nics"]):
            return (
                f"{self.subject.device}: its cards are planned in mode dpu, where the DPU sets {what}: "
                "nothing of it was wanted or read on the host, so check it on the DPU."
            )
        return (
            f"{self.subject.device}: the parameter set of RA {self.wanted['ra']} has no value for {what}: not "
            "compared."
        )

    def cards(self) -> t.Iterator[tuple[Card, Nic]]:
        """(found, wanted) of each card that was read."""
        found = [*self.nics, *(self.look["nics"].get("storage") or () if self.nics else ())]
        by_card = {card_of(record["pci"]): record for record in found}
        for nic in nics_from([*self.wanted["nics"], *self.wanted["storage_nics"]]):
            if card_of(nic.pci) in by_card:
                yield by_card[card_of(nic.pci)], nic

    def ports(self) -> t.Iterator[tuple[PortRecord, Interface]]:
        """(found port, planned interface) of each port that was read."""
        found = {port["pci"]: port for record in self.nics for port in record["ports"]}
        for row in self.wanted["interfaces"]:
            if row["pci"] in found:
                yield found[row["pci"]], row
