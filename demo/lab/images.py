# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Root file systems and images of the devices, from Debian packages, made once and kept.

One base holds the packages of both kinds of device (one download, one unpacking); a thin layer
per kind holds the files of ``tests/targets/<kind>``. Both are kept in the cache folder under a
hash of what they are made from, so that nothing is made twice and nothing stale is used.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import hashlib
import os
import pathlib
import shutil
import tempfile
from collections.abc import Iterator

from lab import boot
from lab.boot import PATH
from lab.engine import ULIMITS, Engine
from lab.errors import LabError
from lab.shell import have, run
from lab.state import TARGETS, cache_folder

IMAGE = "localhost/spx-lab"
"""Beginning of the names of the engine's images."""
SUITE = "bookworm"
PULLED_IMAGE = "docker.io/library/debian:12-slim"
MORE = "SPX_LAB_PACKAGES"
"""A variable with further Debian packages, with commas between them, for labs that need a scheduler."""
RECIPE = "3"
"""Raise it when the way of building changes, so that older builds are not used."""
BUILD_TIMEOUT = 900
DEFAULT_PACKAGES = {
    "switch": """
        frr iproute2 iputils-ping lldpd nftables openssl procps python3 python3-aiohttp python3-yaml
        """,
    "host": """
        curl gnupg iproute2 iputils-ping lldpd nftables openssh-server procps python3 sudo
        systemd-sysv udev
        """,
    "router": "frr iproute2 iputils-ping procps",
}
"""Packages of a kind whose target has no packages.txt."""
MASKED = """
    NetworkManager.service NetworkManager-wait-online.service
    apt-daily.timer apt-daily-upgrade.timer console-getty.service dpkg-db-backup.timer
    e2scrub_all.timer frr.service fstrim.timer getty-static.service getty.target
    systemd-firstboot.service systemd-networkd-wait-online.service dev-hugepages.mount
    e2scrub_reap.service sys-kernel-config.mount sys-kernel-debug.mount sys-kernel-tracing.mount
    """
"""Units of the packages which have no business on a containerised host."""
COLDPLUG = """\
[Service]
ExecStart=
ExecStart=-/bin/udevadm trigger --type=devices --action=add --subsystem-match=net
"""
"""udev replays only network devices at start: the machine's other devices are not the host's."""
SSHD = "PermitRootLogin prohibit-password\nPasswordAuthentication no\nUseDNS no\n"


@dataclasses.dataclass(frozen=True)
class Recipe:
    """Recipe of an image of one kind, and the hashes that name it."""

    kind: str
    packages: tuple[str, ...]
    base: str
    full: str


def recipe(kind: str, targets: pathlib.Path = TARGETS) -> Recipe:
    """Read the package lists and the files of a kind."""
    listed = {name for each in DEFAULT_PACKAGES for name in _packages(each, targets)}
    packages = sorted(listed | set(filter(None, os.environ.get(MORE, "").split(","))))
    base = _hash([RECIPE, SUITE, *packages])
    parts = [base, kind, MASKED, COLDPLUG, SSHD]
    for path in _files(targets / kind):
        parts.append(f"{path.relative_to(targets)} {path.stat().st_mode & 0o111:o}")
        parts.append(hashlib.sha256(path.read_bytes()).hexdigest())
    return Recipe(kind, tuple(packages), base, _hash(parts))


def engine_image(kind: str, engine: Engine, *, pull: bool, say: Say) -> str:
    """Return the name of the engine's image of a kind; make it if it is not there."""
    made = recipe(kind)
    name, base = f"{IMAGE}-{kind}:{made.full}", f"{IMAGE}-base:{made.base}"
    with _lock():
        if _has_image(engine, name):
            return name
        if not _has_image(engine, base):
            tar = _base_tar(made, engine, pull=pull, say=say)
            say(f"importing the base image into {engine.program}")
            engine("import", str(tar), base, timeout=BUILD_TIMEOUT)
        say(f"building the {kind} image")
        with tempfile.TemporaryDirectory(prefix="spx-lab-") as folder:
            context = pathlib.Path(folder)
            _lay_files(kind, context / "layer")
            lines = [f"FROM {base}", "COPY layer/ /", f"RUN {_install(kind)}"]
            (context / "Containerfile").write_text("\n".join(lines) + "\n", encoding="utf-8")
            _build(engine, context, name)
    return name


