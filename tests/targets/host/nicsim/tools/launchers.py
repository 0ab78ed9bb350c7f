# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mpirun, and what it shares with srun: one program of nccl-tests runs for all ranks, any other once for each.

The simulated hosts start nothing on each other: the model of links says which nodes there are.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
from collections.abc import Sequence
from typing import Optional

from nicsim import dispatch
from nicsim.call import Call, ToolError
from nicsim.links import BadModel, Links, load
from nicsim.tools.nccl import RANKS

RULE = "-" * 74
TWO = {"--mca", "-mca", "--gmca"}
"""Options of mpirun with two values."""
ONE = {
    *(
        "-np",
        "-n",
        "--np",
        "-c",
        "-H",
        "-host",
        "--host",
        "-hostfile",
        "--hostfile",
        "-machinefile",
        "--machinefile",
    ),
    *(
        "-npernode",
        "--npernode",
        "-N",
        "--map-by",
        "-map-by",
        "--bind-to",
        "-bind-to",
        "--rank-by",
        "-x",
        "--prefix",
    ),
    *("-wdir", "--wdir", "--timeout", "--output-filename"),
}
"""Options of mpirun with one value."""
NONE = {
    "--allow-run-as-root",
    "--oversubscribe",
    "-oversubscribe",
    "--tag-output",
    "-q",
    "--quiet",
    "-v",
    "--verbose",
}
UNREACHABLE = """\
{rule}
ORTE was unable to reliably start one or more daemons.
This usually is caused by:

* not finding the required libraries and/or binaries on
  one or more nodes. Please check your PATH and LD_LIBRARY_PATH
  settings, or configure OMPI with --enable-orterun-prefix-by-default

* lack of authority to execute on one or more specified nodes.
  Please verify your allocation and authorities.
{rule}"""
ROOT = """\
{rule}
mpirun has detected an attempt to run as root.

Running as root is *strongly* discouraged as any mistake (e.g., in
defining TMPDIR) or bug can result in catastrophic damage to the OS
file system, leaving your system in an unusable state.
{rule}"""
SLOTS = """\
{rule}
There are not enough slots available in the system to satisfy the {count}
slots that were requested by the application:

  {program}

Either request fewer slots for your application, or make more slots
available for use.
{rule}"""


def mpirun(call: Call) -> int:
    """Open MPI's mpirun: hosts with slots, processes, variables, and a program."""
    options, variables, words = _parsed(call.argv)
    if os.geteuid() == 0 and not ({"--allow-run-as-root", "-V", "--version"} & set(options)):
        raise ToolError(ROOT.format(rule=RULE), 1, "stderr")
    if not words:
        raise ToolError(f"{RULE}\nmpirun could not find anything to do.\n{RULE}", 1, "stderr")
    hosts = _hosts(options)
    wanted = _first(options, "-np", "-n", "--np", "-c")
    each = _first(options, "-npernode", "--npernode", "-N") or _per_resource(options)
    if each:
        hosts = [(host, int(each)) for host, _slots in hosts]
    slots = sum(count for _host, count in hosts)
    if (
        wanted
        and int(wanted) > slots
        and "--oversubscribe" not in options
        and "-oversubscribe" not in options
    ):
        raise ToolError(SLOTS.format(rule=RULE, count=wanted, program=words[0]), 1, "stderr")
    return started(_cut(hosts, int(wanted) if wanted else slots), variables, words, lost=_no_daemon)


def _parsed(argv: Sequence[str]) -> tuple[dict[str, str], dict[str, str], list[str]]:
    """(options, variables of -x, program with arguments)."""
    options: dict[str, str] = {}
    variables: dict[str, str] = {}
    rest = list(argv)
    while rest and rest[0].startswith("-"):
        word = rest.pop(0)
        if word in TWO:
            rest = rest[2:]
        elif word == "-x":
            name, equals, value = (rest.pop(0) if rest else "").partition("=")
            variables[name] = value if equals else os.environ.get(name, "")
        elif word in ONE:
            options[word] = rest.pop(0) if rest else ""
        elif word in NONE:
            options[word] = ""
        else:
            raise ToolError(
                f"mpirun: Error: unknown option \"{word}\"\nType 'mpirun --help' for usage.",
                1,
                "stderr",
            )
    return options, variables, rest


