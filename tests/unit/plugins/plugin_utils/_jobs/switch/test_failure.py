# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A switch that gives no answer is unreachable; one that is not trusted, or refuses, has failed."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch.failure import ended
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    NvueError,
    TransportError,
    UnapprovedError,
    UntrustedError,
)


@pytest.mark.parametrize(
    ("kind", "result"),
    [
        (TransportError, {"unreachable": True}),
        (UntrustedError, {"failed": True, "untrusted": True}),
        (UnapprovedError, {"failed": True, "unapproved": True}),
        (NvueError, {"failed": True}),
    ],
)
def test_how_a_task_ends(kind, result):
    assert ended(kind("no.")) == {**result, "msg": "no."}
