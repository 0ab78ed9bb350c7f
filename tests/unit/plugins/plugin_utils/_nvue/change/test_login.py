# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing that touches logins is confirmed before a new one works, and no account is locked by trying."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import login
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.converge import (
    Terms,
    converge,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import Wish
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import Change
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApiError,
    ApplyError,
    LoginError,
    RefusedError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.client import Limits

from ..accounts import ATTEMPTS, AccountSwitch

LIMITS = Limits(apply=300, start=5, lost=20, poll_first=0.5, poll_most=2)
HASH = ("system/aaa/user/b/hashed-password",)
NEW = Wish({"system": {"aaa": {"user": {"b": {"hashed-password": "H(b2)"}}}}}, rotate=HASH)
ORDER = Wish({"system": {"aaa": {"authentication": {"order": ["tacacs", "local"]}}}})
SHELL = Wish({"system": {"ssh-server": {"state": "enabled"}}})


@pytest.mark.parametrize(
    ("path", "touches"),
    [
        ("system/aaa/user/ops/hashed-password", True),
        ("system/aaa/tacacs/server/192.0.2.1/secret", True),
        ("system/api/listening-address/192.0.2.1", True),
        ("system/ssh-server/state", True),
        ("system/security/password-hardening/len-min", True),
        ("system/security/fips/state", False),
        ("system/hostname", False),
        ("vrf/default/router/bgp/autonomous-system", False),
    ],
)
def test_the_changes_after_which_somebody_may_be_shut_out(path: str, touches: bool) -> None:
    assert login.at_stake([Change(tuple(path.split("/")), None, "x")]) is touches


@pytest.mark.parametrize(
    ("stated", "pause", "proof", "tries"),
    [
        ({}, 16, 30, 3),
        ({"lockout-reattempt": 60, "fail-delay": 5}, 66, 66, 3),
        ({"lockout-attempts": 3}, 16, 30, 1),
        ({"lockout-attempts": 4, "lockout-reattempt": "*"}, 16, 30, 2),
    ],
)
def test_a_login_is_tried_less_often_than_the_switch_allows(
    stated: dict[str, Any], pause: float, proof: float, tries: int
) -> None:
    doc: Any = {"system": {"aaa": {"authentication": {"restrictions": stated}}}}
    made = login.limit(doc)
    assert (login.pause(doc), made.pause, made.left) == (pause, proof, tries)


def changed(
    switch: AccountSwitch, wish: Wish, user: str = "a", word: str = "a1", **terms: Any
) -> Any:
    api = switch.log_in(user, word)
    return converge(api, wish, Terms(device="leaf-01", confirm=180, **terms), LIMITS)


@pytest.mark.parametrize("form", ["confirm", "ays"])
@pytest.mark.parametrize("shows", ["old", "new"])
def test_a_new_password_is_confirmed_by_its_own_login(form: str, shows: str) -> None:
    """The token of the old login is dead by then, as accounts have changed."""
    switch = AccountSwitch(form=form, shows=shows)
    assert changed(switch, NEW, login=Auth("b", "b2")).changed
    assert switch.confirmed_by == ["b"]
    assert switch.applied["system"]["aaa"]["user"]["b"]["hashed-password"] == "H(b2)"
    assert switch.failed == []


@pytest.mark.parametrize("form", ["confirm", "ays"])
def test_a_password_that_does_not_work_is_restored_by_the_timer(form: str) -> None:
    switch = AccountSwitch(form=form, trap=True)
    with pytest.raises(LoginError) as error:
        changed(switch, NEW, login=Auth("b", "b2"))
    assert "because of what was lost: the login of user b (leaf-01:8765: the switch refused" in str(
        error.value
    )
    assert "The switch runs its old configuration." in str(error.value)
    assert "b2" not in str(error.value)
    assert [user for _when, user in switch.failed] == ["b"], "it is tried once"
    assert switch.running["system"]["aaa"]["user"]["b"]["hashed-password"] == "old H(b1)"


def test_the_own_password_may_be_changed_where_the_new_one_works() -> None:
    """From the apply on the old login is refused."""
    switch = AccountSwitch()
    assert changed(switch, NEW, user="b", word="b1", login=Auth("b", "b2")).changed
    assert switch.failed == []
    assert switch.log_in("b", "b2").get(("system",), {"rev": "operational"}, dict)


@pytest.mark.parametrize(("deaf", "kept"), [(0, True), (20, True), (55, True), (1e6, False)])
@pytest.mark.parametrize("wish", [ORDER, NEW])
def test_a_switch_that_refuses_all_for_a_while_is_waited_for(
    deaf: float, kept: bool, wish: Wish
) -> None:
    switch = AccountSwitch(deaf=deaf)
    if kept:
        assert changed(switch, wish).changed
    else:
        with pytest.raises(LoginError):
            changed(switch, wish)
        assert len(switch.failed) <= login.TRIES < ATTEMPTS
        switch.sleep(1000)
    assert (switch.running == switch.applied) is True
    assert (switch.tokens == 1) is kept


def test_a_change_that_touches_no_login_needs_none() -> None:
    switch = AccountSwitch()
    before = len(switch.log)
    assert changed(switch, Wish({"system": {"hostname": "leaf-02"}})).changed
    assert switch.log.count("GET /api-token") == 0, "tokens are answered before the log"
    assert len(switch.log) > before


def test_a_token_alone_cannot_prove_a_login() -> None:
    switch = AccountSwitch()
    api = switch.log_in("a", "a1")
    api.fetch_token()
    api.auth = Auth(token=api.auth.token)
    with pytest.raises(RefusedError, match="give user and password, and no token alone"):
        converge(api, SHELL, Terms(confirm=60), LIMITS)
    assert "POST /revision" not in switch.log


def test_a_thing_that_is_missing_keeps_a_change_from_being_confirmed() -> None:
    switch = AccountSwitch()
    with pytest.raises(ApplyError, match="what was lost: the new certificate"):
        changed(switch, SHELL, missing=lambda: ["the new certificate"])
    assert "ssh-server" not in switch.running["system"]


def test_a_refused_login_is_not_sent_again_for_a_while() -> None:
    """Five within 15 minutes would lock the account."""
    switch = AccountSwitch()
    api = switch.log_in("a", "a0")
    for _task in range(600):
        with pytest.raises(ApiError, match="the switch refused the user 'a'"):
            api.get(("system",), {"rev": "operational"}, dict)
        switch.sleep(3)
    times = [when for when, _user in switch.failed]
    assert min(later - sooner for sooner, later in pairwise(times)) >= api.limit.pause
    assert max(sum(when <= one < when + 900 for one in times) for when in times) < ATTEMPTS
