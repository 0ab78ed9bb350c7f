# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The out-of-band network of the description: switches for BMCs, DPUs, the eth0 of switches, and power.

oob:
  prefix: 10.224.0.0/20
  uplinks: outside
  outside: [mgmt-a, mgmt-b]
  dpus: 2
  services: [10.250.0.0/24]
  dhcp: [10.250.0.10, 10.250.0.11]
  controllers: [10.250.1.0/28]
  extras: [{name: rack1-pdu-a, kind: pdu, rack: r1}]
"""

from __future__ import annotations

import typing as t

from . import tables
from ._third_party import pydantic
from .base import Address, Field, Prefix4, Slug, Strict
from .devices import is_mac, mac
from .errors import FabricError, shown

Kind = t.Literal["host", "bmc", "dpu", "switch"]
URL = r"^https?://[^\s\x22\x27]{1,300}[^/\s\x22\x27]$"
HOST: Kind = "host"
BMC: Kind = "bmc"
DPU: Kind = "dpu"
SWITCH: Kind = "switch"
ExtraKind = t.Literal["nvlink", "shelf", "pdu", "cdu"]


def _mac(text: str) -> str:
    """A MAC address in small letters with colons."""
    if not is_mac(text):
        raise ValueError("a MAC address such as 48:b0:2d:00:00:01")
    return mac(text)


class Extra(Strict):
    """Equipment with an out-of-band port that is neither a node nor a switch of the fabric."""

    name: Slug = Field(description="Name of the equipment.")
    kind: ExtraKind = Field(
        description="nvlink: tray of NVLink switches; shelf: power shelf; pdu: power of a rack; cdu: cooling."
    )
    rack: str = Field(default="", description="Rack it stands in, for lists and labels.")
    mac: t.Annotated[str, pydantic.AfterValidator(_mac)] | None = Field(
        default=None, description="MAC address of its port; without one it gets no lease."
    )
    leaf: t.Annotated[int, Field(ge=1)] | None = Field(
        default=None,
        description="Out-of-band leaf it is cabled to; by default they take turns in the order of the list.",
    )


FORM = tables.Form("oob.macs", ("device", "unit", "mac"), ("device", "unit", "mac"))


def read_macs(path: str) -> list[tuple[int, str, str, str]]:
    """(line, device, unit, MAC address) of each row; FabricError with every address that is none or occurs twice."""
    table, taken = tables.read(path, FORM), dict[str, int]()
    wrong, made = table.wrong, []
    for line, cells in table.rows:
        begin, text = f"{table.name} line {line}, mac:", cells["mac"]
        if not is_mac(text):
            wrong.append(
                f"{begin} {shown(text)} is no MAC address: write one such as 48:b0:2d:00:00:01."
            )
        elif mac(text) in taken:
            wrong.append(
                f"{begin} '{text}' is in line {taken[mac(text)]} already: give each port its own."
            )
        else:
            taken[mac(text)] = line
            made.append((line, cells["device"], cells["unit"], mac(text)))
    if wrong:
        raise FabricError(wrong)
    return made


class Oob(Strict):
    """The out-of-band network. Without this key no switch, port or cable of it is planned."""

    prefix: Prefix4 = Field(
        description="IPv4 prefix for what has no address without this key: a /23 for each out-of-band switch."
    )
    uplinks: t.Literal["outside", "spine"] = Field(
        description="outside: each leaf to the switches of `outside`; spine: to spines of its own, and these to them."
    )
    outside: t.Annotated[list[Slug], Field(min_length=2, max_length=4)] = Field(
        description="Names of the site's switches above, two or more."
    )
    model: str = Field(default="SN2201", description="Model of the leaves, as in the catalog.")
    spine_model: str = Field(
        default="SN3700C", description="Model of the spines, as in the catalog."
    )
    spines: t.Annotated[int, Field(ge=2, le=4)] = Field(
        default=2, description="Spines, where uplinks is spine; each leaf has a link to every one."
    )
    kinds: list[Kind] = Field(
        default_factory=lambda: [HOST, BMC, DPU, SWITCH],
        description="What is cabled beside extras: ports of nodes, and eth0 of switches; all by default.",
    )
    dpus: t.Annotated[int, Field(ge=0, le=16)] = Field(
        default=0, description="BlueField cards of a node with an out-of-band port, one cable each."
    )
    leaves: t.Annotated[int, Field(ge=2)] | None = Field(
        default=None, description="Out-of-band leaves; the fewest that have the ports by default."
    )
    extras: list[Extra] = Field(
        default_factory=list,
        description="Other equipment; append to the list, so that no port moves.",
    )
    services: list[Prefix4] = Field(
        default_factory=list,
        description="Prefixes that devices may reach: provisioning, NTP, DNS, logs. They never reach each other.",
    )
    dhcp: list[Address] = Field(
        default_factory=list, description="DHCP servers of the relay on every leaf."
    )
    controllers: t.Annotated[list[Prefix4], Field(min_length=1)] = Field(
        description="Prefixes of the machines that run Ansible: they reach every device."
    )
    macs: str | None = Field(
        default=None,
        description="CSV with columns device,unit,mac, beside this file: MAC addresses of BMCs and BlueFields.",
    )
    url: t.Annotated[str, Field(pattern=URL)] | None = Field(
        default=None,
        description="Address at which a web server offers the folder of switch_bootstrap, for option 239 of switches.",
    )
    quarantine: bool = Field(
        default=False,
        description="Leases of a small pool of each segment for MAC addresses and serials that nobody stated.",
    )
