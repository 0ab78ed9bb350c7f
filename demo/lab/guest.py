# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command in a guest: the distribution's own kernel in QEMU, over the files of this machine.

    answer = guest.run(["ip", "link", "add", "red", "type", "vrf", "table", "10"], modules=["vrf"], logs=folder)

QEMU computes every instruction itself (`-accel tcg`), so that a guest boots on any processor, and is about
ten times slower than the machine. The guest has no network device. It reads the machine's root file system
over 9p, which QEMU opens for reading only; what the guest writes stays in its memory.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import shlex
import shutil
import stat
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Sequence

from lab.boot import PATH
from lab.errors import LabError
from lab.guest_kernel import Kernel, NoGuest, content, unpacked

MACHINE = "x86_64"
QEMU = f"qemu-system-{MACHINE}"
BUSYBOX = pathlib.Path("/bin/busybox")
INSTALL = "run tests/setup/packages.sh lab, or install it"
BOOT = 60
"""Seconds until the first program of the guest prints a line; it takes two where nothing else runs."""
MEMORY = 1536
"""Megabytes; files that the guest writes are in them too."""
OWN_MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
"""Modules by which the guest finds its root file system."""
COMMAND_LINE = "console=ttyS0 quiet panic=-1 mitigations=off nokaslr norandmaps random.trust_cpu=on"
"""Programs are at the same addresses each time, so that QEMU translates them once: a quarter less work."""
SPEAKS = "guest: the kernel is up"
ENDED = re.compile(r"guest: the order ended with (\d+)")

INIT = f"""#!/bin/busybox sh
b=/bin/busybox
$b echo "{SPEAKS}"
$b mount -t devtmpfs dev /dev
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
for module in /modules/*; do $b insmod $module || $b echo "guest: $module was not inserted"; done
$b mount -t tmpfs tmpfs /written
$b mkdir /written/upper /written/work
$b mount -t 9p -o trans=virtio,version=9p2000.L,msize=524288,cache=loose,ro machine /machine
$b mount -t overlay -o lowerdir=/machine,upperdir=/written/upper,workdir=/written/work root /root
for folder in dev proc sys; do $b mount --move /$folder /root/$folder; done
$b mount -t tmpfs tmpfs /root/run
$b cp $b /order /root/run/
exec $b switch_root -c /dev/ttyS0 /root /run/busybox sh /run/order
"""
ORDER = """# The machine's own env, as busybox's would prefer an ip, sh or unshare of busybox.
b=/run/busybox
$b mkdir -p /dev/pts /dev/shm
$b mount -t devpts devpts /dev/pts
$b mount -t tmpfs tmpfs /dev/shm
$b ip link set lo up
/usr/bin/env -i PATH={path} HOME=/root {words} </dev/null >/dev/ttyS1 2>&1
$b echo "guest: the order ended with $?"
$b poweroff -f
"""


@dataclasses.dataclass(frozen=True)
class Answer:
    """Output of a command in the guest, of both streams, and its exit code."""

    output: str
    code: int


