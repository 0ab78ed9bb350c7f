# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line on the host: `spx-nic.pyz verify|apply|watch|cc|pin`.

Exit status: 0 as wanted, 2 something differs or failed, 3 the call or the file is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Callable

from .agent import check_owned, skew
from .algorithm import PROGRAM, pin_running, run_algorithm, serving, share
from .apply import DESIRED, DRAINED, apply, chosen, load_desired, verify, wait_for_devices
from .desired import CC_TIMEOUT, DesiredState
from .errors import NicError
from .lock import Busy, writing
from .tools import Host
from .watch import watch

Work = Callable[[Host, argparse.Namespace, str], int]
Add = Callable[..., object]

SOURCE = "source"


def main(argv: Sequence[str] | None = None, *, version: str = SOURCE) -> int:
    """Run one command; every error is one sentence on stderr."""
    options = _parser(version).parse_args(argv)
    host = Host(sysfs=options.sysfs, check_mode=getattr(options, "check", False))
    try:
        named = (getattr(options, name, "") for name in ("desired", "program"))
        check_owned(host, [os.path.abspath(name) for name in named if name])
        return int(options.work(host, options, version))
    except NicError as exc:
        sys.stderr.write(f"{exc}\n")
        return 3


def _parser(version: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="spx-nic", description="Spectrum-X state of the NICs")
    parser.add_argument("--sysfs", default="/sys", help="where /sys is (default: %(default)s)")
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(dest="command", required=True)

    def command(name: str, text: str, work: Work, *parents: argparse.ArgumentParser) -> Add:
        made = commands.add_parser(name, help=text, parents=parents)
        made.set_defaults(work=work)
        return made.add_argument

    state, cards, cpus = (argparse.ArgumentParser(add_help=False) for _part in range(3))
    state.add_argument("--desired", default=DESIRED, help="file (default: %(default)s)")
    cards.add_argument("--pci", action="append", default=[], help="this card only; repeatable")
    cards.add_argument("--json", action="store_true", help="machine-readable output")
    text = "processors such as 2,3, distributed over the RDMA devices in turn; none pins nothing"
    cpus.add_argument("--cpus", default="", help=text)

    add = command("verify", "compare with the desired state", _verify, state, cards)
    add("--deep", action="store_true", help="read every parameter of the card")
    add = command("apply", "write the differences", _apply, state, cards)
    add("--check", action="store_true", help="write nothing, report the changes")
    add("--maintenance", action="store_true", help="links may be toggled")
    text = (
        "links of devices that the kernel has created since may be toggled; of a drained host all"
    )
    add("--new-devices", action="store_true", help=text)
    add("--wait", type=float, default=0, help="seconds to wait for the devices")
    command("watch", "one round of the watchdog", _watch, state, cards)
    text = "run the congestion control of one RDMA device"
    add = command("cc", text, _algorithm, state, cpus)
    add("--device", required=True, help="RDMA device such as mlx5_0")
    add("--timeout", type=float, help="seconds until active (default: as the file says)")
    add("--program", default=PROGRAM, help="path (default: %(default)s)")
    command("pin", "move the congestion control that runs", _pin, state, cpus)
    return parser


def _load(host: Host, options: argparse.Namespace, version: str) -> DesiredState:
    desired = load_desired(host, options.desired)
    wrong = skew(version, desired.agent) if version != SOURCE else ""
    if wrong:
        sys.stderr.write(f"warning: {options.desired}: {wrong}\n")
    return chosen(desired, options.pci)


def _verify(host: Host, options: argparse.Namespace, version: str) -> int:
    findings = verify(host, _load(host, options, version), deep=options.deep)
    _show(
        options,
        {"findings": [f.plain() for f in findings]},
        [f.sentence for f in findings] or ["as wanted"],
    )
    return 2 if findings else 0


def _apply(host: Host, options: argparse.Namespace, version: str) -> int:
    desired = _load(host, options, version)
    late: list[str] = []
    try:
        if options.wait:
            wait_for_devices(host, desired, options.wait)
    except NicError as exc:  # the ports that did appear get their settings
        late = [str(exc)]
    with writing(host, shared=bool(options.pci)):
        free = options.maintenance or (options.new_devices and host.exists(DRAINED))
        done = apply(host, desired, maintenance=free, new_devices=options.new_devices)
    deferred, errors = done.plan.deferred, [*late, *done.errors]
    said = {"commands": list(done.commands), "deferred": list(deferred), "errors": errors}
    _show(options, said, [*done.commands, *deferred, *errors] or ["as wanted"])
    return 2 if errors else 0


def _watch(host: Host, options: argparse.Namespace, version: str) -> int:
    desired = _load(host, options, version)
    try:
        with writing(host, limit=0):
            report = watch(host, desired, None if options.json else _say)
    except Busy as exc:
        _show(options, {"skipped": str(exc)}, [f"this round is skipped: {exc}"])
        return 0
    lines = [f"repaired: {command}" for command in report["repaired"]] + report["errors"]
    if report["drained"]:
        lines.append(f"{DRAINED} is there: a playbook works on this host, nothing is repaired")
    _show(options, report, lines or ["healthy" if report["healthy"] else "not healthy"])
    return 0 if report["healthy"] else 2


def _algorithm(host: Host, options: argparse.Namespace, _version_text: str) -> int:
    cpus = _dealt(host, options).get(options.device, [])
    try:
        limit = load_desired(host, options.desired).cc_timeout
    except NicError:
        limit = CC_TIMEOUT
    timeout = options.timeout or limit
    return run_algorithm(host, options.device, program=options.program, cpus=cpus, timeout=timeout)


def _pin(host: Host, options: argparse.Namespace, _version_text: str) -> int:
    pin_running(host, _dealt(host, options))
    return 0


def _dealt(host: Host, options: argparse.Namespace) -> dict[str, list[int]]:
    """The processors of each RDMA device; of all that there are where no state names the cards."""
    try:
        cpus = [int(word) for word in options.cpus.split(",") if word]
    except ValueError:
        raise NicError(f"--cpus {options.cpus}: write a list of numbers such as 2,3.") from None
    if not cpus:
        return {}
    try:
        devices = serving(host, load_desired(host, options.desired))
    except NicError:
        devices = serving(host)
    return share(devices, cpus)


def _say(sentence: str) -> None:
    sys.stdout.write(f"{sentence}\n")
    sys.stdout.flush()


def _show(options: argparse.Namespace, data: Mapping[str, object], lines: Sequence[str]) -> None:
    text = json.dumps(data, sort_keys=True) if options.json else "\n".join(lines)
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    raise SystemExit(main())
