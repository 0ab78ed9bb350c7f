# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that others give to a port at a boot: rules of udev, .link files, cloud-init.

A rule that comes after ours has the last word, one with := the only one. Of RDMA devices the first rename wins. A
.link file names no port that a rule names; it counts where it does so without our rules, in an initramfs, and where it
sets a MAC address. cloud-init renames by MAC address at each boot, after udev.

udevadm is not asked: `test` of release 252 renames the device, `test-builtin net_setup_link` sets its
MTU (both tried). Sources: udev(7), systemd.link(5), initramfs-tools(7), docs.cloud-init.io reference/network-config,
github.com/canonical/cloud-init/issues/4074.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import partial

from .._nic.discover import PCI, physical_netdev
from .._nic.tools import Host
from .backends import RDMA_RULES, RULES
from .definitions import Source, named
from .interfaces import Interface
from .matching import VENDOR, Claim, Facts, Look, bare, entries, fits

FOLDERS = (
    "/etc/udev/rules.d",
    "/run/udev/rules.d",
    "/usr/local/lib/udev/rules.d",
    "/usr/lib/udev/rules.d",
    "/lib/udev/rules.d",
)
TOKEN = re.compile(
    r'([A-Z]{1,16})(?:\{([^{}"\n]{0,64})\})?[ \t]{0,8}(==|!=|\+=|-=|:=|=)[ \t]{0,8}"([^"\n]*)"'
)
RENAME = re.compile(r"rdma_rename \S{1,32} NAME_FIXED (\S+)")
CLOUD, CLOUD_OFF = "/etc/cloud/cloud.cfg.d", "/etc/cloud/cloud-init.disabled"
NETWORK = re.compile(r"^network:(.*)$", re.MULTILINE)
DISABLED = re.compile(r"config:[ \t]*[\"']?disabled")
MAC = re.compile(r"[0-9a-fA-F]{2}(?:[:-][0-9a-fA-F]{2}){5}")
KEY = "network"
"""Key of cloud-init's configuration that has what it renames."""
INSTANCE = ("/run/cloud-init/network-config.json", "/var/lib/cloud/instance/network-config.json")
"""Places where cloud-init keeps its configuration of the network [inferred]; read where they exist."""


def claims(
    host: Host, look: Look, ports: Iterable[Interface], made: Mapping[str, Source]
) -> Iterator[Claim]:
    """Yield what gives a port another name than the plan, or another MAC address."""
    rules = _rules(host, made)
    links = {
        name: Source(path, tuple(entries(host.text(path, links=True) or "")))
        for name, path in named(host, ".link").items()
    }
    links |= {name: one for name, one in made.items() if name.endswith(".link")}
    cloud = list(_cloud(host))
    for one in ports:
        facts = look.ports[one.name]
        yield from _by_rules(host, rules, one, facts)
        yield from _by_link(links, one, facts)
        own = {mac for key in ("MACAddress", "PermanentMACAddress") for mac in facts.get(key, ())}
        yield from (Claim(one, path, KEY, names=True) for path, macs in cloud if own & macs)


def _rules(host: Host, made: Mapping[str, Source]) -> list[tuple[str, Source]]:
    """Return the files of rules in the order in which udev reads them, without ours."""
    found = {name: one for name, one in made.items() if name.endswith(".rules")}
    for folder in reversed(FOLDERS):
        for name in host.entries(folder):
            if name.endswith(".rules") and not (folder == FOLDERS[1] and name in found):
                path = f"{folder}/{name}"
                found[name] = Source(path, text=host.text(path, links=True) or "")
    ours = {path.rpartition("/")[2] for path in (RULES, RDMA_RULES)}
    return sorted((name, one) for name, one in found.items() if name not in ours)


def _by_rules(
    host: Host, rules: Iterable[tuple[str, Source]], one: Interface, facts: Facts
) -> Iterator[Claim]:
    for name, source in rules:
        for line in source.text.replace("\\\n", " ").splitlines():
            given = _given(name, line, one)
            if given and _meant(
                host, source.path, line, one, facts, rdma=given == one.rdma or "infiniband" in line
            ):
                yield Claim(one, source.path, given, names=True, id=source.id, lines=(line,))


