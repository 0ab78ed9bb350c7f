# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver that runs, the one of the next boot, what keeps a new one from loading, and what is built upon it.

Nothing is written. Of Secure Boot and lockdown the forms of mokutil, of efivars and of the kernel's pages are known;
no host with them was tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .. import _json
from .._nic.errors import NicError
from .._nic.tools import Host
from .records import Driver

KERNEL = (
    "mlnx-ofed-kernel-dkms",
    "mlnx-ofed-kernel-modules",
    "mlnx-ofa_kernel",
    "kmod-mlnx-ofa_kernel",
)
"""Packages of the driver; their versions begin with its release, as 26.01 does."""
IN_TREE = "/kernel/"
"""Folder below /lib/modules of a kernel that has the modules of its own."""
SECURE_BOOT = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
KEYS = ("/var/lib/shim-signed/mok/MOK.der", "/var/lib/dkms/mok.pub")
"""Keys by which DKMS signs, of Ubuntu and of others (dkms(8), UEFI Secure Boot)."""
OWN = re.compile(
    r"(?:mlx|ib_|iw_|rdma_|rpcrdma|nvmet?_|smc|siw$|rds|fwctl|macsec|vfio|srpt?$|iser)"
)
"""Modules of the driver and of the kernel; the driver's packages have all that need to fit it."""
REBUILT = "/etc/spectrum-x/rebuilt.json"
"""Written before the packages of the driver are replaced: the modules upon it that ran, which have to run again."""
PARTS = {"vastnfs": "rpcrdma", "lustre-client": "ko2iblnd", "nvidia-fs": "nvidia_fs"}
"""Beginning of a package -> its module that is built upon the driver."""


def read(host: Host, packages: Mapping[str, str], running: str, *, waits: bool = False) -> Driver:
    """{wrong, hinders, rebuilt, upon, running, locked}: sentences on what runs, against a new driver, and on modules.

    `upon` is {module: origin}, `running` those of them that are loaded. Before the reboot that a new driver `waits`
    for, nothing is said of rebuilt modules.
    """
    release = next((packages[name][:5] for name in KERNEL if name in packages), "")
    found = re.search(r"\[(\w+)\]", host.text("/sys/kernel/security/lockdown") or "")
    locked = found.group(1) if found and found.group(1) != "none" else ""
    later = _boots_next(host)
    headers = [*_without_headers(host, later)] if later != running else []
    upon = {**_packed(packages), **dict.fromkeys(sorted(_holders(host)), "loaded")}
    return {
        "wrong": [*_loaded(host, release), *_unbuilt(host, release, later), *headers],
        "hinders": [*_unsigned(host, locked), *headers],
        "rebuilt": [] if waits else [*_not_rebuilt(host, running)],
        "upon": upon,
        "running": [name for name in upon if host.exists(f"/sys/module/{name}")],
        "locked": locked,
    }


def _loaded(host: Host, release: str) -> Iterator[str]:
    """Compare the release; a driver that is built into the kernel has no holders, and is not compared."""
    version = host.text("/sys/module/mlx5_core/version") or ""
    if release and host.exists("/sys/module/mlx5_core/holders") and not version.startswith(release):
        yield (
            f"mlx5_core {version or 'of the kernel'} runs, and {release} is installed: see that 'dkms status' has it "
            "for this kernel, and reboot the host."
        )


def _not_rebuilt(host: Host, kernel: str) -> Iterator[str]:
    """Look at each module that ran before a new driver was installed: it has to run in the build for this kernel."""
    try:
        names = _json.parse((host.text(REBUILT) or "[]").encode())
    except _json.NoJsonError:
        names = None
    if not isinstance(names, list) or not all(str(name).isidentifier() for name in names):
        yield f"{REBUILT} is no list of modules: remove it, and look at the modules upon the driver yourself."
        return
    for name in map(str, names):
        installed = host.ask("modinfo", "-k", kernel, "-F", "srcversion", name)
        loaded = host.text(f"/sys/module/{name}/srcversion") or ""
        if not host.exists(f"/sys/module/{name}"):
            what = "is not loaded" if installed.rc == 0 else f"kernel {kernel} has no build of it"
        elif loaded and loaded != installed.out.strip():
            what = f"another build than that for kernel {kernel} runs"
        else:
            continue
        yield (
            f"{name} ran before the driver was replaced, and now {what}: run 'modprobe {name}' on the host and read "
            f"dmesg, or take it out of {REBUILT}."
        )


def _boots_next(host: Host) -> str:
    """The kernel that GRUB has as its default, else the newest of /boot; "" where none is found (inferred)."""
    there = [name[8:] for name in host.entries("/boot") if name.startswith("vmlinuz-")]
    there = [name for name in there if "rescue" not in name]
    for folder in ("grub2", "grub"):
        saved = re.search(r"^saved_entry=(.+)$", host.text(f"/boot/{folder}/grubenv") or "", re.M)
        for name in there if saved else ():
            if saved and saved.group(1).endswith(f"-{name}"):
                return name
    return max(there, key=lambda name: [int(part) for part in re.findall(r"\d+", name)], default="")


def _without_headers(host: Host, kernel: str) -> Iterator[str]:
    if kernel and not host.path(f"/lib/modules/{kernel}/build").exists():
        yield (
            f"kernel {kernel} boots next, and its headers are not installed, so no driver can be built for it: "
            "install them (linux-headers or kernel-devel)."
        )


def _unbuilt(host: Host, release: str, kernel: str) -> Iterator[str]:
    """Ask modinfo(8) which mlx5_core that kernel would load: that of packages is outside its own folder."""
    if not (release and kernel):
        return
    place = host.ask("modinfo", "-k", kernel, "-F", "filename", "mlx5_core").out.strip()
    if not place.startswith("/") or IN_TREE in place.partition(kernel)[2]:
        yield (
            f"kernel {kernel} boots next, and mlx5_core {release} is not built for it, so its own driver would run: "
            f"run 'dkms autoinstall -k {kernel}'."
        )


def _unsigned(host: Host, locked: str) -> Iterator[str]:
    """Modules of DOCA-Host are built by DKMS and not signed by NVIDIA (DOCA 3.2, general support)."""
    try:
        secure = host.content(SECURE_BOOT)[-1:] == b"\x01"
    except (OSError, NicError):
        secure = False
    keys = [key for key in KEYS if (secure or locked) and host.exists(key)]
    if (secure or locked) and not any(
        "already enrolled" in host.ask("mokutil", "--test-key", key).text for key in keys
    ):
        why = "Secure Boot is on" if secure else f"the kernel is locked down ({locked})"
        yield (
            f"{why}, and no key of DKMS is enrolled, so a new driver would not load: run 'mokutil --import "
            f"{(keys or KEYS)[0]}' and confirm it at the console, or turn Secure Boot off."
        )


def _packed(packages: Mapping[str, str]) -> dict[str, str]:
    return {
        module: name
        for name in packages
        for begin, module in PARTS.items()
        if name.startswith(begin)
    }


def _holders(host: Host) -> set[str]:
    """The loaded modules of others that need one of the driver, at any depth."""
    todo, seen = ["ib_core", "mlx5_core", "mlx_compat"], set[str]()
    while todo:
        fresh = set(host.entries(f"/sys/module/{todo.pop()}/holders")) - seen
        seen |= fresh
        todo += fresh
    return {name for name in seen if not OWN.match(name)}
