# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nccl-tests over one node or several: command lines, the table, and the lines that prove the transport.

Formats are those of github.com/NVIDIA/nccl-tests (src/util.cu, src/common.cu): lines with `#` around rows of numbers.
What NCCL used is in the lines of `NCCL_DEBUG=INFO`: `Channel 00/0 : 0[0] -> 8[0] [send] via NET/IB/0/GDRDMA`,
`Using network IB`, `comm 0x… nRanks 8 nNodes 1`. They go to another stream than the table, so that no row is cut.
"""

from __future__ import annotations

import ipaddress
import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from .. import _files, _text
from .._host.gpudirect import gpus
from .._host.nccl import devices
from .._nic.errors import NicError
from .._nic.state import FOLDER
from .._nic.tools import MISSING, Host, installed
from . import counters, process
from .rail import Rail, everything, ports_of, rail
from .records import (
    CLIENT,
    FAILED,
    MEASURED,
    NOT_RUN,
    NVLINK,
    ROCE,
    SHM,
    TCP,
    Collective,
    Cycle,
    Measurement,
    Port,
    nothing,
)

MOST = 5000
"""Rows that are returned of a run that repeats itself."""
DEBUG = {
    "NCCL_DEBUG": "INFO",
    "NCCL_DEBUG_SUBSYS": "INIT,NET",
    "NCCL_DEBUG_FILE": "/dev/stderr",
}
TALKING = 256
"""Ranks that all may say what they use. Each prints a line for each peer of alltoall. Ours."""
QUEUED = 60
"""Seconds that srun waits for its nodes: those of the run before need a moment, a drained one never comes. Ours."""
FIRST_NODE = (
    'test "${OMPI_COMM_WORLD_RANK:-${SLURM_PROCID:-0}}" -lt "$0" || unset NCCL_DEBUG; exec "$@"'
)
"""In larger runs those of the first node alone say it: every group of a split by MOD has one there."""
OWN_RAILS = f"{FOLDER}/rails.env"
"""File of a node with the variables of its own rails; their RDMA devices may have other names than on the first."""
WITH_OWN_RAILS = 'test ! -r "$0" || . "$0"; exec "$@"'
TOLD = re.compile(r"spectrum-x rails =(\S{1,2000})")
"""Line of a rank on the rails of its node."""
OVER_ROCE = re.compile(r"IB|SPCX", re.IGNORECASE)
"""Names of the networks over RDMA: NCCL's own (IB), HPC-X's (IBext), Spectrum-X's (SPCX)."""
USING = re.compile(r"NET/\S{1,40} ?: Using (\[.*)")
HCA = re.compile(r"\[\d+\]([\w.-]{1,64}):\d+/(\w+)")
GID = re.compile(r" mtu \d+ GID -?\d+ \(([0-9A-F]{1,16})/([0-9A-F]{1,16})\)")
"""Devices that NCCL uses, with their link layer, and the addresses of its queue pairs (src/transport/net_ib.cc)."""
STAMP = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
ROW = re.compile(r"\s*(\d+)\s+(\d+)\s+([a-z]\w*)\s+(?:([a-z]\w*)\s+)?(?!\s)(?=.*\d)(.*)$")
KILL = re.compile(
    r"process rank \d+ with PID \d+ on node \S+ exited on signal (?:9|15)\b.*"
    r"|error: (\S{1,99}: tasks? \S{1,99} (?:Out Of Memory|Killed).*)|Detected \d+ oom.kill event.*"
)
CAUSES = (
    KILL,
    re.compile(r"Invalid number of GPUs.*|^(?:ssh: .*|\S*Permission denied.*|Host key verif.*)"),
    re.compile(r"NCCL WARN (.*)"),
    re.compile(r"Test (?:NCCL|CUDA)? ?failure.*"),
    re.compile(
        r"^(?:srun|slurmstepd): (?:error: |fatal: )?(?!job \d+ (?:queued|has been allocated))(\S.*)"
    ),
)
"""Lines that say why a run failed, the weightiest first: what others of them follow from. Waiting of srun is none."""
SPLITS: dict[str, Callable[[int, int], int]] = {
    "AND": lambda rank, value: rank & value,
    "OR": lambda rank, value: rank | value,
    "MOD": lambda rank, value: rank % value,
    "DIV": lambda rank, value: rank // value,
}
SIGNS = {"&": "AND", "|": "OR", "%": "MOD", "/": "DIV"}


