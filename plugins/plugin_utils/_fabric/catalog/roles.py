# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Device roles: one record each, from `roles.yaml`.

ROLES["front_end_leaf"].plural    ->  "front-end leaves"
ROLES["spine"].group              ->  "spx_spine"
"""

from __future__ import annotations

import dataclasses
import types
import typing as t

from .data import table

EAST_WEST, CONVERGED, OUT_OF_BAND = "east-west", "converged", "out-of-band"


class Asn(t.NamedTuple):
    """Digit of a role in the ASN scheme, 0 for none, and its kind where several roles share a digit."""

    digit: int
    kind: int = 0
    shared: bool = False


_NO_ASN = Asn(0)


@dataclasses.dataclass(frozen=True)
class Role:
    """A device role; `roles.yaml` says what each field is."""

    name: str
    plural: str
    network: str
    tier: int
    place: tuple[str, ...]
    fields: tuple[str, ...]
    code: str
    colour: str
    dcim: str
    template: str = ""
    asn: Asn = _NO_ASN
    pairs: bool = False
    vtep: bool = False

    @property
    def group(self) -> str:
        """The inventory group of the role."""
        return f"spx_{self.name}"

    @property
    def converged(self) -> bool:
        """Set where the switches are of the converged fabric."""
        return self.network == CONVERGED

    @property
    def oob(self) -> bool:
        """Set where the switches are of the out-of-band network."""
        return self.network == OUT_OF_BAND

    @property
    def beside(self) -> bool:
        """Set where the switches are of a network beside the east-west one, and in no plane and no pod."""
        return self.converged or self.oob

    @property
    def label(self) -> str:
        """The role as files and sentences have it: `front-end-leaf`."""
        return self.name.replace("_", "-")

    @property
    def singular(self) -> str:
        """Words for one device: `front-end leaf`."""
        begin = self.plural.removesuffix("leaves")
        return f"{begin}leaf" if begin != self.plural else self.plural.removesuffix("s")


def role_of(name: str, record: t.Mapping[str, t.Any]) -> Role:
    """Return the role of a record of `roles.yaml`."""
    lists = {key: tuple(record[key]) for key in ("place", "fields")}
    return Role(name, **{**record, **lists, "asn": Asn(**record.get("asn", {"digit": 0}))})


ROLES: t.Mapping[str, Role] = types.MappingProxyType(
    {name: role_of(name, record) for name, record in table("roles").items()}
)
"""Every role, in the order of batches."""


def names(**fields: object) -> tuple[str, ...]:
    """Return the roles whose record has these values, in the order of batches."""
    return tuple(
        role.name
        for role in ROLES.values()
        if all(getattr(role, field) == value for field, value in fields.items())
    )
