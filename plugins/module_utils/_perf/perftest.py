# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ib_write_bw and ib_write_lat of perftest: command lines, and what they print.

Formats and options are those of github.com/linux-rdma/perftest (src/perftest_parameters.c) from 4.5 on, which Debian
and DOCA-Host have. Options that not every version has are used where its `--help` lists them. The JSON of 4.5 has no
quotes around its keys, so that it is read key by key.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from .._nic.errors import NicError
from .._nic.tools import MISSING, Host, not_installed
from . import counters, process
from .rail import Memory, Rail, nearest, rail
from .records import (
    CLIENT,
    FAILED,
    MEASURED,
    NOT_RUN,
    ROCE,
    SERVER,
    Job,
    Latency,
    Measurement,
    nothing,
)

BANDWIDTH, LATENCY = "ib_write_bw", "ib_write_lat"
MARGIN = 1
"""Seconds at both ends that do not count (`-f`); perftest refuses a run that is not longer than two margins."""
SHORTEST = 2 * MARGIN + 1
A_SECOND = 20_000
"""Exchanges of ib_write_lat for each second: its percentiles need a number (`-n`), not a duration. Ours."""
MIB_TO_GBPS = 2**20 * 8 / 1e9
COLUMN = re.compile(r"#\w+|(?<![\w.%])[\w.%]+(?: \w+)?\[[^\[\]]+\]")
"""A column's name, such as `#bytes`, `BW average[Gb/sec]` and `99% percentile[usec]`."""


STEP = re.compile(r"(?:Couldn't|Failed status|Failed to modify QP)\b.*\S")
"""The step that failed; perftest names it before its consequences."""
NUMBER = r"\d{1,18}(?:\.\d{1,18})?"
"""One that a test can print; longer ones are none."""
TITLE = re.compile(r"^ *(\S+(?: Bidirectional)? (?:BW|Latency)) Test *$", re.MULTILINE)


class Report(NamedTuple):
    """Output of perftest: Gb/s or microseconds, the payload in bytes that one side sent, and the link layer.

    `size` are the bytes of a message, `title` is the name of the test; empty where it is not printed.
    """

    gbps: float | None = None
    latency: Latency | None = None
    moved: int = 0
    link: str = ""
    size: int = 0
    title: str = ""


def measure(
    host: Host,
    job: Job,
    report: str,
    patience: float = 0,
    ended: Callable[[], bool] = lambda: False,
) -> Measurement:
    """Run one side and judge it. `report` is a file of its own for the JSON, `patience` how long a server waits.

    A run whose packets were not in the priority of the job is not a measurement.
    """
    usage = host.ask(job["tool"], "--help")
    missing = not_installed(job["tool"]) if usage.rc == MISSING else counters.unreadable(host)
    if missing:
        return nothing(job["id"], job["side"], NOT_RUN, missing)
    try:
        found = rail(host, job["interface"], job["address"])
    except NicError as exc:
        return nothing(job["id"], job["side"], FAILED, str(exc))
    memory = chosen(host, job, found, usage.text)
    argv = command(job, found, memory=memory, usage=usage.text, report=str(host.path(report)))
    seconds = limit(job, patience)
    return _run(host, job, found, argv, memory=memory, report=report, seconds=seconds, ended=ended)


def chosen(host: Host, job: Job, found: Rail, usage: str) -> Memory:
    """The memory that the card writes to: that of the nearest GPU where it is asked for and can be used.

    No version of perftest measures the latency of writes with CUDA (linux-rdma/perftest, issue 276).
    """
    if job["gpu"] != "auto":
        return Memory()
    if job["tool"] == LATENCY:
        return Memory(note=f"host memory: {LATENCY} takes none of a GPU")
    memory = nearest(host, found.pci)
    if memory.gpu and "--use_cuda" not in usage:
        return Memory(note=f"host memory: this {job['tool']} is built without CUDA")
    return memory


