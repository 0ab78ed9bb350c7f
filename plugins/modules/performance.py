#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: performance
short_description: Plan a measurement of the fabric, carry out its rounds, and judge them
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Says who is measured with whom, in rounds in which no NIC port has two measurements, has hosts measure by
    M(spectrum_x.fabric.measure), compares what they measured with limits and baselines, and looks for the part that is
    slow. The playbook C(performance) lists its steps.
  - Nodes of C(rest) are measured, or those of one tenant with C(host_access=managed). A rented node is refused.
  - Finished rounds are kept in C(performance/state.json) of O(report). A run after a killed one measures the rest.
options:
  do:
    description:
      - V(plan) chooses nodes, refuses what may not be measured, and shows the plan.
      - V(counters) reads the ports of the switches that the nodes meet, before the first round and after the last. A
        switch that does not answer is a warning.
      - V(next) plans the next rounds, those that search for the slow part among them.
      - V(enter) moves nodes from rest to two tenants of the test where the next rounds are those of level V(noise), on
        the leaves alone, and V(leave) brings them back. The registry's file is not edited. V(leave) finds what a killed
        run has left.
      - V(round) plans who does what in the round O(round).
      - V(serve), V(start), V(collect) and V(stop) are the part of one host in that round. A host without a part is
        skipped. V(release) ends what runs on a host, and lets other runs measure there.
      - V(refuse) returns RV(held), the nodes on which another run measures.
      - V(shut) shuts a part of the fabric under a job of level V(failover), in a revision that is never confirmed, so
        that the switch opens it again by its timer. In other rounds it does nothing.
      - V(slow_job) reads the counters of the leaves of O(nodes) twice, or asks Prometheus about a time, and says what
        may slow a job of these nodes. It contacts no node.
      - V(judge) keeps what the hosts measured, and shows one line.
      - V(sum) judges all rounds, writes the record and its reports, and fails on a breach.
    type: str
    choices:
      - plan
      - counters
      - refuse
      - next
      - enter
      - leave
      - round
      - serve
      - start
      - shut
      - collect
      - stop
      - release
      - judge
      - sum
      - slow_job
    required: true
  levels:
    description:
      - With V(plan), the levels, which build on each other in this order.
      - A level is not run where one that it builds on has failed in the same run.
    type: list
    elements: str
    choices: [pairs, rails, bisection, collectives, noise, failover]
    default: [pairs]
  nodes:
    description: With V(plan), the nodes as names, places or ranges; those of the only acceptance group by default. With
      V(slow_job), the nodes of the job.
    type: list
    elements: str
  accept:
    description:
      - With V(plan), the only node that is judged, during the step C(accept) of its move. Its partners are chosen in
        its acceptance group. With V(sum) the task fails unless one partner shows that the node is well.
    type: str
  tenant:
    description: With V(slow_job), the tenant whose nodes are meant, without O(nodes).
    type: str
  seconds:
    description: With V(slow_job), the time between two readings.
    type: int
    default: 60
  since:
    description: With V(slow_job), the begin of a time that Prometheus is asked about, such as 2026-11-30T12:00:00Z.
    type: str
  before:
    description: With V(slow_job), its end; now by default.
    type: str
  report:
    description: With V(plan) and V(slow_job), the folder of reports.
    type: path
  launcher:
    description: With V(plan), what starts collectives on several nodes. Without it they are not run.
    type: str
    choices: [mpirun, srun]
  launcher_options:
    description:
      - With V(plan), further words of the launcher, such as V(--partition=burn-in --gpus-per-node=8) of C(srun).
      - No shell reads them.
    type: str
  gpus_per_node:
    description: With V(plan), GPUs of each node for collectives; by default as many as the node that starts one has.
    type: int
  command:
    description:
      - With V(plan), a command of the site that measures a pair in place of perftest, on both hosts, in one direction.
        What it gets and prints is described with M(spectrum_x.fabric.measure).
      - It is used in the levels V(pairs) and V(rails), and has to use RoCE.
    type: str
  cross_rails:
    description:
      - With V(plan), whether level V(pairs) has pairs between rails too, after those on one rail. Each NIC port sends
        to one of another rail, and receives from one.
      - It is refused where hosts have no route between rails.
    type: bool
    default: false
  plugin:
    description:
      - With V(plan), the network plugin of NCCL that moves traffic to other planes, as NCCL prints its name. Level
        V(failover) shuts a leaf, a plane and a NIC port where it is stated and NICs have ports in several planes.
    type: str
  failover_before:
    description:
      - With V(plan), seconds of a job of level V(failover) before something is shut, 90 by default. NCCL has to begin
        within them.
    type: int
  failover_shut:
    description: With V(plan), for how many seconds it is shut, 60 by default.
    type: int
  failover_back:
    description:
      - With V(plan), seconds after which the job has to be at its rate again, 60 by default and at most.
    type: int
  failover_after:
    description: With V(plan), seconds of the job that are measured after these, 60 by default.
    type: int
  window:
    description:
      - With V(plan), the last day of an agreed window and the reason, such as C(2026-12-31 CHG-42). Without one, a
        level that loads the spines is refused while rented nodes share them.
    type: str
  round:
    description: With V(round), its key, one of RV(rounds).
    type: str
  strict:
    description: With V(sum), whether a measurement that could not be made is a breach too.
    type: bool
    default: false
  device:
    description: With the part of one host, the host's name in the plan; the inventory name by
      default.
    type: str
  description:
    description: Path of the description; by default that of the inventory source or of the project.
    type: path
  tenants:
    description: Path of the tenants' registry; the file beside the description by default.
    type: path
