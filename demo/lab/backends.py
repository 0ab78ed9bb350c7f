# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Two ways to hold a device: a container of an engine, or plain Linux namespaces.

Both give a device its own network, mounts (a private /run/netns among them), host name and
process tree over a root file system of Debian packages, and both are known to the rest of the lab
by the pid of the device's first process only.
"""

from __future__ import annotations

import contextlib
import os
import pathlib
import time
from typing import Protocol

from lab import boot, engine, machine
from lab.boot import PATH
from lab.cabling import Device
from lab.errors import LabError
from lab.shell import run
from lab.state import MARK_LABEL, Lab

PATIENCE = 30
"""Seconds a device may take to show its first process."""
DARK = "dark.json"
"""File in the folder that hosts share, in which `linkd` notes the ends of cables without carrier."""


class Backend(Protocol):
    """Interface of a way to hold devices, as the lab uses it."""

    def create(self, device: Device) -> None:
        """Make the device and start its first process, which waits at the gate."""

    def pid(self, device: str) -> int | None:
        """Return the pid of the device's first process, None when it does not run."""

    def stop(self, device: str, *, gently: bool) -> None:
        """End all processes of the device; its files stay."""

    def start(self, device: Device) -> None:
        """Start a stopped device's first process, which waits at the gate."""

    def remove_all(self) -> None:
        """Remove every device of the lab, and what is left of earlier tries."""


def of(lab: Lab) -> Backend:
    """Return the backend of a lab."""
    return Containers(lab) if lab.backend == "podman" else Namespaces(lab)


def pid_of(lab: Lab, device: str) -> int:
    """Return the pid of a running device, or raise LabError."""
    lab.cabling.device(device)
    pid = of(lab).pid(device)
    if pid is None:
        raise LabError(f"{device} does not run; start it with `lab start {lab.name} {device}`")
    return pid


def enter(pid: int, argv: list[str]) -> list[str]:
    """Return the command that runs `argv` inside the device with that first process."""
    inside = ["env", "-i", f"PATH={PATH}", "HOME=/root", f"TERM={os.environ.get('TERM', 'dumb')}"]
    return ["nsenter", "-t", str(pid), "-m", "-r", "-u", "-i", "-n", "-p", *inside, *argv]


class Containers:
    """Devices as containers without any network of the engine's."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab
        self._engine = engine.kept(lab.engine)

    def create(self, device: Device) -> None:
        lab = self._lab
        self._engine(
            *("run", "-d", "--name", lab.container(device.name), "--hostname", device.name),
            *("--label", f"{MARK_LABEL}={lab.name}", "--network", "none"),
            *engine.run_options(self._engine, device.kind),
            *_shared_folder(lab, device),
            *(lab.images[device.kind], "/bin/sh", "-c"),
            boot.script(device, systemd=True),
        )

    def pid(self, device: str) -> int | None:
        """Asked of the engine once a life: it takes a tenth of a second to answer."""
        if pid := _noted(self._lab, device):
            return pid
        name = self._lab.container(device)
        done = self._engine("inspect", "--format", "{{.State.Pid}}", name, check=False)
        text = done.stdout.strip()
        pid = int(text) if done.returncode == 0 and text.isdigit() else 0
        return pid if pid and _note(self._lab, device, pid) else None

    def stop(self, device: str, *, gently: bool) -> None:
        how = ["stop", "-t", "5"] if gently else ["kill"]
        self._engine(*how, self._lab.container(device), check=False)
        deadline = time.monotonic() + PATIENCE
        while self.pid(device) and time.monotonic() < deadline:
            time.sleep(0.1)

    def start(self, device: Device) -> None:
        self._engine("start", self._lab.container(device.name))

    def remove_all(self) -> None:
        label = f"label={MARK_LABEL}={self._lab.name}"
        found = self._engine("ps", "-aq", "--filter", label, check=False).stdout.split()
        for start in range(0, len(found), 8):
            force = ["rm", "-f", *(["-t", "0"] if self._engine.program == "podman" else [])]
            self._engine(*force, *found[start : start + 8], timeout=120)


def _shared_folder(lab: Lab, device: Device) -> list[str]:
    """The options that give a host the folder in which all hosts of a lab see each other's traffic, and dark cables."""
    if device.kind != "host":
        return []
    return ["-v", f"{shared(lab)}:{boot.SHARED}"]


