# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change of one switch, against a port that answers from memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.converge import (
    Outcome,
    Terms,
    converge,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import Wish
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    NvueError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.client import Limits

CHANGE = Wish({"system": {"hostname": "new"}})

Make = Callable[..., Any]


def run(switch: Any, wish: Wish = CHANGE, **terms: Any) -> Outcome:
    return converge(switch.api(), wish, Terms(device="leaf-01", **terms), Limits(poll_first=1))


def fails(switch: Any, wish: Wish = CHANGE, kind: type[NvueError] = NvueError, **terms: Any) -> str:
    with pytest.raises(kind) as error:
        run(switch, wish, **terms)
    return str(error.value)


def old(**more: Any) -> dict[str, Any]:
    return {"system": {"hostname": "old"}, **more}


USER = {"system": {"aaa": {"user": {"ops": {"hashed-password": "$6$canary"}}}}}
ROTATED = "system/aaa/user/*/hashed-password"
BGP = {"state": "established"}
PEERS = {"vrf": {"default": {"router": {"bgp": {"neighbor": {"swp1": {}, "swp2": {}}}}}}}
NEIGHBORS = "/vrf/default/router/bgp/neighbor"
SESSIONS = f"GET {NEIGHBORS}?rev=operational"


ROCE = Wish({"qos": {"roce": {"state": "enabled"}}})
IDLE = {"state": "idle"}


def sessions(*states: str) -> dict[str, Any]:
    return {f"swp{n}": {"state": state} for n, state in enumerate(states, start=1)}


def told(*peers: Any) -> dict[str, Any]:
    """Return a switch's report of its neighbours swp1, swp2 ..."""
    neighbors = {f"swp{n}": peer for n, peer in enumerate(peers, start=1)}
    return {"vrf": {"default": {"router": {"bgp": {"neighbor": neighbors}}}}}
