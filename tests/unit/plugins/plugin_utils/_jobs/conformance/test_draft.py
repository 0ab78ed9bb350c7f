# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents in a draft that is never applied."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance import draft
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance.rows import (
    DIFFERS,
    EXPECTED,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import ApplyError

from .doubles import switch

RELEASE = parse("5.16.1")
BANNER = {"system": {"message": {"pre-login": "one", "post-login": "two"}, "hostname": "x"}}


def test_a_second_run_uses_the_same_draft_and_nothing_is_applied():
    with switch() as (double, api):
        before = double.control.applied()
        first = draft.open_draft(api, RELEASE, draft.EarlierDraft())
        assert first.put("banner", BANNER)["verdict"] == EXPECTED
        kept = first.kept()
        second = draft.open_draft(api, RELEASE, kept)
        assert second.revision == first.revision
        assert second.read() == draft.operational.applied(api)
        assert double.control.applied() == before


def test_a_draft_that_somebody_changed_is_left_alone():
    with switch() as (_double, api):
        first = draft.open_draft(api, RELEASE, draft.EarlierDraft())
        first.put("banner", BANNER)
        kept = first.kept()
        first.send({}, {"system": {"hostname": "theirs"}})
        assert draft.open_draft(api, RELEASE, kept).revision != first.revision


def test_a_draft_that_somebody_applied_is_no_draft():
    with switch() as (_double, api):
        mine = draft.open_draft(api, RELEASE, draft.EarlierDraft())
        mine.must_be_a_draft()
        mine.put("banner", BANNER)
        draft.client.start_apply(api, mine.revision, confirm=0)
        with pytest.raises(ApplyError, match="was only written as a draft"):
            mine.must_be_a_draft()


def test_a_draft_that_is_gone_is_replaced():
    with switch() as (_double, api):
        assert draft.open_draft(api, RELEASE, draft.EarlierDraft("977", "x")).revision != "977"


def test_each_refused_setting_is_named_alone_and_the_others_arrive():
    with switch(lacking=("system/message/post-login",)) as (_double, api):
        tried = draft.open_draft(api, RELEASE, draft.EarlierDraft())
        row = tried.put("banner", BANNER)
        assert row["verdict"] == DIFFERS
        (said,) = row["found"]
        assert said.startswith("refuses system/message/post-login: ")
        assert tried.read()["system"]["message"] == {"pre-login": "one"}


def test_a_secret_is_never_named_or_compared():
    user = {"role": "nvue-monitor", "hashed-password": "$6$canary$" + "x" * 86}
    with switch() as (_double, api):
        row = draft.open_draft(api, RELEASE, draft.EarlierDraft()).put(
            "user", {"system": {"aaa": {"user": {"ops": user}}}}
        )
        assert row["verdict"] == EXPECTED
        assert "canary" not in str(row)


@pytest.mark.parametrize("form, kind", [("list", "list"), ("object", "object")])
def test_the_form_of_a_difference_is_noted(form, kind):
    with switch(diff_reply=form) as (_double, api):
        tried = draft.open_draft(api, RELEASE, draft.EarlierDraft())
        tried.put("banner", BANNER)
        assert tried.difference()["request"].endswith(f"({kind})")
