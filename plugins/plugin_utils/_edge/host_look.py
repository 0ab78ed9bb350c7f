# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One look at a host: what it is to be, what module ``host`` finds there, and what follows of it. Private."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import typing as t

from ansible.errors import AnsibleConnectionFailure
from ansible.utils.vars import load_extra_vars

from .._fabric.catalog import variables
from .._fabric.plan.fabric import Fabric
from .._fabric.render.host import addresses, host_files, steps
from .._fabric.render.host.desired import desired
from .._fabric.render.host.identity import OTHER
from .._fabric.tenants.registry import Registry
from .._jobs.host.form import in_form
from .._nicdata.zipapp import zipapp_digest, zipapp_version
from . import host_identity, role_variables
from .action import on_device
from .output import say

if t.TYPE_CHECKING:
    from ...module_utils._host.records import Look
    from .._fabric.plan.topology.cabling import Node
    from .._fabric.render.host.desired import DesiredNode, Settings, Target
    from .._fabric.render.host.doca import Site
    from .._fabric.render.host.host_state import SiteSettings
    from .._fabric.render.host.identity import Identity
    from .action import Action
    from .role_variables import VariableMap

Plain = dict[str, t.Any]
PARTS = ("packages", "held", "system", "identity", "nics", "network", "agent", "facts")
ROLES = (
    *("state", "agent", "interfaces", "doca", "mode", "firmware", "qos", "reset"),
    *("nvconfig", "congestion_control"),
)
"""All of them, so that a wrong value is refused before the host is out of work."""
SETTINGS = ("platform", "qos", "nvconfig", "versions", "table_base", "inter_packet_gap")
"""Variables of role dpu_state that are laid over the profile."""
RUN = ("spx_allow_reset", "spx_allow_reboot", "spx_allow_versions")
"""Variables of a run that count only with -e."""


@dataclasses.dataclass(frozen=True)
class HostLook:
    """Looks at one host, on which `action` runs modules; `stated` are the variables of the task."""

    action: Action
    stated: Plain
    plan: Fabric
    registry: Registry
    name: str

    @functools.cached_property
    def own(self) -> VariableMap:
        """The variables of the host, also where localhost delegates the task to it."""
        if self.stated.get("inventory_hostname") == self.name:
            return self.stated
        return t.cast("VariableMap", self.stated["hostvars"][self.name])

    def roles(self) -> dict[str, Plain]:
        """The typed variables of the roles of hosts."""
        template = self.action._templar.template
        return {role: role_variables.values(f"dpu_{role}", self.own, template) for role in ROLES}

    def look(
        self,
        *,
        known: bool = False,
        preflight: bool = False,
        probe: t.Callable[[Plain], Plain] | None = None,
    ) -> Plain:
        """Look at the host, and plan; `known` and `preflight` are options of action host.

        `probe` says by the desired state what the host tries in the same execution.
        """
        stated, roles = self.own, self.roles()
        wanted = self._wanted(roles["state"])
        away = _away(wanted)
        if away:
            say(away)
            return {"skipped": True, "msg": away, "wanted": wanted}
        asked = _asked(wanted, roles)
        optional = asked["idle"] != asked["files"][0]["content"]
        # The default of the role is what the host does now.
        if self._stated("dpu_agent_algorithm") is False:
            asked["files"][0]["content"] = asked["idle"]
        elif "dpu_agent_algorithm" in stated:
            asked["idle"] = asked["files"][0]["content"]
        found = self._found(wanted, asked, known=known, probe=probe({**wanted}) if probe else None)
        if found.get("failed") or found.get("unreachable"):
            return found
        if not probe:
            self._prove(t.cast("VariableMap", found.get("identity") or {}), unknown=preflight)
        given = self._given(roles, optional=optional, preflight=preflight)
        check = bool(stated.get("ansible_check_mode"))
        read = t.cast("Look", found)
        with in_form(self.name, "host"):
            given["foreign"] = self._foreign(read, wanted)
            plan = steps.plan(wanted, read, given, check=check)
            of_roles = steps.of_roles(wanted, read, given)
        doca = roles["doca"]
        result = {**found, "changed": False, "wanted": wanted, "plan": plan, **of_roles}
        result["asked"] = {"doca": doca["version"], "packages": doca["packages"]}
        if preflight and plan["refusals"]:
            return {**result, "failed": True, "msg": " ".join(plan["refusals"])}
        if preflight and plan["waits_for"] and (check or plan["group"] != "rolling"):
            say(
                f"{wanted['name']}: interfaces, QoS and congestion control wait for {plan['waits_for']}, for which "
                "the host has to be drained."
            )
        return result

    def _foreign(self, found: Look, planned: DesiredNode) -> list[str]:
        """Return sentences on files of others that give rails addresses after a reload."""
        rows = [row for row in found["network"].get("addresses") or () if row["file"]]
        return addresses.sentences(self.plan, self.registry, rows, manage=planned["manage"])

    def _prove(self, traces: VariableMap, *, unknown: bool) -> None:
        """FabricError where the host is another node; with `unknown` also where nothing proves that it is this one."""
        node = t.cast("Node", self.plan.known(self.name))
        prove = (
            functools.partial(host_identity.proven, self.action) if unknown else host_identity.judge
        )
        whose = prove(self.plan, node, traces, self.stated)
        if unknown or whose.state == OTHER:
            host_identity.refuse(whose)

    def run(self, options: Plain) -> Plain:
        """Run the module with these options and return its answer."""
        return on_device(self.action, "host", options, self.stated)

    def _found(
        self, wanted: Target, asked: VariableMap, *, known: bool, probe: VariableMap | None
    ) -> dict[str, object]:
        """Return the module's look, an earlier one of this run where that is enough and the options were the same."""
        parts = {key: value for key, value in asked.items() if key not in ("files", "idle")}
        digest = hashlib.sha256(json.dumps([wanted, parts], sort_keys=True).encode()).hexdigest()
        before = t.cast("VariableMap", self.own.get("dpu_state_look") or {})
        if known and before.get("digest") == digest:
            return {key: before[key] for key in (*PARTS, "digest")}
        tries = {} if probe is None else {"probe": probe}
        return {**self.run({"wanted": wanted, "asked": asked, **tries}), "digest": digest}

    def _wanted(self, state: Plain) -> Target:
        settings = t.cast("Settings", {name: state[name] for name in SETTINGS})
        settings["inter_packet_gap"] = state["inter_packet_gap"] or None
        made = desired(self.plan, self.name, registry=self.registry, settings=settings)
        return {**made, "agent": zipapp_version(), "agent_sha256": zipapp_digest()}

    def _given(self, roles: dict[str, Plain], *, optional: bool, preflight: bool) -> SiteSettings:
        """FabricError with preflight where leave is not given with -e."""
        template, stated = self.action._templar.template, self.own
        own = {name: template(stated[name]) for name in RUN if name in stated}
        extra = load_extra_vars(self.action._loader) if preflight else None
        leave = variables.check(own, extra=extra)
        return {
            "doca": t.cast("Site", roles["doca"]),
            "files": roles["firmware"]["files"],
            "bfb": roles["mode"]["bfb"],
            "force": roles["mode"]["force"],
            "tolerate": roles["qos"]["tolerate_conflicts"],
            "lldp": roles["interfaces"]["lldp"],
            "power_cycle": roles["reset"]["power_cycle"].partition(" ")[0],
            "algorithm": self._stated("dpu_congestion_control_algorithm"),
            "allow_reset": leave.get("spx_allow_reset") is True,
            "allow_reboot": leave.get("spx_allow_reboot") is True,
            "allow_versions": leave.get("spx_allow_versions") is True,
            "optional": optional,
            "foreign": [],
        }

    def _stated(self, name: str) -> bool | None:
        """A truth that somebody set, None where the role decides."""
        if name not in self.own:
            return None
        said = self.action._templar.template(self.own[name])
        return str(said).lower() in ("true", "yes", "1")


