# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.switch_traffic``; documented in the module of that name."""

from __future__ import annotations

import time
from typing import Any

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.action import Action, Plain
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import operational
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.connect import open_api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.shapes import (
    MisfitError,
    below,
    mappings,
)

_COUNTERS = ("in-pkts", "out-pkts")
_MOST_NAMED = 3


class ActionModule(Action):
    """Counts packets on ports, twice, and returns the rates; too much of it fails."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Count, wait, and count again."""
        api = open_api(args, stated, self._templar.template)
        rates = _rates(api, args["ports"], max(1, args["seconds"]))
        if not rates:
            return {"failed": True, "msg": "None of the ports has counters: name others."}
        busiest = max(rates, key=lambda port: rates[port])
        result = {"rates": rates, "busiest": busiest, "most": rates[busiest]}
        return result | too_much(rates, args["allowed"])


def too_much(rates: dict[str, float], allowed: float | None) -> Plain:
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
