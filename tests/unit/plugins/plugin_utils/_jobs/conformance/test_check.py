# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole check of a switch, against the double in each of its disguises: what differs is the disguise."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance import check
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance.rows import (
    NOT_ASKED,
    NOT_SEEN,
)

from .doubles import DEVICE, checked, differing


@pytest.mark.parametrize("release", ["5.9.2", "5.13.1", "5.15.0", "5.16.1"])
def test_the_double_answers_as_expected(tmp_path, release):
    found = checked(tmp_path, release=release)
    assert not differing(found)
    assert len(found.rows) > 40


STATE = "link/oper-status or link/state"
SESSION = "session-state or state"
DISGUISES = {
    "a list of differences": ({"diff_reply": "list"}, {}),
    "revisions wrapped in their id": ({"revision_reply": "wrapped"}, {}),
    "another word for a port": (
        {"extra": {"interface": {"swp1": {"link": {"oper-status": "sleeping"}}}}},
        {"answer, ports": [f"{STATE} is sleeping in 1 of 2 rows"]},
    ),
    "another word for a session": (
        {"session_state": "dreaming"},
        {"answer, BGP sessions of VRF default": [f"{SESSION} is dreaming in 1 of 1 rows"]},
    ),
    "sessions without detail": (
        {"profile": "summary_bare"},
        {
            "answer, BGP sessions of VRF default": [
                f"no row has {SESSION}; their keys are remote-as"
            ]
        },
    ),
    "text where packets are counted": (
        {"extra": {"interface": {"swp1": {"link": {"stats": {"in-pkts": "many"}}}}}},
        {"answer, ports": ["is a mapping, expected is numbers of packets at swp1"]},
    ),
    "a key that the release lacks": (
        {"lacking": ("system/message",)},
        {
            "document, system of a leaf (plain)": "refuses system/message/post-login",
            "document, system of a spine (plain)": "refuses system/message/post-login",
            "document, system of a leaf (other)": "refuses system/message/post-login",
            "document, system of a spine (other)": "refuses system/message/post-login",
            "document, system of a super-spine (other)": "refuses system/message/post-login",
        },
    ),
    "a key that is ignored": (
        {"deaf": ("vrf/*/evpn",)},
        {
            "document, tenants of a leaf (plain)": "drops vrf/t21-one/evpn/state",
            "document, tenants of a leaf (other)": "drops vrf/t21-one/evpn/state",
        },
    ),
}


@pytest.mark.parametrize(
    ("profile", "release"),
    [
        ("system_5_16", "5.16.0"),
        ("system_5_11", "5.11.1"),
        ("system_product_release", "5.11.1"),
        ("summary_table", "5.16.1"),
        ("summary_bare_but_single", "5.16.1"),
        ("session_state_key", "5.16.1"),
        ("evpn_off", "5.16.1"),
        ("whole_interface", "5.16.1"),
    ],
)
def test_the_release_and_the_sessions_are_read_in_each_published_form(tmp_path, profile, release):
    found = checked(tmp_path, documents=False, profile=profile)
    assert found.what["release"] == release
    lost = (
        {"answer, BGP sessions of VRF default"} if profile == "summary_bare_but_single" else set()
    )
    assert set(differing(found)) == lost


@pytest.mark.parametrize("disguise", DISGUISES)
def test_exactly_the_disguise_is_found(tmp_path, disguise):
    options, expected = DISGUISES[disguise]
    documents = not any(question.startswith("answer") for question in expected)
    found = differing(checked(tmp_path, documents=documents, **options))
    assert found.keys() == expected.keys(), found
    for question, said in expected.items():
        if isinstance(said, list):
            assert found[question] == said
        else:
            assert any(text.startswith(said) for text in found[question]), found[question]


def test_a_switch_without_bgp_shows_nothing_of_sessions(tmp_path):
    found = checked(tmp_path, documents=False, session_report="not_found")
    (row,) = [row for row in found.rows if row["question"] == "BGP sessions of VRF default"]
    assert row["verdict"] == NOT_SEEN


def test_the_file_tells_nothing_of_the_site(tmp_path):
    found = checked(tmp_path)
    path, _body = check.write(found, str(tmp_path))
    text = Path(path).read_text()
    for word in (DEVICE, "10.77.1", "65101", "MT2314X00042", "mars"):
        assert word not in text


def test_a_file_that_would_tell_is_not_written(tmp_path, monkeypatch):
    found = checked(tmp_path, documents=False)
    monkeypatch.setattr(check.Anonymous, "data", lambda _self, said, _path=(): said)
    with pytest.raises(FabricError, match="none was written"):
        check.write(found, str(tmp_path))
    assert not list((tmp_path / "conformance").glob("switch*"))


def test_lines_name_the_differences_and_the_file(tmp_path):
    found = checked(tmp_path, documents=False, session_state="dreaming")
    head, said, path = check.lines(found, "here.json")
    assert head.startswith(f"{DEVICE} (5.16.1, SN5600): ")
    assert "1 differs" in head
    assert said == f"  answer, BGP sessions of VRF default: {SESSION} is dreaming in 1 of 1 rows"
    assert path == "  here.json"
    assert (found.rows[0]["part"], found.rows[0]["verdict"]) == ("plan", NOT_ASKED)


TOLD = {
    "tool": "flint",
    "argv": ["flint", "-d", "0000:1a:00.0", "q"],
    "version": "flint 4.30",
    "rc": 0,
}


def test_the_tools_of_a_host(tmp_path):
    rows = [
        {**TOLD, "out": "Base GUID: 0xb8cef603004a1b2c\nFW: 28.1\n", "lacks": ["no psid is read"]},
        {"tool": "dcb", "argv": ["dcb"], "rc": 127, "lacks": [], "missing": True},
    ]
    found = check.of_host("mars-node-1", rows, ())
    assert differing(found) == {"tool, flint": ["no psid is read"]}
    path, body = check.write(found, str(tmp_path))
    assert "b8cef603004a1b2c" not in Path(path).read_text()
    assert body["counts"] == {"as expected": 0, "differs": 1, "not seen": 1, "not asked": 0}
