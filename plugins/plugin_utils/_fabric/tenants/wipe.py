# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Customers whose data may be on a node, and the proof that it is gone.

No node goes from a customer to another one, or to rest, without a wipe. A node counts as clean when

* a wipe after its last customer is recorded, with whose verdict its cards have: the hook `wipe` of a run, after which
  the run reads the cards, or what the description states (`wipe: {elsewhere: reason, nic_elsewhere: reason}`); or
* it has had no customer: no record names one, no leaf has it in the VRF of a customer, present or retired, and
  the registry has recorded every customer of the fabric (`Holdings.customers_before`).

What is not known counts as a customer.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ..description.errors import Breach
from . import nodes as node_text
from . import schema

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..plan.topology.cabling import Node
    from .evidence import Evidence
    from .holdings import Holdings

UNNAMED = "a customer that its record does not name"
UNKNOWN = "unknown customers before this registry"
WITNESSES = {"bmc": "its BMC", "provisioner": "the image service", "hand": "a person"}
"""Words for the witness of a wipe."""
NEEDLESS = (
    "not needed, as the registry lists no customer of it and no leaf has it in a customer's VRF"
)


READ, ELSEWHERE = "read", "elsewhere"
"""Ways to a verdict on the cards of a wiped node: tenant playbooks read them, or the site judges them elsewhere."""


@dataclasses.dataclass(frozen=True)
class Means:
    """Means of a run's wipe: the site's hook, or none where the site does it elsewhere, or nobody does.

    `nic_elsewhere` says who judges the cards in place of the run.
    """

    hook: bool
    elsewhere: str
    nic_elsewhere: str
    run: str
    today: str

    @property
    def judged(self) -> str:
        """Return who judges cards elsewhere, in words; empty where nobody does."""
        return f"its cards elsewhere: {self.nic_elsewhere}" if self.nic_elsewhere else ""

    @property
    def cards(self) -> str:
        """Return the way to a verdict after the hook wipe; empty without that hook."""
        if not self.hook:
            return ""
        return ELSEWHERE if self.nic_elsewhere else READ

    def clean(self, customer: str, known: schema.WipeRecord | None) -> schema.WipeRecord | None:
        """Return the proof, after the step wipe, that a node has no data of its last customer; None: there is none."""
        nic: t.Literal["elsewhere"] | None = "elsewhere" if self.nic_elsewhere else None
        if self.hook:
            return schema.WipeRecord(on=self.today, by="hook", run=self.run, nic=nic)
        if not customer:
            return known or schema.WipeRecord(on=self.today, by="registry")
        if self.elsewhere:
            return schema.WipeRecord(on=self.today, by="elsewhere", reason=self.elsewhere, nic=nic)
        return None


def attested(plan: t.Any, evidence: Iterable[Evidence]) -> t.Any:
    """Return a plan in which what this run's hooks did has its witness, and cards have their verdict.

    A plan is made before anybody has confirmed anything: what it says of a node without evidence stays `by: hook`,
    which the registry refuses.
    """
    seen = {(one.node, one.what): one for one in evidence}
    nodes = {node for node, _what in seen}

    def within(found: t.Any, node: str) -> t.Any:
        if isinstance(found, list):
            return [within(one, node) for one in found]
        if not isinstance(found, dict):
            return found
        made = {key: within(one, key if key in nodes else node) for key, one in found.items()}
        for key, what in _WITNESSED.items():
            row, witness = made.get(key), seen.get((node, what))
            if isinstance(row, dict) and row.get("by") == "hook" and witness:
                note = {"reason": witness.note} if witness.note else {}
                read = {"nic": READ} if key == "clean" and (node, "cards") in seen else {}
                made[key] = {**row, "by": witness.by, **note, **read}
        return made

    return within(plan, "")


_WITNESSED = {"clean": "wiped", "accepted": "accepted"}
"""Keys of a record that have a witness, and the evidence that names it."""


def last_customer(
    registry: Holdings,
    node: Node,
    *,
    from_: str | None = None,
    to: str = "",
    vrfs: Iterable[str | None] = (),
) -> str:
    """Name the customer whose data may be on a node, or words where that is not known; empty when there is none.

    `from_` says whose it is now, `vrfs` in which VRFs the leaves have it. That the goal `to` lists it shows nothing.
    """
    if from_ and registry.owner(from_).customer:
        return from_
    owners = [*registry.retired(), *(o for o in registry.owners.values() if o.customer)]
    slugs = {owner.vrf: owner.slug for owner in owners}
    if found := [slugs[vrf] for vrf in vrfs if vrf in slugs]:
        return found[0]
    claim = registry.claims.get(node)
    if claim and claim.slug != to and registry.owner(claim.slug).customer:
        return claim.slug
    row = registry.health.get(node)
    if row is not None:
        return "" if row.clean else row.had or UNNAMED
    return UNKNOWN if registry.customers_before() else ""


def refused(customers: Mapping[str, str], to: str) -> str:
    """Explain why nodes do not go to a new customer or to rest: nothing wipes them. `customers` are theirs by node."""
    nodes = ", ".join(f"{name} ({had})" for name, had in customers.items())
    return (
        f"spx_nodes: {nodes} would go to {to} without a wipe, as the site has no hook wipe: write hooks/wipe.yml, or "
        'state in the description who wipes nodes and judges their cards (wipe: {elsewhere: "reason", nic_elsewhere: '
        '"reason"}).'
    )


