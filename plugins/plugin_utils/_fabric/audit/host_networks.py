# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Front end and storage of one host: links, bonds and their partner, addresses and the default route.

Names, MTU, members and VLANs are compared by `host.interfaces`, as the module does that sets them. Here is what
only others can give: carrier, the partner of LACP, an address by DHCP. The rows are those of iproute2 with details.
"""

from __future__ import annotations

import typing as t

from .results import failed, not_run, passed

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ....module_utils._host.records import LinkRow
    from ..render.host.networks import Attachment
    from .host_view import View
    from .results import Check, Findings

Judge = t.Callable[["View", "Attachment", "LinkRow"], "Findings"]
FRONT_END = "front-end"


def _each(judge: Judge, of: Callable[[Attachment], bool]) -> Check[View]:
    """A check of each port, bond or VLAN that `of` picks; nothing on a host without them."""

    def check(view: View) -> Findings:
        planned = [row for row in view.wanted["networks"] if of(row)]
        network = view.look["network"]
        found = network.get("networks")
        if planned and found is None:
            yield not_run(f"Its other networks were not read. {network.get('error', '')}".strip())
            return
        for row in planned:
            name = row["name"]
            if "idle" in row:
                yield not_run(f"{name}: it is not in use: {row['idle']}", name)
            elif name not in (found or {}):
                yield failed(f"{name}: the host does not have it: run playbook dpus.", name)
            else:
                yield from judge(view, row, (found or {})[name])
        used = [row for row in planned if "idle" not in row]
        if used:
            yield passed(f"{', '.join(row['name'] for row in used)}: as planned.")

    return check


def _port(_view: View, row: Attachment, link: LinkRow) -> Findings:
    if not _carries(link):
        state = f"the link to {row['peer']['device']} {row['peer']['port']} is down"
        says = f"{row['name']}: {state}: check the cable and both ports."
        yield failed(says, row["name"], "up", link.get("operstate", "unknown"))


def _carries(link: LinkRow) -> bool:
    return "LOWER_UP" in link.get("flags", ())


def _bond(view: View, row: Attachment, link: LinkRow) -> Findings:
    """Its ports in one group with one partner. A port out of service is missed by nobody."""
    name, idle = row["name"], [one["name"] for one in view.wanted["networks"] if "idle" in one]
    info = link.get("linkinfo", {}).get("info_data", {}).get("ad_info", {})
    due = [port for port in row["members"] if port not in idle]
    if not _carries(link):
        says = f"{name}: no port of the bond has carrier: check {', '.join(row['members'])} and the leaves."
        yield failed(says, name, "up", link.get("operstate", "unknown"))
        return
    if (number := info.get("num_ports")) != len(due):
        says = (
            f"{name}: LACP has {number or 'an unknown number'} of {len(due)} ports in its group: check the bond of "
            f"{', '.join(_leaves(view, row))}."
        )
        yield failed(says, name, len(due), number)
    partner, planned = str(info.get("partner_mac", "")).lower(), row.get("system", "").lower()
    if planned and partner != planned:
        says = (
            f"{name}: its partner is {partner or 'unknown'}, expected {planned}, the system id of "
            f"{', '.join(_leaves(view, row))}: check the cables and the segment on both leaves."
        )
        yield failed(says, name, planned, partner)


def _leaves(view: View, row: Attachment) -> Iterator[str]:
    ports = {port["name"]: port for port in view.wanted["networks"] if "pci" in port}
    yield from dict.fromkeys(ports[name]["peer"]["device"] for name in row["members"])


def _address(view: View, row: Attachment, link: LinkRow) -> Findings:
    """An address; and of the front end the default route, which no other interface may win."""
    name = row["name"]
    addresses = [one for one in link.get("addr_info", ()) if one.get("scope") == "global"]
    if not addresses:
        says = f"{name}: it has no address: check the DHCP server of its tenant, and the relay of its leaves."
        yield failed(says, name, "an address")
    fronts = [one["name"] for one in view.wanted["networks"] if one["network"] == FRONT_END]
    if row["network"] != FRONT_END:
        return
    by = view.look["network"].get("default_by", "")
    if by not in fronts:
        says = (
            f"{name}: the default route is {'of ' + by if by else 'missing'}, expected the front end: check the "
            "DHCP server, and remove the default route from the host's own configuration."
        )
        yield failed(says, name, name, by)


CHECKS: dict[str, Check[View]] = {
    "host.port": _each(_port, lambda row: "pci" in row),
    "host.bond": _each(_bond, lambda row: "members" in row),
    "host.address": _each(_address, lambda row: not row.get("bond")),
}
