# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import pathlib
import re
import typing as t

from ansible import constants, context
from ansible.utils.vars import load_extra_vars

from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.connection import open_api, refuse_network_connection
from ..plugin_utils._edge.output import show
from ..plugin_utils._edge.preload import MODULES
from ..plugin_utils._edge.project import DESCRIPTION, INVENTORIED, description_path
from ..plugin_utils._edge.provenance import git_revision, playbook
from ..plugin_utils._edge.role_variables import rendered
from ..plugin_utils._edge.run_store import store
from ..plugin_utils._fabric.audit import selection
from ..plugin_utils._fabric.catalog import variables
from ..plugin_utils._fabric.description.errors import FabricError, nearest
from ..plugin_utils._fabric.plan.fabric import Fabric
from ..plugin_utils._fabric.plan.groups import Groups
from ..plugin_utils._fabric.plan.places import identity
from ..plugin_utils._fabric.plan.topology.cabling import Switch
from ..plugin_utils._fabric.render.host import interfaces
from ..plugin_utils._fabric.report.report import facts
from ..plugin_utils._fabric.tenants.moves import jobs
from ..plugin_utils._fabric.tenants.registry import Registry
from ..plugin_utils._jobs.hooks import hook_folders
from ..plugin_utils._nvue.errors import NvueError

if t.TYPE_CHECKING:
    from ..plugin_utils._edge.role_variables import VariableMap

_SWITCHES = ("spx_leaf", "spx_spine", "spx_super_spine", "spx_converged", "spx_oob")
_SAMPLE = 8
"""Hosts of each role whose identity is compared; the rest follow from the same description."""
_DEFAULT_INVENTORY = "/etc/ansible/hosts"
"""Ansible's own, which need not exist."""
_PLUGIN = "spectrum_x.fabric.fabric"
_ENDINGS = (".fabric.yml", ".fabric.yaml")
"""File name suffixes that the inventory plugin accepts."""
_HEAD = 65536
"""Bytes of a file of -i in which it says its plugin; an exported inventory may have a thousand times as many."""
_MOLECULE = frozenset({"notest", "molecule-notest", "molecule-idempotence-notest"})
"""Tags that Molecule skips by itself; no task of the collection has them."""


RESIDENT = MODULES
"""In memory from here on, for the workers."""