def closed(tenants: Mapping[str, str]) -> str:
    """Explain why nodes of tenants do not move: nobody may log in to read their cards after the wipe."""
    nodes = ", ".join(f"{name} ({slug})" for name, slug in tenants.items())
    return (
        f"spx_nodes: the cards of {nodes} cannot be read after the wipe, as the tenant has host_access none: move the "
        "nodes to quarantine, and from there on, or state in the description who judges cards (wipe: {nic_elsewhere: "
        '"reason"}).'
    )


def unread(name: str) -> str:
    """Explain why a move stops at the wipe where no verdict on the cards was kept."""
    return (
        f"{name}: nothing shows that its cards are as wanted after the wipe, as they were not read: run this playbook "
        "again."
    )


def cards(how: str) -> str:
    """Return the way to the verdict on cards, for people."""
    return {READ: "cards read, and as expected", ELSEWHERE: "cards judged elsewhere"}[how]


def unconfirmed(name: str) -> str:
    """Explain why a move stops at the wipe: a hook that ended without an error may have skipped its tasks."""
    return (
        f"{name}: the hook wipe ended without a confirmation (do: confirm, what: wiped), so nothing shows that "
        "the node is wiped: correct the hook, and run again."
    )


def passed_by(name: str, customer: str, record: schema.MovingRecord) -> str:
    """Explain why a move does not continue from its place: no wipe would come, and none is recorded."""
    return (
        f"{name} would go to {record.to} from where its ports are without a wipe, and nothing shows that it was wiped "
        f"since its last customer ({customer}): take its record out of moving, run tenant_move -e "
        f"spx_tenant=quarantine -e spx_nodes={name}, and run again."
    )


def shown(clean: schema.WipeRecord | None) -> str:
    """Describe the wipe of a record, for people."""
    if clean is None:
        return "not wiped"
    said = {
        "hook": f"wiped on {clean.on} by the hook wipe of the run {clean.run}",
        **{
            by: f"wiped on {clean.on} by the hook wipe of the run {clean.run}, confirmed by {words}"
            for by, words in WITNESSES.items()
        },
        "elsewhere": f"wiped elsewhere by {clean.on}: {clean.reason}",
        "registry": f"wipe {NEEDLESS} ({clean.on})",
    }[clean.by]
    return f"{said}, {cards(clean.nic)}" if clean.nic else said


def evidence(
    record: schema.MovingRecord, means: Means, customer: str, known: schema.WipeRecord | None = None
) -> str:
    """Describe the proof of a move's wipe, for its plan and report. Empty where none is due.

    `known` is an earlier wipe, which counts where nobody had the node since.
    """
    if record.to == schema.QUARANTINE:
        return ""
    if record.clean:
        return shown(record.clean)
    if means.hook:
        read = "after which its cards are read"
        return f"by the hook wipe, {means.judged or read}"
    if customer:
        return f"elsewhere: {means.elsewhere}, {means.judged}"
    return shown(known) if known else NEEDLESS


def phrase(evidence: str) -> str:
    """Evidence as a phrase of its own: `wipe by the hook wipe`, `wiped on 2026-11-22 by ...`."""
    return evidence if evidence.startswith("wipe") else f"wipe {evidence}"


def lines(registry: Holdings, nodes: Iterable[Node]) -> list[str]:
    """On what evidence nodes enter a tenant without a wipe, as lines of a plan."""
    by_text: dict[str, list[Node]] = {}
    for node in nodes:
        row = registry.health.get(node)
        by_text.setdefault(shown(row.clean) if row else f"wipe {NEEDLESS}", []).append(node)
    fabric = registry.fabric
    return [
        f"  {', '.join(node_text.compress(fabric, sorted(found)))}: {text}"
        for text, found in by_text.items()
    ]


def breaches(registry: Holdings) -> Iterator[Breach]:
    """Records that claim a wipe which nothing shows."""
    for section, rows in (("health", registry.file.health), ("moving", registry.file.moving)):
        for name, row in rows.items():
            if row.accepted and row.accepted.by == "hook":
                yield Breach(
                    (section, name, "accepted"),
                    f"by hook: '{name}' has no confirmation: remove accepted, so that tenant_move tests the node.",
                )
            said = _unfounded(registry, name, row)
            if said:
                yield Breach((section, name, "clean"), said)


def _unfounded(registry: Holdings, name: str, row: schema.Health | schema.MovingRecord) -> str:
    clean = row.clean
    if clean is None:
        return ""
    if clean.by == "hook":
        return f"by hook: '{name}' has no confirmation: remove clean, so that tenant_move wipes the node."
    if clean.by in WITNESSES and not clean.run:
        return f"by {clean.by} names no run: remove clean, so that tenant_move wipes the node."
    if clean.by not in ("hook", "registry") and clean.nic is None:
        return (
            f"by {clean.by} has no nic, whose verdict its cards have (read or elsewhere): add nic: elsewhere where "
            "somebody has judged them, or remove clean."
        )
    if clean.by == "elsewhere" and not (clean.reason or "").strip():
        return "by elsewhere gives no reason: add how the node was wiped, or remove clean."
    had = row.had or ("" if isinstance(row, schema.Health) else _before(registry, name, row))
    if clean.by == "registry" and had:
        return f"by registry says that it had no customer, and it had {had}: remove clean."
    return ""


def _before(registry: Holdings, name: str, row: schema.MovingRecord) -> str:
    """Name the former customer of a node that moves, by its origin or by the record of it there."""
    owner, known = registry.owners.get(row.from_), registry.file.health.get(name)
    if owner is not None and owner.customer:
        return row.from_
    return known.had or UNNAMED if known and known.clean is None else ""
