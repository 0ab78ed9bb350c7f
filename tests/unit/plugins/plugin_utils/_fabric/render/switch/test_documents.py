# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every document, in every release that has a spelling for it, as NVIDIA's own schema sees it."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import schema
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.dialect import spell
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import (
    OLDEST,
    Release,
    parse,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.render.switch.test_accepted import (
    CASES,
    CONVERGED,
    converged,
    wish,
)

RELEASES = [found for found in map(parse, schema.releases()) if found >= OLDEST]
EXAMPLES = [
    pytest.param(name, marks=() if name.startswith("lab") else pytest.mark.large)
    for name in sorted(path.parents[1].name for path in INVENTORIES.glob("*/model/fabric.yml"))
]
REFUSED = ("has no spelling in", "no key of Cumulus Linux", "takes one", "cannot be disabled")
"""Sentences of the dialect about what a release cannot express."""
TELEMETRY = Release(5, 13)
"""Older releases do not have what our groups of telemetry need: such a fabric is refused there, in one sentence."""


def judge(document):
    """Yield the deviations of a neutral document from each release that has a spelling for it."""
    for release in RELEASES:
        try:
            spelled = spell(document, release)
        except RefusedError as error:
            if not any(words in str(error) for words in REFUSED):
                yield str(error)
            continue
        for deviation in schema.deviations(schema.of(release), spelled):
            if not (release < TELEMETRY and "telemetry" in deviation.path):
                yield f"{release}: {deviation}"


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_has_no_key_that_a_release_refuses(name):
    fabric = Fabric.load(str(INVENTORIES / name / "model" / "fabric.yml"))
    written = INVENTORIES / name / "model" / "tenants.yml"
    registry = Registry.parse(fabric, written.read_text() if written.exists() else "tenants: []")
    roles = {switch.role: switch for switch in fabric.switches()}
    for switch in roles.values():
        ctx = compose.context(fabric, switch, options={}, tenants=registry)
        assert not list(judge(compose.render(ctx))), switch


@pytest.mark.parametrize("case", CASES)
def test_an_option_has_no_key_that_a_release_refuses(load, case):
    example, changes, options, devices = CASES[case]
    fabric = load(example, **changes)
    for device in devices:
        assert not list(judge(wish(fabric, device, options).config)), device


@pytest.mark.parametrize("case", CONVERGED)
def test_a_network_has_no_key_that_a_release_refuses(load, case):
    fabric, text, devices = converged(load, case)
    for device in devices:
        assert not list(judge(wish(fabric, device, {"tenants": text}).config)), device
