# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import staging
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError


def staged(*parts: tuple[str, dict[str, Any], list[str]], run: str = "now") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for role, config, owns in parts:
        found = staging.add(found, role, config, owns, run=run)
    return found


ROCE = ("roce", {"qos": {"roce": {"state": "enabled"}}}, ["qos"])
BASE = ("base", {"system": {"hostname": "a"}}, ["system/hostname"])


def test_contributions_add_up() -> None:
    config, owns = staging.collect(staged(ROCE, BASE), run="now")
    assert config == {"qos": {"roce": {"state": "enabled"}}, "system": {"hostname": "a"}}
    assert owns == ("qos", "system/hostname")


def test_a_role_replaces_its_earlier_contribution() -> None:
    again = ("roce", {}, ["qos/roce"])
    assert staging.collect(staged(ROCE, again), run="now") == ({}, ("qos/roce",))


def test_what_another_run_has_staged_is_forgotten() -> None:
    yesterday = staged(ROCE, run="yesterday")
    assert staging.collect(yesterday, run="now") == ({}, ())
    assert list(staging.add(yesterday, "base", {}, ["system"], run="now")) == ["base"]


@pytest.mark.parametrize("odd", [None, [], "x", {"roce": "x"}])
def test_odd_facts_are_nothing(odd: Any) -> None:
    assert staging.collect(odd, run="now") == ({}, ())


def test_contradictions_name_both_roles() -> None:
    mine = ("a", {"interface": {"swp1-2": {"link": {"mtu": 9216}}}}, ["interface"])
    yours = ("b", {"interface": {"swp2": {"link": {"mtu": 9166}}}}, ["interface"])
    with pytest.raises(RefusedError) as refused:
        staging.collect(staged(mine, yours), run="now")
    assert str(refused.value) == (
        "a and b contradict each other: interface/swp2/link/mtu is 9216 and 9166; "
        "only one of them may set it."
    )


def test_the_same_word_twice_is_no_contradiction() -> None:
    assert staging.collect(staged(ROCE, ("x", ROCE[1], [])), run="now")[0] == ROCE[1]


def test_a_part_put_away_reads_as_before_and_only_for_its_owner(tmp_path: Path) -> None:
    whole = staging.add({}, "roce", ROCE[1], ROCE[2], run="now", guard=[{"place": "vrf"}])
    file = tmp_path / "leaf" / "roce.json"
    away = {"roce": staging.put_away(whole["roce"], file)}
    assert away == {"roce": {"file": str(file), "run": "now"}}
    assert file.stat().st_mode & 0o077 == 0
    assert staging.contents(away) == whole
    assert staging.collect(away, run="now") == staging.collect(whole, run="now")
    assert staging.guards(away, run="now") == ({"place": "vrf"},)
    assert staging.contents(away, run="tomorrow") == {}


def test_a_part_put_away_is_encrypted_for_this_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = staging.add({}, "base", {"system": {"banner": "canary"}}, [], run="now")
    file = tmp_path / "base.json"
    away = {"base": staging.put_away(whole["base"], file)}
    assert b"canary" not in file.read_bytes()
    assert "canary" not in str(away)
    other = staging._KEY[:-2] + (b"A=" if staging._KEY[-2:] != b"A=" else b"Q=")
    monkeypatch.setattr(staging, "_KEY", other)
    with pytest.raises(RefusedError, match=r"What base staged .* \(another run wrote it\)"):
        staging.contents(away)


def test_a_part_whose_file_is_gone_is_said(tmp_path: Path) -> None:
    away = {"roce": {"file": str(tmp_path / "roce.json"), "run": "now"}}
    with pytest.raises(
        RefusedError, match=r"What roce staged cannot be read from .*run the playbook"
    ):
        staging.collect(away, run="now")