class Table(NamedTuple):
    """Output of nccl-tests; `wrong` counts values out of bounds, None where it printed no such line."""

    cycles: tuple[Cycle, ...] = ()
    wrong: int | None = None
    ranks: int = 0


class UsedPath(NamedTuple):
    """Transport that NCCL's lines prove: roce, tcp, nvlink, shm or "" for nothing, the network's name, and the plugin.

    `within` is a run that used no network, `shared` one in which GPUs of a node used its memory.
    """

    transport: str = ""
    network: str = ""
    plugin: str = ""
    direct: bool = False
    within: bool = False
    shared: bool = False


def measure(
    host: Host, job: Collective, ended: Callable[[], bool], *, hostfile: str
) -> Measurement:
    """Start a run and judge it. `ended`: was a run that repeats itself ended on request?

    `hostfile` is a file of its own for the nodes of srun.
    """
    job, program = sized(job, len(gpus(host))), _program(host, job)
    hindrance = _hindrance(host, job, program)
    if hindrance:
        return nothing(job["id"], CLIENT, NOT_RUN, hindrance)
    try:
        rails = _rails(host, job)
        named = (
            devices([(one.interface, one.rdma, one.gid_index) for one in rails]) if rails else {}
        )
    except NicError as exc:
        return nothing(job["id"], CLIENT, FAILED, f"{job['operation']}: {exc}")
    if named:
        _keep(host, named)
    own = bool(named) and named.keys().isdisjoint(job["environment"])
    job = {**job, "environment": {**named, **job["environment"]}}
    usage = host.ask(program, "--help").text
    seconds = limit(job)
    argv = process.bounded(command(job, program, usage, own_rails=own), seconds)
    ports = ports_of(rails) if rails else everything(host)
    before = counters.read(host, ports.netdevs, ports.rdmas)
    around = environment(job) | _placed(host, job, hostfile)
    prefix = ("env", *(f"{key}={value}" for key, value in around.items()))
    run = process.run(host, [*prefix, *argv], seconds, ended)
    now = counters.read(host, ports.netdevs, ports.rdmas)
    change = counters.difference(before, now, priority=job.get("priority", 3))
    over = cycles(job) == 0 and (run.force == process.LATE or ended())
    made = _judged(job, run, change, rails, over=over)
    return {**made, "counters": change, "seconds": round(run.seconds, 3)}


def keep(host: Host, rails: Iterable[Port]) -> None:
    """Keep which RDMA devices the rails of this node have, for ranks that another one starts; nothing where one has
    none: NCCL says then what it lacks."""
    host.path(OWN_RAILS).unlink(missing_ok=True)
    with suppress(NicError):
        found = [rail(host, one["interface"], one["address"]) for one in rails]
        _keep(host, devices([(one.interface, one.rdma, one.gid_index) for one in found]))


def _keep(host: Host, named: dict[str, str]) -> None:
    """The first rank of the node says them too, so that the lines of NCCL are held against them."""
    lines = [f"export {key}={shlex.quote(value)}\n" for key, value in named.items()]
    told = f"spectrum-x rails {named['NCCL_IB_HCA']}"
    lines += [
        'test "${OMPI_COMM_WORLD_LOCAL_RANK:-${SLURM_LOCALID:-0}}" != 0 || '
        f"echo {shlex.quote(told)} >&2\n"
    ]
    try:
        _files.put(host.path(OWN_RAILS), "".join(lines).encode(), 0o644)
    except OSError as exc:
        raise NicError(f"{OWN_RAILS}: it cannot be written: {exc.strerror}.") from exc


