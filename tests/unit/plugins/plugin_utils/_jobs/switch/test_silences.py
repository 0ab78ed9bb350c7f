# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Work on a switch silences exactly its place, until an end, and never fails for want of Alertmanager."""

from __future__ import annotations

import datetime

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.service import ServiceError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch import silences

NOW = datetime.datetime(2026, 11, 30, 12, tzinfo=datetime.UTC)
SPINE = "spine-p1-s01"


class Alertmanager:
    """What Alertmanager keeps."""

    def __init__(self, broken=False):
        self.rows, self.broken = [], broken

    def __call__(self, _url):
        return self

    def get(self, _path):
        if self.broken:
            raise ServiceError("http://a: it answers with 502.")
        return self.rows

    def post(self, _path, row):
        number = row.setdefault("id", f"id-{len(self.rows)}")
        self.rows = [old for old in self.rows if old["id"] != number]
        self.rows.append({**row, "status": {"state": "active"}})

    def delete(self, path):
        number = path.rpartition("/")[2]
        self.rows = [row for row in self.rows if not isinstance(row, dict) or row["id"] != number]


class Fabric:
    class description:  # noqa: N801
        class monitoring:  # noqa: N801
            alertmanager = "http://a"


@pytest.fixture
def served(monkeypatch):
    made = Alertmanager()
    monkeypatch.setattr(silences, "of_site", made)
    return made


def carry_out(*, enter, device=SPINE, hours=8, check=False, now=NOW):
    return silences.silence(Fabric, device, enter=enter, hours=hours, now=now, check=check)


def test_a_switch_and_the_far_ends_of_its_cables_are_silent_until_an_end(served):
    assert carry_out(enter=True) == {"changed": True}
    names = [(row["matchers"][0]["name"], row["matchers"][0]["value"]) for row in served.rows]
    assert names == [("device", SPINE), ("far_device", SPINE)]
    assert {row["endsAt"] for row in served.rows} == {"2026-11-30T20:00:00+00:00"}
    assert carry_out(enter=True, now=NOW + datetime.timedelta(hours=1)) == {"changed": True}
    assert {row["endsAt"] for row in served.rows} == {"2026-11-30T21:00:00+00:00"}
    assert len(served.rows) == 2


def test_leaving_lifts_its_own_silences_and_no_others(served):
    carry_out(enter=True)
    carry_out(enter=True, device="spine-p1-s02")
    of_person = {**served.rows[0], "id": "p", "createdBy": "somebody"}
    over = {**served.rows[0], "id": "o", "status": {"state": "expired"}}
    served.rows += [of_person, over, "odd", {**served.rows[0], "id": "../x"}]
    assert carry_out(enter=False) == {"changed": True}
    left = [row["id"] for row in served.rows if isinstance(row, dict)]
    assert left == ["id-2", "id-3", "p", "o", "../x"]
    assert carry_out(enter=False) == {"changed": False}


def test_alertmanager_that_does_not_answer_is_a_warning(served):
    served.broken = True
    (warning,) = carry_out(enter=True)["warnings"]
    assert warning == f"{SPINE}: its alerts are as before: http://a: it answers with 502."


def test_check_mode_and_a_fabric_without_alertmanager_silence_nothing(served, monkeypatch):
    assert carry_out(enter=True, check=True)["skipped"]
    monkeypatch.setattr(Fabric.description.monitoring, "alertmanager", None)
    assert carry_out(enter=True)["skipped"]
    assert served.rows == []
