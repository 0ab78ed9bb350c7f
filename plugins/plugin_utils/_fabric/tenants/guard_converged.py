# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of a change on a leaf of the converged fabric, because of its present configuration.

* A node's port that is up with another customer than the registry's stays there, and is reported as tenant drift.
* The ports of a node that is moving stay as they are; only `tenant_move` goes on with it.
* A port that is shut, though the registry has its node with somebody who is entitled to the network, stays shut, and
  is reported by fleet runs: it may be in the middle of a move that another registry knows.
* A run that names nodes changes a port only while it is with nobody, or where the step may take it from.
* A VRF that a port is in which stays, stays too.
"""

from __future__ import annotations

import typing as t

from ..._nvue.change.plan import Held
from ..._nvue.document.paths import parse
from ..._nvue.document.shapes import below
from ..._nvue.document.tree import get
from . import attachments, nets
from .leaf_guard import CUSTOMERS, Guard, like
from .observed_ports import BRIDGE, Seen, is_down, seen

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ....module_utils._json import Doc
    from .attachments import Attachment

STORAGE_VRFS = ("s[3-9]-*", "s[1-9][0-9]*-*")
"""Computed names of every owner's storage but that of quarantine."""


class NetGuard(Guard):
    """The guard of a leaf of the other networks."""

    def hold(self, before: Doc, wish: Doc) -> Held:
        """Return the places that stay, with the reasons."""
        keep, notes, drift = list[str](), list[str](), list[str]()
        for at in self._ports:
            node, found = at.node, self._seen(before, at)
            if self.nodes is not None and node not in self.nodes:
                in_use = self._in_use(before, found)
                keep += [place for place in in_use if get(wish, parse(place)) is None]
            elif node not in self.leaving and (said := self._said(at, found, before)):
                keep += [*places(at), *self._in_use(before, found)]
                (notes if node in self.registry.moves else drift).append(said)
        if self.nodes is None:
            drift += self._vrfs(before, wish, keep)
        return Held(tuple(dict.fromkeys(keep)), tuple(notes), tuple(drift))

    def forbid(self, before: Doc, _after: Doc) -> tuple[str, ...]:
        """Refuse a change where another run has brought a node to a customer that this run does not know."""
        return tuple(
            f"{self.fabric.name(at.node)} is moving: port {found.port} of {found.leaf} is up in {found.vrf}, where "
            "this run has not put it: another run moves the node too; let that one finish, and run again if the node "
            "is not where it must be."
            for at in self._ports
            if (vrfs := self.only.get(at.node))
            for found in self._seen(before, at)
            if found.up and found.vrf not in (None, self._wanted(at), *vrfs)
        )

    def _seen(self, before: Doc, at: Attachment) -> list[Seen]:
        return seen(self.registry, {at.leaf: before}, [at])

    def _wanted(self, at: Attachment) -> str | None:
        """The VRF of who is to have a port, None where it is to be shut."""
        slug, up = attachments.placed(self.registry, at.node, at.network)
        return self.registry.owner(slug).vrf if up else None

    def _said(self, at: Attachment, found: list[Seen], before: Doc) -> str:
        """Reason that a port of the run's own nodes stays as it is; empty where it does not."""
        registry, name = self.registry, self.fabric.name(at.node)
        where = f"port {at.port} of {at.leaf} ({name})"
        record = registry.moves.get(at.node)
        if record is not None:
            return (
                f"{name} is moving from {record.from_} to {record.to} (step {record.step}): {where} stays as it is "
                "until tenant_move continues."
            )
        wanted, slug = self._wanted(at), registry.holding(at.node).slug
        for one in found:
            if one.up and one.vrf not in (wanted, None, *registry.yielding_vrfs()):
                return (
                    f"tenant drift: {where} is in {one.vrf}, registry says {slug}: run tenant_move, or correct the "
                    "registry."
                )
        shut = is_down(below(before, "interface", at.swp)) and not at.resting
        if self.nodes is None and wanted and registry.owner(slug).customer and shut:
            return (
                f"tenant drift: {where} is shut on the network {at.network}, registry says {slug}: run "
                f"tenant_onboard -e spx_tenant={slug}."
            )
        return ""

    def _in_use(self, before: Doc, found: list[Seen]) -> list[str]:
        """The VRFs, VLANs and gateways that ports are in which stay."""
        at = {(one.vrf, one.network) for one in found if one.up}
        every = self.registry.nets.values()
        names = {net.vrf for net in every if (net.owner.vrf, net.network) in at}
        names |= {vrf for vrf, _network in at if vrf in below(before, "vrf")}
        made = [f"vrf/{name}" for name in sorted(names)]
        for name, body in below(before, "interface").items():
            if isinstance(body, dict) and body.get("vrf") in names and name.startswith("vlan"):
                made += [f"interface/{name}", f"bridge/domain/{BRIDGE}/vlan/{name[4:]}"]
        return made

    def _retired(self) -> Iterator[str]:
        """The VRFs of former tenants on both networks: they are nobody's."""
        for row, owner in zip(self.registry.file.retired, self.registry.retired()):
            yield from (net.vrf for net in nets.of(row, owner, self.fabric.description))

    def _vrfs(self, before: Doc, wish: Doc, keep: list[str]) -> Iterator[str]:
        """VRFs of customers whom the registry does not know may have ports that nobody sees here."""
        known = {net.vrf for net in self.registry.nets.values()} | {*self._retired()}
        for name in sorted(below(before, "vrf").keys() - below(wish, "vrf").keys() - known):
            if f"vrf/{name}" not in keep and like(name, [*CUSTOMERS, *STORAGE_VRFS]):
                keep.append(f"vrf/{name}")
                yield (
                    f"tenant drift: {self.fabric.name(self.leaf)} has the VRF {name}, whose tenant the registry does "
                    "not list: correct the registry, or remove the VRF from the leaf manually."
                )


def places(at: Attachment) -> list[str]:
    """Return the part of a node's port that belongs to tenants."""
    names = dict.fromkeys((at.port, at.swp))
    return [
        f"interface/{at.swp}/link/state",
        *(
            f"interface/{name}/{what}"
            for name in names
            for what in ("bridge", "vrf", "ipv4", "ipv6", "acl/spx-tenant-*")
        ),
        f"acl/spx-tenant-house-*-{at.swp}",
    ]