def _rails(host: Host, job: Collective) -> list[Rail]:
    """The rails of this host that a run has to use; none where no group of it leaves its node."""
    stated = job.get("rails", []) if leaves_nodes(job) else []
    return [rail(host, one["interface"], one["address"]) for one in stated]


def sized(job: Collective, found: int) -> Collective:
    """The job with the GPUs of this node where it states no number; groups by MOD have one GPU of each node then."""
    if job["gpus_per_node"]:
        return job
    by_rail = (split(job["split"]) or ("", 0))[0] == "MOD"
    return {**job, "gpus_per_node": found, "split": f"MOD {found}" if by_rail else job["split"]}


def limit(job: Collective) -> float:
    """Seconds after which it is ended; a run that repeats itself endlessly ends at its time."""
    return job["seconds"] + (process.SLACK if cycles(job) else 0)


def cycles(job: Collective) -> int:
    """Number of repetitions of the run, 0 for endless."""
    return job.get("cycles", 1)


def _program(host: Host, job: Collective) -> str:
    """The program, "" where it is absent; CloudAI's builds for MPI have another ending."""
    folder = f"{job['folder'].rstrip('/')}/" if job.get("folder") else ""
    endings = ("_perf_mpi", "_perf") if job["launcher"] else ("_perf", "_perf_mpi")
    names = [f"{folder}{job['operation']}{ending}" for ending in endings]
    return next((name for name in names if installed(host, name)), "")


def _hindrance(host: Host, job: Collective, program: str) -> str:
    """Reason that it cannot run here, "" where it can."""
    if not gpus(host):
        return f"{job['operation']}: this host has no GPU."
    if not program:
        where = job.get("folder") or "PATH"
        return f"{job['operation']}_perf of nccl-tests is not in {where} of this host; install nccl-tests."
    if not job["launcher"] and (len(job["nodes"]) > 1 or job["split"]):
        return (
            f"{job['operation']}: several nodes or a split need a launcher; set spx_launcher to "
            "mpirun or srun."
        )
    if job["launcher"] and not installed(host, job["launcher"]):
        return f"{job['launcher']} is not installed on this host."
    if leaves_nodes(job) and (missing := counters.unreadable(host)):
        return missing
    if job["split"] and split(job["split"]) is None:
        return f"NCCL_TESTS_SPLIT {job['split']!r} has to be AND, OR, MOD or DIV with a number above 0."
    return ""


# The command line


def command(job: Collective, program: str, usage: str, *, own_rails: bool = False) -> list[str]:
    """The launcher and the program: a process for each GPU; on one node without launcher one for all.

    With `own_rails` each rank reads the rails of its node.
    """
    gpus_of_one = 1 if job["launcher"] else job["gpus_per_node"]
    stamps = ["-S", "1"] if cycles(job) != 1 and "report_timestamps" in usage else []
    again = ["-N", str(cycles(job))] if cycles(job) != 1 else []
    return [
        *_launcher(job),
        *(["sh", "-c", WITH_OWN_RAILS, OWN_RAILS] if own_rails and job["launcher"] else []),
        *_quieter(job),
        program,
        *("-b", job["smallest"], "-e", job["largest"], "-f", "2"),
        *("-n", str(job["iterations"]), "-w", str(job["warmup"])),
        *("-c", "1" if cycles(job) else "0", "-g", str(gpus_of_one)),
        *again,
        *stamps,
    ]


def _quieter(job: Collective) -> list[str]:
    ranks = len(job["nodes"]) * job["gpus_per_node"]
    quiet = job["launcher"] and ranks > TALKING
    return ["sh", "-c", FIRST_NODE, str(job["gpus_per_node"])] if quiet else []


def environment(job: Collective) -> dict[str, str]:
    """The variables of the run, sorted; those of the site win."""
    own = {**DEBUG, **({"NCCL_TESTS_SPLIT": job["split"]} if job["split"] else {})}
    return dict(sorted({**own, **job["environment"]}.items()))


