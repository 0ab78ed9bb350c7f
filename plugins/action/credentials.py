# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.credentials``; documented in the module of that name."""

from __future__ import annotations

import typing as t

from ansible.utils.vars import load_extra_vars

from ..plugin_utils._edge import switch as edge
from ..plugin_utils._edge.action import Action, Plain
from ..plugin_utils._edge.connection import accounts, open_api
from ..plugin_utils._edge.project import fabric
from ..plugin_utils._edge.run_store import store
from ..plugin_utils._fabric.description.errors import FabricError
from ..plugin_utils._jobs import hooks, kinds
from ..plugin_utils._jobs.switch import certificate, credentials
from ..plugin_utils._nvue.document import schema

if t.TYPE_CHECKING:
    from ..plugin_utils._fabric.plan.fabric import Fabric

HOOK = "credentials"

# Ansible loads an action before it forks the workers of its task.
schema.preload()


class ActionModule(Action):
    """One switch, or the jobs of a site."""

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Do what option `do` says."""
        plan, template = fabric(args["description"], stated), self._templar.template
        device = str(stated.get("inventory_hostname"))
        renews = args["do"] == "certificate"
        if renews and not args["command"]:
            return {"skipped": True, "msg": "spx_certificate_command names no command."}
        api = open_api(args, stated, template)
        named = None if renews else accounts(stated, template, api.auth)
        if not (renews or named):
            return _nothing(args)
        if named and args["do"] == "jobs":
            return self._jobs(plan, args, str(named.next.user))
        role = certificate.ROLE if renews else credentials.ROLE
        wanted = edge.wanted(plan, device, stated, template, roles=[role])
        if device in plan.resting:
            return {"skipped": True, "msg": f"{device} is listed in out_of_service."}
        if wanted.unlisted:
            said = f"manage of the description does not list {role}."
            return {"skipped": True, "only_planned": not self._task.check_mode, "msg": said}
        how = edge.conditions(
            *(stated, template),
            extra=load_extra_vars(self._loader),
            origin=stated,
            check=self._task.check_mode,
            diff=self._task.diff,
        )
        try:
            if not named:
                return certificate.renew(api, wanted, how, args["command"])
            rotation = credentials.Rotation(api, named, wanted, how)
            if args["do"] == "spare":
                return rotation.second(store.get(credentials.PROGRESS, of=device))
            result, progress = rotation.first()
            store.put(credentials.PROGRESS, progress, of=device)
            return result
        finally:
            api.port.close()

    def _jobs(self, plan: Fabric, args: Plain, user: str) -> Plain:
        """Find the hook that moves jobs, where a switch has still to change the account that they leave."""
        if credentials.ROLE not in plan.description.manage:
            return {"skipped": True, "msg": "no account was written."}
        names = [name for name in args["hosts"] if name not in plan.resting]
        due = [name for name in names if store.get(credentials.PROGRESS, of=name).due]
        if not due or args["moved"] or self._task.check_mode:
            said = f"{len(due)} switches have the old password of the spare account."
            return {"skipped": True, "msg": said}
        hook = hooks.site_hooks(kinds.hook_folders(store), [HOOK]).get(HOOK)
        if hook is None:
            raise FabricError.of(
                f"hook {HOOK}: there is none, so the jobs still use the account whose password is to change: write it, "
                f"or let all jobs use {user} and run again with -e spx_jobs_moved=true."
            )
        store.put(credentials.JOBS, credentials.JobsMove(user, hook))
        return {}


def _nothing(args: Plain) -> Plain:
    """Skip the accounts of a run that renews certificates; FabricError for one with nothing to do."""
    if args["command"]:
        return {"skipped": True, "msg": "no new password is stated."}
    raise FabricError.of(
        "spx_nvue_next_user: no account is named: set SPX_NVUE_NEXT_USER, SPX_NVUE_NEXT_PASSWORD and "
        "SPX_NVUE_SPARE_PASSWORD for new passwords, or spx_certificate_command for certificates."
    )
