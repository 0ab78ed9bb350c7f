# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation of two accounts on all switches of the lab, through ansible-playbook."""

from __future__ import annotations

import pytest

from .fleet import Lab, factory_lab, recap

pytestmark = pytest.mark.slow

ROBOT, OLD = "robot", "canary-of-robot-1"
NEW = {"cumulus": "canary-of-cumulus-2", ROBOT: "canary-of-robot-2"}
HOOK = """
- name: Keep to whom jobs move
  ansible.builtin.copy:
    content: "{{ hook_user }}"
    dest: "%s/moved"
"""


@pytest.fixture
def lab(tmp_path, monkeypatch):
    with factory_lab(tmp_path) as made:
        for name, double in made.doubles.items():
            users = {user: {"role": "system-admin"} for user in (double.username, ROBOT)}
            document = {"system": {"hostname": name, "aaa": {"user": users}}}
            double.control.foreign(document)
            double.control.password(ROBOT, OLD)
        made.describe(manage=["switch_base"])
        monkeypatch.setenv("SPX_NVUE_NEXT_USER", ROBOT)
        monkeypatch.setenv("SPX_NVUE_NEXT_PASSWORD", NEW[ROBOT])
        monkeypatch.setenv("SPX_NVUE_SPARE_PASSWORD", NEW["cumulus"])
        yield made


def hook(lab: Lab) -> None:
    (lab.folder / "hooks").mkdir()
    (lab.folder / "hooks" / "credentials.yml").write_text(HOOK % lab.folder)


def logins(lab: Lab, user: str, word: str) -> set[bool]:
    return {double.switch.accounts.check(user, word) for double in lab.doubles.values()}


def proven_before_the_others(lab: Lab) -> bool:
    """Check whether one switch was confirmed before another one was written."""
    first, *others = sorted((d.log.writes for d in lab.doubles.values()), key=lambda own: own[0].at)
    confirmed = next(one.at for one in first if "_yes" in str(one.body) and one.user == ROBOT)
    return confirmed < min(own[0].at for own in others)


def test_both_accounts_have_their_new_password_and_nobody_sees_it(lab):
    hook(lab)
    code, output = lab.run("credentials", "-vvv", "--diff")
    assert code == 0, output
    assert {host for host, row in recap(output).items() if row["changed"]} >= set(lab.doubles)
    for user, word in NEW.items():
        assert logins(lab, user, word) == {True}
        assert word not in output
    assert (lab.folder / "moved").read_text() == ROBOT
    assert proven_before_the_others(lab)
    for double in lab.doubles.values():
        assert double.switch.restrictions.by_user == {}


@pytest.mark.large
def test_a_second_run_changes_nothing_and_moves_no_jobs(lab):
    hook(lab)
    code, output = lab.run("credentials")
    assert code == 0, output
    before = lab.writes()
    (lab.folder / "moved").unlink()
    code, output = lab.run("credentials", spx_nvue_password=NEW["cumulus"])
    assert code == 0, output
    assert lab.writes() == before
    assert not (lab.folder / "moved").exists()
    assert not any(row["changed"] for row in recap(output).values())


@pytest.mark.large
def test_without_a_hook_the_account_in_use_keeps_its_password(lab):
    code, output = lab.run("credentials")
    assert code == 2, output
    assert "hook credentials: there is none, so the jobs still use the account" in output
    assert logins(lab, ROBOT, NEW[ROBOT]) == {True}
    assert logins(lab, "cumulus", NEW["cumulus"]) == {False}
    code, output = lab.run("credentials", spx_jobs_moved="true")
    assert code == 0, output
    assert logins(lab, "cumulus", NEW["cumulus"]) == {True}


@pytest.mark.large
def test_the_first_switch_that_fails_keeps_the_others_from_being_touched(lab):
    hook(lab)
    for double in lab.doubles.values():
        double.switch.options.known_issues = {"3341214"}
    code, output = lab.run("credentials", switch_apply_confirm_timeout="3")
    assert code == 2, output
    touched = [name for name, double in lab.doubles.items() if double.log.writes]
    assert len(touched) == 1
    assert logins(lab, "cumulus", lab.doubles[touched[0]].password) == {True}
    assert not (lab.folder / "moved").exists()
