# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A connection and a job out of the options of a task; the token is never in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.order import (
    job,
    opened,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.status import NOTHING
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._jobs.dcim.memory import (
    Memory,
    fabric,
)

WHERE = {
    "kind": "netbox",
    "url": "https://netbox.example",
    "ca": None,
    "validate_certs": True,
    "timeout": 5,
    "workers": 1,
    "location": "dc1",
    "location_type": "Site",
    "namespace": "Global",
    "rir": "RFC 6996",
    "link_vrfs": True,
    "rd": "none",
    "rules": {},
}
ARGS = {
    "connection": WHERE,
    "token": "s3cret",
    "where": [],
    "hosts": None,
    "results": None,
    "delete": False,
    "delete_most": 100,
}


def test_the_token_is_of_the_task_or_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPX_DCIM_TOKEN", raising=False)
    opened(ARGS).close()
    with pytest.raises(FabricError, match="variable spx_dcim_token: no token is given"):
        opened({**ARGS, "token": None})
    monkeypatch.setenv("SPX_DCIM_TOKEN", "from-environment")
    opened({**ARGS, "token": None}).close()


def test_without_an_address_the_variable_is_named() -> None:
    with pytest.raises(FabricError, match="variable spx_dcim: it has no kind and no url: set kind"):
        opened({**ARGS, "connection": {**WHERE, "kind": None, "url": None}})


def test_a_wrong_address_is_a_sentence_without_the_token() -> None:
    with pytest.raises(FabricError, match="variable spx_dcim: ") as caught:
        opened({**ARGS, "connection": {**WHERE, "url": "ftp://netbox.example"}})
    assert "s3cret" not in str(caught.value)


def test_a_line_break_at_the_end_of_a_token_is_of_the_file_that_had_it() -> None:
    opened({**ARGS, "token": "s3cret\n"}).close()


@pytest.mark.parametrize(
    ("name", "value"), [("timeout", 0), ("timeout", -1), ("workers", 0), ("workers", 99)]
)
def test_numbers_out_of_their_range_are_refused(name: str, value: int) -> None:
    words = (
        rf"variable spx_dcim\.{name}: {value} is not allowed: use a whole number from 1 to \d+\."
    )
    with pytest.raises(FabricError, match=words):
        opened({**ARGS, "connection": {**WHERE, name: value}})


def test_a_job_has_the_names_of_the_site() -> None:
    made = job(fabric(), Memory(), ARGS, tell=print)
    assert made.context(made.parts[0]).location.key == "dc1"
    assert made.truth == NOTHING


def test_rules_that_are_none_are_refused() -> None:
    args = {**ARGS, "connection": {**WHERE, "rules": {"interfaces.mtu": "plan"}}}
    with pytest.raises(FabricError, match="does not begin with a kind"):
        job(fabric(), Memory(), args, tell=print)


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FabricError, match="has no result of fabric lab: run playbook validate"):
        job(fabric(), Memory(), {**ARGS, "results": str(tmp_path)}, tell=print)
