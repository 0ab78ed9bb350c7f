#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module `measure`."""

from __future__ import annotations

DOCUMENTATION = r"""
---
module: measure
short_description: Run one host's side of measurements of the fabric
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Starts C(ib_write_bw) and C(ib_write_lat) of perftest, nccl-tests, or a command of the site, and returns what they
    measured. The playbook C(performance) says who measures with whom.
  - A run counts only where it used the lossless class of RoCE. The byte counters of the priority prove it for
    perftest, the lines of C(NCCL_DEBUG=INFO) for nccl-tests. A run over TCP, or over NVLink alone where the fabric is
    measured, has failed.
  - Each measurement runs in a process of its own, which ends by itself at its time, even if the controller dies.
  - V(stop) ends what earlier runs have left, and nothing else. The process and start time of a note, or a variable in
    the environment of the process, show that it is ours.
options:
  do:
    description:
      - V(serve) starts O(jobs) and O(collectives) in the background, and waits until the servers listen.
      - V(measure) starts them side by side, waits for their end and returns the measurements.
      - V(collect) returns the measurements of what V(serve) started. What has not ended after O(patience) is ended.
        What a repeated run of nccl-tests measured until then counts.
      - V(stop) ends what is left of O(jobs) and O(collectives), of all of them where neither is given. It ends nothing
        while another run measures here.
      - V(release) does the same, and lets other runs measure here.
    type: str
    choices: [serve, measure, collect, stop, release]
    required: true
  run:
    description:
      - The run that asks, by a name of its own. It holds the host from V(stop), V(serve) or V(measure) until
        V(release), so that another run is refused. A run that was not heard for ten minutes holds it no more.
      - Without a name nobody is refused, and the host is not held.
    type: str
    default: ""
  jobs:
    description: One side each of a measurement between two hosts.
    type: list
    elements: dict
    default: []
    suboptions:
      id:
        description: Name of the measurement, unique in a run; both sides have the same.
        type: str
        required: true
      tool:
        description:
          - V(ib_write_bw) and V(ib_write_lat) of perftest 4.5 or later, or V(command), a command of the site.
        type: str
        choices: [ib_write_bw, ib_write_lat, command]
        required: true
      side:
        description: Whether this host waits for the other or connects to it.
        type: str
        choices: [server, client]
        required: true
      interface:
        description: Network interface of the port.
        type: str
        required: true
      address:
        description: Its address without length. The index in the table of GIDs is computed from it.
        type: str
        required: true
      peer:
        description: Address of the other side.
        type: str
        required: true
      port:
        description: TCP port of this measurement, its own on both hosts.
        type: int
        required: true
      size:
        description: Bytes of a message.
        type: int
        default: 65536
      qps:
        description: Queue pairs of V(ib_write_bw).
        type: int
        default: 4
      seconds:
        description:
          - How long V(ib_write_bw) sends, at least 3; the first and the last second do not count. V(ib_write_lat)
            exchanges 20000 messages for each second.
        type: int
        default: 10
      dscp:
        description: DSCP of the packets. The traffic class is four times that.
        type: int
        default: 24
      priority:
        description:
          - Priority whose byte counters prove the class. For V(command), -1 where it does not use RoCE.
        type: int
        default: 3
      bidirectional:
        description: Both sides send; the result is the sum of both directions.
        type: bool
        default: false
      gpu:
        description:
          - V(auto) uses the memory of the GPU nearest to the card. Where there is none, or perftest is built without
            CUDA, host memory is used, and the measurement says so. V(ib_write_lat) always uses host memory.
        type: str
        choices: [none, auto]
        default: none
      command:
        description:
          - Words of the command of the site. No shell reads them. C({peer}), C({port}), C({interface}), C({address}),
            C({rdma}), C({gid_index}), C({traffic_class}), C({dscp}), C({size}), C({qps}), C({seconds}) and C({side})
            are replaced in each word.
          - Its output is a JSON object with C(gbps), or with C(latency) that has C(typical) and C(p99) in microseconds.
            C(transport), C(memory) and C(note) may be in it. The output of C(iperf3 --json) is understood too.
          - Without JSON its last line is a number with a unit, such as C(391.2 Gb/s) or C(48.9 GB/s).
        type: list
        elements: str
        default: []
  collectives:
    description: Runs of nccl-tests that this host starts by the launcher of the site.
    type: list
    elements: dict
    default: []
    suboptions:
      id:
        description: Name of the measurement, unique in a run.
        type: str
        required: true
      operation:
        description: Name of the program without its ending C(_perf), such as V(all_reduce) or V(alltoall).
        type: str
        required: true
      nodes:
        description: Names or addresses of the nodes that the launcher reaches, this host first.
        type: list
        elements: str
        required: true
      gpus_per_node:
        description:
          - GPUs of each node; with a launcher there is a process for each. V(0) is as many as this host has, and of
            O(collectives[].split) by V(MOD) one group for each of them.
        type: int
        default: 0
      launcher:
        description: V(mpirun) of Open MPI or V(srun), or the path of one; empty for a single node.
        type: str
        default: ""
      split:
        description: Value of E(NCCL_TESTS_SPLIT), such as V(MOD 8) for one group a rail; empty for a single group.
        type: str
        default: ""
      smallest:
        description: Smallest message, as nccl-tests takes it.
        type: str
        default: "8"
      largest:
        description: Largest message. Each size is twice the one before.
        type: str
        default: 16G
      iterations:
        description: Timed iterations of each size.
        type: int
        default: 20
      warmup:
        description: Iterations before those.
        type: int
        default: 5
      seconds:
        description: After how many seconds the run is ended.
        type: int
        default: 3600
      environment:
        description: Variables of the run. They win over those that this module sets.
        type: dict
        default: {}
      cycles:
        description: Number of runs; 0 repeats the run until it is ended.
        type: int
        default: 1
      folder:
        description: Folder of the programs on every node; empty where PATH has them.
        type: str
        default: ""
      options:
        description: Further words for the launcher.
        type: list
        elements: str
        default: []
      rails:
        description:
          - Ports of this host that the run has to use. NCCL gets their RDMA devices and GID index, its lines may name
            no other, and their byte counters prove the traffic. Without it those of all cards count.
        type: list
        elements: dict
        default: []
        suboptions:
          interface:
            description: Network interface of the port.
            type: str
            required: true
          address:
            description: Its address without length.
            type: str
            required: true
      addresses:
        description: Addresses of the rails of all nodes; NCCL may use no other.
        type: list
        elements: str
        default: []
      priority:
        description: Priority of RoCE, whose byte counters have to show the traffic.
        type: int
        default: 3
  rails:
    description:
      - With V(serve), ports of a host whose ranks another host starts. Where they have RDMA devices and addresses, a
        file keeps these for the ranks, as devices may have other names on each host.
    type: list
    elements: dict
    default: []
    suboptions:
      interface:
        description: Network interface of the port.
        type: str
        required: true
      address:
        description: Its address without length.
        type: str
        required: true
  patience:
    description:
      - With V(serve), how many seconds beyond its run a server waits for its client, 60 by default. Without
        jobs the host is held for so long, and as long as another host has ranks of a collective there.
      - With V(collect), how many seconds are left to what still runs, 10 by default.
    type: int
  at:
    description:
      - With V(serve) and V(measure), when the measurements begin, as seconds since 1970; 0 for at once. Hosts whose
        clocks agree begin together, whenever Ansible reaches them.
      - With V(collect), when the clients began. A server of perftest that has no client 15 seconds later is ended, so
        that a host that is away holds nobody up.
    type: float
    default: 0
  sysfs_path:
    description: Mount point of the kernel's sysfs.
    type: path
    default: /sys
attributes:
  check_mode:
    description: Starts and ends nothing in check mode. Measurements are V(not_run) then.
    support: full
  diff_mode:
    description: A measurement changes no configuration.
    support: none
seealso:
  - module: spectrum_x.fabric.host
notes:
  - Runs on the host as root and needs the standard library of Python 3.9 or later, and C(ethtool).
"""

