# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of three devices."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import results
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.results import (
    failed,
    not_realised,
    not_run,
    passed,
)

LEAF = results.Subject("lab", "leaf-p1-su001-r1", "leaf-p1-su001-r1")
SPINE = results.Subject("lab", "spine-p1-s01", "spine-p1-s01")


def rows():
    return [
        LEAF.result("switch.bgp.session", failed("It is down.", "swp3s0")),
        LEAF.result("switch.drift", passed("It is as planned.")),
        LEAF.result("switch.link.ber", not_realised("It reports none.")),
        SPINE.result("switch.drift", not_run("Nobody manages it.")),
    ]
