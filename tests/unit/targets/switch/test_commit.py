# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commits of the switch double that wait for a confirmation, in both published forms.

NVIDIA's sequence is the order of requests that NVIDIA's Config Manager sends, and gpncfg's is that
of a public operator; both are spoken here with http.client alone.
"""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import time
from typing import Any

import pytest

YES = {"auto-prompt": {"ays": "ays_yes"}}
MTU = {"interface": {"swp1": {"link": {"mtu": 9000}}}}
ASKS_FIRST = {"router": {"adaptive-routing": {"state": "enabled"}}}
FORMS = {
    "confirm": [{"state": "confirm_yes"}, {"state": "confirm_yes", **YES}],
    "ays": [{"state": "apply", **YES}, {"state": "ays_yes"}],
}
ANSWERS = [(form, body) for form, bodies in FORMS.items() for body in bodies]


def timer(seconds: int = 30, **prompts: str) -> dict[str, Any]:
    """The body of an apply that rolls back by itself."""
    prompt = {"ays": "ays_yes", **prompts}
    return {"state-controls": {"confirm": seconds}, "auto-prompt": prompt}


class Wire:
    """A double asked with http.client and nothing of this project."""

    def __init__(self, double: Any) -> None:
        self.connection = http.client.HTTPConnection(double.host, double.port, timeout=10)
        secret = base64.b64encode(f"{double.username}:{double.password}".encode()).decode()
        self.headers = {"Authorization": f"Basic {secret}", "Content-Type": "application/json"}

    def __call__(self, method: str, path: str, body: Any = None) -> Any:
        """The JSON of an answer, which must be one of success."""
        text = None if body is None else json.dumps(body)
        self.connection.request(method, f"/nvue_v1{path}", text, self.headers)
        answer = self.connection.getresponse()
        raw = answer.read()
        assert 200 <= answer.status < 300, (answer.status, raw)
        return json.loads(raw) if raw else None


def nvidia_commits(wire: Wire, document: dict[str, Any]) -> tuple[list[str], list[Any]]:
    """The states and differences that NVIDIA's sequence met."""
    number = next(iter(wire("POST", "/revision")))
    wire("DELETE", f"/?rev={number}")
    wire("PATCH", f"/?rev={number}", document)
    removed = wire("GET", f"/?rev=applied&diff={number}&filled=false")
    added = wire("GET", f"/?rev={number}&diff=applied&filled=false")
    order = {
        "state": "apply",
        "auto-prompt": {"confirm": "confirm_yes", "ays": "ays_yes"},
        "state-controls": {"confirm": 30},
    }
    wire("PATCH", f"/revision/{number}", order)
    states = [""]
    deadline = time.monotonic() + 5
    while "ays" not in states[-1] and "applied" not in states[-1]:
        assert time.monotonic() < deadline, states
        assert "invalid" not in states[-1], states
        states.append(wire("GET", f"/revision/{number}")["state"])
        time.sleep(0.005)
    wire("PATCH", f"/revision/{number}", {"state": "apply", **YES})
    if "saved" not in states[-1]:
        wire("PATCH", "/revision/applied", {"state": "save", **YES})
    return states, [removed, added]


@pytest.mark.parametrize("final", ["applied", "applied_and_saved", "unsaved"])
@pytest.mark.parametrize("form", ["confirm", "ays"])
def test_nvidias_sequence_commits(start: Any, form: str, final: str) -> None:
    """It saves at once after its confirmation, and without auto-save that must count."""
    state = "applied" if final == "unsaved" else final
    client = start(encrypted=False, confirm_form=form, final_state=state)
    if final == "unsaved":
        off = {"system": {"config": {"auto-save": {"state": "disabled"}}}}
        client.double.control.foreign(off)
    wire = Wire(client.double)
    document = wire("GET", "/?rev=applied&filled=false")
    document["interface"]["swp1"] = MTU["interface"]["swp1"]
    del document["system"]["aaa"]["user"]["cumulus"]["hashed-password"]
    states, (removed, added) = nvidia_commits(wire, document)
    assert ("ays" in states) == (form == "ays")
    assert removed["interface"] == {"swp1": None}
    assert added["interface"] == {"swp1": {"link": {"mtu": 9000}, "type": "swp"}}
    path = "/interface?rev=startup&filled=false"
    deadline = time.monotonic() + 5
    while "swp1" not in wire("GET", path):
        assert time.monotonic() < deadline
    assert wire("GET", "/interface/swp1/link/mtu?rev=applied") == 9000
    assert client.double.control.state()["errors"] == []


