# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What would be changed, in a form that can be approved."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import report
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.tree import Change

SECRET = Change(("system", "aaa", "user", "ops", "hashed-password"), "$6$old", "$6$canary")
CHANGES = [
    Change(("system", "hostname"), "old", "new"),
    Change(("interface", "swp1", "link", "mtu"), None, 9216),
    Change(("interface", "swp2"), {"type": "swp"}, None),
]


def test_changes_are_lines():
    assert report.lines(CHANGES).splitlines() == [
        '~ system/hostname: "old" -> "new"',
        "+ interface/swp1/link/mtu: 9216",
        '- interface/swp2: {"type": "swp"}',
    ]


def test_hashes_follow_from_the_content_alone():
    one, two = {"a": 1, "b": {"c": 2}}, {"b": {"c": 2}, "a": 1}
    assert report.hashes(one, CHANGES) == report.hashes(two, CHANGES)
    assert report.hashes(one, []).base != report.hashes({**one, "a": 2}, []).base
    assert report.hashes(one, CHANGES).diff != report.hashes(one, CHANGES[:2]).diff


def test_secrets_appear_nowhere():
    shown = report.lines([SECRET]) + str(report.as_list([SECRET]))
    doc = {"system": {"aaa": {"user": {"ops": {"hashed-password": "$6$canary"}}}}}
    assert "canary" not in shown + report.text(doc)
    assert "hashed-password" in report.text(doc)
    assert report.text({}) == ""
