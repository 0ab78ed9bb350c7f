# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents of a switch, as a role asks for them."""

from __future__ import annotations

ASK = "lookup('spectrum_x.fabric.switch_document', {}, device='leaf-p1-su001-r1')"


def test_a_part_its_places_and_the_terms(answers):
    owns, first, terms, tenants = answers(
        ASK.format("'switch_roce'") + ".owns",
        ASK.format("'ztp'") + " | list",
        ASK.format("'terms'") + ".expected.hostname",
        ASK.format("'tenants'") + ".config.vrf | list",
    )
    assert any(glob.startswith("qos") for glob in owns)
    assert first == ["config"]
    assert terms == "leaf-p1-su001-r1"
    assert "t1-quarantine" in tenants
