# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Definitions of others that count for ports of the plan, moved aside: changed files, with copies of the former ones.

Nothing is written here. The files go the way of our own, so that check mode shows them, and an attempt restores them.
netplan itself takes a definition out of its files; of rules and stanzas the lines go; a file that means other devices
of the host as well is left, and its sentence stays.
"""

from __future__ import annotations

import hashlib
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .. import _files
from .._nic.state import KEPT
from .._nic.tools import Host, failed
from . import definitions, profiles, renames
from .files import DesiredFile
from .interfaces import Interface, LiveState
from .matching import VENDOR, Claim, Look, seen
from .places import NETWORKS
from .units import unit_states

COPIES = f"{KEPT}/taken-over"
NO_CLOUD = f"{renames.CLOUD}/99-spectrum-x.cfg"
NO_CLOUD_TEXT = (
    b"# Written by spectrum_x.fabric, which keeps the network.\nnetwork: {config: disabled}\n"
)
SERVICES = (profiles.SERVICE, "systemd-networkd.service", profiles.LEGACY, profiles.IFUPDOWN)


@dataclass
class EditedHost(Host):
    """A host as it will be with some files changed, or gone."""

    edits: dict[str, bytes | None] = field(default_factory=dict)

    def content(self, name: str, *, links: bool = False, device: bool = False) -> bytes:
        """Return what a file will have."""
        if name not in self.edits:
            return super().content(name, links=links, device=device)
        text = self.edits[name]
        if text is None:
            raise FileNotFoundError(name)
        return text

    def entries(self, name: str) -> list[str]:
        """Return the names that a folder will have."""
        below = {
            path.rpartition("/")[2]: text
            for path, text in self.edits.items()
            if path.rpartition("/")[0] == name
        }
        kept = {one for one in super().entries(name) if below.get(one, b"") is not None}
        return sorted(kept | {one for one, text in below.items() if text is not None})


def foreign(
    host: Host,
    backend: str,
    found: LiveState,
    ports: Sequence[Interface],
    files: Iterable[DesiredFile],
    *,
    take: bool = False,
) -> tuple[list[DesiredFile], list[Claim], list[Claim]]:
    """Return what of others counts for ports at the next boot although `files`, ours, are written, as the last value.

    With `take` the first are the files by which less of it counts, with copies; the second is what they take aside.
    """
    wanted, look = list(files), seen(host, found, ports)
    on = services(host, SERVICES)
    rows = _claims(host, backend, look, ports, wanted, on)
    if not (take and rows):
        return [], [], rows
    later = EditedHost(**vars(host))
    taken: list[Claim] = []
    left: list[Claim] = []
    while due := [row for row in rows if row not in left]:
        for row in due:
            edits = None if row in taken else _edits(later, look, row)
            (left if edits is None else taken).append(row)
            later.edits.update(edits or {})
        rows = _claims(later, backend, look, ports, wanted, on)
    return [*_copies(host, later.edits), *_files_of(host, later.edits)], taken, left


def services(host: Host, names: Sequence[str]) -> set[str]:
    """Return those of the services that run, or start at a boot."""
    states, _more = unit_states(host, names)
    return {name for name, one in states.items() if one.runs or one.enabled.startswith("enabled")}


def _claims(
    host: Host,
    backend: str,
    look: Look,
    ports: Sequence[Interface],
    files: Sequence[DesiredFile],
    on: set[str],
) -> list[Claim]:
    made = definitions.generated(host, files, required=backend == definitions.NAME)
    networkd = backend in definitions.OWN or SERVICES[1] in on
    rows = [
        *(definitions.of_networkd(host, backend, look, ports, made) if networkd else ()),
        *profiles.claims(host, backend, on, look, ports, made),
        *renames.claims(host, look, ports, made),
    ]
    return list({(row.port.name, row.path, row.key): row for row in rows}.values())


def _edits(host: EditedHost, look: Look, row: Claim) -> dict[str, bytes | None] | None:
    """Return the files that change when a claim goes, None where that would take more along."""
    if any(map(row.fits, look.others.values())):
        return None
    if row.id:
        return _by_netplan(host, row)
    if row.key == renames.KEY:
        return {NO_CLOUD: NO_CLOUD_TEXT}
    if row.lines:
        lines = host.content(row.path, links=True).decode("utf-8", "replace").splitlines()
        kept = [line for line in lines if line not in row.lines]
        rest = any(line.strip() and not line.lstrip().startswith("#") for line in kept)
        return {row.path: "".join(f"{line}\n" for line in kept).encode() if rest else None}
    if row.path.startswith(VENDOR):  # an empty file below /etc stands in for it
        return {f"{NETWORKS}/{row.path.rpartition('/')[2]}": b""}
    return {row.path: None}


def _by_netplan(host: EditedHost, row: Claim) -> dict[str, bytes | None] | None:
    """Let netplan take a definition out of the files that have it, in a folder of its own."""
    texts = definitions.texts_of_others(host)
    with tempfile.TemporaryDirectory(prefix="spectrum-x-") as root:
        definitions.lay(root, texts)
        key = row.id.replace(".", "\\.")
        if failed(host.ask("netplan", "set", "--root-dir", root, f"ethernets.{key}=NULL")):
            return None
        places = {
            path: Path(root + path) for path, text in texts.items() if row.id.encode() in text
        }
        return {path: _files.content(one) if one.exists() else None for path, one in places.items()}


def _copies(host: Host, edits: Mapping[str, bytes | None]) -> Iterator[DesiredFile]:
    for path in edits:
        if host.exists(path):
            text = host.content(path, links=True)
            name = f"{path.strip('/').replace('/', '_')}.{hashlib.sha256(text).hexdigest()[:8]}"
            yield DesiredFile(f"{COPIES}/{name}", text, 0o600)


def _files_of(host: Host, edits: Mapping[str, bytes | None]) -> Iterator[DesiredFile]:
    for path, text in edits.items():
        mode = stat.S_IMODE(host.path(path).stat().st_mode) if host.exists(path) else 0o644
        yield DesiredFile(path, text, mode)
