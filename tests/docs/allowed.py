# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Allowed values of a key or a variable, in words that follow from the models and their validators."""

from __future__ import annotations

import re
import types
import typing as t

import pydantic

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import (
    description,
)

PLAIN = {str: "text", int: "whole number", float: "number", bool: "``true`` or ``false``"}
KINDS = {
    "str": "text",
    "path": "path",
    "bool": "``true`` or ``false``",
    "int": "whole number",
    "list": "list",
}
"""Types of a variable."""


def of_field(model: type[pydantic.BaseModel], name: str, choices: t.Sequence[object] = ()) -> str:
    """Describe the allowed values of a model's key; `choices` are values that a catalog allows."""
    hints = t.get_type_hints(model, include_extras=True)
    attribute = next(key for key, field in model.model_fields.items() if name in (key, field.alias))
    text = words(hints[attribute])
    return re.sub("texts?", one_of(choices), text, count=1) if choices else text


def one_of(choices: t.Iterable[object]) -> str:
    """Values, each as one writes it."""
    shown = [f"``{choice}``" for choice in choices]
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if shown[:-1] else shown)


def words(hint: t.Any) -> str:
    """An annotation in words."""
    origin, inner = t.get_origin(hint), t.get_args(hint)
    if origin is t.Annotated:
        return _limited(words(inner[0]), inner[1:])
    if origin is t.Literal:
        return one_of(inner)
    if origin in (t.Union, types.UnionType):
        return " or ".join(words(each) for each in inner if each is not type(None))
    if origin is list:
        return f"list of {_several(words(inner[0]))}"
    if origin is dict:
        return f"mapping of {words(inner[0])} to {words(inner[1])}"
    return PLAIN.get(hint, "mapping")


def _several(text: str) -> str:
    plural = {"text": "texts", "mapping": "mappings"}
    return plural.get(text, text if text.startswith("``") else f"values, each {text}")


def _limited(text: str, metadata: t.Iterable[t.Any]) -> str:
    """A type with the limits that stand beside it."""
    limits: dict[str, t.Any] = {}
    for each in metadata:
        for limit in getattr(each, "metadata", [each]):
            if isinstance(limit, pydantic.AfterValidator):
                return refusal(limit.func)
            limits |= {key: getattr(limit, key) for key in _LIMITS if hasattr(limit, key)}
    if "pattern" in limits:
        text = description.PATTERNS.get(limits["pattern"], text)
    return text + "".join(f", {said.format(limits[key])}" for key, said in _said(limits))


_LIMITS = ("pattern", "ge", "le", "min_length", "max_length")


def _said(limits: dict[str, t.Any]) -> t.Iterator[tuple[str, str]]:
    if "ge" in limits and "le" in limits:
        yield "le", f"{limits['ge']} to {{}}"
    elif "ge" in limits:
        yield "ge", "{} or more"
    if "min_length" in limits and limits["min_length"] == limits.get("max_length"):
        yield "max_length", "exactly {}"
    elif "min_length" in limits:
        yield "min_length", "at least {}"
    elif "max_length" in limits:
        yield "max_length", "at most {} characters"


def refusal(check: t.Callable[[str], str]) -> str:
    """Return the values that a validator allows, in the words with which it refuses an empty text."""
    try:
        check("")
    except ValueError as exc:
        return str(exc)
    raise AssertionError(f"{check} refuses nothing")


def of_variable(row: dict[str, t.Any]) -> str:
    """Describe the allowed values of a variable of the playbooks."""
    kind = KINDS[row["type"]]
    if row["type"] == "list":
        kind = "list of texts"
    if "choices" in row:
        kind = ("list of " if row["type"] == "list" else "") + one_of(row["choices"])
    if "pattern" in row:
        kind = description.PATTERNS[row["pattern"]]
    if "least" in row:
        kind += (
            f", {row['least']} to {row['most']}" if "most" in row else f", {row['least']} or more"
        )
    if "catalogs" in row:
        kind = "list of ids of checks, their first words, or globs"
    return kind + (", with ``-e`` only" if row.get("extra_only") else "")
