# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write NVIDIA's NVUE schema of every release as one data file of the collection: ``make schema``.

The models come from the package ``nvueschema`` (PyPI, MIT), which generates them from NVIDIA's published NVUE
OpenAPI. This file runs in an environment of its own (``requirements-schema.txt``); nothing else imports the package.
"""

from __future__ import annotations

import importlib
import ipaddress
import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from types import ModuleType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

TARGET = (
    Path(__file__).resolve().parents[2] / "plugins/plugin_utils/_nvue/document/nvue_schema.json"
)
PACKAGE = "nvueschema"
RELEASES = [f"5.{minor}" for minor in range(19)]
"""Releases that version 0.1.0 of the package has."""

ADDRESSES: dict[type, str] = {
    ipaddress.IPv4Address: "ipv4",
    ipaddress.IPv6Address: "ipv6",
    ipaddress.IPv4Network: "ipv4-prefix",
    ipaddress.IPv6Network: "ipv6-prefix",
}
HEADER = re.compile(
    r"source SHA256: (?P<sha256>[0-9a-f]{64}).*?OpenAPI spec version (?P<spec>[\d.]+)", re.S
)

Kind = tuple[Any, ...]
"""One kind of value: ("int", least, greatest), ("enum", word, …), ("string", least, greatest, pattern, …), …"""


def kinds(annotation: Any, limits: tuple[Any, ...] = ()) -> Iterator[Kind | type[BaseModel]]:
    """Yield the alternatives of a field: kinds of values, and classes of objects below it."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from kinds(arguments[0], (*arguments[1:], *limits))
    elif origin in (Union, UnionType):
        for each in arguments:
            yield from kinds(each, limits)
    elif origin is Literal:
        yield ("enum", *arguments)
    elif origin is list:
        yield ("list", *sorted(kind for kind in kinds(arguments[0]) if isinstance(kind, tuple)))
    elif origin is dict:
        yield ("map",) if arguments[1] is Any else ("map", arguments[1])
    elif annotation is not type(None):
        yield value(annotation, limits)


def value(plain: Any, limits: tuple[Any, ...]) -> Kind | type[BaseModel]:
    """Return the kind of a plain type with its limits, or the class of an object."""
    if issubclass(plain, BaseModel):
        return plain
    if plain in ADDRESSES:
        return (ADDRESSES[plain],)
    if plain in (int, float):
        return ("int" if plain is int else "number", *bounds(limits))
    if plain in (str, SecretStr):
        return ("secret" if plain is SecretStr else "string", *lengths(limits))
    raise TypeError(f"{plain}: a type that this script does not know: add it to `value`")


def constraints(limits: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    """Yield each limit as a name and a value, whichever way pydantic or the package states it."""
    for limit in limits:
        if isinstance(limit, FieldInfo):
            yield from constraints(tuple(limit.metadata))
        elif isinstance(limit, Ge | Le | MinLen | MaxLen):
            yield from vars_of(limit)
        elif hasattr(limit, "func"):
            yield from limit.func.keywords.items()
        elif getattr(limit, "pattern", None):
            yield "pattern", limit.pattern
        else:
            raise TypeError(
                f"{limit!r}: a limit that this script does not know: add it to `constraints`"
            )


def vars_of(limit: Any) -> Iterator[tuple[str, Any]]:
    """Yield the one field of a limit of annotated_types."""
    for name in ("ge", "le", "min_length", "max_length"):
        if hasattr(limit, name):
            yield name, getattr(limit, name)


def bounds(limits: tuple[Any, ...]) -> tuple[Any, Any]:
    """Return the least and the greatest value; None is no limit."""
    stated = list(constraints(limits))
    least = [limit for name, limit in stated if name == "ge"]
    greatest = [limit for name, limit in stated if name == "le"]
    return max(least, default=None), min(greatest, default=None)


def lengths(limits: tuple[Any, ...]) -> Kind:
    """Return the least and the greatest length, and each pattern of a string."""
    stated = list(constraints(limits))
    least = [limit for name, limit in stated if name == "min_length" and limit]
    greatest = [limit for name, limit in stated if name == "max_length" and limit is not None]
    patterns = sorted({limit for name, limit in stated if name == "pattern" and limit})
    return max(least, default=0), min(greatest, default=None), *patterns


def walk(model: type[BaseModel], path: str) -> Iterator[tuple[str, tuple[Kind, ...]]]:
    """Yield each path below an object with its kinds."""
    for name, member in model.model_fields.items():
        yield from branch(
            member.annotation, tuple(member.metadata), f"{path}{member.alias or name}"
        )


def branch(
    annotation: Any, limits: tuple[Any, ...], path: str
) -> Iterator[tuple[str, tuple[Kind, ...]]]:
    """Yield one path with its kinds, and every path below it."""
    here: set[Kind] = set()
    for kind in kinds(annotation, limits):
        if not isinstance(kind, tuple):
            here.add(("object",))
            yield from walk(kind, f"{path}/")
        elif len(kind) == 2 and kind[0] == "map":
            here.add(("map",))
            yield from branch(kind[1], (), f"{path}/*")
        else:
            here.add(("any",) if kind == ("map",) else kind)
    yield path, tuple(sorted(here, key=repr))


def models(release: str) -> ModuleType:
    """Import the models of a release."""
    return importlib.import_module(f"{PACKAGE}.models.v{release.replace('.', '_')}")


def header(module: ModuleType) -> dict[str, str]:
    """Return the number of NVIDIA's specification and the checksum that the package states."""
    match = HEADER.search(Path(str(module.__file__)).read_text(encoding="utf-8"))
    if match is None:
        raise ValueError(
            f"{module.__name__}: no number and checksum of the specification in its header"
        )
    return {"spec": match["spec"], "sha256": match["sha256"]}


def schema() -> dict[str, Any]:
    """Return the data file: source, releases, and the spans of each path."""
    spans: dict[str, list[list[Any]]] = {}
    headers = {}
    for index, release in enumerate(RELEASES):
        module = models(release)
        headers[release] = header(module)
        for path, here in walk(module.NvueConfig, ""):
            rows = spans.setdefault(path, [])
            if rows and rows[-1][1] == index - 1 and rows[-1][2:] == list(here):
                rows[-1][1] = index
            else:
                rows.append([index, index, *here])
    source = (
        f"PyPI {PACKAGE} {version(PACKAGE)} (MIT licence), generated from NVIDIA's NVUE OpenAPI"
    )
    return {"source": source, "releases": headers, "paths": dict(sorted(spans.items()))}


def text(data: dict[str, Any]) -> str:
    """Return the data file's text: JSON with one path a line, so that a new release reads as a difference."""
    lines = [
        f"{json.dumps(path)}:{json.dumps(rows, separators=(',', ':'))}"
        for path, rows in data["paths"].items()
    ]
    releases = [f"{json.dumps(name)}:{json.dumps(row)}" for name, row in data["releases"].items()]
    return (
        f'{{"source":{json.dumps(data["source"])},\n"releases":{{\n'
        + ",\n".join(releases)
        + '},\n"paths":{\n'
        + ",\n".join(lines)
        + "}}\n"
    )


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.write_text(text(schema()), encoding="utf-8")
