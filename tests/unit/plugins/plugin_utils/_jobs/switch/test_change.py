# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One switch is changed under the variables of switch_apply, and only by roles that the description lists."""

from __future__ import annotations

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from nvue_double.testing import running_double

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.switch import conditions
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.switch import (
    wanted as edge_wanted,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.connection import Endpoint
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch import change
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.port import (
    HttpsPort,
)

LEAF = "leaf-p1-su001-r1"


def _conditions(*, check=False, write=True, **stated):
    template = Templar(loader=DataLoader(), variables=stated).template
    return conditions(*(stated, template), extra={}, origin={}, check=check, write=write)


@pytest.fixture
def turn(project):
    """Return a function that brings the base role to a double under conditions: (result, writes)."""
    path = project / "model" / "fabric.yml"

    def _turn(manage, **how):
        described = yaml.safe_load(path.read_text())
        path.write_text(yaml.safe_dump({**described, "manage": manage}))
        fabric = Fabric.load(str(path))
        device = fabric.device(LEAF)
        roles = ["switch_base"]
        wanted = edge_wanted(fabric, LEAF, {}, lambda value: value, roles=roles)
        assert fabric.name(device) == LEAF
        options = {"release": fabric.description.release.cumulus, "step_seconds": 0.002}
        with running_double(**options) as double:
            endpoint = Endpoint(double.host, double.port, timeout=5, ca=double.ca_file)
            api = Api(HttpsPort(endpoint), Auth(double.username, double.password))
            result = change.run(api, wanted, _conditions(**how))
            return result, len(double.log.writes)

    return _turn


def test_nothing_is_changed_by_a_role_that_manage_does_not_list(turn):
    result, writes = turn([], switch_apply_factory=True)
    assert (result["changed"], result["due"], writes) == (False, False, 0)
    (said,) = [text for text in result["warnings"] if "manage" in text]
    assert said == (
        "Nothing will be written: manage in the description does not list switch_base; --check --diff shows the "
        "changes."
    )


def test_the_same_is_written_where_it_is_listed(turn):
    result, writes = turn(["switch_base"], switch_apply_factory=True)
    assert (result["changed"], result["due"]) == (True, True)
    assert writes > 0
    assert not any("manage" in text for text in result.get("warnings", ()))


@pytest.mark.parametrize(("how", "changed"), [({"check": True}, True), ({"write": False}, False)])
def test_comparing_writes_nothing(turn, how, changed):
    result, writes = turn(["switch_base"], switch_apply_factory=True, **how)
    assert (result["changed"], result["due"], writes) == (changed, True, 0)
