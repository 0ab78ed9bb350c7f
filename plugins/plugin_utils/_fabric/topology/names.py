# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Device names from coordinates, and coordinates from names.

A template has one-based fields and minimal widths: `leaf-p{plane}-pod{pod:02}-su{su:03}-r{rail}`.
Where the capacity needs more digits the width grows, so that names always sort.
"""

from __future__ import annotations

import re
import string
import typing as t

from ..model.errors import Breach, FabricError
from .cabling import Device, NicPort, Node, Switch
from .clos import Clos

if t.TYPE_CHECKING:
    from ..model.description import Naming

_NIC = re.compile(r"rail([1-9][0-9]*)p([1-9][0-9]*)$")


def templates(clos: Clos, naming: Naming) -> dict[str, str]:
    """The template of each role: NVIDIA's, unless the description has its own."""
    pod = "-pod{pod:02}" if clos.tiers == 3 else ""
    which = "r{rail}" if clos.by_rail else "p{plane}"
    leaf = "t{leaf}" if clos.top_of_rack else "r{rail}"
    defaults = {
        "leaf": f"leaf-p{{plane}}{pod}-su{{su:03}}-{leaf}",
        "spine": f"spine-{which}{pod}-s{{index:02}}",
        "super_spine": f"super-spine-{which}-g{{group:02}}-s{{index:02}}",
        "node": f"worker{pod}-su{{su:02}}-rack{{rack:02}}-h{{slot:02}}",
    }
    return {role: getattr(naming, role) or text for role, text in defaults.items()}


class Names:
    """The two-way map between devices and names."""

    def __init__(self, clos: Clos, naming: Naming) -> None:
        self.clos = clos
        limits = self._limits()
        self._formats: dict[str, str] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}
        for role, text in templates(clos, naming).items():
            self._formats[role], pattern = _compile(text, limits, key=("naming", role))
            self._patterns[role] = re.compile(pattern)
        self._check()

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

    def _check(self) -> None:
        """A template must give every device of a role a name of its own: try the corners."""
        c = self.clos
        last = Switch("leaf", c.planes - 1, c.pods - 1, c.leaves_per_pod - 1)
        corners: list[Device] = [last, Switch("spine", c.planes - 1, c.pods - 1, c.spines - 1)]
        corners.append(Node(c.pods - 1, c.sus - 1, c.slots - 1))
        if c.tiers == 3:
            corners.append(Switch("super_spine", c.planes - 1, c.groups - 1, c.members - 1))
        breaches = [breach for device in corners if (breach := self._corner(device))]
        if breaches:
            raise FabricError([f"naming.{b.key[1]}: {b.sentence}" for b in breaches])

    def _corner(self, device: Device) -> Breach | None:
        role = "node" if isinstance(device, Node) else device.role
        name = self.name(device)
        if len(name) > 63 or not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", name):
            return Breach(
                ("naming", role),
                f"'{name}' is not a host name: use at most 63 letters, digits and hyphens.",
            )
        if self.device(name) != device:
            return Breach(
                ("naming", role),
                f"'{name}' does not tell its place apart from others: give the template every "
                "field "
                "that the default has.",
            )
        return None

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
        return self._formats[device.role].format(
            plane=plane, rail=rail, pod=device.pod + 1, group=device.pod + 1, index=device.index + 1
        )

    def device(self, name: str) -> Device | None:
        """The device that a name belongs to, within the capacity; None for any other text."""
        for role, pattern in self._patterns.items():
            match = pattern.fullmatch(name)
            if match:
                fields = {key: int(value) - 1 for key, value in match.groupdict().items()}
                found = self._device(role, fields)
                if found is not None and self.name(found) == name:
                    return found
        return None

    def _device(self, role: str, f: dict[str, int]) -> Device | None:
        c = self.clos
        pod = f.get("pod", 0)
        if role == "node":
            node = Node(pod, f.get("su", 0), f.get("slot", 0))
            return node if node.pod < c.pods and node.su < c.sus and node.slot < c.slots else None
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
        return switch if fits and 0 <= plane < c.planes else None

    def nic(self, port: NicPort) -> str:
        """The host interface of a NIC port: `rail3p1`."""
        return f"rail{port.rail + 1}p{1 if self.clos.by_rail else port.plane + 1}"

    def nic_port(self, name: str) -> NicPort | None:
        """The NIC port that an interface name belongs to."""
        match = _NIC.match(name)
        if not match:
            return None
        rail, plane = int(match[1]) - 1, int(match[2]) - 1
        if self.clos.by_rail:
            return NicPort(rail, rail) if plane == 0 and rail < self.clos.rails else None
        fits = rail < self.clos.rails and plane < self.clos.planes
        return NicPort(rail, plane) if fits else None


def _compile(text: str, limits: dict[str, int], *, key: tuple[str, str]) -> tuple[str, str]:
    """A template as (format string with final widths, pattern)."""
    made, pattern = "", ""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError as exc:
        raise FabricError.of(
            f"naming.{key[1]}: '{text}' is not a template ({exc}): mend its braces."
        ) from exc
    for literal, field, spec, conversion in parts:
        made += literal.replace("{", "{{").replace("}", "}}")
        pattern += re.escape(literal)
        if field is None:
            continue
        if field not in limits or conversion or not re.fullmatch(r"(0[0-9])?", spec or ""):
            raise FabricError.of(
                f"naming.{key[1]}: '{{{field}{':' + spec if spec else ''}}}' is not a field: "
                f"use {', '.join('{' + name + '}' for name in sorted(limits))} with a width such "
                "as :02."
            )
        width = max(int(spec or 1), len(str(limits[field])))
        made += f"{{{field}:0{width}}}"
        pattern += f"(?P<{field}>[0-9]{{{width},}})"
    return made, pattern
