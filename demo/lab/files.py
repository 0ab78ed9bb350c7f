# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of the lab on a device before it boots, and beside itself for its users.

On a device: ``/etc/spx/device.json`` (its entry in the cabling file and its address),
``/etc/spx/tls/{cert,key,ca}.pem`` (switches), ``/run/spx/nics.json`` (hosts: the netdev of
each NIC), ``/run/spx/env`` (the same for shells), the lab's ssh keys (hosts), and
``/etc/lldpd.d/lab.conf`` (hosts), ``/etc/frr/frr.conf`` (routers).
"""

from __future__ import annotations

import json
import pathlib
import shlex
from typing import Any

from lab import credentials
from lab.cabling import Device, End
from lab.errors import LabError
from lab.spaces import mac
from lab.state import Lab

SSH_USER = "root"
LLDP = "configure lldp tx-interval 5\n"
"""A port that changes its VRF is in another namespace, whose lldpd has yet to hear its neighbour."""

SETTLE_TIME = 0
"""Seconds a change is watched: none, as a play has many batches; unit tests show what is gained by watching."""


def lay(lab: Lab, device: Device, pid: int) -> None:
    """Write the device's files and open its gate."""
    root = pathlib.Path(f"/proc/{pid}/root")
    for path, text, mode in contents(lab, device):
        _write(root, path, text, mode)
    _write(root, "run/spx/go", "", 0o644)


def contents(lab: Lab, device: Device) -> list[tuple[str, str, int]]:
    """Return the files of a device: path without leading slash, text, mode."""
    facts = {**device.facts, "fabric": lab.cabling.fabric, "address": lab.address(device.name)}
    found = [
        ("etc/spx/device.json", _json(facts), 0o644),
        ("run/spx/env", environment(lab, device), 0o644),
    ]
    more = {"switch": _switch, "host": _host, "router": _router}
    return found + more[device.kind](lab, device)


def _switch(lab: Lab, device: Device) -> list[tuple[str, str, int]]:
    cert, key = credentials.certificate(lab, device.name)
    authority = lab.folder / "ca.pem"
    return [
        ("etc/spx/tls/cert.pem", cert.read_text(encoding="utf-8"), 0o644),
        ("etc/spx/tls/key.pem", key.read_text(encoding="utf-8"), 0o640),
        ("etc/spx/tls/ca.pem", authority.read_text(encoding="utf-8"), 0o644),
    ]


def _host(lab: Lab, device: Device) -> list[tuple[str, str, int]]:
    user, host = lab.folder / "ssh_key.pub", lab.folder / "ssh_host_key"
    profile = device.facts.get("profile")
    return [
        *([("run/spx/profile", f"{profile}\n", 0o644)] if profile else []),
        ("run/spx/nics.json", _json(nics(lab, device)), 0o644),
        ("etc/lldpd.d/lab.conf", LLDP, 0o644),
        ("root/.ssh/authorized_keys", user.read_text(encoding="utf-8"), 0o600),
        ("etc/ssh/ssh_host_ed25519_key", host.read_text(encoding="utf-8"), 0o600),
        ("etc/ssh/ssh_host_ed25519_key.pub", host.with_suffix(".pub").read_text("utf-8"), 0o644),
    ]


def _router(dummy: Lab, device: Device) -> list[tuple[str, str, int]]:
    """Its configuration, a list of lines in the cabling file, for FRR alone to understand."""
    lines = [str(line) for line in device.facts.get("frr", ())]
    return [("etc/frr/frr.conf", "\n".join(lines) + "\n", 0o640)]


def nics(lab: Lab, device: Device) -> list[dict[str, Any]]:
    """Return the host's NIC ports: what the file says, with netdev, factory MAC and cable."""
    cabled = {end.port for ends in lab.links() for end in ends if end.device == device.name}
    rows = []
    for nic in device.nics:
        end = End(device.name, nic.port)
        row = {**nic.facts, "port": nic.port, "pci": nic.pci, "netdev": lab.netdev(end)}
        rows.append({**row, "mac": mac(lab.name, str(end)), "cabled": nic.port in cabled})
    return rows


def environment(lab: Lab, device: Device) -> str:
    """Return the device's facts as shell variables, ``SPX_<KEY>`` of every plain value."""
    values = {key: value for key, value in device.facts.items() if isinstance(value, (str, int))}
    values |= {
        "device": device.name,
        "fabric": lab.cabling.fabric,
        "address": lab.address(device.name),
        "tls": "/etc/spx/tls",
        "backend": lab.backend,
    }
    lines = [
        f"SPX_{key.upper()}={shlex.quote(str(value))}"
        for key, value in sorted(values.items())
        if key.isidentifier()
    ]
    return "\n".join(lines) + "\n"


def outputs(lab: Lab) -> None:
    """Write management.json, inventory.yml and env for those who use the lab."""
    addresses = {name: lab.address(name) for name in lab.cabling.names()}
    (lab.folder / "management.json").write_text(_json(addresses), encoding="utf-8")
    (lab.folder / "inventory.yml").write_text(_json(inventory(lab)), encoding="utf-8")
    lines = {
        "SPX_LAB_NAME": lab.name,
        "SPX_LAB_NAMESPACE": lab.management,
        "SPX_NVUE_CA": str(lab.folder / "ca.pem"),
    }
    text = "".join(f"export {key}={shlex.quote(value)}\n" for key, value in lines.items())
    (lab.folder / "env").write_text(text, encoding="utf-8")


def inventory(lab: Lab) -> dict[str, Any]:
    """Return an inventory of connection variables only, for use beside the fabric's own.

    Each lab keeps ssh's shared connections to itself: all labs use the same addresses, so that a
    common folder would lead a playbook to the hosts of another lab.
    """
    options = f"-o UserKnownHostsFile={lab.folder}/known_hosts -o StrictHostKeyChecking=yes"
    login = {
        "ansible_user": SSH_USER,
        "ansible_ssh_private_key_file": str(lab.folder / "ssh_key"),
        "ansible_ssh_common_args": options,
        "ansible_pipelining": True,
        "ansible_control_path_dir": str(lab.memory / "ssh"),
        "ansible_python_interpreter": "/usr/bin/python3",
    }
    hosts = {
        device.name: {
            "ansible_host": lab.address(device.name),
            **(login if device.kind == "host" else {}),
        }
        for device in lab.cabling.devices
        if device.kind != "router"
    }
    return {"all": {"hosts": hosts, "vars": {"switch_apply_settle_time": SETTLE_TIME}}}


def _json(document: Any) -> str:
    return json.dumps(document, indent=1) + "\n"


def _write(root: pathlib.Path, path: str, text: str, mode: int) -> None:
    """Write below a device's root, refusing a link that would lead out of it."""
    at = root
    for part in pathlib.PurePath(path).parts[:-1]:
        at = at / part
        if at.is_symlink():
            raise LabError(f"{path} on the device leads through the link {at.name}; not written")
        if not at.is_dir():
            at.mkdir(mode=0o700 if part == ".ssh" else 0o755)
    target = at / pathlib.PurePath(path).name
    target.unlink(missing_ok=True)
    target.write_text(text, encoding="utf-8")
    target.chmod(mode)
