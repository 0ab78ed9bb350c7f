# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned address cannot be dialled from a test, by itself or by a program that it starts."""

from __future__ import annotations

import errno
import os
import socket
import subprocess

import pytest

PLANNED = ("10.128.0.1", "10.176.0.4", "172.16.0.0", "100.64.0.1", "fd02::1")


@pytest.mark.parametrize("address", PLANNED)
def test_a_planned_address_is_unreachable(address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as dialler:
        dialler.settimeout(5)
        assert dialler.connect_ex((address, 22)) in (errno.ENETUNREACH, errno.EADDRNOTAVAIL)


def test_nor_from_a_program_that_a_test_starts():
    done = subprocess.run(
        ["ip", "route", "get", "10.176.0.4"], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0, done.stdout


def test_loopback_answers():
    with socket.create_server(("127.0.0.7", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()


def test_who_runs_the_tests_stays_the_same():
    assert os.geteuid() == os.stat("/proc/self").st_uid