def lower_folders(kind: str, *, pull: Engine | None, say: Say) -> str:
    """Return the overlay's lower folders for a device of a kind, the topmost first.

    `pull` is the engine that may pull the base, if any.
    """
    made = recipe(kind)
    base = cache_folder() / f"base-{made.base}"
    layer = cache_folder() / f"layer-{kind}-{made.full}"
    with _lock():
        if not base.is_dir():
            _unpack(_base_tar(made, pull, pull=pull is not None, say=say), base, say)
        if not layer.is_dir():
            say(f"laying the files of the {kind}")
            _lay_over(kind, base, layer)
    return f"{layer}:{base}"


def over_host(kind: str, folder: pathlib.Path) -> str:
    """Return lower folders that are this machine's own files under the files of a kind.

    `folder` must not be on the file system of ``/``, which overlays refuse to hold twice.
    """
    layer = folder / f"layer-{kind}"
    shutil.rmtree(layer, ignore_errors=True)
    _lay_files(kind, layer)
    return f"{layer}:/"


def remove_from(engine: Engine) -> None:
    """Remove the lab's images from an engine."""
    listed = engine("images", "--format", "{{.Repository}}:{{.Tag}}", check=False).stdout.split()
    ours = [name for name in listed if f"{IMAGE}-" in name]
    if ours:
        engine("rmi", "-f", *ours, check=False, timeout=BUILD_TIMEOUT)


def remove_cache() -> None:
    """Remove what the lab wrote into the cache folder: root file systems, and the kernel of guests."""
    for path in cache_folder().glob("*"):
        if path.name.startswith(("base-", "layer-", "layer.", "kernel", "containers.conf")):
            run(["rm", "-rf", "--one-file-system", str(path)], timeout=BUILD_TIMEOUT)


class Say:
    """A place to say what is going on; calling it prints a line."""

    def __call__(self, line: str) -> None:
        print(f"lab: {line}", flush=True)


def _packages(kind: str, targets: pathlib.Path) -> list[str]:
    path = targets / kind / "packages.txt"
    if not path.is_file():
        return DEFAULT_PACKAGES[kind].split()
    lines = (line.partition("#")[0] for line in path.read_text(encoding="utf-8").splitlines())
    return [word for line in lines for word in line.split()]


def _files(folder: pathlib.Path) -> list[pathlib.Path]:
    """Return the files of a target, without what Python and editors leave behind."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    )


def _hash(parts: list[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


@contextlib.contextmanager
def _lock() -> Iterator[None]:
    """Let one process at a time make images."""
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _has_image(engine: Engine, name: str) -> bool:
    return engine("image", "inspect", name, check=False).returncode == 0


def _build(engine: Engine, context: pathlib.Path, name: str) -> None:
    """Build, with the engine's own settings or, where these fail, with none of its isolation."""
    what = ["-q", "-t", name, "-f", str(context / "Containerfile"), str(context)]
    done = engine("build", "--network", "none", *what, check=False, timeout=BUILD_TIMEOUT)
    if done.returncode and engine.program == "podman":
        # Which has no network of its own to be without: since Buildah 1.28 it refuses the option.
        limits = [f"--ulimit={limit}" for limit in ULIMITS]
        engine("build", "--isolation", "chroot", *limits, *what, timeout=BUILD_TIMEOUT)
    elif done.returncode:
        raise LabError(f"{engine.program} build of {name} failed: {done.stderr.strip()[-300:]}")


def _base_tar(made: Recipe, engine: Engine | None, *, pull: bool, say: Say) -> pathlib.Path:
    """Return the tar file of the base, made by the engine's pull or by mmdebstrap."""
    tar = cache_folder() / f"base-{made.base}.tar"
    if tar.is_file():
        return tar
    partial = tar.with_suffix(".partial.tar")
    partial.unlink(missing_ok=True)
    if pull and engine is not None and _pulled(made, engine, partial, say):
        say(f"base made from {PULLED_IMAGE}")
    else:
        _bootstrapped(made, partial, say)
    partial.rename(tar)
    return tar


