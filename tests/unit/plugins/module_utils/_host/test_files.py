# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files and units: only what differs, all of it told."""

from __future__ import annotations

import base64
import errno
import hashlib
import os

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.files import (
    apply_files,
    keep,
    wanted_from,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.edge import partly
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError

UNIT = "/etc/systemd/system/x.service"


root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
NAME = UNIT.rpartition("/")[2]
TEMPLATE = "/etc/systemd/system/spx-cc@.service"
TIMER = "/etc/systemd/system/spectrum-x-watch.timer"


def apply(machine, *files, check=False):
    return apply_files(machine.host(check=check), wanted_from(files))


def test_a_file_is_written_once_with_its_mode_and_one_reload(machine):
    files = (
        {"path": UNIT, "content": "a\n"},
        {"path": UNIT + "2", "content": "b\n", "mode": "0600"},
    )
    assert apply(machine, *files, check=True).files == [UNIT, UNIT + "2"]
    assert not (machine.folder / "etc").exists()
    done = apply(machine, *files)
    assert done.diff[0]["after"] == "a\n"
    assert machine.calls == ["systemctl daemon-reload"]
    assert (machine.folder / UNIT[1:]).read_text() == "a\n"
    assert ((machine.folder / UNIT[1:]).with_name("x.service2").stat().st_mode & 0o777) == 0o600
    assert not apply(machine, *files).changed
    (machine.folder / UNIT[1:]).chmod(0o600)
    assert apply(machine, *files).files == [UNIT]


def test_what_was_written_is_reloaded_although_a_later_file_fails(machine):
    put(machine, "/opt/x")
    files = ({"path": UNIT, "content": "a\n"}, {"path": "/opt/x/y", "content": "b"})
    host = machine.host()
    with pytest.raises(NicError, match="/opt/x/y: it cannot be"):
        apply_files(host, wanted_from(files))
    assert machine.calls == ["systemctl daemon-reload"]
    assert [row["after_header"] for row in partly(host)["diff"]] == [UNIT]


def test_what_cannot_be_read_stops_before_anything_is_written(machine):
    (machine.folder / "opt/x").mkdir(parents=True)
    files = ({"path": UNIT, "content": "a\n"}, {"path": "/opt/x", "content": "b"})
    host = machine.host()
    with pytest.raises(NicError, match=r"^/opt/x: it is a folder"):
        apply_files(host, wanted_from(files))
    assert partly(host) == {"changed": False, "done": []}
    assert not (machine.folder / "etc").exists()


def test_a_power_cycle_finds_what_was_written_and_not_what_is_gone(machine, monkeypatch):
    synced = []
    monkeypatch.setattr(
        os, "fsync", lambda handle: synced.append(os.readlink(f"/proc/self/fd/{handle}"))
    )
    apply(machine, {"path": "/opt/x", "content": "a"})
    folder = str(machine.folder / "opt")
    assert synced == [f"{folder}/.x.part", folder]
    apply(machine, {"path": "/opt/x", "state": "absent"})
    assert synced[2:] == [folder]


def test_absent_and_binary(machine):
    content = bytes(range(256))
    one = {"path": "/opt/x", "base64": base64.b64encode(content).decode(), "mode": "0755"}
    assert "bytes" in apply(machine, one).diff[0]["after"]
    assert (machine.folder / "opt/x").read_bytes() == content
    gone = {"path": "/opt/x", "state": "absent"}
    assert apply(machine, gone).files == ["/opt/x"]
    assert not apply(machine, gone).changed


@pytest.mark.parametrize(
    "entry, words",
    [
        ({"path": "x", "content": ""}, "is not an absolute path"),
        ({"path": "/x"}, "needs its content"),
        ({"path": "/x", "content": "", "mode": "rw"}, "is not an octal mode"),
        ({"path": "/x", "text": ""}, "'text' is not known"),
    ],
)
def test_wrong_entries_are_one_sentence(entry, words):
    with pytest.raises(NicError, match=words):
        wanted_from([entry])


@pytest.mark.parametrize(
    "state, row, commands",
    [
        (
            ("loaded", "disabled", "inactive"),
            {"enabled": True, "running": True},
            ["enable", "start"],
        ),
        (("loaded", "enabled", "active"), {"enabled": True, "running": True}, []),
        (
            ("loaded", "enabled", "active"),
            {"enabled": False, "running": False},
            ["disable", "stop"],
        ),
        (("loaded", "enabled", "active"), {"running": True, "restart_for": [UNIT]}, ["restart"]),
        (("loaded", "enabled", "active"), {"running": True, "restart_for": ["/other"]}, []),
        (("not-found", "", "inactive"), {"enabled": False, "running": False}, []),
        (("loaded", "static", "inactive"), {}, []),
    ],
)
def test_units(machine, state, row, commands):
    keep(machine.host(), wanted_from([{"path": UNIT, "content": "a\n"}]), {})
    (machine.folder / UNIT[1:]).write_text("other\n")
    machine.units[NAME] = state
    machine.calls.clear()
    files = wanted_from([{"path": UNIT, "content": "a\n"}])
    outcome = keep(machine.host(), files, {NAME: row})
    assert outcome.commands == [f"systemctl {word} {NAME}" for word in commands]
    assert machine.calls == ["systemctl daemon-reload", *outcome.commands]


def put(machine, path, text="[Service]\nExecStartPre=/tmp/x\n"):
    place = machine.folder / path[1:]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return place


def timer(machine, *, check=False):
    files = wanted_from(
        [
            {"path": TEMPLATE, "content": "cc\n"},
            {"path": TIMER, "content": "timer\n"},
            {"path": "/etc/spectrum-x/desired.json", "content": "{}\n"},
        ]
    )
    units = {"spectrum-x-watch.timer": {"enabled": True, "running": True}}
    return keep(machine.host(check=check), files, units)


@pytest.fixture
def kept(machine):
    timer(machine)
    machine.units["spectrum-x-watch.timer"] = ("loaded", "enabled", "active")
    machine.calls.clear()
    assert not timer(machine).changed
    return machine


@pytest.mark.parametrize(
    "path",
    [
        TIMER + ".d/x.conf",
        TEMPLATE + ".d/x.conf",
        "/etc/systemd/system/spx-cc@mlx5_0.service.d/x.conf",
        "/run/systemd/system/spx-cc@.service.d/x.conf",
        "/run/systemd/system.control/spx-cc@mlx5_0.service.d/50-CPUQuota.conf",
        "/usr/local/lib/systemd/system/spectrum-x-watch.timer.d/x.conf",
        "/etc/systemd/system/spectrum-x-.timer.d/x.conf",
        "/etc/systemd/system/spx-cc@mlx5_0.service",
        "/etc/systemd/system.control/spectrum-x-watch.timer",
        "/run/systemd/transient/spectrum-x-watch.timer",
        "/run/systemd/system/spectrum-x-watch.timer",
        "/usr/lib/systemd/system/spectrum-x-watch.timer.d/x.conf",
        "/lib/systemd/system/spx-cc@.service.d/x.conf",
        "/usr/lib/systemd/system/spectrum-x-.timer.d/x.conf",
        "/usr/lib/systemd/system/spx-cc@mlx5_0.service",
        TIMER + ".wants/evil.service",
        "/usr/lib/systemd/system/spectrum-x-watch.timer.requires/evil.service",
        "/run/systemd/system/spx-cc@mlx5_0.service.upholds/evil.service",
    ],
)
def test_what_changes_our_units_is_found_predicted_and_removed(kept, path):
    place = put(kept, path)
    predicted = timer(kept, check=True)
    assert place.exists()
    assert (predicted.changed, kept.calls) == (True, [])
    assert [said.partition(":")[0] for said in predicted.wrong_units] == [path]
    assert timer(kept) == predicted
    assert not place.exists()
    assert kept.calls == ["systemctl daemon-reload"]
    assert not timer(kept).changed


@pytest.mark.parametrize(
    "path",
    [
        "/etc/systemd/system/multi-user.target.wants/spx-cc@mlx5_0.service",
        "/etc/systemd/system/other.service.d/x.conf",
        "/etc/systemd/system/other-.timer.d/x.conf",
        "/etc/systemd/system/spx-ccx@1.service",
        TIMER + ".d/note.txt",
        "/usr/lib/systemd/system/timer.d/x.conf",
        "/usr/lib/systemd/system/spectrum-x-watch.timer",
        "/usr/lib/systemd/system/timers.target.wants/spectrum-x-watch.timer",
    ],
)
def test_what_changes_none_of_our_units_is_left(kept, path):
    place = put(kept, path)
    outcome = timer(kept)
    assert (outcome.changed, outcome.wrong_units, place.exists()) == (False, [], True)


@pytest.mark.parametrize(
    "text, said", [("[Timer]\nOnUnitActiveSec=1y\n", True), ("[Unit]\nDocumentation=x\n", False)]
)
def test_a_drop_in_of_all_timers_is_said_where_it_decides_what_runs_and_left(kept, text, said):
    place = put(kept, "/etc/systemd/system/timer.d/x.conf", text)
    outcome = timer(kept)
    assert (outcome.changed, outcome.wrong_units, place.exists()) == (False, [], True)
    assert [
        sentence.startswith("/etc/systemd/system/timer.d/x.conf: it changes what all units")
        for sentence in outcome.left
    ] == [True] * said


def test_a_masked_timer_is_a_file_again_enabled_and_started(kept):
    place = kept.folder / TIMER[1:]
    place.unlink()
    place.symlink_to("/dev/null")
    kept.units["spectrum-x-watch.timer"] = ("masked", "masked", "inactive")
    predicted = timer(kept, check=True)
    assert predicted.wrong_files == [f"{TIMER}: it is a symbolic link, expected a file."]
    assert timer(kept) == predicted
    assert (place.is_symlink(), place.read_text()) == (False, "timer\n")
    assert kept.calls == [
        "systemctl daemon-reload",
        "systemctl enable spectrum-x-watch.timer",
        "systemctl start spectrum-x-watch.timer",
    ]


def test_what_systemd_has_by_another_text_is_loaded_again(kept):
    kept.stale.add("spx-cc@mlx5_0.service")
    kept.units["spx-cc@mlx5_0.service"] = ("loaded", "static", "active")
    predicted = timer(kept, check=True)
    assert predicted.commands == ["systemctl daemon-reload"]
    assert "spx-cc@mlx5_0.service: systemd runs it with another text" in predicted.wrong_units[0]
    assert timer(kept) == predicted
    assert kept.calls == ["systemctl daemon-reload"]


RIGHTS = [
    ("/etc/spectrum-x/desired.json", 0o666, "its mode is 0666, expected 0644."),
    (TIMER, 0o777, "its mode is 0777, expected 0644."),
]


@pytest.mark.parametrize("path, mode, says", RIGHTS)
def test_rights_are_put_right_where_the_content_is(kept, path, mode, says):
    place = kept.folder / path[1:]
    place.chmod(mode)
    before = place.stat()
    predicted = timer(kept, check=True)
    assert predicted.wrong_files == [f"{path}: {says}"]
    assert predicted.diff[0]["before"].startswith(f"mode {mode:04o}, owner")
    assert timer(kept) == predicted
    after = place.stat()
    assert (after.st_mode & 0o7777, after.st_mtime_ns) == (0o644, before.st_mtime_ns)
    assert after.st_ino != before.st_ino  # who has the old file open writes into nothing
    assert kept.calls == []
    assert not timer(kept).changed


@root
def test_files_and_folders_of_ours_are_given_back_to_root(kept):
    place = kept.folder / "etc/spectrum-x/desired.json"
    os.chown(place, 1000, 1000)
    os.chown(place.parent, 1000, 1000)
    place.parent.chmod(0o777)
    predicted = timer(kept, check=True)
    assert predicted.files == ["/etc/spectrum-x", "/etc/spectrum-x/desired.json"]
    assert predicted.wrong_files == [
        "/etc/spectrum-x belongs to user 1000, not to root.",
        "/etc/spectrum-x/desired.json: its owner is 1000:1000, expected root.",
    ]
    assert timer(kept) == predicted
    assert (place.stat().st_uid, place.parent.stat().st_uid) == (0, 0)
    assert place.parent.stat().st_mode & 0o7777 == 0o755
    assert not timer(kept).changed


@root
def test_nothing_is_written_below_a_folder_that_others_can_write(machine):
    (machine.folder / "etc").mkdir()
    (machine.folder / "etc").chmod(0o777)
    for check in (True, False):
        with pytest.raises(
            NicError, match=r"^/etc has mode 0777, so users other than root can write it"
        ):
            timer(machine, check=check)
    assert list((machine.folder / "etc").iterdir()) == []


def test_a_link_at_the_place_of_the_new_file_is_not_followed(machine):
    victim = put(machine, "/victim", "mine\n")
    (machine.folder / "opt").mkdir()
    (machine.folder / "opt/.x.part").symlink_to(victim)
    (machine.folder / "opt/x").symlink_to(victim)
    apply(machine, {"path": "/opt/x", "content": "a"})
    assert (victim.read_text(), (machine.folder / "opt/x").read_text()) == ("mine\n", "a")


def test_new_folders_have_their_mode_whatever_the_umask(machine):
    before = os.umask(0)
    try:
        apply(machine, {"path": "/opt/a/b/x", "content": "a"})
    finally:
        os.umask(before)
    assert (machine.folder / "opt/a/b").stat().st_mode & 0o7777 == 0o755


def test_a_file_known_by_its_digest_keeps_its_content(machine):
    one = {"path": "/opt/x", "content": "a", "mode": "0755"}
    apply(machine, one)
    known = {"path": "/opt/x", "sha256": hashlib.sha256(b"a").hexdigest(), "mode": "0755"}
    assert not apply(machine, known).changed
    (machine.folder / "opt/x").chmod(0o777)
    assert apply(machine, known).files == ["/opt/x"]
    assert (machine.folder / "opt/x").read_text() == "a"
    (machine.folder / "opt/x").write_text("b")
    with pytest.raises(NicError, match=r"^/opt/x: it is not the file of"):
        apply(machine, known)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (os.mkfifo, "it is a named pipe"),
        (lambda place: place.write_bytes(b"x" * (1 << 20) + b"x"), "it is larger than 1 MiB"),
    ],
)
def test_what_is_no_file_of_ours_is_not_read(machine, make, words):
    put(machine, "/opt/y")
    make(machine.folder / "opt/x")
    with pytest.raises(
        NicError, match=f"^/opt/x: {words}: a regular file of at most 1 MiB is read"
    ):
        apply(machine, {"path": "/opt/x", "content": "a"}, check=True)


def test_nothing_is_left_beside_a_target_that_cannot_be_replaced(machine, monkeypatch):
    def refuse(*_args):
        raise PermissionError(errno.EPERM, "Operation not permitted")

    place = put(machine, "/opt/x", "mine")
    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(NicError, match=r"^/opt/x: it cannot be written: Operation not permitted"):
        apply(machine, {"path": "/opt/x", "content": "a"})
    assert ([*place.parent.iterdir()], place.read_text()) == ([place], "mine")