def _launcher(job: Collective) -> list[str]:
    nodes, each = job["nodes"], job["gpus_per_node"]
    options = job.get("options", [])
    name = job["launcher"].rpartition("/")[2]
    if name == "srun":
        return [
            job["launcher"],
            *("-N", str(len(nodes)), "-n", str(len(nodes) * each), "--ntasks-per-node", str(each)),
            *("--distribution=arbitrary", "--export=ALL", f"--immediate={QUEUED}", *options),
        ]
    if name:
        return [
            job["launcher"],
            *("--allow-run-as-root", "-np", str(len(nodes) * each)),
            *("--host", ",".join(f"{node}:{each}" for node in nodes)),
            *("--map-by", f"ppr:{each}:node", "--bind-to", "none"),
            *(word for key in (*environment(job), process.MARK) for word in ("-x", key)),
            *options,
        ]
    return []


def _placed(host: Host, job: Collective, file: str) -> dict[str, str]:
    """A node for each rank in a file, for srun: of `--nodelist` it sorts the nodes (its manual page)."""
    if job["launcher"].rpartition("/")[2] != "srun":
        return {}
    path = host.path(file)
    lines = [f"{node}\n" for node in job["nodes"] for _rank in range(job["gpus_per_node"])]
    _files.put(path, "".join(lines).encode(), 0o644)
    return {"SLURM_HOSTFILE": str(path)}


def split(text: str) -> tuple[str, int] | None:
    """(operation, number) of NCCL_TESTS_SPLIT, None where it is not written so; numbers may be 0x and 0b."""
    match = re.fullmatch(r"\s*(AND|OR|MOD|DIV|[&|%/])\s*(0x[0-9a-f]+|0b[01]+|\d+)\s*", text, re.I)
    if not match:
        return None
    operation, value = match.group(1).upper(), int(match.group(2), 0)
    name = SIGNS.get(operation, operation)
    return None if name in ("MOD", "DIV") and not value else (name, value)