def _first(options: dict[str, str], *names: str) -> str:
    return next((options[name] for name in names if name in options), "")


def _per_resource(options: dict[str, str]) -> str:
    found = re.fullmatch(r"ppr:(\d+):node.*", _first(options, "--map-by", "-map-by"))
    return found.group(1) if found else ""


def _hosts(options: dict[str, str]) -> list[tuple[str, int]]:
    """(host, slots) of -H or of a file of hosts; this host with as many slots as it has processors without."""
    text = _first(options, "-H", "-host", "--host")
    if text:
        pairs = [word.partition(":") for word in text.split(",")]
        return [(host, int(slots) if slots else 1) for host, _colon, slots in pairs]
    file = _first(options, "-hostfile", "--hostfile", "-machinefile", "--machinefile")
    if not file:
        return [(os.uname().nodename, os.cpu_count() or 1)]
    try:
        lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
    except OSError:
        said = f"Open RTE was unable to open the hostfile:\n    {file}\n"
        said += "Check to make sure the path and filename are correct."
        raise ToolError(f"{RULE}\n{said}\n{RULE}", 1, "stderr") from None
    return [_slots(line) for line in lines if line.split("#")[0].strip()]


def _slots(line: str) -> tuple[str, int]:
    words = line.split("#")[0].split()
    found = [word.partition("=")[2] for word in words[1:] if word.startswith("slots")]
    return words[0], int(found[0]) if found else 1


def _cut(hosts: Sequence[tuple[str, int]], wanted: int) -> list[tuple[str, int]]:
    """As many processes as wanted, host after host."""
    made, left = [], wanted
    for host, slots in hosts:
        count = min(slots, left)
        left -= count
        if count:
            made.append((host, count))
    if left and made:
        made[-1] = (made[-1][0], made[-1][1] + left)
    return made


def _no_daemon(host: str) -> ToolError:
    said = f"ssh: connect to host {host} port 22: No route to host\n{UNREACHABLE.format(rule=RULE)}"
    return ToolError(said, 1, "stderr")


def started(
    places: Sequence[tuple[str, int]], variables: dict[str, str], words: list[str], *, lost: object
) -> int:
    """Run the program: one of nccl-tests with all its ranks here, any other as often as there are ranks."""
    try:
        links = load()
    except BadModel as wrong:
        raise ToolError(f"nicsim: {wrong}", 1, "stderr") from wrong
    known = [(node(links, host, lost), count) for host, count in places]
    os.environ.update(variables)
    os.environ[RANKS] = json.dumps(known)
    program = pathlib.Path(words[0]).name
    program = program[: -len("_mpi")] if program.endswith("_mpi") else program
    if program in dispatch.TOOLS:
        return dispatch.main([program, *words[1:]])
    return _others(words, sum(count for _name, count in known))


def node(links: Links, host: str, lost: object) -> str:
    """The model's name of a host; without a model every host is reached by its own name."""
    found: Optional[str] = links.node(host) if links.known else host
    gone = found is not None and any(
        links.about("unreachable", port) for port in links.of_node(found)
    )
    if found is None or gone:
        raise lost(host)  # type: ignore[operator]
    return found


def _others(words: list[str], count: int) -> int:
    try:
        codes = [subprocess.run(words, check=False).returncode for _rank in range(count)]
    except FileNotFoundError:
        said = "mpirun was unable to find the specified executable file, and therefore\ndid not launch the job."
        raise ToolError(f"{RULE}\n{said}\n\nFile: {words[0]}\n{RULE}", 1, "stderr") from None
    return max(codes, default=0)
