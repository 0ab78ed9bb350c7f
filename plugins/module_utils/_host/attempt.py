# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change of the network that the host takes back by itself, unless the controller comes again and confirms it.

    token = arm(host, before, seconds=120)     a transient timer runs before anything is changed
    ...                                        files, names, bonds, addresses
    confirm(host, token)                       over a fresh connection: the timer ends, the change stays

What takes it back is one script that holds the former files and the former state. It and the confirmation
rename the same file, so that exactly one of them has its way. A power cycle meanwhile ends the timer; then a
unit runs the script at the next boot, before the network is configured.
"""

from __future__ import annotations

import base64
import ipaddress
import os
import secrets
import shlex
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from .. import _files
from .._nic.errors import NicError
from .._nic.ownership import exposure
from .._nic.state import KEPT
from .._nic.tools import Host, Step
from .files import DesiredFile
from .interfaces import Interface, LiveState
from .networks import Networks, named, strays
from .places import UNITS, rivals
from .records import LinkRow, RouteRow
from .units import Unit, unit_states

FOLDER = f"{KEPT}/attempt"
ARMED, CONFIRMED, TAKEN = "take-back-", "confirmed-", "taken-"
UNIT = "spectrum-x-attempt"
BOOT = "spectrum-x-take-back.service"
MAIN = "main"
PATIENCE = 10
"""The shortest attempt, seconds: a bond takes some until it carries."""

_BOOT = f"""# Written by spectrum_x.fabric; changes are lost.
[Unit]
Description=Spectrum-X reverts an unconfirmed change of the network
ConditionPathExistsGlob={FOLDER}/{ARMED}*
DefaultDependencies=no
After=local-fs.target systemd-udevd.service
Before=network-pre.target
Wants=network-pre.target

[Service]
Type=oneshot
ExecStart=/bin/sh -c 'for one in {FOLDER}/{ARMED}*; do /bin/sh "$$one"; done'

