# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cabling file: which devices there are and which port is cabled to which.

    {"fabric": "lab",
     "devices": [
       {"name": "leaf-p1-su001-r1", "kind": "switch", "model": "SN5600", "release": "5.16.1"},
       {"name": "worker-su01-rack01-h01", "kind": "host",
        "nics": [{"port": "rail1p1", "pci": "0000:18:00.0"}]}],
     "links": [["leaf-p1-su001-r1", "swp1s0", "worker-su01-rack01-h01", "rail1p1"]]}

Further keys of a device and of a NIC are carried to the device unread.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import json
import pathlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lab.errors import LabError

KINDS = ("switch", "host", "router")
NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,61}[A-Za-z0-9])?")
"""Host names that Linux and LLDP accept."""
PORT = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,14}")
"""Names of network devices that Linux accepts: at most 15 characters."""
PCI = re.compile(
    r"(?P<domain>[0-9a-f]{4,8}):(?P<bus>[0-9a-f]{2}):(?P<slot>[0-9a-f]{2})\.(?P<fn>[0-7])"
)


@dataclasses.dataclass(frozen=True)
class Nic:
    """One port of a host's NIC: its name in the plan, its PCI address, its factory name."""

    port: str
    pci: str
    netdev: str
    facts: Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Device:
    """One switch, host or router. `facts` is its entry in the file, whole."""

    name: str
    kind: str
    nics: tuple[Nic, ...]
    facts: Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class End:
    """One end of a cable."""

    device: str
    port: str

    def __str__(self) -> str:
        return f"{self.device}:{self.port}"


@dataclasses.dataclass(frozen=True)
class Cabling:
    """The whole file. `links` are in its order; every end occurs once."""

    fabric: str
    devices: tuple[Device, ...]
    links: tuple[tuple[End, End], ...]

    def device(self, name: str) -> Device:
        """Return the device called `name`, or raise LabError."""
        for device in self.devices:
            if device.name == name:
                return device
        raise LabError(f"device {name!r} is not in the lab; it has {listing(self.names())}")

    def names(self) -> list[str]:
        """Return the names of all devices, in the file's order."""
        return [device.name for device in self.devices]


def load(path: pathlib.Path) -> Cabling:
    """Read and check a cabling file."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as exc:
        raise LabError(f"cabling file {path} cannot be read: {exc.strerror}") from exc
    except ValueError as exc:
        raise LabError(f"cabling file {path} is not JSON: {exc}") from exc
    return parse(document, where=str(path))


def parse(document: Any, *, where: str = "cabling") -> Cabling:
    """Turn the file's content into a Cabling; the first mistake is raised as LabError."""
    if not isinstance(document, dict):
        raise LabError(f"{where}: expected an object with fabric, devices and links")
    devices = tuple(_device(entry, where) for entry in _items(document, "devices", where))
    if not devices:
        raise LabError(f"{where}: devices is empty; name at least one switch or host")
    _refuse_repeated((device.name for device in devices), f"{where}: device")
    links = tuple(_link(entry, where) for entry in _items(document, "links", where))
    cabling = Cabling(str(document.get("fabric", "lab")), devices, links)
    _check_ends(cabling, where)
    return cabling


def only(cabling: Cabling, patterns: Sequence[str]) -> Cabling:
    """Keep the devices which a pattern names (shell patterns, or a kind), and their cables."""
    if not patterns:
        return cabling
    kept = tuple(
        device
        for device in cabling.devices
        if any(device.kind == p or fnmatch.fnmatchcase(device.name, p) for p in patterns)
    )
    if not kept:
        raise LabError(f"--only {' '.join(patterns)} names none of {listing(cabling.names())}")
    names = {device.name for device in kept}
    links = tuple(
        link for link in cabling.links if link[0].device in names and link[1].device in names
    )
    return Cabling(cabling.fabric, kept, links)


def end(text: str, cabling: Cabling) -> End:
    """Read ``DEV:PORT`` as an end of one of the cables."""
    device, separator, port = text.rpartition(":")
    if not separator:
        raise LabError(f"{text!r} is not DEVICE:PORT, for example {_example(cabling)}")
    cabling.device(device)
    found = End(device, port)
    ports = [str(e.port) for link in cabling.links for e in link if e.device == device]
    if port not in ports:
        raise LabError(f"{device} has no cable in {port!r}; cabled are {listing(ports)}")
    return found


