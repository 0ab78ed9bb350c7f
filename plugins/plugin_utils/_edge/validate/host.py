# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One host: whether it is read, and what was read of it and of its leaf ports, compared with the plan."""

from __future__ import annotations

import typing as t

from ..._fabric.host.desired import desired
from ..._fabric.validate import (
    host,
    host_attempts,
    host_pairs,
    host_paths,
    host_view,
    rented,
    results,
)
from .question import Plain, Question


def validate(asked: Question) -> Plain:
    """What is to be done with the host, or its results."""
    fabric, args, name = asked.fabric, asked.args, asked.device
    if not asked.means(name):
        return {"todo": "skip"}
    observed = args["observed"]
    look = (observed or {}).get("look") or {}
    wanted = look.get("wanted") or desired(fabric, name, registry=asked.registry)
    about = host_view.subject(fabric, fabric.known(name))
    if wanted["resting"]:
        rows = [host_view.resting(about, wanted["tenant"], wanted["resting"])]
        return {**asked.answer(name, rows), "todo": "skip"}
    if wanted["access"] != "managed":
        tried = _rented(about, wanted["tenant"], _facts(asked, wanted, rented.FACT))
        rows = [host_view.rented(about, wanted["tenant"]), *asked.due(tried)]
        return {**asked.answer(name, rows), "todo": "skip"}
    met = host_paths.partners(fabric, asked.registry, fabric.known(name))
    if observed is None:
        todo = "try" if host_attempts.alone(args["checks"]) else "read"
        return {
            "todo": todo,
            "pings": host_paths.pings(wanted, met if todo == "read" else {}),
            "attempts": host_attempts.attempts(fabric, asked.registry, fabric.known(name), wanted),
        }
    lost = str(observed.get("unreachable") or "")
    if not lost:
        rows = host.check(_view(asked, about, wanted, met), args["checks"])
        return {**asked.answer(name, rows), "todo": "done"}
    tried = host_attempts.none(about, wanted["tenant"], f"{about.device} did not answer: {lost}")
    rows = [host_view.unreachable(about, wanted["tenant"], lost), *asked.due(tried)]
    return {**asked.answer(name, rows), "todo": "done", "unreachable": True, "msg": lost}


def _rented(about: results.Subject, tenant: str, found: Plain) -> list[results.Result]:
    """What its leaves found of it; what only the host itself could try is not run."""
    why = f"{about.device} is rented to {tenant}: nothing is tried from it."
    rows = host_attempts.none(about, tenant, why)
    others = [row for row in rows if row["id"] != rented.CHECK]
    return [*rented.judge(about, tenant, found), *others]


def _view(asked: Question, about: results.Subject, wanted: Plain, met: Plain) -> host_view.View:
    seen = asked.args["observed"]
    look = seen.get("look")
    return host_view.View(
        subject=about,
        wanted=wanted,
        **(host_view.looked(look, allow=bool(seen.get("allow"))) if look else {}),
        probe=seen.get("probe"),
        leaves=_facts(asked, wanted, host_pairs.FACT),
        others=met,
    )


def _facts(asked: Question, wanted: Plain, fact: str) -> dict[str, Plain]:
    """What the play learnt of the host's leaves; a leaf it did not ask is absent."""
    hostvars: t.Any = asked.stated.get("hostvars") or {}
    names = {row["peer"]["device"] for row in wanted["interfaces"]}
    facts = {name: hostvars[name].get("ansible_facts") or {} for name in names if name in hostvars}
    return {name: found[fact] for name, found in facts.items() if fact in found}
