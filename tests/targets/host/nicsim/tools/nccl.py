# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of nccl-tests: one process alone on this host, or what a launcher starts on several.

What the real ones print is public (NVIDIA/nccl-tests, src/util.cu); how fast they are comes from the model of links.
"""

from __future__ import annotations

import datetime
import getopt
import ipaddress
import itertools
import json
import os
import pathlib
import platform
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from nicsim import flows, hardware
from nicsim.call import Call, ToolError
from nicsim.links import BadModel, Flow, Links, load
from nicsim.tools import _nccl_figures as figures
from nicsim.tools import _slurm
from nicsim.tools.perftest import priority

VERSION, LIBRARY = "2.17.9", 22903
NCCL = "NCCL version 2.29.3+cuda13.1"
GPU = "NVIDIA H200"
RANKS = "NICSIM_RANKS"
"""Variable in which a launcher names the ranks: JSON, [[node, processes], ...]."""
SPEAKS = ("VERSION", "WARN", "INFO", "TRACE")
"""Values of NCCL_DEBUG with which the library prints its version."""
SHORTS = "t:g:b:e:i:f:n:m:w:N:p:c:o:d:r:z:y:T:G:C:a:R:x:D:V:J:S:M:u:h"
LONGS = {
    "nthreads": "t",
    "ngpus": "g",
    "minbytes": "b",
    "maxbytes": "e",
    "stepbytes": "i",
    "stepfactor": "f",
    "iters": "n",
    "agg_iters": "m",
    "warmup_iters": "w",
    "run_cycles": "N",
    "parallel_init": "p",
    "check": "c",
    "op": "o",
    "datatype": "d",
    "root": "r",
    "blocking": "z",
    "stream_null": "y",
    "timeout": "T",
    "cudagraph": "G",
    "report_cputime": "C",
    "average": "a",
    "local_register": "R",
    "output_file": "J",
    "report_timestamps": "S",
}
CONFIGURATION = "/etc/nccl.conf"
"""The file with variables of a host, which the environment overrides (NCCL's guide, environment variables)."""
STAMP = "%Y-%m-%d %H:%M:%S"
ROW_SECONDS = 0.2
"""Seconds of a cycle of an endless run: a real one has more cycles than a test wants to read. Ours."""
LOST = """\
{node}:{pid}:{pid} [0] NCCL WARN NET/IB: Got completion from peer with status=IBV_WC_RETRY_EXC_ERR(12) vendor_err=129
{node}: Test NCCL failure common.cu:303 'remote process exited or there was a network error'
 .. {node} pid {pid}: Test failure alltoall.cu:83
"""
"""Output of a job that lost its way to a peer (issues of NVIDIA/nccl; the lines of the source are [inferred])."""
TYPES = {
    "uint8": 1,
    "int8": 1,
    "half": 2,
    "bfloat16": 2,
    "float": 4,
    "int32": 4,
    "double": 8,
    "int64": 8,
}
REDUCES = {"all_reduce_perf", "reduce_scatter_perf"}


class Settings(NamedTuple):
    """Options of a call."""

    program: str
    threads: int = 1
    gpus: int = 1
    least: int = 32 << 20
    most: int = 32 << 20
    step: int = 1 << 20
    factor: int = 1
    iters: int = 20
    warmup: int = 1
    aggregated: int = 1
    check: int = 1
    cycles: int = 1
    stamps: int = 0
    kind: str = "float"
    output: str = ""


class Rank(NamedTuple):
    """One GPU of one process."""

    number: int
    node: str
    pid: int
    device: int
    group: int


class Hop(NamedTuple):
    """Data from a node to another one on a rail: a flow for each plane, each a part of its port's rate."""

    group: int
    node: str
    part: float
    flows: list[Flow]


def run(call: Call) -> int:
    """Run one collective over all sizes, as rank 0 prints it."""
    settings = read(call.tool, call.argv)
    if RANKS not in os.environ and _slurm.started():
        return _slurm.together(lambda places: _run(call, settings, places))
    places = os.environ.get(RANKS)
    return _run(call, settings, json.loads(places) if places else [[platform.node(), 1]])


def _run(call: Call, settings: Settings, places: Sequence[Sequence[Any]]) -> int:
    with call.state() as state:
        cards = list(hardware.each(state))
        gpus = len(state["nics"]) if state["host"]["gpu"] else 0
    try:
        links = load()
        ranks = _ranks(settings, gpus, places)
        return _Run(settings, links, ranks, cards).run(call)
    except BadModel as wrong:
        raise ToolError(f"nicsim: {wrong}", 1, "stderr") from wrong


def read(program: str, argv: Sequence[str]) -> Settings:
    """The options of a call; one that the program does not have ends it with its usage."""
    try:
        found, _words = getopt.gnu_getopt(
            list(argv), SHORTS, [f"{name}=" for name in LONGS] + ["help"]
        )
    except getopt.GetoptError as wrong:
        said = (
            f"invalid option -- '{wrong.opt}'"
            if len(wrong.opt) == 1
            else f"unrecognized option '--{wrong.opt}'"
        )
        sys.stderr.write(f"{program}: {said}\ninvalid option '?'\n")
        raise ToolError(_usage(program), 1) from wrong
    given = {LONGS.get(name.lstrip("-"), name.lstrip("-")): value for name, value in found}
    if "h" in given or "help" in given:
        raise ToolError(_usage(program), 0)
    numbers = {
        "t": "threads",
        "g": "gpus",
        "f": "factor",
        "n": "iters",
        "w": "warmup",
        "m": "aggregated",
        "c": "check",
        "N": "cycles",
        "S": "stamps",
    }
    sizes = {"b": "least", "e": "most", "i": "step"}
    values: dict[str, Any] = {
        field: int(given[key]) for key, field in numbers.items() if key in given
    }
    values.update({field: _bytes(given[key], key) for key, field in sizes.items() if key in given})
    settings = Settings(program, kind=given.get("d", "float"), output=given.get("J", ""), **values)
    if settings.most < settings.least:
        said = f"invalid sizes for 'minbytes' and 'maxbytes': {settings.least} > {settings.most}"
        raise ToolError(said, 1, "stderr")
    return settings


def _usage(program: str) -> str:
    options = "".join(f"[-{short},--{name} <value>] \n\t" for name, short in LONGS.items())
    return f"USAGE: {program} \n\t{options}[-h,--help]"


def _bytes(text: str, key: str) -> int:
    factor = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper(), 1)
    digits = text[:-1] if factor > 1 else text
    if not digits.isdigit():
        name = next(name for name, short in LONGS.items() if short == key)
        raise ToolError(f"invalid size specified for '{name}'", 1, "stderr")
    return int(digits) * factor


