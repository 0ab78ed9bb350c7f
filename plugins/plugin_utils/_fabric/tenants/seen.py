# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the ports of a node are, as the applied documents of its leaves have them.

    seen(registry, {"leaf-p1-su001-r1": document}, ports_of(fabric, node)) -> [Seen(vrf="t21-acme", up=True, ...)]

A port of the east-west fabric is in a VRF. One of the converged fabric is a routed port in a VRF, or a bond in VLANs,
whose interfaces are in VRFs.
"""

from __future__ import annotations

import dataclasses
import typing as t

from .schema import QUARANTINE

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from .registry import Registry

Doc = t.Mapping[str, t.Any]
BRIDGE = "br_default"


@dataclasses.dataclass(frozen=True)
class Seen:
    """A port of the node as its leaf has it applied; `vrf` is None where none is set.

    A port out of service (`resting`) is shut at every step, so that its being down shows nothing. A port of the
    converged fabric is shut with every owner that is not `entitled` to its network, and while it is shut it is with
    nobody. `vrf` is the owner's VRF on the east-west network there too, and `entitled` are such VRFs.
    """

    leaf: str
    port: str
    vrf: str | None
    up: bool
    resting: bool = False
    network: str = "east-west"
    entitled: frozenset[str] = frozenset()

    @property
    def silent(self) -> bool:
        """Whether it shows nothing of where the node is."""
        return self.network != "east-west" and not self.up

    @property
    def key(self) -> str:
        """The port in what is kept between steps: a bond may have two networks."""
        return f"{self.leaf} {self.port}" + (
            "" if self.network == "east-west" else f" {self.network}"
        )

    def asked(self, vrf: str, *, up: bool) -> bool:
        """Whether it is to be up where its node is in this VRF, and up or down as given."""
        entitled = self.network == "east-west" or vrf in self.entitled
        return up and entitled and not self.resting

    def at(self, vrf: str, *, up: bool) -> bool:
        """Whether it is in this VRF, and up or down as given."""
        asked = self.asked(vrf, up=up)
        if self.network == "east-west" or asked:
            return (self.vrf, self.up) == (vrf, asked)
        return not self.up

    def lacks(self, vrf: str) -> bool:
        """Whether it is shut, and is to be up with its node in this VRF."""
        return self.silent and self.asked(vrf, up=True)


def seen(
    registry: Registry, applied: Mapping[str, t.Any], ports: Iterable[Mapping[str, t.Any]]
) -> list[Seen]:
    """The ports as applied documents by leaf have them; a leaf without a document has no say."""
    made = list[Seen]()
    for port in ports:
        document = applied.get(port["leaf"])
        if document is None:
            continue
        if "network" in port:
            made += _of_network(registry, document, port)
            continue
        body = _interface(document, port["port"])
        made.append(
            Seen(port["leaf"], port["port"], body.get("vrf"), not is_down(body), port["resting"])
        )
    return made


def _interface(document: Doc, name: str) -> dict[str, t.Any]:
    return (document.get("interface") or {}).get(name) or {}


def is_down(body: Doc) -> bool:
    """Whether an interface is shut by its configuration."""
    state = (body.get("link") or {}).get("state") or {}
    return "down" in state if isinstance(state, dict) else state == "down"


def _of_network(registry: Registry, document: Doc, port: Mapping[str, t.Any]) -> Iterator[Seen]:
    """A port of the converged fabric: once for each VRF that it is in, and once where it is in none."""
    network, quarantine = port["network"], registry.owners[QUARANTINE].vrf
    known = {net.vrf: net for (_slug, of), net in registry.nets.items() if of == network}
    entitled = {
        net.owner.vrf for net in known.values() if network == "front-end" or net.owner.customer
    }
    at = {"resting": port["resting"], "network": network, "entitled": frozenset(entitled)}
    place = (port["leaf"], port["port"])
    vrfs = list(_vrfs(document, port, {net.vlan: net.vrf for net in known.values()}))
    if is_down(_interface(document, port["swp"])) or (port["tagged"] and not vrfs):
        yield Seen(*place, quarantine, up=False, **at)
        return
    for vrf in vrfs or [None]:
        net = known.get(vrf or "")
        yield Seen(*place, net.owner.vrf if net else vrf, up=True, **at)


def _vrfs(
    document: Doc, port: Mapping[str, t.Any], by_number: Mapping[int, str]
) -> Iterator[str | None]:
    """The VRFs that a port is in. A VLAN without an interface leads to nobody else than its owner."""
    if port["port"] == port["swp"]:
        vrf = _interface(document, port["swp"]).get("vrf")
        yield from [vrf] if vrf else []
        return
    for vlan in _vlans(document, port):
        number = int(vlan) if vlan.isdecimal() else 0
        yield _interface(document, f"vlan{vlan}").get("vrf") or by_number.get(
            number, f"VLAN {vlan}"
        )


def _vlans(document: Doc, port: Mapping[str, t.Any]) -> list[str]:
    """The VLANs of a bond that belong to a network: with two on one bond, storage is what is tagged."""
    bridge = _interface(document, port["port"]).get("bridge") or {}
    body = (bridge.get("domain") or {}).get(BRIDGE) or {}
    own = [str(body[key]) for key in ("access", "untagged") if body.get(key) not in (None, "none")]
    more = [str(vlan) for vlan in body.get("vlan") or {} if str(vlan) not in own]
    if port["tagged"]:
        return more
    return own if port["beside"] else [*own, *more]
