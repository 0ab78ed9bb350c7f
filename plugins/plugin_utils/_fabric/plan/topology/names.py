# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Device names from coordinates, and coordinates from names.

A template has one-based fields and minimal widths: `leaf-p{plane}-pod{pod:02}-su{su:03}-r{rail}`.
Where the capacity needs more digits the width grows, so that names always sort.
"""

from __future__ import annotations

import itertools
import re
import string
import typing as t

from ...catalog.roles import ROLES
from ...description.errors import FabricError
from .cabling import Cabling, Device, NicPort, Node, Switch
from .clos import Clos
from .converged import FRONT_END, MEMBERS, STORAGE
from .converged_cabling import ConvergedCabling, NetPort
from .oob import ETH0, OobPort

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from ...description.description import Naming
    from .converged import Converged
    from .oob import OobCounts

MOST_CHARACTERS = 63
TAKEN = ("all", "localhost", "ungrouped")
"""Names that mean something else to Ansible."""
_MOST_DIGITS = 9
"""Limit of digits of a number in a name; no capacity comes near it."""
_LABEL = r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST_NAME = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_NIC = re.compile(r"rail([1-9][0-9]?)p([1-9][0-9]?)")
_NET = {FRONT_END: "front", STORAGE: "stor"}
"""Prefixes of a node's interfaces on the converged fabric; the bond of a network has the same name."""
_NET_PORT = re.compile(r"(front|stor)([12])")


def templates(
    clos: Clos, naming: Naming, converged: Converged | None = None, oob: OobCounts | None = None
) -> dict[str, str]:
    """The template of each role: NVIDIA's or ours, unless the description has its own."""
    pod = "-pod{pod:02}" if clos.tiers == 3 else ""
    which = "r{rail}" if clos.by_rail else "p{plane}"
    leaf = "t{leaf}" if clos.top_of_rack else "r{rail}"
    defaults = {
        "leaf": f"leaf-p{{plane}}{pod}-su{{su:03}}-{leaf}",
        "spine": f"spine-{which}{pod}-s{{index:02}}",
        "super_spine": f"super-spine-{which}-g{{group:02}}-s{{index:02}}",
        "node": f"worker{pod}-su{{su:02}}-rack{{rack:02}}-h{{slot:02}}",
    }
    if converged:
        defaults |= {role: ROLES[role].template for role in converged.switches()}
    if oob:
        defaults |= {role: ROLES[role].template for role in oob.counts()}
    return {role: getattr(naming, role, None) or text for role, text in defaults.items()}