def run(
    words: Sequence[str],
    *,
    modules: Iterable[str],
    logs: pathlib.Path,
    patience: float,
) -> Answer:
    """Boot a guest with these modules, run a command in it, and end it.

    Raises NoGuest where no guest boots, and LabError where the command did not end within `patience` seconds
    or took the guest down. `logs` is a folder for the guest's console and the command's output.
    """
    kernel = ready()
    logs.mkdir(parents=True, exist_ok=True)
    for old in logs.glob("*.log"):
        old.unlink()
    archive = logs / "initramfs.cpio"
    archive.write_bytes(b"".join(initramfs(kernel, words, modules)))
    process = subprocess.Popen(
        command(kernel, archive, logs),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    try:
        _boot(process, logs / "console.log")
        return _answer(process, logs, patience)
    finally:
        process.kill()
        process.wait()
        archive.unlink()


def ready() -> Kernel:
    """The kernel for guests; NoGuest where it, or a program that a guest needs, is missing."""
    if os.uname().machine != MACHINE:
        raise NoGuest(f"guests are made for {MACHINE}, and this machine is {os.uname().machine}")
    for program in (QEMU, "modprobe", str(BUSYBOX)):
        if not shutil.which(program, path=PATH):
            raise NoGuest(f"{program} is not here: {INSTALL}")
    return unpacked()


def command(kernel: Kernel, archive: pathlib.Path, logs: pathlib.Path) -> list[str]:
    """The command that boots: two serial lines into files, the root over 9p, no device else.

    One processor, as QEMU spends half as much again on keeping two in step.
    """
    return [
        *(QEMU, "-accel", "tcg,thread=single", "-cpu", "max", "-smp", "1", "-m", str(MEMORY)),
        *("-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-nic", "none"),
        *("-kernel", str(kernel.image), "-initrd", str(archive), "-append", COMMAND_LINE),
        *("-serial", f"file:{logs}/console.log", "-serial", f"file:{logs}/output.log"),
        *("-fsdev", "local,id=machine,path=/,security_model=none,readonly=on,multidevs=remap"),
        *("-device", "virtio-9p-pci,fsdev=machine,mount_tag=machine"),
    ]


def initramfs(kernel: Kernel, words: Sequence[str], modules: Iterable[str]) -> Iterator[bytes]:
    """The files that the guest boots with, as a cpio archive (newc)."""
    order = ORDER.format(path=PATH, words=shlex.join(words))
    for folder in ("bin", "dev", "machine", "modules", "proc", "root", "sys", "written"):
        yield _entry(folder, stat.S_IFDIR)
    yield _entry("bin/busybox", stat.S_IFREG, BUSYBOX.read_bytes())
    yield _entry("init", stat.S_IFREG, INIT.encode())
    yield _entry("order", stat.S_IFREG, order.encode())
    for number, path in enumerate(kernel.modules([*OWN_MODULES, *modules])):
        yield _entry(f"modules/{number:03}-{path.name}", stat.S_IFREG, content(path))
    yield _entry("TRAILER!!!", 0)


def _entry(name: str, kind: int, data: bytes = b"") -> bytes:
    """One file of a cpio archive: thirteen numbers, name and content, each padded to four bytes."""
    label = name.encode() + b"\0"
    numbers = (0, kind | 0o755, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(label), 0)
    head = b"070701" + b"".join(b"%08x" % number for number in numbers) + label
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


def _boot(process: subprocess.Popen[str], console: pathlib.Path) -> None:
    """Wait for the first words of the guest's first program."""
    spoken = _within(BOOT, lambda: SPEAKS in _text(console) or process.poll() is not None)
    if SPEAKS in _text(console):
        return
    if spoken:
        said = process.communicate()[1] + _text(console)
        raise NoGuest(f"no guest boots: {QEMU} ended with {process.returncode}: {_last(said)}")
    raise NoGuest(
        f"no guest boots: no program spoke within {BOOT} seconds: {_last(_text(console))}"
    )


def _answer(process: subprocess.Popen[str], logs: pathlib.Path, patience: float) -> Answer:
    """Wait for the end of the command, and of the guest."""
    output, console = logs / "output.log", logs / "console.log"
    if not _within(patience, lambda: process.poll() is not None):
        said = _last(_text(output))
        raise LabError(f"the guest's command did not end within {patience:g} seconds: {said}")
    ended = ENDED.search(_text(console))
    if ended is None:
        raise LabError(f"the guest went down before its command ended: {_last(_text(console))}")
    return Answer(_text(output), int(ended.group(1)))


def _within(seconds: float, done: Callable[[], bool]) -> bool:
    """Wait until something is so, and return whether it was in time."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def _text(file: pathlib.Path) -> str:
    """Return the output of a serial line so far."""
    if not file.exists():
        return ""
    return file.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n")


def _last(text: str) -> str:
    """The last line that says something."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no words")
