# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A guest that does not boot, one that fails at its work, and what both are called.

QEMU and apt are scripts here, since they have to fail on purpose; stage `kernel` runs the real ones.
"""

from __future__ import annotations

import gzip
import json
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from lab import guest, guest_kernel
from lab.errors import LabError

ROOT = pathlib.Path(__file__).resolve().parents[4]
UP = f'echo "{guest.SPEAKS}" >>$console; '
PANIC = "Kernel panic - not syncing: Attempted to kill init!"
WAIT = f"exec {shutil.which('sleep')} 60"


def program(folder, name, text):
    path = folder / name
    path.write_text(f"#!{shutil.which('bash')}\n{text}\n")
    path.chmod(0o755)


@pytest.fixture(name="machine")
def _machine(tmp_path, monkeypatch):
    """A machine with an unpacked kernel, whose programs are scripts in the folder returned."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("SPX_LAB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setattr(guest, "PATH", str(folder))
    monkeypatch.setattr(guest, "BUSYBOX", folder / "busybox")
    monkeypatch.setattr(guest_kernel, "_PATH", os.environ["PATH"])
    (tmp_path / "cache" / "kernel" / "boot").mkdir(parents=True)
    (tmp_path / "cache" / "kernel" / "boot" / "vmlinuz-6.1.0-1-amd64").write_text("")
    module = tmp_path / "vrf.ko"
    module.write_text("the module")
    program(folder, "modprobe", f'echo "builtin unix"; echo "insmod {module} "')
    program(folder, "busybox", "")
    return folder


def qemu(machine, text):
    """A QEMU that does as the text says; `$console` and `$output` are its serial lines."""
    find = (
        'files=(); for word in "$@"; do case $word in file:*) files+=(${word#file:});; esac; done; '
        f"console=${{files[0]}} output=${{files[1]}}; echo $$ >{machine}/pid\n"
    )
    program(machine, guest.QEMU, find + text)


def run(machine, **options):
    given = {"modules": ["vrf"], "logs": machine.parent / "logs", "patience": 20, **options}
    return guest.run(["true"], **given)


def gone(machine):
    return not pathlib.Path("/proc", (machine / "pid").read_text().strip()).exists()


def test_output_and_code_of_a_command_come_back(machine):
    qemu(
        machine,
        UP + 'printf "a\\r\\nb\\r\\n" >$output; echo "guest: the order ended with 3" >>$console',
    )
    assert run(machine) == guest.Answer(output="a\nb\n", code=3)


@pytest.mark.parametrize(
    "does, why",
    [
        ("echo 'invalid accelerator tcg' >&2; exit 1", "ended with 1: invalid accelerator tcg"),
        (f"echo '{PANIC}' >$console", f"ended with 0: {PANIC}"),
        ("exit 0", "ended with 0: no words"),
        (WAIT, "no program spoke within 0.5 seconds: no words"),
        (f"echo 'Booting' >$console; {WAIT}", "no program spoke within 0.5 seconds: Booting"),
    ],
)
def test_a_guest_that_does_not_boot_is_said_to(machine, monkeypatch, does, why):
    monkeypatch.setattr(guest, "BOOT", 0.5 if "sleep" in does else guest.BOOT)
    qemu(machine, does)
    with pytest.raises(guest.NoGuest, match="^no guest boots: .*" + why):
        run(machine)
    assert gone(machine)


@pytest.mark.parametrize(
    "does, why",
    [
        (f"echo '{PANIC}' >>$console", f"the guest went down before its command ended: {PANIC}"),
        (f"echo begun >$output; {WAIT}", "did not end within 1 seconds: begun"),
    ],
)
def test_a_guest_that_booted_and_fails_is_another_failure(machine, does, why):
    qemu(machine, UP + does)
    with pytest.raises(LabError, match=why) as caught:
        run(machine, patience=1)
    assert not isinstance(caught.value, guest.NoGuest)
    assert gone(machine)


def test_what_an_earlier_guest_said_does_not_count(machine):
    qemu(machine, UP + 'echo "guest: the order ended with 0" >>$console')
    run(machine)
    qemu(machine, "exit 1")
    with pytest.raises(guest.NoGuest):
        run(machine)


@pytest.mark.parametrize("name", [guest.QEMU, "busybox", "modprobe"])
def test_a_missing_program_is_named_with_what_installs_it(machine, name):
    qemu(machine, "")
    (machine / name).unlink()
    with pytest.raises(guest.NoGuest, match=f"{name} is not here: run tests/setup/packages.sh lab"):
        run(machine)


