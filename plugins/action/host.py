# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The action behind ``spectrum_x.fabric.host``; documented in the module of that name."""

from __future__ import annotations

import base64
import typing as t

from ..module_utils._host.look import runs
from ..plugin_utils._edge import attempts, batch_order, host_identity, role_variables
from ..plugin_utils._edge.action import Action, Plain, on_device
from ..plugin_utils._edge.confirmation import proceed
from ..plugin_utils._edge.host_look import HostLook, ReachedHost
from ..plugin_utils._edge.project import fabric
from ..plugin_utils._edge.run_store import store
from ..plugin_utils._fabric.catalog.data import table
from ..plugin_utils._fabric.description.errors import FabricError
from ..plugin_utils._fabric.plan import batches
from ..plugin_utils._fabric.plan.fabric import Fabric
from ..plugin_utils._fabric.render.host import congestion_control, host_files, steps
from ..plugin_utils._fabric.tenants.moves.procedure import hook_lines
from ..plugin_utils._fabric.tenants.registry import Registry
from ..plugin_utils._jobs import kinds
from ..plugin_utils._jobs.hooks import site_hooks
from ..plugin_utils._jobs.tenant import cards
from ..plugin_utils._nicdata.zipapp import zipapp_bytes

GENERAL = ("do", "description", "tenants")
TAKES = {
    "look": ("known", "preflight"),
    "keep": (),
    "gate": ("hosts",),
    "cards": (),
    "plan": ("most",),
    "wait": ("done",),
    "ready": (),
    "tools": (),
    "links": (),
    "identify": ("device", "outside"),
    "files": ("files", "units"),
    "network": (
        *("interfaces", "networks", "prefixes", "backend", "arp", "settle_timeout", "attempt"),
        *("take_over", "sysfs_path"),
    ),
}
"""The options of each word of option `do`."""


class ActionModule(Action, filled=("wanted", "asked", "probe", "confirm", "ports", "until")):
    """Asks the plan, has modules read or write, and plans the steps."""

    _requires_connection = True
    RULES: t.ClassVar[Plain] = {"required_if": [["do", "network", ["interfaces"]]]}

    def work(self, args: Plain, stated: Plain) -> Plain:
        """Do what option `do` says."""
        word = args["do"]
        wrong = sorted(set(self._task.args).difference(GENERAL, TAKES[word]))
        if wrong:
            raise FabricError.of(
                f"host: {', '.join(wrong)} is not an option of do: {word}, which accepts "
                f"{', '.join(TAKES[word]) or 'none'}."
            )
        if word == "keep":
            return self._on_host("files", self._kept(stated), stated)
        options = {name: args[name] for name in TAKES[word]}
        if word == "network":
            return attempts.made(
                lambda more: self._on_host(word, {**options, **more}, stated),
                self._connection,
                seconds=args["attempt"],
            )
        if word in ("files", "tools"):
            return self._on_host(word, options, stated)
        if word == "links":
            return self._on_host(word, _links(stated["dpu_state_look"]["wanted"]), stated)
        if word == "plan":
            return self._planned(args["most"], stated)
        if word == "wait":
            batch_order.wait(stated, args["done"])
            return {}
        if word == "ready":
            return {"ready": True}
        if word == "cards":
            return self._cards(args, stated)
        plan, name = fabric(args["description"], stated), str(stated.get("inventory_hostname"))
        if word == "identify":
            return host_identity.run(self, args, stated, plan)
        registry = Registry.load(plan, args["tenants"])
        if word == "gate":
            return _gate(plan, registry, name, args["hosts"], stated)
        looker = HostLook(self, stated, plan, registry, name)
        return looker.look(known=args["known"], preflight=args["preflight"])

    def _cards(self, args: Plain, stated: Plain) -> Plain:
        """The verdict on the cards of the node to which the task is delegated."""
        name = str(self._task.delegate_to or stated["inventory_hostname"])

        def look() -> Plain:
            plan = fabric(args["description"], stated)
            registry = Registry.load(plan, args["tenants"])
            return ReachedHost(HostLook(self, stated, plan, registry, name)).look()

        return cards.judge(store, name, look)

    def _on_host(self, word: str, options: Plain, stated: Plain) -> Plain:
        """Run the module on the host itself."""
        return on_device(self, "host", {"do": word, **options}, stated)

    def _kept(self, stated: Plain) -> Plain:
        """The tool where another is there, the desired state and the units."""
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
        files = [tool, *host_files.files(look["wanted"], t.cast("host_files.Choices", choices))]
        return {"files": files, "units": host_files.units(choices["interval"])}

    def _planned(self, most: int, stated: Plain) -> Plain:
        """The batches of the hosts that go out of work, rack after rack; the plan of all is shown."""
        looks = [
            stated["hostvars"][name].get("dpu_state_look") or {}
            for name in stated["ansible_play_hosts"]
        ]
        plans = [look["plan"] for look in looks if "plan" in look]
        racks = {plan["name"]: plan["rack"] for plan in plans if plan["group"] == "rolling"}
        made = batches.of_hosts(racks, most)
        hooks = steps.hooks(plans)
        folders = kinds.hook_folders(store)
        lines = [*steps.lines(plans, made), *hook_lines(hooks, site_hooks(folders, hooks))]
        proceed(self, stated, lines, acts=any(plan["group"] != "done" for plan in plans))
        hosts, sizes = [name for one in made for name in one], [len(one) for one in made]
        store.put(kinds.HOST_BATCHES, kinds.HostBatches(hosts, sizes))
        return {"batches": made}


def _links(wanted: Plain) -> Plain:
    """The rails in service of a host, and the time that links have after a boot."""
    rails = (row for row in wanted["interfaces"] if row["name"] not in wanted["resting_ports"])
    until = int(table("limits_switch")["after-boot"])
    return {"ports": [row["pci"] for row in rails], "until": until}


def _gate(
    plan: Fabric, registry: Registry, name: str, among: list[str] | None, stated: Plain
) -> Plain:
    """Decide whether congestion control may start on the host, from the looks at the hosts of its rack."""
    rack = congestion_control.of_rack(plan, registry, name)
    seen = {other: found for other in rack if (found := _seen(stated, other))}
    return congestion_control.gate(plan, registry, name, seen, among=among)


def _seen(stated: Plain, name: str) -> congestion_control.HostVerdict | None:
    """Knowledge of this run about a host; None when the run has not looked at it."""
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
    return congestion_control.HostVerdict(
        able=there and current and not waits,
        runs=active or bool(nics.get("algorithm")),
        failed=noted in known and (bool(known[noted]) or not there),
    )