class ActionModule(Action):
    """Description, variables, inventory: in that order, before anything else runs."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Check, and return what is known of the fabric and of the variables."""
        _sources(context.CLIARGS.get("inventory") or ())
        _whole(stated, limit=args["limit"])
        variables.given(load_extra_vars(self._loader), playbook())
        if args["inventory"]:
            _in_step(str(constants.DEFAULT_STRATEGY))
        if not args["fabric"]:
            typed = self._typed(stated, args["require"])
            _one_host(stated["groups"]["all"], typed.get("spx_device"))
            store.begin(variables=typed)
            return {"variables": typed}
        path = description_path(args["description"], stated)
        fabric = Fabric.load(path)
        typed = self._typed(stated, args["require"])
        _one_switch(fabric, typed.get("spx_device"))
        _one_tenant(fabric, typed)
        if typed.get("spx_where"):
            selection.devices(fabric, typed["spx_where"], Registry.load(fabric))
        remarks = self._inventory(fabric, stated) if args["inventory"] else []
        if args["inventory"] and not fabric.description.manage:
            remarks.append(
                "manage is empty in the description: nothing is written, everything runs as a check."
            )
        self._can_meet(fabric, args["meets"], stated, typed.get("spx_device"))
        show(f"{fabric.description.name}: {remark}" for remark in remarks)
        known = {
            "path": path,
            "git": git_revision(path, stated),
            "hooks": hook_folders(path, typed.get("spx_hooks")),
        }
        found = {**known, **facts(fabric)}
        store.begin(variables=typed, fabric=found)
        return {"remarks": remarks, "variables": typed, "fabric": found}

    def _typed(self, stated: t.Mapping[str, t.Any], required: t.Iterable[str]) -> dict[str, t.Any]:
        template = self._templar.template
        own = {n: rendered(n, stated[n], template) for n in stated if n.startswith("spx_")}
        typed = variables.check(own, extra=load_extra_vars(self._loader))
        for name in required:
            if typed.get(name) in (None, []):
                raise FabricError.of(f"variable {name}: this playbook needs it: add -e {name}=...")
        return typed

    def _can_meet(
        self, fabric: Fabric, meets: list[str], stated: dict[str, t.Any], device: str | None
    ) -> None:
        """Refuse, once for all devices, what each of them would fail with."""
        limited = set(stated["ansible_play_hosts_all"]) if "ansible_limit" in stated else None
        groups = stated.get("groups", {})
        if "hosts" in meets and _first(groups, ["spx_node"], limited):
            interfaces.must_be_found(fabric)
        if device and limited is not None and device not in limited:
            raise FabricError.of(
                f"--limit {stated['ansible_limit']}: it leaves out {device} of spx_device: run without it."
            )
        met = {
            "switches": device or _first(groups, _SWITCHES, limited),
            "hosts": _first(groups, ["spx_node"], limited),
        }
        for kind, name in met.items() if meets else ():
            if name:
                api = kind == "switches" and kind in meets
                self._can_connect(name, stated["hostvars"].raw_get(name), api=api)

    def _can_connect(self, name: str, variables: VariableMap, *, api: bool) -> None:
        """Refuse a connection that no task could open, and an `api` without credentials."""
        template = self._templar.copy_with_new_env(available_variables=variables).template
        refuse_network_connection(name, variables, template)
        try:
            if api:
                open_api({}, variables, template)
        except NvueError as exc:
            raise FabricError.of(f"{name}: {exc}") from exc

    def _inventory(self, fabric: Fabric, stated: dict[str, t.Any]) -> list[str]:
        """Compare group sizes with the description; a sliced inventory is said, not refused."""
        found = stated.get("groups", {})
        expected = Groups(fabric).expected()
        sliced = "spx_sliced" in found
        wrong = [
            f"group {group} has {len(found.get(group, []))} hosts and the description {count}"
            for group, count in expected.items()
            if len(found.get(group, [])) != count
        ]
        if not wrong or sliced:
            self._same(fabric, found, stated.get("hostvars", {}))
        if not wrong:
            return []
        if sliced:
            return [f"the inventory holds a slice of the fabric ({'; '.join(wrong)})."]
        raise FabricError.of(
            f"inventory: {'; '.join(wrong)}: pass -i with the hosts.fabric.yml of {fabric.source.path} "
            "and correct the errors of its parsing."
        )

    def _same(
        self, fabric: Fabric, found: dict[str, list[str]], hostvars: t.Mapping[str, t.Any]
    ) -> None:
        """Refuse an inventory of another fabric, or of an earlier state of this one."""
        for group in Groups(fabric).expected():
            names = found.get(group, [])
            for name in names[:: max(1, len(names) // _SAMPLE)]:
                there = hostvars[name].get("spx") if name in hostvars else None
                if not there:
                    continue
                device = fabric.device(name)
                here = identity(fabric, device) if device else {"name": None}
                key = next((k for k, v in here.items() if k in there and there[k] != v), None)
                if key:
                    raise FabricError.of(
                        f"inventory: host {name} has {key} {there[key]} there and {here[key]} in "
                        f"{fabric.source.path}: pass -i with the hosts.fabric.yml of this description, or "
                        "export the inventory again."
                    )


def _first(
    groups: t.Mapping[str, list[str]], names: t.Iterable[str], limited: t.Collection[str] | None
) -> str:
    """The first host of some groups within the limit; empty without any."""
    hosts = (name for group in names for name in groups.get(group, ()))
    return next((name for name in hosts if limited is None or name in limited), "")


def _whole(stated: t.Mapping[str, t.Any], *, limit: bool) -> None:
    """Refuse a run that leaves out tasks, also of hooks, or hosts where a playbook needs all of them."""
    tags = list(stated.get("ansible_run_tags") or ["all"])
    words = {
        "--tags": "" if tags == ["all"] else ",".join(tags),
        "--skip-tags": ",".join(
            tag for tag in stated.get("ansible_skip_tags") or () if tag not in _MOLECULE
        ),
    }
    found = [f"{word} {value}" for word, value in words.items() if value]
    found += ["--step"] if context.CLIARGS.get("step") else []
    if found:
        raise FabricError.of(
            f"{' '.join(found)}: it skips tasks, which would count as done: run the playbook without it."
        )
    if not limit and (hosts := stated.get("ansible_limit")):
        raise FabricError.of(
            f"--limit {hosts}: this playbook needs all of its hosts: run it without a limit, and "
            "choose nodes with spx_nodes."
        )


def _sources(stated: t.Iterable[str]) -> None:
    """Refuse a path of -i that does not exist or is a description: Ansible warns, and goes on without a host."""
    for source in stated:
        if "," in source or source == _DEFAULT_INVENTORY:
            continue
        if not os.path.exists(source):
            raise FabricError.of(
                f"-i {source}: the file does not exist: pass the hosts.fabric.yml of your project."
            )
        if os.path.basename(source) == "fabric.yml":
            raise FabricError.of(f"-i {source}: {DESCRIPTION}")
        if _of_fabric(source) and not source.endswith(_ENDINGS):
            raise FabricError.of(
                f"-i {source}: the file name of a source of spectrum_x.fabric ends in .fabric.yml: rename it, such as "
                f"to {os.path.splitext(source)[0]}.fabric.yml."
            )
        if _of_fabric(source) and os.path.abspath(source) not in INVENTORIED:
            _enabled(source)
            raise FabricError.of(
                f"-i {source}: Ansible could not read it as an inventory source: correct the errors that "
                f"its warnings name."
            )


def _enabled(source: str) -> None:
    """Refuse settings of Ansible by which no source of the collection is read."""
    words, where = constants.config.get_config_value_and_origin("INVENTORY_ENABLED")
    if {"auto", "ansible.builtin.auto", _PLUGIN}.isdisjoint(words):
        raise FabricError.of(
            f"enable_plugins ({where}): {', '.join(words)} read no source such as {source}: add {_PLUGIN}, or auto."
        )


def _of_fabric(source: str) -> bool:
    """Check whether a file is meant for the inventory plugin, also where its YAML cannot be read."""
    if not (os.path.isfile(source) and source.endswith((".yml", ".yaml"))):
        return False
    with pathlib.Path(source).open("rb") as file:
        text = file.read(_HEAD)
    return (
        re.search(rb"^[^\S\n]*plugin[^\S\n]*:[^\S\n]*['\"]?spectrum_x\.", text, re.MULTILINE)
        is not None
    )


def _in_step(strategy: str) -> None:
    """Refuse a strategy by which hosts run ahead of one another: batches and gates would not be waited for."""
    if strategy.endswith(("free", "host_pinned")):
        raise FabricError.of(
            f"strategy: '{strategy}' lets a host run ahead of the others, and this playbook waits for all at each "
            "step: set strategy to linear in ansible.cfg, or ANSIBLE_STRATEGY to linear."
        )


def _one_tenant(fabric: Fabric, stated: t.Mapping[str, t.Any]) -> None:
    """Refuse a registry, a tenant or nodes that no playbook could work with, in plain sentences."""
    slug = stated.get("spx_tenant")
    if not slug and not stated.get("spx_nodes"):
        return
    registry = Registry.load(fabric)
    if slug and slug not in {row.slug for row in registry.file.retired}:
        registry.owner(slug)
    jobs.expand(fabric, stated.get("spx_nodes") or ())


def _one_host(hosts: t.Sequence[str], name: str | None) -> None:
    """Refuse what is no host of the inventory: a play on it would meet nobody, and end with 0."""
    if name and name not in hosts:
        raise FabricError.of(
            f"variable spx_device: '{name}' is no host of the inventory{nearest(name, hosts)}: use a name of it, or "
            "another -i."
        )


def _one_switch(fabric: Fabric, name: str | None) -> None:
    """Refuse what is no switch: a playbook about one device would meet nobody, or a whole group."""
    if name and not isinstance(fabric.known(name), Switch):
        raise FabricError.of(f"variable spx_device: '{name}' is a node: name a switch.")