def leaves_nodes(job: Collective) -> bool:
    """Does a group of ranks span nodes, so that RoCE is asked?"""
    each = job["gpus_per_node"]
    ranks = range(len(job["nodes"]) * each)
    operation, value = split(job["split"]) or ("AND", 0)
    groups: dict[int, set[int]] = {}
    for rank in ranks:
        groups.setdefault(SPLITS[operation](rank, value), set()).add(rank // each)
    return any(len(nodes) > 1 for nodes in groups.values())


# The verdict


def _judged(
    job: Collective,
    run: process.Run,
    change: counters.Counters,
    rails: Iterable[Rail],
    *,
    over: bool,
) -> Measurement:
    result = run.result
    table, used = parse(result.out), transport(result.text)
    busbw = by_size(table.cycles)
    wrong = _failure(job, run, table, over=over) or _other_transport(job, used)
    if not wrong and leaves_nodes(job):
        wrong = _stray(job, rails, result.text) or _unproven(job, used, table, change)
    made: Measurement = {
        **nothing(job["id"], CLIENT, FAILED if wrong else MEASURED, wrong),
        "transport": used.transport,
        "memory": "gpu" if used.direct else "host",
        "plugin": used.plugin,
        "ranks": table.ranks,
        "busbw": {} if wrong else busbw,
        "best": None if wrong else max(busbw.values(), default=None),
    }
    if cycles(job) != 1:
        made["cycles"] = list(table.cycles[-MOST:])
    if not wrong:
        made["note"] = "; ".join(_remarks(job, used, result.text))
        made["transport"] = ROCE if leaves_nodes(job) else used.transport
    return made


def _remarks(job: Collective, used: UsedPath, text: str) -> Iterator[str]:
    """Yield what a reader has to know of a run that ended well."""
    if leaves_nodes(job) and not used.direct:
        yield "NCCL names no GPUDirect RDMA (GDRDMA) channel"
    if used.shared:
        yield "GPUs of a node reach each other by its memory (SHM), not by NVLink"
    if warned := re.search(r"NCCL WARN (.*)", text):
        yield f"NCCL warns: {_text.line(warned.group(1), process.LONGEST)}"


def _failure(job: Collective, run: process.Run, table: Table, *, over: bool) -> str:
    """Reason that there is no result, "" where there is one. A run that repeats itself ends by force."""
    name, wanted = job["operation"], len(job["nodes"]) * job["gpus_per_node"]
    result, why = run.result, process.cause(run.result, *CAUSES)
    if result.rc == MISSING:
        return f"{name}: {process.words(result)}."
    if table.wrong:
        return f"{name} returned wrong data: {table.wrong} values are out of bounds."
    if run.force and not over:
        # A launcher that a signal ended may name the rank that was killed.
        ranks = KILL.search(result.text)
        return f"{name} {run.force}" + (f": {why}." if ranks else ".")
    if result.rc and not over:
        return f"{name} failed: {why}."
    if cycles(job) == 0 and not over:
        return f"{name} ended by itself, although it repeats endlessly: {why}."
    if not table.cycles:
        return f"{name} printed no result: {why}."
    if table.ranks != wanted:
        return (
            f"{name} ran with {table.ranks} ranks instead of {wanted}: build nccl-tests with MPI=1."
        )
    if table.wrong is None and not over:
        return f"{name} did not finish: the line 'Out of bounds values' is missing."
    return ""


def _other_transport(job: Collective, used: UsedPath) -> str:
    """Name a transport other than RoCE where groups span nodes, "" where all is well."""
    name = job["operation"]
    if not leaves_nodes(job):
        return f"{name} ran over TCP on one node." if used.transport == TCP else ""
    if used.transport == TCP:
        return (
            f"{name} ran over TCP (NCCL: network {used.network}), not over RoCE; check the RDMA "
            "devices, NCCL_IB_HCA and the plugin."
        )
    if used.within:
        way = "shared memory" if used.transport == SHM else "NVLink"
        return (
            f"{name} ran over {way} alone, so it says nothing about the fabric; set "
            "NCCL_MNNVL_ENABLE=0."
        )
    if not used.network:
        return f"{name}: NCCL named no network, so nothing proves RoCE; leave NCCL_DEBUG at INFO."
    return ""


def _stray(job: Collective, rails: Iterable[Rail], text: str) -> str:
    """Name a device or address that NCCL used and that is no rail's, by its own lines; "" where all are rails'."""
    name, known = job["operation"], {one.rdma for one in rails}
    told = (one.partition(":")[0] for line in TOLD.findall(text) for one in line.split(","))
    known |= set(told) if known else set()
    devices_of = sorted({match for line in USING.findall(text) for match in HCA.findall(line)})
    if found := [f"{device}/{layer}" for device, layer in devices_of if layer != "RoCE"]:
        return f"{name} ran over InfiniBand (NCCL: {', '.join(found)}), not over RoCE; check LINK_TYPE of the cards."
    others = [device for device, _layer in devices_of if known and device not in known]
    planned = {str(ipaddress.ip_address(one)) for one in job.get("addresses", ())}
    used = {_address(*match) for match in GID.findall(text)}
    others += sorted(used - planned) if planned else []
    return (
        f"{name} used {', '.join(others)}, and the plan has no rail there; check NCCL_IB_HCA."
        if others
        else ""
    )


def _address(prefix: str, interface: str) -> str:
    """The address of a GID: NCCL prints both halves as numbers of a little-endian machine."""
    halves = (int(half, 16).to_bytes(8, "little") for half in (prefix, interface))
    found = ipaddress.IPv6Address(b"".join(halves))
    return str(found.ipv4_mapped or found)


def _unproven(job: Collective, used: UsedPath, table: Table, change: counters.Counters) -> str:
    """Reason that the counters of the rails prove no traffic of RoCE's class; the root of a reduce only receives.

    Each iteration moves at least half of its message between two nodes.
    """
    moved = sum(row["size"] for row in table.cycles) * job["iterations"] // 2
    ways = ({"sent": moved}, {"received": moved})
    wrong = [counters.unproven(change, priority=job.get("priority", 3), **way) for way in ways]
    return (
        f"{job['operation']} used the network {used.network}, but {wrong[0]}." if all(wrong) else ""
    )


def size(text: str) -> int:
    """Bytes of a size as nccl-tests takes it: K, M, G are powers of 1024.

    >>> size("16G")
    17179869184
    """
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)", text.strip(), re.IGNORECASE)
    powers = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
    return int(float(match.group(1)) * 1024 ** powers[match.group(2).upper()]) if match else 0