def _ranks(settings: Settings, gpus: int, places: Sequence[Sequence[Any]]) -> list[Rank]:
    """Every rank; refused as CUDA and the program refuse it."""
    if not gpus:
        host, pid = platform.node(), os.getpid()
        said = f"{host}: Test CUDA failure util.cu:549 'no CUDA-capable device is detected'\n"
        raise ToolError(f"{said} .. {host} pid {pid}: Test failure common.cu:1268", 2)
    each = settings.threads * settings.gpus
    most = max(count for _node, count in places) * each
    if most > gpus:
        said = f"Invalid number of GPUs: {most} requested but only {gpus} were found.\n"
        raise ToolError(
            f"{said}Please check the number of processes and GPUs per process.", 3, "stderr"
        )
    made = [
        (node, process, own)
        for node, count in places
        for process in range(count)
        for own in range(each)
    ]
    return [
        Rank(n, node, os.getpid() + n // each, process * each + own, _group(n))
        for n, (node, process, own) in enumerate(made)
    ]


def _group(rank: int) -> int:
    """The group of a rank, by NCCL_TESTS_SPLIT ("MOD 8", "DIV 8", "AND 0x7") or NCCL_TESTS_SPLIT_MASK."""
    words = (
        os.environ.get("NCCL_TESTS_SPLIT", "")
        .upper()
        .replace("%", "MOD ")
        .replace("/", "DIV ")
        .split()
    )
    if len(words) != 2:
        mask = os.environ.get("NCCL_TESTS_SPLIT_MASK")
        return rank & int(mask, 0) if mask else 0
    value = int(words[1], 0)
    operations = {
        "MOD": rank % value,
        "DIV": rank // value,
        "AND": rank & value,
        "OR": rank | value,
    }
    return operations.get(words[0], 0)


class _Run:
    """One run, as rank 0 sees it; groups run side by side, and group 0 is printed."""

    def __init__(
        self, settings: Settings, links: Links, ranks: Sequence[Rank], cards: list[Any]
    ) -> None:
        self.settings, self.links, self.ranks, self.cards = settings, links, ranks, cards
        self.group = [rank for rank in ranks if rank.group == ranks[0].group]
        self.nodes = list(dict.fromkeys(rank.node for rank in self.group))
        self.socket = os.environ.get("NCCL_IB_DISABLE") == "1" or any(
            self._faulty(node) for node in self.nodes
        )
        self.socket |= not self._devices()
        self.plugin = _configured("NCCL_NET_PLUGIN")
        self.rows: list[dict[str, Any]] = []

    def _faulty(self, node: str) -> bool:
        return any(self.links.about("tcp-fallback", port) for port in self.links.of_node(node))

    def run(self, call: Call) -> int:
        out = sys.stdout.write
        out("".join(self._head()))
        out(self._library())
        out(_heading(stamps=bool(self.settings.stamps)))
        for _cycle in range(self.settings.cycles) if self.settings.cycles else itertools.count():
            self._cycle(call)
        out("".join(self._foot()))
        if self.settings.output:
            self._write(call.argv)
        return 0

    def _cycle(self, call: Call) -> None:
        """All sizes once; an endless run lasts in real time, until somebody ends it."""
        speed = self._speed()
        for size in self._sizes():
            if not self.settings.cycles:
                time.sleep(ROW_SECONDS)
            row = self._row(size, speed)
            if self.settings.cycles:
                self.rows.append(row)
            stamp = datetime.datetime.now().strftime(STAMP) if self.settings.stamps else ""
            sys.stdout.write(_line(row, stamp))
            sys.stdout.flush()
            self._count(call, size)

    # How fast

    def _speed(self) -> figures.Speed:
        """Rates of the rails that this group uses, among everything that runs meanwhile."""
        if len(self.nodes) == 1:
            return figures.inside(len(self.group))
        self.links.dark = flows.dark() | self._dark()
        hops = list(self._hops())
        line = max((function["link"]["speed_gbps"] for _nic, function in self.cards), default=400)
        asked = [flow for hop in hops for flow in hop.flows]
        rates = iter(flows.carried(self.links, asked, gbps=line, seconds=1.0))
        speeds = [(hop.group, self._of_hop(hop, rates)) for hop in hops]
        return figures.across(
            [speed for group, speed in speeds if group == self.group[0].group],
            per_node=len(self.group) // len(self.nodes),
            nodes=len(self.nodes),
            socket=self.socket,
        )

    def _of_hop(self, hop: Hop, rates: Iterator[float]) -> float:
        """Gb/s of a way over all planes; the job ends where there is none.

        Of itself NCCL gives each plane as much, so that the slowest decides. The plugin moves traffic to the others.
        """
        found = [next(rates) / hop.part for _flow in hop.flows]
        speed = sum(found) if self.plugin else min(found) * len(found)
        if not speed and not self.socket:
            raise ToolError(LOST.format(node=hop.node, pid=os.getpid()), 3, "stderr")
        return speed

    def _hops(self) -> Iterator[Hop]:
        """Yield the hops on each rail, group by group: a ring, or of alltoall each node to every other one.

        What goes to a GPU of another rail is on that rail's NIC from the beginning, by NVLink (PXN of NCCL).
        """
        every = self.settings.program == "alltoall_perf"
        for group in sorted({rank.group for rank in self.ranks}):
            members = [rank for rank in self.ranks if rank.group == group]
            nodes = list(dict.fromkeys(rank.node for rank in members))
            ways = itertools.permutations(nodes, 2) if every else zip(nodes, nodes[1:] + nodes[:1])
            part = 1 / (len(nodes) - 1) if every and len(nodes) > 1 else 1.0
            for node, after in ways if len(nodes) > 1 else ():
                for device in sorted({rank.device for rank in members}):
                    if found := self._flows(node, after, device, part):
                        yield Hop(group, node, part, found)

    def _flows(self, node: str, after: str, device: int, part: float) -> list[Flow]:
        """One flow a port of the rail: with several planes a GPU has several."""
        return [
            Flow(one.address, other.address, one.gbps * part)
            for one, other in zip(self.links.of_node(node), self.links.of_node(after))
            if _rail(one.port) == device
        ]

    def _dark(self) -> set[str]:
        """This host's ports without a link, by what its own tools say."""
        dark = {
            found["local"]
            for nic, function in self.cards
            if not hardware.link_up(nic, function)
            for found in hardware.addresses(function)
        }
        ports = self.links.of_node(platform.node())
        return {f"{port.node}:{port.port}" for port in ports if port.address in dark}

    def _sizes(self) -> Iterator[int]:
        size = self.settings.least
        while size <= self.settings.most:
            yield size
            size = (
                size * self.settings.factor
                if self.settings.factor > 1
                else size + self.settings.step
            )

    def _row(self, size: int, speed: figures.Speed) -> dict[str, Any]:
        width = TYPES.get(self.settings.kind, 4)
        usec, alg, bus = figures.timed(self.settings.program, size, speed, ranks=len(self.group))
        out = {
            "time": usec,
            "alg_bw": alg,
            "bus_bw": bus,
            "nwrong": 0.0 if self.settings.check else None,
        }
        into = {**out, "time": usec * 0.999, "alg_bw": alg * 1.001, "bus_bw": bus * 1.001}
        if self.settings.program == "alltoall_perf":
            into["nwrong"] = None
        redop = "sum" if self.settings.program in REDUCES else "none"
        return {
            "size": size,
            "count": size // width,
            "type": self.settings.kind,
            "redop": redop,
            "root": "-1",
            "out_of_place": out,
            "in_place": into,
        }

    # What is printed

    def _head(self) -> Iterator[str]:
        s = self.settings
        step = f"{s.factor}(factor)" if s.factor > 1 else f"{s.step}(bytes)"
        yield f"# nccl-tests version {VERSION} nccl-headers={LIBRARY} nccl-library={LIBRARY}\n"
        yield f"# Collective test starting: {s.program}\n"
        yield (
            f"# nThread {s.threads} nGpus {s.gpus} minBytes {s.least} maxBytes {s.most} step: {step} warmup iters: "
            f"{s.warmup} iters: {s.iters} agg iters: {s.aggregated} validation: {s.check} graph: 0\n#\n"
            "# Using devices\n"
        )
        for rank in self.ranks:
            place = f"[0000:{0x1B + 0x20 * (rank.device % 8):02x}:00]"
            yield (
                f"#  Rank {rank.number:2d} Group {rank.group:2d} Pid {rank.pid:6d} on {rank.node:>10} device "
                f"{rank.device:2d} {place} {GPU}\n"
            )

    def _library(self) -> str:
        """Output of the NCCL library at a level of NCCL_DEBUG."""
        level = os.environ.get("NCCL_DEBUG", "").upper()
        text = f"{NCCL}\n" if level in SPEAKS else ""
        return text + "".join(self._information()) if level in ("INFO", "TRACE") else text

    def _information(self) -> Iterator[str]:
        for rank in self.group:
            said = f"{rank.node}:{rank.pid}:{rank.pid} [{rank.device}] NCCL INFO "
            yield from (f"{said}{line}\n" for line in self._transports(rank))

    def _transports(self, rank: Rank) -> Iterator[str]:
        several = len(self.nodes) > 1
        devices = " ".join(f"[{n}]{name}:1/RoCE" for n, name in enumerate(self._devices()))
        network = "IB"
        yield "Bootstrap: Using eth0:198.18.0.2<0>"
        if self.plugin:
            network = self.plugin.upper()
            yield f"NET/Plugin: Loaded net plugin {network} (v10)"
        if self.socket:
            yield "NET/IB : No device found."
            yield "NET/Socket : Using [0]eth0:198.18.0.2<0>"
        else:
            yield f"NET/IB : Using {devices} [RO]; OOB eth0:198.18.0.2<0>"
            yield from self._queue_pairs(rank) if several else ()
        yield f"Using network {'Socket' if self.socket else network}"
        after = self.group[(self.group.index(rank) + 1) % len(self.group)]
        way = "P2P/CUMEM"
        if several and after.node != rank.node:
            way = f"NET/{'Socket/0' if self.socket else f'{network}/{rank.device}/GDRDMA'}"
            yield f"Channel 00/0 : {rank.number}[{rank.device}] -> {after.number}[{after.device}] [send] via {way}"
        elif after is not rank:
            yield f"Channel 00/0 : {rank.number}[{rank.device}] -> {after.number}[{after.device}] via {way}"

    def _queue_pairs(self, rank: Rank) -> Iterator[str]:
        """A line for each port of the rail, with both halves of its GID as numbers of this machine (net_ib.cc)."""
        index = os.environ.get("NCCL_IB_GID_INDEX", "3")
        for port in self.links.of_node(rank.node):
            if _rail(port.port) == rank.device:
                own = ipaddress.ip_address(port.address).packed
                gid = own if len(own) > 4 else bytes(10) + b"\xff\xff" + own
                low, high = (int.from_bytes(gid[at : at + 8], "little") for at in (0, 8))
                yield (
                    f"NET/IB: NCCL Dev {rank.device} IbDev {rank.device} Port 1 qpn 261 mtu 5 GID {index} "
                    f"({low:X}/{high:X}) ctsFifoRkey=0x203a00 ctsFifoLkey=0x203a00"
                )

    def _devices(self) -> list[str]:
        stated = os.environ.get("NCCL_IB_HCA", "").lstrip("=").split(",")
        wanted = [name.partition(":")[0] for name in stated]
        names = sorted({hardware.rdma_name(nic, function) for nic, function in self.cards})
        return [name for name in names if wanted == [""] or name in wanted]

    def _foot(self) -> Iterator[str]:
        yield "# Out of bounds values : 0 OK\n"
        yield f"# Avg bus bandwidth    : {self._average():g} \n#\n"
        yield f"# Collective test concluded: {self.settings.program}\n#\n"

    def _average(self) -> float:
        found = [row[key]["bus_bw"] for row in self.rows for key in ("out_of_place", "in_place")]
        return sum(found) / len(found)

    # What is left

    def _write(self, argv: Sequence[str]) -> None:
        """The file of -J; a file that is there stays, as the real program counts names up."""
        path, number = pathlib.Path(self.settings.output), 0
        while path.exists():
            path, number = pathlib.Path(f"{self.settings.output}.{number}"), number + 1
        now = datetime.datetime.now().strftime("%Y-%m-%d %H:%M:%S")
        document = {
            "version": 2,
            "start_time": now,
            "args": [self.settings.program, *argv],
            "env": [
                f"{key}={value}" for key, value in os.environ.items() if key.startswith("NCCL")
            ],
            "nccl_version": LIBRARY,
            "config": self._config(),
            "results": [
                {
                    **row,
                    "actual_iterations": self.settings.iters,
                    "experiment_name": self.settings.program,
                }
                for row in self.rows
            ],
            "out_of_bounds": {"count": 0, "okay": "true"},
            "average_bus_bandwidth": {"bandwidth": self._average(), "okay": "unchecked"},
            "errors": [],
            "end_time": now,
        }
        path.write_text(json.dumps(document), encoding="utf-8")

    def _config(self) -> dict[str, Any]:
        s = self.settings
        step = {"step_factor": s.factor} if s.factor > 1 else {"step_bytes": s.step}
        return {
            "nthreads": s.threads,
            "ngpus": s.gpus,
            "minimum_bytes": s.least,
            "maximum_bytes": s.most,
            **step,
            "warmup_iters": s.warmup,
            "iterations": s.iters,
            "aggregated_iterations": s.aggregated,
            "validation": s.check,
            "devices": [
                {
                    "rank": r.number,
                    "group": r.group,
                    "pid": r.pid,
                    "hostname": r.node,
                    "device": r.device,
                    "device_info": GPU,
                }
                for r in self.ranks
            ],
        }

    def _count(self, call: Call, size: int) -> None:
        """Bytes on this host's ports; over sockets none of RDMA."""
        if len(self.nodes) == 1 or self.socket:
            return
        octets = round(size * self.settings.iters / max(1, len(self.cards)))
        tclass = int(os.environ.get("NCCL_IB_TC") or 0)
        with call.state() as state:
            for _nic, function in hardware.each(state):
                names = (f"prio{self._priority(function, tclass)}_bytes", "bytes_phy")
                for name in (f"{way}_{name}" for way in ("tx", "rx") for name in names):
                    function["counters"][name] = function["counters"].get(name, 0) + octets

    def _priority(self, function: Any, tclass: int) -> int:
        """The class of a port's packets, by its map unless the model says that it is wrong."""
        for found in hardware.addresses(function):
            port = self.links.ports.get(found["local"])
            if port and self.links.about("wrong-class", port):
                return 0
        return priority(function, tclass)


def _configured(name: str) -> str:
    """A variable of NCCL: of the environment, else of the host's file."""
    try:
        lines = pathlib.Path(CONFIGURATION).read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    found = dict(line.partition("=")[::2] for line in lines if not line.startswith("#"))
    return os.environ.get(name) or found.get(name, "").strip()


def _rail(port: str) -> int:
    """The zero-based rail of a port named as `rail3p1`."""
    digits = port.removeprefix("rail").partition("p")[0]
    return int(digits) - 1 if digits.isdigit() else 0


_NAMES = (
    "size",
    "count",
    "type",
    "redop",
    "root",
    "time",
    "algbw",
    "busbw",
    "#wrong",
    "time",
    "algbw",
    "busbw",
    "#wrong",
)
_UNITS = (
    "(B)",
    "(elements)",
    "",
    "",
    "",
    "(us)",
    "(GB/s)",
    "(GB/s)",
    "",
    "(us)",
    "(GB/s)",
    "(GB/s)",
    "",
)
_WIDTHS = (10, 12, 8, 6, 6, 7, 6, 6, 6, 7, 6, 6, 6)


def _columns(words: Sequence[str]) -> str:
    return "# " + "  ".join(word.rjust(width) for word, width in zip(words, _WIDTHS)) + " \n"


_ABOVE = (
    f"{_columns(('',) * 5)[:-2]}           out-of-place                       in-place          \n"
)


def _heading(*, stamps: bool) -> str:
    """The head of the table, with the column of times where these are asked for."""
    names, units = _columns(_NAMES), _columns(_UNITS)
    if stamps:
        names, units = f"{names[:-1]}{'timestamp':>19}\n", f"{units[:-1]}{STAMP:>19}\n"
    return f"#\n{_ABOVE}{names}{units}"


def _line(row: dict[str, Any], stamp: str = "") -> str:
    """A row; the column of times is 21 wide (util.cu, writeTimestamp)."""
    first = f"{row['size']:12d}  {row['count']:12d}  {row['type']:>8}  {row['redop']:>6}  {row['root']:>6}"
    return (
        first
        + "".join(_body(row[key]) for key in ("out_of_place", "in_place"))
        + (f"{stamp:>21}" if stamp else "")
        + "\n"
    )


def _body(found: dict[str, Any]) -> str:
    wrong = "   N/A" if found["nwrong"] is None else f"{found['nwrong']:6g}"
    usec, alg, bus = (
        _short(found["time"], 7),
        _short(found["alg_bw"], 6),
        _short(found["bus_bw"], 6),
    )
    return f"  {usec}  {alg}  {bus}  {wrong}"


def _short(value: float, width: int) -> str:
    """A figure in its column: two digits after the point where they fit, else one, else none."""
    power, step = 0, 1
    while value >= step:
        power, step = power + 1, step * 10
    digits = 2 if power < width - 2 else 1 if power < width - 1 else 0
    return f"{value:{width}.{digits}f}" if power < width + 1 else f"{value:{width}.1e}"
