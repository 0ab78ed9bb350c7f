# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The `nicsim` command: make, restart, disturb and look at the simulated hardware."""

from __future__ import annotations

import argparse
import json
import pathlib
import subprocess
import sys
from typing import Any

from nicsim import (
    boot,
    effects,
    faults,
    hardware,
    images,
    lifecycle,
    modules,
    paths,
    pci,
    profiles,
    resident,
    store,
    udev,
)
from nicsim.call import ToolError


def main(argv: list[str]) -> int:
    """Run one command; mistakes are one sentence on standard error and status 1."""
    options = _parser().parse_args(argv)
    try:
        return int(options.run(options) or 0)
    except (profiles.BadProfile, store.NoState, ToolError, LookupError, ValueError) as exc:
        return boot.complain(str(exc))


def _parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="nicsim", description=__doc__)
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Any, text: str) -> argparse.ArgumentParser:
        parser = commands.add_parser(name, help=text)
        parser.set_defaults(run=run)
        return parser

    init = command("init", _init, "make the state from a profile and the cabled ports")
    init.add_argument(
        "--from", dest="profile", default="bf3-nic-2rail", help="a shipped profile's name or a file"
    )
    init.add_argument("--nics", default=None, help="the cabler's list (default /run/spx/nics.json)")
    init.add_argument("--if-missing", action="store_true", help="do nothing where a state exists")
    command("reboot", _reboot, "warm reboot: staged becomes current, volatile is lost")
    command("power-cycle", _power_cycle, "cold boot: loads what a warm reboot does not")
    command("driver-reload", _driver_reload, "reload the driver: volatile settings are lost")
    command("reset", _reset, "back to the profile's factory state; clears faults and log")
    command("boot", _boot, "for nicsim-boot.service: first initialisation or a new boot")
    command("sync", _sync, "take written sysfs files over and render the view again")
    command("serve", _serve, "for nicsim-serve.service: answer for the tools that end at once")
    command("watch", _watch, "for nicsim-watch.service: render the view at every change of a link")
    show = command("show", _show, "the state, or one dotted path of it")
    show.add_argument("path", nargs="?", default="")
    put = command("set", _set, "set one dotted path of the state to a JSON value")
    put.add_argument("path")
    put.add_argument("value")
    gpu = command("gpu", _gpu, "GPUs beside the cards, by the flavour of NVIDIA's driver")
    gpu.add_argument("flavour", choices=modules.FLAVOURS)
    fault = command("fault", _fault, "seed trouble: add NAME, clear [NAME], list")
    fault.add_argument("action", choices=("add", "clear", "list"))
    fault.add_argument("name", nargs="?")
    fault.add_argument("--nic", help="PCI address of function 0; all NICs without it")
    fault.add_argument("--value")
    log = command("log", _log, "calls of the stand-ins, one JSON object a line")
    log.add_argument("--writes", action="store_true", help="only calls that asked for a change")
    log.add_argument("--clear", action="store_true", help="empty the log afterwards")
    log.add_argument("--count", action="store_true", help="print only how many")
    image = command("make-image", _make_image, "a stand-in firmware image (.bin)")
    image.add_argument("file")
    image.add_argument("--psid", required=True)
    image.add_argument("--version", required=True)
    bundle = command("make-bfb", _make_bfb, "a stand-in BlueField bundle (.bfb)")
    bundle.add_argument("file")
    bundle.add_argument("--nic-fw", required=True)
    bundle.add_argument("--psid", action="append", default=[])
    bundle.add_argument("--dpu", default=None, help="JSON object: atf, uefi, bsp, os_release")
    return top


def _init(options: argparse.Namespace) -> int:
    if options.if_missing and paths.state_file().is_file():
        return 0
    nics = pathlib.Path(options.nics) if options.nics else paths.nics_file()
    state = profiles.build(profiles.read(options.profile), profiles.read_ports(nics))
    state["factory"] = {"profile": options.profile, "nics": str(nics)}
    paths.run_folder().mkdir(parents=True, exist_ok=True)
    with store.lock():
        store.save(state)
    with store.transaction() as fresh:
        udev.announce(fresh)
    return 0


def _reset(_options: argparse.Namespace) -> int:
    with store.transaction() as state:
        boot.kill_congestion_control(state)
        for fault in state["faults"]:
            effects.end(fault)
        factory = state["factory"]
    if paths.call_log().is_file():
        paths.call_log().write_text("", encoding="utf-8")
    return _init(argparse.Namespace(if_missing=False, **factory))


def _reboot(_options: argparse.Namespace) -> int:
    boot.reboot(cold=False)
    return 0


def _power_cycle(_options: argparse.Namespace) -> int:
    boot.reboot(cold=True)
    return 0


def _driver_reload(_options: argparse.Namespace) -> int:
    boot.reload_driver()
    return 0


def _boot(_options: argparse.Namespace) -> int:
    effects.make_headers()
    boot.first_boot()
    if not paths.state_file().is_file() and paths.nics_file().is_file():
        name = _host_profile()
        return _init(argparse.Namespace(if_missing=True, profile=name, nics=None)) or _sync(
            _options
        )
    if paths.state_file().is_file():
        with store.transaction() as state:
            boot.rebind(state)
            units = udev.announce(state)
        boot.start_units(units)
        return _sync(_options)
    return 0


