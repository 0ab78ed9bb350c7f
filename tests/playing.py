# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Running playbooks as people do, and what they need to reach the double of a switch."""

from __future__ import annotations

import collections
import os
import pathlib
import subprocess
import sys
import threading
import typing as t

import forking
from ansible.errors import AnsibleActionFail

BINARY = pathlib.Path(sys.executable).with_name("ansible-playbook")
Process = subprocess.Popen[str] | forking.Run


SETTINGS = {"ANSIBLE_NOCOLOR": "1", "ANSIBLE_INJECT_FACT_VARS": "false"}
"""Settings without Ansible's injected facts, which some day will be its default."""


def ended(run: t.Callable[..., t.Any], **arguments: t.Any) -> dict[str, t.Any]:
    """The result of an action, also where it fails, as Ansible makes it of what the action raises."""
    try:
        return dict(run(**arguments))
    except AnsibleActionFail as exc:
        return dict(exc.result_contribution)


FAULT = "Callback dispatch"
"""Prefix of Ansible's warning of a fault in a callback. A summary with a fault hides failures."""


def extra_vars(variables: t.Mapping[str, t.Any]) -> list[str]:
    """`-e name=value` of each."""
    return [f"-e{name}={value}" for name, value in variables.items()]


def run(
    folder: pathlib.Path,
    tool: str,
    *arguments: t.Any,
    environment: t.Mapping[str, str],
    seconds: int = 180,
    before: t.Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """A tool of Ansible in a folder, to its end; `before` are words that lead to it."""
    argv = [BINARY.with_name(tool), *arguments]
    process = _begin(folder, argv, environment, before=before, apart=True)
    try:
        said, errors = process.communicate(timeout=seconds)
    except BaseException:
        process.kill()
        raise
    return subprocess.CompletedProcess(argv, process.wait(), said, errors or "")


def play(
    folder: pathlib.Path,
    *arguments: t.Any,
    seconds: int = 180,
    before: t.Sequence[str] = (),
    **environment: str,
) -> tuple[int, str]:
    """(exit code, output) of ansible-playbook in a folder; `before` are words that lead to it."""
    whole = os.environ | SETTINGS | environment
    limits: t.Any = {"seconds": seconds, "before": before}
    done = run(folder, BINARY.name, *arguments, environment=whole, **limits)
    output = done.stdout + done.stderr
    assert FAULT not in output, output
    return done.returncode, output


def begin(folder: pathlib.Path, *arguments: t.Any, **environment: str) -> Process:
    """An ansible-playbook in a folder, in a session of its own, whose output is read when it has ended."""
    whole = os.environ | {"SPX_PROJECT": str(folder)} | SETTINGS | environment
    return _begin(folder, [BINARY, *arguments], whole)


_MET: collections.Counter[t.Hashable] = collections.Counter()
_SERVERS: dict[t.Hashable, forking.Server] = {}
_ONE = threading.Lock()


def _begin(
    folder: pathlib.Path,
    argv: t.Sequence[t.Any],
    environment: t.Mapping[str, str],
    *,
    before: t.Sequence[str] = (),
    apart: bool = False,
) -> Process:
    """From the second run with the same settings of Ansible on, its server begins it."""
    if pathlib.Path(argv[0]).name in forking.TOOLS and not (folder / "ansible.cfg").exists():
        met = (tuple(before), *forking.key(environment))
        with _ONE:
            _MET[met] += 1
            if _MET[met] > 1 and met not in _SERVERS:
                _SERVERS[met] = forking.Server(environment, before)
        if met in _SERVERS:
            return _SERVERS[met].begin(folder, argv, environment, apart=apart)
    return subprocess.Popen(
        [*before, *argv],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if apart else subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )


def below(process: int) -> list[int]:
    """The processes that a process began, and those that they began."""
    words = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [found for word in words for found in (int(word), *below(int(word)))]


def written(folder: pathlib.Path) -> dict[pathlib.Path, bytes]:
    """Return the files of a folder, but for the variables from which the secrets come."""
    found = {path for path in folder.rglob("*") if path.is_file()}
    return {path: path.read_bytes() for path in found if "host_vars" not in path.parts}


def reached(double: t.Any) -> dict[str, t.Any]:
    """The variables of an inventory by which a running double is reached."""
    return {
        "ansible_host": double.host,
        "spx_nvue_port": double.port,
        "spx_nvue_user": double.username,
        "spx_nvue_password": double.password,
        "spx_nvue_ca": double.ca_file,
        "switch_apply_settle_time": 0,  # its sessions end at once, not with their hold time
    }