class Names:
    """The two-way map between devices and names."""

    def __init__(
        self,
        clos: Clos,
        naming: Naming,
        converged: Converged | None = None,
        oob: OobCounts | None = None,
    ) -> None:
        self.clos, self.converged, self.oob = clos, converged, oob
        limits = self._limits()
        self._formats: dict[str, str] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}
        sentences: list[str] = []
        for role, text in templates(clos, naming, converged, oob).items():
            if converged and ROLES[role].converged:
                own = _limits_of(converged, role)
            elif oob and ROLES[role].oob:
                own = {"index": oob.counts()[role]}
            else:
                own = {field: limits[field] for field in ROLES[role].fields}
            try:
                self._formats[role], pattern = _compile(text, own, role=role)
            except FabricError as exc:
                sentences.extend(exc.sentences)
                continue
            self._patterns[role] = re.compile(pattern, re.IGNORECASE)
        if sentences:
            raise FabricError(sentences)
        self._check(everything=bool(naming.model_fields_set))

    def _limits(self) -> dict[str, int]:
        c = self.clos
        racks = -(-c.slots // c.nodes_per_rack)
        index = max(c.spines, c.members, 1)
        return {
            "plane": 1 if c.by_rail else c.planes,
            "pod": c.pods,
            "su": c.sus,
            "rail": c.rails,
            "leaf": c.leaves_per_su,
            "group": max(c.groups, 1),
            "index": index,
            "rack": racks,
            "slot": c.slots,
        }

    def _check(self, *, everything: bool) -> None:
        """Every device must have a name that leads back to it.

        The defaults do by construction, so two corners of each role suffice; the site's own
        templates are tried on every device, one complaint for each role.
        """
        devices: Iterable[Device] = self._corners()
        if everything:
            cabling = Cabling(self.clos)
            devices = itertools.chain(cabling.switches(), cabling.nodes())
            if self.converged:
                devices = itertools.chain(
                    devices, ConvergedCabling(self.converged, self.clos).switches()
                )
            devices = itertools.chain(devices, self._of_oob())
        found: dict[str, str] = {}
        for device in devices:
            role = device.role
            sentence = None if role in found else self._complaint(device)
            if sentence:
                found[role] = sentence
        if found:
            raise FabricError([f"naming.{role}: {sentence}" for role, sentence in found.items()])

    def _of_oob(self) -> Iterable[Switch]:
        for role, number in self.oob.counts().items() if self.oob else ():
            yield from (Switch(role, 0, 0, index) for index in range(number))

    def _corners(self) -> list[Device]:
        c = self.clos
        made: list[Device] = [Node(0, 0, 0), Node(c.pods - 1, c.sus - 1, c.slots - 1)]
        tops = [("leaf", c.pods, c.leaves_per_pod), ("spine", c.pods, c.spines)]
        if c.tiers == 3:
            tops.append(("super_spine", c.groups, c.members))
        for role, pods, count in tops:
            made += [Switch(role, 0, 0, 0), Switch(role, c.planes - 1, pods - 1, count - 1)]
        return made

    def _complaint(self, device: Device) -> str | None:
        name = self.name(device)
        if len(name) > MOST_CHARACTERS or not _HOST_NAME.fullmatch(name):
            return f"'{name}' is not a host name: use at most 63 letters, digits and hyphens."
        if name in TAKEN:
            return f"'{name}' has another meaning in Ansible: use another name."
        found = self.device(name)
        if found == device:
            return None
        if found is not None and found.role != device.role:
            return f"'{name}' is a name of role {found.role} too: begin the templates differently."
        return (
            f"'{name}' does not show its place: give the template every field that the default has."
        )

    @property
    def formats(self) -> dict[str, str]:
        """The format string of each role, with its final widths."""
        return dict(self._formats)

    def name(self, device: Device) -> str:
        """The name of a device."""
        c = self.clos
        if isinstance(device, Node):
            return self._formats["node"].format(
                pod=device.pod + 1,
                su=device.su + 1,
                rack=device.slot // c.nodes_per_rack + 1,
                slot=device.slot + 1,
            )
        plane = 1 if c.by_rail else device.plane + 1
        rail = device.plane + 1
        if device.role == "leaf":
            su, within = divmod(device.index, c.leaves_per_su)
            return self._formats["leaf"].format(
                plane=plane,
                pod=device.pod + 1,
                su=su + 1,
                leaf=within + 1,
                rail=rail if c.by_rail else within * c.rails_per_leaf + 1,
            )
        if ROLES[device.role].beside:
            pair, index = device.pod + 1, device.index + 1
            return self._formats[device.role].format(pair=pair, member=index, index=index)
        return self._formats[device.role].format(
            plane=plane, rail=rail, pod=device.pod + 1, group=device.pod + 1, index=device.index + 1
        )

    def device(self, name: str, *, any_case: bool = False) -> Device | None:
        """The device that a name belongs to, within the capacity; None for any other text."""
        text = name.lower() if any_case else name
        for role, pattern in self._patterns.items():
            match = pattern.fullmatch(name)
            if match:
                fields = {key: int(value) - 1 for key, value in match.groupdict().items()}
                found = self._device(role, fields) if min(fields.values(), default=0) >= 0 else None
                made = self.name(found) if found is not None else ""
                if text == (made.lower() if any_case else made):
                    return found
        return None

    @property
    def domains(self) -> set[str]:
        """The domains that names of a template end with."""
        ends = {text.partition(".")[2] for text in self._formats.values()}
        return {end for end in ends if end and "{" not in end}

    def _device(self, role: str, f: dict[str, int]) -> Device | None:
        c = self.clos
        pod = f.get("pod", 0)
        if role == "node":
            node = Node(pod, f.get("su", 0), f.get("slot", 0))
            return node if node.pod < c.pods and node.su < c.sus and node.slot < c.slots else None
        if self.converged and ROLES[role].converged:
            index = f.get("index", f.get("member", 0))
            fits = self.converged.holds(role, f.get("pair", 0), index)
            return Switch(role, 0, f.get("pair", 0), index) if fits else None
        if self.oob and ROLES[role].oob:
            found = Switch(role, 0, 0, f.get("index", 0))
            return found if self.oob.holds(found) else None
        plane = f.get("rail", 0) if c.by_rail else f.get("plane", 0)
        if role == "leaf":
            within = 0 if c.by_rail else f.get("leaf", f.get("rail", 0) // c.rails_per_leaf)
            switch = Switch("leaf", plane, pod, f.get("su", 0) * c.leaves_per_su + within)
            fits = pod < c.pods and within < c.leaves_per_su and f.get("su", 0) < c.sus
        elif role == "spine":
            switch = Switch("spine", plane, pod, f.get("index", 0))
            fits = pod < c.pods and switch.index < c.spines
        else:
            switch = Switch("super_spine", plane, f.get("group", 0), f.get("index", 0))
            fits = switch.pod < c.groups and switch.index < c.members
        return switch if fits and plane < c.planes else None

    def nic(self, port: NicPort) -> str:
        """The host interface of a NIC port: `rail3p1`."""
        return f"rail{port.rail + 1}p{1 if self.clos.by_rail else port.plane + 1}"

    def pair(self, leaf: Switch) -> str:
        """The name of a pair of leaves, which is what the names of its members begin with."""
        names = (self.name(leaf._replace(index=member)) for member in range(MEMBERS))
        alike = itertools.takewhile(lambda letters: len(set(letters)) == 1, zip(*names))
        return "".join(letters[0] for letters in alike).rstrip("-")

    @staticmethod
    def bond(network: str) -> str:
        """The bond of a node's ports of a network: `front`."""
        return _NET[network]

    @staticmethod
    def net(port: NetPort) -> str:
        """The host interface of a port on the converged fabric: `front1`."""
        return f"{_NET[port.network]}{port.index + 1}"

    def net_port(self, name: str) -> NetPort | None:
        """The port on the converged fabric that an interface name belongs to."""
        match = _NET_PORT.fullmatch(name)
        if not match or not self.converged:
            return None
        network = next(key for key, word in _NET.items() if word == match[1])
        found = NetPort(network, int(match[2]) - 1)
        return found if found in ConvergedCabling(self.converged, self.clos).node_ports() else None

    def oob_port(self, name: str, *, switch: bool = False) -> OobPort | None:
        """The out-of-band port of a node, or of a switch, that an interface name belongs to."""
        names = (ETH0,) if switch else self.oob.units if self.oob else ()
        return OobPort(name) if self.oob and name in names else None

    def nic_port(self, name: str) -> NicPort | None:
        """The NIC port that an interface name belongs to."""
        match = _NIC.fullmatch(name)
        if not match:
            return None
        rail, plane = int(match[1]) - 1, int(match[2]) - 1
        if self.clos.by_rail:
            return NicPort(rail, rail) if plane == 0 and rail < self.clos.rails else None
        fits = rail < self.clos.rails and plane < self.clos.planes
        return NicPort(rail, plane) if fits else None


def _limits_of(converged: Converged, role: str) -> dict[str, int]:
    """Return the limits of each field in the template of a role of the converged fabric."""
    if ROLES[role].pairs:
        return {"pair": converged.leaves[role].pairs, "member": MEMBERS}
    return {"index": converged.spines}


def _compile(text: str, limits: dict[str, int], *, role: str) -> tuple[str, str]:
    """A template as (format string with final widths, pattern)."""
    made, pattern = "", ""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as exc:
        raise FabricError.of(
            f"naming.{role}: '{text}' is not a template ({exc}): correct its braces."
        ) from exc
    for literal, field, spec, conversion in parts:
        made += literal.replace("{", "{{").replace("}", "}}")
        pattern += re.escape(literal)
        if field is None:
            continue
        if field not in limits or conversion or not re.fullmatch(r"(0[0-9])?", spec or ""):
            raise FabricError.of(
                f"naming.{role}: '{{{field}{':' + spec if spec else ''}}}' is not a field: "
                f"use {', '.join('{' + name + '}' for name in sorted(limits))} with a width such "
                "as :02."
            )
        width = max(int(spec or 1), len(str(limits[field])))
        made += f"{{{field}:0{width}}}"
        again = f"(?P<{field}>" in pattern
        pattern += f"(?P={field})" if again else f"(?P<{field}>[0-9]{{{width},{_MOST_DIGITS}}})"
    return made, pattern