@dataclasses.dataclass(frozen=True)
class ReachedHost:
    """The looker as jobs use it: a host that cannot be reached is an answer."""

    looker: HostLook

    @property
    def sysfs(self) -> str:
        """The place of sysfs on the host."""
        return str(self.looker.roles()["state"]["sysfs"])

    def run(self, options: Plain) -> Plain:
        """Return the answer of module host to options."""
        return _reached(lambda: self.looker.run(options))

    def look(self, *, probe: t.Callable[[Plain], Plain] | None = None) -> Plain:
        """Look at the host."""
        return _reached(lambda: self.looker.look(probe=probe))

    def identity(self, traces: VariableMap) -> Identity:
        """Return whose host it is by its traces."""
        node = t.cast("Node", self.looker.plan.known(self.looker.name))
        return host_identity.judge(self.looker.plan, node, traces, self.looker.stated)


def _reached(work: t.Callable[[], dict[str, object]]) -> dict[str, object]:
    try:
        return work()
    except AnsibleConnectionFailure as exc:
        return {"unreachable": True, "msg": str(exc)}


def _away(wanted: Target) -> str:
    """Reason that the host is not contacted, "" where it is."""
    if wanted["resting"]:
        return f"{wanted['name']} is out of service ({wanted['resting']}): it is not touched."
    if wanted["access"] != "managed":
        return f"{wanted['name']} is rented to {wanted['tenant']}: it is not touched."
    return ""


def _asked(wanted: Target, roles: dict[str, Plain]) -> Plain:
    """Return the module's options beside the desired state: files with and without congestion control among them."""
    rails, state, agent = roles["interfaces"], roles["state"], roles["agent"]
    starts, idle = (
        host_files.files(
            wanted, t.cast("host_files.Choices", {**agent, **state, "algorithm": value})
        )
        for value in (True, False)
    )
    return {
        "files": starts,
        "idle": idle[0]["content"],
        "units": host_files.units(agent["interval"]),
        "power_cycle": roles["reset"]["power_cycle"],
        **{name: state[name] for name in ("agent_path", "sysfs")},
        **{name: rails[name] for name in ("backend", "arp", "lldp", "facts", "nccl", "take_over")},
    }
