# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of the collection's roles: their defaults and types, read from the files of each role. Private.

    values("switch_roce", task_vars, template)     {"pfc": [], "ecn": {}, ...}: names without the role's

A role and a playbook without it so read the same variables, with the same defaults and the same errors.
"""

from __future__ import annotations

import functools
import typing as t
from pathlib import Path

import yaml
from ansible.errors import AnsibleError
from ansible.module_utils.common.validation import (
    check_type_bool,
    check_type_dict,
    check_type_int,
    check_type_list,
)
from ansible.template import trust_as_template

from .._fabric.description.errors import FabricError, nearest, shown

_ROLES = Path(__file__).resolve().parents[3] / "roles"

VariableMap = t.Mapping[str, object]
"""Variables of a host, as Ansible has them."""
Template = t.Callable[[object], object]


class Spec(t.TypedDict, total=False):
    """Argument spec of an option, in the words of Ansible; `each` is the spec of every key of a mapping."""

    type: str
    elements: str
    default: object
    choices: list[object]
    required: bool
    no_log: bool
    options: t.Mapping[str, Spec]
    each: Spec


_TEXT: Spec = {"type": "str"}
_SECRET: Spec = {"type": "str", "no_log": True}
_NUMBER: Spec = {"type": "int"}
_SWITCHED: Spec = {"type": "str", "choices": ["enable", "disable"]}
_ACCOUNT: t.Mapping[str, Spec] = {
    "hashed_password": _SECRET,
    "role": _TEXT,
    "full_name": _TEXT,
    "ssh_keys": {"type": "dict", "each": _TEXT},
}
_CLASS: t.Mapping[str, Spec] = {
    **dict.fromkeys(("ecn", "red"), _SWITCHED),
    **dict.fromkeys(("min-threshold", "max-threshold", "probability"), _NUMBER),
}
_WITHIN: t.Mapping[str, Spec] = {
    "switch_adaptive_routing_values": {"each": _TEXT},
    "switch_base_banner": {"options": {"pre-login": _TEXT, "post-login": _TEXT}},
    "switch_base_lldp": {"options": {"tx-interval": _NUMBER, "tx-hold-multiplier": _NUMBER}},
    "switch_base_snmp": {
        "options": {"community": _SECRET, "networks": {"type": "list", "elements": "str"}},
        "no_log": True,
    },
    "switch_base_users": {
        "each": {"type": "dict", "options": _ACCOUNT, "no_log": True},
        "no_log": True,
    },
    "switch_bootstrap_password_hash": {"no_log": True},
    "switch_roce_ecn": {"each": {"type": "dict", "options": _CLASS}},
}
"""Specifications of mappings that argument_specs.yml lacks: the keys of one, or the values of `each` key.

Ansible's own validation, which a role that is run alone meets first, fails on a list where keys are specified.
"""


def values(role: str, variables: VariableMap, template: Template) -> dict[str, t.Any]:
    """The typed values of a role's variables; FabricError with a sentence for each wrong one.

    `variables` are those of the host; what they lack has the role's default.
    """
    defaults, options = _files(role)
    made, wrong = dict[str, t.Any](), list[str]()
    for name, spec in options.items():
        stated = variables[name] if name in variables else defaults.get(name)
        try:
            value = rendered(name, stated, template)
            value = spec.get("default") if value is None else value
            full: Spec = {**spec, **_WITHIN.get(name, {})}
            kept = None if value is None else typed(f"variable {name}", value, full)
            made[name.removeprefix(f"{role}_")] = kept
        except FabricError as exc:
            wrong += [f"role {role}, {said}" for said in exc.sentences]
    if wrong:
        raise FabricError(wrong)
    return made


def secrets(name: str, variables: VariableMap, template: Template) -> dict[str, str]:
    """A variable that maps names to secrets, such as `spx_external_passwords`; empty where nobody states it."""
    if variables.get(name) is None:
        return {}
    found = rendered(name, variables[name], template)
    spec: Spec = {"type": "dict", "each": _SECRET, "no_log": True}
    return t.cast("dict[str, str]", typed(f"variable {name}", found, spec))


def keep(roles: t.Iterable[str]) -> None:
    """Read the files of roles where a plugin is loaded, before Ansible forks: every worker would read them again."""
    for role in roles:
        _files(role)


def rendered(name: str, value: object, template: Template) -> object:
    """A variable's value, plain throughout; FabricError that names the variable where its template fails."""
    try:
        return _plain(template(value))
    except AnsibleError as exc:
        where = origin(value)
        raise FabricError.of(
            f"variable {name}{where and f' ({where})'}: its template fails ({exc}): correct it, or define what it "
            "names, such as in a vault."
        ) from None


