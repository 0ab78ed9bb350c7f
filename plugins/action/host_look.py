# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.host_look``; documented in the module of that name."""

from __future__ import annotations

import typing as t

from ansible.plugins.action import ActionBase
from ansible.utils.vars import load_extra_vars

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils import _role_variables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import variables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host import kept, steps
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host.desired import desired
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import (
    zipapp_digest,
    zipapp_version,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._project import fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._switch_outcome import say
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._wrappers import sentences

Plain = dict[str, t.Any]
MODULE = "spectrum_x.fabric.host_look"
SPEC: dict[str, Plain] = {
    "preflight": {"type": "bool", "default": False},
    "description": {"type": "path"},
    "tenants": {"type": "path"},
}
ROLES = ("state", "agent", "interfaces", "doca", "mode", "firmware", "qos", "reset")
RUN = ("spx_allow_reset", "spx_allow_reboot", "spx_allow_versions")
"""Variables of a run that count only with -e."""
ALGORITHM = "dpu_congestion_control_algorithm"


class ActionModule(ActionBase):
    """Asks the plan, has the module look, and plans the steps."""

    TRANSFERS_FILES = False
    _supports_check_mode = True

    @sentences()
    def run(self, tmp: str | None = None, task_vars: Plain | None = None) -> Plain:
        """Run the task and return its result."""
        result: Plain = super().run(tmp, task_vars)
        _found, args = self.validate_argument_spec(SPEC)
        stated = task_vars or {}
        roles = {
            role: _role_variables.values(f"dpu_{role}", stated, self._templar.template)
            for role in ROLES
        }
        wanted = self._wanted(args, stated, roles["state"])
        away = _away(wanted)
        if away:
            say(away)
            return {**result, "skipped": True, "msg": away, "wanted": wanted}
        # The default of the role asks this look.
        roles["agent"]["algorithm"] = self._stated(stated, "dpu_agent_algorithm")
        asked = _asked(wanted, roles)
        found: Plain = self._execute_module(
            MODULE, {"wanted": wanted, "asked": asked}, task_vars=stated
        )
        if found.get("failed") or found.get("unreachable"):
            return {**result, **found}
        found.pop("invocation", None)
        optional = asked["idle"] != asked["files"][0]["content"]
        given = {**self._leave(args, stated), **self._given(stated, roles), "optional": optional}
        plan = steps.plan(
            wanted,
            found,
            t.cast("steps.Given", given),
            check=bool(stated.get("ansible_check_mode")),
        )
        result |= {**found, "changed": False, "wanted": wanted, "plan": plan}
        doca = roles["doca"]
        result["asked"] = {"doca": doca["version"], "packages": doca["packages"]}
        if args["preflight"] and plan["refusals"]:
            return {**result, "failed": True, "msg": " ".join(plan["refusals"])}
        if args["preflight"] and plan["announcement"]:
            say(plan["announcement"])
        return result

    def _wanted(self, args: Plain, stated: Plain, state: Plain) -> Plain:
        plan = fabric(args["description"], stated)
        settings = {
            key: state[key]
            for key in ("platform", "qos", "inter_packet_gap", "versions", "table_base")
        }
        settings["inter_packet_gap"] = settings["inter_packet_gap"] or None
        name = str(stated.get("inventory_hostname"))
        registry = Registry.load(plan, args["tenants"])
        made = desired(plan, name, registry=registry, settings=settings)
        return {**made, "agent": zipapp_version(), "agent_sha256": zipapp_digest()}

    def _leave(self, args: Plain, stated: Plain) -> Plain:
        """What this run may do; FabricError with preflight where it is not given with -e."""
        own = {name: self._templar.template(stated[name]) for name in RUN if name in stated}
        extra = load_extra_vars(self._loader) if args["preflight"] else None
        found = variables.check(own, extra=extra)
        return {name.removeprefix("spx_"): found.get(name, False) for name in RUN}

    def _given(self, stated: Plain, roles: dict[str, Plain]) -> Plain:
        return {
            "doca": roles["doca"],
            "files": roles["firmware"]["files"],
            "bfb": roles["mode"]["bfb"],
            "force": roles["mode"]["force"],
            "tolerate": roles["qos"]["tolerate_conflicts"],
            "lldp": roles["interfaces"]["lldp"],
            "power_cycle": roles["reset"]["power_cycle"].partition(" ")[0],
            "algorithm": self._stated(stated, ALGORITHM),
        }

    def _stated(self, stated: Plain, name: str) -> bool | None:
        """A truth that somebody set, None where the role decides."""
        if name not in stated:
            return None
        return str(self._templar.template(stated[name])).lower() in ("true", "yes", "1")


def _away(wanted: Plain) -> str:
    """Why the host is not contacted, "" where it is."""
    if wanted["resting"]:
        return f"{wanted['name']} is out of service ({wanted['resting']}): it is not touched."
    if wanted["access"] != "managed":
        return f"{wanted['name']} is rented to {wanted['tenant']}: it is not touched."
    return ""


def _asked(wanted: Plain, roles: dict[str, Plain]) -> Plain:
    """What the module needs beside the desired state: files with and without congestion control among it."""
    rails, state, agent = roles["interfaces"], roles["state"], dict(roles["agent"])
    algorithm = agent.pop("algorithm")
    choices = {**agent, "agent_path": state["agent_path"], "sysfs": state["sysfs"]}
    starts, idle = (
        kept.files(wanted, t.cast("kept.Choices", {**choices, "algorithm": value}))
        for value in ((True, False) if algorithm is None else (algorithm, algorithm))
    )
    return {
        "files": starts,
        "idle": idle[0]["content"],
        "units": kept.units(agent["interval"]),
        "agent_path": state["agent_path"],
        "sysfs": state["sysfs"],
        "backend": rails["backend"],
        "arp": rails["arp"],
        "lldp": rails["lldp"],
        "facts": rails["facts"],
        "nccl": rails["nccl"],
        "power_cycle": roles["reset"]["power_cycle"],
    }