# What is printed


def parse(text: str) -> Table:
    """The rows in order, the line of values out of bounds, and the number of ranks."""
    lines = [process.PREFIX.sub("", line) for line in text.splitlines()]
    rows = [row for row in map(_row, lines) if row]
    wrong = [
        match
        for match in (re.match(r"#\s*Out of bounds values\s*:\s*(\d+)", line) for line in lines)
        if match
    ]
    ranks = {
        match.group(1)
        for match in (re.match(r"#\s+Rank\s+(\d+)\s", line) for line in lines)
        if match
    }
    return Table(tuple(rows), int(wrong[-1].group(1)) if wrong else None, len(ranks))


def _row(line: str) -> Cycle | None:
    """Numbers after the type: a root in most versions, then time, algbw, busbw and #wrong, once or twice."""
    stamp = STAMP.search(line)
    match = ROW.fullmatch(line[: stamp.start()].rstrip() if stamp else line)
    values = match.group(5).split() if match else []
    values = values[1:] if len(values) % 2 else values
    if not match or len(values) < 4 or not all(map(_is_value, values)) or values[2] == "N/A":
        return None
    at = stamp.group(1) if stamp else ""
    return {"at": at, "size": int(match.group(1)), "busbw": float(values[2])}


def _is_value(word: str) -> bool:
    return word == "N/A" or re.fullmatch(r"-?\d+(\.\d+)?(e[+-]?\d+)?", word) is not None


def by_size(rows: Iterable[Cycle]) -> dict[str, float]:
    """Bytes -> GB/s, the average where a size was measured several times."""
    found: dict[int, list[float]] = {}
    for row in rows:
        found.setdefault(row["size"], []).append(row["busbw"])
    return {str(key): round(sum(found[key]) / len(found[key]), 3) for key in sorted(found)}


def transport(text: str) -> UsedPath:
    """Return the transport of the data between ranks. Channels prove it; without them the chosen network is the
    word."""
    channels = re.findall(r"Channel \S{1,40} ?: .{0,160} via (NET/[^/\n]+|\S+)(\S*)", text)
    nets = [(name[4:], rest) for name, rest in channels if name.startswith("NET/")]
    chosen = re.findall(r"Using network (.+)", text)
    plugin = re.findall(r"NET/Plugin ?: Loaded net plugin (.{1,160}?) \(v\d+\)", text)
    network = next((name for name, _rest in nets if _is_tcp(name)), "") or next(
        (name for name, _rest in nets), chosen[-1].strip() if chosen else ""
    )
    within = bool(channels and not nets) or (not channels and _one_domain(text))
    shared = any(name.startswith("SHM") for name, _rest in channels)
    # P2P goes over NVLink or PCIe: only between nodes, or by name, it is NVLink.
    nvlink = any("MNNVL" in name for name, _rest in channels) or re.search(r"\bMNNVL 1\b", text)
    kind = (NVLINK if nvlink else SHM if shared else "") if within else _kind(network)
    direct = bool(nets) and all("GDRDMA" in rest for _name, rest in nets)
    return UsedPath(kind, network, plugin[-1] if plugin else "", direct, within, shared)


def _is_tcp(name: str) -> bool:
    return "socket" in name.lower()


def _kind(network: str) -> str:
    if _is_tcp(network):
        return TCP
    return ROCE if OVER_ROCE.match(network) else ""


def _one_domain(text: str) -> bool:
    """NCCL counts nodes that share NVLink as one (`nNodes 1`)."""
    nodes = re.findall(r"nNodes (\d+)", text)
    return bool(nodes) and all(count == "1" for count in nodes)
