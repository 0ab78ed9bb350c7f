# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that all actions share: options as their modules document them, and errors as sentences. Private."""

from __future__ import annotations

import ast
import functools
import typing as t
from pathlib import Path

import yaml
from ansible.errors import AnsibleConnectionFailure
from ansible.plugins.action import ActionBase

from ...module_utils import _text
from .._fabric.export.output import Output
from .._jobs.host.form import in_form
from . import deadline
from .refusals import answered
from .role_variables import Spec, VariableMap, typed

Plain = dict[str, t.Any]

_PLUGINS = Path(__file__).resolve().parents[2]
_COLLECTION = "spectrum_x.fabric."
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MOST_FILES = 100
_SPOKEN = ("type", "elements", "default", "choices", "required")
_SECRET = ("password", "token")
"""Options that no log may show, which documentation cannot say."""


def documented(module: str) -> dict[str, Spec]:
    """The argument spec of an action: what the module of its name documents, with doc fragments."""
    stated = _constant(_PLUGINS / "modules" / f"{module}.py", "DOCUMENTATION")
    options = stated.get("options") or {}
    fragments = stated.get("extends_documentation_fragment") or ()
    for fragment in [fragments] if isinstance(fragments, str) else fragments:
        name, _dot, part = fragment.removeprefix(_COLLECTION).partition(".")
        shared = _constant(
            _PLUGINS / "doc_fragments" / f"{name}.py", part.upper() or "DOCUMENTATION"
        )
        # What a module says of an option of a fragment is laid over it, as ansible-doc shows it.
        for option, row in (shared.get("options") or {}).items():
            options[option] = {**row, **options.get(option, {})}
    return _spec(options)


def _spec(options: t.Mapping[str, t.Mapping[str, t.Any]]) -> dict[str, Spec]:
    made: dict[str, Spec] = {}
    for name, stated in options.items():
        made[name] = t.cast("Spec", {key: stated[key] for key in _SPOKEN if key in stated})
        if "suboptions" in stated:
            made[name]["options"] = _spec(stated["suboptions"])
        if name in _SECRET:
            made[name]["no_log"] = True
    return made


def _constant(path: Path, name: str) -> Plain:
    """The YAML of a constant of a Python file, which is not run."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return t.cast(Plain, yaml.load(ast.literal_eval(node.value), _LOADER))
    raise LookupError(f"{path} has no {name}")


class Action(ActionBase):  # type: ignore[misc] # Ansible has no types
    """Runs on the controller, in check mode too; its options are those of the module of its name."""

    TRANSFERS_FILES = False
    _requires_connection = False
    _supports_check_mode = True
    _supports_diff = True

    SPEC: t.ClassVar[dict[str, Spec]]
    RULES: t.ClassVar[Plain] = {}
    """Relations between options, which documentation cannot say, as ``mutually_exclusive``."""
    VARIABLES: t.ClassVar[t.Mapping[str, str]] = {}
    """Options that are a variable of the user as a whole, by the name that errors say."""

    def __init_subclass__(cls, *, filled: t.Collection[str] = (), **kwargs: object) -> None:
        """Read the options when the plugin is loaded, before workers are forked.

        `filled` are options of the module that the action fills in, and no task may set.
        """
        super().__init_subclass__(**kwargs)
        spec = documented(cls.__module__.rpartition(".")[2])
        cls.SPEC = {name: row for name, row in spec.items() if name not in filled}

    @answered
    def run(self, tmp: str | None = None, task_vars: Plain | None = None) -> Plain:
        """Run the task and return its result."""
        result: Plain = super().run(tmp, task_vars)
        for option, variable in self.VARIABLES.items():
            typed(f"variable {variable}", self._task.args.get(option), self.SPEC[option])
        _validation, args = self.validate_argument_spec(self.SPEC, **self.RULES)
        result = {**result, **self.work(args, task_vars or {})}
        return named(result, self._task.delegate_to) if result.get("warnings") else result

    def _execute_module(
        self, module_name: str, module_args: VariableMap, *, task_vars: VariableMap, **more: object
    ) -> dict[str, object]:
        """Run a module of the collection on the host; one that hangs there is unreachable."""
        what, seconds = deadline.of_module(module_name, module_args)
        try:
            with deadline.within(seconds, str(task_vars.get("inventory_hostname")), what):
                found: dict[str, object] = super()._execute_module(
                    module_name, module_args, task_vars=task_vars, **more
                )
                return found
        except AnsibleConnectionFailure:
            # Nothing is tidied up on a host that does not answer.
            self._connection._shell.tmpdir = None
            raise

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Do the work and return additions to the result; `args` are typed, `stated` are the variables of the host."""
        raise NotImplementedError


_ANSWERED = frozenset(
    {"changed", "failed", "msg", "unreachable", "skipped", "diff", "rc", "warnings", "exception"}
    | {"module_stderr", "module_stdout", "timedout", "failed_modules", "deprecations"}
)
"""Keys of a result that Ansible itself reads or makes."""
_TOLD = ("msg", "warnings", "exception", "module_stderr", "module_stdout")
"""Results that a callback shows."""


def on_device(action: ActionBase, module: str, options: VariableMap, stated: VariableMap) -> Plain:
    """Run a module on the device of the task; its answer with the keys that the module documents, and no facts."""
    with in_form(str(stated.get("inventory_hostname")), module):
        answer: Plain = action._execute_module(
            module_name=_COLLECTION + module, module_args=options, task_vars=stated
        )
    keys = _ANSWERED | _returned(module)
    return {
        key: _told(value) if key in _TOLD else value for key, value in answer.items() if key in keys
    }


def named(result: Plain, device: str | None) -> Plain:
    """Name the device to which a task is delegated before its warnings, which Ansible has for those of localhost."""
    if not device or device == "localhost":
        return result
    texts = [_text.line(text) for text in result["warnings"]]
    warnings = [text if text.startswith(f"{device}: ") else f"{device}: {text}" for text in texts]
    unchanged = {device: {"state": "unchanged"}}
    return {**result, "warnings": warnings, "devices": unchanged | result.get("devices", {})}


def _told(value: object) -> object:
    """Text of a device, which begins no line of the output."""
    return [*map(_text.line, value)] if isinstance(value, (list, tuple)) else _text.line(value)


@functools.cache
def _returned(module: str) -> frozenset[str]:
    return frozenset(_constant(_PLUGINS / "modules" / f"{module}.py", "RETURN"))


def written(output: Output, *, diff: bool) -> dict[str, object]:
    """Return a task's result for the files that it wrote, with ``diff`` their names as a difference."""
    names = output.changed[:_MOST_FILES]
    shown = {"diff": {"prepared": "".join(f"{name}\n" for name in names)}} if diff else {}
    counts = {"files": output.files, "changed": bool(output.changed), "changed_files": names}
    return {**counts, **shown}
