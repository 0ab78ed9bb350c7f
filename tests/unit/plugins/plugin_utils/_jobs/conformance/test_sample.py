# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents that are tried: every feature, and nothing of the site."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance import sample


def test_every_feature_is_among_them_but_the_state_of_maintenance():
    names = {name.split(" of a ")[0] for name, _document in sample.documents("5.16.1")}
    assert names == {feature.name for feature in compose.FEATURES} - {"maintenance"}


@pytest.mark.parametrize("release", ["5.9.0", "5.12.1", "5.18.0"])
def test_each_release_has_documents(release):
    assert len(list(sample.documents(release))) > 30
