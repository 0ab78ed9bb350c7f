# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files beside ours that change what ours mean."""

from __future__ import annotations

import os

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.places import (
    of_all_units,
    rivals,
)

OURS = "/etc/systemd/system/spectrum-x-watch.service"
RAIL = "/etc/systemd/network/30-a.network"


def put(machine, name, text=""):
    path = machine.folder / name.lstrip("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    "ours, other, sentence",
    [
        (OURS, "/run/systemd/system/spectrum-x-watch.service", "it stands in for"),
        (OURS, f"{OURS}.d/own.conf", "it changes spectrum-x-watch.service."),
        (OURS, "/run/systemd/system/spectrum-x-.service.d/own.conf", "it changes"),
        (OURS, "/etc/systemd/system/spectrum-x-.timer.d/own.conf", ""),
        (OURS, f"{OURS}.d/README", ""),
        (OURS, "/etc/systemd/system/nginx.service.d/own.conf", ""),
        (
            "/etc/systemd/system/spx-cc@.service",
            "/etc/systemd/system/spx-cc@mlx5_0.service",
            "it stands in for",
        ),
        (
            "/etc/sysctl.d/zz-spectrum-x.conf",
            "/run/sysctl.d/zz-spectrum-x.conf",
            "it stands in for",
        ),
        ("/etc/sysctl.d/zz-spectrum-x.conf", "/run/sysctl.d/other.conf", ""),
        ("/etc/sysctl.d/zz-spectrum-x.conf", "/usr/lib/sysctl.d/zz-spectrum-x.conf", ""),
        (OURS, "/usr/lib/systemd/system/spectrum-x-watch.service", ""),
        (OURS, "/usr/lib/systemd/system/spectrum-x-watch.service.d/own.conf", "it changes"),
        (OURS, f"{OURS}.wants/other.service", "it starts with spectrum-x-watch.service."),
        (RAIL, "/usr/lib/systemd/network/30-a.network.d/own.conf", "it changes 30-a.network."),
        (RAIL, "/usr/lib/systemd/network/30-a.network", ""),
    ],
)
def test_a_file_beside_ours_is_named_where_it_changes_ours(machine, ours, other, sentence):
    put(machine, ours)
    put(machine, other)
    found = rivals(machine.host(), [ours])
    assert [(rival.path, rival.of) for rival in found] == ([(other, ours)] if sentence else [])
    assert all(sentence in rival.sentence for rival in found)


def test_a_folder_of_two_names_is_searched_once(machine):
    """Today's distributions have a link from /lib to /usr/lib."""
    (machine.folder / "lib").symlink_to("usr/lib")
    drop_in = "/usr/lib/systemd/system/spectrum-x-watch.service.d/own.conf"
    put(machine, drop_in)
    assert [rival.path for rival in rivals(machine.host(), [OURS])] == [drop_in]


@pytest.mark.parametrize(
    "folder, text, said",
    [
        ("service.d", "[Service]\nUser=nobody\n", True),
        ("spectrum-.service.d", "[Service]\nEnvironment=A=1\n", True),
        ("service.d", "[Service]\nNice=5\n", False),
        ("timer.d", "[Timer]\nOnCalendar=daily\n", False),
    ],
)
def test_a_drop_in_of_all_units_is_left_and_said_where_it_decides_what_runs(
    machine, folder, text, said
):
    name = f"/etc/systemd/system/{folder}/site.conf"
    put(machine, name, text)
    found = of_all_units(machine.host(), [OURS])
    assert [sentence.startswith(f"{name}: ") for sentence in found] == ([True] if said else [])


def test_a_masked_drop_in_decides_nothing_and_one_that_is_no_file_is_said(machine):
    folder = machine.folder / "etc/systemd/system/service.d"
    folder.mkdir(parents=True)
    (folder / "masked.conf").symlink_to("/dev/null")
    assert of_all_units(machine.host(), [OURS]) == []
    os.mkfifo(folder / "pipe.conf")
    said = of_all_units(machine.host(), [OURS])
    assert [text.partition(": a ")[0] for text in said] == [
        "/etc/systemd/system/service.d/pipe.conf: it is a named pipe"
    ]
