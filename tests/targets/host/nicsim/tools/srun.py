# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""srun of Slurm: options, refusals and the order of nodes, as in its manual page and Debian's program (22.05).

Nodes are sorted, whatever the order of `--nodelist`; the file of SLURM_HOSTFILE has an order of its own. Without an MPI
plugin that the program knows (`--mpi=none`) each task is a job of one rank.
"""

from __future__ import annotations

import os
import pathlib
import re
import sys
from collections.abc import Sequence

from nicsim.call import Call, ToolError
from nicsim.links import BadModel, Links, load
from nicsim.tools.launchers import node, started

VALUE = {
    *(
        "nodes",
        "ntasks",
        "ntasks-per-node",
        "nodelist",
        "distribution",
        "mpi",
        "export",
        "partition",
    ),
    *("account", "time", "job-name", "qos", "gpus-per-node", "cpus-per-task"),
}
"""Options with a value that the stand-in obeys, or that change nothing here."""
PLAIN = {
    "exclusive",
    "immediate",
    "kill-on-bad-exit",
    "quiet",
    "overcommit",
    "unbuffered",
    "version",
}
SHORT = dict(
    zip(
        "NnwmpAtJqcKQOuV",
        (
            *(
                "nodes",
                "ntasks",
                "nodelist",
                "distribution",
                "partition",
                "account",
                "time",
                "job-name",
            ),
            *(
                "qos",
                "cpus-per-task",
                "kill-on-bad-exit",
                "quiet",
                "overcommit",
                "unbuffered",
                "version",
            ),
        ),
    )
)
MPI = ("none", "cray_shasta", "pmi2", "pmix")
"""Output of `--mpi=list`; pmix is an own package of Debian [inferred]."""
TRY = 'Try "srun --help" for more information'
REFUSED = 255
NO_RESOURCES = "srun: error: Unable to allocate resources:"
NO_FILE = "srun: error: Failure getting NodeNames from hostfile"
NO_LIST = "srun: error: With Arbitrary distribution you need to specify a nodelist or hostfile with the -w option"
KEPT = re.compile(r"PATH$|SLURM|NICSIM_")
"""Variables that tasks have without the caller's; those of the stand-ins are no part of a real environment."""


def run(call: Call) -> int:
    """Start a program on nodes."""
    options, words = _parsed(call.argv)
    if "version" in options:
        print("slurm-wlm 22.05.8")
        return 0
    mpi = options.get("mpi") or os.environ.get("SLURM_MPI_TYPE") or "pmix"
    if mpi == "list":
        print("MPI plugin types are...", *(f"\t{name}" for name in MPI), sep="\n")
        return 0
    if not words:
        raise ToolError("srun: fatal: No command given to execute.", 1, "stderr")
    places = _places(options)
    if mpi not in MPI:
        said = f"srun: error: Invalid MPI type '{mpi}', --mpi=list for acceptable types"
        raise ToolError(said, 1, "stderr")
    _export(options.get("export") or os.environ.get("SLURM_EXPORT_ENV") or "ALL")
    if mpi != "none":
        return started(places, {}, words, lost=_unknown)
    alone = [[(name, 1)] for name, count in places for _task in range(count)]
    return max(started(one, {}, words, lost=_unknown) for one in alone)