def _pulled(made: Recipe, engine: Engine, tar: pathlib.Path, say: Say) -> bool:
    say(f"pulling {PULLED_IMAGE}")
    try:
        if engine("pull", "-q", PULLED_IMAGE, check=False, timeout=120).returncode:
            say("the pull failed; making the base with mmdebstrap")
            return False
    except LabError as exc:
        say(f"{exc}; making the base with mmdebstrap")
        return False
    install = (
        f"apt-get update && apt-get install -y --no-install-recommends {' '.join(made.packages)}"
    )
    name = f"spx-lab-build-{os.getpid()}"
    shell = ["sh", "-c", f"export DEBIAN_FRONTEND=noninteractive; {install} && apt-get clean"]
    try:
        engine("run", "--name", name, PULLED_IMAGE, *shell, timeout=BUILD_TIMEOUT)
        engine("export", "-o", str(tar), name, timeout=BUILD_TIMEOUT)
    finally:
        engine("rm", "-f", name, check=False)
    return True


def _bootstrapped(made: Recipe, tar: pathlib.Path, say: Say) -> None:
    if not have("mmdebstrap"):
        raise LabError(
            "no base image: mmdebstrap is not installed; run demo/lab/setup.sh, or allow the "
            "engine to pull with --pull"
        )
    say(f"making the base of {len(made.packages)} packages with mmdebstrap (about a minute)")
    include = ",".join(made.packages)
    argv = ["mmdebstrap", "--quiet", "--variant=minbase", f"--include={include}", SUITE, str(tar)]
    run([*argv, *_mirror()], timeout=BUILD_TIMEOUT)


def _mirror() -> list[str]:
    """Return the packages' source: SPX_LAB_MIRROR, else this machine's own if it is Debian 12."""
    given = os.environ.get("SPX_LAB_MIRROR")
    if given:
        return [given]
    release = pathlib.Path("/etc/os-release")
    same = release.is_file() and f"VERSION_CODENAME={SUITE}" in release.read_text(encoding="utf-8")
    candidates = ("/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list")
    for path in map(pathlib.Path, candidates):
        if same and path.is_file() and SUITE in path.read_text(encoding="utf-8"):
            return [str(path)]
    return []


def _unpack(tar: pathlib.Path, folder: pathlib.Path, say: Say) -> None:
    say("unpacking the base")
    partial = folder.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    # Device nodes are each device's own business.
    run(["tar", "-xf", str(tar), "-C", str(partial), "--exclude=./dev/*"], timeout=BUILD_TIMEOUT)
    partial.rename(folder)


def _lay_files(kind: str, root: pathlib.Path) -> None:
    """Write the files of a kind under `root`: the target's own and the lab's settings."""
    source = TARGETS / kind
    for path in _files(source):
        copy = root / boot.HOMES[kind].lstrip("/") / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy)
    units = root / "etc/systemd/system"
    _write(root / "etc/ssh/sshd_config.d/spx.conf", SSHD)
    if kind == "host":
        _write(units / "systemd-udev-trigger.service.d/spx.conf", COLDPLUG)
        for unit in MASKED.split():
            (units / unit).symlink_to("/dev/null")


def _write(path: pathlib.Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _install(kind: str) -> str:
    """Return the shell command that lets a target finish its own installation, if it has one."""
    home = boot.HOMES[kind]
    return f"if [ -f {home}/install.sh ]; then cd {home} && bash ./install.sh; fi"


def _lay_over(kind: str, base: pathlib.Path, layer: pathlib.Path) -> None:
    """Make the layer folder: the files, and what the target's install script changes."""
    partial = layer.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    _lay_files(kind, partial)
    if (TARGETS / kind / "install.sh").is_file():
        work, root = cache_folder() / "layer.work", cache_folder() / "layer.root"
        for folder in (work, root):
            folder.mkdir(exist_ok=True)
        options = f"lowerdir={base},upperdir={partial},workdir={work}"
        steps = [
            f"mount -t overlay overlay -o {options} {root}",
            f"mount -t proc proc {root}/proc",
            f"mount --rbind /dev {root}/dev",
            f"mount -t tmpfs tmpfs {root}/tmp",
            f"chroot {root} sh -c '{_install(kind)}'",
        ]
        argv = ["env", f"PATH={PATH}", "unshare", "--mount", "--net", "sh", "-c"]
        run([*argv, " && ".join(steps)], timeout=BUILD_TIMEOUT)
        shutil.rmtree(work, ignore_errors=True)
    partial.rename(layer)
