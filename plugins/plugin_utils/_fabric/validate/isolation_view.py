# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One leaf as the isolation audit sees it: the plan, the registry, and what the leaf runs."""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import typing as t

from ..catalog.data import table
from ..tenancy import guard, move, schema
from ..tenancy.steps import STEPS
from ..tenancy.vrfs import Vrf, VrfPort, tenant_vrfs
from .results import Fields, Subject

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from ..fabric import Fabric
    from ..tenancy.registry import Registry
    from ..topology.cabling import Node, Switch
    from .results import Result

_MOST_NAMED = 5


@dataclasses.dataclass(frozen=True)
class LeafView:
    """One leaf: its plan, and the configuration it runs (release-neutral spelling)."""

    fabric: Fabric
    registry: Registry
    leaf: Switch
    applied: Doc

    @functools.cached_property
    def subject(self) -> Subject:
        """Fabric, place and device of the results."""
        return Subject.of(self.fabric, self.leaf)

    @functools.cached_property
    def vrfs(self) -> list[Vrf]:
        """The VRFs that the leaf should have."""
        return tenant_vrfs(self.fabric, self.registry, self.leaf, routes=False)

    def result(self, check: str, sentences: Sentences) -> list[Result]:
        """A failure for each sentence, or one pass."""
        wrong = [self.subject.failed(check, sentence, **fields) for sentence, fields in sentences]
        return self.subject.judged(check, wrong, str(table("checks_tenants")[check]["says"]))


Sentences = list[tuple[str, Fields]]


def way(registry: Registry, record: schema.Moving) -> list[str]:
    """The VRFs that the ports of a moving node may be in, in order.

    Quarantine is always among them: it is where a node goes back to that fails a proof.
    """
    ends = {"from": record.from_, "to": record.to}
    places = [STEPS[step].place[0] for step in move.order_of(record)]
    slugs = [record.from_, schema.QUARANTINE, *(ends.get(p, p) for p in places), record.to]
    return [registry.owner(slug).vrf for slug in dict.fromkeys(slugs)]


def way_of(view: LeafView, port: VrfPort) -> list[str]:
    """The VRFs of the way of a moving node, from one of its ports."""
    node = t.cast("Node", view.fabric.device(port["node"]))
    return way(view.registry, view.registry.moves[node])


def ours(registry: Registry, vrf: str) -> bool:
    """Whether a VRF is a tenant's, a service's or one of the house, known or not."""
    return like(vrf, [*guard.TENANT_VRFS, *registry.own_vrf_names()])


def like(name: str, patterns: list[str]) -> bool:
    """Whether a name is like one of some patterns."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def slug_of(registry: Registry, vrf: str) -> str | None:
    """Who owns a VRF; None when the registry does not know it."""
    return next((slug for slug, owner in registry.owners.items() if owner.vrf == vrf), None)


def some(words: list[str]) -> str:
    """The first of some words, and how many more there are."""
    more = len(words) - _MOST_NAMED
    return ", ".join(words[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
