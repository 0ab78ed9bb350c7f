# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two accounts of a switch get new passwords: each is proven, none is locked, and a killed run is finished."""

from __future__ import annotations

import shutil

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import switch as edge
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch import credentials
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    LoginError,
    NvueError,
    RefusedError,
    TransportError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._nvue.accounts import (
    AccountSwitch,
    users,
)

LEAF = "leaf-p1-su001-r1"
CHANGES = {"manage": ["switch_base"], "accept_releases": ["5.12"]}
NEW = credentials.Accounts(next=Auth("b", "b2"), spare=Auth("a", "a2"))
FINISHED = {"a": "a2", "b": "b2"}


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    path = shutil.copytree(INVENTORIES / "lab", tmp_path_factory.mktemp("lab") / "lab")
    path /= "model/fabric.yml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **CHANGES}))
    plan = Fabric.load(str(path))
    return edge.wanted(plan, LEAF, {}, lambda value: value, roles=["switch_base"])


def conditions(**how):
    template = Templar(loader=DataLoader(), variables={}).template
    return edge.conditions({}, template, extra={}, origin={}, **how)


@pytest.fixture(autouse=True)
def _hashes(monkeypatch):
    monkeypatch.setattr(credentials, "hashed", lambda word: f"H({word})")


def make(passwords=None, **more):
    applied = users(**(passwords or {"a": "a1", "b": "b1"}))
    applied["system"]["hostname"] = LEAF
    return AccountSwitch(applied=applied, **more)


@pytest.fixture
def rotate(wanted):
    """Run both halves, as a run of the playbook does: the results, and the logins that failed."""

    def _rotate(switch, user="a", word="a1", accounts=NEW, **how):
        heard = len(switch.heard)
        rotation = credentials.Rotation(
            switch.log_in(user, word), accounts, wanted, conditions(**how)
        )
        first, progress = rotation.first()
        second = rotation.second(progress)
        return first["changed"], second["changed"], switch.heard[heard:]

    return _rotate


def works(switch, **passwords):
    return all(switch._right(*one) for one in passwords.items())


@pytest.mark.parametrize(
    ("passwords", "changed", "failed"),
    [
        ({"a": "a1", "b": "b1"}, (True, True), ["b"]),
        ({"a": "a1"}, (True, True), ["b"]),  # the first rotation makes the account
        ({"a": "a1", "b": "b2"}, (False, True), ["a"]),  # killed between the halves
        (FINISHED, (False, False), []),
    ],
)
def test_one_login_fails_at_most_wherever_the_run_before_was_killed(
    rotate, passwords, changed, failed
):
    switch = make(passwords)
    first, second, heard = rotate(switch)
    assert ((first, second), heard) == (changed, failed)
    assert works(switch, **FINISHED)
    assert not works(switch, a="a1")
    assert not switch.failed, "what failed was cleared by the other account"
    before = len(switch.log)
    assert rotate(switch) == (False, False, [])
    assert [entry for entry in switch.log[before:] if not entry.startswith("GET")] == []


def test_the_same_command_does_when_the_login_of_the_run_has_moved_too(rotate):
    switch = make({"a": "a1", "b": "b2"})
    assert rotate(switch, user="b", word="b2") == (False, True, ["a"])
    assert works(switch, **FINISHED)


def test_check_mode_says_what_would_change_and_writes_nothing(rotate):
    for passwords, changed in (({"a": "a1", "b": "b1"}, True), (FINISHED, False)):
        switch = make(passwords)
        assert rotate(switch, check=True)[:2] == (changed, changed)
        assert [entry for entry in switch.log if not entry.startswith("GET")] == []
        assert works(switch, **passwords)


def test_a_hash_that_locks_the_account_out_is_taken_back_and_plain_text_is_sent(rotate):
    switch = make(trap=True)
    first, second, heard = rotate(switch)
    assert (first, second) == (True, True)
    assert heard == ["b", "b"], "once before, once by the hash; the spare account gets plain text"
    assert works(switch, **FINISHED)
    assert switch.confirmed_by == ["b", "a"]
    sent = [entry for entry in switch.bodies if entry and "system" in entry]
    assert [[*one["system"]["aaa"]["user"].values()] for one in sent] == [
        [{"hashed-password": "H(b2)"}],
        [{"password": "b2"}],
        [{"password": "a2"}],
    ]


def test_without_either_login_nothing_is_written(rotate):
    switch = make({"a": "a0", "b": "b0"})
    with pytest.raises(RefusedError) as error:
        rotate(switch)
    assert str(error.value) == (
        "leaf-01:8765: neither the new login of b nor that of a works: give the login that the switch has, and run "
        "again."
    )
    assert switch.failed[0][1] != switch.failed[1][1]
    assert "POST /revision" not in switch.log


