# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of one switch, in verbs.

    read the release and the applied configuration     two GETs; with no difference the story ends, but for
                                                       a switch of a stated serial number, which is recognised
    recognise the device, ask the known bugs, compare with the approved diff
    read the sessions; without them, or to disturb a switch in service, a class must be allowed
    wait for somebody else's apply                      and compare again if there was one
    apply one revision under a timer, prove, confirm    or let it roll back and say what was lost

Nothing is written before the last line, and never in a plan (``write`` false).
"""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ....module_utils._json import Doc
from ..document import dialect
from ..document.paths import parse, to_text
from ..document.ranges import expand
from ..document.release import Release, accepted
from ..document.secrets import is_secret, mask, values
from ..document.shapes import below, mapping, mappings
from ..document.tree import Change, diff, get, select
from ..errors import (
    ApplyError,
    LoginError,
    NvueError,
    OvertakenError,
    RefusedError,
    UnapprovedError,
)
from ..wire import client, operational
from ..wire.api import Api
from ..wire.auth import Auth
from ..wire.client import Limits, Revision
from . import commands, disruption, identity, login, preflight, proof, readback, report
from . import plan as planning
from .conflicts import check_conflicts
from .disruption import Disruption
from .identity import Identity
from .plan import Plan, Wish
from .preflight_table import CONDITIONS
from .proof import Sessions
from .report import Approval
from .transaction import Order, carry_out

# The first release that takes set and unset of one object in one request (D516, What's New).
MIXED_SINCE = Release(5, 16)
# The first release that issues tokens (D514).
TOKEN_SINCE = Release(5, 14)
_MADE_MEANWHILE = "Somebody else has made the same change."
MOST_OVERTAKEN = 3
"""Limit of new plans because somebody else was quicker."""


@dataclass(frozen=True)
class Terms:
    """Under which conditions a wish may be written.

    ``confirm`` is the roll-back timer in seconds: ``None`` chooses by class of change, 0 does
    without. ``settle`` is for how long nothing may be lost before it is confirmed, in seconds:
    ``None`` chooses by what changes. ``approved`` with ``needs_approval``: only a diff with these
    hashes is applied. ``message`` makes the text that the switch keeps with the revision; without
    one nobody asks it. ``say`` shows at once what a person must know while the run waits. ``login`` is one
    that the change makes, ``missing`` returns what else has to be there before it is confirmed, as words.
    """

    device: str = "the switch"
    releases: tuple[str, ...] = ()
    identity: Identity = field(default_factory=Identity)
    allow_disruptive: frozenset[str] = frozenset()
    host_ports: tuple[str, ...] = ("swp*",)
    approved: Approval | None = None
    needs_approval: bool = False
    confirm: int | None = None
    settle: int | None = None
    message: Callable[[], str] = str
    say: Callable[[str], None] = lambda _text: None
    write: bool = True
    save: bool = True
    login: Auth | None = None
    missing: Callable[[], list[str]] = list


@dataclass(frozen=True)
class Outcome:
    """Findings and results of a run; ``changes`` hold real secrets, ``report`` masks them.

    ``refusals`` is what a run that writes would refuse; ``warnings`` announce the same.
    """

    plan: Plan
    disruptions: list[Disruption] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    changed: bool = False
    revision: str | None = None
    recognised: str = ""
    sessions: Sessions = field(default_factory=Sessions)

    @property
    def changes(self) -> list[Change]:
        """The changes that were or would be made."""
        return self.plan.changes

    @property
    def impact(self) -> dict[str, list[str]]:
        """The ports, sessions and services that are or would be disturbed."""
        return disruption.impact(self.disruptions, self.plan.before, self.changes)

    def managed(self) -> tuple[Doc, Doc]:
        """Return the managed part before and after."""
        return (
            select(self.plan.before, self.plan.managed),
            select(self.plan.after, self.plan.managed),
        )


def converge(api: Api, wish: Wish, terms: Terms, limits: Limits | None = None) -> Outcome:
    """Bring one switch to a wish; see the module for the story. Raises ``NvueError``."""
    limits = limits or Limits()
    try:
        return _converge(api, wish, terms, limits)
    except NvueError as exc:
        exc.args = (api.clean(str(exc)),)
        raise
    finally:
        api.port.close()


def _converge(api: Api, wish: Wish, terms: Terms, limits: Limits) -> Outcome:
    api.hide(values(wish.config))
    release = check_release(operational.about(api).release, terms)
    plan = planning.make(operational.applied(api), wish, release)
    if not plan.changes:
        idle = Outcome(plan, warnings=_doubts(plan), recognised=_sure(api, plan, terms))
        return _kept_for_boot(api, idle, terms)
    api.hide(values(plan.before))
    outcome = _weigh(api, plan, terms)
    if not terms.write:
        return replace(outcome, changed=True)
    _enter(api, release)
    overtaken = 0
    while True:
        queue = client.wait_until_free(api, limits, terms.say)
        if queue.waited or overtaken:
            plan = planning.make(operational.applied(api), wish, release)
            if not plan.changes:
                return Outcome(plan, warnings=[_MADE_MEANWHILE])
            outcome = _weigh(api, plan, terms)
            outcome.warnings.extend(preflight.said_at("busy", release))
        try:
            return _apply(api, wish, outcome, terms, limits, taken=queue.ids)
        except OvertakenError:
            overtaken += 1
            if overtaken > MOST_OVERTAKEN:
                raise


def _sure(api: Api, plan: Plan, terms: Terms) -> str:
    """By what a switch is recognised that needs no change, where that is asked: the old one may still answer."""
    if not terms.identity.sure:
        return ""
    return identity.check(api, terms.identity, plan.hostname, device=terms.device)


def _kept_for_boot(api: Api, outcome: Outcome, terms: Terms) -> Outcome:
    """Save what an earlier run applied and could not save; it costs a GET without auto-save only.

    Somebody else's change that is not saved is no reason to save.
    """
    plan = outcome.plan
    if not terms.save or plan.saves_itself:
        return outcome
    boot = dialect.from_release(expand(operational.startup(api)), plan.release)
    if not diff(select(boot, plan.managed), select(plan.before, plan.managed)):
        return outcome
    if terms.write:
        _enter(api, plan.release)
        client.save(api)
    said = "The run that applied the configuration did not save it for the next boot."
    return replace(outcome, changed=True, warnings=[*outcome.warnings, said])


def check_release(release: Release, terms: Terms) -> Release:
    """Return the running release, or refuse one that is not expected."""
    dialect.check(release)
    if terms.releases and not any(accepted(release, wanted) for wanted in terms.releases):
        raise RefusedError(
            f"{terms.device}: the switch runs {release}, expected "
            f"{' or '.join(terms.releases)}; upgrade it, or accept its release (accept_releases in "
            "the description)."
        )
    return release


def _enter(api: Api, release: Release) -> None:
    """Log in once for all writes, where the release issues tokens."""
    if release >= TOKEN_SINCE and not api.auth.token and api.auth.can_fetch:
        api.fetch_token()


def _weigh(api: Api, plan: Plan, terms: Terms) -> Outcome:
    """Judge a plan: the right device, no known bug, approved, nobody disturbed unasked."""
    recognised = identity.check(api, terms.identity, plan.hostname, device=terms.device)
    warnings, refusals = preflight.inspect(
        CONDITIONS, plan.release, plan.changes, plan.before, plan.after
    )
    if refusals:
        raise RefusedError(" ".join(refusals))
    for check in (disruption.check_account, disruption.check_snippets, check_conflicts):
        check(plan.changes, plan.before, plan.after, api.auth.user)
    check_approved(plan, terms)
    if plan.forbidden:
        raise RefusedError(" ".join(plan.forbidden))
    sessions = proof.read(api, plan.before)
    disruptions = [
        *disruption.classify(plan.changes),
        *(disruption.replacement(*one) for one in sessions.replaced(plan.before, plan.after)),
    ]
    notes, refusals = _gate(api, plan, disruptions, sessions, terms)
    return Outcome(
        plan,
        disruptions,
        [*_doubts(plan), *warnings, *notes],
        refusals,
        recognised=recognised,
        sessions=sessions,
    )


def check_approved(plan: Plan, terms: Terms) -> None:
    """Refuse a diff that is not the approved one."""
    if not terms.needs_approval:
        return
    now, approved = plan.hashes(), terms.approved
    if approved == now:
        return
    if approved is None:
        said = f" has {len(plan.changes)} changes but is not in the approved file"
    elif approved.base != now.base:
        said = " was changed since the diff was approved"
    else:
        said = ": the diff is not the approved one"
    raise UnapprovedError(f"{terms.device}{said}; make a new report and have it approved.")


def _gate(
    api: Api, plan: Plan, disruptions: Sequence[Disruption], sessions: Sessions, terms: Terms
) -> tuple[list[str], list[str]]:
    """Refuse, or only announce, what must be allowed; return the announcement and the refusals."""
    notes = [f"Disruptive: {item.sentence()}." for item in disruptions]
    if any(item.gated for item in disruptions) and (seconds := _timer(disruptions, terms)):
        notes.append(
            f"If it is not confirmed within {seconds} s, the switch rolls back, which disturbs all "
            "this a second time."
        )
    refusals = []
    if sessions.unread and "unread_sessions" not in terms.allow_disruptive:
        refusals.append(sessions.unread_words(terms.device))
    blocked = [
        item for item in disruptions if item.gated and item.klass not in terms.allow_disruptive
    ]
    if disruptions:
        service = in_service(api, plan, sessions, terms.host_ports)
        if service and blocked:
            refusals.append(disruption.refusal(blocked, who=terms.device, why=service))
        elif not service:
            classes = ", ".join(dict.fromkeys(item.klass for item in disruptions))
            notes = [
                f"The switch is not in service, so nobody is disturbed by {classes}, and no spx_allow_disruptive is "
                "needed."
            ]
    if refusals and terms.write:
        raise RefusedError(" ".join(refusals))
    return [*notes, *(f"Would be refused: {sentence}" for sentence in refusals)], refusals


def _timer(disruptions: Sequence[Disruption], terms: Terms) -> int:
    """Return the roll-back timer in seconds: by class of change unless one is given."""
    return disruption.timer(disruptions) if terms.confirm is None else terms.confirm


def in_service(api: Api, plan: Plan, sessions: Sessions, host_ports: Sequence[str]) -> str:
    """Return by what a switch is in service, as words; nothing where it is not.

    In service is where a session is up, or a host port has carrier and an address or a VRF. A
    session or a port that the switch does not report may be up.
    """
    if sessions.up:
        return f"the BGP session {proof.named(sorted(sessions.up)[:1])} is Established"
    if sessions.unread:
        unread = proof.named(sorted(sessions.unread)[:1])
        return f"the state of the BGP session {unread} could not be read"
    used = [
        port
        for port, body in mappings(below(plan.before, "interface")).items()
        if any(fnmatch.fnmatch(port, pattern) for pattern in host_ports)
        and (body.get("vrf") or get(body, ("ipv4", "address")) or get(body, ("ipv6", "address")))
    ]
    carriers = operational.carriers(api) if used else {}
    if live := [port for port in sorted(used) if carriers.get(port)]:
        return f"the host port {live[0]} has carrier"
    silent = sorted(set(used) - carriers.keys())
    return f"the state of the host port {silent[0]} could not be read" if silent else ""


def _apply(
    api: Api, wish: Wish, outcome: Outcome, terms: Terms, limits: Limits, *, taken: frozenset[str]
) -> Outcome:
    plan = outcome.plan
    timer = _timer(outcome.disruptions, terms)
    needed = outcome.sessions.needed(plan.after)
    settle, doubts = proof.settling(plan, needed, timer, terms.settle)
    warnings = [*outcome.warnings, *outcome.sessions.not_awaited(plan.after), *doubts]
    proven = None
    if timer and (terms.login or login.at_stake(plan.changes)):
        proven = login.proof(api, plan.before, terms.login)
    unsets, sets = plan.bodies()
    order = Order(
        unsets,
        sets,
        mixed=plan.release >= MIXED_SINCE,
        confirm=timer,
        settle=settle,
        lost=lambda: (
            (proven.lost(api) if proven else []) or [*terms.missing(), *proof.lost(api, needed)]
        ),
        save=terms.save and not plan.saves_itself,
        message=terms.message(),
        still=lambda: readback.is_base(api, plan),
        read_back=lambda: readback.read(api, plan, wish),
        taken=taken,
    )
    api.ensure_token(timer + limits.lost + 60)
    try:
        found, more = carry_out(api, order, limits)
    except OvertakenError:
        raise
    except NvueError as exc:
        hints = [_where_it_stands(api, plan), *preflight.said_at("failure", plan.release)]
        kind = LoginError if proven and proven.refused else ApplyError
        raise kind(" ".join([f"{terms.device}: {exc}", *filter(None, hints)])) from exc
    return _finished(outcome, found, [*warnings, *more])


def _doubts(plan: Plan) -> list[str]:
    """Return what the schema does not know, and rotations that rotate nothing: a misspelt one would pass for done."""
    idle = (
        f"rotate names {glob!r}, where the wish for a device holds no secret: nothing is sent there."
        for glob in plan.idle_rotations
    )
    return [*plan.doubts, *idle]


def _finished(outcome: Outcome, found: Revision, warnings: list[str]) -> Outcome:
    if found.no_diff:
        warnings.append(_no_difference(outcome.changes))
        warnings += preflight.said_at("no_diff", outcome.plan.release)
    return replace(outcome, warnings=warnings, changed=not found.no_diff, revision=found.id)


def _no_difference(changes: Sequence[Change]) -> str:
    if all(is_secret(change.path) for change in changes):
        return "The switch already has the secrets to rotate."
    return _MADE_MEANWHILE


def _where_it_stands(api: Api, plan: Plan) -> str:
    """Say whether the switch runs what it ran before; never fails."""
    try:
        now = dialect.from_release(expand(operational.applied(api)), plan.release)
    except NvueError:
        return ""
    if not diff(mapping(mask(now)), mapping(mask(plan.before))):
        return "The switch runs its old configuration."
    if not diff(mapping(mask(now)), mapping(mask(plan.after))):
        return "The switch runs the new configuration nevertheless."
    return (
        "The switch runs neither the old nor the new configuration: compare before anything else."
    )


def entry(outcome: Outcome, device: str) -> Doc:
    """Return what ``changes.json`` holds of one device, as plain data without secrets."""
    hashes = outcome.plan.hashes()
    return {
        "device": device,
        "release": str(outcome.plan.release),
        "base": hashes.base,
        "diff": hashes.diff,
        "paths": [change["path"] for change in report.as_list(outcome.changes)],
        "commands": [*commands.rows(*outcome.plan.bodies(), outcome.changes)],
        "not_compared": [to_text(path) for path in outcome.plan.not_compared],
        "impact": {**outcome.impact, "tenants": sorted(_tenants(outcome.changes))},
        "disruptions": [item.sentence() for item in outcome.disruptions],
        "would_refuse": outcome.refusals,
        "warnings": [*outcome.warnings, *outcome.plan.held.drift],
    }


def _tenants(changes: Sequence[Change]) -> set[str]:
    """Return the VRFs that a change touches, other than those of the switch itself."""
    found = {change.path[1] for change in changes if change.path[0] == "vrf"}
    for change in changes:
        if change.path[0] == "interface" and change.path[2:] == parse("vrf"):
            found.update(str(vrf) for vrf in (change.before, change.after) if vrf)
    return found - {"default", "mgmt"}
