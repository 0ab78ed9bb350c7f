# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of a switch: two partitions, files, and the actions that bring a release onto the other partition.

Published: the shape of /system/image, `fetch`, `install` of a file on the other partition, `boot-next other` and
`rollback` (user guide, Upgrading Cumulus Linux). From clients and NVIDIA's tests of switches: the paths and bodies of
`fetch` and `install`, `current` and `next` as text, `path` of a file, the sentences "File fetched successfully",
"Image does not exist" and "No image on partition2", the parameter `partition` of `boot-next`. Inferred: `rollback:
true`, that `install` leaves `next` alone, `percentage` of a job, the hash action's body, and all other sentences.

An image of the double is text (`make`): what it installs, its length and its SHA-256 are checked at the install.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from . import fetching
from .release import Release

if TYPE_CHECKING:
    from .faults import Fault
    from .switch import Switch

FOLDER = "/var/images"
SINCE = "5.11"
ROLLBACK_SINCE = "5.12"
HASH_SINCE = "5.13"
HASHES = ("md5", "sha1", "sha224", "sha256", "sha512")
NO_DOWNGRADE = "5.12"
"""Releases before this one cannot be installed beside the running one (user guide, Upgrading)."""
REFETCHED = "5225576"
"""Known issue: the install fails when the image was fetched before. Shown when a test asks for it."""
OTHERS = {"1": "2", "2": "1"}
_HEAD = re.compile(rb"cumulus-linux-image release=(\S+) build-id=(\S+) sha256=(\S+)\n")


class ImageError(Exception):
    """An action on images that fails; the text is the issue of its job."""


@dataclass(frozen=True)
class Partition:
    """An image on the disk; without one the release is empty. `kept` is the configuration it ran with last."""

    release: str = ""
    build: str = ""
    kept: dict[str, Any] | None = None


@dataclass(frozen=True)
class ImageFile:
    """A file in the folder of images, and how often it was fetched."""

    data: bytes
    fetches: int = 1


