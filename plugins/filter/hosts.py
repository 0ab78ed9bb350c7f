# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters of the host roles: what the host keeps, batches by rack."""

from __future__ import annotations

import base64
import typing as t

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import (
    Refusal,
    sentences,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import batches
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host import kept
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import (
    zipapp_bytes,
)


def _kept(wanted: t.Any, choices: t.Any, bring: bool = False) -> list[dict[str, t.Any]]:
    """The files of a host and the tool, with its content where it has to be brought."""
    tool = {"path": choices["agent_path"], "mode": "0755"}
    if bring:
        tool["base64"] = base64.b64encode(zipapp_bytes()).decode()
    else:
        tool["sha256"] = wanted["agent_sha256"]
    return [tool, *kept.files(wanted, choices)]


def _batches(plans: t.Iterable[t.Any], most: int = 1) -> list[list[str]]:
    """The hosts of some plans in batches."""
    return batches.of_hosts({plan["name"]: plan["rack"] for plan in plans}, most)


class FilterModule:
    """The filters by name."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Name to function."""
        translate = sentences(Refusal)
        return {
            "host_kept": translate(_kept),
            "rack_batches": translate(_batches),
        }
