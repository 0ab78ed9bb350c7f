# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The driver that runs, that of the next boot, and what forbids another one.

Forms are those of the Linux kernel (ABI of sysfs-module, security/lockdown), of efivars (UEFI 2.10, 3.3) and of
mokutil's source; no host with Secure Boot was tried.
"""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.driver import read
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result

RUNS, NEXT = "6.8.0-45-generic", "6.8.0-101-generic"
DOCA = {"mlnx-ofed-kernel-dkms": "26.01.OFED.26.01.0.8.8.1-1"}
EFI = "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
MOK = "/var/lib/shim-signed/mok/MOK.der"


class Machine:
    """A host in a folder; `key` is what mokutil says of a key."""

    def __init__(self, root):
        self.root, self.key, self.modules, self.builds = root, "", {}, {}

    def put(self, name, text=""):
        path = self.root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())

    def kernel(self, name, *, headers=True, built="updates/dkms/mlx5_core.ko.zst"):
        self.put(f"boot/vmlinuz-{name}")
        if headers:
            self.put(f"lib/modules/{name}/build/Makefile")
        self.modules[name] = f"/lib/modules/{name}/{built}\n" if built else ""

    def loaded(self, version):
        self.put("sys/module/mlx5_core/holders/mlx5_ib/refcnt")
        if version:
            self.put("sys/module/mlx5_core/version", f"{version}\n")

    def run(self, argv, _timeout):
        if argv[0] == "modinfo":
            option, kernel, *rest = argv[1:]
            if rest[:2] == ["-F", "srcversion"]:
                built = self.builds.get(rest[2], "")
                return Result(0 if built else 1, f"{built}\n", "")
            assert [option, *rest] == ["-k", "-F", "filename", "mlx5_core"]
            place = self.modules.get(kernel, "")
            return Result(
                0 if place else 1,
                place,
                "" if place else "modinfo: ERROR: Module mlx5_core not found.\n",
            )
        assert argv == ["mokutil", "--test-key", MOK]
        return Result(0, f"{MOK} is {self.key}\n", "")

    def read(self, packages=None, **more):
        host = Host(run=self.run, root=str(self.root), sysfs=f"{self.root}/sys")
        return read(host, DOCA if packages is None else packages, RUNS, **more)


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    made.kernel(RUNS)
    made.loaded("26.01-0.8.8")
    return made


def test_a_host_as_it_should_be(machine):
    nothing = {"wrong": [], "hinders": [], "rebuilt": [], "upon": {}}
    nothing |= {"running": [], "locked": ""}
    assert machine.read() == nothing


NAMES = '["rpcrdma"]'
BEFORE = "rpcrdma ran before the driver was replaced, and now "


@pytest.mark.parametrize(
    ("noted", "loaded", "built", "words"),
    [
        (NAMES, "A1", "A1", ""),
        (NAMES, "", "A1", f"{BEFORE}is not loaded: run 'modprobe rpcrdma' on the host"),
        (NAMES, "", "", f"{BEFORE}kernel {RUNS} has no build of it"),
        (NAMES, "A1", "B2", f"{BEFORE}another build than that for kernel {RUNS} runs"),
        (NAMES, "A1", "", f"{BEFORE}another build than that for kernel {RUNS} runs"),
        ("[]", "", "", ""),
        ("[", "", "", "/etc/spectrum-x/rebuilt.json is no list of modules"),
        ('{"rpcrdma": 1}', "", "", "is no list of modules"),
        ('["--version"]', "", "", "is no list of modules"),
    ],
)
def test_modules_upon_the_driver_run_again_after_its_reboot(machine, noted, loaded, built, words):
    """Role dpu_doca notes those that ran; before the reboot they still are of the old driver."""
    machine.put("etc/spectrum-x/rebuilt.json", noted)
    if loaded:
        machine.put("sys/module/rpcrdma/srcversion", f"{loaded}\n")
    machine.builds = {"rpcrdma": built}
    (found,) = machine.read()["rebuilt"] or [""]
    assert (words in found) if words else not found
    assert machine.read(waits=True)["rebuilt"] == []


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ("26.01-0.8.8", ""),
        ("25.10-1.2.3", "mlx5_core 25.10-1.2.3 runs, and 26.01 is installed"),
        ("", "mlx5_core of the kernel runs, and 26.01 is installed"),
    ],
)
def test_the_loaded_driver_is_held_against_the_installed_one(tmp_path, version, words):
    machine = Machine(tmp_path)
    machine.loaded(version)
    assert words in "".join(machine.read()["wrong"])
    assert len(machine.read()["wrong"]) == bool(words)
    assert (
        machine.read({"doca-ofed-userspace": "3.3.0"})["wrong"] == []
    )  # the driver of the kernel is wanted


@pytest.mark.parametrize(
    ("saved", "kernel", "wrong", "hinders"),
    [
        ("", {}, [], []),
        ("", {"built": "extra/mlnx-ofa_kernel/mlx5_core.ko"}, [], []),
        ("", {"built": "kernel/drivers/net/mlx5_core.ko.zst"}, ["mlx5_core 26.01 is not built for it"], []),
        ("", {"headers": False}, ["its headers are not installed"], ["its headers are not installed"]),
        (RUNS, {"headers": False, "built": ""}, [], []),
    ],
)  # fmt: skip
def test_the_kernel_that_boots_next_needs_headers_and_the_driver(
    machine, saved, kernel, wrong, hinders
):
    machine.kernel(NEXT, **kernel)
    machine.put("boot/vmlinuz-0-rescue-9e1d")
    if saved:
        machine.put("boot/grub2/grubenv", f"# GRUB\nsaved_entry=9e1d0c-{saved}\n####\n")
    found = machine.read()
    for texts, words in ((found["wrong"], wrong), (found["hinders"], hinders)):
        assert len(texts) == len(words)
        assert all(text.startswith(f"kernel {NEXT} boots next") for text in texts)
        assert all(word in text for word, text in zip(words, texts))


@pytest.mark.parametrize(
    ("efi", "lockdown", "key", "words"),
    [
        (b"\x06\0\0\0\0", "[none] integrity confidentiality\n", "not enrolled", ""),
        (b"\x06\0\0\0\1", "none [integrity] confidentiality\n", "already enrolled", ""),
        (b"\x06\0\0\0\1", "none [integrity] confidentiality\n", "not enrolled", "Secure Boot is on, and no key"),
        (b"\x06\0\0\0\1", None, None, f"run 'mokutil --import {MOK}'"),
        (None, "none integrity [confidentiality]\n", None, "the kernel is locked down (confidentiality), and"),
        (None, None, "not enrolled", ""),
    ],
)  # fmt: skip
def test_unsigned_modules_are_refused_before_a_boot_without_driver(
    machine, efi, lockdown, key, words
):
    if efi is not None:
        machine.put(EFI, efi)
    if lockdown:
        machine.put("sys/kernel/security/lockdown", lockdown)
    if key:
        machine.put(MOK)
        machine.key = key
    found = machine.read()
    assert words in "".join(found["hinders"])
    assert len(found["hinders"]) == bool(words)
    assert found["locked"] == {"i": "integrity", "c": "confidentiality"}.get(
        (lockdown or "").partition("[")[2][:1], ""
    )


def test_modules_of_others_upon_the_driver_are_named(machine):
    for name in ("ib_core/holders/rdma_cm", "rdma_cm/holders/ko2iblnd", "ko2iblnd/holders/lustre"):
        machine.put(f"sys/module/{name}/refcnt")
    for name in ("nvidia_peermem", "mlx5_ib", "ib_uverbs", "nvme_rdma", "wekafsio"):
        machine.put(f"sys/module/ib_core/holders/{name}/refcnt")
    packages = {**DOCA, "vastnfs-dkms": "4.0.35", "nvidia-fs": "2.25"}
    loaded = dict.fromkeys(("ko2iblnd", "lustre", "nvidia_peermem", "wekafsio"), "loaded")
    for name in ("rpcrdma", "lustre"):
        machine.put(f"sys/module/{name}/refcnt", "1")
    assert machine.read(packages)["running"] == ["rpcrdma", "ko2iblnd", "lustre"]
    assert machine.read(packages)["upon"] == {
        "rpcrdma": "vastnfs-dkms",
        "nvidia_fs": "nvidia-fs",
        **loaded,
    }
