# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addresses that rails have, and would have after a reload, beside the planned ones."""

from __future__ import annotations

import typing as t

from .results import failed, not_run, passed

if t.TYPE_CHECKING:
    from .host_view import View
    from .results import Check, Findings


def addresses(view: View) -> Findings:
    """No rail has another address, and no file of others counts for one after a reload."""
    network = view.look["network"]
    if view.addresses is None or network["error"]:
        why = network["error"] or "nothing of them was read."
        yield not_run(f"The addresses of the rails were not compared: {why}")
        return
    for says in view.addresses:
        yield failed(says, says.partition(":")[0])
    yield passed(f"{len(view.wanted['interfaces'])} rails have no other address, nor get one.")


CHECKS: dict[str, Check[View]] = {"host.addresses": addresses}