def command(job: Job, found: Rail, *, memory: Memory, usage: str, report: str) -> list[str]:
    """The command line of one side; both sides get the same options."""
    return [
        job["tool"],
        *("-d", found.rdma, "-i", "1", "-x", str(found.gid_index)),
        *("-p", str(job["port"]), "-s", str(job["size"]), "-F"),
        f"--tclass={job['dscp'] << 2}",
        *(_bandwidth(job) if job["tool"] == BANDWIDTH else ("-n", str(exchanges(job)))),
        *_memory(memory, usage),
        *_address(job, usage),
        *(("--out_json", f"--out_json_file={report}") if "--out_json_file" in usage else ()),
        *((job["peer"],) if job["side"] == CLIENT else ()),
    ]


def exchanges(job: Job) -> int:
    """Number of messages that ib_write_lat exchanges."""
    return A_SECOND * max(job["seconds"], 1)


def duration(job: Job) -> int:
    """Duration of ib_write_bw in seconds."""
    return max(job["seconds"], SHORTEST)


def _bandwidth(job: Job) -> list[str]:
    both = ["-b"] if job["bidirectional"] else []
    length = ["-D", str(duration(job)), "-f", str(MARGIN)]
    return ["-q", str(job["qps"]), *length, "--report_gbits", *both]


def _memory(memory: Memory, usage: str) -> list[str]:
    if not memory.gpu:
        return []
    by_address = "--use_cuda_bus_id" in usage
    chosen_gpu = f"--use_cuda_bus_id={memory.gpu}" if by_address else f"--use_cuda={memory.number}"
    dmabuf = memory.dmabuf and "--use_cuda_dmabuf" in usage
    return [chosen_gpu, *(["--use_cuda_dmabuf"] if dmabuf else [])]


def _address(job: Job, usage: str) -> list[str]:
    """The connection that exchanges the settings goes over the rail too. perftest binds IPv4 addresses only."""
    if ":" in job["address"]:
        return ["--ipv6", *(["--ipv6-addr"] if "--ipv6-addr" in usage else [])]
    return [f"--bind_source_ip={job['address']}"] if "--bind_source_ip" in usage else []


def limit(job: Job, patience: float = 0) -> float:
    """Seconds after which a side is ended; a server waits `patience` seconds for its client as well."""
    waits = patience if job["side"] == SERVER else 0
    return duration(job) + process.SLACK + waits


def _run(
    host: Host,
    job: Job,
    found: Rail,
    argv: list[str],
    *,
    memory: Memory,
    report: str,
    seconds: float,
    ended: Callable[[], bool],
) -> Measurement:
    path = host.path(report)
    path.unlink(missing_ok=True)
    started = process.bounded(process.pinned(host, argv, found.numa), seconds)
    before = counters.read(host, found.netdevs, [found.rdma])
    run = process.run(host, _ordered(started, memory), seconds, ended)
    now = counters.read(host, found.netdevs, [found.rdma])
    change = counters.difference(before, now, priority=job["priority"])
    said = parse(f"{host.text(report) or ''}\n{run.result.out}")
    path.unlink(missing_ok=True)
    made = _judged(job, run, said, change)
    used = "gpu" if memory.gpu else "host"
    return {
        **made,
        "counters": change,
        "seconds": round(run.seconds, 3),
        "memory": used,
        "note": memory.note,
    }


def _ordered(argv: list[str], memory: Memory) -> list[str]:
    """CUDA numbers GPUs by speed unless this variable is set (CUDA programming guide, CUDA_DEVICE_ORDER)."""
    return ["env", "CUDA_DEVICE_ORDER=PCI_BUS_ID", *argv] if memory.gpu else argv


def _judged(job: Job, run: process.Run, said: Report, change: counters.Counters) -> Measurement:
    wrong = failure(job, run, said) or _other_class(job, said, change)
    made = nothing(job["id"], job["side"], FAILED if wrong else MEASURED, wrong)
    if wrong:
        return made
    return {**made, "gbps": said.gbps, "latency": said.latency, "transport": ROCE}


