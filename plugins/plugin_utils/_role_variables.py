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
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator
from ansible.template import trust_as_template

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)

_ROLES = Path(__file__).resolve().parents[2] / "roles"


def values(
    role: str, variables: t.Mapping[str, t.Any], template: t.Callable[[t.Any], t.Any]
) -> dict[str, t.Any]:
    """The typed values of a role's variables; FabricError with a sentence for each wrong one.

    `variables` are those of the host; what they lack has the role's default.
    """
    defaults, options = _files(role)
    given = {
        name: template(variables[name] if name in variables else defaults.get(name))
        for name in options
    }
    stated = {name: value for name, value in given.items() if value is not None}
    checked = ArgumentSpecValidator(options).validate(stated)
    if checked.error_messages:
        raise FabricError([f"role {role}: {said}" for said in checked.error_messages])
    return {
        name.removeprefix(f"{role}_"): _plain(checked.validated_parameters.get(name))
        for name in options
    }


def _plain(value: t.Any) -> t.Any:
    """A value without Ansible's lazy containers, which the core would read past."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list) else value


@functools.cache
def _files(role: str) -> tuple[dict[str, t.Any], dict[str, t.Any]]:
    """(defaults, options) of a role, parsed once in a process."""
    folder = _ROLES / role
    defaults = _load(folder / "defaults" / "main.yml") or {}
    specs = _load(folder / "meta" / "argument_specs.yml")["argument_specs"]["main"]
    return _trusted(defaults), specs.get("options") or {}


def _load(path: Path) -> t.Any:
    return yaml.load(
        path.read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    )


def _trusted(value: t.Any) -> t.Any:
    """A default of the collection's own, whose templates may be rendered."""
    if isinstance(value, str):
        return trust_as_template(value)
    if isinstance(value, dict):
        return {key: _trusted(inner) for key, inner in value.items()}
    return [_trusted(inner) for inner in value] if isinstance(value, list) else value
