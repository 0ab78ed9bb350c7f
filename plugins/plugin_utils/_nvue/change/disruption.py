# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Disturbances of services and ports by a change, and their permission."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ....module_utils._json import Doc
from ..document.paths import Globs, Path, parse, to_text
from ..document.shapes import below
from ..document.tree import Change, get
from ..errors import RefusedError
from .disruption_table import ACCOUNT, CLASSES, DEFAULT_TIMER, EFFECTS, PASSWORDS, Effect

SNIPPETS, WITHOUT_SNIPPETS = ("system", "config", "snippet"), "nvue-admin"
"""Place of snippets, and the role that may write all but these."""
_REPLACED = "replaced by others, which come up only when the neighbours change too"


@dataclass(frozen=True)
class Disruption:
    """One effect and the places that cause it."""

    klass: str
    effect: str
    places: tuple[str, ...]

    @property
    def gated(self) -> bool:
        """Return whether the class must be allowed by name."""
        return CLASSES[self.klass].gated

    def sentence(self) -> str:
        """Return the effect with its cause."""
        more = f" and {len(self.places) - 2} more" if len(self.places) > 2 else ""
        return f"{self.klass}: {self.effect} (by {', '.join(self.places[:2])}{more})"


@lru_cache(maxsize=1)
def _compiled() -> tuple[tuple[Effect, Globs], ...]:
    return tuple((row, Globs([place])) for row in EFFECTS for place in row.places)


