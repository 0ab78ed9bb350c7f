# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The records of performance tests: what is asked for, what was measured, what was judged, what is suspected.

    placement -> Pair, Group -> asked() -> PlannedMeasurement -> hosts measure
    -> HostMeasurement -> verdict -> Test -> Suspect

Devices are named as the fabric names them, rails and planes are zero-based. Bandwidth between ports is Gb/s
(10^9 bits), bus bandwidth of a collective is GB/s (10^9 bytes), latency is microseconds, a ratio is percent.
"""

from __future__ import annotations

import typing as t

BANDWIDTH, BIDIRECTIONAL, LATENCY, BUSBW, RATIO = KINDS = (
    "bandwidth",
    "bidirectional",
    "latency",
    "busbw",
    "ratio",
)
"""Kinds of comparison: Gb/s one way, Gb/s of both ways together, microseconds, GB/s, percent."""
UNITS = {BANDWIDTH: "Gb/s", BIDIRECTIONAL: "Gb/s", LATENCY: "us", BUSBW: "GB/s", RATIO: "%"}

LEAF, SU, POD, FABRIC = DISTANCES = ("leaf", "su", "pod", "fabric")
"""The smallest part that both ends of a pair share: a leaf needs no spine, a fabric needs super-spines."""

PASS, FAIL, WAIVED, NOT_RUN = STATES = ("pass", "fail", "waived", "not_run")
"""States of a test. Only fail is a breach; not_run is counted and never shown as passed."""

SERVER, CLIENT = "server", "client"
"""Sides of a measurement; a collective has a client alone."""


class Pair(t.NamedTuple):
    """A sender, a receiver, and the NIC port of both; with planes by rail, `plane` equals `rail`.

    `to_rail` is the receiver's where rails are crossed.
    """

    first: str
    second: str
    rail: int
    plane: int
    distance: str
    to_rail: int | None = None


Round = list[Pair]
"""Pairs that are measured side by side: no NIC port is in two of them, except the receiver of an incast."""


class Group(t.NamedTuple):
    """The nodes of one collective, in the order of their ranks.

    `name` says which nodes they are (`four`, `su01`, `all`), `placement` (best, worst) how they are ordered.
    """

    name: str
    nodes: tuple[str, ...]
    placement: str


class Noise(t.NamedTuple):
    """Two tenants on the same leaves: what the victims measure, and what the aggressors send meanwhile.

    In `incast` several senders have the NIC port of one receiver as theirs. `alltoall` are rounds that are played one
    after the other; with a launcher, a collective of the aggressors replaces them.
    """

    victims: tuple[str, ...]
    aggressors: tuple[str, ...]
    measured: Round
    incast: Round
    alltoall: list[Round]


LIVES, PLUGIN, NEVER = EXPECTED = ("lives", "plugin", "never")
"""Fate of a job while an element is shut: it lives; it lives where the NCCL plugin moves it to other planes; it
ends."""


class Element(t.NamedTuple):
    """Element to shut while a job runs, and the expected fate of the job.

    `kind` is link, spine, leaf, plane or host_link; a super-spine is a spine too. `ports` are the (device, port) to
    shut, one end of each cable. `share` is the part (0 to 1) of the bandwidth that is lost while it is down: of a
    leaf's uplinks for a link and a spine, of a NIC's ports for the others.
    """

    kind: str
    name: str
    ports: tuple[tuple[str, str], ...]
    expected: str
    share: float
    says: str


class Level(t.NamedTuple):
    """A level of acceptance, and the parameters by which it runs.

    `after` are the levels it builds on, `needs` (`perftest`, `nccl-tests`, `gpu`, `launcher`, `tenants`) what the
    nodes or the site must have, `shows` and `disturbs` a sentence each. `shares_spines` says that it loads links
    between switches, `cuts` that it shuts ports. `tools` are tried in their order. Bytes, seconds, counts; each
    parameter's origin is in `source`.
    """

    name: str
    after: tuple[str, ...]
    needs: tuple[str, ...]
    shows: str
    disturbs: str
    shares_spines: bool
    cuts: bool
    tools: tuple[str, ...]
    seconds: int
    repeats: int
    parameters: t.Mapping[str, t.Any]
    source: str


class Case(t.TypedDict):
    """Case of a measurement: its kind and its place.

    `step` separates runs of the same pair (`alone-1`, `together-1`, `confirm-2`); `nodes` are those of a
    collective, in which `first` is the node that starts it and `second` is empty; pairs have no `nodes`. `to_rail` is
    the receiver's where rails are crossed.
    """

    id: str
    level: str
    step: str
    kind: str
    first: str
    second: str
    rail: int | None
    to_rail: int | None
    plane: int | None
    distance: str
    nodes: list[str]


class PlannedMeasurement(Case):
    """One measurement that a plan asks for; hosts answer with its `id`, the client and the server."""

    operation: str
    placement: str
    split: str


def case_of(asked: PlannedMeasurement) -> Case:
    """The case of a measurement, without what the plan alone needs."""
    return t.cast("Case", {key: asked[key] for key in Case.__annotations__})  # type: ignore[literal-required]


class HostMeasurement(t.TypedDict):
    """Fields of a host's measurement that a judge reads; the host's record has more.

    Of a bidirectional run, `gbps` is that of both directions together, as perftest prints it on both sides.
    """

    id: str
    side: str
    state: str
    sentence: str
    gbps: float | None
    latency: dict[str, float] | None
    transport: str
    memory: str
    counters: dict[str, int]
    seconds: float
    busbw: t.NotRequired[dict[str, float]]
    best: t.NotRequired[float | None]
    ranks: t.NotRequired[int]
    note: t.NotRequired[str]


class Test(Case):
    """One judged measurement, or a figure of several (`second` is empty then).

    `limit_source` is `published: ...`, `ours: ...` or `baseline of <day> by <who>`.
    """

    value: float | None
    unit: str
    limit: float | None
    limit_source: str
    state: str
    sentence: str
    counters: dict[str, int]


class Suspect(t.TypedDict):
    """Part of the fabric that may be slow.

    `kind` is node, nic, cable, leaf, uplink, spine, plane or tenant; `place` a device or port by its name, of a cable
    both ends, of a tenant its name and the leaf. `certain` is false for a member of a set that measurement cannot
    separate. `reasons` are sentences.
    """

    kind: str
    place: str
    certain: bool
    score: float
    reasons: list[str]


Port = tuple[str, int | None, int | None]
"""A NIC port: node, rail, plane."""


def ends(one: PlannedMeasurement | Test) -> tuple[Port, Port]:
    """The sender's NIC port of a measurement between nodes, and the receiver's."""
    rail, to_rail = one["rail"], one["to_rail"]
    return (
        (one["first"], rail, one["plane"]),
        (one["second"], rail if to_rail is None else to_rail, one["plane"]),
    )


def asked(level: str, pair: Pair, *, kind: str = BANDWIDTH, step: str = "") -> PlannedMeasurement:
    """The measurement of a pair: `pairs/bandwidth/r1p1/worker-su01-rack01-h01>worker-su01-rack01-h02`.

    Where rails are crossed, `r1p1-r3` is rail 1 of the sender and rail 3 of the receiver.
    Unique in a run as long as a pair is asked for once in a level, kind and step.
    """
    nic = f"r{pair.rail + 1}p{pair.plane + 1}"
    nic += "" if pair.to_rail is None else f"-r{pair.to_rail + 1}"
    where = "/".join(part for part in (level, step, kind, nic) if part)
    return PlannedMeasurement(
        id=f"{where}/{pair.first}>{pair.second}",
        level=level,
        step=step,
        kind=kind,
        first=pair.first,
        second=pair.second,
        rail=pair.rail,
        to_rail=pair.to_rail,
        plane=pair.plane,
        distance=pair.distance,
        nodes=[],
        operation="",
        placement="",
        split="",
    )


def asked_of(
    level: str, group: Group, *, operation: str, split: str = "", step: str = ""
) -> PlannedMeasurement:
    """The measurement of a collective: `collectives/all_reduce/su01/best`.

    `split` is what NCCL_TESTS_SPLIT says, as `MOD 8`.
    """
    parts = (level, step, operation, split.replace(" ", ""), group.name, group.placement)
    return PlannedMeasurement(
        id="/".join(part for part in parts if part),
        level=level,
        step=step,
        kind=BUSBW,
        first=group.nodes[0],
        second="",
        rail=None,
        to_rail=None,
        plane=None,
        distance="",
        nodes=list(group.nodes),
        operation=operation,
        placement=group.placement,
        split=split,
    )
