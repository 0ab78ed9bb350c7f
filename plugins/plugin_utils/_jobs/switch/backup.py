# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Backups of switches: a file for each, and what a new switch takes from the one of its place. Private.

    {"certificate": "<SHA-256>", "configuration": {...}, "device": "leaf-p1-su001-r1",
     "masked": ["system/aaa/user/cumulus/hashed-password"], "release": "5.16.1"}

The same switch gives the same bytes. Secrets are masked. The folder may be a git work tree.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import json
import os
import subprocess
import time
import typing as t
from pathlib import Path

from ....module_utils import _files, _json, _text
from ..._fabric.description.errors import FabricError
from ..._fabric.render.switch import compose
from ..._http import certificate as certificates
from ..._http.secret_words import MASK
from ..._nvue.change import identity
from ..._nvue.change.plan import RestoredSettings
from ..._nvue.document import dialect, ranges
from ..._nvue.document import release as releases
from ..._nvue.document.paths import Globs, to_text
from ..._nvue.document.secrets import mask, masked_number
from ..._nvue.document.shapes import below, configuration, mapping, mappings
from ..._nvue.document.tree import get, has_below, leaves, merge, normalise, prune, select
from ..._nvue.errors import NvueError
from ..._nvue.wire import operational
from ..._nvue.wire.port import LARGEST
from ..git import environment
from . import change

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from ..._fabric.render.switch.context import Context
    from ..._nvue.wire.api import Api
    from .wish import SwitchWish

Plain = dict[str, object]
MODE = 0o600
FOLDER_MODE = 0o700
GIT_SECONDS = 120.0
LOCK_SECONDS = 600.0
LOCK_STEP = 0.1
SWITCHS_OWN = ("default", "mgmt")
"""VRFs that no tenant has."""
NEVER = ("router/bgp/graceful-shutdown", "maintenance", "system/api")
"""Places that a new switch never takes: a drain is over, and the API's certificate is imported first."""


@dataclasses.dataclass(frozen=True)
class Backup:
    """Backup of one switch; `configuration` is in the spelling of `release`."""

    device: str
    release: str
    certificate: str
    configuration: Doc
    masked: list[str]

    def text(self) -> bytes:
        """Return the file: the same for the same configuration."""
        return (json.dumps(vars(self), indent=1, sort_keys=True) + "\n").encode()

    @property
    def from_factory(self) -> bool:
        """Return whether the switch had no host name of its own."""
        name = str(get(self.configuration, ("system", "hostname"), ""))
        return name.lower() in identity.FACTORY_NAMES

    def neutral(self) -> Doc:
        """Return the configuration in the neutral spelling; ValueError or NvueError where it is no configuration."""
        whole = ranges.expand(normalise(self.configuration))
        return configuration(dialect.from_release(whole, releases.parse(self.release)))


def fingerprint(api: Api) -> str:
    """Return the SHA-256 of the certificate that a switch shows, in hexadecimal digits."""
    return certificates.fingerprint(api.port.certificate())


def read(api: Api, ctx: Context, how: change.Conditions) -> Backup:
    """Read the backup of a switch; NvueError as the client raises it, and where it is another switch."""
    device = str(ctx.slice["name"])
    release, found = operational.about(api).release, operational.applied(api)
    hostname = str(get(found, ("system", "hostname"), ""))
    identity.check(api, change.identity(ctx, how), hostname, device=device)
    shown = mapping(mask(found))
    return Backup(device, str(release), fingerprint(api), shown, masked(shown))


def masked(shown: Doc) -> list[str]:
    """Return the places of the secrets of a masked document, sorted."""
    return sorted(
        to_text(path)
        for path, value in leaves(shown)
        if value == MASK or any(map(masked_number, path))
    )


def place(folder: str, device: str) -> Path:
    """Return the file of a switch; FabricError for a name that would lead out of the folder."""
    if os.path.basename(device) != device or device.startswith("."):
        raise FabricError.of(f"spx_backup: '{device}' is no name of a file: rename the device.")
    return Path(folder) / f"{device}.json"


def keep(folder: str, made: Backup, *, check: bool = False) -> bool:
    """Write a backup unless the file has its bytes already; return whether it differs."""
    file, text = place(folder, made.device), made.text()
    with contextlib.suppress(OSError):
        if _files.content(file, most=LARGEST) == text:
            return False
    _must_not_be_lost(folder, made)
    if check:
        return True
    try:
        os.makedirs(folder, mode=FOLDER_MODE, exist_ok=True)
        _files.put(file, text, MODE)
    except OSError as exc:
        raise FabricError.of(
            f"spx_backup: {file} cannot be written ({exc.strerror}): make room, or name another folder."
        ) from exc
    return True


def _must_not_be_lost(folder: str, made: Backup) -> None:
    """Refuse to put the configuration of a factory in the place of a backup from which a new switch is to take."""
    if not made.from_factory:
        return
    try:
        before = load(folder, made.device)
    except FabricError:
        return
    if not before.from_factory:
        raise FabricError.of(
            f"spx_backup: {made.device} has no host name, as from the factory, and {place(folder, made.device)} is of "
            "before that: run switch_replace or switches first, or move that file away."
        )


def run(api: Api, ctx: Context, how: change.Conditions, folder: str) -> Plain:
    """Back up one switch; the result of a task."""
    try:
        made = read(api, ctx, how)
    finally:
        api.port.close()
    changed = keep(folder, made, check=how.check)
    return {"changed": changed, "backup": str(place(folder, made.device)), "masked": made.masked}


