# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of a node's ports, as the applied documents of its leaves have them.

    seen(registry, {"leaf-p1-su001-r1": document}, of_node(fabric, node))
    -> [ObservedPort(vrf="t21-acme", up=True, ...)]

A routed port is in a VRF; a bond is in VLANs, whose interfaces are in VRFs.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..plan.topology.cabling import EAST_WEST
from .attachments import POLICIES, entitled
from .schema import QUARANTINE

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .attachments import Attachment, Policy
    from .nets import Net
    from .registry import Registry

Doc = t.Mapping[str, t.Any]
BRIDGE = "br_default"


@dataclasses.dataclass(frozen=True)
class ObservedPort:
    """A port of the node as its leaf has it applied; `vrf` is None where none is set.

    A port out of service (`resting`) is shut at every step, so that its being down shows nothing. So is a port with
    an owner that is not `entitled` to its network. `vrf` is the owner's VRF on the east-west network, whatever the
    port's network is, and `entitled` are such VRFs.
    """

    leaf: str
    port: str
    vrf: str | None
    up: bool
    resting: bool = False
    network: str = EAST_WEST
    entitled: frozenset[str] = frozenset()

    @property
    def silent(self) -> bool:
        """Return whether it shows nothing of where the node is."""
        return self._policy.silent and not self.up

    @property
    def _policy(self) -> Policy:
        return POLICIES[self.network]

    @property
    def key(self) -> str:
        """The port in what is kept between steps: a bond may have two networks."""
        return f"{self.leaf} {self.port} {self.network}"

    def asked(self, vrf: str, *, up: bool) -> bool:
        """Return whether it is to be up where its node is in this VRF, and up or down as given."""
        entitled = self._policy.everybody or vrf in self.entitled
        return up and entitled and not self.resting

    def at(self, vrf: str, *, up: bool) -> bool:
        """Return whether it is in this VRF, and up or down as given."""
        asked = self.asked(vrf, up=up)
        if asked or not self._policy.silent:
            return (self.vrf, self.up) == (vrf, asked)
        return not self.up

    def lacks(self, vrf: str) -> bool:
        """Return whether it is shut, and is to be up with its node in this VRF."""
        return self.silent and self.asked(vrf, up=True)


def seen(
    registry: Registry, applied: Mapping[str, t.Any], ports: Iterable[Attachment]
) -> list[ObservedPort]:
    """The ports as applied documents by leaf have them; a leaf without a document has no say."""
    return [
        found
        for at in ports
        if applied.get(at.leaf) is not None
        for found in _seen(registry, applied[at.leaf], at)
    ]


def _interface(document: Doc, name: str) -> dict[str, t.Any]:
    return (document.get("interface") or {}).get(name) or {}


def is_down(body: Doc) -> bool:
    """Return whether an interface is shut by its configuration."""
    state = (body.get("link") or {}).get("state") or {}
    return "down" in state if isinstance(state, dict) else state == "down"


def _seen(registry: Registry, document: Doc, at: Attachment) -> Iterator[ObservedPort]:
    """A port once for each VRF that it is in, and once where it is in none."""
    known, may_be = registry.cached(("seen", at.network), lambda: _known(registry, at.network))
    vrfs = list(_vrfs(document, at, {net.vlan: net.vrf for net in known.values()}))
    up = not is_down(_interface(document, at.swp)) and (bool(vrfs) or not at.tagged)
    here: list[str | None] = [known[v].owner.vrf if v in known else v for v in vrfs] or [None]
    if not up and at.policy.silent:
        here = [registry.owners[QUARANTINE].vrf]
    for vrf in here:
        yield ObservedPort(at.leaf, at.port, vrf, up, at.resting, at.network, may_be)


def _known(registry: Registry, network: str) -> tuple[dict[str, Net], frozenset[str]]:
    """The owners on a network by their VRF there, and the east-west VRFs of those that are entitled to it."""
    known = {net.vrf: net for (_slug, of), net in registry.nets.items() if of == network}
    owners = {net.owner for net in registry.nets.values()}
    return known, frozenset(o.vrf for o in owners if entitled(registry, o.slug, network))


def _vrfs(document: Doc, at: Attachment, by_number: Mapping[int, str]) -> Iterator[str]:
    """The VRFs that a port is in. A VLAN without an interface leads to nobody else than its owner."""
    if at.routed:
        vrf = _interface(document, at.swp).get("vrf")
        yield from [vrf] if vrf else []
        return
    for vlan in _vlans(document, at):
        number = int(vlan) if vlan.isdecimal() else 0
        yield _interface(document, f"vlan{vlan}").get("vrf") or by_number.get(
            number, f"VLAN {vlan}"
        )


def _vlans(document: Doc, at: Attachment) -> list[str]:
    """The VLANs of a bond that belong to a network: with two on one bond, storage is what is tagged."""
    bridge = _interface(document, at.port).get("bridge") or {}
    body = (bridge.get("domain") or {}).get(BRIDGE) or {}
    own = [str(body[key]) for key in ("access", "untagged") if body.get(key) not in (None, "none")]
    more = [str(vlan) for vlan in body.get("vlan") or {} if str(vlan) not in own]
    if at.tagged:
        return more
    return own if at.shares else [*own, *more]
