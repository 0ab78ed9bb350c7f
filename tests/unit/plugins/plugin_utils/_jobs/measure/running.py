# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of playbook performance without Ansible's processes: the action, and hosts that answer as given.

The tasks are those of the playbook, in its order; the hosts measure what `slow` leaves of their links' rate.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from types import SimpleNamespace

from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from playing import ended

from ansible_collections.spectrum_x.fabric.plugins.action import performance
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.records import nothing
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric

RATE, TYPICAL = 392.1, 2.5
REGISTERED = {"serve": "served", "start": "started", "collect": "collected"}


class Run:
    """A project, its hosts, and what they were asked.

    `slow` has the Gb/s of a port by (host, interface), `disturbed` that of a victim beside aggressors, `brief` how many
    seconds each measurement lasts where that is not what was asked, `errors` are
    counters that rise there. `broken` is what module measure says on a host, `dark` are hosts that do not answer, and
    `asked` is each execution of the module as (host, word, jobs).
    """

    def __init__(self, folder, **variables):
        self.folder, self.asked = folder, []
        self.slow, self.broken, self.dark, self.errors = {}, {}, set(), {}
        fabric = Fabric.load(str(folder / "model" / "fabric.yml"))
        self.ports = {
            port["address"]: (fabric.name(node), port["port"])
            for node in fabric.nodes()
            for port in fabric.slice(node)["ports"]
        }
        self.variables = {"spx_report": str(folder / "report"), **variables}
        self.disturbed, self.brief, self.collectives = RATE, 0.0, []
        self.hosts, self.last = [], {}
        store.begin(variables=self.variables)
        self.hostvars = {name: {} for name in self.inventory}

    def do(self, word, host="localhost", check=False, **options):
        """One task on one host; its records are kept by the run."""
        options = {"description": str(self.folder / "model" / "fabric.yml"), **options}
        task = SimpleNamespace(
            delegate_to=None,
            args={"do": word, **options},
            action="performance",
            async_val=0,
            check_mode=check,
            diff=False,
        )
        nodes = self.hosts or self.inventory
        stated = {
            "inventory_hostname": host,
            "groups": {"spx_node": self.inventory},
            "hostvars": {**self.hostvars, "localhost": {}},
            "ansible_play_hosts_all": ["localhost", *nodes],
            "ansible_play_hosts": ["localhost", *(n for n in nodes if n not in self.dark)],
        }
        loader = DataLoader()
        connection = SimpleNamespace(_shell=SimpleNamespace(tmpdir="/nowhere"))
        templar = Templar(loader=loader, variables={})
        action = performance.ActionModule(task, connection, None, loader, templar, None)
        action._execute_module = lambda **given: self._module(host, given["module_args"])
        return ended(action.run, task_vars=stated)

    def again(self):
        """Begin the playbook once more, as after a run that was killed."""
        store.begin(variables=self.variables)

    def kept(self, name):
        """A record of the run's store."""
        return store._plain(name)

    @property
    def inventory(self):
        """The nodes of the example lab."""
        return [
            f"worker-su0{su}-rack0{rack}-h0{host}"
            for su in (1, 2)
            for rack, host in ((1, 1), (1, 2), (2, 3))
        ]

    def plan(self, *levels, **options):
        """The plan; its hosts are those of the play that measures."""
        stated = {"levels": list(levels)} if levels else {}
        made = self.do("plan", report=self.variables["spx_report"], **stated, **options)
        if not made.get("failed"):
            self.hosts = self.kept("performance")["nodes"]
        return made

    def measure(self, most=1000):
        """The rounds, `most` of them at most, after which the run is killed; how many were measured."""
        self._each("stop")
        number = 0
        while self.do("next") and (keys := self.kept("rounds")):
            self.do("enter")
            for key in keys:
                if number == most:
                    return number
                self.do("round", round=key)
                for word in ("serve", "start", "shut", "collect", "stop"):
                    self.do("shut") if word == "shut" else self._each(word)
                self.last = self.do("judge")
                number += 1
        return number

    def _each(self, word):
        for host in self.hosts:
            if host not in self.dark:
                made = self.do(word, host)
                if word in REGISTERED:
                    self.hostvars[host][f"performance_{REGISTERED[word]}"] = made

    def run(self, *levels, **options):
        """A whole run: what its last task returns."""
        made = self.plan(*levels, **options)
        if made.get("failed"):
            return made
        self.measure()
        return self.do("sum")

    def _module(self, host, options):
        self.asked.append((host, options["do"], options.get("jobs", [])))
        if options.get("collectives"):
            self.collectives.append((host, options["do"], options["collectives"]))
        if host in self.broken:
            return {"failed": True, "msg": self.broken[host]}
        if options["do"] != "collect":
            now = time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime())
            return {"changed": False, "stopped": [], "started": [], "now": now}
        made = [self._measured(host, job) for job in options["jobs"]]
        return {"measurements": made + [_repeated(job) for job in options["collectives"]]}

    def _measured(self, host, job):
        """Return the measurement of one side: the rate of the slower port, twice where both send."""
        peer = self.ports[job["peer"]]
        if peer[0] in self.dark:
            return nothing(job["id"], job["side"], "failed", "it reached nobody.")
        ends = [(host, job["interface"]), peer]
        rate = min(self.slow.get(end, RATE) for end in ends)
        if "/together-" in job["id"]:
            rate = min(rate, self.disturbed)
        rate *= 2 if job["bidirectional"] else 1
        brief = job["tool"] == "ib_write_lat"
        return {
            "id": job["id"],
            "side": job["side"],
            "state": "measured",
            "sentence": "",
            "gbps": None if brief else rate,
            "latency": {"typical": TYPICAL, "p99": 2 * TYPICAL} if brief else None,
            "transport": "roce",
            "memory": "host",
            "counters": {"rx_prio3_discards": 0, **self.errors.get(ends[0], {})},
            "seconds": float(self.brief or job["seconds"]),
            "note": "",
        }


def _repeated(job):
    """A job that printed a row each second, from a while ago until after all is given back."""
    began = time.time() - 100
    stamps = [time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(began + s)) for s in range(400)]
    cycles = [{"at": at, "size": 1 << 27, "busbw": 80.0} for at in stamps]
    made = nothing(job["id"], "client", "measured", "")
    return {**made, "transport": "roce", "memory": "gpu", "best": 80.0, "cycles": cycles}


def record_of(made):
    """The record that the last task of a run has written."""
    return json.loads(Path(made["record"]).read_text())