def failure(job: Job, run: process.Run, said: Report) -> str:
    """Reason that a run is no result, "" where it is one."""
    where, result = f"{job['interface']}: {job['tool']}", run.result
    if run.force == process.LATE:
        return f"{where} did not finish in time; {_other(job)}."
    if run.force:
        return f"{where} {run.force}."
    if result.rc:
        return f"{where} failed: {process.cause(result, STEP)}."
    if said.link and said.link != "Ethernet":
        return f"{where} used the link layer {said.link}, not Ethernet: this is not RoCE."
    if (said.gbps is None) if job["tool"] == BANDWIDTH else (said.latency is None):
        return f"{where} printed no result: {process.words(result)}."
    return _another(job, said, where)


def _another(job: Job, said: Report, where: str) -> str:
    """Reason that a result belongs to another test, or to none; empty where it belongs to the job."""
    if said.title and not said.title.startswith("RDMA_Write"):
        return f"{where} printed the result of another test, {said.title}."
    if not said.moved:
        return f"{where} moved no bytes, or did not print how many, so nothing proves their class."
    if said.size != job["size"]:
        return (
            f"{where} printed a result for messages of {said.size} bytes instead of {job['size']}."
        )
    return ""


def _other(job: Job) -> str:
    if job["side"] == CLIENT:
        return f"check that {job['peer']} is reachable from {job['address']}"
    return f"no client from {job['peer']} has finished"


def _other_class(job: Job, said: Report, change: counters.Counters) -> str:
    """A server of a run in one direction receives; every other side sends."""
    sends = job["side"] == CLIENT or job["bidirectional"] or job["tool"] == LATENCY
    sent, received = (said.moved, 0) if sends else (0, said.moved)
    wrong = counters.unproven(change, priority=job["priority"], sent=sent, received=received)
    return (
        f"{job['interface']}: {wrong}; check the trust and the map of DSCP {job['dscp']}."
        if wrong
        else ""
    )


# What is printed


def parse(text: str) -> Report:
    """The JSON report where there is one, else the table; of runs in both directions it is their sum."""
    found = _json(text)
    if found.gbps is None and found.latency is None:
        found = _table(text)
    link = re.search(r'Link[ _]type"?\s*:\s*"?(\w+)', text)
    title = TITLE.search(text)
    return found._replace(link=link.group(1) if link else "", title=title.group(1) if title else "")


def _json(text: str) -> Report:
    pairs = dict(
        re.findall(rf'^[^\S\n]*"?(\w[\w.]*)"?:[^\S\n]*({NUMBER}),?[^\S\n]*$', text, re.MULTILINE)
    )
    size = int(float(pairs.get("MsgSize", 0)))
    moved = size * int(float(pairs.get("n_iterations", 0)))
    if "BW_average" in pairs:
        return Report(gbps=float(pairs["BW_average"]), moved=moved, size=size)
    if "t_typical" in pairs and "percentile_99" in pairs:
        typical, late = float(pairs["t_typical"]), float(pairs["percentile_99"])
        return Report(latency={"typical": typical, "p99": late}, moved=moved, size=size)
    return Report()


def _table(text: str) -> Report:
    """The first row of numbers below the line of column names."""
    header: list[str] = []
    for line in text.splitlines():
        if "#bytes" in line:
            header = COLUMN.findall(line)
        elif header and _numbers(line) >= len(header) > 2:
            return _row(header, [float(word) for word in line.split()])
    return Report()


def _numbers(line: str) -> int:
    words = line.split()
    return len(words) if all(re.fullmatch(NUMBER, word) for word in words) else 0


def _row(header: list[str], values: list[float]) -> Report:
    row = dict(zip(header, values))
    size = int(row.get("#bytes", 0))
    moved = size * int(row.get("#iterations", 0))
    if "BW average[Gb/sec]" in row:
        return Report(gbps=row["BW average[Gb/sec]"], moved=moved, size=size)
    if "BW average[MB/sec]" in row:
        gbps = round(row["BW average[MB/sec]"] * MIB_TO_GBPS, 3)
        return Report(gbps=gbps, moved=moved, size=size)
    if "t_typical[usec]" in row and "99% percentile[usec]" in row:
        typical, late = row["t_typical[usec]"], row["99% percentile[usec]"]
        return Report(latency={"typical": typical, "p99": late}, moved=moved, size=size)
    return Report()
