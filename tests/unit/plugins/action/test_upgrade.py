# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of the steps of an upgrade, checked before a switch is dialled."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.action.upgrade import ActionModule
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade.steps import STEPS

LEAF = "leaf-p1-su001-r1"


def test_every_step_can_be_named():
    assert ActionModule.SPEC["step"]["choices"] == list(STEPS)


@pytest.mark.parametrize("changes, words", [
    ({}, "release.images: 5.16.1 of release.cumulus is not in it"),
    ({"out_of_service": [{"device": LEAF, "since": "2026-01-01", "reason": "dead"}]}, "is listed in out_of_service"),
])  # fmt: skip
def test_a_switch_without_image_or_out_of_service_is_not_dialled(project, results, changes, words):
    path = project / "model" / "fabric.yml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **changes}))
    credentials = {"user": "x", "password": "y", "host": "127.0.0.1", "port": 1}
    task = {
        "spectrum_x.fabric.upgrade": {"do": "look", **credentials},
        "vars": {"inventory_hostname": LEAF},
    }
    (found,) = results(task)
    assert words in found["msg"]
