# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The container engine: which one, with which settings, and its commands.

The engine's own settings are tried first. Only where they fail are ours applied: runc instead of
the default runtime, and limits which a process without CAP_SYS_RESOURCE may set.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import subprocess
from collections.abc import Mapping

from lab.errors import LabError
from lab.shell import have, last_words, run
from lab.state import cache_folder

ENGINES = ("podman", "docker")
ULIMITS = ("nofile=20000:20000", "nproc=32768:32768")
"""Limits that a process without CAP_SYS_RESOURCE may have."""
CONTAINERS_CONF = f"""\
[engine]
runtime = "runc"
[containers]
default_ulimits = [{", ".join(f'"{limit}"' for limit in ULIMITS)}]
"""
CAPABILITIES = (
    "AUDIT_WRITE",
    "MKNOD",
    "NET_ADMIN",
    "NET_BROADCAST",
    "NET_RAW",
    "SYS_ADMIN",
    "SYS_NICE",
    "SYS_PTRACE",
    "SYS_TTY_CONFIG",
)
"""Capabilities of a device where --privileged asks for more than the machine itself has."""


@dataclasses.dataclass(frozen=True)
class Engine:
    """A container engine and the environment its commands run in."""

    program: str
    conf: str = ""
    """Path of our containers.conf, or empty where the engine's own settings work."""

    def environment(self) -> Mapping[str, str]:
        """Return the environment for the engine's commands."""
        own = {"CONTAINERS_CONF": self.conf} if self.conf else {}
        return {**os.environ, **own}

    def __call__(
        self, *arguments: str, check: bool = True, timeout: float = 120, text: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run one of the engine's commands."""
        argv = [self.program, *arguments]
        return run(argv, check=check, timeout=timeout, text=text, env=self.environment())


def choose(wanted: str | None = None) -> Engine:
    """Return the engine to use: the one asked for, or the first that is there and answers."""
    reasons = []
    for program in (wanted,) if wanted else ENGINES:
        if not have(program):
            reasons.append(f"{program} is not installed")
            continue
        done = Engine(program)("info", check=False, timeout=30)
        if done.returncode == 0:
            return Engine(program)
        reasons.append(f"{program} does not answer ({last_words(done)})")
    raise LabError(
        f"no container engine: {'; '.join(reasons)}; run demo/lab/setup.sh to install podman, "
        "or use --backend netns"
    )


def fitted(engine: Engine, image: str) -> Engine:
    """Return the engine with the settings under which `image` runs on this machine."""
    first = engine("run", "--rm", "--network", "none", image, "true", check=False)
    if first.returncode == 0:
        return engine
    if engine.program != "podman" or not have("runc"):
        raise LabError(f"{engine.program} cannot run a container here: {last_words(first)}")
    path = cache_folder() / "containers.conf"
    path.write_text(CONTAINERS_CONF, encoding="utf-8")
    ours = dataclasses.replace(engine, conf=str(path))
    second = ours("run", "--rm", "--network", "none", image, "true", check=False)
    if second.returncode:
        raise LabError(
            f"podman cannot run a container here, with its own settings ({last_words(first)}) "
            f"nor with runc ({last_words(second)})"
        )
    return ours


def run_options(engine: Engine, kind: str) -> list[str]:
    """Return the options of `run` for a device: its rights and its volatile folders."""
    if engine.program == "podman":
        if kind == "host":
            return ["--privileged", "--systemd=always"]
        volatile = [
            f"--tmpfs={path}" for path in ("/run:rw,exec,mode=755", "/tmp:rw,exec,mode=1777")
        ]
        return ["--privileged", "--systemd=false", *volatile]
    open_up = [f"--cap-add={name}" for name in CAPABILITIES]
    open_up += ["--security-opt=apparmor=unconfined", "--security-opt=seccomp=unconfined"]
    open_up += ["--security-opt=systempaths=unconfined"]
    volatile = ["--tmpfs=/run:rw,exec,mode=755", "--tmpfs=/run/lock", "--tmpfs=/tmp:rw,exec"]
    if kind == "host":
        hierarchy = "/sys/fs/cgroup:/sys/fs/cgroup:rw"
        return [*open_up, *volatile, "--cgroupns=host", "-v", hierarchy, "-e", "container=docker"]
    return [*open_up, *volatile]


def kept(document: Mapping[str, str]) -> Engine:
    """Return the engine which a lab's state remembers."""
    return Engine(document["program"], document.get("conf", ""))


def has_conf(engine: Engine) -> bool:
    """Return whether our settings are still where the lab's state says."""
    return not engine.conf or pathlib.Path(engine.conf).exists()
