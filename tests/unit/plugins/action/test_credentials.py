# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a rotation needs is asked for before a switch is dialled."""

from __future__ import annotations

NOW = {"spx_nvue_user": "a", "spx_nvue_password": "s3cret", "ansible_host": "127.0.0.1"}
NEXT = {"spx_nvue_next_user": "b", "spx_nvue_next_password": "s3cret"}
SPARE = {"spx_nvue_spare_password": "s3cret"}


def task(do, *stated, **options):
    own = {name: value for part in (NOW, *stated) for name, value in part.items()}
    return {"spectrum_x.fabric.credentials": {"do": do, **options}, "vars": own}


def test_what_is_missing_is_named_before_anything_is_sent(results):
    wanted = {
        "no account is named: set SPX_NVUE_NEXT_USER": task("next"),
        "spx_nvue_next_user and spx_nvue_next_password: one is missing": task("next", SPARE),
        "spx_nvue_spare_user and spx_nvue_spare_password: one is missing": task("next", NEXT),
        "spx_nvue_next_user: a is the spare account too": task(
            "next", NEXT, SPARE, {"spx_nvue_next_user": "a"}
        ),
    }
    for words, found in zip(wanted, results(*wanted.values())):
        assert found["failed"], found
        assert words in found["msg"]
        assert "s3cret" not in found["msg"]


def test_a_part_that_is_not_asked_for_is_skipped(results):
    certificate, accounts = results(task("certificate"), task("next", command="/nowhere/issue"))
    assert (certificate["skipped"], accounts["skipped"]) == (True, True)
