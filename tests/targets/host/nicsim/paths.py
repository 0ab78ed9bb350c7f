# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Paths of the simulation's files; every place can be moved by an environment variable."""

from __future__ import annotations

import os
import pathlib


def _path(variable: str, default: str) -> pathlib.Path:
    return pathlib.Path(os.environ.get(variable) or default)


def state_file() -> pathlib.Path:
    """The one description of the simulated hardware (JSON)."""
    return _path("NICSIM_STATE", "/var/lib/nicsim/state.json")


def call_log() -> pathlib.Path:
    """One JSON object per call of a stand-in."""
    return state_file().with_name("calls.jsonl")


def run_folder() -> pathlib.Path:
    """Files that a reboot empties: boot id, sysfs view, pid files."""
    return _path("NICSIM_RUN", "/run/nicsim")


def door() -> pathlib.Path:
    """The socket at which nicsim-serve.service takes calls."""
    return _path("NICSIM_DOOR", str(run_folder() / "calls.sock"))


def sysfs_view() -> pathlib.Path:
    """A tree shaped like /sys that holds what the container's kernel cannot show."""
    return run_folder() / "sys"


def proc_view() -> pathlib.Path:
    """A tree shaped like /proc, for what only the kernel of a real host says."""
    return run_folder() / "proc"


def kernel_net() -> pathlib.Path:
    """The kernel's own list of network devices."""
    return _path("NICSIM_KERNEL_NET", "/sys/class/net")


def nics_file() -> pathlib.Path:
    """Path of the map from network devices of the container to ports (written by the cabler)."""
    return _path("NICSIM_NICS", "/run/spx/nics.json")


def dev_folder() -> pathlib.Path:
    """Folder of /dev/rshimN and /dev/mst."""
    return _path("NICSIM_DEV", "/dev")


def tmp_folder() -> pathlib.Path:
    """Folder in which bfb-install leaves its log."""
    return _path("NICSIM_TMP", "/tmp")


def udev_rules() -> pathlib.Path:
    """The administrator's udev rules, which name the simulated devices."""
    return _path("NICSIM_UDEV", "/etc/udev/rules.d")


def modules_load() -> pathlib.Path:
    """The administrator's list of kernel modules that a boot loads."""
    return _path("NICSIM_MODULES", "/etc/modules-load.d")


def link_files() -> pathlib.Path:
    """The administrator's systemd .link files."""
    return _path("NICSIM_LINKS", "/etc/systemd/network")


def links_model() -> pathlib.Path:
    """The model of the links between hosts (nicsim/links.py)."""
    return _path("NICSIM_MODEL", "/etc/nicsim/links.json")


def flows_folder() -> pathlib.Path:
    """Traffic that runs now; hosts that share it slow each other down."""
    return _path("NICSIM_FLOWS", "/var/lib/nicsim-flows")
