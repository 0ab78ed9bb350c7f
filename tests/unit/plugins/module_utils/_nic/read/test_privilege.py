# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Why a card does not answer."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.read.privilege import (
    refuse_restricted,
    unanswered,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import MISSING, Result

PCI = "0000:1a:00.0"


@pytest.mark.parametrize("level, restricted", [("PRIVILEGED", False), ("RESTRICTED", True)])
def test_a_restricted_host_is_refused(world, level, restricted):
    world.card.privilege = level
    if restricted:
        with pytest.raises(NicError, match=r"the host is restricted \(zero-trust\)"):
            refuse_restricted(world.host(), PCI)
    else:
        refuse_restricted(world.host(), PCI)


@pytest.mark.parametrize(
    "level, result, words",
    [
        ("PRIVILEGED", Result(MISSING, "", ""), "flint is not installed"),
        ("RESTRICTED", Result(MISSING, "", ""), "flint is not installed"),
        ("RESTRICTED", Result(1, "", "-E- no\n"), "the host is restricted"),
        ("PRIVILEGED", Result(1, "", "-E- no\n"), "flint does not answer: no"),
    ],
)
def test_the_reason_of_a_query_that_failed(world, level, result, words):
    world.card.privilege = level
    assert words in str(unanswered(world.host(), PCI, "flint", result))
