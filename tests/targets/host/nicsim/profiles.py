# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the state from a profile and from the list of cabled ports."""

from __future__ import annotations

import json
import pathlib
from typing import Any, Optional

from nicsim import hardware, lifecycle, nvdb, pci
from nicsim.store import State

FOLDER = pathlib.Path(__file__).with_name("cards")


class BadProfile(Exception):
    """A profile or list of ports that cannot be used; the text says why."""


def available() -> list[str]:
    """Names of the shipped profiles."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def read(name: str) -> dict[str, Any]:
    """A shipped profile by name, or any file by path."""
    path = pathlib.Path(name) if "/" in name or name.endswith(".json") else FOLDER / f"{name}.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as exc:
        raise BadProfile(f"profile {name} not found; shipped: {', '.join(available())}") from exc
    except ValueError as exc:
        raise BadProfile(f"profile {name} is not JSON: {exc}") from exc


def read_ports(path: pathlib.Path) -> Optional[list[dict[str, str]]]:
    """The cabler's list [{"port", "netdev", "pci"}], or None where there is no such file."""
    if not path.is_file():
        return None
    ports = json.loads(path.read_text(encoding="utf-8"))
    for port in ports:
        missing = {"port", "netdev", "pci"} - set(port)
        if missing:
            raise BadProfile(f"{path}: an entry lacks {', '.join(sorted(missing))}: {port}")
    return sorted(ports, key=lambda port: port["pci"])


def build(profile: dict[str, Any], ports: Optional[list[dict[str, str]]]) -> State:
    """A fresh state; the profile's own ports serve where none are given."""
    ports = ports if ports is not None else profile["ports"]
    cards: dict[str, list[dict[str, str]]] = {}
    for port in ports:
        cards.setdefault(port["pci"].rpartition(".")[0], []).append(port)
    state: State = {
        "schema": 1,
        "profile": profile["name"],
        "boot": lifecycle.new_boot(),
        "faults": [],
        "host": {
            "mst": False,
            "rshim_running": False,
            "mft_layout": profile.get("mft_layout", "new"),
            "cc_delay": profile.get("cc_delay", 2.0),
            "cc_active_text": "Active",
            "cc_version": None,
            "dpu": profile.get("dpu", {}),
            "gpu": profile.get("gpu"),
            "peermem": False,
        },
        "sysfs": {},
        "nics": [],
    }
    for number, (slot, members) in enumerate(sorted(cards.items())):
        state["nics"].append(_card(profile, slot, members, number))
    for nic, path in zip(state["nics"], pci.plan(sorted(cards))):
        nic["path"] = path
    pci.boot(state)
    return state


def _card(
    profile: dict[str, Any], slot: str, members: list[dict[str, str]], number: int
) -> dict[str, Any]:
    model = dict(profile["card"])
    model.update(profile.get("cards", {}).get(str(number), {}))
    values = nvdb.defaults(model["device_id"], model["vpi"])
    values.update(model.get("nv", {}))
    values.update(_shown(values, members))
    guid = 0xA088C20300120000 + number * 0x100
    nic: dict[str, Any] = {
        key: model[key]
        for key in ("device_id", "type", "part_number", "description", "psid", "vpi", "speed_gbps")
    }
    nic.update(
        {
            "slot": slot,
            "oem": bool(model.get("oem", False)),
            "serial": f"MT2442X{number:05d}",
            "base_guid": f"{guid:016x}",
            "base_mac": f"a088c212{number:02x}00",
            "firmware": {
                "running": model["firmware"],
                "burned": model["firmware"],
                "needs_power_cycle": False,
            },
            "nv": {
                "default": nvdb.defaults(model["device_id"], model["vpi"]),
                "current": dict(values),
                "next": dict(values),
            },
            "rshim": {"index": number, "owner": "none", "log": [], "bmc_claims": False},
            "privilege": "PRIVILEGED",
            "functions": [],
        }
    )
    for place, port in enumerate(members):
        nic["functions"].append(_function(nic, port, place, number * 2 + place))
    return nic


def _shown(values: dict[str, Any], members: list[dict[str, str]]) -> dict[str, int]:
    """NUM_OF_PF of a card whose later ports have the names of the plan: hosts name only what a card shows."""
    named = [_index(port) for port in members if port["netdev"] == port["port"]]
    count = max(named, default=0) + 1
    return {"NUM_OF_PF": count} if count > int(values.get("NUM_OF_PF", 1)) else {}


def _index(port: dict[str, str]) -> int:
    return int(port["pci"].rpartition(".")[2])


def _function(nic: dict[str, Any], port: dict[str, str], place: int, rdma: int) -> dict[str, Any]:
    function: dict[str, Any] = {
        "index": _index(port),
        "pci": port["pci"],
        "port": port["port"],
        "netdev": port["netdev"],
        "ifindex": hardware.ifindex(port["netdev"]),
        "rdma": port.get("rdma", f"mlx5_{rdma}"),
        "rdma_factory": port.get("rdma", f"mlx5_{rdma}"),
        "numa": 0,
        "driver": "mlx5_core",
        "link": {"up": True, "speed_gbps": nic["speed_gbps"], "forced_down": False},
        "addresses": [],
        "counters": lifecycle.fresh_counters(),
        "carrier_base": 0,
        "place": place,
    }
    function["carrier_base"] = hardware.carrier_downs(function)
    function["runtime"] = lifecycle.fresh_runtime(nic)
    return function