def _given(name: str, line: str, one: Interface) -> str:
    """Return what a line of this file sets in the place of ours, "" for nothing."""
    if line.lstrip().startswith("#"):
        return ""
    for key, _attribute, operator, value in TOKEN.findall(line):
        last = name > RULES.rpartition("/")[2] or operator == ":="
        if key == "NAME" and operator in ("=", ":=") and last and value != one.name:
            return f"{key}{operator}{value}"
        rename = RENAME.search(value) if key in ("PROGRAM", "RUN") else None
        if rename and one.rdma and name < RDMA_RULES.rpartition("/")[2] and rename[1] != one.rdma:
            return rename[0]
    return ""


def _meant(host: Host, path: str, line: str, one: Interface, facts: Facts, *, rdma: bool) -> bool:
    """Say whether the conditions of a line hold for the port; what is not known holds in files of others only."""
    known = {
        "ACTION": ["add"],
        "SUBSYSTEM": ["infiniband" if rdma else "net"],
        "NAME": [one.name],
        "KERNELS": [one.pci],
        "DRIVERS": facts.get("Driver"),
        "SUBSYSTEMS": ["pci"],
    }
    for key, attribute, operator, value in TOKEN.findall(line):
        if operator not in ("==", "!="):
            continue
        values = known.get(key)
        if key == "DEVPATH":
            values = [f"/devices/pci/{one.pci}/net/x", f"/devices/pci/{one.pci}/infiniband/x"]
        elif key in ("ATTR", "ATTRS"):
            values = _attribute(host, one, attribute, facts)
        if values is None:
            if path.startswith(VENDOR):
                return False
            continue
        globs = value.split("|")
        if any(fnmatchcase(text, glob) for text in values for glob in globs) != (operator == "=="):
            return False
    return True


def _attribute(host: Host, one: Interface, name: str, facts: Facts) -> list[str] | None:
    """Return the values of an attribute of the port, None where it cannot be read."""
    if name == "address":
        return [
            ":".join(mac[n : n + 2] for n in range(0, 12, 2)) for mac in facts.get("MACAddress", ())
        ] or None
    if name == "type":
        return ["1"]
    device = f"{PCI}/{one.pci}"
    folders = (f"{device}/net/{physical_netdev(host, one.pci)}", device)
    text = next((text for folder in folders if (text := host.text(f"{folder}/{name}"))), None)
    return None if text is None else [text]


def _by_link(links: Mapping[str, Source], one: Interface, facts: Facts) -> Iterator[Claim]:
    """Yield the .link file that counts for the port, where it is of others and names it or changes its address."""
    first = next((it for _name, it in sorted(links.items()) if fits(it.entries, facts)), None)
    if first is None or first.path.startswith(VENDOR):
        return
    ours = partial(fits, first.entries)
    for section, key, value in first.entries:
        if section == "Link" and key in ("Name", "MACAddress") and value != one.name:
            yield Claim(one, first.path, f"{key}={value}", names=True, id=first.id, fits=ours)


def _cloud(host: Host) -> Iterator[tuple[str, set[str]]]:
    """Yield the files by which cloud-init configures the network, and the MAC addresses in each."""
    if host.exists(CLOUD_OFF):
        return
    names = [
        "/etc/cloud/cloud.cfg",
        *(f"{CLOUD}/{name}" for name in host.entries(CLOUD) if name.endswith(".cfg")),
    ]
    texts = [(path, host.text(path, links=True) or "") for path in names]
    whole = [(path, text) for path, text in texts if NETWORK.search(text)]
    if any(
        DISABLED.search(text[match.start() :])
        for _path, text in whole
        if (match := NETWORK.search(text))
    ):
        return
    whole += [(path, text) for path in INSTANCE if (text := host.text(path, links=True))]
    yield from ((path, {bare(mac) for mac in MAC.findall(text)}) for path, text in whole)
