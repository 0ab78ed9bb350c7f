# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run one double: `python3 -m nvue_double --release 5.16.1 --listen 0.0.0.0:8765 ...`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import signal
import sys
from pathlib import Path
from typing import Any

from . import profiles, tree
from .lifecycle import RealiseError
from .options import Options
from .server import Endpoints, Server
from .switch import Realiser


def main() -> int:
    """Serve until told to stop; returns the exit status."""
    arguments = _parser().parse_args()
    try:
        options = _options(arguments)
    except ValueError as error:
        print(f"nvue_double: {error}", file=sys.stderr)
        return 2
    server = Server(options, _endpoints(arguments), _realiser(arguments, options))
    profiles.of_names(arguments.profile).order(server.switch.faults)
    asyncio.run(_serve(server))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nvue_double", description=__doc__)
    add = parser.add_argument
    add("--release", default="5.16.1", help="release to play (default %(default)s)")
    add("--listen", default="127.0.0.1:8765", help="address:port of the REST API")
    add("--state-dir", help="folder that keeps the startup configuration")
    add("--serial", default="MT0000X00000")
    add("--model", default="SN5600")
    add("--mac", default="44:38:39:00:00:01", help="the system's MAC address")
    add("--realise", choices=("auto", "netns", "kernel", "none"), default="none")
    add("--set-hostname", action="store_true", help="let the configuration name the machine")
    add("--factory-default-password", action="store_true")
    add("--user", default="cumulus")
    add("--password", default="Spectrum-X1!", help="of --user, without a factory password")
    add("--add-user", action="append", default=[], metavar="NAME:PASSWORD:ROLE")
    add("--tls-dir", help="holds or gets ca.pem, cert.pem and key.pem; without it plain HTTP")
    add("--tls-name", action="append", default=[], help="name or address in the certificate")
    add("--local-socket", help="unix socket of the API that asks no password")
    add("--control", help="address:port of the control API")
    add("--control-socket", help="unix socket of the control API")
    add("--step-seconds", type=float, default=0.05, help="time spent in each state of an apply")
    add("--boot-seconds", type=float, default=5.0)
    add("--option", action="append", default=[], metavar="NAME=JSON", help="any of options.py")
    add("--profile", action="append", default=[], metavar="NAME", help="any of data/profiles.yml")
    add("--known-issue", action="append", default=[], help="reproduce this racy bug too")
    return parser


def _options(arguments: argparse.Namespace) -> Options:
    users = {}
    for text in arguments.add_user:
        name, password, role = text.split(":")
        users[name] = (password, role)
    options = Options(
        release=arguments.release,
        serial=arguments.serial,
        model=arguments.model,
        mac=arguments.mac,
        username=arguments.user,
        password=arguments.password,
        factory_default_password=arguments.factory_default_password,
        users=users,
        state_dir=arguments.state_dir,
        step_seconds=arguments.step_seconds,
        boot_seconds=arguments.boot_seconds,
        known_issues=set(arguments.known_issue),
    )
    profile = profiles.of_names(arguments.profile)
    options.change({**profile.options, **dict(_option(text) for text in arguments.option)})
    return options


def _option(text: str) -> tuple[str, Any]:
    """(name, value) of one --option; a value that is not JSON is text."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"--option '{text}' is not NAME=JSON")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _endpoints(arguments: argparse.Namespace) -> Endpoints:
    host, dummy, port = arguments.listen.rpartition(":")
    control_host, dummy, control_port = (arguments.control or "").rpartition(":")
    return Endpoints(
        host=host.strip("[]"),
        port=int(port),
        tls_folder=Path(arguments.tls_dir) if arguments.tls_dir else None,
        names=arguments.tls_name or ["localhost", "127.0.0.1"],
        local_socket=Path(arguments.local_socket) if arguments.local_socket else None,
        control_host=control_host or "127.0.0.1",
        control_port=int(control_port) if control_port else None,
        control_socket=Path(arguments.control_socket) if arguments.control_socket else None,
    )


def _realiser(arguments: argparse.Namespace, options: Options) -> Realiser | None:
    if arguments.realise == "none":
        return None
    import realiser
    from realiser import observe

    observe.MISSING = tree.MISSING
    made: Realiser = realiser.Realiser(
        arguments.realise,
        RealiseError,
        mac=options.mac,
        description=f"Cumulus Linux version {options.release} running on {options.model}",
        set_hostname=arguments.set_hostname,
    )
    return made


async def _serve(server: Server) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        await server.switch.realise(server.switch.running)
    except RealiseError as error:
        server.switch.faults_seen.append(f"start: {error}")
        print(f"nvue_double: start: {error}", file=sys.stderr, flush=True)
    await server.start()
    control = f", control {server.control_port}" if server.control_port else ""
    print(
        f"nvue_double: {server.switch.options.release} on port {server.port}{control}", flush=True
    )
    await stop.wait()
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(server.stop(), 5)


if __name__ == "__main__":
    sys.exit(main())