def _parsed(argv: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """(options by their long names, the program with its arguments), as getopt_long reads them."""
    options: dict[str, str] = {}
    rest = list(argv)
    while rest and rest[0].startswith("-") and rest[0] != "-":
        word = rest.pop(0)
        if word == "--":
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            name = _long(name)
            given = value if equals else None
        else:
            name, given = _letter(word[1]), word[2:] or None
        if name in VALUE and given is None:
            if not rest:
                raise ToolError(
                    f"srun: option requires an argument -- '{word[-1]}'\n{TRY}", REFUSED, "stderr"
                )
            given = rest.pop(0)
        options[name] = given or ""
    return options, rest


def _long(name: str) -> str:
    known = sorted(VALUE | PLAIN)
    found = [name] if name in known else [one for one in known if one.startswith(name)]
    if len(found) != 1:
        raise ToolError(f"srun: unrecognized option '--{name}'\n{TRY}", REFUSED, "stderr")
    return found[0]


def _letter(letter: str) -> str:
    if letter not in SHORT:
        raise ToolError(f"srun: invalid option -- '{letter}'\n{TRY}", REFUSED, "stderr")
    return SHORT[letter]


# Where tasks run


def _places(options: dict[str, str]) -> list[tuple[str, int]]:
    """(node, tasks), in the order of the ranks."""
    most = _most(options)
    try:
        links = load()
    except BadModel as wrong:
        raise ToolError(f"nicsim: {wrong}", 1, "stderr") from wrong
    file = os.environ.get("SLURM_HOSTFILE")
    how = options.get("distribution", "block").partition(":")[0].partition("=")[0]
    if how not in ("*", "block", "cyclic", "plane", "arbitrary"):
        raise ToolError("srun: error: Invalid --distribution specification", REFUSED, "stderr")
    if how == "arbitrary" and not file and "nodelist" not in options:
        raise ToolError(NO_LIST, 1, "stderr")
    if file and "nodelist" not in options:
        return _as_listed(file, options, most)
    names = sorted({node(links, name, _unknown) for name in _listed(options.get("nodelist", ""))})
    if most and len(names) > most:
        said = (
            f"Required nodelist includes more nodes than permitted by max-node count ({len(names)} > {most}). "
            "Eliminating nodes from the nodelist."
        )
        sys.stderr.write(f"srun: error: {said}\n")
        names = names[:most]
    names = sorted(names + _others(links, names)[: (most or 1) - len(names)])
    if len(names) < (most or 1):
        raise ToolError(
            f"{NO_RESOURCES} Requested node configuration is not available", 1, "stderr"
        )
    return _shared(names, options)


def _most(options: dict[str, str]) -> int:
    """The number of nodes, 0 where it is not stated."""
    text = options.get("nodes", "")
    if text and not re.fullmatch(r"[1-9]\d*(-[1-9]\d*)?", text):
        raise ToolError(f'srun: error: "{text}" is not a valid node count', REFUSED, "stderr")
    for name in ("ntasks", "ntasks-per-node"):
        if name in options and not re.fullmatch(r"[1-9]\d*", options[name]):
            said = f'srun: error: Invalid numeric value "{options[name]}" for --{name}.'
            raise ToolError(said, 1, "stderr")
    return int(text.rpartition("-")[2]) if text else 0


def _listed(text: str) -> list[str]:
    if "[" in text or "/" in text:
        raise ToolError("nicsim: ranges and files of nodes are not simulated", 1, "stderr")
    return [name for name in text.split(",") if name]


def _others(links: Links, names: Sequence[str]) -> list[str]:
    """Further nodes of the model, which Slurm takes where too few are named."""
    return [
        name for name in sorted({port.node for port in links.ports.values()}) if name not in names
    ]


def _shared(names: Sequence[str], options: dict[str, str]) -> list[tuple[str, int]]:
    """Tasks in blocks; `--ntasks` comes first, and `--ntasks-per-node` is the most of a node then."""
    each = int(options.get("ntasks-per-node", 0))
    if "ntasks" not in options:
        return [(name, each or 1) for name in names]
    tasks, made = int(options["ntasks"]), []
    each = each or -(-tasks // len(names))
    if tasks > each * len(names):
        raise ToolError(
            f"{NO_RESOURCES} Requested node configuration is not available", 1, "stderr"
        )
    for name in names:
        made.append((name, min(each, tasks - sum(count for _name, count in made))))
    return [place for place in made if place[1]]


def _as_listed(file: str, options: dict[str, str], most: int) -> list[tuple[str, int]]:
    """One task for each line, in the order of the file; its nodes are those of the job."""
    try:
        names = re.split(r"[\s,]+", pathlib.Path(file).read_text(encoding="utf-8").strip())
    except OSError:
        said = f"srun: error: slurm_allocate_resources error opening file {file}, No such file or directory"
        raise ToolError(f"{said}\n{NO_FILE}", 1, "stderr") from None
    tasks = int(options.get("ntasks", len(names)))
    if tasks > len(names) or len(set(names)) < most:
        said = "srun: error: Too few NodeNames in Slurm Hostfile"
        raise ToolError(f"{said}\n{NO_FILE}", 1, "stderr")
    made: list[tuple[str, int]] = []
    for name in names[:tasks]:
        if made and made[-1][0] == name:
            made[-1] = (name, made[-1][1] + 1)
        else:
            made.append((name, 1))
    return made


def _unknown(_host: str) -> ToolError:
    return ToolError(f"{NO_RESOURCES} Invalid node name specified", 1, "stderr")


def _export(stated: str) -> None:
    """Take from this process what tasks do not get of its environment."""
    words = stated.split(",")
    if "ALL" in words:
        return
    given = dict(
        word.split("=", 1) if "=" in word else (word, os.environ.get(word, "")) for word in words
    )
    for name in [name for name in os.environ if not KEPT.match(name)]:
        del os.environ[name]
    os.environ.update({} if words == ["NONE"] else given)
