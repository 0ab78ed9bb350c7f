# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Accounts of the switch double: restricted logins, changes of passwords, and 401 after a change of AAA."""

from __future__ import annotations

import time
from typing import Any

import pytest
from nvue_double import restrictions
from nvue_double.accounts import Accounts
from nvue_double.options import Options

RESTRICTIONS = "/system/aaa/authentication/restrictions"
USER = ["system", "aaa", "user"]
LIMITS = restrictions.Limits(wait=15.0, attempts=5)
OPS = {"ops": ("Rack-and-Row1", "system-admin")}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds on the clock of the restrictions, to be set."""
    now = [1000.0]
    monkeypatch.setattr(restrictions.time, "monotonic", lambda: now[0])
    return now


def status(client: Any, name: str, password: str) -> int:
    """The status of one read with these credentials."""
    client.log_in(name, password)
    return int(client("GET", "/system/hostname?rev=applied")[0])


def passwords(client: Any) -> list[int]:
    """The status with the new password of ops, and with the old one."""
    return [status(client, "ops", word) for word in ("Spine-and-Leaf2", "Rack-and-Row1")]


# (seconds since the login before, whether the password is right, whether the login succeeds)
LOGINS = {
    "right": [(0, True, True), (0, True, True)],
    "right in the wait": [(0, False, False), (14, True, False), (1, True, True)],
    "wrong in the wait begins it anew": [(0, False, False), (14, False, False), (14, True, False)],
    "success forgets failures": [*[(16, False, False), (16, True, True)] * 6],
    "locked after five": [*[(16, False, False)] * 5, (16, True, False), (9000, True, False)],
    "four are no lock": [*[(16, False, False)] * 4, (16, True, True)],
    "forgotten in 15 minutes": [*[(16, False, False)] * 4, (900, False, False), (16, True, True)],
}


@pytest.mark.parametrize("logins", LOGINS.values(), ids=LOGINS)
def test_logins_are_restricted(clock: list[float], logins: list[tuple[int, bool, bool]]) -> None:
    guard = restrictions.Restrictions()
    for number, (pause, right, succeeds) in enumerate(logins):
        clock[0] += pause
        assert guard.admit("ops", right, LIMITS) is succeeds, number
    assert guard.admit("somebody", True, LIMITS)


WORDS = {"lockout-attempts": 3, "lockout-reattempt": 100, "fail-delay": 20}


@pytest.mark.parametrize(
    "options, stored, wanted",
    [
        ({"release": "5.15.0", "login_scale": 1.0}, {}, LIMITS),
        ({"login_scale": 0.1}, {}, restrictions.Limits(1.5, 5)),
        ({"login_scale": 1.0}, WORDS, restrictions.Limits(120.0, 3)),
        ({}, {"lockout-state": "disabled"}, None),
        ({"release": "5.14.0"}, {}, None),
        ({"release": "5.18.0", "known_issues": {restrictions.BUG}}, {}, None),
    ],
)
def test_limits_are_those_of_the_document(options: Any, stored: Any, wanted: Any) -> None:
    running = {"system": {"aaa": {"authentication": {"restrictions": stored}}}}
    assert restrictions.limits(running, Options(**options)) == wanted


def test_a_failed_login_holds_up_its_own_account_only(start: Any) -> None:
    client = start(users=OPS, login_scale=100)
    double = client.double
    assert status(client, "ops", "wrong") == 401
    assert status(client, "ops", "Rack-and-Row1") == 401
    assert status(client, double.username, double.password) == 200
    job = client.action(RESTRICTIONS, "clear", user="ops")
    assert job["status"] == "Successfully cleared user name ops"
    assert status(client, "ops", "Rack-and-Row1") == 200


def test_a_locked_account_is_cleared_by_another(start: Any) -> None:
    client = start(users=OPS, login_scale=0)
    double = client.double
    assert [status(client, "ops", "wrong") for dummy in range(5)] == [401] * 5
    assert status(client, "ops", "Rack-and-Row1") == 401
    client.log_in(double.username, double.password)
    assert client.action(RESTRICTIONS, "clear")["status"] == "Successfully cleared all users"
    assert status(client, "ops", "Rack-and-Row1") == 200


def test_the_action_that_clears(start: Any) -> None:
    client, older = start(), start(release="5.14.0")
    (issue,) = client.action(RESTRICTIONS, "clear", user="ghost")["issue"]
    assert "does not exist" in issue["message"]
    assert client.order(RESTRICTIONS, "clear", name="ops")[0] == 400
    assert client.order(f"{RESTRICTIONS}/user/ops", "clear")[0] == 404
    assert older.order(RESTRICTIONS, "clear")[0] == 404


def test_restrictions_are_shown(start: Any) -> None:
    client, older = start(), start(release="5.14.0")
    client.change({"system": {"aaa": {"authentication": {"restrictions": {"fail-delay": 3}}}}})
    shown = client("GET", f"{RESTRICTIONS}?rev=operational")[1]
    assert shown == {**restrictions.DEFAULTS, "fail-delay": 3}
    assert older("GET", f"{RESTRICTIONS}?rev=operational")[0] == 404


NEW = Accounts().hash("Spine-and-Leaf2")
ROTATED = {"system": {"aaa": {"user": {"ops": {"hashed-password": NEW}}}}}


def test_a_new_password_counts_while_its_commit_waits_and_is_rolled_back(start: Any) -> None:
    client = start(users=OPS, login_scale=0)
    number = client.revision(ROTATED)
    client.apply(number, **{"state-controls": {"confirm": 60}})
    client.until(number, "confirm")
    double = client.double
    assert passwords(client) == [200, 401]
    client.log_in(double.username, double.password)
    client("PATCH", f"/revision/{number}", {"state": "confirm_no"})
    client.until(number, "confirm_fail")
    assert passwords(client) == [401, 200]


def test_a_hash_sent_by_rest_can_lock_its_user_out(start: Any) -> None:
    client = start(users=OPS, login_scale=0, known_issues={"3341214"}, plain_password="allow")
    double = client.double
    client.change(ROTATED)
    assert passwords(client) == [401, 401]
    client.log_in(double.username, double.password)
    client.change({"system": {"aaa": {"user": {"ops": {"password": "Spine-and-Leaf2"}}}}})
    client.double.control.options(known_issues=[])
    shown = client.applied("/system/aaa/user/ops")
    assert set(shown) == {"hashed-password", "role"}
    assert shown["hashed-password"].startswith("$nvsec$")
    client.action(RESTRICTIONS, "clear", user="ops")
    assert status(client, "ops", "Spine-and-Leaf2") == 200


def test_a_boot_ends_every_lock(start: Any) -> None:
    client = start(users=OPS, login_scale=0, boot_seconds=0.01)
    assert [status(client, "ops", "wrong") for dummy in range(5)] == [401] * 5
    client.double.control.reboot()
    deadline = time.monotonic() + 5
    while client.double.switch.restrictions.by_user and time.monotonic() < deadline:
        time.sleep(0.005)
    assert client.double.switch.restrictions.by_user == {}


UPSETTING = [
    {"system": {"aaa": {"tacacs": {"timeout": 9}}}},
    {"system": {"aaa": {"authentication": {"order": ["local"]}}}},
    {"system": {"ssh-server": {"max-unauthenticated": {"session-count": 9}}}},
    {"system": {"api": {"token-expiration": 90}}},
]


@pytest.mark.parametrize("document", UPSETTING, ids=lambda document: next(iter(document["system"])))
def test_a_change_of_aaa_can_end_all_logins_for_a_while(start: Any, document: Any) -> None:
    client = start()
    client.double.control.fault("unauthorized", seconds=0.2)
    client.change({"system": {"message": {"pre-login": "no matter"}}})
    client.apply(client.revision(document))
    deadline = time.monotonic() + 5
    seen: list[int] = []
    while seen[-2:] != [401, 200] and time.monotonic() < deadline:
        seen.append(client("GET", "/system/hostname?rev=applied")[0])
        time.sleep(0.005)
    assert set(seen) == {200, 401}
    assert seen[-2:] == [401, 200]


def test_all_logins_can_stay_ended_until_the_service_restarts(start: Any) -> None:
    client = start(users=OPS, profile="logins_refused")
    client.apply(client.revision(UPSETTING[0]))
    deadline = time.monotonic() + 5
    while client("GET", "/revision")[0] != 401 and time.monotonic() < deadline:
        time.sleep(0.005)
    assert status(client, "ops", OPS["ops"][0]) == 401
    assert client.double.switch.restrictions.by_user == {}
    client.double.control.restart_service()
    assert status(client, client.double.username, client.double.password) == 200
