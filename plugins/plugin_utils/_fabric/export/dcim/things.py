# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The neutral words for what a DCIM holds: each dialect translates them, the plan knows no other.

    Thing("device", "gpu/leaf-p1-su001-r1", "leaf-p1-su001-r1", {"role": Ref("role", "leaf"), ...})

A field that is None, or that is missing, is not known: nobody compares or writes it.
"""

from __future__ import annotations

import typing as t
from collections.abc import Mapping

TAG = "spectrum-x"
"""The name and slug of the tag on what is ours."""
UNTAGGED = ("interface",)
"""Kinds that have the tag of their device: ours is what has our field, on a device with our tag. A tag of its own makes
a port half as dear again for a DCIM, and nearly half of all things are ports."""
FIELD = "spx_place"
"""The custom field that holds `<key>#<digest>` of what is ours."""


class Ref(t.NamedTuple):
    """A reference to another thing."""

    kind: str
    key: str


Value = t.Union[str, int, bool, None, Ref, tuple["Value", ...]]
"""The value of a field. A tuple is a set without order, and sorted."""


class Thing(t.NamedTuple):
    """Thing that the plan wants. The key of a kind that fabrics share is its name."""

    kind: str
    key: str
    name: str
    values: Mapping[str, Value]


class DcimObject(t.NamedTuple):
    """Object of a DCIM; ``key`` is ours where it has our field, else empty.

    ``values`` has only the fields that were read; references are ``Ref`` where the index knows them,
    else text. ``owned`` says that it carries our tag and our field; ``tags`` of a port are those of its
    device. ``version`` is an ETag or the time of the last change, empty where the DCIM has none.
    ``digest`` is what our field holds beside the key, of what the last push wrote; a killed push may not have come to
    the fields in ``unset``.
    """

    kind: str
    id: str
    key: str
    name: str
    values: Mapping[str, Value]
    owned: bool
    tags: tuple[str, ...]
    version: str
    digest: str = ""
    unset: tuple[str, ...] = ()


KINDS = (
    "tag",
    "field",
    "namespace",
    "status",
    "location_type",
    "location",
    "rir",
    "vlan_group",
    "manufacturer",
    "platform",
    "role",
    "device_type",
    "rack",
    "tenant",
    "route_target",
    "vrf",
    "asn",
    "vlan",
    "prefix",
    "device",
    "interface",
    "address",
    "cable",
    "primary",
)
"""In the order of creation; what is deleted goes backwards."""

SHARED = frozenset(KINDS[: KINDS.index("rack")])
"""Kinds that are matched by name, and never changed or deleted."""

LENT = frozenset({"rack", "tenant", "route_target", "asn"})
"""Kinds of which one that is not ours is as good: it is used as it is, and never changed or deleted."""

NATURAL: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(KINDS, ("name",)),
    "rack": ("location", "name"),
    "vrf": ("tenant", "name"),
    "asn": ("asn",),
    "vlan": ("vlan_group", "vid"),
    "prefix": ("vrf", "prefix"),
    "device": ("location", "name"),
    "interface": ("device", "name"),
    "address": ("vrf", "address"),
    "cable": ("ends",),
    "primary": ("device",),
}
"""The fields by which a thing that does not carry our key is the same."""


BORDER = "border"
"""The VLANs of subinterfaces to the outside, beside those of networks."""


def vlan_groups(fabric: str) -> dict[str, str]:
    """The VLAN groups of a fabric by network: a VLAN of a converged switch is that of no other network."""
    return {network: f"{fabric} {network}" for network in ("front-end", "storage", BORDER)}
