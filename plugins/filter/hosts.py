# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of the host roles: what the host keeps, NCCL's files, batches by rack."""

from __future__ import annotations

import base64
import typing as t

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host import nccl
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import batches
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host import (
    doca,
    kept,
    versions,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import (
    zipapp_bytes,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._wrappers import (
    Refusal,
    sentences,
)


def _kept(wanted: t.Any, choices: t.Any, bring: bool = False) -> list[dict[str, t.Any]]:
    """The files of a host and the tool, with its content where it has to be brought."""
    tool = {"path": choices["agent_path"], "mode": "0755"}
    if bring:
        tool["base64"] = base64.b64encode(zipapp_bytes()).decode()
    else:
        tool["sha256"] = wanted["agent_sha256"]
    return [tool, *kept.files(wanted, choices)]


def _nccl(*given: t.Any) -> dict[str, t.Any]:
    """The files of NCCL, with the sentence of an error as other filters have it."""
    try:
        return nccl.files(*given)
    except NicError as exc:
        raise FabricError.of(str(exc)) from None


def _batches(plans: t.Iterable[t.Any], most: int = 1) -> list[list[str]]:
    """The hosts of some plans in batches."""
    return batches.of_hosts({plan["name"]: plan["rack"] for plan in plans}, most)


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name to function."""
        translate = sentences(Refusal)
        return {
            "host_doca": translate(doca.plan),
            "host_kept": translate(_kept),
            "host_mixed": translate(versions.refusals),
            "host_nccl": translate(_nccl),
            "rack_batches": translate(_batches),
        }
