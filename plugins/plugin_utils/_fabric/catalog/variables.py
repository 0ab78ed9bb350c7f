# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables that playbooks read: one schema, typed, unknown names refused.

`-e` gives text; `spx_strict=false` is false, `spx_nodes=su01,su02` is a list, and a path is relative to the
folder in which the command was typed. Empty text is as good as no variable, as forms send it. With -e an empty path is
refused: it comes from a shell variable that is not set.
"""

from __future__ import annotations

import os
import re
import typing as t

from ..description.description import PATTERNS
from ..description.errors import FabricError, nearest
from .data import table, wanted

Value = bool | int | str | list[str]
_V = t.TypeVar("_V", bound=bool | int | str)


class Variable(t.TypedDict, total=False):
    """A row of `variables.yaml`, which says what each key is."""

    type: t.Required[str]
    description: t.Required[str]
    catalogs: list[str]
    choices: list[str]
    extra_only: bool
    least: int
    most: int
    pattern: str
    read_by: list[str]
    written: bool


_WORDS = {"true": True, "yes": True, "false": False, "no": False}
# Variables that the collection itself sets on hosts; people never write them.
_INTERNAL = re.compile(r"spx_(slice|_[a-z_]+)$")
INNER = re.compile(
    r"(__\w+|ansible_(facts|failed_result)|batch_(done|first|line)|commit_diff"
    r"|hook(_(bmc|diff|from|macs|managed|name|node|path|prefixes|serial|to|user))?|host_ready"
    r"|performance_(collected|hosts|next|plan|refused|round|served|started|stopped)|registry_edit|step"
    r"|switch_apply_result|tenant_edit|validate_tenants_leaf|spx_slice)$"
)
"""Variables that playbooks and hooks set; given with -e they would count more than what is set."""
CHOICES = ("spx_device", "spx_nodes", "spx_tenant", "spx_where")
"""Variables that choose devices: a playbook that ignored one would take all of them."""
OWN = "spectrum_x.fabric."
"""Prefix of the collection's playbooks."""
RAW = "_raw_params"
"""Under which Ansible keeps words of -e without a name."""
# How a switch or the DCIM is reached: typed where they are used, so that no secret is among the facts.
_CONNECTION = re.compile(
    r"spx_(nvue_(host|port|((next|spare)_)?(user|password)|token|ca|server_name|validate_certs|timeout)|dcim|dcim_token|external_passwords|backup_secrets)$"
)


def check(
    variables: t.Mapping[str, object], extra: t.Container[str] | None = None
) -> dict[str, Value]:
    """The `spx_` variables, typed; FabricError with a sentence for each that is wrong.

    `extra` are the names given with -e, to which some variables are limited; None where that is not
    known.
    """
    schema = _schema()
    typed: dict[str, Value] = {}
    sentences: list[str] = []
    for name, value in sorted(variables.items()):
        if not name.startswith("spx_"):
            continue
        if not known(name):
            sentences.append(
                f"variable {name}: it is not known{nearest(name, schema)}: remove it or correct its name."
            )
            continue
        if name not in schema:
            continue
        if isinstance(value, str) and not value.strip():
            if schema[name]["type"] == "path" and name in (extra or ()):
                sentences.append(
                    f"variable {name}: an empty path is not allowed with -e: name one, or leave the variable out."
                )
            continue
        if schema[name].get("extra_only") and extra is not None and name not in extra:
            sentences.append(
                f"variable {name}: it counts only when given with -e: remove it from the inventory or "
                "playbook that sets it."
            )
            continue
        try:
            typed[name] = _typed(name, value, schema[name])
        except FabricError as exc:
            sentences += exc.sentences
    if sentences:
        raise FabricError(sentences)
    return typed


def given(extra: t.Mapping[str, object], playbooks: str = "") -> None:
    """FabricError for what must not be given with -e to the `playbooks` of a command line.

    That is words without a name, variables that playbooks set, and what no playbook reads, such as a choice of devices.
    """
    sentences = [
        f"variable {name}: playbooks set it themselves: leave it out of -e."
        for name in sorted(extra)
        if INNER.match(name)
    ]
    own = {word.rpartition(".")[2] for word in playbooks.split() if word.startswith(OWN)}
    if own and len(own) == len(playbooks.split()):
        for name, row in _schema().items():
            if name in extra and own.isdisjoint(row.get("read_by", own)):
                chosen = " and take all devices" if name in CHOICES else ""
                sentences.append(
                    f"variable {name}: {' and '.join(sorted(own))} would ignore it{chosen}: leave it out, "
                    f"or run {' or '.join(row['read_by'])}."
                )
    if words := extra.get(RAW):
        sentences.insert(0, f"-e: '{words}' has no name: {_named(extra, str(words))}.")
    if sentences:
        raise FabricError(sentences)


