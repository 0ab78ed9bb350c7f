# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A command of the site in place of perftest: how it is called, and what it has to print.

Words in braces are replaced in each word of the command; no shell reads it:

    [my_test, --to, "{peer}", --port, "{port}", --device, "{rdma}", --seconds, "{seconds}"]

Its last line is a number with a unit (`391.2 Gb/s`, `48.9 GB/s`), or its output is one JSON object:

    {"gbps": 391.2, "latency": {"typical": 2.1, "p99": 3.4}, "transport": "roce", "memory": "gpu", "note": "..."}

`gbps` or `latency` is required. The output of `iperf3 --json` is understood too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, cast

from .. import _json
from .._nic.errors import NicError
from .._nic.tools import MISSING, Host
from . import counters, process
from .rail import Rail, plain, rail
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

GBPS = {
    **dict.fromkeys(("Gb/s", "Gbit/s", "Gbits/sec", "Gbps"), 1.0),
    **dict.fromkeys(("Mb/s", "Mbit/s", "Mbits/sec", "Mbps"), 0.001),
    "GB/s": 8.0,
    "MB/s": 0.008,
}
"""Units that a number may have, as Gb/s; prefixes are decimal."""
NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*(\S+)")


def measure(
    host: Host, job: Job, patience: float = 0, ended: Callable[[], bool] = lambda: False
) -> Measurement:
    """Run one side of the command and judge it by the byte counters of its priority, as perftest is."""
    roce = job["priority"] >= 0
    missing = counters.unreadable(host) if roce else ""
    missing = missing if job["command"] else "command: no command is given."
    if missing:
        return nothing(job["id"], job["side"], NOT_RUN, missing)
    try:
        found = (rail if roce else plain)(host, job["interface"], job["address"])
    except NicError as exc:
        return nothing(job["id"], job["side"], FAILED, str(exc))
    return _run(host, job, found, limit(job, patience), ended)


def words(job: Job, found: Rail) -> list[str]:
    """The command with the words in braces replaced; other braces stay."""
    known = {
        **{key: job[key] for key in ("peer", "port", "interface", "address", "side")},
        **{key: job[key] for key in ("size", "qps", "seconds", "dscp")},
        "rdma": found.rdma,
        "gid_index": found.gid_index,
        "traffic_class": job["dscp"] << 2,
    }
    pattern = re.compile("{(" + "|".join(known) + ")}")
    return [pattern.sub(lambda match: str(known[match.group(1)]), word) for word in job["command"]]


def limit(job: Job, patience: float = 0) -> float:
    """Seconds after which a side is ended; a server waits `patience` seconds for its client as well."""
    return job["seconds"] + process.SLACK + (patience if job["side"] == SERVER else 0)


def _run(
    host: Host, job: Job, found: Rail, seconds: float, ended: Callable[[], bool]
) -> Measurement:
    argv = process.bounded(process.pinned(host, words(job, found), found.numa), seconds)
    before = counters.read(host, found.netdevs, [found.rdma])
    run = process.run(host, argv, seconds, ended)
    now = counters.read(host, found.netdevs, [found.rdma])
    change = counters.difference(before, now, priority=job["priority"])
    return {**_judged(job, run, change), "counters": change, "seconds": round(run.seconds, 3)}


def _judged(job: Job, run: process.Run, change: counters.Counters) -> Measurement:
    where, program, result = job["interface"], job["command"][0], run.result
    made = nothing(job["id"], job["side"], FAILED, "")
    if result.rc == MISSING:
        sentence = f"{program} is not installed on this host."
        return nothing(job["id"], job["side"], NOT_RUN, sentence)
    if run.force:
        return {**made, "sentence": f"{where}: {program} {run.force}."}
    if result.rc:
        return {**made, "sentence": f"{where}: {program} failed: {process.cause(result)}."}
    try:
        said = parse(result.out)
    except NicError as exc:
        return {**made, "sentence": f"{where}: {program}: {exc}"}
    made.update(cast("Measurement", said))
    return _proven(job, made, change)


def _proven(job: Job, made: Measurement, change: counters.Counters) -> Measurement:
    """Judge the class of the traffic; without a priority the command's own transport counts."""
    if job["priority"] < 0:
        return {**made, "state": MEASURED}
    wrong = ""
    if made["transport"] not in ("", ROCE):
        wrong = f"the command used {made['transport']}, not RoCE"
    moved = int((made["gbps"] or 0) * job["seconds"] * 1e9 / 8) or job["size"]
    sends = job["side"] == CLIENT or job["bidirectional"] or made["gbps"] is None
    moved = moved // 2 if job["bidirectional"] else moved
    wrong = wrong or counters.unproven(
        change,
        priority=job["priority"],
        sent=moved if sends else 0,
        received=0 if sends else moved,
    )
    if wrong:
        sentence = f"{job['interface']}: {wrong}."
        return {**nothing(job["id"], job["side"], FAILED, sentence), "transport": made["transport"]}
    return {**made, "state": MEASURED, "transport": ROCE}


def parse(text: str) -> dict[str, Any]:
    """{gbps, latency, transport, memory, note} of what a command printed; NicError where it printed neither form."""
    try:
        found = _json.parse(text)
    except ValueError:
        found = None
    if not isinstance(found, (dict, list)):
        return {"gbps": _number(text)}
    if isinstance(found, list):
        raise NicError("its JSON is not an object; it needs gbps or latency.")
    rate = _rate(found)
    latency = _latency(found.get("latency"))
    if rate is None and latency is None:
        raise NicError("its JSON has neither gbps nor latency {typical, p99} as numbers.")
    return {
        "gbps": rate,
        "latency": latency,
        "transport": str(found.get("transport") or ""),
        "memory": str(found.get("memory") or "host"),
        "note": str(found.get("note") or "")[: process.LONGEST],
    }


def _rate(found: Mapping[str, Any]) -> float | None:
    """`gbps`; else the rate that the receiver of iperf3 saw (`end.sum_received.bits_per_second`)."""
    if _is_number(found.get("gbps")):
        return float(found["gbps"])
    end = found.get("end")
    received = end.get("sum_received") if isinstance(end, dict) else None
    bits = received.get("bits_per_second") if isinstance(received, dict) else None
    return float(bits) / 1e9 if bits is not None and _is_number(bits) else None


def _latency(found: object) -> Latency | None:
    if (
        isinstance(found, dict)
        and _is_number(found.get("typical"))
        and _is_number(found.get("p99"))
    ):
        return {"typical": float(found["typical"]), "p99": float(found["p99"])}
    return None


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _number(text: str) -> float:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    match = NUMBER.fullmatch(lines[-1]) if lines else None
    if not match or match.group(2) not in GBPS:
        last = f"'{lines[-1][:80]}'" if lines else "nothing"
        raise NicError(
            f"its last line is {last}; it has to be a number with a unit, such as 391.2 Gb/s, or JSON."
        )
    return float(match.group(1)) * GBPS[match.group(2)]
