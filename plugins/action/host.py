# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.host``; documented in the module of that name."""

from __future__ import annotations

import base64
import hashlib
import json
import typing as t

from ansible.utils.vars import load_extra_vars

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.look import runs
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import role_variables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.action import Action, Plain
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.project import fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.switch_outcome import say
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric import batches, variables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host import (
    gate,
    kept,
    steps,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.host.desired import desired
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenancy.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import (
    zipapp_bytes,
    zipapp_digest,
    zipapp_version,
)

MODULE, FILES = "spectrum_x.fabric.host", "spectrum_x.fabric.host_files"
PARTS = ("packages", "held", "system", "nics", "network", "agent", "facts")
ROLES = ("state", "agent", "interfaces", "doca", "mode", "firmware", "qos", "reset")
RUN = ("spx_allow_reset", "spx_allow_reboot", "spx_allow_versions")
"""Variables of a run that count only with -e."""


class ActionModule(Action, filled=("wanted", "asked")):
    """Asks the plan, has modules read or write, and plans the steps."""

    _requires_connection = True

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Do what option `do` says."""
        work = {"look": self._look, "keep": self._keep, "gate": _gate, "batches": _batches}
        return work[args["do"]](args, stated)

    def _keep(self, _args: Plain, stated: Plain) -> Plain:
        """Bring the tool where another is there; keep the desired state and the units."""
        template, look = self._templar.template, stated["dpu_state_look"]
        choices = {
            **role_variables.values("dpu_agent", stated, template),
            **role_variables.values("dpu_state", stated, template),
        }
        tool = {"path": choices["agent_path"], "mode": "0755"}
        if look["nics"].get("skew", "missing"):
            tool["base64"] = base64.b64encode(zipapp_bytes()).decode()
        else:
            tool["sha256"] = look["wanted"]["agent_sha256"]
        files = [tool, *kept.files(look["wanted"], t.cast("kept.Choices", choices))]
        options = {"files": files, "units": kept.units(choices["interval"])}
        made: Plain = self._execute_module(FILES, options, task_vars=stated)
        return made

    def _look(self, args: Plain, stated: Plain) -> Plain:
        """Look at the host, and plan."""
        values, template = role_variables.values, self._templar.template
        roles = {role: values(f"dpu_{role}", stated, template) for role in ROLES}
        wanted = self._wanted(args, stated, roles["state"])
        away = _away(wanted)
        if away:
            say(away)
            return {"skipped": True, "msg": away, "wanted": wanted}
        asked = _asked(wanted, roles)
        optional = asked["idle"] != asked["files"][0]["content"]
        # The default of the role is what the host does now.
        if self._stated(stated, "dpu_agent_algorithm") is False:
            asked["files"][0]["content"] = asked["idle"]
        elif "dpu_agent_algorithm" in stated:
            asked["idle"] = asked["files"][0]["content"]
        found = self._found(args, stated, wanted, asked)
        if found.get("failed") or found.get("unreachable"):
            return found
        given = self._given(args, stated, roles, optional=optional)
        check = bool(stated.get("ansible_check_mode"))
        plan = steps.plan(wanted, found, given, check=check)
        doca = roles["doca"]
        result = {**found, "changed": False, "wanted": wanted, "plan": plan}
        result |= steps.of_roles(wanted, found, given)
        result["asked"] = {"doca": doca["version"], "packages": doca["packages"]}
        if args["preflight"] and plan["refusals"]:
            return {**result, "failed": True, "msg": " ".join(plan["refusals"])}
        if args["preflight"] and plan["waits_for"] and (check or plan["group"] != "rolling"):
            say(
                f"{wanted['name']}: interfaces, QoS and congestion control wait for {plan['waits_for']}, for which "
                "the host has to be drained."
            )
        return result

    def _found(self, args: Plain, stated: Plain, wanted: Plain, asked: Plain) -> Plain:
        """What the module found, in this run already where that will do and the same was asked."""
        parts = {key: value for key, value in asked.items() if key not in ("files", "idle")}
        digest = hashlib.sha256(json.dumps([wanted, parts], sort_keys=True).encode()).hexdigest()
        before = stated.get("dpu_state_look") or {}
        if args["known"] and before.get("digest") == digest:
            return {key: before[key] for key in (*PARTS, "digest")}
        found: Plain = self._execute_module(
            MODULE, {"wanted": wanted, "asked": asked}, task_vars=stated
        )
        found.pop("invocation", None)
        return {**found, "digest": digest}

    def _wanted(self, args: Plain, stated: Plain, state: Plain) -> Plain:
        settings = {key: state[key] for key in ("platform", "qos", "versions", "table_base")}
        settings["inter_packet_gap"] = state["inter_packet_gap"] or None
        plan, name = fabric(args["description"], stated), str(stated.get("inventory_hostname"))
        registry = Registry.load(plan, args["tenants"])
        made = desired(plan, name, registry=registry, settings=settings)
        return {**made, "agent": zipapp_version(), "agent_sha256": zipapp_digest()}

    def _given(
        self, args: Plain, stated: Plain, roles: dict[str, Plain], *, optional: bool
    ) -> steps.Given:
        """FabricError with preflight where leave is not given with -e."""
        own = {name: self._templar.template(stated[name]) for name in RUN if name in stated}
        extra = load_extra_vars(self._loader) if args["preflight"] else None
        leave = variables.check(own, extra=extra)
        return {
            "doca": roles["doca"],
            "files": roles["firmware"]["files"],
            "bfb": roles["mode"]["bfb"],
            "force": roles["mode"]["force"],
            "tolerate": roles["qos"]["tolerate_conflicts"],
            "lldp": roles["interfaces"]["lldp"],
            "power_cycle": roles["reset"]["power_cycle"].partition(" ")[0],
            "algorithm": self._stated(stated, "dpu_congestion_control_algorithm"),
            "allow_reset": leave.get("spx_allow_reset", False),
            "allow_reboot": leave.get("spx_allow_reboot", False),
            "allow_versions": leave.get("spx_allow_versions", False),
            "optional": optional,
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
    rails, state, agent = roles["interfaces"], roles["state"], roles["agent"]
    starts, idle = (
        kept.files(wanted, t.cast("kept.Choices", {**agent, **state, "algorithm": value}))
        for value in (True, False)
    )
    return {
        "files": starts,
        "idle": idle[0]["content"],
        "units": kept.units(agent["interval"]),
        "power_cycle": roles["reset"]["power_cycle"],
        **{name: state[name] for name in ("agent_path", "sysfs")},
        **{name: rails[name] for name in ("backend", "arp", "lldp", "facts", "nccl")},
    }


def _gate(args: Plain, stated: Plain) -> Plain:
    """Whether congestion control may begin on the host; what the run knows of a rack is in its hosts' looks."""
    plan, name = fabric(args["description"], stated), str(stated.get("inventory_hostname"))
    registry = Registry.load(plan, args["tenants"])
    rack = gate.of_rack(plan, registry, name)
    seen = {other: found for other in rack if (found := _seen(stated, other))}
    return gate.gate(plan, registry, name, seen, among=args["hosts"])


def _seen(stated: Plain, name: str) -> gate.Seen | None:
    """What this run knows of a host; None when it has not looked at it."""
    hostvars = stated.get("hostvars") or {}
    if name not in hostvars or "dpu_state_look" not in hostvars[name]:
        return None
    known = hostvars[name]
    look = known["dpu_state_look"]
    nics, planned = look.get("nics") or {}, look.get("plan") or {}
    active = runs(nics)
    current = (nics.get("verdict") or {}).get("nvconfig") == "current"
    waits = bool(planned.get("waits_for")) and not active
    # A host with nothing to do is in no play but the first.
    there = name in stated.get("ansible_play_hosts", ()) or planned.get("group") == "done"
    # The role that begins on a host notes it.
    noted = "dpu_congestion_control_failed"
    return gate.Seen(
        able=there and current and not waits,
        runs=active or bool(nics.get("algorithm")),
        failed=noted in known and (bool(known[noted]) or not there),
    )


def _batches(args: Plain, stated: Plain) -> Plain:
    """The hosts in batches, rack after rack."""
    names = stated["ansible_play_hosts"] if args["hosts"] is None else args["hosts"]
    plans = [stated["hostvars"][name]["dpu_state_look"]["plan"] for name in names]
    racks = {plan["name"]: plan["rack"] for plan in plans}
    return {"batches": batches.of_hosts(racks, args["most"])}