EXAMPLES = r"""
- name: Start the servers
  spectrum_x.fabric.measure:
    do: serve
    jobs: "{{ servers }}"

- name: Measure the pairs of a round
  spectrum_x.fabric.measure:
    do: measure
    jobs:
      - id: pairs/r1/su01-h01>su01-h02
        tool: ib_write_bw
        side: client
        interface: rail1p1
        address: 172.16.0.0
        peer: 172.16.0.2
        port: 18515
  register: measured

- name: End what a run that was killed has left
  spectrum_x.fabric.measure:
    do: stop
"""

RETURN = r"""
measurements:
  description:
    - One for each of O(jobs), then one for each of O(collectives).
  returned: with O(do=measure) and O(do=collect)
  type: list
  elements: dict
  contains:
    id:
      description: Name of the measurement.
      type: str
      returned: always
    side:
      description: V(server) or V(client).
      type: str
      returned: always
    state:
      description: V(measured), V(failed), or V(not_run) where something that it needs is absent.
      type: str
      returned: always
    sentence:
      description: Reason that it is not measured, else empty.
      type: str
      returned: always
    gbps:
      description: Average in Gb/s. With O(jobs[].bidirectional) the sum of both directions.
      type: float
      returned: always
    latency:
      description: V(typical) (the median) and V(p99) in microseconds, one way.
      type: dict
      returned: always
    transport:
      description: V(roce), V(tcp), V(nvlink), V(shm) for memory of the host, or empty where nothing proves it.
      type: str
      returned: always
    memory:
      description: V(host) or V(gpu).
      type: str
      returned: always
    counters:
      description:
        - Rise of the counters of C(ethtool -S) and C(hw_counters). A counter that was not read is absent.
      type: dict
      returned: always
      sample: {rx_prio3_discards: 0, tx_prio3_bytes: 391000000000}
    seconds:
      description: Run time of the program.
      type: float
      returned: always
    note:
      description: Remark on a measurement that counts, such as host memory in place of a GPU's.
      type: str
      returned: always
    busbw:
      description: GB/s by message size in bytes, out of place.
      type: dict
      returned: for nccl-tests
      sample: {"8589934592": 49.73}
    best:
      description: The highest of RV(measurements[].busbw).
      type: float
      returned: for nccl-tests
    plugin:
      description: The network plugin that NCCL loaded, else empty.
      type: str
      returned: for nccl-tests
    ranks:
      description: Number of ranks.
      type: int
      returned: for nccl-tests
    cycles:
      description: Rows in order with V(at), the host's time, V(size) in bytes and V(busbw) in GB/s; the last 5000.
      type: list
      elements: dict
      returned: for nccl-tests that repeat themselves
started:
  description: Of each task V(id), V(side), and V(sentence), why its server does not listen, else empty.
  returned: with O(do=serve)
  type: list
  elements: dict
now:
  description: Time of the host, as nccl-tests prints it.
  returned: with O(do=serve)
  type: str
  sample: "2026-11-25 03:10:00"
stopped:
  description: A sentence for each process that was, or would be, ended.
  returned: with O(do=stop) and O(do=release)
  type: list
  elements: str
held:
  description: Description of another run that measures here, so that nothing was ended, else empty.
  returned: with O(do=stop) and O(do=release)
  type: str
"""

