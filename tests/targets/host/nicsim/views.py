# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A tree shaped like /sys for what a container's kernel cannot show, and the rshim files.

Reading: the files hold what sysfs would. Writing: a stand-in (or `nicsim sync`) that runs
next takes a written file over, logs it as a write of tool `sysfs`, and shows what the
hardware made of it. A value the driver would refuse is dropped and logged with rc 1.
"""

from __future__ import annotations

import os
import pathlib
import time
from collections.abc import Callable, Iterator
from typing import Any, Optional

from nicsim import faults, hardware, modules, paths, pci
from nicsim.call import record
from nicsim.store import State

#: (text) -> value, or None when the driver answers EINVAL
Reader = Callable[[str], Optional[int]]
#: One line of `resource`: this region is not used.
NO_RESOURCE = "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
Attribute = tuple[pathlib.Path, str, Reader, Callable[[int], None]]


#: Every PCI device with its real place.
Tree = list[tuple[pci.Device, pathlib.Path]]


def _limited(maximum: int) -> Reader:
    def read(text: str) -> Optional[int]:
        try:
            number = int(text.strip(), 0)
        except ValueError:
            return None
        return number if 0 <= number <= maximum else None

    return read


def _setter(place: Any, key: Any) -> Callable[[int], None]:
    def store(value: int) -> None:
        place[key] = value

    return store


def tclass_text(value: Optional[int]) -> str:
    """`Global tclass=96` once set; empty before."""
    return "" if value is None else f"Global tclass={value}\n"


def _unbound(function: Any) -> bool:
    """Without its driver a function has neither a network nor an RDMA device."""
    return bool(function.get("unbound"))


def writable(state: State) -> Iterator[Attribute]:
    """Every attribute a host may write: path, present text, reader, setter."""
    root = paths.sysfs_view()
    for _nic, function in hardware.each(state):
        if _unbound(function):
            continue
        runtime = function["runtime"]
        net = root / "class" / "net" / hardware.netdev_name(function) / "ecn"
        for kind in ("np", "rp"):
            for priority in range(8):
                yield (
                    net / f"roce_{kind}" / "enable" / str(priority),
                    f"{runtime[f'ecn_{kind}'][priority]}\n",
                    _limited(1),
                    _setter(runtime[f"ecn_{kind}"], priority),
                )
        yield (
            net / "roce_np" / "cnp_dscp",
            f"{runtime['cnp_dscp']}\n",
            _limited(63),
            _setter(runtime, "cnp_dscp"),
        )
    for nic, function in hardware.rdma_devices(state):
        if _unbound(function):
            continue
        runtime = function["runtime"]
        folder = root / "class" / "infiniband" / hardware.rdma_name(nic, function)
        yield (
            folder / "tc" / "1" / "traffic_class",
            tclass_text(runtime["traffic_class"]),
            _limited(255),
            _setter(runtime, "traffic_class"),
        )


def pci_folders(state: State) -> Iterator[tuple[pci.Device, pathlib.Path]]:
    """Every PCI device with its real place, which is below the bridges above it."""
    devices = pci.devices(state)
    parents = {device.address: device.parent for device in devices}
    for device in devices:
        way = pci.way(parents, device.address)
        yield device, paths.sysfs_view().joinpath("devices", f"pci{way[0][:7]}", *way)


def absorb(state: State) -> None:
    """Take over files that were written since they were last rendered."""
    known: dict[str, int] = state["sysfs"]
    _absorb_config(state, known)
    for path, present, read, store in writable(state):
        try:
            stamp = path.stat().st_mtime_ns
        except OSError:
            continue
        if known.get(str(path)) in (None, stamp):
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        if not text:
            continue  # opened to be written: the next stand-in takes it over
        value = None if text == present else read(text)
        accepted = text == present or value is not None
        if value is not None:
            store(value)
        _log(path, text.strip(), 0 if accepted else 1)
        known[str(path)] = stamp


def _absorb_config(state: State, known: dict[str, int]) -> None:
    """Writes into the `config` of a PCI device; without any this looks at no device."""
    written = [name for name in known if name.endswith("/config") and _stamp(name) != known[name]]
    for device, folder in pci_folders(state) if written else ():
        path = folder / "config"
        if str(path) not in written or not path.is_file():
            continue
        raw, before = path.read_bytes(), bytes(pci.space(device))
        where = [at for at, pair in enumerate(zip(raw, before)) if pair[0] != pair[1]]
        allowed = len(raw) == pci.SIZE and not pci.hidden(state)
        if allowed:
            pci.write(device, 0, raw)
        place = f"{where[0]:03x}-{where[-1]:03x}" if where else "unchanged"
        _log(path, place, 0 if allowed and bytes(pci.space(device)) == raw else 1)
        known.pop(str(path), None)


def _stamp(name: str) -> Optional[int]:
    try:
        return os.stat(name).st_mtime_ns
    except OSError:
        return None


def _log(path: pathlib.Path, text: str, status: int) -> None:
    record(
        {
            "tool": "sysfs",
            "argv": [str(path.relative_to(paths.sysfs_view())), text],
            "time": round(time.time(), 3),
            "write": True,
            "rc": status,
            "pid": 0,
        }
    )


def render(state: State) -> None:
    """Bring the tree up to date; only files whose text differs are written."""
    root = paths.sysfs_view()
    if not paths.run_folder().is_dir():
        return
    wanted = {name: text.encode() for name, text in _read_only(state).items()}
    tree = list(pci_folders(state))
    wanted.update(_pci_files(tree))
    for name, text in modules.files(state).items():
        wanted[str(paths.run_folder() / name)] = text.encode()
    fresh: dict[str, int] = {}
    for path, content in _contents(state, tree):
        fresh[str(path)] = _write(path, content, known=state["sysfs"].get(str(path)))
        wanted.pop(str(path), None)
    for name, content in wanted.items():
        _write(pathlib.Path(name), content)
    for folder in (root, paths.proc_view()):
        _sweep(folder, set(fresh) | set(wanted))
    _render_links(state, tree)
    _render_rshim(state)
    (paths.run_folder() / "boot_id").write_text(state["boot"]["id"] + "\n", encoding="utf-8")
    if fresh != state["sysfs"]:
        state["sysfs"] = fresh
        from nicsim import store

        store.save(state)


def _contents(state: State, tree: Tree) -> Iterator[tuple[pathlib.Path, bytes]]:
    """Every file that a host may write, and what stands in it."""
    for path, text, _read, _store in writable(state):
        yield path, text.encode()
    for device, folder in tree:
        yield folder / "config", pci.readable(state, device)


def _write(path: pathlib.Path, content: bytes, known: Optional[int] = None) -> int:
    try:
        stamp = path.stat().st_mtime_ns
        if known not in (None, stamp):
            return known  # written since it was looked at: the next stand-in takes it over
        if path.read_bytes() == content:
            return stamp
    except OSError:
        path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path.stat().st_mtime_ns


def _read_only(state: State) -> dict[str, str]:
    """Path -> text of everything that can only be read."""
    from nicsim.tools import small

    root = paths.sysfs_view()
    files: dict[str, str] = {}
    for nic, function in hardware.each(state):
        name, rdma = hardware.netdev_name(function), hardware.rdma_name(nic, function)
        if _unbound(function):
            continue
        net = root / "class" / "net" / name
        files[str(net / "phys_port_name")] = f"p{function['index']}\n"
        # The device of a simulated port stays when the driver is reloaded; its number must not.
        number = (hardware.ifindex(name) or 0) + 1000 * function.get("lives", 0)
        files[str(net / "ifindex")] = f"{number}\n"
        files[str(net / "operstate")] = ("up" if hardware.link_up(nic, function) else "down") + "\n"
        files[str(net / "speed")] = f"{function['link']['speed_gbps'] * 1000}\n"
        if faults.active(state, "trust-file", nic):
            files[str(net / "qos" / "trust")] = _trust(function) + "\n"
        port = root / "class" / "infiniband" / rdma / "ports" / "1"
        files[str(port / "state")] = (
            "4: ACTIVE\n" if hardware.link_up(nic, function) else "1: DOWN\n"
        )
        files[str(port / "hw_counters" / "lifespan")] = "10\n"
        for counter in (
            "roce_adp_retrans",
            "roce_adp_retrans_to",
            "out_of_sequence",
            "packet_seq_err",
            "local_ack_timeout_err",
            "np_cnp_sent",
            "np_ecn_marked_roce_packets",
            "rp_cnp_handled",
            "out_of_buffer",
        ):
            files[str(port / "hw_counters" / counter)] = f"{function['counters'][counter]}\n"
        for index, gid, _four, kind in small.gid_rows(nic, function):
            files[str(port / "gids" / str(index))] = gid + "\n"
            files[str(port / "gid_attrs" / "types" / str(index))] = (
                "RoCE v2\n" if kind == "v2" else "IB/RoCE v1\n"
            )
            files[str(port / "gid_attrs" / "ndevs" / str(index))] = name + "\n"
    return files


def _pci_files(tree: Tree) -> dict[str, bytes]:
    """Files of the kernel for every PCI device; `config` is apart, since it can be written."""
    files: dict[str, bytes] = {}
    for device, folder in tree:
        texts = {
            "vendor": f"0x{device.vendor:04x}\n",
            "device": f"0x{device.device:04x}\n",
            "class": f"0x{device.pci_class:06x}\n",
            "revision": f"0x{device.revision:02x}\n",
            "numa_node": f"{device.numa}\n",
            "irq": "0\n",
            "resource": NO_RESOURCE * 13,
        }
        files.update({str(folder / name): text.encode() for name, text in texts.items()})
        if device.vpd:
            files[str(folder / "vpd")] = device.vpd
    return files


def _trust(function: Any) -> str:
    return "dscp" if function["runtime"]["dscp2prio"] else "pcp"


def _sweep(root: pathlib.Path, keep: Any) -> None:
    """Remove files of devices that are gone or renamed, then empty folders."""
    for folder, _folders, names in os.walk(root, topdown=False):
        for name in names:
            path = f"{folder}/{name}"
            if path not in keep and not os.path.islink(path):
                os.unlink(path)
        if folder != str(root) and not os.listdir(folder):
            os.rmdir(folder)


def _links(root: pathlib.Path) -> Iterator[pathlib.Path]:
    for folder, folders, names in os.walk(root):
        for name in (*folders, *names):
            if os.path.islink(f"{folder}/{name}"):
                yield pathlib.Path(folder, name)


def _render_links(state: State, tree: Tree) -> None:
    """bus/pci/devices/BDF, BDF/{driver,net,infiniband}/NAME and class/*/NAME/device, as links."""
    root = paths.sysfs_view()
    wanted = {**_pci_links(tree), **_port_links(state, tree)}
    for path in list(_links(root)):
        if wanted.get(path) != _pointed(path):
            path.unlink()
    for path, target in wanted.items():
        if not path.is_symlink():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.symlink_to(os.path.relpath(target, path.parent))


def _pointed(link: pathlib.Path) -> pathlib.Path:
    """Target of a link, without following further ones."""
    return pathlib.Path(os.path.normpath(link.parent / os.readlink(link)))


def _pci_links(tree: Tree) -> dict[pathlib.Path, pathlib.Path]:
    bus = paths.sysfs_view() / "bus" / "pci"
    wanted = {}
    for device, folder in tree:
        wanted[bus / "devices" / device.address] = folder
        if device.driver:
            wanted[folder / "driver"] = bus / "drivers" / device.driver
            wanted[bus / "drivers" / device.driver / device.address] = folder
    return wanted


def _port_links(state: State, tree: Tree) -> dict[pathlib.Path, pathlib.Path]:
    root = paths.sysfs_view()
    folders = {device.address: folder for device, folder in tree}
    wanted = {}
    for nic, function in hardware.each(state):
        if _unbound(function):
            continue
        net = root / "class" / "net" / hardware.netdev_name(function)
        rdma = root / "class" / "infiniband" / hardware.rdma_name(nic, function)
        device = folders[function["pci"]]
        wanted[device / "net" / net.name] = net
        wanted[device / "infiniband" / rdma.name] = rdma
        wanted[net / "device"] = device
        wanted[rdma / "device"] = folders[hardware.rdma_owner(nic, function)["pci"]]
    return wanted


# ----------------------------------------------------------------------------------- rshim


def rshim_visible(state: State, nic: hardware.Nic) -> bool:
    """The host sees /dev/rshimN while its daemon runs, owns it, and the card exposes it."""
    exposed = nic["nv"]["current"].get("INTERNAL_CPU_RSHIM", 0) == 0
    return bool(state["host"]["rshim_running"] and nic["rshim"]["owner"] == "host" and exposed)


def misc_lines(nic: hardware.Nic) -> list[str]:
    """The text of /dev/rshimN/misc at DISPLAY_LEVEL 2."""
    keys = {
        "DISPLAY_LEVEL": "2 (0:basic, 1:advanced, 2:log)",
        "BOOT_MODE": "1 (0:rshim, 1:emmc)",
        "BOOT_TIMEOUT": "300 (seconds)",
        "DROP_MODE": "0 (0:normal, 1:drop)",
        "SW_RESET": "0 (1: reset)",
        "DEV_NAME": f"pcie-{nic['slot']}.2",
        "DEV_INFO": "BlueField-3(Rev 1)",
        "OPN_STR": nic["part_number"].split("_")[0],
        "UP_TIME": "N/A" if hardware.mode(nic) == "nic" else "3600(s)",
        "SECURE_NIC_MODE": "0",
    }
    lines = [f"{key:<16}{value}" for key, value in keys.items()]
    if hardware.mode(nic) == "nic":
        lines.append("BF_MODE         NIC mode")
    return [*lines, "-" * 39, *nic["rshim"]["log"]]


def _render_rshim(state: State) -> None:
    for nic in state["nics"]:
        folder = paths.dev_folder() / f"rshim{nic['rshim']['index']}"
        if nic["device_id"] == "a2dc" and rshim_visible(state, nic):
            folder.mkdir(exist_ok=True)
            (folder / "misc").write_text("\n".join(misc_lines(nic)) + "\n", encoding="utf-8")
            (folder / "boot").touch()
        elif (folder / "misc").is_file():
            (folder / "misc").unlink()
            (folder / "boot").unlink()
            folder.rmdir()