def test_the_sequence_of_a_public_operator_commits(start: Any) -> None:
    client = start(encrypted=False)
    wire = Wire(client.double)
    number = next(iter(wire("POST", "/revision")))
    wire("PATCH", f"/?rev={number}", MTU)
    wire("PATCH", f"/revision/{number}", {"state": "apply", **timer(60)})
    while wire("GET", f"/revision/{number}")["state"] != "confirm":
        time.sleep(0.005)
    wire("PATCH", f"/revision/{number}", {"state": "confirm_yes", **YES})
    while "applied" not in wire("GET", f"/revision/{number}")["state"]:
        time.sleep(0.005)
    assert wire("GET", "/interface/swp1/link/mtu?rev=applied") == 9000


@pytest.mark.parametrize(("form", "answer"), ANSWERS)
def test_each_form_is_answered_in_its_own_words(start: Any, form: str, answer: Any) -> None:
    client = start(confirm_form=form)
    number = client.revision(MTU)
    client.apply(number, **timer())
    client.until(number, form)
    assert "swp1" not in client.applied("/interface")
    assert client("PATCH", f"/revision/{number}", answer)[0] == 200
    client.until(number, "applied_and_saved")
    assert client.applied("/interface/swp1/link/mtu") == 9000


@pytest.mark.parametrize("form", ["confirm", "ays"])
def test_the_question_comes_after_the_reload(start: Any, form: str) -> None:
    """Check that an answer before an apply for its warning answers no confirmation."""
    client = start(confirm_form=form, step_seconds=0.03)
    number = client.revision(ASKS_FIRST)
    client.apply(number, **timer())
    seen: list[str] = []
    while seen[-1:] != [form]:
        state = client("GET", f"/revision/{number}")[1]["state"]
        seen += [state] if seen[-1:] != [state] else []
        assert len(seen) < 20
    assert {"reloading", "reloaded"} & set(seen)
    time.sleep(0.2)
    assert client("GET", f"/revision/{number}")[1]["state"] == form


@pytest.mark.parametrize(
    ("form", "wrong"),
    [
        ("ays", {"state": "confirm_yes"}),
        ("ays", {"state": "apply"}),
        ("confirm", {"state": "ays_yes"}),
        ("confirm", {"state": "apply", **YES}),
    ],
)
def test_the_words_of_the_other_form_are_refused(start: Any, form: str, wrong: Any) -> None:
    client = start(confirm_form=form)
    number = client.revision(MTU)
    client.apply(number, **timer())
    client.until(number, form)
    assert client("PATCH", f"/revision/{number}", wrong)[0] == 400
    assert client("GET", f"/revision/{number}")[1]["state"] == form


@pytest.mark.parametrize(
    ("form", "refusal", "end"),
    [
        ("confirm", None, "confirm_fail"),
        ("confirm", {"state": "confirm_no"}, "confirm_fail"),
        ("ays", None, "ays_fail"),
        ("ays", {"state": "apply", "auto-prompt": {"ays": "ays_no"}}, "ays_fail"),
        ("ays", {"state": "ays_no"}, "ays_fail"),
    ],
)
def test_silence_and_no_roll_back(start: Any, form: str, refusal: Any, end: str) -> None:
    client = start(confirm_form=form)
    number = client.revision(MTU)
    client.apply(number, **timer(1 if refusal is None else 30))
    client.until(number, form)
    if refusal is not None:
        assert client("PATCH", f"/revision/{number}", refusal)[0] == 200
    view = client.until(number, end)
    assert view["transition"]["progress"] == "Rolled back"
    assert "rolled back" in str(view["transition"]["issue"])
    assert "swp1" not in client.applied("/interface")
    client.apply(number)
    client.until(number, "applied_and_saved")


class Slow:
    """A realiser that takes its time."""

    async def apply(self, _document: dict[str, Any]) -> None:
        await asyncio.sleep(0.5)


