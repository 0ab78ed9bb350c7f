# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of a switch, as the jobs of switches take them: settings of roles, conditions, connections. Private."""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from ansible import context
from ansible.utils.vars import load_extra_vars

from .._fabric.catalog import variables
from .._fabric.description.errors import FabricError
from .._jobs.switch import backup, wish
from .._jobs.switch.change import APPLY, Apply, Conditions, bounded
from .._jobs.switch.leaves import Leaves, NvueLeaf
from .._nvue.errors import NvueError
from . import provenance, role_variables
from .connection import open_api
from .output import say
from .role_variables import Template, VariableMap

if t.TYPE_CHECKING:
    from ansible.plugins.action import ActionBase

    from .._fabric.plan.fabric import Fabric
    from .._fabric.render.switch.context import Options


PASSWORDS = "spx_external_passwords"
ALLOWED = ("spx_allow_disruptive", f"{APPLY}_allow_disruptive")
RUN = ("spx_allow_disruptive", "spx_approved", "spx_factory", "spx_report", "spx_rotate")
"""Variables of a run that the defaults of `switch_apply` are made of."""
BACKUP = ("spx_backup", "spx_backup_after", "spx_backup_git")
SECRETS = "spx_backup_secrets"

role_variables.keep([APPLY, *wish.ROLES])


def wanted(
    fabric: Fabric,
    device: str,
    stated: VariableMap,
    template: Template,
    *,
    roles: t.Iterable[str] = (),
    registry: str | None = None,
) -> wish.SwitchWish:
    """Return the wish of roles for a switch; without `roles`, of those that the description lets write.

    FabricError for a wrong name, variable or registry.
    """
    due = wish.due_roles(fabric, roles)
    settings = {role: role_variables.values(role, stated, template) for role in dict.fromkeys(due)}
    secret = passwords(stated, template)
    return wish.of_roles(fabric, device, settings, secret=secret, registry=registry)


def passwords(stated: VariableMap, template: Template) -> Options:
    """Return the passwords of sessions to the outside, by tenant and peer: `acme/isp-a`."""
    return {"external_passwords": role_variables.secrets(PASSWORDS, stated, template)}


def conditions(
    stated: VariableMap,
    template: Template,
    *,
    extra: VariableMap,
    origin: VariableMap,
    also: t.Iterable[str] = (),
    **how: bool,
) -> Conditions:
    """Return the conditions of a host; FabricError for a variable that is wrong, or that counts only with -e (`extra`).

    `origin` are the variables that say where the run comes from, `also` are further classes that are allowed, `how` the
    booleans of `Conditions`.
    """
    own = {
        name: role_variables.rendered(name, stated[name], template)
        for name in (*RUN, *BACKUP)
        if name in stated
    }
    checked = variables.check(own, extra=extra)
    typed = {**stated, **checked}
    given = bounded(t.cast(Apply, role_variables.values(APPLY, typed, template)))
    if "renumber" in given["allow_disruptive"] and not {*ALLOWED}.intersection(extra):
        raise FabricError.of(
            f"variable {APPLY}_allow_disruptive: renumber counts only when given with -e, as it disconnects "
            "users of the old values: remove it from the inventory or playbook that sets it."
        )
    given["allow_disruptive"] = [*given["allow_disruptive"], *also]
    message = functools.cache(functools.partial(provenance.message, given["message"], origin))
    return Conditions(given, message, say, after=_after(checked), **how)


def _after(checked: VariableMap) -> t.Callable[..., dict[str, object]] | None:
    """The backup of a switch after its change, where the run asks for it."""
    if not checked.get("spx_backup_after"):
        return None
    if not checked.get("spx_backup"):
        raise FabricError.of(
            "variable spx_backup_after: it needs the folder of the backups: add -e spx_backup=..."
        )
    return functools.partial(
        backup.after, folder=str(checked["spx_backup"]), git=bool(checked.get("spx_backup_git"))
    )


def from_backup(
    wanted: wish.SwitchWish, folder: str, stated: VariableMap, template: Template
) -> tuple[wish.SwitchWish, list[str]]:
    """Return the wish of a new switch with what it takes from a backup, and the places that tenants had."""
    made = backup.load(folder, str(wanted.ctx.slice["name"]))
    secrets = role_variables.secrets(SECRETS, stated, template)
    beside, left = backup.beside(made, wanted, secrets)
    return dataclasses.replace(wanted, beside=beside), left


def forks() -> int:
    """Return as many as Ansible has forks, at least one."""
    return max(1, int(context.CLIARGS.get("forks") or 1))


def leaves(plan: Fabric, task: ActionBase, stated: VariableMap) -> Leaves:
    """Return the leaves of a task; each is connected by its own variables when it is first asked."""
    extra = load_extra_vars(task._loader)

    def connect(name: str) -> NvueLeaf:
        if name not in (hosts := t.cast("t.Any", stated.get("hostvars") or {})):
            raise FabricError.of(
                f"inventory: {name} is not in it: pass -i with the hosts.fabric.yml of the whole fabric."
            )
        own = hosts.raw_get(name)
        template = task._templar.copy_with_new_env(available_variables=own).template
        how = conditions(
            *(own, template),
            extra=extra,
            origin=stated,
            check=task._task.check_mode,
            diff=task._task.diff,
        )
        how.message()  # here, not in the thread of the leaf
        try:
            api = open_api({}, own, template)
        except NvueError as exc:
            raise FabricError.of(f"{name}: {exc}") from exc
        return NvueLeaf(name, plan, api, how, own.get("spx") or {}, passwords(own, template))

    return Leaves(connect, forks=forks())
