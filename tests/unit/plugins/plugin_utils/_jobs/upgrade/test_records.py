# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of an upgrade: what is due, and what an earlier run has in hand."""

from __future__ import annotations

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade.records import (
    SwitchState,
    Target,
)

from .upgradable import BUILD, NEW, describe


@pytest.mark.parametrize(
    "stage, drained, shut, begun, due",
    [
        ("old", False, False, False, True),
        ("old", True, False, False, True),  # by a person
        ("installed", False, False, False, True),
        ("chosen", False, False, True, True),
        ("booted", True, True, True, True),
        ("booted", True, False, True, True),
        ("booted", False, False, False, False),
    ],
)
def test_what_is_due_is_read_from_the_switch(stage, drained, shut, begun, due):
    found = SwitchState("5.16.1", stage, drained=drained, shut=shut)
    assert (found.begun, found.due) == (begun, due)


def test_the_target_is_the_release_of_the_description_with_its_image(project):
    target = Target.of(describe(project, "http://images/cl.bin"))
    assert (str(target.release), target.build) == (NEW, BUILD)
    path = project / "model" / "fabric.yml"
    stated = yaml.safe_load(path.read_text())
    del stated["release"]["images"]
    path.write_text(yaml.safe_dump(stated))
    with pytest.raises(FabricError, match=f"release.images: {NEW} of release.cumulus is not in it"):
        Target.of(Fabric.load(str(path)))
