# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Origin of the machine that a wipe hook confirms: the answer of a task that asks somebody beside the node.

    - ansible.builtin.command: {argv: [/usr/local/sbin/installed, "{{ hook_node }}"]}
      register: wiped
    - spectrum_x.fabric.tenant: {do: confirm, what: wiped, by: provisioner, machine: "{{ wiped.stdout }}"}

A value is followed through variables that tasks of the hook set, to results that they register. What comes from
elsewhere is refused: a file of variables, facts, a lookup, or a task that runs on the node. Nobody can see here what a
command asks.
"""

from __future__ import annotations

import typing as t

import jinja2

from ..._fabric.tenants.hooks import VARIABLES
from ..hooks import hook_tasks, settings, unseen

if t.TYPE_CHECKING:
    from pathlib import Path

    from ..hooks import HookTask

PROOF = {"do": "identify", "outside": True}
"""Options of our action host in a hook, by which it proves its host from outside before it wipes it."""
COMPARED = ("hook_serial", "hook_macs")
"""Variables by which a hook compares: given back they prove nothing."""
FACT = "_fact"
"""End of the module that sets variables."""
GIVE_BACK = ("debug", "facts", FACT, "include_vars", "setup", "slurp")
"""Ends of modules whose result is what a hook or the controller has already."""


def doubt(hook: Path, nodes: t.Collection[str]) -> str | None:
    """Return why the machine of a hook proves nothing, empty where it may; None where leaves prove the host instead."""
    tasks = hook_tasks(hook)
    options = [one for task in tasks for one in _options(task)]
    if not options:
        return (
            "the hook includes what is not read here, so confirm in its own file"
            if unseen(hook)
            else ""
        )
    if any("" in one for one in options):
        return "write the options of the task as a mapping"
    texts = [one["machine"] for one in options if one.get("machine")]
    if not texts:
        return None if any(_proves(task) for task in tasks) else "it is not stated"
    return next(filter(None, (_origin(text, tasks, nodes) for text in texts)), "")


def _options(own: HookTask) -> t.Iterator[dict[str, object]]:
    """Yield the options that a task gives to action tenant; of text that is no mapping the key is empty."""
    args = own.body.get("args")
    for key, value in own.calls():
        if _short(key) == "tenant":
            more = value if isinstance(value, dict) else {"": value} if value else {}
            yield {**(args if isinstance(args, dict) else {}), **more}
    for _key, value in settings(own.body.get("module_defaults")):
        if isinstance(value, dict) and "machine" in value:
            yield value


def _proves(own: HookTask) -> bool:
    return any(
        isinstance(value, dict) and PROOF.items() <= value.items() for _key, value in own.calls()
    )


def _origin(text: object, tasks: t.Sequence[HookTask], nodes: t.Collection[str]) -> str:
    """Return why a value is no answer of somebody beside the node, empty where it may be one."""
    due, answered = _names(text), False
    for name in due:
        for task in (one for one in tasks if one.body.get("register") == name):
            if why := _gives_back(task, nodes):
                return f"'{name}' is registered by a task {why}"
            answered = True
        found = [value for task in tasks for value in _variables(task, name)]
        due += [other for value in found for other in _names(value) if other not in due]
        known = found or any(one.body.get("register") == name for one in tasks)
        if not known and (name not in VARIABLES or name in COMPARED):
            return f"'{name}' is not what a task of the hook registers"
    return "" if answered else "it is known before anybody is asked"


def _variables(own: HookTask, name: str) -> t.Iterator[object]:
    """Yield the values that a task gives to a variable."""
    for key, value in own.calls():
        if (
            (_short(key) == "vars" or key.endswith(FACT))
            and isinstance(value, dict)
            and name in value
        ):
            yield value[name]


def _gives_back(own: HookTask, nodes: t.Collection[str]) -> str:
    """Return why the result of a task says nothing of the machine."""
    for host in sorted(own.hosts):
        if host in nodes or set(_names(host)).difference(["hook_bmc"]):
            return f"on {host}: run it on the controller, at hook_bmc, or on a host that you name"
    for key, _value in own.calls():
        if key.endswith(GIVE_BACK) or key.startswith("spectrum_x.fabric."):
            return f"of {key}, which asks neither"
    return ""


def _names(value: object) -> list[str]:
    """Return the variables that a value uses; the text itself where it is no template that can be read."""
    if isinstance(value, (list, dict)):
        inner = value.values() if isinstance(value, dict) else value
        return [name for one in inner for name in _names(one)]
    try:
        tree = jinja2.Environment(autoescape=True).parse(str(value))
    except jinja2.TemplateSyntaxError:
        return [str(value)]
    return sorted({name.name for name in tree.find_all(jinja2.nodes.Name)})


def _short(key: str) -> str:
    return key.rpartition(".")[2]
