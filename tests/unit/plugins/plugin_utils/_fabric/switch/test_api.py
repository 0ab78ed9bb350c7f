# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API listens out of band, with a certificate where one is named."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch.api import api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.switch.compose import (
    context,
)

LEAF = "leaf-p1-su001-r1"


def test_the_listener_and_its_certificate(load):
    fabric = load()
    own = fabric.slice(LEAF)["management"].partition("/")[0]
    listener = {"listening-address": {own: {}}}
    assert api(context(fabric, LEAF)) == {"system": {"api": listener}}
    named = context(fabric, LEAF, options={"api_certificate": "site"})
    assert api(named) == {"system": {"api": {**listener, "certificate": "site"}}}
