# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records as JSON and back: dataclasses and named tuples, checked when they are read. Private.

    plain(Evidence("wiped", ...))              {"what": "wiped", ...}
    typed(list[Evidence], found, "evidence")   [Evidence("wiped", ...)]

A field that ends in an underscore, as `from_` must in Python, has none in JSON.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import types
import typing as t
from collections.abc import Mapping, Sequence

from .._fabric.description.errors import FabricError, shown

T = t.TypeVar("T")
_ANYTHING = (t.Any, object)
_LISTS = (list, Sequence)
_MAPPINGS = (dict, Mapping)
_WORDS = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def plain(value: object) -> object:
    """Return a record as JSON has it."""
    form = type(value)
    if dataclasses.is_dataclass(form) or _is_tuple(form):
        return {key: plain(getattr(value, field.name)) for key, field in _fields(form).items()}
    if isinstance(value, Mapping):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value


def typed(form: type[T], found: object, place: str) -> T:
    """Return what JSON has as a record; FabricError that names the `place` of a wrong shape."""
    return t.cast("T", _typed(form, found, place))


def _typed(form: object, found: object, place: str) -> object:
    if form in _ANYTHING:
        return found
    if dataclasses.is_dataclass(form) or _is_tuple(form):
        return _record(t.cast("type", form), found, place)
    if t.is_typeddict(form):
        return _mapping(t.cast("type", form), found, place)
    origin, parts = t.get_origin(form) or form, t.get_args(form)
    if origin in (t.Union, types.UnionType):
        return _one_of(parts, found, place)
    if origin is t.Literal:
        return found if found in parts else _refuse(place, found, ", ".join(map(repr, parts)))
    if origin in _LISTS:
        return _list(parts, found, place)
    if origin in _MAPPINGS:
        if not isinstance(found, dict):
            _refuse(place, found, "a mapping")
        return {key: _typed(parts[1], inner, f"{place}.{key}") for key, inner in found.items()}
    return _value(t.cast("type", form), found, place)


def _value(form: type, found: object, place: str) -> object:
    good = isinstance(found, (int, float) if form is float else form)
    if not good or (isinstance(found, bool) and form is not bool):
        _refuse(place, found, _WORDS.get(form, form.__name__))
    return found


def _list(parts: tuple[object, ...], found: object, place: str) -> object:
    if not isinstance(found, list):
        _refuse(place, found, "a list")
    return [_typed(parts[0], inner, f"{place}[{number}]") for number, inner in enumerate(found)]


def _one_of(parts: tuple[object, ...], found: object, place: str) -> object:
    """Return null where that is allowed, else a value of the first type that takes it."""
    if found is None and type(None) in parts:
        return None
    *others, last = (part for part in parts if part is not type(None))
    for form in others:
        with contextlib.suppress(FabricError):
            return _typed(form, found, place)
    return _typed(last, found, place)


def _record(form: type, found: object, place: str) -> object:
    if not isinstance(found, dict):
        _refuse(place, found, "a mapping")
    fields = _fields(form)
    if unknown := sorted(set(found).difference(fields)):
        _refuse(f"{place}.{unknown[0]}", "the key", ", ".join(fields))
    for key, field in fields.items():
        if key not in found and not field.optional:
            _refuse(f"{place}.{key}", "no value", "all keys of the record")
    return form(
        **{
            fields[key].name: _typed(fields[key].form, inner, f"{place}.{key}")
            for key, inner in found.items()
        }
    )


class _Field(t.NamedTuple):
    name: str
    form: object
    optional: bool


@functools.cache
def _fields(form: type) -> dict[str, _Field]:
    """Return the fields of a record by their keys in JSON."""
    if _is_tuple(form):
        names = {name: name in form._field_defaults for name in form._fields}
    else:
        names = {
            field.name: (field.default, field.default_factory) != (dataclasses.MISSING,) * 2
            for field in dataclasses.fields(form)
        }
    hints = _hints(form)
    return {
        name.rstrip("_"): _Field(name, hints[name], optional) for name, optional in names.items()
    }


def _is_tuple(form: object) -> t.TypeGuard[type[t.NamedTuple]]:
    """Return whether a type is of tuples with named fields."""
    return isinstance(form, type) and issubclass(form, tuple) and hasattr(form, "_fields")


def _mapping(form: type, found: object, place: str) -> object:
    """Return a dictionary with stated keys."""
    if not isinstance(found, dict):
        _refuse(place, found, "a mapping")
    hints = _hints(form)
    if wrong := sorted({*set(found).difference(hints), *_required(form).difference(found)}):
        _refuse(f"{place}.{wrong[0]}", "the key", ", ".join(hints))
    return {key: _typed(hints[key], inner, f"{place}.{key}") for key, inner in found.items()}


@functools.cache
def _required(form: type) -> frozenset[str]:
    """Return the keys that a dictionary must have; where annotations are text, Python takes all for required."""
    hints = t.get_type_hints(form, include_extras=True)
    optional = {key for key, hint in hints.items() if t.get_origin(hint) is t.NotRequired}
    return frozenset(getattr(form, "__required_keys__", frozenset()) - optional)


@functools.cache
def _hints(form: type) -> dict[str, object]:
    return t.get_type_hints(form)


def _refuse(place: str, found: object, allowed: str) -> t.NoReturn:
    raise FabricError.of(
        f"run store: {place}: {shown(str(found))} is not allowed: use {allowed}, and run the whole playbook again."
    )
