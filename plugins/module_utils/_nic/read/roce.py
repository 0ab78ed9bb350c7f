# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime RoCE registers and switches of a port."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypedDict, cast

from ..desired import Cc
from ..errors import NicError
from ..parse.mlxreg import parse_register
from ..parse.pci import parse_word, read_request
from ..records import PortRecord, PortRoce, Ppcc, Process, Slot
from ..state import life, load
from ..tools import MISSING, Host, failed, not_installed, reason
from .card import unanswered

POINTS = "/sys/class/net/{netdev}/ecn/roce_{point}/enable/{priority}"
GAP_INDEXES = "local_port=1,lp_msb=0,ipg_cap_index=0"
DEVICE_CONTROL = "CAP_EXP+08.w"
GET_PARAMETER = 6
GET_SLOT = 3
"""The number is of github.com/Mellanox/mstflint b9d9e84 (register tables). Inferred: that it takes
`algo_param_index` and answers in `value`; no public source shows such a read."""


class Stamp(TypedDict):
    """Identity of the process and card that the settings of the algorithm depend on."""

    life: str
    pid: int
    started: int


def cc_indexes(slot: int, parameter: int = 0) -> str:
    """The index fields of PPCC for a slot and a parameter."""
    return f"local_port=1,pnat=0,lp_msb=0,algo_slot={slot},algo_param_index={parameter}"


def read_roce(host: Host, port: PortRecord, parts: Iterable[str]) -> PortRoce:
    """Some parts of a port, named as in `Roce`; a register that does not answer is an error."""
    return cast("PortRoce", {part: READERS[part](host, port) for part in parts})


def _max_read_request(host: Host, port: PortRecord) -> int:
    """Bytes; what cannot be read is not known, and an error."""
    said = host.ask("setpci", "-s", port["pci"], DEVICE_CONTROL)
    if said.rc == MISSING:
        raise NicError(f"{port['pci']}: {not_installed('setpci')}")
    word = None if failed(said) else parse_word(said.out)
    size = None if word is None else read_request(word)
    if size is None:
        raise NicError(
            f"{port['pci']}: its maximum read request is not known: setpci says '{reason(said)}'; "
            "check that the card answers on PCI (lspci -vv)."
        )
    return size


def register(host: Host, pci: str, name: str, indexes: str = "") -> dict[str, int]:
    """The fields of a register by `mlxreg --get`."""
    extra = ("--indexes", indexes) if indexes else ()
    result = host.ask("mlxreg", "-d", pci, "--reg_name", name, "--get", *extra)
    if failed(result):
        raise unanswered(host, pci, "mlxreg", result)
    return parse_register(result.out)


def _points(host: Host, port: PortRecord) -> dict[str, list[int | None]]:
    """Eight 0/1 by point, priority 0 first; None where the driver has no such file."""
    netdev = port["netdev"]
    return {
        point: [
            host.number(POINTS.format(netdev=netdev, point=point, priority=p)) for p in range(8)
        ]
        for point in ("rp", "np")
    }


READERS: dict[str, Callable[[Host, PortRecord], object]] = {
    "accl": lambda host, port: register(host, port["pci"], "ROCE_ACCL"),
    "dcqcn": _points,
    "max_read_request": _max_read_request,
    "inter_packet_gap": lambda host, port: register(host, port["pci"], "PIPG", GAP_INDEXES),
}


def read_ppcc(host: Host, port: PortRecord, wanted: Cc, process: Process, *, deep: bool) -> Ppcc:
    """{slots, params, source} of the algorithm's settings.

    Each value costs a process, so that what was written to this very process of the algorithm
    (same life of the card, same start) is taken from the note; `deep` reads the card regardless. A value that
    the card does not show is None.
    """
    note = load(host, f"ppcc-{port['rdma']}")
    if not deep and note.get("stamp") == stamp(host, port, process):
        recorded: Ppcc = note.get("ppcc", {})
        return {**recorded, "source": "recorded"}
    slots = {str(slot): _slot(host, port["pci"], slot) for slot in wanted.slots}
    params = {
        str(slot): {
            str(p): _ask(host, port["pci"], GET_PARAMETER, cc_indexes(slot, p)).get("value")
            for p in values
        }
        for slot, values in wanted.params.items()
    }
    return {"slots": slots, "params": params, "source": "read"}


def stamp(host: Host, port: PortRecord, process: Process) -> Stamp:
    """Return the identity that the settings depend on: a process may outlive a reset of its card."""
    return {
        "life": life(host, port),
        "pid": process.get("pid", 0),
        "started": process.get("started", 0),
    }


def _ask(host: Host, pci: str, command: int, indexes: str) -> dict[str, int]:
    argv = ("mlxreg", "-d", pci, "--reg_name", "PPCC", "--get")
    result = host.ask(*argv, "--indexes", indexes, "--op", f"cmd_type={command}")
    return {} if failed(result) else parse_register(result.out)


def _slot(host: Host, pci: str, slot: int) -> Slot:
    fields = _ask(host, pci, GET_SLOT, cc_indexes(slot))
    known = "value" in fields
    return {
        "enabled": bool(fields["value"]) if known else None,
        "counters": bool(fields["counter_en"]) if "counter_en" in fields else None,
    }
