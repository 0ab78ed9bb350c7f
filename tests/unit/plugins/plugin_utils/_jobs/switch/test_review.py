# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes as people read them: each block once, with all switches that get it."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch import review


def entry(device, *commands, warnings=()):
    rows = [{"path": path, "set": value} for path, value in commands]
    paths = [path for path, _value in commands]
    return {"device": device, "paths": paths, "commands": rows, "warnings": list(warnings)}


MTU = ("interface/swp1/link/mtu", 9216)
ROWS = [
    entry("leaf-10", MTU, ("system/hostname", "leaf-10"), warnings=["Disruptive: a|b <i>."]),
    entry("leaf-9", MTU, ("system/hostname", "leaf-9"), warnings=["Disruptive: a|b <i>."]),
    entry("spine-1"),
]


def test_a_block_is_there_once_for_all_switches_that_share_it():
    found = review.review(ROWS)
    assert [(b.feature, b.devices, len(b.lines)) for b in found.blocks] == [
        ("System", ["leaf-9"], 1),
        ("System", ["leaf-10"], 1),
        ("Links and breakouts", ["leaf-9", "leaf-10"], 1),
    ]
    assert found.title == "Changes of 2 of 3 switches"
    assert found.sentences == {"Disruptive: a|b <i>.": ["leaf-9", "leaf-10"]}


def test_the_text():
    assert review.files(ROWS)["changes.txt"] == (
        "Changes of 2 of 3 switches\n\nleaf-9, leaf-10:\n  Disruptive: a|b <i>.\n\n"
        "System\n======\n\n"
        "leaf-9 (1):\nnv set system hostname leaf-9  # system/hostname\n\n"
        "leaf-10 (1):\nnv set system hostname leaf-10  # system/hostname\n\n"
        "Links and breakouts\n===================\n\n"
        "leaf-9, leaf-10 (2):\n"
        "nv set interface swp1 link mtu 9216  # interface/swp1/link/mtu\n"
    )


HOSTILE = "x ```</details> [y](z) <script>"


def test_what_a_switch_says_is_neither_html_nor_markdown():
    rows = [entry("a", ("system/hostname", HOSTILE + "\n"), warnings=[HOSTILE])]
    made = review.files(rows)
    assert "<script>" not in made["changes.html"]
    said, _fence, rest = made["changes.md"].partition("```text\n")
    assert "x \\`\\`\\`&lt;/details&gt; \\[y\\](z) &lt;script&gt;" in said
    assert rest.count("```") == 1  # the end of the fence, in which nothing is read as HTML
    assert len(rest.partition("```")[0].splitlines()) == 1


@pytest.mark.parametrize("name", review.BEGINS)
def test_an_earlier_file_is_recognised(name):
    assert review.files(ROWS)[name].startswith(review.BEGINS[name])


def test_the_comment_fits_and_says_what_it_leaves_out():
    rows = [entry(f"leaf-{n}", ("system/hostname", "x" * 500 + str(n))) for n in range(200)]
    comment = review.files(rows)["changes.md"]
    assert len(comment) < 65_536
    assert comment.endswith("more in `changes.html`.\n")


@pytest.mark.parametrize("number, named", [(6, "leaf-5"), (7, "leaf-5 and 1 more")])
def test_many_switches_are_counted(number, named):
    rows = [entry(f"leaf-{n}", MTU) for n in range(number)]
    assert f"{named} ({number}):" in review.files(rows)["changes.txt"]


def test_a_run_without_a_difference():
    assert review.files([])["changes.txt"] == "Changes of 0 of 0 switches\n"