def _named(extra: t.Mapping[str, object], words: str) -> str:
    """Advise on words without a name: a label may have spaces, for which a colon is written."""
    if begun := str(extra.get("spx_address") or ""):
        whole = ":".join([begun, *words.split()])
        return f"write : for each space of a label, as -e spx_address={whole}"
    return "give it one, and write a list without spaces, as -e spx_nodes=su01,su02"


def known(name: str) -> bool:
    """Check whether the collection reads or sets a variable of this name."""
    return bool(name in table("variables") or _INTERNAL.match(name) or _CONNECTION.match(name))


def _schema() -> dict[str, Variable]:
    return t.cast("dict[str, Variable]", table("variables"))


def _int(value: object) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", str(value)):
        raise ValueError
    return int(str(value))


_KINDS: dict[str, tuple[t.Callable[[object], bool | int | str], str]] = {
    "bool": (lambda value: _WORDS[str(value).strip().lower()], "true or false"),
    "int": (_int, "a whole number"),
    "path": (lambda value: os.path.abspath(os.path.expanduser(str(value))), "a path"),
    "str": (str, "text"),
}
"""Reader of a value by kind, with ValueError or KeyError for a wrong one, and the allowed values."""


def _typed(name: str, value: object, row: Variable) -> Value:
    if row["type"] != "list":
        return _limited(name, _one(name, value, row["type"], "text", row=row), row)
    made = [str(_one(name, item, "str", "a list of texts", row=row)) for item in _list(name, value)]
    return _of_catalog(name, [_limited(name, item, row) for item in made], row)


def _one(name: str, value: object, kind: str, plain: str, *, row: Variable) -> bool | int | str:
    """One value; `plain` is what is allowed where it is neither text nor a number."""
    convert, allowed = _KINDS[kind][0], _range(row) if kind == "int" else _KINDS[kind][1]
    if kind != "bool" and (isinstance(value, bool) or not isinstance(value, (str, int, float))):
        raise _refused(name, value, plain)
    try:
        return convert(value)
    except (KeyError, ValueError):
        raise _refused(name, value, allowed) from None


def _refused(name: str, value: object, allowed: str) -> FabricError:
    return FabricError.of(f"variable {name}: {value!r} is not allowed: use {allowed}.")


def _of_catalog(name: str, values: list[str], row: Variable) -> list[str]:
    """The values, each of which chooses some id of the catalogs: by itself, its first words or a glob."""
    known = [key for catalog in row.get("catalogs", ()) for key in table(catalog)]
    for value in values if known else ():
        if not any(wanted(key, [value]) for key in known):
            raise FabricError.of(
                f"variable {name}: '{value}' matches nothing{nearest(value, known)}: use ids such "
                f"as {known[0]}, their first words, or globs."
            )
    return values


def _list(name: str, value: object) -> list[object]:
    if isinstance(value, (list, tuple)):
        return list(value)
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return [part.strip() for part in _split(str(value)) if part.strip()]
    raise _refused(name, value, "a list or comma-separated text")


def _split(text: str) -> list[str]:
    """Commas outside brackets separate: `pod01/su02/[01,03],su01/h01` has two parts."""
    return re.findall(r"(?:[^,\[]+|\[[^\]]*\]?)+", text)


def _range(row: Variable) -> str:
    """`a whole number`, with the range that it has to be in."""
    least, most = row.get("least"), row.get("most")
    if least is None:
        return _KINDS["int"][1]
    return f"a whole number {f'from {least} to {most}' if most else f'of {least} or more'}"


def _limited(name: str, value: _V, row: Variable) -> _V:
    if row.get("written") and os.path.realpath(str(value)) in (
        os.sep,
        os.path.realpath(os.path.expanduser("~")),
    ):
        raise _refused(name, value, "a folder of its own, which is written to")
    if isinstance(value, int) and not row.get("least", value) <= value <= row.get("most", value):
        raise _refused(name, value, _range(row))
    choices = row.get("choices")
    if choices and value not in choices:
        raise FabricError.of(
            f"variable {name}: '{value}' is not allowed{nearest(str(value), choices)}: use {', '.join(choices)}."
        )
    pattern = row.get("pattern")
    if pattern and not re.fullmatch(pattern, str(value)):
        raise _refused(name, value, PATTERNS[pattern])
    return value
