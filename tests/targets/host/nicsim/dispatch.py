# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Dispatch of names to stand-ins, and the frame of every call."""

from __future__ import annotations

import importlib
import pathlib
import sys
from collections.abc import Callable

from nicsim.call import Call, ToolError, record_call
from nicsim.store import NoState

#: tool -> (module under nicsim.tools, function)
TOOLS: dict[str, tuple[str, str]] = {
    "mst": ("small", "mst"),
    "mlxconfig": ("mlxconfig", "run"),
    "mstconfig": ("mlxconfig", "run"),
    "flint": ("flint", "run"),
    "mstflint": ("flint", "run"),
    "mlxfwmanager": ("mlxfwmanager", "run"),
    "mlxfwreset": ("mlxfwreset", "run"),
    "mlxreg": ("mlxreg", "run"),
    "mlxlink": ("small", "mlxlink"),
    "mlxprivhost": ("small", "mlxprivhost"),
    "mlxvpd": ("small", "mlxvpd"),
    "mlnx_qos": ("mlnx_qos", "run"),
    "cma_roce_tos": ("cma", "tos"),
    "cma_roce_mode": ("cma", "mode"),
    "show_gids": ("small", "show_gids"),
    "ibdev2netdev": ("small", "ibdev2netdev"),
    "ofed_info": ("small", "ofed_info"),
    "bfb-install": ("bfb_install", "run"),
    "bfver": ("small", "bfver"),
    "mlx-mkbfb": ("small", "mlx_mkbfb"),
    "doca_spcx_cc": ("spcx_cc", "run"),
    "ethtool": ("ethtool", "run"),
    "devlink": ("iproute", "run"),
    "rdma": ("iproute", "run"),
    "dcb": ("iproute", "run"),
    "lspci": ("pciutils", "lspci"),
    "setpci": ("pciutils", "setpci"),
    "ib_write_bw": ("perftest", "run"),
    "ib_write_lat": ("perftest", "run"),
    "all_reduce_perf": ("nccl", "run"),
    "all_gather_perf": ("nccl", "run"),
    "reduce_scatter_perf": ("nccl", "run"),
    "alltoall_perf": ("nccl", "run"),
    "sendrecv_perf": ("nccl", "run"),
    "mpirun": ("launchers", "mpirun"),
    "srun": ("srun", "run"),
    "ipmitool": ("system", "ipmitool"),
    "rshim": ("system", "rshim"),
    "reboot": ("system", "reboot"),
    "shutdown": ("system", "reboot"),
    "openibd": ("system", "openibd"),
    "udevadm": ("udevadm", "run"),
    "lsmod": ("kmod", "lsmod"),
    "modinfo": ("kmod", "modinfo"),
    "modprobe": ("kmod", "modprobe"),
}


def find(name: str) -> Callable[[Call], int]:
    """Import and return the stand-in for a tool name."""
    module, function = TOOLS[name]
    return getattr(importlib.import_module(f"nicsim.tools.{module}"), function)


def main(argv: list[str]) -> int:
    """Run the stand-in named by argv[0]; log the call whatever happens."""
    tool = pathlib.Path(argv[0]).name
    if tool not in TOOLS:
        sys.stderr.write(f"{tool}: no such stand-in\n")
        return 127
    call = Call(tool, argv[1:])
    status = 1
    try:
        status = find(tool)(call)
    except ToolError as error:
        stream = sys.stderr if error.stream == "stderr" else sys.stdout
        if error.text:
            stream.write(error.text + "\n")
        status = error.status
    except NoState as error:
        sys.stderr.write(f"nicsim: {error}\n")
        status = 1
    except KeyboardInterrupt:
        status = 130
    finally:
        record_call(call, status)
    return status
