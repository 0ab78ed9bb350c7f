# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Description file -> checked `Description`, or every breach in one go."""

from __future__ import annotations

import pathlib
import re
import typing as t

from . import yaml_source
from ._third_party import pydantic, require
from .base import Strict
from .description import ASCII, MOST_CHARACTERS, PATTERNS, PLAYBOOKS, ROLES_THAT_WRITE, Description
from .errors import Breach, FabricError, nearest, shown
from .words import some

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pydantic_core import ErrorDetails

M = t.TypeVar("M", bound=Strict)
_WHERE = (
    "pass -i with the hosts.fabric.yml of your project, or name the description in spx_description"
)


def load(path: str, *, profile: str = "") -> tuple[Description, yaml_source.Source]:
    """The description in a file, with its source for later sentences about it.

    `profile` stands in where the description has not chosen an address profile yet.
    """
    require()
    source = yaml_source.read(path, remedy=f"{_beside(path)}{_WHERE}")
    if profile:
        _stand_in(source.data, profile)
    foreign = list(_ascii(source.data, ()))
    try:
        description = typed(Description, source, known=foreign)
    except FabricError as exc:
        raise FabricError([*map(source.sentence, foreign), *exc.sentences]) from exc
    told = {breach.key for breach in foreign}
    breaches = [*foreign, *(b for b in _roles(description) if b.key not in told)]
    if breaches:
        raise FabricError([source.sentence(breach) for breach in breaches])
    return description, source


def _beside(path: str) -> str:
    """List the files of the folder that should have a description, to show where it was searched."""
    folder = pathlib.Path(path).parent
    folder = folder if folder.is_dir() else folder.parent
    names = sorted(entry.name for entry in folder.glob("*.y*ml")) if folder.is_dir() else []
    return f"{folder} has {', '.join(some(names))}: " if names else ""


def _stand_in(data: object, profile: str) -> None:
    if isinstance(data, dict):
        addressing = data.setdefault("addressing", {}) or {}
        if isinstance(addressing, dict):
            data["addressing"] = {"profile": profile, **addressing}


def typed(model: type[M], source: yaml_source.Source, *, known: Sequence[Breach] = ()) -> M:
    """A source's data as a model; FabricError with a sentence per breach.

    Keys of `known` breaches have been reported already and are not reported again.
    """
    if not isinstance(source.data, dict):
        raise FabricError.of(
            f"{pathlib.Path(source.path).name}: the file holds {_shown(source.data)}: write keys with "
            "values, such as 'name: lab'."
        )
    reported = {breach.key for breach in known}
    try:
        return model.model_validate(source.data)
    except pydantic.ValidationError as exc:
        breaches = [_breach(model, error) for error in exc.errors()]
        raise FabricError(
            [source.sentence(breach) for breach in breaches if breach.key not in reported]
        ) from exc


def _breach(model: type[Strict], error: ErrorDetails) -> Breach:
    key = tuple(part for part in error["loc"] if not _is_union_tag(part))
    return Breach(key, _sentence(model, key, error))


def _is_union_tag(part: str | int) -> bool:
    return isinstance(part, str) and (
        part in ("str", "int") or part.startswith(("constrained", "function"))
    )


def _sentence(model: type[Strict], key: tuple[str | int, ...], error: ErrorDetails) -> str:
    kind, value, context = error["type"], _shown(error["input"]), error.get("ctx", {})
    if kind == "extra_forbidden":
        known = sorted(_known_keys(model, key[:-1]))
        close = nearest(str(key[-1]), known)
        remedy = (
            "rename it or remove it" if close else f"remove it or use one of {', '.join(known)}"
        )
        return f"the key is not known{close}: {remedy}."
    if kind == "missing":
        meaning = _meaning(model, key)
        return f"the key is missing: add it{f' ({meaning})' if meaning else ''}."
    if kind == "string_pattern_mismatch":
        return f"{value} is not allowed: use {PATTERNS[context['pattern']]}."
    if kind == "value_error":
        return f"{value} is not allowed: use {context['error']}."
    if kind == "model_type":
        return f"{value} is not allowed: use a mapping with keys such as {_example(model, key)}."
    if kind == "literal_error" and isinstance(error["input"], str):
        close = nearest(error["input"], re.findall(r"'([^']+)'", context["expected"]))
        return f"{value} is not allowed{close}: use {context['expected']}."
    allowed = _ALLOWED.get(kind)
    if allowed:
        return f"{value} is not allowed: use {allowed.format(**context)}."
    return f"{value} is not allowed ({error['msg'].lower()}): correct it."


