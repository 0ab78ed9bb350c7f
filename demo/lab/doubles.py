# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command in a project whose switches are doubles of the NVUE API on loopback.

    python -m lab.doubles ansible-playbook spectrum_x.fabric.switches --check

The project is the current folder. Each double has the host name of its switch and no other configuration, and forgets
all when the command ends. Every host of the inventory gets an address of loopback, so that no planned one is dialled:
also where the command is a shell, in which `ansible-playbook -i hosts.fabric.yml` means the doubles too.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import typing as t

SOURCE, DESCRIPTION = "hosts.fabric.yml", "model/fabric.yml"
"""The inventory and the description of a project."""
ROLES = ("spx_leaf", "spx_spine", "spx_super_spine", "spx_converged", "spx_oob")
LOOPBACK = "127.0.0.1"
_INVENTORY = re.compile(r"-i=?|--inv[a-z-]*(?:=|$)")
"""Options of Ansible that name an inventory; `-i` also with its value attached."""
CLOSED = 1
"""A port of loopback at which nobody listens."""


def inventory(project: str | pathlib.Path = ".") -> dict[str, t.Any]:
    """Return the output of ansible-inventory for the project."""
    if not all(os.path.isfile(os.path.join(project, name)) for name in (SOURCE, DESCRIPTION)):
        raise SystemExit(
            f"doubles: this folder has no {SOURCE} and {DESCRIPTION}: run it in the folder of a project"
        )
    done = subprocess.run(
        ["ansible-inventory", "-i", SOURCE, "--list"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"doubles: {SOURCE} cannot be listed:\n{done.stderr}")
    return t.cast("dict[str, t.Any]", json.loads(done.stdout, object_hook=_plain))


def _plain(row: dict[str, t.Any]) -> t.Any:
    """A text that Ansible marks as none of its templates, such as a cell of devices.csv."""
    return row["__ansible_unsafe"] if [*row] == ["__ansible_unsafe"] else row


def switches(listed: t.Mapping[str, t.Any]) -> list[str]:
    """The names of the switches."""
    return [name for role in ROLES for name in listed.get(role, {}).get("hosts", ())]


OOB = {"oob_leaf": ("model", "SN2201"), "oob_spine": ("spine_model", "SN3700C")}
"""Keys of the block `oob` with the models of its switches, and their defaults."""


def options(
    listed: t.Mapping[str, t.Any],
    name: str,
    release: str,
    oob: t.Mapping[str, t.Any] | None = None,
) -> dict[str, t.Any]:
    """Options for the double of a switch; `oob` is the description of the out-of-band network."""
    known = listed["_meta"]["hostvars"].get(name, {}).get("spx", {})
    key, default = OOB.get(known.get("role", ""), ("", ""))
    model = {"model": (oob or {}).get(key, default)} if key else {}
    return {
        **model,
        "release": release,
        "serial": known.get("serial") or f"SN-{name}",
        "document": {"system": {"hostname": name}},
    }


def reached(listed: t.Mapping[str, t.Any], doubles: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """An inventory in which each host is on loopback, and each switch is its double."""
    hosts: dict[str, dict[str, t.Any]] = {
        name: {"ansible_host": LOOPBACK, "ansible_port": CLOSED}
        for name in listed["_meta"]["hostvars"]
    }
    for name, double in doubles.items():
        hosts[name] = {
            "ansible_host": double.host,
            "spx_nvue_port": double.port,
            "spx_nvue_user": double.username,
            "spx_nvue_password": double.password,
            "spx_nvue_ca": double.ca_file,
        }
    return {"all": {"hosts": hosts}}


def on_doubles(command: t.Sequence[str]) -> list[str]:
    """Return the command without the inventory of the project, which the doubles stand for; refuse another one."""
    left: list[str] = []
    words = iter(command)
    for word in words:
        found = _INVENTORY.match(word)
        if not found:
            left.append(word)
            continue
        named = word[found.end() :] or next(words, "")
        if os.path.normpath(named) != SOURCE:
            raise SystemExit(
                f"doubles: {word}: this inventory would replace the doubles by other addresses: leave it out"
            )
    return left


def stand_ins(folder: pathlib.Path) -> None:
    """Write a command for each one of Ansible, which the shells of a rehearsal find first."""
    tool = shutil.which("ansible-playbook")
    for real in sorted(pathlib.Path(tool).parent.glob("ansible*")) if tool else ():
        own = folder / real.name
        own.write_text(
            f"#!{sys.executable}\nimport os, runpy, sys\n"
            f"on_doubles = runpy.run_path({__file__!r})['on_doubles']\n"
            f"os.execv({str(real)!r}, [{str(real)!r}, *on_doubles(sys.argv[1:])])\n",
            encoding="utf-8",
        )
        own.chmod(0o755)


def main(command: t.Sequence[str]) -> int:
    """Run the command; its exit code."""
    try:
        import yaml
        from nvue_double.testing import running_doubles
    except ImportError as exc:
        raise SystemExit(
            f"doubles: the package {exc.name} is missing: pip install aiohttp PyYAML"
        ) from exc
    if not command:
        raise SystemExit(
            "doubles: name a command, such as: ansible-playbook spectrum_x.fabric.switches --check"
        )
    if os.path.basename(command[0]).startswith("ansible"):
        command = [command[0], *on_doubles(command[1:])]
    listed = inventory()
    described = yaml.safe_load(pathlib.Path(DESCRIPTION).read_text(encoding="utf-8"))
    release, oob = str(described["release"]["cumulus"]), described.get("oob") or {}
    names = switches(listed)
    with (
        tempfile.TemporaryDirectory(prefix="spx-doubles-") as folder,
        running_doubles([options(listed, name, release, oob) for name in names]) as doubles,
    ):
        found = reached(listed, dict(zip(names, doubles, strict=True)))
        overlay = pathlib.Path(folder) / "doubles.json"
        overlay.write_text(json.dumps(found), encoding="utf-8")
        print(f"doubles: {len(names)} switches on {LOOPBACK}", flush=True)
        env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        env["ANSIBLE_INVENTORY"] = f"{SOURCE},{overlay}"
        stand_ins(tools := pathlib.Path(tempfile.mkdtemp(prefix="bin-", dir=folder)))
        env["PATH"] = f"{tools}:{env['PATH']}"
        return subprocess.run(command, env=env, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
