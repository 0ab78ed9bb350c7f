# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Congestion control runs on all NICs of a rack or on none: may it begin on this host, and stay?

    gate(fabric, registry, "worker-su01-rack01-h01", {"worker-su01-rack01-h01": HostVerdict(able=True)})
    -> {"opens": False, "keeps": False, "sentence": "worker-su01-rack01-h02 of its rack is left out ...",
        "back": ""}

No host is contacted for it: one that the run leaves out counts as one that cannot. Rented hosts
and those out of service never count.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ...description.errors import FabricError
from ...plan.topology.cabling import Node
from . import outages
from .desired import managed

if t.TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ...plan.fabric import Fabric
    from ...tenants.registry import Registry


@dataclasses.dataclass(frozen=True)
class HostVerdict:
    """A host that the run met.

    `able`: it can run the algorithm now; `runs`: it did so when the run met it; `failed`: the run
    could not start it, or lost the host.
    """

    able: bool
    runs: bool = False
    failed: bool = False


class Gate(t.TypedDict):
    """A decision about congestion control of a host.

    `opens`: it may begin; `keeps`: it goes on although others are in the way; `back`: why what this run began has to
    end again, or "".
    """

    opens: bool
    keeps: bool
    sentence: str
    back: str


def gate(
    fabric: Fabric,
    registry: Registry,
    name: str,
    seen: Mapping[str, HostVerdict],
    *,
    among: Collection[str] | None = None,
) -> Gate:
    """Decide by the hosts of the rack, or those `among` them; FabricError when the name is no node's."""
    rack = of_rack(fabric, registry, name)
    near = rack if among is None else [one for one in rack if one in among]
    runs = name in seen and seen[name].runs
    late = [one for one in near if one in seen and not seen[one].able]
    # It ran here, so the rack was whole once: a host that was not read does not count.
    unknown = [] if runs else [one for one in near if one not in seen]
    reasons = [f"{', '.join(late)} of its rack cannot run it yet"] if late else []
    if unknown:
        reasons.append(
            f"{', '.join(unknown)} of its rack is left out of this run, so nobody knows whether it can: run "
            f"again over the whole rack, with --limit={','.join(rack)}"
        )
    keeps = bool(reasons) and runs
    what = "stays as it is" if keeps else "is not started"
    said = f"{name}: congestion control {what}, as {'; '.join(reasons)}." if reasons else ""
    back = _back(name, rack, {one: seen[one] for one in near if one in seen})
    return {"opens": not reasons, "keeps": keeps, "sentence": said, "back": back}


def _back(name: str, rack: Collection[str], seen: Mapping[str, HostVerdict]) -> str:
    """A rack where the algorithm ran before keeps it: one host that failed does not stop the others."""
    failed = [one for one, state in seen.items() if state.failed]
    if not failed or any(state.runs for state in seen.values()):
        return ""
    return (
        f"{name}: congestion control is stopped again, as it did not start on {', '.join(failed)} of its rack: "
        f"repair it, and run again over the whole rack, with --limit={','.join(rack)}."
    )


def of_rack(fabric: Fabric, registry: Registry, name: str) -> list[str]:
    """The hosts of a node's rack that playbooks may log in to and that are in service, in order."""
    node = fabric.known(name)
    if not isinstance(node, Node):
        raise FabricError.of(f"'{name}' is a switch: name a node.")
    per_rack = fabric.clos.nodes_per_rack
    return [
        fabric.name(other)
        for other in fabric.nodes(pods=[node.pod], sus=[node.su])
        if other.slot // per_rack == node.slot // per_rack
        and managed(fabric, registry, other)
        and not outages.whole(fabric, other)
    ]
