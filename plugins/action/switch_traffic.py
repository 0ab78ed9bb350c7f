# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.switch_traffic``; documented in the module of that name."""

from __future__ import annotations

import time
from typing import Any

from ansible.plugins.action import ActionBase

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.wrappers import of_a_switch
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import operational, options
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.connect import open_api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.shapes import (
    MisfitError,
    below,
    mappings,
)

SPEC: dict[str, dict[str, Any]] = {
    **options.SPEC,
    "ports": {"type": "list", "elements": "str", "required": True},
    "seconds": {"type": "int", "default": 10},
    "allowed": {"type": "float"},
}
_COUNTERS = ("in-pkts", "out-pkts")
_MOST_NAMED = 3


class ActionModule(ActionBase):
    """Counts packets on ports, twice, and returns the rates; too much of it fails."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True

    @of_a_switch
    def run(
        self, tmp: str | None = None, task_vars: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        """Run the task and return its result."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        _found, args = self.validate_argument_spec(SPEC)
        api = open_api(args, task_vars or {}, self._templar.template)
        rates = _rates(api, args["ports"], max(1, args["seconds"]))
        if not rates:
            return {**result, "failed": True, "msg": "None of the ports has counters: name others."}
        busiest = max(rates, key=lambda port: rates[port])
        result |= {"rates": rates, "busiest": busiest, "most": rates[busiest]}
        return result | too_much(rates, args["allowed"])


def too_much(rates: dict[str, float], allowed: float | None) -> dict[str, Any]:
    """What the task adds when ports see more packets a second than is allowed; nothing otherwise."""
    loud = [port for port, rate in rates.items() if allowed is not None and rate > allowed]
    if not loud:
        return {}
    worst = sorted(loud, key=lambda port: -rates[port])[:_MOST_NAMED]
    named = ", ".join(f"{port} {rates[port]:.0f}" for port in worst)
    more = f" and {len(loud) - len(worst)} more" if len(loud) > len(worst) else ""
    return {
        "failed": True,
        "msg": f"Traffic still passes: {named}{more} packets a second, allowed are {allowed:g}; do not "
        "begin to work, find out who sends it.",
    }


def _rates(api: Api, ports: list[str], seconds: int) -> dict[str, float]:
    """Packets a second, both directions together, of ports that count."""
    try:
        before, start = _counts(api, ports), time.monotonic()
        time.sleep(seconds)
        after = _counts(api, ports)
    finally:
        api.port.close()
    spent = time.monotonic() - start
    return {port: (after[port] - before[port]) / spent for port in after if port in before}


def _counts(api: Api, ports: list[str]) -> dict[str, int]:
    counted = api.get(("interface",), operational.OPERATIONAL, _packets)
    return {port: counted[port] for port in ports if port in counted}


def _packets(found: Any) -> dict[str, int]:
    """Read the packets, both directions together, of every port that counts."""
    made = {}
    for port, body in mappings(found).items():
        stats = below(body, "link", "stats")
        counts = [stats[name] for name in _COUNTERS if name in stats]
        if not all(str(count).isdecimal() for count in counts):
            raise MisfitError(f"numbers of packets at {port}")
        if len(counts) == len(_COUNTERS):
            made[port] = sum(int(count) for count in counts)
    return made
