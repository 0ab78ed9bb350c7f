# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests and benchmarks reach loopback and nothing else.

The planned addresses of the examples are real private ranges: whoever dials one by mistake must hear
"network is unreachable" and not somebody's router. `enter` moves this process, and all it starts, into
a network namespace of its own in which only loopback exists. Root can always do so; others need a
kernel that allows user namespaces.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import pathlib
import socket
import struct
import sys

CLONE_NEWUSER = 0x10000000  # both: linux/sched.h
CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 0x1  # linux/sockios.h, linux/if.h
HERE = pathlib.Path("/proc/self/ns/net")
MARK = "SPX_TESTS_ALONE"
"""The namespace that this process's parent entered; workers of pytest-xdist inherit it."""


def enter() -> None:
    """Leave the machine's network, once; ends the program with a sentence where that cannot be."""
    if os.environ.get(MARK) == str(HERE.readlink()):
        return
    uid, gid = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET | (CLONE_NEWUSER if uid else 0)):
        sys.exit(
            f"Tests run in a network namespace of their own, which was refused "
            f"({os.strerror(ctypes.get_errno())}): run them as root, or allow user namespaces."
        )
    if uid:
        _keep_identity(uid, gid)
    _raise_loopback()
    os.environ[MARK] = str(HERE.readlink())


def unseeing() -> list[str]:
    """The words before a command that shall see no process but its own: labs may run beside a test."""
    whose = ["--user", "--map-current-user"] if os.geteuid() else []
    return ["unshare", *whose, "--pid", "--fork", "--kill-child", "--mount-proc"]


def _keep_identity(uid: int, gid: int) -> None:
    """In the new user namespace, be who one was: tests of permissions see no root."""
    own = pathlib.Path("/proc/self")
    (own / "setgroups").write_text("deny")
    (own / "uid_map").write_text(f"{uid} {uid} 1")
    (own / "gid_map").write_text(f"{gid} {gid} 1")


def _raise_loopback() -> None:
    """In this process itself: a program started by others than root would lack the right."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))
