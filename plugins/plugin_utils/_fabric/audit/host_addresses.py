# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The addresses that rails have, and would have after a reload, beside the planned ones; who else sets their ports."""

from __future__ import annotations

import typing as t

from ....module_utils._nic.parse import mlxconfig
from .results import failed, not_run, passed

if t.TYPE_CHECKING:
    from .host_view import View
    from .results import Check, Findings

QOS = "dpu_qos"
DCBX = ("LLDP_NB_DCBX", "DCBX_WILLING")
"""Settings by which the firmware takes part in DCBX, and follows its partner, by port."""


def addresses(view: View) -> Findings:
    """No rail has another address, and no file of others counts for a port after a reload or at a boot."""
    network = view.look["network"]
    if view.addresses is None or network["error"]:
        why = network["error"] or "nothing of them was read."
        yield not_run(f"The addresses of the rails were not compared: {why}")
        return
    for says in view.addresses:
        yield failed(says, says.partition(":")[0])
    yield passed(f"{len(view.wanted['interfaces'])} rails have no other address, nor get one.")


def writers(view: View) -> Findings:
    """Nobody else sets what a role of `manage` sets, while the host runs or at a boot."""
    managed, rows = set(view.wanted["manage"]), view.look["network"].get("writers")
    if rows is None or not managed & {QOS, "dpu_interfaces"}:
        yield not_run(
            "Who else sets the ports was not read, or manage lists no role that sets them."
        )
        return
    for row in rows:
        if row["role"] in managed:
            yield failed(row["sentence"], row["sentence"].partition(":")[0])
    for found, nic in view.cards() if QOS in managed else ():
        for number in "12":
            shown = found.get("nvconfig") or {}
            values = [shown.get(f"{name}_P{number}") for name in DCBX]
            if all(row and mlxconfig.number(row["current"]) == "1" for row in values):
                names = [f"{name}_P{number}" for name in DCBX]
                yield failed(
                    f"{nic.pci}: {' and '.join(names)} are on: the firmware takes PFC and ETS from the leaf: set "
                    f"{names[1]} to 0 with dpu_state_nvconfig."
                )
    yield passed("Nobody else sets the ports.")


CHECKS: dict[str, Check[View]] = {"host.addresses": addresses, "host.writers": writers}
