# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The record of a leaf that the checks of others read. Private."""

from __future__ import annotations

import dataclasses
import typing as t

from ..._fabric.audit.host_view import LeafPort
from ..._fabric.audit.rented_hosts import ProbeAnswer
from ..run_store import Kind


@dataclasses.dataclass(frozen=True)
class LeafFacts:
    """A leaf that was read; None is what was not asked or not read.

    `host_ports` is its applied configuration of host ports, `rented` the pings of rented nodes from its VRFs by node,
    `segments` its Ethernet segments as it reports them, `unproven` the MAC addresses at host ports of which LLDP
    proves nothing.
    """

    host_ports: dict[str, LeafPort] | None = None
    rented: dict[str, ProbeAnswer] | None = None
    segments: t.Mapping[str, t.Mapping[str, object]] | None = None
    unproven: t.Mapping[str, t.Sequence[str]] | None = None


LEAF: Kind[LeafFacts] = Kind("leaf", LeafFacts, LeafFacts)