def factory_name(pci: str) -> str:
    """Return the name systemd gives a network device by its PCI address.

    >>> factory_name("0000:18:00.0")
    'enp24s0f0np0'
    """
    found = PCI.fullmatch(pci)
    if not found:
        raise LabError(f"PCI address {pci!r} is not written like 0000:18:00.0")
    domain = int(found["domain"], 16)
    bus, slot, function = int(found["bus"], 16), int(found["slot"], 16), found["fn"]
    prefix = f"P{domain}" if domain else ""
    return f"en{prefix}p{bus}s{slot}f{function}np{function}"


def listing(words: Iterable[str], limit: int = 6) -> str:
    """Return the first words for a sentence, and how many more there are."""
    every = list(words)
    shown = ", ".join(every[:limit]) or "none"
    return shown if len(every) <= limit else f"{shown} and {len(every) - limit} more"


def _items(document: dict[str, Any], key: str, where: str) -> list[Any]:
    value = document.get(key, [])
    if not isinstance(value, list):
        raise LabError(f"{where}: {key} is {type(value).__name__}, expected a list")
    return value


def _device(entry: Any, where: str) -> Device:
    if not isinstance(entry, dict):
        raise LabError(f"{where}: device {entry!r} is not an object with name and kind")
    name, kind = str(entry.get("name", "")), entry.get("kind")
    if not NAME.fullmatch(name):
        raise LabError(f"{where}: device name {name!r} is not a host name of at most 63 characters")
    if kind not in KINDS:
        raise LabError(f"{where}: {name}: kind {kind!r} is none of {', '.join(KINDS)}")
    nics = tuple(_nic(nic, name, where) for nic in _items(entry, "nics", f"{where}: {name}"))
    _refuse_repeated((nic.port for nic in nics), f"{where}: {name}: NIC port")
    _refuse_repeated((nic.netdev for nic in nics), f"{where}: {name}: NIC netdev")
    return Device(name, kind, nics, entry)


def _nic(entry: Any, device: str, where: str) -> Nic:
    if not isinstance(entry, dict):
        raise LabError(f"{where}: {device}: NIC {entry!r} is not an object with port and pci")
    port, pci = str(entry.get("port", "")), str(entry.get("pci", "")).lower()
    if not PORT.fullmatch(port):
        raise LabError(f"{where}: {device}: NIC port {port!r} is not a name of 1-15 characters")
    if pci and not PCI.fullmatch(pci):
        raise LabError(f"{where}: {device}: PCI address {pci!r} is not written like 0000:18:00.0")
    netdev = str(entry.get("netdev") or (factory_name(pci) if pci else port))
    if not PORT.fullmatch(netdev) or netdev in ("eth0", "lo"):
        raise LabError(f"{where}: {device}: netdev {netdev!r} is eth0, lo or too long (15)")
    return Nic(port, pci, netdev, entry)


def _link(entry: Any, where: str) -> tuple[End, End]:
    if not (isinstance(entry, list) and len(entry) == 4 and all(isinstance(w, str) for w in entry)):
        raise LabError(f"{where}: link {entry!r} is not [device, port, device, port]")
    for port in (entry[1], entry[3]):
        if not PORT.fullmatch(port) or port in ("eth0", "lo"):
            raise LabError(f"{where}: link {entry!r}: port {port!r} is eth0, lo or too long (15)")
    return End(entry[0], entry[1]), End(entry[2], entry[3])


def _check_ends(cabling: Cabling, where: str) -> None:
    names = set(cabling.names())
    ends = [e for link in cabling.links for e in link]
    for one in ends:
        if one.device not in names:
            raise LabError(f"{where}: a link names device {one.device!r}, which devices lacks")
    _refuse_repeated((str(one) for one in ends), f"{where}: cable end")
    for device in cabling.devices:
        ports = {nic.port for nic in device.nics}
        for one in ends:
            if device.nics and one.device == device.name and one.port not in ports:
                raise LabError(f"{where}: {one} is cabled but is none of the host's NIC ports")


def _refuse_repeated(words: Iterable[str], what: str) -> None:
    seen: set[str] = set()
    for word in words:
        if word in seen:
            raise LabError(f"{what} {word} occurs twice")
        seen.add(word)


def _example(cabling: Cabling) -> str:
    return str(cabling.links[0][0]) if cabling.links else "leaf-1:swp1s0"
