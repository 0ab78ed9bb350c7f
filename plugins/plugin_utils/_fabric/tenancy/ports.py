# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What tenancy needs of a fabric: the planning core below it, seen as one object."""

from __future__ import annotations

import typing as t

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..addressing.plan import AddressPlan
    from ..model.description import Description
    from ..model.yaml_source import Source
    from ..topology.cabling import AnyPort, Cabling, Device, Node, Switch
    from ..topology.clos import Clos
    from ..topology.names import Names


class Plan(t.Protocol):
    """A loaded fabric (`Fabric` of `fabric.py` is one)."""

    description: Description
    source: Source
    clos: Clos
    cabling: Cabling
    names: Names
    plan: AddressPlan

    def beside(self, name: str) -> str:
        """A path relative to the description's folder."""

    def device(self, name: str) -> Device | None:
        """The device of a name."""

    def name(self, device: Device) -> str:
        """The name of a device."""

    def present(self, device: Device) -> bool:
        """Whether the device is built."""

    def port_name(self, device: Device, port: t.Any) -> str:
        """The interface of a logical port."""

    def port(self, device: Device, name: str) -> AnyPort | None:
        """The logical port of an interface."""

    def switches(self, **where: t.Collection[int] | None) -> Iterator[Switch]:
        """Built switches."""

    def nodes(self, **where: t.Collection[int] | None) -> Iterator[Node]:
        """Built nodes."""

    def slice(self, device: Device | str) -> dict[str, t.Any]:
        """Everything about one device, as plain data."""

    def locate(self, text: str) -> list[dict[str, t.Any]]:
        """The places of an address or a name."""
