# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cabling slices for PTM: a Graphviz file for each switch, its own cables only.

Cumulus Linux compares LLDP neighbours with `/etc/ptm.d/topology.dot`. One file with the cables of
the whole fabric grows to millions of lines, so each switch gets the part that it can see.
"""

from __future__ import annotations

import typing as t

from ..slices import of_switch
from . import rows

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..fabric import Fabric
    from ..slices import SwitchSlice


def files(fabric: Fabric, scope: rows.Scope) -> Iterator[tuple[str, Iterator[str]]]:
    """(path, chunks) for each switch."""
    for switch in fabric.switches(pods=scope.pods):
        name = fabric.name(switch)
        yield f"ptm/{name}.dot", _dot(name, of_switch(fabric, switch))


def _dot(name: str, data: SwitchSlice) -> Iterator[str]:
    yield f'graph "{data["fabric"]}" {{\n'
    for port in data["ports"]:
        if port["present"]:
            yield f'  "{name}":"{port["port"]}" -- "{port["peer"]["device"]}":"{port["peer"]["port"]}"\n'
    yield "}\n"