def test_a_guest_needs_nothing_of_the_processor_writes_nothing_and_reaches_nothing(machine):
    words = " ".join(guest.command(guest.unpacked(), machine / "x", machine))
    assert "-accel tcg" in words
    assert "kvm" not in words
    assert "path=/,security_model=none,readonly=on" in words
    assert "-nic none" in words
    assert "netdev" not in words


def unpack(archive):
    """The files of a cpio archive by name, in order, as the kernel reads them."""
    found, at = {}, 0
    while at < len(archive):
        size, length = (int(archive[at + n : at + n + 8], 16) for n in (54, 94))
        name = archive[at + 110 : at + 110 + length - 1].decode()
        at += 110 + length
        at += -at % 4
        found[name] = archive[at : at + size]
        at += size + -size % 4
    return found


def test_modules_are_inserted_decompressed_and_in_order(machine, tmp_path):
    made = {"b.ko.xz": lzma.compress(b"B"), "a.ko": b"AAAAA", "c.ko.gz": gzip.compress(b"CC")}
    shown = [*made, "a.ko"]
    for name, data in made.items():
        (tmp_path / name).write_bytes(data)
    program(machine, "modprobe", "; ".join(f"echo insmod {tmp_path}/{name}" for name in shown))
    files = unpack(b"".join(guest.initramfs(guest.unpacked(), ["say", "two words"], ["a", "c"])))
    modules = [(name, data) for name, data in files.items() if name.startswith("modules/")]
    assert modules == [
        ("modules/000-b.ko.xz", b"B"),
        ("modules/001-a.ko", b"AAAAA"),
        ("modules/002-c.ko.gz", b"CC"),
    ]
    assert [*files][-1] == "TRAILER!!!"
    start = f"\n/usr/bin/env -i PATH={guest.PATH} HOME=/root say 'two words' </dev/null"
    assert start.encode() in files["order"]


# the kernel's packages

DEPENDS = {
    "debian": {
        "linux-image-amd64": "linux-image-6.12.107+deb13-amd64",
        "linux-image-6.12.107+deb13-amd64": "kmod linux-base initramfs-tools",
    },
    "ubuntu": {
        "linux-image-generic": "linux-image-6.8.0-151-generic linux-modules-extra-6.8.0-151-generic "
        "linux-firmware intel-microcode",
        "linux-image-6.8.0-151-generic": "kmod linux-base linux-modules-6.8.0-151-generic",
        "linux-modules-extra-6.8.0-151-generic": "wireless-regdb linux-modules-6.8.0-151-generic",
    },
    "nothing": {},
}
"""As apt 2.6 and 2.8 know them."""


@pytest.fixture(name="apt")
def _apt(machine, tmp_path):
    """Empties the cache, and makes an apt that knows these packages: apt(system, download)."""
    shutil.rmtree(tmp_path / "cache")
    for name in ("dpkg-deb", "depmod"):
        program(machine, name, f'echo "{name} $*" >>{tmp_path}/told')
    places = "mkdir -p $3/boot $3/lib/modules; touch $3/boot/vmlinuz-6.8.0-151-generic"
    program(machine, "dpkg-deb", f'echo "dpkg-deb $1 ${{2##*/}}" >>{tmp_path}/told; {places}')

    def make(system, download="for name in ${@:7}; do touch $name.deb; done"):
        cases = "".join(
            f'{name}) printf "{name}\\n"; printf "  Depends: %s\\n" {needs};; '
            for name, needs in DEPENDS[system].items()
        )
        program(machine, "apt-cache", f"case ${{!#}} in {cases} *) exit 100;; esac")
        note = f'echo "apt-get $*" >>{tmp_path}/told; [ "$2" != update ] || exit 0; '
        program(machine, "apt-get", note + download)
        return tmp_path / "told"

    return make


@pytest.mark.parametrize(
    "system, names",
    [
        ("debian", ["linux-image-6.12.107+deb13-amd64"]),
        (
            "ubuntu",
            [
                "linux-image-6.8.0-151-generic",
                "linux-modules-6.8.0-151-generic",
                "linux-modules-extra-6.8.0-151-generic",
            ],
        ),
    ],
)
def test_the_newest_kernel_is_downloaded_once_with_its_modules(apt, system, names):
    told = apt(system)
    kernel = guest_kernel.unpacked()
    assert kernel.version == "6.8.0-151-generic"
    lines = told.read_text().splitlines()
    assert sorted(lines[0].split()[7:]) == names
    assert [line for line in lines if "dpkg-deb" in line] == [
        f"dpkg-deb --extract {name}.deb" for name in names
    ]
    assert lines[-1].startswith("depmod --basedir ")
    assert guest_kernel.unpacked() == kernel
    assert told.read_text().splitlines() == lines