def classify(changes: Sequence[Change]) -> list[Disruption]:
    """Return the disruptions of a change, gravest class first as in the table."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    everything = Globs(place for row in EFFECTS for place in row.places)
    suspects = [change for change in changes if everything.covers(change.path)]
    swapped = _swapped(suspects)
    for row, globs in _compiled():
        for change in suspects:
            if row.only == "change" and (change.before is None or change.after is None):
                continue
            if row.only == "swap" and change.path not in swapped:
                continue
            if globs.covers(change.path):
                found.setdefault((row.klass, row.effect), {})[to_text(change.path)] = None
    order = list(CLASSES)
    made = [Disruption(klass, effect, tuple(places)) for (klass, effect), places in found.items()]
    return sorted(made, key=lambda item: order.index(item.klass))


def _swapped(changes: Iterable[Change]) -> set[Path]:
    """Return the keys that go while another one comes at their place.

    An address of either family makes up for one of its interface; `dhcp` is no address.
    """
    keys = []
    for change in changes:
        address = change.path[3:4] == ("address",)
        if not address or "/" in change.path[-1]:
            keys.append((change, change.path[:2] if address else change.path[:-1]))
    gaining = {place for change, place in keys if change.before is None}
    return {change.path for change, place in keys if change.after is None and place in gaining}


def replacement(what: str, sessions: Iterable[tuple[str, str]]) -> Disruption:
    """Return the disruption of a VRF, or EVPN in it, whose sessions are all replaced by others."""
    places = tuple(f"vrf/{vrf}/router/bgp/neighbor/{peer}" for vrf, peer in sorted(sessions))
    return Disruption("renumber", f"every BGP session of {what} is {_REPLACED}", places)


def timer(disruptions: Iterable[Disruption]) -> int:
    """Return the confirm timer, in seconds, that the gravest class needs."""
    return max((CLASSES[item.klass].timer for item in disruptions), default=DEFAULT_TIMER)


def impact(
    disruptions: Iterable[Disruption], before: Doc, changes: Sequence[Change]
) -> dict[str, list[str]]:
    """Return what a change disturbs: {ports_flapped, sessions_reset, restarts}."""
    ports: set[str] = set()
    sessions: set[str] = set(_removed_sessions(changes))
    restarts: list[str] = []
    for item in disruptions:
        if item.klass in ("switchd_reload", "frr_restart", "telemetry_restart"):
            restarts.append(item.effect)
        if item.klass == "switchd_reload":
            ports.update(name for name in below(before, "interface") if name.startswith("swp"))
        elif item.klass in ("breakout", "port_flap"):
            ports.update(parse(place)[1] for place in item.places)
        elif item.klass not in ("renumber", "telemetry_restart"):
            sessions.update(_sessions(item, before))
    return {
        "ports_flapped": sorted(ports),
        "sessions_reset": sorted(sessions),
        "restarts": restarts,
    }


def _sessions(item: Disruption, before: Doc) -> Iterable[str]:
    for place in item.places:
        path = parse(place)
        if path[0] != "vrf":
            for vrf in below(before, "vrf"):
                yield from _peers(before, vrf, None)
        elif "neighbor" in path:
            yield f"{path[1]}/{path[path.index('neighbor') + 1]}"
        elif "peer-group" in path:
            yield from _peers(before, path[1], path[path.index("peer-group") + 1])
        else:
            yield from _peers(before, path[1], None)


def _peers(before: Doc, vrf: str, group: str | None) -> Iterable[str]:
    for name, body in below(before, "vrf", vrf, "router", "bgp", "neighbor").items():
        if group is None or (isinstance(body, dict) and body.get("peer-group") == group):
            yield f"{vrf}/{name}"


def _removed_sessions(changes: Sequence[Change]) -> Iterable[str]:
    for change in changes:
        path = change.path
        if path[:1] == ("vrf",) and path[2:5] == ("router", "bgp", "neighbor") and len(path) > 5:
            gone = change.after is None and change.before is not None
            if gone and (len(path) == 6 or path[6] in ("type", "peer-group", "remote-as")):
                yield f"{path[1]}/{path[5]}"


def refusal(refused: Iterable[Disruption], *, who: str, why: str) -> str:
    """Return why gated disruptions are refused; ``why`` says by what the switch is in service."""
    items = list(refused)
    names = sorted({item.klass for item in items})
    return (
        f"{who}: the change disturbs traffic and the switch is in service ({why}): "
        f"{'; '.join(item.sentence() for item in items)}; "
        f"allow_disruptive must name {', '.join(names)} "
        f"(playbooks take it as -e spx_allow_disruptive={','.join(names)})."
    )


def check_account(changes: Iterable[Change], before: Doc, after: Doc, user: str | None) -> None:
    """Refuse to remove the account that is logged in or its password, or to change its role."""
    if not user:
        return
    path = (*parse(ACCOUNT), user)
    for what, places in (("", [path]), ("the password of ", [(*path, key) for key in PASSWORDS])):
        if _any_of(before, places) and not _any_of(after, places):
            raise RefusedError(
                f"The change removes {what}{to_text(path)}, the account it logs in with; keep it in "
                "config or log in with another account."
            )
    for change in changes:
        if change.path == (*path, "role") and change.before is not None:
            raise RefusedError(
                f"The change gives {to_text(path)}, the account it logs in with, the role "
                f"{change.after}, which ends its sessions; log in with another account."
            )


def check_snippets(changes: Iterable[Change], before: Doc, after: Doc, user: str | None) -> None:
    """Refuse two snippets for one file, and a snippet from an account whose role may not write any (D516)."""
    if not any(change.path[:3] == SNIPPETS for change in changes):
        return
    files: dict[object, str] = {}
    for name, body in below(after, *SNIPPETS).items():
        file = body.get("file") if isinstance(body, dict) else name
        other = files.setdefault(file, name) if file else name
        if other != name:
            there = name if name in below(before, *SNIPPETS) else other
            raise RefusedError(
                f"The snippets {other} and {name} are both for {file}, and a switch takes one for each file; take "
                f"{there} off it if that is not needed (nv unset system config snippet {there})."
            )
    role = get(before, (*parse(ACCOUNT), user, "role")) if user else None
    if role == WITHOUT_SNIPPETS:  # one that writes nothing may still compare
        raise RefusedError(
            f"The account {user} has the role {role}, and only system-admin writes snippets; log in with another "
            "account."
        )


def _any_of(doc: Doc, places: Iterable[Path]) -> bool:
    return any(get(doc, place) is not None for place in places)
