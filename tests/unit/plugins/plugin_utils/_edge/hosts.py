# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host that answers as given, and the action that asks it."""

from __future__ import annotations

from types import SimpleNamespace

from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from playing import ended

from ansible_collections.spectrum_x.fabric.plugins.action import host
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import host_look
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.render.host.looks import (
    found,
)

H01, H02, H03 = "worker-su01-rack01-h01", "worker-su01-rack01-h02", "worker-su01-rack02-h03"
PORTS = [{"pci": "0000:18:00.0", "netdev": "x"}, {"pci": "0000:3b:00.0", "netdev": "x"}]
OWN = {"addresses": ["172.16.0.4"]}
"""The rail address of H03."""
AS_PLANNED = {
    **found(nics={"nics": [{"mode": "nic", "ports": PORTS}]}, identity=OWN),
    "held": [],
}
NO_TOOL = found(nics={"error": "no tool answers."}, identity=OWN)


class Host:
    """A host that answers as given; `asked` are the options of each execution of the module."""

    def __init__(self, model, monkeypatch):
        self.model, self.asked, self.extra, self.said = model, [], {}, []
        self.delegated = None
        self.answer = AS_PLANNED
        monkeypatch.setattr(host_look, "load_extra_vars", lambda _loader: self.extra)
        monkeypatch.setattr(host_look, "say", self.said.append)

    def do(self, word, name=H03, args=None, **variables):
        return self.look(name, {"do": word, **(args or {})}, **variables)

    def look(self, name=H03, args=None, **variables):
        stated = {"inventory_hostname": name, **variables}
        loader = DataLoader()
        task = SimpleNamespace(
            args={"description": str(self.model / "fabric.yml"), **(args or {})},
            action="host",
            async_val=0,
            check_mode=False,
            delegate_to=self.delegated,
        )
        connection = SimpleNamespace(_shell=SimpleNamespace(tmpdir="/nowhere"))
        templar = Templar(loader=loader, variables=stated)
        action = host.ActionModule(task, connection, None, loader, templar, None)
        action._execute_module = self._execute
        return ended(action.run, task_vars=stated)

    def _execute(self, module_name, module_args, task_vars):
        assert module_name == "spectrum_x.fabric.host"
        self.asked.append(module_args)
        if isinstance(self.answer, Exception):
            raise self.answer
        return {**self.answer, "invocation": {"module_args": module_args}}


def in_other_forms(answer):
    """The answer with each of its values in turn as one of another kind, and the place of that value."""
    for path in _places(answer):
        for other in ({"a": {}}, [[{}]], None, 7, "xxx"):
            yield path, _replaced(answer, path, other)


def _places(value, path=()):
    if path:
        yield path
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, (list, tuple))
        else ()
    )
    for key, below in inner:
        yield from _places(below, (*path, key))


def _replaced(value, path, other):
    if not path:
        return other
    made = dict(value) if isinstance(value, dict) else list(value)
    made[path[0]] = _replaced(value[path[0]], path[1:], other)
    return made
