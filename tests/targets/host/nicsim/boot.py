# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Restart the simulated host or parts of it: state, processes, network devices, units."""

from __future__ import annotations

import fnmatch
import os
import pathlib
import signal
import subprocess
import sys
from typing import Any

from nicsim import hardware, lifecycle, paths, store, udev
from nicsim.store import State

#: Units that a reboot stops and, where enabled, starts again. One glob a line.
UNIT_GLOBS = pathlib.Path(os.environ.get("NICSIM_BOOT_UNITS", "/etc/nicsim/boot-units"))


def _system(*argv: str) -> str:
    try:
        found = subprocess.run(argv, check=False, capture_output=True, text=True, timeout=120)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout


def running_systemd() -> bool:
    """Check whether systemd is PID 1 here (in unit tests it is not)."""
    return pathlib.Path("/run/systemd/system").is_dir() and "NICSIM_STATE" not in os.environ


def reboot(*, cold: bool, background: bool = False) -> None:
    """Stop units, restart the hardware, forget the network, start units.

    With `background` the work is done by a transient unit two seconds later, so that the
    caller's session can end as it would before a real reboot.
    """
    if background and running_systemd():
        _system(
            "systemd-run",
            "--on-active=2",
            "--timer-property=AccuracySec=100ms",
            "--collect",
            "/opt/nicsim/bin/nicsim",
            "power-cycle" if cold else "reboot",
        )
        return
    units = _boot_units() if running_systemd() else []
    for unit in units:
        _system("systemctl", "stop", unit)
    with store.transaction() as state:
        kill_congestion_control(state)
        lifecycle.reboot(state, cold=cold)
        _forget_network(state)
    _clear_run()
    after_boot(units)


def after_boot(units: list[str]) -> None:
    """Device events, then the enabled units, as systemd would after a boot."""
    with store.transaction() as state:
        wanted = udev.announce(state)
    if not running_systemd():
        return
    _system("systemctl", "reset-failed")
    if _system("systemctl", "is-enabled", "systemd-networkd").strip() == "enabled":
        if any(pathlib.Path("/etc/netplan").glob("*.yaml")):
            _system("netplan", "apply")
        _system("systemctl", "restart", "systemd-networkd")
    for unit in dict.fromkeys([*wanted, *_enabled(units)]):
        _system("systemctl", "start", "--no-block", unit)


def reload_driver() -> None:
    """The driver goes and comes back: volatile settings are lost, NV settings stay."""
    with store.transaction() as state:
        kill_congestion_control(state)
        for nic in state["nics"]:
            lifecycle.forget(nic, reset=False)
        hardware.register_rdma(state, state["nics"])
        wanted = udev.announce(state)
    start_units(wanted)


def announce(state: State, nic: dict[str, Any]) -> None:
    """The devices of one NIC come back: names and the units they want."""
    start_units(udev.announce(state, nic))


def start_units(units: list[str]) -> None:
    """Start units as systemd does for ENV{SYSTEMD_WANTS}."""
    if running_systemd():
        for unit in units:
            _system("systemctl", "start", "--no-block", unit)


def kill_congestion_control(state: State, only: Any = None) -> None:
    """End doca_spcx_cc of the restarted NICs: the device is gone under it."""
    for nic in state["nics"]:
        if only is not None and nic is not only:
            continue
        for function in nic["functions"]:
            process = function["runtime"]["cc"]
            function["runtime"]["cc"] = None
            if process and _is_congestion_control(process["pid"]):
                os.kill(process["pid"], signal.SIGKILL)


def _is_congestion_control(pid: int) -> bool:
    """The recorded process still is ours: pids are reused."""
    try:
        return b"doca_spcx_cc" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _forget_network(state: State) -> None:
    """Addresses, routes, MTU and names of the simulated ports are as after a boot."""
    for nic in state["nics"]:
        for function in nic["functions"]:
            name = hardware.netdev_name(function)
            if hardware.kernel_value(name, "ifindex") is None:
                continue
            _system("ip", "address", "flush", "dev", name)
            _system("ip", "link", "set", name, "down")
            if name != function["netdev"]:
                _system("ip", "link", "set", name, "name", function["netdev"])
                hardware.forget_names()
            _system("ip", "link", "set", function["netdev"], "mtu", "1500")
            _system("ip", "link", "set", function["netdev"], "up")
            function["carrier_base"] = hardware.carrier_downs(function)


def _clear_run() -> None:
    """/run is empty after a boot; the simulation's own folder is rendered anew."""
    for name in ("spectrum-x", "spx-nic", "spx-state"):
        folder = pathlib.Path("/run") / name
        if folder.is_dir() and running_systemd():
            _system("rm", "-rf", str(folder))


def _globs() -> list[str]:
    if not UNIT_GLOBS.is_file():
        return []
    lines = UNIT_GLOBS.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _boot_units() -> list[str]:
    """Loaded units that match the globs (instances of templates too)."""
    listed = _system(
        "systemctl", "list-units", "--all", "--plain", "--no-legend", "--type=service,timer,path"
    )
    names = [line.split()[0] for line in listed.splitlines() if line.split()]
    return [name for name in names if any(fnmatch.fnmatch(name, glob) for glob in _globs())]


def _enabled(units: list[str]) -> list[str]:
    listed = _system("systemctl", "list-unit-files", "--state=enabled", "--plain", "--no-legend")
    names = [line.split()[0] for line in listed.splitlines() if line.split()]
    chosen = [name for name in names if any(fnmatch.fnmatch(name, glob) for glob in _globs())]
    instances = [unit for unit in units if "@" in unit and _unit_enabled(unit)]
    return [name for name in [*chosen, *instances] if not name.endswith("@.service")]


def _unit_enabled(unit: str) -> bool:
    return _system("systemctl", "is-enabled", unit).strip() in ("enabled", "enabled-runtime")


def first_boot() -> None:
    """Called by nicsim-boot.service: initialise once; later starts of the container are boots."""
    paths.run_folder().mkdir(parents=True, exist_ok=True)
    marker = paths.run_folder() / "booted"
    if marker.exists():
        return
    marker.write_text("", encoding="utf-8")
    try:
        store.load()
    except store.NoState:
        return
    with store.transaction() as state:
        for nic in state["nics"]:
            for function in nic["functions"]:
                function["runtime"]["cc"] = None
        rebind(state)
        lifecycle.reboot(state, cold=True)
        udev.announce(state)


def rebind(state: State) -> None:
    """Find the kernel's devices again by their factory names after the cabler made new ones."""
    for nic in state["nics"]:
        for function in nic["functions"]:
            index = hardware.ifindex(function["netdev"])
            if index is not None and hardware.netdev_name(function) == function["netdev"]:
                function["ifindex"] = index


def complain(text: str) -> int:
    """One sentence on standard error, status 1."""
    sys.stderr.write(f"nicsim: {text}\n")
    return 1
