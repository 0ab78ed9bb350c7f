# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of the host roles: what the host keeps, NCCL's files, batches by rack."""

from __future__ import annotations

import typing as t

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import batches
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host import (
    doca,
    kept,
    nccl,
    needs,
    versions,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._wrappers import (
    Refusal,
    sentences,
)


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name to function."""
        translate = sentences(Refusal)
        return {
            "host_doca": translate(doca.plan),
            "host_kept": translate(kept.state),
            "host_mixed": translate(versions.refusals),
            "host_nccl": translate(nccl.files),
            "host_needs": translate(needs.needs),
            "rack_batches": translate(batches.of_hosts),
        }
