# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A missing library is one sentence."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)


def test_a_missing_library_is_one_sentence(monkeypatch):
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import (
        _third_party,
    )

    monkeypatch.setattr(_third_party, "MISSING", ["pydantic"])
    with pytest.raises(FabricError, match=r"lacks pydantic: run 'pip install -r requirements.txt'"):
        _third_party.require()
