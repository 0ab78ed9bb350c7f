# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drills: every request of a change meets every hostile answer, and the run is killed at each.

Whatever comes, a change is carried out with proof or the run ends with one sentence.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.converge import (
    Outcome,
    Terms,
    converge,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import Wish
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApplyError,
    NvueError,
    OvertakenError,
    TransportError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.client import Limits

from ..faithful import JSON, Faithful

HARMLESS = Wish({"system": {"date-time": {"timezone": "Etc/UTC"}}})
LOSSY = Wish({"acl": {"cut": {"type": "ipv4"}}})
LIMITS = Limits(apply=60, busy=300, start=5, lost=20, poll_first=0.5, poll_most=2)
TIMER = 60

HTML = {"content-type": "text/html"}
PAGE = b"<html><body>Please log in</body></html>"


def body(
    content: bytes, status: int = 200, kind: Mapping[str, str] | None = None
) -> Callable[..., Any]:
    return lambda _real: Reply(status, kind or JSON, content)


def gone(_real: Reply) -> Reply:
    raise TransportError("leaf-01:8765: the connection was closed.")


HOSTILE: dict[str, Callable[[Reply], Reply]] = {
    "empty": body(b""),
    "blank": body(b" \n"),
    "no content": body(b"", 204),
    "partial": lambda real: Reply(206, JSON, real.body),
    "found elsewhere": body(b"", 302),
    "redirected": lambda real: Reply(307, JSON, real.body),
    "cut off": lambda real: Reply(real.status, JSON, real.body[: len(real.body) // 2]),
    "gone": gone,
    "login page": body(PAGE, kind=HTML),
    "no JSON by its type": lambda real: Reply(real.status, HTML, real.body),
    "no type": lambda real: Reply(real.status, {}, real.body),
    "empty object": body(b"{}"),
    "null": body(b"null"),
    "list": body(b"[]"),
    "list of lists": body(b"[[1], [2]]"),
    "number": body(b"3"),
    "text": body(b'"established"'),
    "flat": body(b'{"swp1": "established", "7": "applied"}'),
    "null inside": body(b'{"swp1": null, "swp2": null, "2": null}'),
    "deep lists": body(b"[" * 9000 + b"]" * 9000),
    "deep mappings": body(b'{"a":' * 9000 + b"1" + b"}" * 9000),
    "rather deep": body(b'{"a":' * 400 + b"1" + b"}" * 400),
    "no UTF-8": body(b'{"swp1": {"state": "\xff"}}'),
    "half a character": body(b'{"swp1": {"state": "\\ud800"}}'),
    "the same key twice": body(b'{"swp1": {"state": "idle"}, "swp1": {"state": "established"}}'),
    "not a number": body(b'{"swp1": {"state": NaN}}'),
    "infinite": body(b'{"swp1": {"state": 1e999}}'),
    "endless number": body(b"9" * 5000),
    "proxy's 502": body(PAGE, 502, HTML),
    "proxy's 404": body(PAGE, 404, HTML),
    "refused": body(b'{"title": "Bad Request"}', 400),
    "broken": body(b'{"title": "Internal Server Error"}', 500),
}


class KilledError(BaseException):
    """The process ends here."""


@dataclass
class Between:
    """Proxy between client and switch: it spoils the answer to the n-th request.

    With ``always`` also every later answer to the same kind of request. ``heard`` tells whether
    the switch gets the request at all.
    """

    switch: Faithful
    spoil: Callable[[Reply], Reply]
    at: int
    always: bool = False
    heard: bool = True
    count: int = 0
    kind: str = ""

    @property
    def target(self) -> str:
        return self.switch.target

    def close(self) -> None:
        """Nothing is open."""

    def request(self, method: str, path: str, *rest: Any) -> Reply:
        self.count += 1
        kind = f"{method} {path}"
        if self.count == self.at:
            self.kind = kind
        if self.count != self.at and not (self.always and self.kind == kind):
            return self.switch.request(method, path, *rest)
        self.switch.sleep(0.01)
        real = self.switch.request(method, path, *rest) if self.heard else Reply(200, JSON, b"{}")
        return self.spoil(real)


def run(switch: Faithful, wish: Wish, port: Any = None, **terms: Any) -> Outcome:
    given = {"device": "leaf-01", "confirm": TIMER, **terms}
    return converge(switch.api(port), wish, Terms(**given), LIMITS)


def new(wish: Wish) -> dict[str, Any]:
    switch = Faithful()
    switch.applied.update(wish.config)
    switch.applied["system"] = {**Faithful().applied["system"], **wish.config.get("system", {})}
    return switch.applied


def requests_of(wish: Wish, form: str) -> list[str]:
    switch = Faithful(form=form)
    with contextlib.suppress(NvueError):
        run(switch, wish)
    kinds: dict[str, list[int]] = {}
    for n, entry in enumerate(switch.log, start=1):
        kinds.setdefault(entry, []).append(n)
    # The first two and the last of each kind; between them lie polls that are all alike.
    chosen = {n for places in kinds.values() for n in (*places[:2], places[-1])}
    return [f"{n}:{switch.log[n - 1]}" for n in sorted(chosen)]


def sentence(error: NvueError) -> None:
    said = str(error)
    assert "\n" not in said
    assert "Traceback" not in said
    assert said.endswith(".")
    assert len(said) < 1200


def drilled(wish: Wish, form: str, spoil: str, at: int, *, always: bool, heard: bool) -> None:
    switch = Faithful(form=form)
    before = json.dumps(switch.applied, sort_keys=True)
    port = Between(switch, HOSTILE[spoil], at, always=always, heard=heard)
    try:
        outcome = run(switch, wish, port)
    except NvueError as error:
        outcome = None
        sentence(error)
    switch.sleep(10 * TIMER)
    assert switch.running == switch.applied
    if outcome is not None:
        assert outcome.changed
        assert switch.applied == new(wish)
    elif json.dumps(switch.applied, sort_keys=True) != before:
        assert switch.applied == new(wish)
    assert set(switch.sessions().values()) == {"established"}


FORMS = ("confirm", "ays")
CASES = [
    pytest.param(wish, form, at, id=f"{name}-{form}-{at}")
    for name, wish in (("harmless", HARMLESS), ("lossy", LOSSY))
    for form in FORMS
    for at in requests_of(wish, form)
]


@pytest.mark.parametrize("wish, form, at", CASES)
def test_hostile_answers(wish: Wish, form: str, at: str) -> None:
    place = int(at.partition(":")[0])
    # A question changes nothing, so that it does not matter whether the switch has heard it.
    hearing = (True,) if ":GET" in at else (True, False)
    for spoil in HOSTILE:
        for always in (False, True):
            for heard in hearing:
                try:
                    drilled(wish, form, spoil, place, always=always, heard=heard)
                except Exception as error:
                    error.add_note(f"{at} {spoil=} {always=} {heard=}")
                    raise


def test_a_switch_that_answers_everything_but_its_revision_is_judged_early() -> None:
    """One that is silent altogether may have lost its management, and is given its timer to come back."""
    polls = [n for n, entry in enumerate(_log_of(HARMLESS), start=1) if entry == "GET /revision/2"]
    for spoil in ("gone", "empty", "proxy's 502"):
        switch = Faithful()
        begun = switch.seconds
        with pytest.raises(ApplyError, match="though the switch answers GET /system: it was not"):
            run(switch, HARMLESS, Between(switch, HOSTILE[spoil], polls[1], always=True))
        assert switch.seconds - begun < 4 * LIMITS.start < TIMER


class Stuck(Faithful):
    """A switch whose revision says for ever that it reloads."""

    def _reload(self, one: Any) -> None:
        super()._reload(one)
        one.until = math.inf


def test_a_switch_that_says_for_ever_that_it_reloads_is_judged_before_its_limit() -> None:
    switch, limits = Stuck(), Limits(apply=900, poll_most=2, reload=100)
    begun = switch.seconds
    with pytest.raises(ApplyError) as error:
        converge(switch.api(), HARMLESS, Terms(device="leaf-01", confirm=TIMER), limits)
    assert "revision 2 is reloading for 10" in str(error.value)
    assert "though the switch answers GET /system: it was not confirmed" in str(error.value)
    assert limits.reload < switch.seconds - begun < limits.reload + 10


def killed(_real: Reply) -> Reply:
    raise KilledError


@pytest.mark.parametrize("heard", [True, False])
@pytest.mark.parametrize("wish, form, at", CASES)
def test_a_run_that_is_killed_is_finished_by_the_next(
    wish: Wish, form: str, at: str, heard: bool
) -> None:
    switch = Faithful(form=form)
    port = Between(switch, killed, int(at.partition(":")[0]), heard=heard)
    with pytest.raises(KilledError):
        run(switch, wish, port)
    try:
        run(switch, wish)
    except NvueError as error:
        assert wish is LOSSY
        sentence(error)
    switch.sleep(10 * TIMER)
    assert switch.running == switch.applied == new(wish if wish is HARMLESS else Wish({}))


@pytest.mark.parametrize("final", ["applied", "applied_and_saved"])
@pytest.mark.parametrize("warns", [False, True])
@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_either_form_of_the_confirmation(form: str, greedy: bool, warns: bool, final: str) -> None:
    switch = Faithful(form=form, greedy=greedy, warns=warns, final=final)
    outcome = run(switch, HARMLESS)
    assert (outcome.changed, outcome.warnings) == (True, [])
    assert switch.applied == switch.running == new(HARMLESS)
    switch.log.clear()
    assert not run(switch, HARMLESS).changed
    assert switch.log == ["GET /system", "GET /"]


@pytest.mark.parametrize("warns", [False, True])
@pytest.mark.parametrize("greedy", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_what_is_lost_is_rolled_back_in_either_form(form: str, greedy: bool, warns: bool) -> None:
    switch = Faithful(form=form, greedy=greedy, warns=warns)
    with pytest.raises(NvueError, match="was rolled back after 60 s") as error:
        run(switch, LOSSY)
    assert "because of what was lost: BGP session default/swp1, BGP session" in str(error.value)
    assert switch.applied == switch.running == Faithful().applied
    assert "cut" in switch.revisions["2"].config["acl"]


def test_a_killed_run_is_waited_for_and_the_wait_is_announced() -> None:
    switch = Faithful()

    def kill_before_the_answer(real: Reply) -> Reply:
        raise KilledError

    at = next(
        n for n, entry in enumerate(_log_of(HARMLESS), start=1) if n > 12 and "PATCH" in entry
    )
    with pytest.raises(KilledError):
        run(switch, HARMLESS, Between(switch, kill_before_the_answer, at, heard=False))
    assert switch.revisions["2"].state == "confirm"
    said: list[tuple[float, str]] = []
    begun = switch.seconds
    assert run(switch, HARMLESS, say=lambda text: said.append((switch.seconds, text))).changed
    ((when, text),) = said
    assert when - begun < 1
    assert "waits for revision 2 of somebody else" in text
    assert "(state confirm), " in text


def _log_of(wish: Wish) -> list[str]:
    switch = Faithful()
    run(switch, wish)
    return switch.log


@dataclass
class Intruder:
    """Somebody else applies a change right before the n-th request is heard."""

    switch: Faithful
    at: int
    change: dict[str, Any]
    count: int = 0

    @property
    def target(self) -> str:
        return self.switch.target

    def close(self) -> None:
        """Nothing is open."""

    def request(self, *request: Any) -> Reply:
        self.count += 1
        if self.count == self.at:
            self.switch.theirs(self.change)
        return self.switch.request(*request)


OWNED = Wish(HARMLESS.config, "replaced", ("system/date-time",))
# What the other changes: the same setting, another one of ours, one of its own.
CHANGES: dict[str, dict[str, Any]] = {
    "same": {"system": {"date-time": {"timezone": "Asia/Tokyo"}}},
    "beside": {"system": {"date-time": {"ntp": "enabled"}}},
    "own": {"interface": {"swp9": {"description": "theirs"}}},
}
BEGUN = _log_of(OWNED).index("PATCH /revision/2") + 1


@pytest.mark.parametrize("confirm", [TIMER, 0])
@pytest.mark.parametrize("rebases", [False, True])
@pytest.mark.parametrize("shows", ["old", "new"])
@pytest.mark.parametrize("change", CHANGES)
def test_no_update_is_lost_unseen(change: str, shows: str, rebases: bool, confirm: int) -> None:
    """Somebody else applies at every point between the first read and the apply."""
    for at in range(1, BEGUN + 1):
        switch = Faithful(shows=shows, rebases=rebases)
        intruder = Intruder(switch, at, CHANGES[change])
        if at < BEGUN:
            run(switch, OWNED, intruder, confirm=confirm)
            assert switch.applied["system"]["date-time"] == HARMLESS.config["system"]["date-time"]
        else:
            with pytest.raises(NvueError, match=r"revision 3 of user ops|system/date-time/ntp"):
                run(switch, OWNED, intruder, confirm=confirm)
            switch.sleep(10 * TIMER)
        if change == "own" and (confirm or rebases or at < BEGUN):
            assert "swp9" in switch.applied["interface"]


def test_somebody_who_is_always_quicker_is_named() -> None:
    switch = Faithful()

    class Quicker(Intruder):
        def request(self, *request: Any) -> Reply:
            if request[:2] == ("POST", "/nvue_v1/revision"):
                self.switch.theirs({"interface": {f"swp{len(self.switch.revisions)}0": {}}})
            return self.switch.request(*request)

    with pytest.raises(OvertakenError, match="revision 8 of user ops changed the switch while"):
        run(switch, HARMLESS, Quicker(switch, 0, {}))
    assert switch.log.count("POST /revision") == 4
    assert "timezone" not in str(switch.applied)


SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=6)
KEYS = st.sampled_from(
    ["system", "interface", "vrf", "default", "router", "bgp", "neighbor", "swp1", "swp2", "swp1-2",
     "state", "link", "2", "transition", "issue", "token", "build", "acl", "ipv4", "address", "bfd"]
)  # fmt: skip
ANSWERS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(found=ANSWERS, at=st.integers(1, 18), always=st.booleans())
def test_any_json_is_data_or_one_sentence(found: Any, at: int, always: bool) -> None:
    """Whatever a well-formed answer holds, nothing but a sentence comes of it."""
    switch = Faithful()
    port = Between(switch, body(json.dumps(found).encode()), at, always=always)
    try:
        run(switch, Wish({"interface": {"swp1": {"description": "x"}}}), port)
    except NvueError as error:
        sentence(error)
    switch.sleep(10 * TIMER)
    assert set(switch.sessions().values()) == {"established"}
