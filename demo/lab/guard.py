# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing a test dials may leave the lab: one place that looks before anything starts.

The planned addresses of a fabric are real private ranges. A test or the demo calls
`refuse_outside` with every address it is about to dial; inside a lab's management namespace only
the management bridge and loopback pass, anywhere else only loopback.
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Iterable
from typing import Any

from lab.errors import LabError
from lab.shell import run
from lab.spaces import BRIDGE, here, identity
from lab.state import Lab


def refuse_outside(addresses: Iterable[str], *, namespace: str | None = None) -> None:
    """Raise LabError when a packet to one of `addresses` would leave.

    `namespace` is a lab's management namespace; without it, the one this process is in counts.
    An address without any route passes: nothing can be sent to it.
    """
    allowed = {"lo", BRIDGE} if _is_lab(namespace) else {"lo"}
    where = namespace or "this machine's own network"
    for address in addresses:
        try:
            ipaddress.ip_address(address)
        except ValueError as exc:
            raise LabError(
                f"{address!r} is not an IP address; refused, since a name can be any"
            ) from exc
        device = _leaves_by(address, namespace)
        if device is not None and device not in allowed:
            raise LabError(
                f"{address} would leave {where} through {device}; "
                "run inside the lab (`lab exec NAME -- ...`) or give a loopback address"
            )


def refuse_leak(lab: Lab) -> None:
    """Raise LabError when the management namespace has any way out of the lab."""
    links = _ip(lab.management, "link", "show")
    ports = {f"m{n}" for n in range(len(lab.cabling.devices))}
    for link in links:
        if link["ifname"] not in {"lo", BRIDGE} | ports:
            raise LabError(
                f"{lab.management} holds {link['ifname']}, which the lab did not put there; "
                "remove it, or take the lab down and up"
            )
    for family in ("-4", "-6"):
        for route in _ip(lab.management, family, "route", "show", "default"):
            raise LabError(f"{lab.management} has a default route by {route.get('dev')}; remove it")


def _is_lab(namespace: str | None) -> bool:
    """Return whether this namespace is a lab's management one."""
    if namespace is not None:
        return namespace.startswith("spx-") and namespace.endswith("-mgmt")
    done = run(["ip", "-j", "netns", "list"], check=False)
    names = [entry["name"] for entry in json.loads(done.stdout or "[]")]
    mine = here()
    return any(_is_lab(name) and identity(name) == mine for name in names)


def _leaves_by(address: str, namespace: str | None) -> str | None:
    """Return the interface a packet to `address` would take, None when there is no route."""
    routes = _ip(namespace, "route", "get", address)
    if not routes or routes[0].get("type") in ("unreachable", "blackhole", "prohibit"):
        return None
    return str(routes[0].get("dev", "an unknown device"))


def _ip(namespace: str | None, *words: str) -> list[dict[str, Any]]:
    inside = ["-n", namespace] if namespace else []
    done = run(["ip", "-j", *inside, *words], check=False)
    if done.returncode or not done.stdout.strip():
        return []
    return [entry for entry in json.loads(done.stdout) if entry]