def shared(lab: Lab) -> pathlib.Path:
    """Path of that folder on this machine."""
    folder = lab.folder / "flows"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


class Namespaces:
    """Devices as plain namespaces over an overlay of a root file system."""

    def __init__(self, lab: Lab) -> None:
        self._lab = lab

    def create(self, device: Device) -> None:
        self.start(device)

    def start(self, device: Device) -> None:
        lab, folder = self._lab, self._lab.device_folder(device.name)
        folder.mkdir(parents=True, exist_ok=True)
        state = pathlib.Path(lab.images["state"]) / device.name
        values = {
            "LOWER": lab.images[device.kind],
            "UPPER": str(state / "upper"),
            "WORK": str(state / "work"),
            "ROOT": str(state / "root"),
            "NAME": device.name,
            "SCRIPT": boot.script(device, systemd=False),
            "SHARED": str(shared(lab)),
        }
        kinds = ["--mount", "--net", "--pid", "--uts", "--ipc", "--fork", "--kill-child"]
        pid_file = folder / "pid"
        pid_file.unlink(missing_ok=True)
        # The shell's first word is its own number on the machine: the old /proc is still mounted.
        note = (
            f"read p rest </proc/self/stat; echo $p >{pid_file}.new; mv {pid_file}.new {pid_file}"
        )
        argv = ["env", *(f"{key}={value}" for key, value in values.items())]
        argv += ["unshare", *kinds, "--propagation", "private", "sh", "-c"]
        argv += [f"{note}\n{boot.NAMESPACE_INIT}"]
        log = folder / "boot.log"
        machine.spawn(argv, lab=lab.name, role="device", log=log)
        self._await(device.name, log)

    def _await(self, device: str, log: pathlib.Path) -> None:
        deadline = time.monotonic() + PATIENCE
        pid_file = self._lab.device_folder(device) / "pid"
        while time.monotonic() < deadline:
            with contextlib.suppress(OSError, ValueError):
                pid = int(pid_file.read_text(encoding="utf-8"))
                if not _note(self._lab, device, pid):
                    break
                if pathlib.Path(f"/proc/{pid}/root/run/spx").is_dir() and _moved(pid):
                    return
            time.sleep(0.02)
        words = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        raise LabError(f"{device} did not start: {words[-1] if words else 'see ' + str(log)}")

    def pid(self, device: str) -> int | None:
        return _noted(self._lab, device)

    def stop(self, device: str, *, gently: bool) -> None:
        with contextlib.suppress(OSError):
            machine.stop(_process(self._lab, device).read_text(encoding="utf-8"))

    def remove_all(self) -> None:
        for device in self._lab.cabling.names():
            self.stop(device, gently=False)


def _process(lab: Lab, device: str) -> pathlib.Path:
    """Path of the note about a device's first process, as "pid starttime"."""
    return lab.device_folder(device) / "pid.process"


def _note(lab: Lab, device: str, pid: int) -> bool:
    """Remember the first process of a device; False when it has ended already."""
    since, path = machine.started(pid), _process(lab, device)
    if since is None:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{pid} {since}", encoding="utf-8")
    return True


def _noted(lab: Lab, device: str) -> int | None:
    """The first process of a device as far as it is remembered and still runs."""
    try:
        return machine.alive(_process(lab, device).read_text(encoding="utf-8"))
    except OSError:
        return None


def _moved(pid: int) -> bool:
    """Return whether the process has left the machine's root for its own."""
    return not pathlib.Path(f"/proc/{pid}/root/proc/1/root").samefile("/") if pid else False


def state_folder(lab: Lab, *, rootfs: str) -> pathlib.Path:
    """Return a folder whose file system can hold the upper side of an overlay."""
    lower = "/" if rootfs == "host" else None
    for base in (lab.memory,) if lower else (lab.folder / "overlay", lab.memory):
        for name in ("low", "up", "work", "all"):
            (base / name).mkdir(parents=True, exist_ok=True)
        options = f"lowerdir={lower or base / 'low'},upperdir={base}/up,workdir={base}/work"
        mount = ["mount", "-t", "overlay", "overlay", "-o", options, f"{base}/all"]
        if run(["unshare", "--mount", *mount], check=False).returncode == 0:
            return base
    raise LabError("this machine gives no overlay mount for --backend netns; use podman")
