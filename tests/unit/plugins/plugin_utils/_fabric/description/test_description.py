# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The description is typed: days that exist, reasons in words, and nothing unknown."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.description import (
    Description,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.load import (
    typed,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.yaml_source import (
    Source,
)

from ..fabrics import described


def read(**changes):
    return typed(Description, Source("fabric.yml", described(**changes), {}))


def test_what_nobody_states_has_its_default():
    made = read()
    assert (made.site, made.out_of_service, made.planes.count) == (0, [], 1)
    with pytest.raises(Exception, match="frozen"):
        made.site = 1


@pytest.mark.parametrize(
    "changes, words",
    [
        ({"colour": "red"}, "colour"),
        ({"rails": "8"}, "rails"),
        (
            {"out_of_service": [{"device": "x", "since": "2026-02-30", "reason": "dead"}]},
            "2026-01-31",
        ),
        ({"wipe": None}, "a mapping such as"),
        ({"wipe": {"elsewhere": "  "}}, "wipe"),
        ({"release": {"cumulus": "5"}}, "cumulus"),
    ],
)
def test_what_is_wrong_is_named(changes, words):
    with pytest.raises(FabricError, match=words):
        read(**changes)