_ALLOWED = {
    "literal_error": "{expected}",
    "string_type": "text (in quotes where it looks like a number or boolean)",
    "int_type": "a whole number without quotes",
    "int_from_float": "a whole number",
    "float_type": "a number without quotes",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping of keys",
    "greater_than_equal": "{ge} or more",
    "less_than_equal": "{le} or less",
    "too_short": "at least {min_length} entries",
    "too_long": "at most {max_length} entries",
}


def _known_keys(model: type[Strict], key: tuple[str | int, ...]) -> set[str]:
    """The field names of the model that a key path leads to."""
    part = _model_at(model, key)
    return {field.alias or name for name, field in part.model_fields.items()} if part else set()


def _example(model: type[Strict], key: tuple[str | int, ...]) -> str:
    """The keys that the model of a key path needs, or else its first ones: `{model, host_speed}`."""
    fields = (_model_at(model, key) or model).model_fields
    needed = [name for name, field in fields.items() if field.is_required()]
    return f"{{{', '.join(needed or list(fields)[:3])}}}"


def _meaning(model: type[Strict], key: tuple[str | int, ...]) -> str:
    """Return the meaning of a key from its description, without the full stop."""
    part = _model_at(model, key[:-1])
    field = part.model_fields.get(str(key[-1])) if part else None
    if field is None:
        return ""
    section = _model_in(field.annotation)
    own = (section.__doc__ or "").partition("\n")[0] if section else ""
    return (field.description or own).rstrip(".")


def _model_at(model: type[Strict], key: tuple[str | int, ...]) -> type[Strict] | None:
    for part in key:
        if isinstance(part, int) or part not in model.model_fields:
            continue
        below = _model_in(model.model_fields[part].annotation)
        if below is None:
            return None
        model = below
    return model


def _model_in(annotation: object) -> type[Strict] | None:
    if isinstance(annotation, type) and issubclass(annotation, Strict):
        return annotation
    for inner in t.get_args(annotation):
        found = _model_in(inner)
        if found:
            return found
    return None


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "an empty value"
    if isinstance(value, bool):
        return str(value).lower()
    return shown(value) if isinstance(value, str) else str(value)


def _ascii(data: object, key: tuple[str | int, ...]) -> Iterator[Breach]:
    """NVUE crashes on non-ASCII values (release note 5215333), so none enters."""
    if isinstance(data, dict):
        for name, child in data.items():
            yield from _ascii(child, (*key, name))
    elif isinstance(data, list):
        for number, child in enumerate(data):
            yield from _ascii(child, (*key, number))
    elif isinstance(data, str) and not ASCII.fullmatch(data):
        yield Breach(
            key, f"{shown(data)} has characters outside printable ASCII: use plain letters."
        )
    elif isinstance(data, str) and len(data) > MOST_CHARACTERS:
        yield Breach(
            key,
            f"{shown(data)} has {len(data)} characters: use {MOST_CHARACTERS} or fewer.",
        )


def _roles(description: Description) -> Iterator[Breach]:
    for number, role in enumerate(description.manage):
        if role in ROLES_THAT_WRITE:
            continue
        if begins := PLAYBOOKS.get(role):
            own = [name for name in ROLES_THAT_WRITE if name.startswith(begins)]
            wrong = f"'{role}' is a playbook, and manage lists the roles that may write"
        else:
            own = list(ROLES_THAT_WRITE)
            wrong = f"'{role}' is not a role that writes{nearest(role, own)}"
        some_of = "some of " if len(own) > 1 else ""
        yield Breach(("manage", number), f"{wrong}: use {some_of}{', '.join(own)}.")
