# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands of the lab: ``python -m lab <command> ...`` with PYTHONPATH=demo, as root."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import signal
import sys
import time
from collections.abc import Callable, Sequence

from lab import backends, cabling, echo, guard, life, machine, matrix, spaces, timeline, wires
from lab.errors import LabError
from lab.state import Lab, changing, load

Command = Callable[[argparse.Namespace], int]
BREACH = 2


def main(arguments: Sequence[str]) -> int:
    """Run one command; return its exit code (1: a sentence on stderr says why not)."""
    options = parser().parse_args(list(arguments))
    try:
        code: int = options.command(options)
    except LabError as exc:
        print(f"lab: {exc}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("lab: interrupted; `lab down` removes what is there", file=sys.stderr)
        return 130
    return code


def parser() -> argparse.ArgumentParser:
    """Return the command line's grammar."""
    top = argparse.ArgumentParser(prog="lab", description="Cabled switches and hosts for tests.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    _life_commands(commands)
    _use_commands(commands)
    _fault_commands(commands)
    _packet_commands(commands)
    return top


def _add(
    commands: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    command: Command,
    text: str,
    *,
    named: bool = True,
) -> argparse.ArgumentParser:
    made = commands.add_parser(name, help=text, description=text)
    made.set_defaults(command=command)
    if named:
        made.add_argument("name", metavar="NAME", help="the lab")
    return made


def _life_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    made = _add(commands, "up", _up, "bring a lab up", named=False)
    made.add_argument("--cabling", type=pathlib.Path, required=True, metavar="FILE")
    made.add_argument("--name", required=True)
    made.add_argument("--backend", choices=("podman", "netns"), default="podman")
    made.add_argument("--engine", choices=("podman", "docker"), help="default: the first there is")
    made.add_argument("--only", nargs="+", default=[], metavar="PATTERN", help="devices or kinds")
    made.add_argument("--rootfs", choices=("image", "host"), default="image", help="netns only")
    made.add_argument("--host-names", choices=("factory", "port"), help="names of the hosts' NICs")
    made.add_argument("--pull", action="store_true", help="let the engine pull debian:12-slim")
    made.add_argument("--wait", type=float, default=life.READY_SECONDS, metavar="SECONDS")
    made = _add(commands, "images", _images, "make the images and stop", named=False)
    made.add_argument("--backend", choices=("podman", "netns"), default="podman")
    made.add_argument("--engine", choices=("podman", "docker"))
    made.add_argument("--pull", action="store_true")
    _add(commands, "down", _down, "remove every trace of a lab")
    _add(commands, "status", _status, "print devices, addresses and cables as JSON")
    _add(commands, "prune", _prune, "remove images and root file systems", named=False)
    _add(commands, "list", _list, "print the labs that are up", named=False)


def _use_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    made = _add(commands, "exec", _exec, "run a command inside the management namespace")
    made.add_argument("words", nargs=argparse.REMAINDER, metavar="-- COMMAND")
    made = _add(commands, "node", _node, "run a command on a device")
    made.add_argument("device", metavar="DEVICE")
    made.add_argument("words", nargs=argparse.REMAINDER, metavar="-- COMMAND")
    made = _add(commands, "shell", _shell, "open a shell in the management namespace or a device")
    made.add_argument("device", metavar="DEVICE", nargs="?")
    made = _add(commands, "guard", _guard, "refuse when an address would leave the lab")
    made.add_argument("addresses", metavar="ADDRESS", nargs="*", help="default: all devices")


def _fault_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    made = _add(commands, "cable", _cable, "pull a cable out or plug it in")
    made.add_argument("end", metavar="DEVICE:PORT")
    made.add_argument("state", choices=("down", "up"))
    made = _add(commands, "swap", _swap, "exchange what is plugged into two ports")
    made.add_argument("ends", metavar="DEVICE:PORT", nargs=2)
    for name, command, text in (
        ("kill", _kill, "let a device die"),
        ("start", _start, "bring a dead device back"),
        ("reboot", _reboot, "restart a device"),
    ):
        made = _add(commands, name, command, text)
        made.add_argument("device", metavar="DEVICE")
        if name != "kill":
            made.add_argument("--wait", type=float, default=life.READY_SECONDS, metavar="SECONDS")


def _packet_commands(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    made = _add(commands, "ping-matrix", _matrix, "try every probe of a spec")
    made.add_argument("--spec", type=pathlib.Path, required=True, metavar="FILE")
    made.add_argument("--out", type=pathlib.Path, metavar="FILE", help="default: standard output")
    made.add_argument("--tries", type=int, default=3)
    made.add_argument("--timeout", type=float, default=1.0, metavar="SECONDS", help="of one try")
    made = _add(commands, "probe", _probe, "probe without pause and record what was lost when")
    made.add_argument("--spec", type=pathlib.Path, required=True, metavar="FILE")
    made.add_argument("--out", type=pathlib.Path, required=True, metavar="FILE")
    made.add_argument("--interval", type=float, default=10, metavar="MILLISECONDS")
    made.add_argument("--seconds", type=float, help="default: until stopped")
    made.add_argument("--background", action="store_true", help="return when it has begun")
    made = _add(commands, "probe-stop", _probe_stop, "end background probes, which then write")
    made.add_argument("--out", type=pathlib.Path, metavar="FILE", help="only the one writing FILE")


def _up(options: argparse.Namespace) -> int:
    wishes = life.Wishes(
        backend=options.backend,
        engine=options.engine,
        only=options.only,
        rootfs=options.rootfs,
        host_names=options.host_names,
        pull=options.pull,
        seconds=options.wait,
    )
    with life.timed("up"):
        lab = life.up(options.cabling, options.name, wishes)
    print(f"lab: {lab.name} is up; addresses, keys and inventory are in {lab.folder}")
    return 0


def _images(options: argparse.Namespace) -> int:
    with life.timed("images"):
        life.make_images(options.backend, wanted=options.engine, pull=options.pull)
    return 0


def _down(options: argparse.Namespace) -> int:
    life.down(options.name)
    return 0


def _status(options: argparse.Namespace) -> int:
    lab = load(options.name)
    states = life.states(lab)
    devices = {
        name: {"kind": lab.cabling.device(name).kind, "address": lab.address(name), "pid": pid}
        for name, pid in states.items()
    }
    cables = [
        {"ends": [str(end) for end in ends], "plugged": number not in lab.unplugged}
        for number, ends in enumerate(lab.links())
    ]
    shown = {"name": lab.name, "backend": lab.backend, "namespace": lab.management}
    print(json.dumps({**shown, "devices": devices, "cables": cables}, indent=1))
    return 0


def _prune(dummy: argparse.Namespace) -> int:
    life.prune()
    return 0


def _list(dummy: argparse.Namespace) -> int:
    for lab in life.everything():
        print(f"{lab.name}: {len(lab.cabling.devices)} devices, {lab.backend}, {lab.folder}")
    return 0


def _exec(options: argparse.Namespace) -> int:
    lab = load(options.name)
    guard.refuse_leak(lab)
    return _become(spaces.inside(lab.management, _command(options.words)))


def _node(options: argparse.Namespace) -> int:
    pid = backends.pid_of(load(options.name), options.device)
    return _become(backends.enter(pid, _command(options.words)))


def _shell(options: argparse.Namespace) -> int:
    lab = load(options.name)
    if options.device:
        return _become(backends.enter(backends.pid_of(lab, options.device), ["/bin/bash"]))
    guard.refuse_leak(lab)
    return _become(spaces.inside(lab.management, [os.environ.get("SHELL", "/bin/bash")]))


def _guard(options: argparse.Namespace) -> int:
    lab = load(options.name)
    guard.refuse_leak(lab)
    addresses = options.addresses or [lab.address(name) for name in lab.cabling.names()]
    guard.refuse_outside(addresses, namespace=lab.management)
    print(f"lab: none of {len(addresses)} addresses leaves {lab.management}")
    return 0


def _cable(options: argparse.Namespace) -> int:
    with changing(options.name) as lab:
        number, dummy = wires.place(lab, cabling.end(options.end, lab.cabling))
        (wires.pull if options.state == "down" else wires.plug)(lab, number)
    return 0


def _swap(options: argparse.Namespace) -> int:
    with changing(options.name) as lab:
        first, second = (cabling.end(text, lab.cabling) for text in options.ends)
        wires.swap(lab, first, second)
    return 0


def _kill(options: argparse.Namespace) -> int:
    with changing(options.name) as lab:
        life.kill(lab, options.device)
    return 0


def _start(options: argparse.Namespace) -> int:
    with changing(options.name) as lab:
        life.start(lab, options.device, options.wait)
    return 0


def _reboot(options: argparse.Namespace) -> int:
    with changing(options.name) as lab:
        life.reboot(lab, options.device, options.wait)
    return 0


def _matrix(options: argparse.Namespace) -> int:
    lab = load(options.name)
    probes = _spec(options.spec)
    document = matrix.measure(
        probes,
        lambda name: backends.pid_of(lab, name),
        tries=options.tries,
        timeout=options.timeout,
    )
    text = json.dumps(document, indent=1)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    print(f"lab: {matrix.sentence(document)}", file=sys.stderr)
    return 0 if document["ok"] else BREACH


def _probe(options: argparse.Namespace) -> int:
    lab = load(options.name)
    probes = _spec(options.spec)
    out = options.out.absolute()
    if options.background:
        return _probe_behind(lab, options, out)
    document = timeline.record(
        probes,
        lambda name: backends.pid_of(lab, name),
        out,
        interval=options.interval / 1000,
        seconds=options.seconds,
    )
    return 0 if document["ok"] else BREACH


def _probe_behind(lab: Lab, options: argparse.Namespace, out: pathlib.Path) -> int:
    """Start the same probing as a process of the lab's and wait until it sends."""
    running = out.with_suffix(".running")
    out.unlink(missing_ok=True)
    running.unlink(missing_ok=True)
    words = ["probe", lab.name, "--spec", str(options.spec.absolute()), "--out", str(out)]
    words += ["--interval", str(options.interval)]
    words += ["--seconds", str(options.seconds)] if options.seconds else []
    argv = [machine.PYTHON, "-m", "lab", *words]
    log = lab.folder / "probe.log"
    process = machine.spawn(argv, lab=lab.name, role="probe", log=log)
    deadline = time.monotonic() + 10
    while not running.exists() and time.monotonic() < deadline and machine.alive(process):
        time.sleep(0.02)
    if not running.exists():
        raise LabError(f"the prober did not begin; {log} says why")
    with changing(lab.name) as now:
        now.processes[f"probe {out}"] = process
    return 0


def _probe_stop(options: argparse.Namespace) -> int:
    wanted = f"probe {options.out.absolute()}" if options.out else None
    with changing(options.name) as lab:
        for role in [role for role in lab.processes if role.startswith("probe ")]:
            if wanted in (None, role):
                machine.stop(lab.processes.pop(role), how=signal.SIGTERM, patience=10)
    return 0


def _spec(path: pathlib.Path) -> list[echo.Probe]:
    try:
        return echo.read(json.loads(path.read_text(encoding="utf-8")))
    except OSError as exc:
        raise LabError(f"spec {path} cannot be read: {exc.strerror}") from exc
    except ValueError as exc:
        raise LabError(f"spec {path} is not JSON: {exc}") from exc


def _command(words: list[str]) -> list[str]:
    command = words[1:] if words[:1] == ["--"] else words
    if not command:
        raise LabError("no command given; write it after --")
    return command


def _become(argv: list[str]) -> int:
    """Replace this process by the command, so that its exit code and terminal are its own."""
    sys.stdout.flush()
    os.execvp(argv[0], argv)
