# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The port to a DCIM: neutral things in, neutral things out; each dialect is an adapter."""

from __future__ import annotations

import typing as t
from dataclasses import dataclass
from types import MappingProxyType

from ...module_utils import _text

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .._fabric.export.dcim.things import DcimObject, Ref, Thing, Value


class DcimError(Exception):
    """The DCIM cannot be used, or its answer is no answer; one sentence for the operator."""

    def __init__(self, message: object = "") -> None:
        super().__init__(_text.line(message))


class Scope(t.NamedTuple):
    """Scope of a read from a DCIM, beside everything that has a key of the fabric.

    ``location`` is the name of the NetBox site or Nautobot location of the fabric. ``networks`` are CIDRs
    inside which foreign prefixes are looked for, and foreign addresses too where all devices are read.

    A part of a fabric must not cost all of it. ``devices`` maps the keys of its devices to names, or is None for all
    devices of the location: only these, their interfaces, cables and addresses are read. ``beyond`` are the devices at
    the far ends of its cables, of which only the interfaces of the names ``ports`` are read. ``keys`` are how keys of
    prefixes begin that belong to no device, and ``exact`` the prefixes that the part wants outside of ``networks``;
    ``top`` says that it has those of ``keys`` that the plan does not want any more. ``loose`` are the CIDRs in which
    it has addresses that are on no device.
    """

    fabric: str
    location: str
    devices: Mapping[str, str] | None = None
    networks: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    beyond: Mapping[str, str] = MappingProxyType({})
    ports: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    exact: tuple[str, ...] = ()
    top: bool = True

    def owns(self, device: Ref | None) -> bool:
        """Check whether a device of the index is one of those that are read as a whole."""
        return device is not None and (self.devices is None or device.key in self.devices)


class Update(t.Protocol):
    """A thing that is there and differs; ``fields`` maps each field to write to (ours, theirs)."""

    @property
    def thing(self) -> Thing:
        """Thing that the plan wants."""

    @property
    def found(self) -> DcimObject:
        """Thing of the DCIM, as it was read."""

    @property
    def fields(self) -> Mapping[str, tuple[Value, Value]]:
        """The fields to write."""


class Index(t.Protocol):
    """Index of the ids in the DCIM by the plan's things."""

    def id_of(self, ref: Ref) -> str | None:
        """Return the id of a thing, or None where it is not known."""

    def ref_of(self, kind: str, id: str) -> Ref | None:  # noqa: A002
        """Return the thing that has an id, or None where it is not known."""

    def add(self, kind: str, key: str, id: str) -> None:  # noqa: A002
        """Remember an id. ``read`` adds what has our key or is shared; ``create`` what it made."""


@dataclass(frozen=True)
class WriteResult:
    """The outcome of one write. With an ``error``, a sentence of the DCIM, nothing was written."""

    key: str
    id: str
    error: str = ""


class Dcim(t.Protocol):
    """One DCIM. Every method raises ``DcimError`` where the DCIM as a whole cannot be used."""

    @property
    def name(self) -> str:
        """The product and its version, such as ``NetBox 4.7.3``; known after ``check``."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds that this DCIM has, in the order of KINDS; others are neither read nor made."""

    def fit(self, thing: Thing) -> Thing:
        """Return a thing as this DCIM can hold it; this is what is compared and written.

        A field that the DCIM has no place for is None, which is not compared.
        """

    def check(self) -> None:
        """Return if the DCIM answers, the token is valid and allowed, and the version is known."""

    def read(self, kind: str, scope: Scope, index: Index) -> Iterator[DcimObject]:
        """Yield what the DCIM has, by pages; a short or foreign answer raises ``DcimError``."""

    def slug_holders(
        self, kind: str, things: Sequence[Thing], index: Index
    ) -> Mapping[str, DcimObject]:
        """Return the objects whose slugs new things would take, by their keys."""

    def create(self, kind: str, things: Sequence[Thing], index: Index) -> list[WriteResult]:
        """Create things by lists; bad items are dropped and reported, the rest is repeated."""

    def update(self, kind: str, changes: Sequence[Update], index: Index) -> list[WriteResult]:
        """Write the given fields unless a thing changed since it was read."""

    def delete(self, kind: str, found: Sequence[DcimObject], index: Index) -> list[WriteResult]:
        """Read each thing again and delete it if it still carries our tag and our field."""

    def close(self) -> None:
        """Close all connections."""
