# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The story of one switch, told by its request log: what was sent, and what was not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.converge import (
    Terms,
    converge,
    entry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import (
    HeldPlaces,
    Wish,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.report import Approval
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApiError,
    ApplyError,
    RefusedError,
    TransportError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.client import Limits

from ..changing import (
    BGP,
    CHANGE,
    IDLE,
    NEIGHBORS,
    PEERS,
    ROCE,
    ROTATED,
    SESSIONS,
    USER,
    Make,
    fails,
    old,
    run,
    sessions,
    told,
)

READS = ["GET /system?rev=operational", "GET /?rev=applied&filled=false"]
TOKEN = {"GET /api-token": [{"token": "t0ken-canary"}]}


# unchanged


@pytest.mark.parametrize(
    "wish",
    [
        Wish({"system": {"hostname": "old"}}),
        Wish({"system": {"hostname": "old"}}, state="replaced", owns=("system/hostname",)),
        Wish({"system": {"date-time": {"timezone": "Etc/UTC"}}}, state="deleted"),
        Wish({"system": {"date-time": {"timezone": None}}}),
        Wish({"interface": {"swp1-2": {"link": {"mtu": 9216}}}}),
        Wish(
            {"interface": {"swp1-2": {"link": {"mtu": 9216}}}},
            state="replaced",
            owns=("interface/swp*",),
        ),
    ],
)
def test_unchanged_is_two_reads_and_no_write(ready: Make, wish: Wish) -> None:
    ports = {"swp1-2": {"type": "swp", "link": {"mtu": 9216}}}
    switch = ready(applied=old(interface=ports))
    outcome = run(switch, wish)
    assert (outcome.changed, outcome.revision, outcome.changes) == (False, None, [])
    assert switch.log == READS


def test_an_old_switch_is_compared_in_its_own_spelling(ready: Make) -> None:
    switch = ready(
        build="Cumulus Linux 5.13.0",
        applied={"interface": {"swp1": {"ip": {"vrf": "RED"}}}, "evpn": {"enable": "on"}},
    )
    wish = Wish({"interface": {"swp1": {"vrf": "RED"}}, "evpn": {"state": "enabled"}})
    assert not run(switch, wish).changed
    assert switch.log == READS


# changed


def test_a_change_is_one_revision_under_a_timer(ready: Make) -> None:
    switch = ready()
    outcome = run(switch, message=lambda: "play switches é")
    assert (outcome.changed, outcome.revision) == (True, "7")
    assert switch.log == [
        *READS,
        SESSIONS,
        "GET /api-token",
        "GET /revision",
        "POST /revision",
        "PATCH /?rev=7",
        "GET /revision",
        READS[1],
        "PATCH /revision/7",
        *["GET /revision/7"] * 3,
        "GET /system?rev=operational",
        "GET /revision",
        READS[1],
        "PATCH /revision/7",
        *["GET /revision/7"] * 2,
        READS[1],
    ]
    assert switch.body_of("PATCH /?rev=7") == {"system": {"hostname": "new"}}
    assert switch.bodies[9] == {
        "state": "apply",
        "state-controls": {"confirm": 180},
        "message": "play switches ?",
    }
    assert switch.bodies[16] == {"state": "confirm_yes", "auto-prompt": {"ays": "ays_yes"}}


@pytest.mark.parametrize("answer", [{"7": {"state": "pending"}}, {"id": "7"}, {"id": 7, "x": 1}])
def test_a_new_revision_is_named_in_several_shapes(ready: Make, answer: Any) -> None:
    assert run(ready(script={"POST /revision": [answer]})).revision == "7"


def test_the_password_is_used_until_there_is_a_token(ready: Make) -> None:
    switch = ready()
    run(switch)
    kinds = [headers["authorization"].split()[0] for headers in switch.headers]
    assert kinds == ["Basic"] * 4 + ["Bearer"] * (len(kinds) - 4)


@pytest.mark.parametrize("build", ["Cumulus Linux 5.13.0", "Cumulus Linux 5.9.2"])
def test_without_tokens_the_password_stays(ready: Make, build: str) -> None:
    switch = ready(build=build)
    run(switch)
    assert "GET /api-token" not in switch.log


@pytest.mark.parametrize(
    "build, bodies",
    [
        (
            "Cumulus Linux 5.16.0",
            [{"system": {"hostname": None, "date-time": {"timezone": "Etc/UTC"}}}],
        ),
        (
            "Cumulus Linux 5.15.0",
            [{"system": {"hostname": None}}, {"system": {"date-time": {"timezone": "Etc/UTC"}}}],
        ),
    ],
)
def test_sets_and_unsets_are_mixed_only_since_5_16(ready: Make, build: str, bodies: Any) -> None:
    switch = ready(build=build)
    run(switch, Wish({"system": {"hostname": None, "date-time": {"timezone": "Etc/UTC"}}}))
    sent = [body for entry, body in zip(switch.log, switch.bodies) if entry == "PATCH /?rev=7"]
    assert sent == bodies


def test_an_old_switch_is_sent_its_own_spelling(ready: Make) -> None:
    ip = {"vrf": "RED", "address": {"10.0.0.1/31": {}, "fd00::1/64": {}}}
    switch = ready(
        build="Cumulus Linux 5.13.0", applied={"interface": {"swp1": {"type": "swp", "ip": ip}}}
    )
    wish = Wish(
        {"interface": {"swp1": {"ipv6": {"state": "disabled"}}}},
        state="replaced",
        owns=("interface/swp*/ipv4", "interface/swp*/ipv6/state", "interface/swp*/vrf"),
    )
    run(switch, wish, allow_disruptive=frozenset({"breakout"}))
    sent = [body for entry, body in zip(switch.log, switch.bodies) if entry == "PATCH /?rev=7"]
    assert sent == [
        {"interface": {"swp1": {"ip": {"vrf": None, "address": {"10.0.0.1/31": None}}}}},
        {"interface": {"swp1": {"ip": {"ipv6": {"enable": "off"}}}}},
    ]


# plans


def test_a_plan_shows_the_true_diff_and_writes_nothing(ready: Make) -> None:
    switch = ready()
    outcome = run(switch, write=False)
    assert outcome.changed
    assert [(c.path, c.before, c.after) for c in outcome.changes] == [
        (("system", "hostname"), "old", "new")
    ]
    assert switch.log == [*READS, SESSIONS]


def test_a_plan_tells_what_would_be_refused(ready: Make) -> None:
    switch = ready(applied=old(**PEERS), operational={"vrf": {"default": {"router": {"bgp": {
        "neighbor": {"swp1": BGP}}}}}})  # fmt: skip
    outcome = run(switch, Wish({"qos": {"roce": {"state": "enabled"}}}), write=False)
    said = " ".join(outcome.refusals)
    assert "allow_disruptive must name switchd_reload" in said
    assert (
        "allow_disruptive must name unread_sessions" in said
    )  # of the peers that it does not report
    assert {f"Would be refused: {text}" for text in outcome.refusals} <= set(outcome.warnings)
    assert entry(outcome, "leaf-01")["would_refuse"] == outcome.refusals
    assert switch.writes() == []


# the right release, the right device, the approved diff


def test_another_release_is_refused_with_both_named(ready: Make) -> None:
    switch = ready()
    said = fails(switch, releases=("5.17", "5.18.0"))
    assert said == (
        "leaf-01: the switch runs 5.16.1, expected 5.17 or 5.18.0; "
        "upgrade it, or accept its release (accept_releases in the description)."
    )
    assert switch.log == READS[:1]


def test_only_the_approved_diff_is_applied(ready: Make) -> None:
    planned = entry(run(ready(), write=False), "leaf-01")
    approval = Approval(planned["base"], planned["diff"])
    assert run(ready(), needs_approval=True, approved=approval).changed


@pytest.mark.parametrize(
    "approval, sentence",
    [
        (None, "not in the approved file"),
        (("other", "same"), "changed since the diff was approved"),
        (("same", "other"), "the diff is not the approved one"),
    ],
)
def test_another_diff_is_refused(ready: Make, approval: Any, sentence: str) -> None:
    planned = entry(run(ready(), write=False), "leaf-01")
    if approval is not None:
        base = planned["base"] if approval[0] == "same" else "x"
        diff = planned["diff"] if approval[1] == "same" else "x"
        approval = Approval(base, diff)
    switch = ready()
    assert sentence in fails(switch, kind=RefusedError, needs_approval=True, approved=approval)
    assert switch.writes() == []


@pytest.mark.parametrize(
    "operational, interface, in_service",
    [
        (told(BGP, IDLE), {}, "the BGP session default/swp1 is Established"),
        (told(IDLE, IDLE), {}, None),
        ({**told(IDLE, IDLE), "interface": {"swp1": {"link": {"state": {"up": {}}}}}},
         {"swp1": {"vrf": "RED"}}, "the host port swp1 has carrier"),
        ({**told(IDLE, IDLE),
          "interface": {"swp1": {"link": {"oper-status": "down", "state": {"up": {}}}}}},
         {"swp1": {"vrf": "RED"}}, None),
        ({**told(IDLE, IDLE), "interface": {"swp1": {"link": {"mtu": 9216}}}},
         {"swp1": {"vrf": "RED"}}, "the state of the host port swp1 could not be read"),
        ({**told(IDLE, IDLE), "interface": {"swp1": {"link": {"state": {"up": {}}}}}},
         {"swp1": {"type": "swp"}}, None),
        ({**told(IDLE, IDLE), "interface": {"eth0": {"link": {"state": {"up": {}}}}}},
         {"eth0": {"ipv4": {"address": {"192.0.2.1/24": {}}}}}, None),
    ],
)  # fmt: skip
def test_a_switch_in_service_is_disturbed_only_where_allowed(
    ready: Make, operational: Any, interface: Any, in_service: str | None
) -> None:
    made = {"applied": old(interface=interface, **PEERS), "operational": operational}
    if not in_service:
        outcome = run(ready(**made), ROCE)
        assert outcome.changed
        assert outcome.warnings[0] == (
            "The switch is not in service, so nobody is disturbed by switchd_reload, and no spx_allow_disruptive is "
            "needed."
        )
        assert not any("second time" in warning for warning in outcome.warnings)
        return
    switch = ready(**made)
    said = fails(switch, ROCE, RefusedError)
    assert f"the switch is in service ({in_service}): switchd_reload" in said
    assert "switchd_reload: switchd reloads, short loss on every port (by qos/roce/state)" in said
    assert "allow_disruptive must name switchd_reload" in said
    assert switch.writes() == []
    assert run(ready(**made), ROCE, allow_disruptive=frozenset({"switchd_reload"})).changed


@pytest.mark.parametrize(
    "state, said",
    [
        (IDLE, "The switch is not in service, so nobody is disturbed by port_flap"),
        (BGP, "Disruptive: port_flap"),
    ],
)
def test_a_disturbance_is_said_where_somebody_is_served(ready: Make, state: Any, said: str) -> None:
    """One that needs no permission too."""
    made = {"applied": old(interface={}, **PEERS), "operational": told(state, state)}
    flap = Wish({"interface": {"swp9": {"link": {"state": {"down": {}}}}}}, state="merged")
    assert run(ready(**made), flap, write=False).warnings[0].startswith(said)


def test_the_entry_has_the_commands_that_are_sent(ready: Make) -> None:
    planned = entry(run(ready(), write=False), "leaf-01")
    assert planned["commands"]
    assert {row["path"] for row in planned["commands"]} <= set(planned["paths"])


def test_the_timer_follows_the_class(ready: Make) -> None:
    switch = ready()
    run(switch, ROCE)
    assert switch.bodies[switch.log.index("PATCH /revision/7")]["state-controls"] == {
        "confirm": 600
    }


@pytest.mark.parametrize("seconds, controls", [(77, {"confirm": 77}), (0, None)])
def test_the_timer_can_be_given(ready: Make, seconds: int, controls: Any) -> None:
    switch = ready(states=["applied_and_saved"])
    run(switch, confirm=seconds)
    body = switch.bodies[switch.log.index("PATCH /revision/7")]
    assert body.get("state-controls") == controls


def test_the_account_that_is_logged_in_is_never_removed(ready: Make) -> None:
    users = {"admin": {"role": "system-admin"}, "other": {"role": "nvue-monitor"}}
    switch = ready(applied={"system": {"aaa": {"user": users}}})
    wish = Wish({}, state="deleted", owns=("system/aaa/user/admin",))
    assert "the account it logs in with" in fails(switch, wish, RefusedError)
    switch = ready(applied={"system": {"aaa": {"user": users}}})
    wish = Wish({"system": {"aaa": {"user": {"admin": {"role": "nvue-monitor"}}}}})
    assert "which ends its sessions" in fails(switch, wish, RefusedError)
    assert switch.writes() == []


@pytest.mark.parametrize("word", ["password", "hashed-password"])
def test_the_account_that_is_logged_in_keeps_a_password(ready: Make, word: str) -> None:
    user = {"admin": {"role": "system-admin", word: "$nvsec$x"}}
    switch = ready(applied={"system": {"aaa": {"user": user}}})
    wish = Wish({"system": {"aaa": {"user": {"admin": {word: None}}}}})
    said = fails(switch, wish, RefusedError)
    assert said.startswith("The change removes the password of system/aaa/user/admin, the account")
    assert switch.writes() == []


def snippet(file: str, content: str = "a = 1") -> dict[str, Any]:
    return {"file": file, "content": content}


def test_a_file_has_one_snippet(ready: Make) -> None:
    """NVUE takes one for each file; that of another tool has to go first."""
    there = {"system": {"config": {"snippet": {"theirs": snippet("/etc/x.conf")}}}}
    ours = Wish({"system": {"config": {"snippet": {"ours": snippet("/etc/x.conf")}}}})
    switch = ready(applied=there)
    assert fails(switch, ours, RefusedError) == (
        "The snippets theirs and ours are both for /etc/x.conf, and a switch takes one for each file; take theirs "
        "off it if that is not needed (nv unset system config snippet theirs)."
    )
    assert switch.writes() == []
    other = Wish({"system": {"config": {"snippet": {"ours": snippet("/etc/y.conf")}}}})
    assert run(ready(applied=there), other).changed


@pytest.mark.parametrize(("role", "refused"), [("nvue-admin", True), ("system-admin", False)])
def test_a_snippet_needs_the_role_that_may_write_it(ready: Make, role: str, refused: bool) -> None:
    switch = ready(applied={"system": {"aaa": {"user": {"admin": {"role": role}}}}})
    wish = Wish({"system": {"config": {"snippet": {"ours": snippet("/etc/y.conf")}}}})
    if not refused:
        assert run(switch, wish).changed
        return
    assert fails(switch, wish, RefusedError) == (
        "The account admin has the role nvue-admin, and only system-admin writes snippets; log in with another account."
    )
    assert switch.writes() == []


def test_a_known_bug_refuses_before_anything_is_written(ready: Make) -> None:
    switch = ready(build="Cumulus Linux 5.18.0")
    said = fails(switch, Wish({"system": {"message": {"pre-login": "schloß"}}}), RefusedError)
    assert "Known bug 5215333 of 5.18.0" in said
    assert switch.writes() == []


# somebody else


def test_somebody_elses_apply_is_waited_for_and_everything_compared_again(ready: Make) -> None:
    busy = {"6": {"state": "reloading"}, "applied": {"state": "applied"}}
    free = {"6": {"state": "applied"}, "3": {"state": "pending"}}
    switch = ready(script={"GET /revision": [busy, busy, free]})
    run(switch)
    assert switch.log[:10] == [
        *READS, SESSIONS, "GET /api-token", *["GET /revision"] * 3, READS[1], SESSIONS,
        "POST /revision",
    ]  # fmt: skip


def test_whoever_is_overtaken_while_writing_a_draft_plans_anew(ready: Make) -> None:
    """Somebody else begins between the look around and the apply: no second apply beside theirs."""
    busy = {"6": {"state": "reloading"}}
    switch = ready(script={"GET /revision": [{}, busy, busy, {}, {}]})
    outcome = run(switch)
    assert outcome.changed
    asked = [entry for entry in switch.log if entry in ("POST /revision", "PATCH /revision/7")]
    assert asked == ["POST /revision", "POST /revision"]
    before = switch.log[: switch.log.index("PATCH /revision/8")]
    assert before.count(READS[1]) == 3


def test_who_is_always_overtaken_says_so(ready: Make) -> None:
    busy = {"6": {"state": "reloading", "user": "ops"}}
    switch = ready(script={"GET /revision": [{}, busy] * 4})
    assert "revision 6 of user ops is being applied while revision 10 was written" in fails(switch)
    assert not any(entry.startswith("PATCH /revision") for entry in switch.log)


def test_a_guarded_change_is_compared_once_more_right_before_the_apply(ready: Make) -> None:
    """Somebody else was done between the plan and the apply: the rule is judged by what stands there now."""

    class Theirs:
        def hold(self, before: Any, wish: Any) -> HeldPlaces:
            return HeldPlaces()

        def forbid(self, before: Any, after: Any) -> tuple[str, ...]:
            found = before["system"]["hostname"]
            return () if found == "old" else (f"found {found}.",)

    wish = Wish({"system": {"hostname": "new"}}, "replaced", ("system/hostname",), guard=Theirs())
    theirs = {"system": {"hostname": "theirs"}}
    switch = ready(script={"GET /": [old(), theirs, theirs]})
    assert "found theirs." in fails(switch, wish, RefusedError)
    assert "PATCH /revision/7" not in switch.log


THEIRS = {"system": {"hostname": "old", "date-time": {"timezone": "Etc/UTC"}}}


@pytest.mark.parametrize("terms", [{}, {"needs_approval": True}])
def test_what_was_planned_on_is_compared_right_before_the_apply(ready: Make, terms: Any) -> None:
    """Also without a guard, with an approved diff, and where others changed what is not ours."""
    planned = entry(run(ready(), write=False), "leaf-01")
    terms = {**terms, "approved": Approval(planned["base"], planned["diff"])}
    switch = ready()
    switch.script["POST /revision"] = [
        lambda: _while(switch, "7", THEIRS), {"8": {"state": "pending"}}
    ]  # fmt: skip
    assert run(switch, **terms).changed
    assert switch.log.count("POST /revision") == 2
    assert switch.applied["system"] == {**THEIRS["system"], "hostname": "new"}


def _while(switch: Any, name: str, applied: Any) -> Any:
    """Somebody else applies while a revision is opened."""
    switch.applied = applied
    return {name: {"state": "pending"}}


def test_a_base_that_never_stays_ends_with_who_changes_it(ready: Make) -> None:
    latest = {"30": {"state": "applied_and_saved", "user": "ops"}, "5": {"state": "applied"}}
    names = iter(range(99))
    others = [lambda: old(interface={f"lo{next(names)}": {}})]
    switch = ready(script={"GET /": others, "GET /revision": [latest]})
    said = fails(switch)
    assert "revision 30 of user ops changed the switch while revision 10 was written" in said
    assert switch.log.count("POST /revision") == 4
    assert not any(entry.startswith("PATCH /revision") for entry in switch.log)


@pytest.mark.parametrize(
    "new",
    [{"5": {"state": "pending"}}, {"8": {"state": "ays"}}, {"applied": {"state": "pending"}}],
)
def test_a_revision_that_is_not_new_is_not_written(ready: Make, new: Any) -> None:
    (name,) = new
    switch = ready(script={"POST /revision": [new]})
    assert f"the switch gave revision {name} (state" in fails(switch, kind=ApplyError)
    assert switch.writes() == ["POST /revision"]


# done is what was read back


def test_a_change_that_is_shown_otherwise_is_not_confirmed(ready: Make) -> None:
    switch = ready(states=["checking", *["confirm"] * 4, "confirm_fail"])
    theirs = {"system": {"hostname": "theirs"}}
    switch.script["GET /"] = [old(), old(), theirs]
    said = fails(switch, kind=ApplyError)
    assert (
        "revision 7 was rolled back after 180 s (state confirm_fail), because of what was read"
        in said
    )
    assert "back otherwise than planned: system/hostname." in said
    assert [body["state"] for body in switch.bodies if body and "state" in body] == ["apply"]


@pytest.mark.parametrize("terms", [{}, {"confirm": 0}])
def test_what_is_applied_and_not_there_is_no_change(ready: Make, terms: Any) -> None:
    """The switch says applied, and has its old configuration."""
    switch = ready(script={"GET /": [old()]}, states=["reloading", "applied"])
    said = fails(switch, kind=ApplyError, **terms)
    assert (
        "ended as applied, yet the switch does not have the planned configuration: system/hostname"
        in said
    )
    assert said.endswith("The switch runs its old configuration.")


def test_a_switch_that_reverts_after_the_confirmation_is_found_out(ready: Make) -> None:
    new = {"system": {"hostname": "new"}}
    switch = ready(script={"GET /": [old(), old(), new, old()]})
    assert "ended as applied_and_saved, yet the switch" in fails(switch, kind=ApplyError)


def test_a_new_configuration_may_show_a_moment_later(ready: Make) -> None:
    new = {"system": {"hostname": "new"}}
    assert run(ready(script={"GET /": [*[old()] * 6, new]})).changed


def test_who_applied_in_the_last_gap_is_named_and_nothing_is_confirmed(ready: Make) -> None:
    between = {"6": {"state": "inactive", "user": "ops"}}
    switch = ready(
        script={"GET /revision": [{}, {}, between]}, states=[*["confirm"] * 4, "confirm_fail"]
    )
    said = fails(switch, kind=ApplyError)
    assert "because of what was applied at the same time: revision 6 of user ops." in said


def test_who_applied_in_the_last_gap_is_named_without_a_timer_too(ready: Make) -> None:
    between = {"6": {"state": "inactive", "user": "ops"}}
    switch = ready(script={"GET /revision": [{}, {}, between]}, states=["applied"])
    said = fails(switch, kind=ApplyError, confirm=0)
    assert "revision 7 and revision 6 of user ops were applied at the same time" in said


def test_nothing_is_left_to_do_after_somebody_elses_apply(ready: Make) -> None:
    busy = {"6": {"state": "confirm"}}
    configuration = [old(), {"system": {"hostname": "new"}}]
    switch = ready(script={"GET /revision": [busy, {}], "GET /": configuration})
    assert not run(switch).changed
    assert switch.writes() == []


def test_a_stale_apply_of_somebody_else_ends_in_a_sentence(ready: Make) -> None:
    switch = ready(script={"GET /revision": [{"6": {"state": "ays"}}]})
    assert "revision 6 of somebody else is in the state ays for more than 900 s" in fails(switch)
    assert switch.writes() == []


@pytest.mark.parametrize(
    "body, words",
    [
        ({"state": "confirm"}, "waits for revision 6 of somebody else (state confirm), at most 900 s."),
        ({"state": "confirm", "user": "ops", "message": "play switches",
          "state-controls": {"confirm": 300}},
         "waits for revision 6 of user ops ('play switches') (state confirm), until its roll-back "
         "timer of 300 s is over, at most 900 s."),
    ],
)  # fmt: skip
def test_a_wait_for_somebody_else_is_announced_at_once(ready: Make, body: Any, words: str) -> None:
    said: list[tuple[float, str]] = []
    switch = ready(script={"GET /revision": [{"6": body}] * 9 + [{}]})
    run(switch, say=lambda text: said.append((switch.time.seconds, text)))
    ((when, text),) = said
    assert when < 1001
    assert text.startswith(f"leaf-01:8765 {words} Leave this run alone: nothing was written yet")


def test_nobody_to_wait_for_is_not_announced(ready: Make) -> None:
    said: list[str] = []
    run(ready(), say=said.append)
    assert said == []


# endings of an apply


INVALID = {
    "state": "invalid",
    "transition": {
        "issue": {"00000": {"code": "config_invalid", "message": "Config invalid at router.bgp",
                            "data": {"reason": "needs router-id"}}},
        "progress": "Invalid config",
    },
}  # fmt: skip


ROLLED_BACK = {
    "state": "confirm_fail",
    "transition": {"issue": {"0": {"message": "not confirmed, rolled back"}},
                   "progress": "Rolled back"},
}  # fmt: skip


@pytest.mark.parametrize(
    "states, said",
    [
        ([INVALID], "revision 7 ended as invalid: Config invalid at router.bgp. The"),
        ([{"7": INVALID}], "revision 7 ended as invalid: Config invalid at router.bgp"),
        *(
            (["checking", state], f"revision 7 ended as {state}: no reason given.")
            for state in ("apply_error", "apply_fail", "ays_fail", "confirm_fail", "ready_error",
                          "verify_error", "previous", "inactive", "detached", "empty",
                          "dry_run_complete")
        ),
        ([ROLLED_BACK], "revision 7 ended as confirm_fail: not confirmed, rolled back. The"),
        ([{"state": "ays_fail", "transition": {"progress": "Aborted apply after warnings"}}],
         "revision 7 ended as ays_fail: Aborted apply after warnings. The"),
        (["reloading"], "revision 7 is reloading for 302 s, though the switch answers GET /system"),
        (["surprise"], "its last state was surprise (is in a state unknown"),
        (["pending"], "revision 7 was never accepted for apply"),
        ([["odd"]], "GET /revision/7 was answered with '[\"odd\"]'; a mapping was expected.)"),
    ],
)  # fmt: skip
def test_an_apply_that_fails_tells_the_words_of_the_switch(
    ready: Make, states: Any, said: str
) -> None:
    switch = ready(states=states)
    text = fails(switch, kind=ApplyError)
    assert text.startswith("leaf-01: ")
    assert said in text
    assert text.endswith("The switch runs its old configuration.")
    assert switch.time.seconds < 1000 + 1300


@pytest.mark.parametrize("state", ["applied", "applied_and_saved", "auto_save", "saved"])
def test_a_switch_that_does_not_wait_for_a_confirmation_is_reported(
    ready: Make, state: str
) -> None:
    outcome = run(ready(states=[state]))
    assert outcome.changed
    assert outcome.warnings == [
        "The switch was not seen to wait for a confirmation of revision 7, although a roll-back "
        "timer of 180 s was asked for; nothing was lost."
    ]


@pytest.mark.parametrize("state", ["applied", "applied_and_saved"])
@pytest.mark.parametrize("before", [[], ["checking", "ays"]])
def test_what_a_switch_lost_that_did_not_wait_is_a_failure(
    ready: Make, state: str, before: list[str]
) -> None:
    up, half = sessions("established", "established"), sessions("established", "active")
    looks = [up, *([up] if before else []), half]
    switch = ready(
        applied=old(**PEERS), script={f"GET {NEIGHBORS}": looks}, states=[*before, state]
    )
    said = fails(switch, kind=ApplyError)
    assert "was not seen to wait for a confirmation of revision 7, although a roll-back" in said
    assert "and this is lost: BGP session default/swp2; nothing rolls it back by itself" in said


@pytest.mark.parametrize("state", ["pending", "detached"])
def test_no_config_diff_is_not_believed(ready: Make, state: str) -> None:
    nothing = {"state": state, "transition": {"issue": {}, "progress": "no config diff"}}
    switch = ready(states=["pending", nothing])
    said = fails(switch, kind=ApplyError)
    assert f"revision 7 ended as {state} (no config diff), yet the switch does not have" in said


AYS = {"state": "apply", "auto-prompt": {"ays": "ays_yes"}}


@pytest.mark.parametrize("question, reply", [
    ("ays", AYS), ("ignore_fail", {"state": "ignore_fail_no"}),
])  # fmt: skip
def test_questions_are_answered_once(ready: Make, question: str, reply: Any) -> None:
    switch = ready(states=[question, question, "reloading", "confirm"])
    run(switch)
    answers = [body for body in switch.bodies if body and "state" in body]
    assert answers == [
        {"state": "apply", "state-controls": {"confirm": 180}},
        reply,
        {"state": "confirm_yes", "auto-prompt": {"ays": "ays_yes"}},
    ]


def test_without_a_timer_a_question_is_answered_beforehand(ready: Make) -> None:
    switch = ready(states=["ays", "applied"])
    run(switch, confirm=0)
    answers = [body for body in switch.bodies if body and "state" in body]
    assert answers == [AYS, AYS]


@pytest.mark.parametrize("refused", [False, True])
def test_ays_after_the_reload_is_answered_in_either_form(ready: Make, refused: bool) -> None:
    switch = ready(states=["reloading", "ays"])

    def patch() -> Any:
        body = switch.bodies[-1]
        if body == AYS and refused:
            return Reply(400, {}, b'{"title": "Bad Request"}')
        if body == AYS or body == {"state": "ays_yes"}:
            switch.states = ["ays_yes", "applied"]
        return {"state": body["state"]}

    switch.script["PATCH /revision/7"] = [patch]
    outcome = run(switch)
    assert (outcome.changed, outcome.warnings) == (True, [])


@pytest.mark.parametrize("question", ["ays", "confirm"])
def test_what_is_lost_is_never_confirmed_in_either_form(ready: Make, question: str) -> None:
    up, half = sessions("established", "established"), sessions("established", "active")
    switch = ready(
        applied=old(**PEERS),
        script={f"GET {NEIGHBORS}": [up, half]},
        states=["checking", "reloading", *[question] * 5, "confirm_fail"],
    )
    said = fails(switch, kind=ApplyError)
    assert "revision 7 was rolled back after 180 s (state confirm_fail), because of what" in said
    asked = [body for body in switch.bodies if body and "state" in body]
    assert asked == [{"state": "apply", "state-controls": {"confirm": 180}}]


@pytest.mark.parametrize("question, answer", [
    ("ays", {"state": "apply", "auto-prompt": {"ays": "ays_no"}}),
    ("confirm", {"state": "confirm_no"}),
    ("ignore_fail", {"state": "ignore_fail_no"}),
])  # fmt: skip
def test_a_switch_that_does_not_roll_back_by_itself_is_told_to(
    ready: Make, question: str, answer: Any
) -> None:
    up, half = sessions("established", "established"), sessions("established", "active")
    switch = ready(
        applied=old(**PEERS),
        script={f"GET {NEIGHBORS}": [up, half]},
        states=["reloading", question],
    )
    said = fails(switch, kind=ApplyError)
    assert "Revision 7 was rejected, the switch rolls back." in said
    assert [body for body in switch.bodies if body and "state" in body][-1] == answer
    if question != "ignore_fail":
        assert "It was not confirmed, because of what was lost: BGP session default/swp2." in said


def test_it_is_confirmed_once_every_session_is_back(ready: Make) -> None:
    up, half = sessions("Established", "established"), sessions("idle", "established")
    switch = ready(applied=old(**PEERS), script={f"GET {NEIGHBORS}": [up, half, half, up]})
    assert run(switch).changed
    first = switch.log.index("PATCH /revision/7")
    polls = switch.log[first:].count(f"GET {NEIGHBORS}?rev=operational")
    assert polls == 3
    assert switch.closed >= 4


def starved(switch: Any, after: float) -> Callable[[], Any]:
    """A session that looks Established for some seconds after the apply was asked for."""

    begun: list[float] = []

    def look() -> Any:
        if "PATCH /revision/7" in switch.log:
            begun.append(switch.time.seconds)
        gone = bool(begun) and switch.time.seconds - begun[0] > after
        return sessions("established", "idle" if gone else "established")

    return look


@pytest.mark.parametrize("settle, rolled_back", [(None, True), (20, True), (2, False), (0, False)])
def test_a_session_that_a_filter_starves_is_missed_before_the_change_is_confirmed(
    ready: Make, settle: int | None, rolled_back: bool
) -> None:
    switch = ready(applied=old(**PEERS))
    switch.script[f"GET {NEIGHBORS}"] = [starved(switch, after=9)]
    wish = Wish({"acl": {"a": {"type": "ipv4"}}})
    if rolled_back:
        switch.states = ["checking", *["confirm"] * 3, "confirm_fail"]
        said = fails(switch, wish, ApplyError, settle=settle)
        assert "because of what was lost: BGP session default/swp2." in said
    else:
        assert run(switch, wish, settle=settle).changed


@pytest.mark.parametrize(
    "wish, peers, seconds",
    [
        (CHANGE, PEERS, 0),
        (Wish({"acl": {"a": {"type": "ipv4"}}}), {}, 0),
        (Wish({"acl": {"a": {"type": "ipv4"}}}), PEERS, 10),
    ],
)
def test_only_what_can_lose_a_session_is_watched(
    ready: Make, wish: Wish, peers: Any, seconds: int
) -> None:
    up = sessions("established", "established")
    script = {f"GET {NEIGHBORS}": [up]} if peers else {}
    switch = ready(applied=old(**peers), script=script)
    assert run(switch, wish).changed
    assert seconds <= switch.time.seconds - 1000 - 3 < seconds + 1


def test_lost_sessions_are_named_and_the_switch_rolls_back(ready: Make) -> None:
    up, half = sessions("established", "established"), sessions("established", "active")
    switch = ready(
        applied=old(**PEERS),
        script={f"GET {NEIGHBORS}": [up, half]},
        states=["checking", *["confirm"] * 5, "confirm_fail"],
    )
    said = fails(switch, kind=ApplyError)
    assert "revision 7 was rolled back after 180 s (state confirm_fail)" in said
    assert "because of what was lost: BGP session default/swp2." in said
    assert said.endswith("The switch runs its old configuration.")
    assert "confirm_yes" not in [
        body["state"] for body in switch.bodies if body and "state" in body
    ]


def test_what_somebody_else_confirmed_is_not_called_rolled_back(ready: Make) -> None:
    up, half = sessions("established", "established"), sessions("established", "active")
    switch = ready(
        applied=old(**PEERS), script={f"GET {NEIGHBORS}": [up, half]}, states=["confirm", "applied"]
    )
    said = fails(switch, kind=ApplyError)
    assert (
        "was confirmed by somebody else, in spite of what was lost: BGP session default/swp2"
        in said
    )


def test_a_question_without_a_usable_answer_is_put_again(ready: Make) -> None:
    up = sessions("established", "established")
    looks = [Reply(200, {}, b""), Reply(302, {}, b""), up]
    switch = ready(applied=old(**PEERS), script={f"GET {NEIGHBORS}": looks})
    assert run(switch).changed


def test_a_list_without_ones_own_revision_hides_others(ready: Make) -> None:
    answers = [{"5": {"state": "applied"}}, Reply(200, {"content-type": "application/json"}, b"{}")]
    switch = ready(script={"GET /revision": answers}, states=["pending"])
    said = fails(switch, kind=ApplyError)
    assert "GET /revision was answered without revision 7, which was just opened." in said
    assert "PATCH /revision/7" not in switch.log


def test_a_lost_management_address_rolls_back(ready: Make, dropped: Make) -> None:
    switch = ready(
        script={"GET /system": [{"build": "5.16.1"}, dropped()]},
        states=["confirm", *["confirm"] * 3, dropped(), dropped(), "confirm_fail"],
    )
    said = fails(switch, kind=ApplyError)
    assert "what was lost: the answer of the management address" in said


def test_a_switch_that_never_comes_back_ends_in_a_sentence(ready: Make, dropped: Make) -> None:
    about = {"build": "Cumulus Linux 5.16.1"}
    script = {"GET /system": [about, dropped()]}
    switch = ready(states=["checking", dropped()], script=script)
    said = fails(switch, kind=ApplyError)
    assert "the switch gave no usable answer for" in said
    assert "check it over its console" in said
    assert switch.time.seconds < 1000 + 400


# faults


def test_a_connection_dropped_while_the_apply_is_asked_for_is_followed_up(
    ready: Make, dropped: Make
) -> None:
    switch = ready()
    answers = iter([dropped(), {"state": "confirm_yes"}])

    def patch() -> Any:
        answer = next(answers)
        if not isinstance(answer, Exception):
            switch.states = switch.confirmed
        return answer

    switch.script["PATCH /revision/7"] = [patch]
    assert run(switch).changed


def test_a_lost_confirmation_is_repeated(ready: Make, dropped: Make) -> None:
    switch = ready(states=["confirm"])
    said: list[str] = []

    def patch() -> Any:
        said.append(switch.bodies[-1]["state"])
        if said == ["apply", "confirm_yes"]:
            return dropped()
        if said[-1] == "confirm_yes":
            switch.states = switch.confirmed
        return {"state": said[-1]}

    switch.script["PATCH /revision/7"] = [patch]
    assert run(switch).changed
    assert said == ["apply", "confirm_yes", "confirm_yes"]


def test_short_outages_while_applying_are_waited_through(
    ready: Make, dropped: Make, page: Make
) -> None:
    switch = ready(states=["reloading", dropped(), page(502), page(503), "confirm"])
    assert run(switch).changed


@pytest.mark.parametrize("fault", ["drop", "html"])
def test_a_draft_that_could_not_be_filled_is_never_applied(
    ready: Make, dropped: Make, page: Make, fault: str
) -> None:
    answer = dropped() if fault == "drop" else page(502)
    switch = ready(script={"PATCH /": [answer]}, states=["pending"])
    said = fails(switch, kind=ApplyError)
    assert "Revision 7 remains as an unapplied draft." in said
    assert "PATCH /revision/7" not in switch.log
    if fault == "html":
        assert "was answered 502: Bad Gateway" in said


def test_a_refused_patch_tells_what_the_switch_refused(ready: Make) -> None:
    body = b'{"title": "Bad Request", "detail": "Unknown key sytem", "status": 400}'
    switch = ready(script={"PATCH /": [Reply(400, {}, body)]}, states=["pending"])
    said = fails(switch, kind=ApplyError)
    assert "PATCH / was answered 400: Bad Request: Unknown key sytem." in said


def test_a_reboot_in_the_middle_is_named(ready: Make) -> None:
    switch = ready(states=["reloading", Reply(404, {}, b'{"title": "Not Found"}')])
    said = fails(switch, kind=ApplyError)
    assert "revision 7 is unknown to the switch, which has probably restarted" in said


@pytest.mark.parametrize("before", ["checking", "reloading", "confirm_yes"])
def test_a_revision_that_falls_back_to_a_draft_is_not_waited_for(ready: Make, before: str) -> None:
    switch = ready(states=[before, "pending"])
    said = fails(switch, kind=ApplyError)
    assert f"revision 7 is a draft again after it was in the state {before}: the switch has" in said
    assert "Revision 7 remains as an unapplied draft." in said
    assert switch.time.seconds < 1000 + 5


def test_a_queued_apply_that_never_begins_is_taken_back(ready: Make) -> None:
    switch = ready(states=["apply"])
    said = fails(switch, kind=ApplyError)
    assert "its last state was apply (waits for another revision)" in said
    assert "Revision 7 was reverted before it began." in said
    assert switch.bodies[-2] == {"state": "pending"}


def test_an_unreachable_switch_is_one_sentence(ready: Make) -> None:
    switch = ready(script={"GET /system": [TransportError("leaf-01:8765: no connection.")]})
    assert fails(switch, kind=TransportError) == "leaf-01:8765: no connection."


@pytest.mark.parametrize(
    "status, sentence",
    [
        (401, "the switch refused the user 'admin'; check the user and password, or the token."),
        (403, "The API is closed until the factory's password is changed."),
    ],
)
def test_refused_credentials(ready: Make, page: Make, status: int, sentence: str) -> None:
    switch = ready(script={"GET /system": [page(status)]})
    assert fails(switch, kind=ApiError).endswith(sentence)
    assert len(switch.log) == 1


def test_an_expired_token_is_renewed_with_the_password(ready: Make, page: Make) -> None:
    switch = ready(script={"GET /system": [page(401), {"build": "5.16.1"}]})
    api = switch.api(user="admin", password="hunter22", token="expired")
    converge(api, CHANGE, Terms(), Limits(poll_first=1))
    assert switch.log[:3] == [READS[0], "GET /api-token", READS[0]]


def test_an_expired_token_without_a_password_is_refused(ready: Make, page: Make) -> None:
    switch = ready(script={"GET /system": [page(401)]})
    with pytest.raises(ApiError, match="the switch refused the token"):
        converge(switch.api(token="expired"), CHANGE, Terms())


# saving, secrets


@pytest.mark.parametrize(
    "auto_save, final, saved",
    [("enabled", "applied", False), ("disabled", "applied", True),
     ("disabled", "applied_and_saved", False)],
)  # fmt: skip
def test_it_is_saved_only_where_the_switch_does_not_do_so(
    ready: Make, auto_save: str, final: str, saved: bool
) -> None:
    system = {"hostname": "old", "config": {"auto-save": {"state": auto_save}}}
    switch = ready(applied={"system": system}, confirmed=[final])
    run(switch)
    assert ("PATCH /revision/applied" in switch.log) is saved


MANUAL = {"hostname": "new", "config": {"auto-save": {"state": "disabled"}}}


@pytest.mark.parametrize(
    "startup, terms, saved",
    [
        ({"hostname": "old"}, {}, True),
        ({"hostname": "new"}, {}, False),
        ({"hostname": "new", "date-time": {"timezone": "Etc/UTC"}}, {}, False),
        ({"hostname": "old"}, {"write": False}, False),
        ({"hostname": "old"}, {"save": False}, False),
    ],
)
def test_what_an_earlier_run_could_not_save_is_saved(
    ready: Make, startup: Any, terms: Any, saved: bool
) -> None:
    switch = ready(script={"GET /": [{"system": MANUAL}, {"system": startup}]})
    outcome = run(switch, **terms)
    assert switch.writes() == (["PATCH /revision/applied"] if saved else [])
    assert outcome.changed is (startup["hostname"] == "old" and terms.get("save", True))
    assert ("GET /?rev=startup&filled=false" in switch.log) is terms.get("save", True)


def test_turning_the_saving_off_is_saved(ready: Make) -> None:
    switch = ready(confirmed=["applied"])
    run(switch, Wish({"system": {"config": {"auto-save": {"state": "disabled"}}}}))
    assert "PATCH /revision/applied" in switch.log


def test_a_rotated_secret_that_the_switch_has_is_no_riddle(ready: Make) -> None:
    nothing = {"state": "pending", "transition": {"issue": {}, "progress": "no config diff"}}
    switch = ready(
        applied={"system": {"aaa": {"user": {"ops": {"hashed-password": "*"}}}}}, states=[nothing]
    )
    outcome = run(switch, Wish(USER, rotate=(ROTATED,)))
    assert not outcome.changed
    assert outcome.warnings[0] == "The switch already has the secrets to rotate."
    assert "Known bug 5067214 of 5.16.1" in outcome.warnings[1]


def test_a_secret_is_sent_but_appears_nowhere(ready: Make) -> None:
    user = {"new": {"hashed-password": "$6$canary", "role": "system-admin"}}
    switch = ready(states=[{**INVALID, "transition": {
        "issue": {"0": {"message": "bad password '$6$canary' t0ken-canary"}}, "progress": ""}}],
    )  # fmt: skip
    wish = Wish({"system": {"aaa": {"user": user}}})
    said = fails(switch, wish)
    assert switch.body_of("PATCH /?rev=7") == {"system": {"aaa": {"user": user}}}
    assert "canary" not in said
    outcome = run(ready(), wish, write=False)
    assert "canary" not in str(entry(outcome, "leaf-01"))