import time
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.basic import AnsibleModule

from ..module_utils._nic.edge import finish
from ..module_utils._nic.records import Answer
from ..module_utils._nic.tools import Host
from ..module_utils._perf import cleanup, lease, nccl, serve
from ..module_utils._perf.task import Task, is_collective, ports_from, tasks_from

JOB: dict[str, Answer] = {
    "id": {"type": "str", "required": True},
    "tool": {
        "type": "str",
        "choices": ["ib_write_bw", "ib_write_lat", "command"],
        "required": True,
    },
    "side": {"type": "str", "choices": ["server", "client"], "required": True},
    "interface": {"type": "str", "required": True},
    "address": {"type": "str", "required": True},
    "peer": {"type": "str", "required": True},
    "port": {"type": "int", "required": True},
    "size": {"type": "int", "default": 65536},
    "qps": {"type": "int", "default": 4},
    "seconds": {"type": "int", "default": 10},
    "dscp": {"type": "int", "default": 24},
    "priority": {"type": "int", "default": 3},
    "bidirectional": {"type": "bool", "default": False},
    "gpu": {"type": "str", "choices": ["none", "auto"], "default": "none"},
    "command": {"type": "list", "elements": "str", "default": []},
}
RAILS: Answer = {
    "type": "list",
    "elements": "dict",
    "default": [],
    "options": {key: {"type": "str", "required": True} for key in ("interface", "address")},
}
COLLECTIVE: dict[str, Answer] = {
    "id": {"type": "str", "required": True},
    "operation": {"type": "str", "required": True},
    "nodes": {"type": "list", "elements": "str", "required": True},
    "gpus_per_node": {"type": "int", "default": 0},
    "launcher": {"type": "str", "default": ""},
    "split": {"type": "str", "default": ""},
    "smallest": {"type": "str", "default": "8"},
    "largest": {"type": "str", "default": "16G"},
    "iterations": {"type": "int", "default": 20},
    "warmup": {"type": "int", "default": 5},
    "seconds": {"type": "int", "default": 3600},
    "environment": {"type": "dict", "default": {}},
    "cycles": {"type": "int", "default": 1},
    "folder": {"type": "str", "default": ""},
    "options": {"type": "list", "elements": "str", "default": []},
    "rails": RAILS,
    "addresses": {"type": "list", "elements": "str", "default": []},
    "priority": {"type": "int", "default": 3},
}
SERVER_WAITS = 60
"""Seconds of `patience` with `serve` by default."""
COLLECT_WAITS = 10
"""The same with `collect`."""