def _host_profile() -> str:
    """The cabler's choice beside its list of ports, else the image's."""
    for place in (paths.nics_file().with_name("profile"), pathlib.Path("/etc/nicsim/profile")):
        if place.is_file():
            return place.read_text(encoding="utf-8").strip()
    return "bf3-nic-2rail"


def _sync(_options: argparse.Namespace) -> int:
    with store.transaction(show=True):
        pass
    return 0


def _serve(_options: argparse.Namespace) -> int:
    return resident.serve()


def _watch(_options: argparse.Namespace) -> int:
    """Render the view whenever the kernel reports a changed address, link or name."""
    command = ["ip", "-o", "monitor", "address", "link"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as monitor:
        while monitor.stdout and monitor.stdout.read1(65536):
            if paths.state_file().is_file():
                _sync(argparse.Namespace())
    return 0


def _walk(value: Any, path: str) -> Any:
    for part in filter(None, path.split(".")):
        value = value[int(part)] if isinstance(value, list) else value[part]
    return value


def _show(options: argparse.Namespace) -> int:
    with store.transaction() as state:
        sys.stdout.write(json.dumps(_walk(state, options.path), indent=1, sort_keys=True) + "\n")
    return 0


def _set(options: argparse.Namespace) -> int:
    """The value is JSON; anything that is no JSON is taken as text."""
    try:
        value = json.loads(options.value)
    except ValueError:
        value = options.value
    parent, _dot, name = options.path.rpartition(".")
    with store.transaction() as state:
        place = _walk(state, parent)
        place[int(name) if isinstance(place, list) else name] = value
    return 0


def _gpu(options: argparse.Namespace) -> int:
    """One GPU below the switch of each card, and the driver as a boot loads it."""
    with store.transaction() as state:
        state["host"]["gpu"] = None if options.flavour == "none" else options.flavour
        modules.boot(state)
    return 0


def _fault(options: argparse.Namespace) -> int:
    if options.action == "list":
        for name, text in faults.KNOWN.items():
            sys.stdout.write(f"{name:<26}{text}\n")
        return 0
    if options.action == "add":
        return _fault_add(options)
    with store.transaction() as state:
        gone = [f for f in state["faults"] if options.name in (None, f["name"])]
        state["faults"] = [f for f in state["faults"] if f not in gone]
        for fault in gone:
            _undo(state, fault)
    return 0


def _fault_add(options: argparse.Namespace) -> int:
    if options.name not in faults.KNOWN:
        raise ValueError(f"no fault {options.name}; `nicsim fault list` names them")
    if options.name == "missing-tool" and not options.value:
        raise ValueError("missing-tool needs --value TOOL")
    fault: dict[str, Any] = {"name": options.name, "nic": None, "value": options.value}
    with store.transaction() as state:
        if options.nic:
            found = hardware.find(state, options.nic)
            if found is None:
                raise ValueError(f"no simulated NIC {options.nic}")
            fault["nic"] = found[0]["functions"][0]["pci"]
        state["faults"].append(fault)
        _apply(state, fault)
    return 0


def _targets(state: store.State, fault: dict[str, Any]) -> list[Any]:
    return [nic for nic in state["nics"] if fault["nic"] in (None, nic["functions"][0]["pci"])]


def _apply(state: store.State, fault: dict[str, Any]) -> None:
    """Faults with a state of their own begin at once."""
    effects.begin(fault)
    for nic in _targets(state, fault):
        if fault["name"] == "link-down":
            for function in nic["functions"]:
                function["link"]["forced_down"] = True
        if fault["name"] == "rshim-bmc":
            nic["rshim"]["owner"] = "bmc"
        if fault["name"] == "dcbx-firmware":
            for function in nic["functions"]:
                function["runtime"].update(dcbx="fw", pfc=[0] * 8)
        if fault["name"] == "acs-on":
            pci.raise_acs(nic)


def _undo(state: store.State, fault: dict[str, Any]) -> None:
    effects.end(fault)
    for nic in _targets(state, fault):
        if fault["name"] == "link-down":
            for function in nic["functions"]:
                function["link"]["forced_down"] = False
        if fault["name"] == "acs-on":
            pci.lower_acs(nic)
        if fault["name"] == "rshim-bmc" and nic["rshim"]["owner"] == "bmc":
            nic["rshim"]["owner"] = "host" if state["host"]["rshim_running"] else "none"


def _log(options: argparse.Namespace) -> int:
    lines = _log_lines()
    if options.writes:
        lines = [line for line in lines if json.loads(line)["write"]]
    sys.stdout.write(f"{len(lines)}\n" if options.count else "".join(f"{x}\n" for x in lines))
    if options.clear and paths.call_log().is_file():
        paths.call_log().write_text("", encoding="utf-8")
    return 0


def _log_lines() -> list[str]:
    """The log, after files written into the sysfs view were taken over."""
    with store.transaction():
        pass
    log = paths.call_log()
    return log.read_text(encoding="utf-8").splitlines() if log.is_file() else []


def _make_image(options: argparse.Namespace) -> int:
    lifecycle.version_key(options.version)
    images.write(options.file, images.FIRMWARE, {"psid": options.psid, "version": options.version})
    return 0


def _make_bfb(options: argparse.Namespace) -> int:
    lifecycle.version_key(options.nic_fw)
    content: dict[str, Any] = {
        "nic_fw": options.nic_fw,
        "psids": options.psid or ["MT_0000001069", "MT_0000000884"],
    }
    if options.dpu:
        content["dpu"] = json.loads(options.dpu)
    images.write(options.file, images.BUNDLE, content)
    return 0