[Install]
WantedBy=sysinit.target
"""
BOOT_FILE = DesiredFile(f"{UNITS}/{BOOT}", _BOOT.encode())


@dataclass(frozen=True)
class SavedState:
    """State to restore: files by path (None: there was none), the state before the change, and the interfaces that
    change.

    A file is its text and its mode; of a link the text is where it leads. `commands` make the files effective again.
    """

    files: dict[str, tuple[bytes, int] | None]
    found: LiveState
    ports: Sequence[Interface]
    networks: Networks
    commands: Sequence[Sequence[str]]


def kept(host: Host, wanted: Iterable[DesiredFile]) -> dict[str, tuple[bytes, int] | None]:
    """The files that a change of the network may write or remove, as they are."""
    rows = list(wanted)
    paths = [one.path for one in rows]
    paths += [rival.path for rival in rivals(host, [one.path for one in rows if one.stays])]
    return {path: _file(host, path) for path in dict.fromkeys(paths)}


def _file(host: Host, path: str) -> tuple[bytes, int] | None:
    place = host.path(path)
    try:
        mode = place.lstat().st_mode
        return os.fsencode(os.readlink(place)) if stat.S_ISLNK(mode) else host.content(path), mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as exc:
        raise NicError(f"{path}: it cannot be read: {exc.strerror}.") from exc


def arm(host: Host, before: SavedState, *, seconds: int) -> str:
    """Start the timer and return the name of the attempt; NicError, and nothing changed, where it cannot run.

    "" in check mode.
    """
    if host.check_mode:
        return ""
    _refuse_another(host)
    wrong = exposure(FOLDER, host.path)
    if wrong:
        raise NicError(f"{wrong} The script that reverts a change is there: give it to root alone.")
    token = secrets.token_hex(4)
    path = f"{FOLDER}/{ARMED}{token}"
    try:
        _files.put(host.path(path), script(before, token).encode(), 0o600)
    except OSError as exc:
        raise NicError(f"{path}: it cannot be written: {exc.strerror}.") from exc
    try:
        _start(host, path, seconds)
    except NicError:
        host.path(path).unlink()
        raise
    return token


def _refuse_another(host: Host) -> None:
    for name in host.entries(FOLDER):
        if name.startswith(ARMED):
            raise NicError(
                "an earlier change of the network is still to be reverted: wait a few minutes, or "
                f"run 'sh {FOLDER}/{name}' on the host, and run again."
            )
        with suppress(FileNotFoundError):
            host.path(f"{FOLDER}/{name}").unlink()


def _start(host: Host, path: str, seconds: int) -> None:
    """Without a timer that is known to run nothing is changed."""
    argv = (
        *(
            "systemd-run",
            "--quiet",
            "--collect",
            f"--unit={UNIT}",
            f"--on-active={max(seconds, PATIENCE)}",
        ),
        *("--timer-property=AccuracySec=1s", "--service-type=oneshot", "/bin/sh", path),
    )
    host.perform(Step("the network", "the timer that reverts a change", "", "", argv=argv))
    timer = f"{UNIT}.timer"
    if unit_states(host, [timer])[0].get(timer, Unit()).active != "active":
        raise NicError(f"{timer} does not run after it was started: nothing was changed.")


def confirm(host: Host, token: str) -> None:
    """Let the change stay; NicError where the host has taken it back. Said twice, it is the same."""
    armed, done = (host.path(f"{FOLDER}/{word}{token}") for word in (ARMED, CONFIRMED))
    try:
        armed.rename(done)
    except FileNotFoundError:
        if not done.exists():
            raise NicError(
                "the host reverted the change of its network, as it was not confirmed in time: find out why the "
                "host could not be reached, and run again."
            ) from None
    host.ask("systemctl", "stop", f"{UNIT}.timer")


# The script


def script(before: SavedState, token: str) -> str:
    """Script in POSIX shell that reverts a change; a line that fails does not stop the others."""
    mine = [f"{FOLDER}/{word}{token}" for word in (ARMED, TAKEN)]
    lines = [
        "#!/bin/sh",
        "# Written by spectrum_x.fabric. It reverts an unconfirmed change of the network.",
        f"mv {mine[0]} {mine[1]} || exit 0",
        *_files_back(before.files),
        "udevadm control --reload",
        *_removed(before),
        *_renamed(before),
        *(shlex.join(argv) for argv in before.commands),
        *_restored(before),
        "logger -t spectrum-x 'the change of the network was not confirmed and is reverted'",
    ]
    return "\n".join(lines) + "\n"


def _files_back(files: dict[str, tuple[bytes, int] | None]) -> Iterator[str]:
    for path, former in files.items():
        name, fresh = shlex.quote(path), shlex.quote(f"{path}.former")
        if former is None:
            yield f"rm -f {name}"
            continue
        if stat.S_ISLNK(former[1]):
            leads = shlex.quote(os.fsdecode(former[0]))
            yield f"ln -sfn {leads} {fresh} && mv -fT {fresh} {name}"
            continue
        text, mode = base64.b64encode(former[0]).decode(), stat.S_IMODE(former[1])
        yield (
            f"(umask 077 && printf %s '{text}' | base64 -d > {fresh}) && chmod {mode:04o} {fresh} && "
            f"mv {fresh} {name}"
        )


def _removed(before: SavedState) -> Iterator[str]:
    """Bonds and VLANs that were not there, VLANs first."""
    fresh = [one.name for one in before.networks.virtual if one.name not in before.found.links]
    yield from (
        _ip("link delete dev", name) for name in sorted(fresh, key=lambda name: "." not in name)
    )


def _renamed(before: SavedState) -> Iterator[str]:
    """First every port gets a name of its own, as one may have the former name of another."""
    moved = [one for one in before.ports if before.found.name_of(one) not in ("", one.name)]
    for one in moved:
        moving = _ip("link set dev", one.name, "name", between(one.pci))
        yield f"{_ip('link set dev', one.name, 'down')} && {moving}"
    for one in moved:
        yield _ip("link set dev", between(one.pci), "name", before.found.name_of(one))


def _ip(order: str, *words: object) -> str:
    """A line of the script; the kernel lets an interface be called `b;id>x`."""
    return shlex.join(["ip", *order.split(), *map(str, words)])


def between(pci: str) -> str:
    """A name that no plan gives, for a port on its way to another one."""
    return "spx" + "".join(filter(str.isalnum, pci))


def _restored(before: SavedState) -> Iterator[str]:
    """Links, addresses and routes of what was touched, by iproute2: the service that keeps them may be late."""
    found = before.found
    names = {found.name_of(one) for one in before.ports} | {*named(before.networks)}
    names |= {*strays(found, before.networks)}
    links = [(name, found.links[name]) for name in sorted(names & found.links.keys())]
    for name, link in links:
        yield from _link(name, link)
    rows = [row for row in found.routes if row.get("dev") in names and _is_set(row)]
    yield from map(_route, sorted(rows, key=lambda row: "gateway" in row))


def _is_set(row: RouteRow) -> bool:
    """Check whether somebody set the route; routes of addresses come with the addresses."""
    own = row.get("protocol") == "kernel" or row.get("type", "unicast") != "unicast"
    return not own and row.get("table", MAIN) == MAIN


def _link(name: str, link: LinkRow) -> Iterator[str]:
    if link.get("linkinfo", {}).get("info_kind") == "vlan":
        data = link["linkinfo"]["info_data"]
        kind = ("type", "vlan", "id", data.get("id"))
        yield _ip("link add link", link.get("link"), "name", name, *kind)
    if "master" in link:
        yield _ip("link set dev", name, "master", link["master"])
    state = "up" if "UP" in link.get("flags", ()) else "down"
    yield _ip("link set dev", name, "mtu", link.get("mtu", 1500), state)
    for row in link.get("addr_info", ()):
        if row.get("scope") == "global":
            address = f"{row.get('local')}/{row.get('prefixlen')}"
            yield _ip("address replace", address, "dev", name)


def _route(row: RouteRow) -> str:
    words: list[object] = [row.get("dst", "default")]
    words += ["via", row["gateway"]] if "gateway" in row else []
    words += ["dev", row["dev"]]
    words += ["metric", row["metric"]] if "metric" in row else []
    return _ip(f"{'-6' if _version(row) == 6 else '-4'} route replace", *words)


def _version(row: RouteRow) -> int:
    text = row.get("gateway") or row.get("dst", "")
    with suppress(ValueError):
        return ipaddress.ip_network(text, strict=False).version
    return 4


# Over which interface the controller reaches the host


def way_in(host: Host, found: LiveState) -> str:
    """The interface with the address to which this SSH connection leads, "" where there is none to be seen."""
    address = _server(host)
    for name, link in found.links.items():
        if address and address in [row.get("local") for row in link.get("addr_info", ())]:
            return name
    return ""


def _server(host: Host) -> str:
    """The third word of SSH_CONNECTION of the process above this one that has it: sudo keeps it from its child."""
    pid, seen = "self", 0
    while pid not in ("", "0", "1") and seen < 32:
        seen += 1
        for text in (host.text(f"/proc/{pid}/environ") or "").split("\0"):
            name, _equals, value = text.partition("=")
            if name == "SSH_CONNECTION" and len(value.split()) == 4:
                return value.split()[2]
        status = host.text(f"/proc/{pid}/status") or ""
        pid = next(
            (line.split()[1] for line in status.splitlines() if line.startswith("PPid:")), ""
        )
    return ""
