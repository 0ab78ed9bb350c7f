# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Export `pictures`: the topology, the address plan and the tenants of a fabric as SVG files."""

from __future__ import annotations

import typing as t

from . import pictures_addresses, pictures_tenants, pictures_topology

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..fabric import Fabric
    from .rows import Scope
    from .svg import Svg

PICTURES: dict[str, Callable[[Fabric], Svg]] = {
    "topology": pictures_topology.draw,
    "addresses": pictures_addresses.draw,
    "tenants": pictures_tenants.draw,
}


def files(fabric: Fabric, _scope: Scope) -> Iterator[tuple[str, list[str]]]:
    """(path, lines) of each picture; always of the whole fabric."""
    for name, draw in PICTURES.items():
        yield f"pictures/{name}.svg", draw(fabric).lines()
