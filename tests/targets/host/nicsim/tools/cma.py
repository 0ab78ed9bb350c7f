# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""cma_roce_tos and cma_roce_mode: defaults for connections made by RDMA CM."""

from __future__ import annotations

from typing import Any

from nicsim import hardware
from nicsim.call import Call, ToolError, say
from nicsim.store import State


def _options(call: Call, letters: str) -> dict[str, str]:
    """getopts: every letter takes a value except h; `-t96` and `-t 96` are alike."""
    found: dict[str, str] = {}
    rest = list(call.argv)
    while rest:
        word = rest.pop(0)
        if len(word) < 2 or word[0] != "-" or word[1] not in letters:
            raise ToolError(f"{call.tool}: illegal option -- {word.lstrip('-')[:1]}", 1, "stderr")
        if word[1] == "h":
            raise ToolError(f"Usage:\n\t{call.tool} OPTIONS", 0)
        found[word[1]] = word[2:] or (rest.pop(0) if rest else "")
    return found


def _device(state: State, options: dict[str, str]) -> tuple[Any, dict[str, Any]]:
    """An RDMA device and port: a network device name is not accepted."""
    name, port = options.get("d", "mlx5_0"), options.get("p", "1")
    found = hardware.find_rdma(state, name)
    if found is None:
        raise ToolError(f"Failed to create configuration for {name}")
    if port != "1":
        raise ToolError(f"Device {name} port {port} does not exist")
    return found


def tos(call: Call) -> int:
    """Print the resulting ToS on one line."""
    options = _options(call, "dpth")
    if "t" in options:
        call.wants_write()
    with call.state() as state:
        _nic, function = _device(state, options)
        if "t" in options:
            if not options["t"].isdigit() or int(options["t"]) > 255:
                raise ToolError("write error: Invalid argument", 1, "stderr")
            function["runtime"]["cma_roce_tos"] = int(options["t"])
        say(str(function["runtime"]["cma_roce_tos"]))
    return 0


def mode(call: Call) -> int:
    """1 is RoCE v1, 2 is RoCE v2."""
    options = _options(call, "dpmh")
    if "m" in options:
        call.wants_write()
    with call.state() as state:
        _nic, function = _device(state, options)
        if "m" in options:
            if options["m"] not in ("1", "2"):
                raise ToolError("Invalid RoCE mode")
            function["runtime"]["cma_roce_mode"] = int(options["m"])
        say("RoCE v2" if function["runtime"]["cma_roce_mode"] == 2 else "IB/RoCE v1")
    return 0