def after(api: Api, wanted: SwitchWish, how: change.Conditions, *, folder: str, git: bool) -> Plain:
    """Back up a switch that was changed; the result says where that failed, as the switch keeps its change."""
    device = str(wanted.ctx.slice["name"])
    try:
        made = run(api, wanted.ctx, how, folder)
        if git:
            commit(folder, [device], how.message())
    except (FabricError, NvueError) as exc:
        said = f"{device} was changed, but its backup is of before. {exc} Then run playbook backup."
        return {"failed": True, "msg": said}
    return {"backup": made["backup"]}


def commit(folder: str, devices: t.Iterable[str], message: str) -> bool:
    """Commit the backups of switches with git; False where nothing of them differs. FabricError where git fails.

    One run at a time does it, and nothing else that is staged there goes into the commit.
    """
    files = {file.name for file in (place(folder, name) for name in devices) if file.exists()}
    if not files:
        return False
    given = "".join(f"{name}\n" for name in sorted(files))
    with _alone(folder):
        _git(folder, "add", "--pathspec-from-file=-", given=given)
        staged = _git(folder, "diff", "--cached", "--name-only", "--relative").splitlines()
        if files.isdisjoint(staged):
            return False
        options = ("--quiet", "--message", message, "--pathspec-from-file=-")
        _git(folder, "commit", *options, given=given)
    return True


@contextlib.contextmanager
def _alone(folder: str) -> t.Iterator[None]:
    """Keep other runs from committing there meanwhile; FabricError where one of them does not end."""
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as exc:
        raise FabricError.of(
            f"spx_backup: {folder} cannot be read ({exc.strerror}): give this user the right to it."
        ) from exc
    try:
        last = time.monotonic() + LOCK_SECONDS
        while not _locked(handle):
            if time.monotonic() >= last:
                raise FabricError.of(
                    f"spx_backup: another run has committed in {folder} for {LOCK_SECONDS:g} s: wait until it ends, or "
                    "end it, and run again."
                )
            time.sleep(LOCK_STEP)
        yield
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    with contextlib.suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


def _git(folder: str, *words: str, given: str = "") -> str:
    try:
        done = subprocess.run(
            ["git", "-C", folder, "--literal-pathspecs", *words],
            input=given,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=GIT_SECONDS,
            check=True,
            env=environment(GIT_TERMINAL_PROMPT="0"),
        )
    except (OSError, ValueError, subprocess.SubprocessError) as exc:
        said = _text.line(str(getattr(exc, "stderr", "") or exc), 200).strip()
        raise FabricError.of(
            f"spx_backup: git {words[0]} failed in {folder} ({said}): repair the work tree there, or run without "
            "spx_backup_git."
        ) from exc
    return done.stdout


# What a new switch takes


def load(folder: str, device: str) -> Backup:
    """Return the backup of a switch; FabricError where there is none, or none of this switch."""
    file = place(folder, device)
    try:
        found: Plain = _json.parse(_files.content(file, most=LARGEST))
        made = Backup(**t.cast("dict[str, t.Any]", found))
        made.neutral()
    except (AttributeError, NvueError, OSError, TypeError, ValueError) as exc:
        why = getattr(exc, "strerror", None) or exc
        raise FabricError.of(
            f"spx_backup: {file} is no backup that can be read ({why}): name the folder of playbook backup, or leave "
            "spx_backup out."
        ) from exc
    if made.device != device:
        raise FabricError.of(
            f"spx_backup: {file} is of {made.device!r}: name the folder that has the backup of {device}."
        )
    return made


def beside(
    made: Backup, wanted: SwitchWish, secrets: t.Mapping[str, str]
) -> tuple[RestoredSettings, list[str]]:
    """Return what a new switch takes from a backup, and the places that stay there because tenants had them.

    That is what the roles of the run do not own. Tenancy comes from the registry: no VRF of tenants, and no
    interface in one, is taken. `secrets` are values by their place.
    """
    ctx, whole, wish = wanted.ctx, made.neutral(), wanted.wish()
    others = prune(whole, Globs(wish.owns))
    if wish.unmanaged:
        others = merge(others, select(whole, Globs(wish.unmanaged)))
    others = prune(others, Globs([*compose.owns(ctx, ["switch_tenants"]), *NEVER]))
    tenants = Globs(_tenancy(others))
    left = [to_text(path) for path in _heads(select(others, tenants))]
    filled, lacking = _filled(prune(others, tenants), secrets)
    return RestoredSettings(filled, tuple(lacking)), left


def _tenancy(doc: Doc) -> list[str]:
    """The VRFs of tenants, and the interfaces in one."""
    made = [("vrf", name) for name in below(doc, "vrf") if name not in SWITCHS_OWN]
    made += [
        ("interface", name)
        for name, body in mappings(below(doc, "interface")).items()
        if body.get("vrf", "default") not in SWITCHS_OWN
    ]
    return [to_text(path) for path in made]


def _heads(doc: Doc) -> list[tuple[str, str]]:
    return [(above, name) for above, body in doc.items() for name in mapping(body)]


def _filled(
    doc: Doc, secrets: t.Mapping[str, str], above: tuple[str, ...] = ()
) -> tuple[Doc, list[tuple[str, ...]]]:
    """Return a document with secrets in the place of masks, and the places of those that are not stated."""
    made: Doc = {}
    lacking: list[tuple[str, ...]] = []
    for key, value in doc.items():
        here = (*above, key)
        stated = secrets.get(to_text(here))
        hidden = masked_number(key) > 0
        if (hidden or value == MASK) and stated is None:
            lacking.append(here)
            continue
        if has_below(value):
            inner, more = _filled(value, secrets, here)
            lacking += more
            if not inner and more:
                continue
            value = inner
        made[str(stated) if hidden else key] = stated if value == MASK else value
    return made, lacking
