# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drill: hostile answers to one question of a change that ends every session of the switch.

Whatever is answered, the change is never confirmed. All forms meet all questions in-process, in
tests/unit/plugins/plugin_utils/_nvue/change/test_transaction.py; here is a sample of them through the playbook.
"""

from __future__ import annotations

from typing import Any

import pytest
from drills.running import OTHER, Site, busy, eventually, sentence
from unit.playbooks.fleet import SPINE

FORMS = (
    *("empty", "no_content", "null", "list", "string", "number", "object", "mapping", "bad_utf8"),
    *("nan", "login", "unavailable", "redirect", "deep", "other", "text", "short", "cut_chunks"),
    *("slow_body", "slow_header", "endless", "closed", "reset"),
)
QUESTIONS: dict[str, dict[str, Any]] = {
    "the sessions before the write": {"method": "GET", "path": "/vrf.*"},
    "the sessions in the proof": {"method": "GET", "path": "/vrf.*"},
    "who else applies": {"method": "GET", "path": "/revision"},
    "the configuration": {"method": "GET", "path": "/"},
    "the apply": {"method": "PATCH", "path": "/revision/.*"},
    "how the apply goes": {"method": "GET", "path": "/revision/.*"},
}
CONFIRMATIONS = ("confirm", "ays")
# Every form meets two of the questions, every question each form of the confirmation.
CASES = [
    pytest.param(form, question, CONFIRMATIONS[(place + n) % 2], id=f"{form}-{question}")
    for place, form in enumerate(FORMS)
    for n, question in enumerate(QUESTIONS)
    if (place + n) % 3 == 0
]
BEYOND = 60
"""More often than any question is put again."""


@pytest.fixture(scope="module")
def looks(brought_up: Site) -> int:
    """Count the reads of sessions by a healthy run before it writes."""
    double = brought_up.doubles[SPINE]
    brought_up.vary(SPINE, spx_nvue_timeout=3, switch_apply_confirm_timeout=8)
    brought_up.heal()
    brought_up.plan("192.0.2.40")
    double.log.clear()
    code, output = brought_up.run("switches", "--limit", SPINE)
    assert code == 0, output
    requests = [(found.method, found.path) for found in double.log.requests]
    before = requests[: requests.index(("POST", "/revision"))]
    return sum(path.startswith("/vrf") for _method, path in before)


@pytest.mark.parametrize("form, question, confirmation", CASES)
def test_it_is_never_confirmed(
    looks: int, site: Site, form: str, question: str, confirmation: str
) -> None:
    double = site.doubles[SPINE]
    double.control.options(confirm_form=confirmation)
    site.plan(OTHER)
    double.control.fault("session_down")
    once = question in ("the apply", "how the apply goes")
    double.control.fault(
        "answer",
        2 if once else BEYOND,
        form=form,
        after=looks if question.endswith("proof") else 0,
        done=question == "the apply",
        **QUESTIONS[question],
    )
    code, output = site.run("switches", "--limit", SPINE)
    assert code in (2, 4), output
    sentence(output)
    assert eventually(lambda: not busy(double))
    assert double.applied == site.before[SPINE], "a change that ended every session stayed"
    assert double.switch.running == double.switch.schema.canonical(site.before[SPINE])


@pytest.mark.parametrize("confirmation", CONFIRMATIONS)
def test_one_empty_answer_hides_nothing(looks: int, site: Site, confirmation: str) -> None:
    """The question is put again, the true answer counts, and the sessions are missed."""
    double = site.doubles[SPINE]
    double.control.options(confirm_form=confirmation)
    site.plan(OTHER)
    double.control.fault("session_down")
    double.control.fault("answer", form="empty", method="GET", path="/vrf.*")
    code, output = site.run("switches", "--limit", SPINE)
    assert code == 2, output
    assert "because of what was lost: BGP session" in " ".join(output.split()), output
    assert double.applied == site.before[SPINE]
    assert looks
