# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The distribution's own kernel for a guest: its packages are downloaded and unpacked, never installed.

What is unpacked stays in the cache folder as ``kernel``, until ``lab prune`` removes it.
"""

from __future__ import annotations

import dataclasses
import gzip
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable

from lab.errors import LabError
from lab.shell import have, run
from lab.state import cache_folder

NEWEST = ("linux-image-amd64", "linux-image-generic")
"""Packages of Debian and of Ubuntu which depend on those of the newest kernel."""
PARTS = re.compile(r"\s+Depends: (linux-(?:image|modules|modules-extra)-\d\S*)")
OPTIONS = ("-o", "APT::Sandbox::User=root", "-o", "Acquire::Retries=3")
DOWNLOAD = 100
"""Seconds for 70 to 160 MB."""


class NoGuest(LabError):
    """This machine cannot have a guest; the text says why."""


@dataclasses.dataclass(frozen=True)
class Kernel:
    """An unpacked kernel: `folder` holds ``boot`` and ``lib/modules``."""

    folder: pathlib.Path

    @property
    def image(self) -> pathlib.Path:
        """The file that boots."""
        found = [*(self.folder / "boot").glob("vmlinuz-*")]
        if not found:
            raise NoGuest("the packages of the guest's kernel hold no boot/vmlinuz-*")
        return found[0]

    @property
    def version(self) -> str:
        """Its version, as `uname -r` says it."""
        return self.image.name.partition("-")[2]

    def modules(self, names: Iterable[str]) -> list[pathlib.Path]:
        """The files of modules with all they depend on, in the order in which they are inserted."""
        where = ["--dirname", str(self.folder), "--set-version", self.version]
        shown = run(["modprobe", *where, "--show-depends", "--all", *names], env={"PATH": _PATH})
        lines = [line.split() for line in shown.stdout.splitlines()]
        files = [pathlib.Path(words[1]) for words in lines if words[0] == "insmod"]
        return list(dict.fromkeys(files))


_PATH = os.pathsep.join((os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"))
"""PATH with modprobe and depmod, also for a user whose own has no programs of root."""


def unpacked() -> Kernel:
    """Return the kernel of the cache, which is downloaded where it has none; NoGuest where it cannot."""
    folder = cache_folder() / "kernel"
    if not folder.is_dir():
        if missing := [name for name in ("apt-get", "dpkg-deb") if not have(name)]:
            raise NoGuest(f"the guest's kernel is a Debian package, and {missing[0]} is not here")
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="kernel.", dir=folder.parent) as work:
            made = pathlib.Path(work) / "made"
            made.mkdir()
            _unpack(_downloaded(pathlib.Path(work)), made)
            made.rename(folder)
    return Kernel(folder)


def parts() -> list[str]:
    """Names of the packages that hold the newest kernel and its modules, as apt knows them."""
    found: dict[str, None] = {}
    todo = list(NEWEST)
    while todo:
        shown = run(["apt-cache", "depends", "--no-recommends", todo.pop()], check=False).stdout
        new = [name for name in PARTS.findall(shown) if name not in found]
        found.update(dict.fromkeys(new))
        todo += new
    return list(found)


def _downloaded(folder: pathlib.Path) -> list[pathlib.Path]:
    """The packages in a folder; what apt knows may be of yesterday, then it is asked to look again."""
    inside = ["env", f"--chdir={folder}", "apt-get", "-qq", *OPTIONS, "download"]
    try:
        if not parts() or run([*inside, *parts()], check=False, timeout=DOWNLOAD).returncode:
            run(["apt-get", "-qq", "update"], check=False, timeout=DOWNLOAD)
            if not parts():
                raise LabError(f"apt knows none of {', '.join(NEWEST)}")
            run([*inside, *parts()], timeout=DOWNLOAD)
    except LabError as exc:
        raise NoGuest(f"the guest's kernel cannot be downloaded: {exc}") from exc
    return sorted(folder.glob("*.deb"))


def _unpack(packages: Iterable[pathlib.Path], folder: pathlib.Path) -> None:
    """Unpack, with the modules where both old and new tools look for them, and their dependencies listed."""
    for package in packages:
        run(["dpkg-deb", "--extract", str(package), str(folder)], timeout=DOWNLOAD)
    if not (folder / "lib").exists():
        (folder / "lib").symlink_to("usr/lib")
    else:
        shutil.rmtree(folder / "usr", ignore_errors=True)
        (folder / "usr").mkdir()
        (folder / "usr" / "lib").symlink_to("../lib")
    version = Kernel(folder).version
    run(["depmod", "--basedir", str(folder), version], env={"PATH": _PATH}, timeout=DOWNLOAD)


def content(module: pathlib.Path) -> bytes:
    """Return the decompressed contents of a module, as the kernel wants it."""
    data = module.read_bytes()
    match module.suffix:
        case ".xz":
            return lzma.decompress(data)
        case ".gz":
            return gzip.decompress(data)
        case ".zst" if not have("zstd"):
            raise NoGuest(f"{module.name} is compressed, and zstd is not here: install it")
        case ".zst":
            return subprocess.run(
                ["zstd", "-dc"], input=data, capture_output=True, check=True
            ).stdout
    return data


if __name__ == "__main__":
    try:
        unpacked()
    except NoGuest as exc:
        sys.exit(f"{exc}")
