# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbooks of the DCIM as somebody runs them; what they do with a real one is tested in tests/dcim."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from playing import play

from ansible_collections.spectrum_x.fabric.plugins.action.dcim import ActionModule
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

SECRET = "nbt_k3y.s3cret-value"


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    return Path(shutil.copytree(INVENTORIES / "lab", tmp_path / "lab"))


def closed() -> str:
    """Address at which nobody listens: the discard service of this machine, whose port needs root."""
    return "http://127.0.0.1:9"


@pytest.mark.large
def test_a_dcim_that_does_not_answer_is_one_sentence_and_the_token_is_never_shown(
    lab: Path,
) -> None:
    where = {"spx_dcim": {"kind": "netbox", "url": closed()}, "spx_dcim_token": SECRET}
    code, output = play(
        lab, "spectrum_x.fabric.dcim_push", "--check", "-vvv", "-e", json.dumps(where)
    )
    assert code == 2
    assert "NetBox: " in output
    assert "127.0.0.1:9" in output
    assert "Traceback" not in output
    assert SECRET not in output.replace(json.dumps(where), "")


def test_a_pull_without_a_dcim_says_which_variable_is_missing(lab: Path) -> None:
    code, output = play(lab, "spectrum_x.fabric.dcim_pull", "-e", "spx_dest=proposals")
    assert code == 2
    assert "variable spx_dcim: it has no kind and no url" in output
    assert not (lab / "proposals").exists()


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("netbox", "variable spx_dcim: 'netbox' is not allowed: use a mapping of keys."),
        ({"kind": "foo"}, "variable spx_dcim.kind: 'foo' is not allowed: use netbox, nautobot."),
        (
            {"product": "netbox"},
            "variable spx_dcim.product: the key is not known: use kind, url, ca,",
        ),
        (
            {"workers": "many"},
            "variable spx_dcim.workers: 'many' is not allowed: use a whole number.",
        ),
    ],
)
def test_what_is_wrong_in_the_variable_is_said_of_the_variable(
    lab: Path, where: object, said: str
) -> None:
    given = json.dumps({"spx_dcim": where, "spx_dcim_token": SECRET})
    code, output = play(lab, "spectrum_x.fabric.dcim_push", "--check", "-e", given)
    assert code == 2
    assert said in output


def test_the_token_is_an_option_that_no_log_shows() -> None:
    assert ActionModule.SPEC["token"]["no_log"] is True