def origin(value: object) -> str:
    """Return the file and line that Ansible keeps with a value of a variable; "" where it keeps none."""
    for tag in dict(getattr(value, "_ansible_tags_mapping", {})).values():
        if path := getattr(tag, "path", None):
            return f"{path} line {getattr(tag, 'line_num', None) or 1}"
    return ""


def _plain(value: object) -> object:
    """A value without Ansible's lazy containers, which render what they hold only when it is read."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


def _text(value: object) -> str:
    if isinstance(value, (dict, list)):
        raise TypeError
    return str(value)


_KINDS: t.Mapping[str, tuple[t.Callable[[object], object], str]] = {
    "str": (_text, "text (in quotes where it looks like a boolean)"),
    "path": (_text, "a path"),
    "int": (check_type_int, "a whole number"),
    "bool": (check_type_bool, "true or false"),
    "list": (check_type_list, "a list"),
    "dict": (check_type_dict, "a mapping of keys"),
}


def typed(where: str, value: object, spec: Spec) -> object:
    """A value as its spec wants it; FabricError that says what is wrong `where`, such as `variable spx_dcim`."""
    kind = spec.get("type", "str")
    convert, allowed = _KINDS[kind]
    try:
        if value is None or (isinstance(value, bool) and kind != "bool"):
            raise TypeError
        made = convert(value)
    except (TypeError, ValueError):
        raise _refused(where, value, spec, allowed) from None
    if isinstance(made, list):
        each: Spec = {**spec, "type": spec.get("elements", "str")}
        return [typed(f"{where}[{number}]", inner, each) for number, inner in enumerate(made)]
    if isinstance(made, dict):
        return _mapping(where, made, spec)
    if made not in spec.get("choices", [made]):
        raise _refused(where, value, spec, ", ".join(map(str, spec["choices"])))
    return made


def _refused(where: str, value: object, spec: Spec, allowed: str) -> FabricError:
    said = "this secret" if spec.get("no_log") else shown(str(value))
    return FabricError.of(f"{where}: {said} is not allowed: use {allowed}.")


def _mapping(where: str, value: dict[str, object], spec: Spec) -> dict[str, object]:
    """A mapping's values as its keys want them; a key that is null is not stated."""
    if each := spec.get("each"):
        return {str(key): typed(f"{where}.{key}", inner, each) for key, inner in value.items()}
    options = spec.get("options")
    if options is None:
        return value
    for key in value:
        if key not in options:
            raise FabricError.of(
                f"{where}.{key}: the key is not known{nearest(str(key), options)}: use {', '.join(options)}."
            )
    stated = {key: inner for key, inner in value.items() if inner is not None}
    for key, row in options.items():
        if row.get("required") and key not in stated:
            raise FabricError.of(f"{where}.{key}: the key is missing: add it.")
    return {key: typed(f"{where}.{key}", inner, options[key]) for key, inner in stated.items()}


@functools.cache
def _files(role: str) -> tuple[dict[str, object], dict[str, Spec]]:
    """(defaults, options) of a role, parsed once in a process."""
    folder = _ROLES / role
    defaults = _load(folder / "defaults" / "main.yml") or {}
    specs = _load(folder / "meta" / "argument_specs.yml")["argument_specs"]["main"]
    return {name: _trusted(value) for name, value in defaults.items()}, specs.get("options") or {}


def _load(path: Path) -> t.Any:
    return yaml.load(
        path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    )


def _trusted(value: object) -> object:
    """A default of the collection's own, whose templates may be rendered."""
    if isinstance(value, str):
        return trust_as_template(value)
    if isinstance(value, dict):
        return {key: _trusted(inner) for key, inner in value.items()}
    return [_trusted(inner) for inner in value] if isinstance(value, list) else value
