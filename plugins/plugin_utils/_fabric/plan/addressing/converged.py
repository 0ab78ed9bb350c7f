# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addresses and ASNs of the converged fabric, from its own block, and the way back.

what 0 loopback, 1 VTEP, 2 out-of-band, 3 loopback of a VRF; role as in the ASNs; ordinal = pair*2 + member
"""

from __future__ import annotations

import typing as t

from ...catalog.roles import ROLES
from ..topology.cabling import Switch
from ..topology.converged import MEMBERS
from . import asn as asns
from .codec import Management

if t.TYPE_CHECKING:
    from ..topology.converged import Converged
    from .codec import Layout

WHAT = ("loopback", "vtep", "switch_oob")
_NAMES = ("what", "role", "ordinal")
_KEPT = ("the loopback", "the VTEP", "the out-of-band subnet", "the loopback of a VRF")


class ConvergedAddresses:
    """Numbers of the switches of the converged fabric."""

    def __init__(
        self, layout: Layout, counts: Converged, site: int, *, first: int = asns.FIRST
    ) -> None:
        self.layout, self.counts, self.site, self.first = layout, counts, site, first
        self._pack, self._unpack = layout.packer(_NAMES), layout.unpacker(_NAMES)

    def holds(self, switch: Switch) -> bool:
        """Check whether the capacity has such a switch."""
        place = switch.role, switch.pod, switch.index
        return switch.plane == 0 and self.counts.holds(*place)

    def number(self, what: str, switch: Switch) -> int:
        """The loopback or VTEP."""
        return self._pack(WHAT.index(what), asns.CONVERGED[switch.role], ordinal(switch))

    def management(self, switch: Switch) -> Management:
        """The out-of-band port; the subnet is that of the role."""
        role, what = asns.CONVERGED[switch.role], WHAT.index("switch_oob")
        field = self.layout.fields[-1]
        gateway = self._pack(what, role, field.top - 1)
        return Management(self._pack(what, role, ordinal(switch) + 1), 32 - field.width, gateway)

    def asn(self, switch: Switch) -> int:
        """The ASN of the plan."""
        return asns.converged(switch.role, site=self.site, index=ordinal(switch), first=self.first)

    def with_asn(self, asn: int) -> Switch | None:
        """The switch that the plan gives an ASN to; of the spines the first."""
        found = asns.converged_of(asn, site=self.site, first=self.first)
        return self._switch(*found) if found else None

    def find(self, address: int) -> tuple[str, Switch] | None:
        """(kind, switch) of an address of the block; None where nothing has it."""
        what, role_code, number = self._unpack(address) or (len(WHAT), 0, 0)
        role = asns.CONVERGED_OF.get(role_code)
        if role is None or what >= len(WHAT):
            return None
        kind = WHAT[what]
        if kind == "switch_oob" and number == self.layout.fields[-1].top - 1:
            first = Switch(role, 0, 0, 0)
            return ("oob_gateway", first) if self.holds(first) else None
        switch = self._switch(role, number - (kind == "switch_oob"))
        return (kind, switch) if switch and (kind != "vtep" or ROLES[role].vtep) else None

    def spare(self, address: int) -> str:
        """Describe the use of a spare address of the block; empty where it is of another block."""
        unpacked = self._unpack(address)
        if unpacked is None:
            return ""
        what, role_code, _number = unpacked
        role = asns.CONVERGED_OF.get(role_code)
        words = ROLES[role].label if role else "role that does not exist"
        return f"is kept for {_KEPT[what]} of a {words}"

    def _switch(self, role: str, number: int) -> Switch | None:
        pair, member = divmod(number, MEMBERS) if ROLES[role].pairs else (0, number)
        switch = Switch(role, 0, pair, member)
        return switch if self.holds(switch) else None


def ordinal(switch: Switch) -> int:
    """The number of a switch within its role."""
    return switch.pod * MEMBERS + switch.index if ROLES[switch.role].pairs else switch.index