@pytest.mark.parametrize(
    ("roles", "words"),
    [
        (("system-admin", "nvue-monitor"), "account b has the role nvue-monitor, and a has"),
        ((None, "nvue-monitor"), None),
        (("nvue-admin", None), None),
        ((None, "absent"), "account b is not configured, and the role of a is not known"),
    ],
)
def test_an_account_with_fewer_rights_is_not_what_jobs_move_to(rotate, roles, words):
    switch = make()
    accounts = switch.applied["system"]["aaa"]["user"]
    for name, role in zip("ab", roles):
        accounts[name].pop("role")
        accounts[name] |= {"role": role} if role else {}
    if "absent" in roles:
        del accounts["b"]
    switch._run(switch.applied)
    if words is None:
        assert rotate(switch)[:2] == (True, True)
        return
    with pytest.raises(
        RefusedError, match=f"{words}.*give both the same role in switch_base_users"
    ):
        rotate(switch)
    assert "POST /revision" not in switch.log


def test_an_older_release_that_has_no_restrictions_is_not_asked_to_clear_them(rotate):
    switch = make()
    read = switch._read
    old = {"build": "Cumulus Linux 5.12.0", "hostname": LEAF}
    switch._read = lambda place, params: (200, old) if place == "system" else read(place, params)
    assert rotate(switch)[:2] == (True, True)
    assert switch.cleared == []


def test_where_a_lock_cannot_be_cleared_the_pause_of_the_switch_is_kept(rotate):
    switch = make()
    answer = switch._answer
    switch._answer = lambda method, place, *rest: (
        (400, {"title": "Bad Request"}) if "restrictions" in place else answer(method, place, *rest)
    )
    assert rotate(switch)[:2] == (True, True)
    assert works(switch, **FINISHED)


class KilledError(BaseException):
    """The end of a controller."""


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.large)])
def test_a_run_that_is_killed_at_any_request_is_finished_by_the_same_command(rotate, step):
    whole = make()
    rotate(whole)
    count = len(whole.log) + 12  # logins that fail are not in the log
    for at in range(0, count, step):
        switch, left = make(), [at]
        request = switch.request

        def counted(*args, request=request, left=left):
            left[0] -= 1
            if left[0] == -1:
                raise KilledError
            return request(*args)

        switch.request = counted
        try:
            rotate(switch)
        except KilledError:
            switch.sleep(200)  # the timer of the switch, and the person who looks
            rotate(switch)
        assert works(switch, **FINISHED), at
        assert switch.running == switch.applied, at


def test_a_third_job_with_the_old_password_locks_nobody(rotate):
    """One failed login of a run; the next try of it is not sent."""
    switch = make()
    rotate(switch)
    job = switch.log_in("a", "a1")
    for _task in range(20):
        with pytest.raises(NvueError, match="the switch refused the user 'a'"):
            job.get(("system",), {"rev": "operational"}, dict)
        switch.sleep(3)
    assert len(switch.failed) == 1
    switch.sleep(16)
    assert works(switch, **FINISHED)
    assert switch.log_in("a", "a2").get(("system",), {"rev": "operational"}, dict)


@pytest.mark.parametrize("trap", [False, True])
def test_no_password_is_in_what_is_said(rotate, trap):
    switch = make({"a": "a1-s3cret", "b": "b1"}, trap=trap)
    accounts = credentials.Accounts(Auth("b", "b2-s3cret"), Auth("a", "a2-s3cret"))
    request = switch.request

    def spoiled(method, path, params, body, headers):
        if method == "PATCH" and body:
            raise TransportError(f"{headers} {body.decode()} was not answered.")
        return request(method, path, params, body, headers)

    switch.request = spoiled
    with pytest.raises(NvueError) as error:
        rotate(switch, word="a1-s3cret", accounts=accounts)
    assert "was not answered" in str(error.value)
    assert "s3cret" not in str(error.value)


def test_a_login_that_works_in_neither_form_fails_and_leaves_the_old_one(rotate):
    switch = make(trap=True)
    reload = switch._reload

    def lost(one):
        reload(one)
        one.config["system"]["aaa"]["user"]["b"]["hashed-password"] = "lost"
        switch._run(one.config)

    switch._reload = lost
    with pytest.raises(LoginError):
        rotate(switch)
    assert works(switch, a="a1", b="b1")
    assert len(switch.failed) <= 1


def test_a_hash_is_what_crypt_makes(monkeypatch):
    monkeypatch.undo()
    one, other = credentials.hashed("s3cret/ü"), credentials.hashed("s3cret/ü")
    assert one != other
    assert one.startswith("$6$")
    assert len(one) == 106
    monkeypatch.setattr(credentials, "_LIBRARIES", ("libnone.so.1",))
    with pytest.raises(Exception, match=r"libnone\.so\.1 is missing, which hashes passwords"):
        credentials.hashed("s3cret")