def make(release: str, build: str = "", size: int = 4096) -> bytes:
    """An image file as this double installs it."""
    body = f"{release} ".encode() * (size // (len(release) + 1) + 1)
    head = f"cumulus-linux-image release={release} build-id={build or f'{release}.0001'}"
    return f"{head} sha256={hashlib.sha256(body).hexdigest()}\n".encode() + body


def read(data: bytes) -> Partition:
    """What an image file installs; ImageError where it is none, or not whole."""
    match = _HEAD.match(data)
    if match is None:
        raise ImageError("Failed to install: not a Cumulus Linux image")
    release, build, digest = (part.decode() for part in match.groups())
    if hashlib.sha256(data[match.end() :]).hexdigest() != digest:
        raise ImageError("Failed to install: image checksum mismatch")
    return Partition(release, build)


class Images:
    """The partitions and the files of one switch."""

    def __init__(self, switch: Switch) -> None:
        self.switch, options = switch, switch.options
        self.current = self.next = "1"
        self.rollback = False
        self.files: dict[str, ImageFile] = {}
        other = options.other_release
        beside = Partition(other, f"{other}.0001") if other else Partition()
        self.partitions = {"1": Partition(), "2": beside}
        self._began = options.release
        self._file = Path(options.state_dir) / "images.json" if options.state_dir else None
        self._recall()

    def keep(self) -> None:
        """Write what runs into the state folder, for a process that starts again."""
        if self._file is not None:
            held = {number: asdict(self.partition(number)) for number in self.partitions}
            plain = {"began": self._began, "current": self.current, "partitions": held}
            self._file.parent.mkdir(parents=True, exist_ok=True)
            self._file.write_text(json.dumps(plain), "utf-8")

    def _recall(self) -> None:
        """Run what ran before this process, unless it was started as another release since."""
        if self._file is None or not self._file.exists():
            return
        plain = json.loads(self._file.read_text("utf-8"))
        if plain["began"] == self._began:
            self.current = self.next = plain["current"]
            self.partitions = {name: Partition(**one) for name, one in plain["partitions"].items()}
            self.switch.options.release = self.partitions[self.current].release

    @property
    def other(self) -> str:
        """The partition that does not run."""
        return OTHERS[self.current]

    def partition(self, number: str) -> Partition:
        """An image on the disk; that of the running partition follows the option `release`."""
        held, release = self.partitions[number], str(self.switch.options.parsed_release)
        if number == self.current and held.release != release:
            held = self.partitions[number] = Partition(release, f"{release}.0001", held.kept)
        return held

    def words(self) -> dict[str, Any]:
        """The words of the shapes of /system/image."""
        words = {"current": self.current, "next": self.next}
        for number in self.partitions:
            held = self.partition(number)
            said = f"Cumulus Linux {held.release}" if held.release else ""
            words |= {f"release{number}": held.release, f"build{number}": held.build}
            words |= {f"description{number}": said}
        return words

    def listing(self) -> dict[str, dict[str, str]]:
        """The files as /system/image/files shows them."""
        return {name: {"path": f"{FOLDER}/{name}"} for name in sorted(self.files)}

    async def fetch(self, url: str) -> str:
        """Fetch an image by HTTP into the folder of images; the status of the job."""
        name = PurePosixPath(unquote(urlsplit(url).path)).name
        if not name:
            raise ImageError(f"Failed to fetch {url}: it names no file")
        faults = self.switch.faults
        _refuse_full_disk(self.switch, "fetch")
        cut = faults.take("fetch_cut")
        try:
            data = await fetching.get(url, cut.get("bytes", 1000) if cut else None)
        except fetching.FetchError as error:
            raise ImageError(str(error)) from error
        if cut and not cut.get("silent", False):
            raise ImageError(f"Failed to fetch {url}: transfer closed with data remaining")
        if wrong := faults.take("fetch_wrong"):
            data = _other_content(wrong, data)
        before = self.files.get(name)
        self.files[name] = ImageFile(data, before.fetches + 1 if before else 1)
        return "File fetched successfully"

    async def install(self, name: str, job: dict[str, Any]) -> str:
        """Install a file on the other partition while the switch works; the status of the job."""
        if name not in self.files:
            raise ImageError("Image does not exist")
        file, issues = self.files[name], self.switch.options.known_issues
        _refuse_full_disk(self.switch, "install")
        image = read(file.data)
        if not Release.parse(image.release).at_least(NO_DOWNGRADE):
            raise ImageError(f"Failed to install: {image.release} needs ONIE")
        if REFETCHED in issues and file.fetches > 1:
            raise ImageError(f"Failed to install: known issue {REFETCHED}")
        await self._write(job)
        fault = self.switch.faults.take("install_error")
        if fault is None or fault.get("installed", True):
            self.partitions[self.other] = image
        if fault:
            raise ImageError("Installing image")
        return "Image installed successfully"

    async def _write(self, job: dict[str, Any]) -> None:
        job["status"] = "Installing image"
        for percent in (0, 25, 50, 75):
            job["percentage"] = percent
            await asyncio.sleep(self.switch.options.install_seconds / 4)
        job["percentage"] = 100

    def boot_next(self, word: str, rollback: bool) -> str:
        """Choose the partition of the next boot; the status of the job."""
        number = self.other if word == "other" else word.removeprefix("partition")
        held = self.partition(number)
        if not held.release:
            raise ImageError(f"No image on partition{number}")
        if rollback and (number == self.current or held.kept is None):
            raise ImageError(f"No configuration to roll back to on partition{number}")
        self.next, self.rollback = number, rollback
        return "Action succeeded"

    def leave(self, startup: dict[str, Any]) -> Partition:
        """Run the next partition, keeping what the one that ran was configured with; what runs now."""
        left = self.partition(self.current)
        self.partitions[self.current] = replace(left, kept=startup)
        self.current = self.next
        return self.partitions[self.current]

    def digest(self, algorithm: str, path: str) -> str:
        """The output of the action that hashes a file."""
        name = path.removeprefix(f"{FOLDER}/")
        if name not in self.files:
            raise ImageError("File not found")
        hashed = hashlib.new(algorithm, self.files[name].data).hexdigest()
        return f"Generated Hash Checksum\n{hashed} {path}"

    def delete(self, name: str) -> str:
        """Delete a file; the status of the job."""
        if name not in self.files:
            raise ImageError("File not found")
        del self.files[name]
        return "Action succeeded"


def check_fetch(parameters: Mapping[str, Any]) -> None:
    """Raise ValueError for parameters that `fetch` does not take."""
    _known("fetch", parameters, {"remote-url", "vrf"})
    if not isinstance(parameters.get("remote-url"), str):
        raise ValueError("fetch: remote-url is required")


def check_install(parameters: Mapping[str, Any]) -> None:
    """Raise ValueError for parameters that `install` does not take."""
    _known("install", parameters, {"force", "reboot", "issu", "skip-sm", "image-file"})


def check_boot_next(parameters: Mapping[str, Any], release: Release) -> None:
    """Raise ValueError for parameters that `boot-next` does not take."""
    rollback = {"rollback"} if release.at_least(ROLLBACK_SINCE) else set()
    _known("boot-next", parameters, {"partition", *rollback})
    allowed = ("other", "partition1", "partition2")
    if parameters.get("partition") not in allowed:
        raise ValueError(f"boot-next: partition is not one of {', '.join(allowed)}")
    if not isinstance(parameters.get("rollback", False), bool):
        raise ValueError("boot-next: rollback is true or false")


def check_hash(parameters: Mapping[str, Any]) -> None:
    """Raise ValueError for parameters that the action which hashes a file does not take."""
    _known("generate", parameters, {"filename"})
    if not isinstance(parameters.get("filename"), str):
        raise ValueError("generate: filename is required")


def _known(action: str, parameters: Mapping[str, Any], allowed: set[str]) -> None:
    if unknown := set(parameters) - allowed:
        raise ValueError(f"{action}: unknown parameter {', '.join(sorted(unknown))}")


def _refuse_full_disk(switch: Switch, action: str) -> None:
    if switch.faults.take("disk_full", action=action):
        raise ImageError(f"Failed to {action}: No space left on device")


def _other_content(fault: Fault, data: bytes) -> bytes:
    """The content that a lying server has: another build, or the file with one bit less."""
    build = fault.get("build", None)
    if build is None:
        return data[:-1] + bytes([data[-1] ^ 1])
    return make(read(data).release, build)
