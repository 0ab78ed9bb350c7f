# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A .network file fits a port by each word of [Match], at the next boot as well, and by the backend beside it."""

from __future__ import annotations

import pytest

from .others import BURNED, NETWORKD, NETWORKS


@pytest.mark.parametrize(
    ("backend", "units", "number", "match", "counts"),
    [
        ("networkd", (), 10, "Name=enp24s0f0np0", True),  # its name as udev has it by the path
        ("networkd", (), 10, f"PermanentMACAddress={BURNED}", True),
        ("networkd", (), 10, "Type=ether", True),
        ("networkd", (), 10, "Driver=mlx5*", True),
        ("networkd", (), 10, "Name=eth0", False),
        ("networkd", (), 50, "Name=rail*", False),
        ("networkmanager", (), 50, "Name=rail*", False),
        ("networkmanager", (NETWORKD,), 50, "Name=rail*", True),
    ],
)
def test_a_file_counts_by_its_match(prepared, backend, units, number, match, counts):
    path = f"{NETWORKS}/{number}-x.network"
    prepared.by(backend).judge(path, f"[Match]\n{match}\n", match if counts else None, *units)


def test_without_an_answer_of_udev_the_name_of_now_counts(prepared, machine):
    machine.write(f"{NETWORKS}/10-x.network", "[Match]\nName=enp24s0f0np0\n")
    (row,) = prepared.look()["addresses"]
    assert (row["file"], row["key"]) == (f"{NETWORKS}/10-x.network", "Name=enp24s0f0np0")