@pytest.mark.parametrize("form", ["confirm", "ays"])
def test_an_answer_during_the_roll_back_comes_too_late(start: Any, form: str) -> None:
    client = start(confirm_form=form, realiser=Slow())
    number = client.revision(MTU)
    client.apply(number, **timer(1))
    client.until(number, form)
    client.until(number, f"{form}_no")
    assert client("PATCH", f"/revision/{number}", FORMS[form][0])[0] == 400
    client.until(number, f"{form}_fail")


@pytest.mark.parametrize(
    ("form", "prompt", "option", "asks"),
    [
        ("confirm", "confirm_yes", "by_form", False),
        ("confirm", "confirm_yes", "asks", True),
        ("ays", "confirm_yes", "by_form", True),
        ("ays", "confirm_yes", "answers", False),
    ],
)
def test_a_confirmation_given_beforehand(
    start: Any, form: str, prompt: str, option: str, asks: bool
) -> None:
    client = start(confirm_form=form, auto_prompt_confirm=option)
    number = client.revision(MTU)
    client.apply(number, **timer(confirm=prompt))
    view = client.until(number, form, "applied_and_saved")
    assert (view["state"] == form) == asks


def test_a_refusal_given_beforehand_rolls_back(start: Any) -> None:
    client = start()
    number = client.revision(MTU)
    client.apply(number, **timer(confirm="confirm_no"))
    client.until(number, "confirm_fail")
    assert "swp1" not in client.applied("/interface")


@pytest.mark.parametrize(
    ("final", "states"), [("applied", set()), ("applied_and_saved", {"auto_save", "auto_saving"})]
)
def test_the_last_state(start: Any, final: str, states: set[str]) -> None:
    client = start(final_state=final, step_seconds=0.2)
    number = client.revision(MTU)
    client.apply(number)
    seen, saved = list[str](), "/interface/swp1/link/mtu?rev=startup"
    deadline = time.monotonic() + 20.0
    while seen[-1:] != [final] or client("GET", saved) != (200, 9000):
        seen.append(client("GET", f"/revision/{number}")[1]["state"])
        assert time.monotonic() < deadline, seen[-1]
    assert {*seen} & {"auto_save", "auto_saving"} == states


def test_a_difference_as_an_object(start: Any) -> None:
    """Each direction shows its own side; null is where that side has nothing."""
    client = start(diff_reply="object", document={"system": {"hostname": "a"}})
    number = client.revision({"system": {"hostname": "b"}, **MTU})
    path = "/?rev={}&diff={}&filled=false"
    removed = client("GET", path.format("applied", number))[1]
    added = client("GET", path.format(number, "applied"))[1]
    assert removed == {"interface": None, "system": {"hostname": "a"}}
    swp1 = {"link": {"mtu": 9000}, "type": "swp"}
    assert added == {"interface": {"swp1": swp1}, "system": {"hostname": "b"}}
    assert client("GET", path.format(number, number)) == (200, {})


def test_what_a_revision_says_of_its_apply(start: Any) -> None:
    """The keys of NVIDIA's own client; none of them is a user or a time."""
    client = start()
    number = client.revision(MTU)
    assert set(client("GET", f"/revision/{number}")[1]) == {"state", "transition"}
    client.apply(number, message="by the night shift", **timer())
    view = client.until(number, "confirm")
    listed = client("GET", "/revision")[1][number]
    assert view == listed
    assert {key: view[key] for key in view if key not in ("state", "transition")} == {
        "additional-data": {"parent-revision-id": "applied"},
        "auto-prompt": {"ays": "ays_yes"},
        "last-apply": {"apply-id": f"rev_{number}_apply_1"},
        "message": "by the night shift",
        "state-controls": {"confirm": 30},
    }


@pytest.mark.parametrize("form", ["confirm", "ays"])
def test_somebody_elses_commit_waits_and_rolls_back(start: Any, form: str) -> None:
    client = start(confirm_form=form)
    number = client.double.control.foreign_commit(MTU, seconds=1, message="night shift")
    view = client.until(number, form)
    assert (view["message"], view["state-controls"]) == ("night shift", {"confirm": 1})
    client.until(number, f"{form}_fail")
    assert "swp1" not in client.applied("/interface")