def test_what_apt_knew_of_yesterday_is_looked_up_again(apt, tmp_path):
    told = apt("debian", f"grep -q update {tmp_path}/told && touch new.deb || exit 100")
    guest_kernel.unpacked()
    begun = [line.split()[0:3] for line in told.read_text().splitlines() if "apt-get" in line]
    assert [words[2] for words in begun] == ["-o", "update", "-o"]


@pytest.mark.parametrize(
    "system, why",
    [("debian", "404  Not Found"), ("nothing", "apt knows none of linux-image-amd64,")],
)
def test_a_kernel_that_cannot_be_downloaded_leaves_nothing(apt, tmp_path, system, why):
    apt(system, "echo 'E: first' >&2; echo '404  Not Found' >&2; exit 100")
    with pytest.raises(guest.NoGuest, match=f"kernel cannot be downloaded: .*{why}"):
        guest_kernel.unpacked()
    assert [*(tmp_path / "cache").iterdir()] == []


def test_a_kernel_that_cannot_be_unpacked_is_no_kernel_the_next_time(apt, machine, tmp_path):
    apt("debian")
    program(machine, "depmod", "echo 'disk full' >&2; exit 1")
    for dummy in range(2):
        with pytest.raises(LabError, match="disk full"):
            guest_kernel.unpacked()
    assert [*(tmp_path / "cache").iterdir()] == []


def test_packages_without_a_kernel_are_no_kernel(apt, machine, tmp_path):
    apt("debian")
    program(machine, "dpkg-deb", "mkdir -p $3/lib/modules")
    with pytest.raises(guest.NoGuest, match="hold no boot/vmlinuz"):
        guest_kernel.unpacked()
    assert [*(tmp_path / "cache").iterdir()] == []


def test_another_processor_has_no_guest(machine, monkeypatch):
    monkeypatch.setattr(guest, "MACHINE", "z80")
    with pytest.raises(guest.NoGuest, match="guests are made for z80, and this machine is "):
        run(machine)


# the stage


STAGE = """
import os, sys, pytest
os.geteuid = lambda: 0
from lab import guest
from pathlib import Path
guest.PATH, guest.BUSYBOX = {folder!r}, Path({folder!r}, "busybox")
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", {tests!r}]))
"""
PAIRS = [
    ["worker-su01-rack01-h01", "worker-su02-rack01-h01"],
    ["worker-su02-rack01-h01", "worker-su01-rack01-h01"],
    ["worker-su01-rack01-h02", "worker-su02-rack01-h02"],
    ["worker-su02-rack01-h02", "worker-su01-rack01-h02"],
]
SEEN = {
    "backends": ["kernel"],
    "converged": True,
    "reached": PAIRS,
    "underlay": [],
    "whole": True,
    "one_byte_more": False,
    "reached_when_leaked": [*PAIRS, ["worker-su01-rack01-h01", "worker-su01-rack01-h02"]],
}
BREACH = {"reached": [*PAIRS, ["worker-su01-rack01-h01", "worker-su02-rack01-h02"]]}


def stage(machine, text):
    """Stage `kernel` with this QEMU, on a machine whose kernel makes no VRFs."""
    program(machine, "unshare", "exit 1")
    qemu(machine, text)
    script = STAGE.format(
        folder=str(machine), tests=str(ROOT / "tests" / "kernel" / "slow_rails.py")
    )
    path = [str(ROOT / "demo"), *(item for item in sys.path if "ansible_collections" not in item)]
    return subprocess.run(
        [sys.executable, "-c", script],
        env={
            **os.environ,
            "SPX_LAB_DIR": str(machine.parent / "lab"),
            "PYTHONPATH": os.pathsep.join(path),
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def tells(**changes):
    """Script of a guest that answers so."""
    answer = json.dumps({**SEEN, **changes})
    return f"{UP}echo 'ANSWER rails {answer}' >$output; echo 'guest: the order ended with 0' >>$console"


@pytest.mark.large
@pytest.mark.parametrize(
    "text, code, said",
    [
        ("echo 'Illegal instruction' >&2; exit 132", 77, "no guest boots: .* Illegal instruction"),
        (tells(), 0, "2 passed"),
        (tells(**BREACH), 1, "1 failed, 1 passed"),
        (tells(reached_when_leaked=PAIRS), 1, "1 failed, 1 passed"),
        (
            f"{UP}echo Traceback >$output; echo 'guest: the order ended with 1' >>$console",
            1,
            "Trace",
        ),
    ],
)
def test_where_nothing_boots_the_stage_is_not_available_and_a_story_that_fails_is_red(
    machine, text, code, said
):
    done = stage(machine, text)
    assert done.returncode == code, done.stdout + done.stderr
    assert re.search(said, done.stdout)