attributes:
  check_mode:
    support: full
    description: Shows the plan; nothing is measured, no leaf is changed and no file is written.
extends_documentation_fragment:
  - spectrum_x.fabric.controller
seealso:
  - module: spectrum_x.fabric.measure
"""

EXAMPLES = r"""
- name: Plan the measurement
  spectrum_x.fabric.performance:
    do: plan
    levels: [pairs, rails]
    report: report
"""

RETURN = r"""
suspects:
  description: Parts that may slow the job, the likeliest first, each with its counter, limit, tenant and next command.
  returned: with O(do=slow_job)
  type: list
  elements: dict
healthy:
  description: Sentences of what was read and is well.
  returned: with O(do=slow_job)
  type: list
  elements: str
uneven:
  description: Sentences of nodes that move less than the others and show no fault.
  returned: with O(do=slow_job)
  type: list
  elements: str
unknown:
  description: Sentences of what was not seen.
  returned: with O(do=slow_job)
  type: list
  elements: str
lines:
  description: The plan in words, which the task shows.
  returned: with O(do=plan)
  type: list
  elements: str
measurements:
  description: Result of module M(spectrum_x.fabric.measure).
  returned: with a part of a host
  type: list
  elements: dict
held:
  description: The nodes on which another run measures, and what is known of it; empty without any.
  returned: with O(do=refuse)
  type: str
counts:
  description: Tests by state.
  returned: with O(do=sum)
  type: dict
  sample: {pass: 20, fail: 0, waived: 0, not_run: 0}
record:
  description: The record of the run, C(performance/RUN.json) in the folder of reports.
  returned: with O(do=sum)
  type: str
failed_checks:
  description: Number of failed tests, under the node that sends.
  returned: with O(do=sum)
  type: dict
  sample: {worker-su01-rack01-h01: 2}
nodes:
  description: The nodes that are measured.
  returned: with O(do=plan)
  type: list
  elements: str
  sample: [worker-su01-rack01-h01, worker-su01-rack01-h02]
rounds:
  description: Keys of the next rounds; none when all is done, or the time is over.
  returned: with O(do=next)
  type: list
  elements: str
hosts:
  description: The hosts that have a part in the round.
  returned: with O(do=round)
  type: list
  elements: str
"""