def work(host: Host, params: Mapping[str, Any]) -> Answer:
    """Do the work of option `do`."""
    tasks = tasks_from(params["jobs"], params["collectives"])
    patience, at = params["patience"], params["at"]
    if params["do"] in ("stop", "release"):
        return _end(host, params, tasks)
    if params["do"] == "collect":
        seconds = COLLECT_WAITS if patience is None else patience
        made = serve.outcomes(host, tasks, lambda _task: seconds, at=at)
        return {"changed": False, "measurements": made}
    waits = SERVER_WAITS if patience is None else patience
    lease.take(host, params["run"], _most(tasks, waits, at))
    serve.begin_all(host, tasks, patience=waits, at=at)
    if params["rails"]:
        nccl.keep(host, ports_from(params["rails"]))
    if not tasks or any(map(is_collective, tasks)):
        cleanup.keep(host, params["run"])
    if params["do"] == "serve":
        now = time.strftime("%Y-%m-%d %H:%M:%S")
        return {"changed": bool(tasks), "started": _started(host, tasks), "now": now}
    made = serve.outcomes(host, tasks, lambda task: serve.whole(task, waits, at=at))
    return {"changed": False, "measurements": made}


def _most(tasks: list[Task], waits: float, at: float) -> float:
    """Seconds for which the host is held at first; of a collective until its ranks run, and hold it longer."""
    jobs = [task for task in tasks if not is_collective(task)]
    return max([waits, *(serve.whole(task, waits, at=at) for task in jobs)])


def _end(host: Host, params: Mapping[str, Any], tasks: list[Task]) -> Answer:
    stops = params["do"] == "stop"
    if held := lease.claim(host, params["run"], 0) if stops else lease.other(host, params["run"]):
        return {"changed": False, "stopped": [], "held": held}
    stopped = serve.end(host, tasks or None)
    if params["do"] == "release":
        lease.release(host, params["run"])
    return {"changed": bool(stopped), "stopped": stopped, "held": ""}


def _started(host: Host, tasks: list[Task]) -> list[dict[str, str]]:
    return [serve.started_as(host, task) for task in tasks]


def main() -> None:
    """Entry of the module."""
    module = AnsibleModule(
        argument_spec={
            "do": {
                "type": "str",
                "choices": ["serve", "measure", "collect", "stop", "release"],
                "required": True,
            },
            "run": {"type": "str", "default": ""},
            "jobs": {"type": "list", "elements": "dict", "default": [], "options": JOB},
            "collectives": {
                "type": "list",
                "elements": "dict",
                "default": [],
                "options": COLLECTIVE,
            },
            "rails": RAILS,
            "patience": {"type": "int"},
            "at": {"type": "float", "default": 0},
            "sysfs_path": {"type": "path", "default": "/sys"},
        },
        supports_check_mode=True,
    )
    params = module.params
    host = Host(check_mode=module.check_mode, sysfs=params["sysfs_path"])
    finish(module, host, lambda: work(host, params))


if __name__ == "__main__":
    main()
