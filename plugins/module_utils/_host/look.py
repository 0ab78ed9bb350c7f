# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One look at a host: everything is read and judged by the functions that write it, in check mode.

A part that cannot be read has its sentence in `error`, and counts as one that has something to do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypedDict, TypeVar, cast

from .._nic.agent import agent_digest, agent_version, skew, starts_algorithm
from .._nic.apply import DESIRED
from .._nic.desired import nics_from
from .._nic.errors import NicError
from .._nic.gather import gather, lost_drivers
from .._nic.plan.nvconfig import unmet
from .._nic.tools import Host, installed, side_by_side
from .._nic.verdict import COST, verdict
from . import driver, packages
from .files import keep, wanted_from
from .identity import traces
from .interfaces import interfaces_from
from .nccl import Plan as NcclPlan
from .nccl import files as nccl_files
from .network import apply_network
from .networks import networks_from
from .records import Facts, File, FileResult, Look, Network, Nics

if TYPE_CHECKING:
    from .records import Packages, Traces

PACKAGES = (
    *("doca*", "mlnx*", "kmod-mlnx*", "ofed*", "mft", "rshim", "lldpd", "libnccl2", "libnccl"),
    *(f"{name}*" for name in driver.PARTS),
)
LLDPD = "lldpd.service"
DUE = ("files", "commands", "drift", "absent", "renames_in_use")
"""Parts of an answer that require work."""


class DesiredHost(TypedDict):
    """Desired state of a host, as far as it is used here."""

    nics: list[object]
    storage_nics: list[object]
    interfaces: list[object]
    networks: list[object]
    fabric_prefixes: list[str]
    nccl: NcclPlan
    agent: str
    agent_sha256: str


class LookOptions(TypedDict):
    """Options of the roles of a host; see `plugin_utils/_edge/host_look.py`."""

    agent_path: str
    arp: bool
    backend: str
    facts: str
    files: list[File]
    idle: str
    lldp: bool
    nccl: dict[str, object]
    power_cycle: str
    take_over: bool
    units: dict[str, object]


Part = TypeVar("Part", bound=Mapping[str, object])


def look(host: Host, wanted: DesiredHost, asked: LookOptions) -> Look:
    """{packages, held, system, identity, nics, network, agent, facts}; the last five have `error`, three `due`.

    `wanted` and `asked` are the options of module host. NicError on a host without a package manager.
    """
    host = replace(host, check_mode=True)
    parts: tuple[Callable[[], object], ...] = (
        lambda: packages.look(host, PACKAGES),
        lambda: _part(lambda: _nics(host, wanted, asked)),
        lambda: _judged(lambda: _network(host, wanted, asked)),
        lambda: traces(host),
    )
    made = side_by_side(lambda read: read(), parts)
    known, nics, network, identity = cast("tuple[Packages, Nics, Network, Traces]", tuple(made))
    command = asked["power_cycle"].split()[:1]
    locked = known["system"]["driver"]["locked"]
    if nics["error"] and locked:
        why = f"The kernel is locked down ({locked}), which keeps tools from the cards"
        nics["error"] = f"{why}: {nics['error']}"
    known["system"]["power_cycle"] = any(installed(host, name) for name in command)
    return {
        **known,
        "identity": identity,
        "nics": nics,
        "network": network,
        "agent": _judged(lambda: _agent(host, nics, wanted, asked)),
        "facts": _judged(lambda: _facts(host, network, wanted, asked)),
    }


def _part(read: Callable[[], Part]) -> Part:
    try:
        return cast("Part", {"error": "", **read()})
    except NicError as exc:
        return cast("Part", {"error": str(exc)})


def _judged(read: Callable[[], Part]) -> Part:
    found = _part(read)
    due = bool(found["error"]) or any(found.get(key) for key in DUE)
    return cast("Part", {**found, "due": due})


def _nics(host: Host, wanted: DesiredHost, asked: LookOptions) -> Nics:
    nics, path = nics_from(wanted["nics"]), asked["agent_path"]
    records = gather(host, nics)
    judged, others = verdict(records, nics), nics_from(wanted["storage_nics"])
    storage = gather(host, others, ["qos"]) if others else []
    if others:
        judged["qos"] = max(judged["qos"], verdict(storage, others)["qos"], key=COST.index)
    return {
        "nics": records,
        "storage": storage,
        "verdict": judged,
        "warnings": list(lost_drivers(records)),
        "algorithm": starts_algorithm(host),
        "skew": skew(
            agent_version(host, path),
            wanted["agent"],
            agent_digest(host, path),
            wanted["agent_sha256"],
        ),
        "unmet": [
            sentence
            for record, nic in zip(records, nics)
            for sentence in unmet(nic.pci, record["nvconfig"], nic.nvconfig).values()
        ],
    }


def _network(host: Host, wanted: DesiredHost, asked: LookOptions) -> Network:
    return apply_network(
        host,
        interfaces_from(wanted["interfaces"]),
        backend=asked["backend"],
        prefixes=wanted["fabric_prefixes"],
        arp=asked["arp"],
        others=networks_from(wanted["networks"]),
        take_over=asked.get("take_over", False),
        partly=True,
    )


def _agent(host: Host, nics: Nics, wanted: DesiredHost, asked: LookOptions) -> FileResult:
    """The tool, the desired state and the units; another tool is reported by `skew` of the NICs.

    The host keeps congestion control where it starts it by itself, or runs it.
    """
    files = list(asked["files"])
    if not runs(nics) and not nics.get("algorithm"):
        files = [
            {**one, "content": asked["idle"]} if one["path"] == DESIRED else one for one in files
        ]
    if not nics.get("skew", "unknown"):
        tool: File = {
            "path": asked["agent_path"],
            "sha256": wanted["agent_sha256"],
            "mode": "0755",
        }
        files.insert(0, tool)
    return keep(host, wanted_from(files), asked["units"]).as_result()


def runs(nics: Nics) -> bool:
    """Is congestion control active on a port?"""
    ports = [port for nic in nics.get("nics", ()) for port in nic["ports"]]
    return any((port.get("cc") or {}).get("state") == "active" for port in ports)


def _facts(host: Host, network: Network, wanted: DesiredHost, asked: LookOptions) -> Facts:
    """The files of NCCL and a scheduler, and lldpd. They follow from the interfaces."""
    units = {LLDPD: {"enabled": True, "running": True}} if asked["lldp"] else {}
    files: list[File] = []
    if asked["facts"] and not network["error"]:
        planned = cast("list[dict[str, object]]", wanted["interfaces"])
        made = nccl_files(wanted["nccl"], planned, network["interfaces"], asked["nccl"])
        files = [
            {"path": f"{asked['facts']}/nccl.env", "content": made["environment"]},
            {"path": f"{asked['facts']}/topology.json", "content": made["topology"]},
        ]
    return {"wanted": files, **keep(host, wanted_from(files), units).as_result()}
