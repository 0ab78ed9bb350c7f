# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Owner of a field."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.owners import (
    FIELDS,
    OWNERS,
    PULLED,
    Rules,
    owner,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    KINDS,
    SHARED,
)

from .wishes import fabric_of, things


def test_the_table_has_the_fields_that_things_have():
    found = {kind: set() for kind in KINDS if kind not in SHARED}
    for name in ("lab", "brownfield-256", "lab-converged", "lab-routed"):
        for thing in things(fabric_of(name)):
            if thing.kind in found:
                found[thing.kind].update(thing.values)
    assert list(FIELDS) == list(found)
    for kind, fields in found.items():
        assert fields <= set(FIELDS[kind])
        assert set(FIELDS[kind]) - fields <= {"asset_tag", "description", "type", "label"}
        assert set(FIELDS[kind].values()) <= set(OWNERS)


def test_what_is_pulled_is_owned_by_the_dcim():
    """No field has two owners: what a pull proposes, no push writes again."""
    for name in PULLED:
        kind, _dot, field = name.partition(".")
        assert owner(kind, field) == "dcim"


def test_the_plan_owns_the_rest():
    assert owner("device", "role") == "plan"
    assert owner("cable", "ends") == "plan"


def test_a_site_chooses_by_field_or_by_kind():
    rules = Rules.of({"device.status": "plan", "interface": "dcim"})
    assert rules.owner("device", "status") == "plan"
    assert rules.owner("device", "serial") == "dcim"
    assert rules.owner("interface", "mtu") == "dcim"
    assert rules.owner("interface", "description") == "once"
    assert Rules.of({"device": "plan"}).owner("device", "status") == "dcim"


@pytest.mark.parametrize(
    "chosen, words",
    [
        ({"devise.role": "plan"}, "did you mean"),
        ({"role": "plan"}, "use one of rack, tenant"),
        ({"interface.mttu": "plan"}, "is not a field of interface, did you mean 'mtu': use"),
        ({"rack.": "dcim"}, "is not a field of rack: use one of location, name."),
        ({"device.location": "plan"}, "leave the rule out"),
        ({"device.role": "once"}, "use plan or dcim"),
    ],
)
def test_other_choices_are_refused(chosen, words):
    with pytest.raises(FabricError) as caught:
        Rules.of(chosen)
    assert next(iter(chosen)) in str(caught.value)
    assert words in str(caught.value)


def test_a_primary_address_follows_its_device():
    assert Rules.of({"device": "plan"}).of_kind("primary") == "plan"
    assert Rules.of({"device": "plan", "primary": "dcim"}).of_kind("primary") == "dcim"
    assert Rules.of({"device.role": "plan"}).of_kind("primary") == ""
