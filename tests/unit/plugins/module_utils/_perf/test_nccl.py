# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""nccl-tests: command lines, real tables, and the lines of NCCL that prove the transport.

Formats: github.com/NVIDIA/nccl-tests (src/util.cu). Rows and lines are those of captures in public guides and issues.
"""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf import nccl
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.nccl import (
    by_size,
    command,
    environment,
    leaves_nodes,
    measure,
    parse,
    size,
    split,
    transport,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.module_utils._nic.stand_ins import (
    simulated,
)
from ansible_collections.spectrum_x.fabric.tests.unit.targets.host.fabric import model

FOLDER = "/opt/nccl-tests/build"
COLUMNS = (
    "#                                                              out-of-place                       in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw"
    "   busbw  #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)"
    "  (GB/s)\n"
)
# nccl-tests 2.18.3, two nodes of eight GPUs, Spectrum-X plugin (a public report of April 2026).
ROWS = (
    "        1024           256     float     sum      -1    35.49    0.03    0.05       0"
    "    33.42    0.03    0.06       0\n"
    "   268435456      67108864     float     sum      -1  10257.0   26.17   49.07       0"
    "  10245.4   26.20   49.13       0\n"
    "  8589934592    2147483648     float     sum      -1   323879   26.52   49.73       0"
    "   323213   26.58   49.83       0\n"
)
END = (
    "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 20.6323 \n#\n"
    "# Collective test concluded: all_reduce_perf\n#\n"
)


def ranks(number: int = 16) -> str:
    """A line for each rank, as version 2.18.3 prints it."""
    lines = (
        f"#  Rank {n:2d} Group  0 Pid {12574 + n:6d} on host-{n // 8} device {n % 8:2d} [0000:06:00] NVIDIA B300\n"
        for n in range(number)
    )
    return "# Using devices\n" + "".join(lines)


TABLE = ranks() + COLUMNS + ROWS + END
ROCE = (
    "h:7:19 [0] NCCL INFO NET/Plugin: Loaded net plugin SPCX (v10)\n"
    "h:7:19 [0] NCCL INFO Using network SPCX\n"
    "h:7:19 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
    "h:7:19 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0] [receive] via NET/SPCX/0/GDRDMA\n"
    "h:7:19 [0] NCCL INFO Channel 00/0 : 0[0] -> 8[0] [send] via NET/SPCX/0/GDRDMA\n"
)
# HPC-X without RDMA devices, where the plugin loads and NCCL falls back (public notes of NCCL 2.30.7).
FALLBACK = (
    "h:7:7 [0] NCCL INFO NET/Plugin: Loaded net plugin SPCX (v10)\n"
    "h:7:19 [0] NCCL INFO NET/IB : No device found.\n"
    "h:7:19 [0] NCCL INFO Failed to initialize NET plugin SPCX\n"
    "h:7:19 [0] NCCL INFO NET/Socket : Using [0]eth0:10.56.0.6<0>\n"
    "h:7:19 [0] NCCL INFO Assigned NET plugin Socket to comm\n"
    "h:7:19 [0] NCCL INFO Using network Socket\n"
)
# GB200, two trays in one NVLink domain: NCCL counts them as one node, whatever network it chose.
MNNVL = (
    "h:7:7 [0] NCCL INFO Using network IB\n"
    "h:7:7 [0] NCCL INFO MNNVL 1 cliqueId 2786 cliqueSize 16 cliqueRank 0 nvlDomainSize 16\n"
    "h:7:7 [0] NCCL INFO comm 0x9a39870 rank 0 nRanks 16 nNodes 1 localRanks 16 localRank 0 MNNVL 1\n"
)


@pytest.mark.parametrize(
    ("text", "kind", "network", "plugin"),
    [
        (ROCE, "roce", "SPCX", "SPCX"),
        (ROCE.replace("NET/SPCX/0", "NET/IBext_v8/1"), "roce", "IBext_v8", "SPCX"),
        (
            "NCCL INFO Using network IB\nNCCL INFO comm 0x1 rank 0 nRanks 16 nNodes 2 localRanks 8\n",
            "roce",
            "IB",
            "",
        ),
        (FALLBACK, "tcp", "Socket", "SPCX"),
        (
            "NCCL INFO Channel 01/1 : 0[0] -> 1[1] [send] via NET/Socket/0/Shared\n",
            "tcp",
            "Socket",
            "",
        ),
        (
            ROCE + "NCCL INFO Channel 01/0 : 0[0] -> 8[0] [send] via NET/Socket/0\n",
            "tcp",
            "Socket",
            "SPCX",
        ),
        (MNNVL, "nvlink", "IB", ""),
        (
            "NCCL INFO Channel 00 : 4[0] -> 3[3] via P2P/MNNVL\nNCCL INFO Using network Socket\n",
            "nvlink",
            "Socket",
            "",
        ),
        ("NCCL INFO Using network AWS Libfabric\n", "", "AWS Libfabric", ""),
        (
            "NCCL INFO Channel 00/0 : 1[0] -> 0[0] [receive] via NET/AWS Libfabric/0/GDRDMA\n",
            "",
            "AWS Libfabric",
            "",
        ),
        ("NCCL version 2.30.3+cuda13.0\n", "", "", ""),
    ],
)
def test_what_carried_the_data(text, kind, network, plugin):
    found = transport(text)
    assert (found.transport, found.network, found.plugin) == (kind, network, plugin)


def test_gpudirect_is_proven_by_every_channel():
    assert transport(ROCE).direct is True
    assert transport(ROCE.replace("0/GDRDMA\n", "0\n", 1)).direct is False


def test_the_table():
    found = parse(TABLE)
    assert (found.wrong, found.ranks, len(found.cycles)) == (0, 16, 3)
    assert by_size(found.cycles) == {"1024": 0.05, "268435456": 49.07, "8589934592": 49.73}


GATHER = "  1073741824     134217728     float    none      -1  27211.0   39.46   19.73       0"
ALLTOALL = "   134217728      33554432     uint8    none      -1   9000.1   14.91   13.98       0"


@pytest.mark.parametrize(
    ("row", "at", "busbw"),
    [
        # all_gather of two nodes: no operation, `none`.
        (f"{GATHER}  25806.7   41.61   20.80       0", "", 19.73),
        # Without a check of the data; alltoall has no figure in place in older versions.
        (f"{ALLTOALL[:-1]}N/A      N/A     N/A     N/A    N/A", "", 13.98),
        # A version without the column root, and an error in place of a count.
        (
            "   134217728      33554432     float     sum   141223   15.21   28.51    0e+00"
            "   141004   15.23   28.56    0e+00",
            "",
            28.51,
        ),
        # With -S 1, from launchers that label lines.
        (
            f"[1,0]<stdout>:{ALLTOALL}   9001.2   14.91   13.98       0  2026-11-25 03:04:05",
            "2026-11-25 03:04:05",
            13.98,
        ),
        (f"0: {ALLTOALL}   9001.2   14.91   13.98       0", "", 13.98),
        # Tags of Open MPI 5, times of both versions (the older has a blank less), hydra, and the program ts.
        (f"[prterun-node01-100629@1,0]<stdout>: {ALLTOALL}", "", 13.98),
        (f"[prterun-n1-7@1,0][n1:100629]<stdout>: {ALLTOALL}", "", 13.98),
        (f"Mon Nov 30 05:10:00 2026[1,0]<stdout>:{ALLTOALL}", "", 13.98),
        (f"Tue Dec  1 05:10:00 2026<stdout>: {ALLTOALL}", "", 13.98),
        (f"2026-11-30 05:10:00 [1,0]<stdout>:{ALLTOALL}", "", 13.98),
        (f"2026-11-30T05:10:00.123Z {ALLTOALL}", "", 13.98),
        (f"[0] {ALLTOALL}", "", 13.98),
        (f"00: {ALLTOALL}", "", 13.98),
        # In place alone is not printed by every version.
        (ALLTOALL, "", 13.98),
    ],
)
def test_rows_of_several_versions(row, at, busbw):
    (found,) = parse(row).cycles
    assert (found["at"], found["busbw"]) == (at, busbw)


@pytest.mark.parametrize(
    "tag",
    [
        "[prterun-node01-100629@1,0]<stdout>: ",
        "[1,0]<stdout>:",
        "Mon Nov 30 05:10:00 2026[1,0]<stdout>:",
        "[0] ",
        " 0: ",
    ],
)
def test_a_whole_table_behind_the_tags_of_a_launcher(tag):
    found = parse("".join(f"{tag}{row}\n" for row in TABLE.splitlines()))
    assert found == parse(TABLE)


@pytest.mark.parametrize(
    "row",
    [
        "   268435456       4194304     float    none      -1    42000",
        "   268435456       4194304     float    none      -1    nan    6.39    6.29    0",
        "#  268435456       4194304     float    none      -1    42000    6.39    6.29    N/A",
        "h:7:19 [0] NCCL INFO Channel 00/0 : 8[0] -> 0[0]",
    ],
)
def test_a_broken_row_is_none(row):
    assert parse(row).cycles == ()


def collective(**values):
    return {
        "id": "collectives/all_reduce",
        "operation": "all_reduce",
        "nodes": ["node-a", "node-b"],
        "gpus_per_node": 8,
        "launcher": "mpirun",
        "split": "",
        "smallest": "1K",
        "largest": "8G",
        "iterations": 20,
        "warmup": 5,
        "seconds": 600,
        "environment": {"NCCL_IB_HCA": "=mlx5_0:1,mlx5_1:1"},
        "folder": FOLDER,
        **values,
    }


def line(usage="", **values):
    return " ".join(command(collective(**values), f"{FOLDER}/all_reduce_perf", usage))


def test_mpirun_starts_a_process_for_each_gpu():
    assert line(options=["--mca", "btl_tcp_if_include", "bond0"], split="MOD 8") == (
        "mpirun --allow-run-as-root -np 16 --host node-a:8,node-b:8 --map-by ppr:8:node --bind-to none "
        "-x NCCL_DEBUG -x NCCL_DEBUG_FILE -x NCCL_DEBUG_SUBSYS -x NCCL_IB_HCA -x NCCL_TESTS_SPLIT "
        "-x SPECTRUM_X_MEASURE --mca btl_tcp_if_include bond0 "
        f"{FOLDER}/all_reduce_perf -b 1K -e 8G -f 2 -n 20 -w 5 -c 1 -g 1"
    )


@pytest.mark.parametrize(("rank", "said"), [("7", "INFO"), ("8", "unset")])
def test_in_large_runs_the_first_node_alone_says_what_it_uses(rank, said):
    nodes = [f"n{number}" for number in range(64)]
    argv = command(collective(nodes=nodes), "x_perf", "")
    here = argv[argv.index("sh") : argv.index("x_perf")]
    env = {"PATH": os.environ["PATH"], "NCCL_DEBUG": "INFO", "OMPI_COMM_WORLD_RANK": rank}
    show = ["sh", "-c", 'echo "${NCCL_DEBUG:-unset}" "$1"', "-", "a b"]
    done = subprocess.run([*here, *show], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == f"{said} a b\n"


def test_srun_takes_the_environment_along():
    assert line(launcher="/opt/slurm/bin/srun").startswith(
        "/opt/slurm/bin/srun -N 2 -n 16 --ntasks-per-node 8 --distribution=arbitrary --export=ALL --immediate=60 "
        "/opt/nccl-tests"
    )


def test_words_of_the_site_come_last():
    said = line(launcher="srun", options=["--partition=burn-in", "--gpus-per-node=8"])
    assert "--immediate=60 --partition=burn-in --gpus-per-node=8 /opt/nccl-tests" in said


def test_one_node_needs_no_launcher():
    said = line(launcher="", nodes=["node-a"])
    assert said == f"{FOLDER}/all_reduce_perf -b 1K -e 8G -f 2 -n 20 -w 5 -c 1 -g 8"


@pytest.mark.parametrize(
    ("usage", "stamps"), [("[-S,--report_timestamps <0/1>]", " -S 1"), ("", "")]
)
def test_an_endless_run_has_time_stamps_where_the_version_knows_them(usage, stamps):
    assert line(usage, cycles=0).endswith(f"-c 0 -g 1 -N 0{stamps}")


def test_variables_of_the_site_win():
    found = environment(collective(environment={"NCCL_DEBUG": "WARN", "X": "1"}, split="DIV 8"))
    assert found == {
        "NCCL_DEBUG": "WARN",
        "NCCL_DEBUG_FILE": "/dev/stderr",
        "NCCL_DEBUG_SUBSYS": "INIT,NET",
        "NCCL_TESTS_SPLIT": "DIV 8",
        "X": "1",
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("MOD 8", ("MOD", 8)),
        ("%8", ("MOD", 8)),
        ("AND 0x7", ("AND", 7)),
        ("or 0b111", ("OR", 7)),
        ("DIV 0", None),
        ("8", None),
    ],
)
def test_splits_as_nccl_tests_reads_them(text, found):
    assert split(text) == found


@pytest.mark.parametrize(
    ("text", "leaves"),
    [("", True), ("MOD 8", True), ("AND 0x7", True), ("DIV 8", False), ("OR 0x7", False), ("DIV 16", True)],
)  # fmt: skip
def test_which_groups_span_nodes(text, leaves):
    """The README of nccl-tests: MOD 8 is purely between nodes, DIV 8 purely within one."""
    assert leaves_nodes(collective(split=text)) is leaves


@pytest.mark.parametrize(
    ("stated", "split", "each", "groups"),
    [(0, "", 4, ""), (0, "MOD 8", 4, "MOD 4"), (0, "DIV 8", 4, "DIV 8"), (2, "MOD 8", 2, "MOD 8")],
)
def test_the_node_tells_its_gpus_where_nothing_is_stated(stated, split, each, groups):
    made = nccl.sized(collective(gpus_per_node=stated, split=split), 4)
    assert (made["gpus_per_node"], made["split"]) == (each, groups)


def test_one_node_is_never_left():
    assert leaves_nodes(collective(nodes=["node-a"])) is False


@pytest.mark.parametrize(
    ("text", "number"), [("8", 8), ("1K", 1024), ("16G", 2**34), ("128m", 2**27), ("x", 0)]
)
def test_sizes_are_powers_of_1024(text, number):
    assert size(text) == number


def ready(machine, out=TABLE, err=ROCE, rc=0):
    machine.gpu()
    program = f"{FOLDER}/all_reduce_perf"
    for name in (program, "/usr/bin/mpirun"):
        machine.program(name)
    machine.says = {program: Result(0, "USAGE: all_reduce_perf", ""), "run": Result(rc, out, err)}
    machine.rises = {"tx_prio3_bytes": 2**40}
    return machine.host()


def run(machine, *, ended=False, host=None, **values):
    return measure(
        host or machine.host(), collective(**values), lambda: ended, hostfile="/run/m.report"
    )


def test_a_run_over_roce_is_measured(machine):
    found = run(machine, host=ready(machine))
    assert (found["state"], found["sentence"], found["transport"]) == ("measured", "", "roce")
    assert (found["best"], found["busbw"]["8589934592"]) == (49.73, 49.73)
    assert (found["plugin"], found["ranks"], found["memory"]) == ("SPCX", 16, "gpu")
    assert found["counters"]["tx_prio3_bytes"] == 2**40
    assert "cycles" not in found
    assert machine.ran[:2] == ["env", "NCCL_DEBUG=INFO"]
    assert "timeout" in machine.ran


def test_the_ranks_are_those_of_the_gpus_that_there_are(machine):
    found = run(machine, host=ready(machine, TABLE.replace(ranks(), ranks(2))), gpus_per_node=0)
    assert (found["state"], found["ranks"]) == ("measured", 2)
    assert "ppr:1:node" in machine.ran


def test_the_build_for_mpi_is_preferred_under_a_launcher(machine):
    host = ready(machine)
    machine.program(f"{FOLDER}/all_reduce_perf_mpi")
    machine.says[f"{FOLDER}/all_reduce_perf_mpi"] = machine.says[f"{FOLDER}/all_reduce_perf"]
    run(machine, host=host)
    assert f"{FOLDER}/all_reduce_perf_mpi" in machine.ran


@pytest.mark.parametrize(
    ("err", "kind", "words"),
    [
        (FALLBACK, "tcp", "all_reduce ran over TCP (NCCL: network Socket), not over RoCE"),
        (MNNVL, "nvlink", "all_reduce ran over NVLink alone, so it says nothing about the fabric"),
        ("", "", "all_reduce: NCCL named no network, so nothing proves RoCE"),
    ],
)
def test_the_wrong_transport_is_no_measurement(machine, err, kind, words):
    found = run(machine, host=ready(machine, err=err))
    assert (found["state"], found["transport"], found["best"], found["busbw"]) == (
        "failed",
        kind,
        None,
        {},
    )
    assert found["sentence"].startswith(words)


@pytest.mark.parametrize("err", [ROCE, "NCCL INFO Using network Custom\n"])
@pytest.mark.parametrize(
    ("rises", "state"),
    [
        ({"tx_prio3_bytes": 2**40}, "measured"),
        ({"tx_prio3_bytes": 7, "rx_prio3_bytes": 2**40}, "measured"),  # the root of a reduce
        ({"tx_prio0_bytes": 2**40}, "failed"),
        ({"tx_prio3_bytes": 2**33}, "failed"),
    ],
)
def test_any_network_is_proven_by_the_priority(machine, err, rises, state):
    host = ready(machine, err=err)
    machine.rises = rises
    found = run(machine, host=host)
    assert found["state"] == state
    assert ("was not in priority 3" in found["sentence"]) is (state == "failed")


RAILS = {"rails": [{"interface": "rail1p1", "address": "172.16.0.0"}], "environment": {}}
USING = "h:7:19 [0] NCCL INFO NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.56.0.6<0>\n"
PAIR = (
    "h:7:19 [0] NCCL INFO NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 261 mtu 5 GID 3 (0/{}10ACFFFF0000)"
    " ctsFifoRkey=0x1 ctsFifoLkey=0x1\n"
)


def test_nccl_gets_the_rails_and_their_gid_index(machine):
    found = run(machine, host=ready(machine, err=ROCE + USING), **RAILS)
    assert (found["state"], found["sentence"]) == ("measured", "")
    assert {"NCCL_IB_HCA==mlx5_0:1", "NCCL_IB_GID_INDEX=3"} <= set(machine.ran)
    assert "NCCL_IB_HCA" in machine.ran[machine.ran.index("-x") :]
    assert {call[-1] for call in machine.calls if "-S" in call} == {"rail1p1"}


OTHER = "spectrum-x rails =mlx5_4:1,mlx5_5:1\n" + USING.replace("mlx5_0", "mlx5_4")


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (USING, ""),
        (USING + OTHER, ""),
        (USING + OTHER.replace("mlx5_4:1/", "mlx5_6:1/"), "all_reduce used mlx5_6, and the plan has"),
        (PAIR.format(""), ""),
        (PAIR.format("200"), ""),
        ("NCCL INFO NET/IBext_v8 : Using [0]mlx5_0:1/RoCE [1]mlx5_2:1/RoCE [RO]\n", "all_reduce used mlx5_2, and"),
        (USING.replace("RoCE", "IB"), "ran over InfiniBand (NCCL: mlx5_0/IB), not over RoCE"),
        (USING.replace("RoCE", "IB/SHARP"), "ran over InfiniBand (NCCL: mlx5_0/IB), not over RoCE"),
        (PAIR.format("900"), "all_reduce used 172.16.0.9, and the plan has no rail there"),
        (PAIR.replace("0/{}10ACFFFF0000", "80FE/1FEFFFF"), "all_reduce used fe80::ffff:fe01:0:0, and"),
    ],
)  # fmt: skip
def test_what_nccl_used_are_the_rails(machine, lines, words):
    host = ready(machine, err=ROCE + lines)
    found = run(machine, host=host, addresses=["172.16.0.0", "172.16.0.2"], **RAILS)
    assert found["state"] == ("failed" if words else "measured")
    assert words in found["sentence"]


@pytest.mark.parametrize(("rank", "says"), [("0", True), ("1", False)])
def test_each_rank_uses_the_rails_of_its_own_node(machine, rank, says):
    """mpirun gives all ranks the devices of the first node; they may have other names there."""
    nccl.keep(machine.host(), [{"interface": "rail1p1", "address": "172.16.0.0"}])
    argv = command(collective(), "x_perf", "", own_rails=True)
    here = argv[argv.index("sh") : argv.index("x_perf")]
    here[-1] = f"{machine.folder}{here[-1]}"
    env = {"PATH": os.environ["PATH"], "NCCL_IB_HCA": "=mlx5_9:1", "SLURM_LOCALID": rank}
    show = ["sh", "-c", 'echo "$NCCL_IB_HCA $NCCL_IB_GID_INDEX" "$1"', "-", "a b"]
    done = subprocess.run([*here, *show], env=env, capture_output=True, text=True, check=True)
    assert done.stdout == "=mlx5_0:1 3 a b\n"
    assert done.stderr == ("spectrum-x rails =mlx5_0:1\n" if says else "")


def test_a_node_without_a_rail_keeps_none_of_its_own(machine):
    """NCCL says what it lacks there; what an earlier run kept is gone."""
    host = machine.host()
    nccl.keep(host, [{"interface": "rail1p1", "address": "172.16.0.0"}])
    nccl.keep(host, [{"interface": "rail9p1", "address": "172.16.0.0"}])
    assert not host.path(nccl.OWN_RAILS).exists()


@pytest.mark.parametrize(
    ("stated", "own"), [({}, True), ({"NCCL_IB_HCA": "mlx5_7"}, False), ({"X": "1"}, True)]
)
def test_devices_that_the_site_states_are_those_of_all_nodes(machine, stated, own):
    run(machine, host=ready(machine), **{**RAILS, "environment": stated})
    assert (nccl.OWN_RAILS in machine.ran) is own


def test_a_rail_without_its_gid_is_no_measurement(machine):
    found = run(
        machine,
        host=ready(machine),
        rails=[{"interface": "rail1p1", "address": "172.16.0.8"}],
    )
    assert found["state"] == "failed"
    assert "all_reduce: rail1p1: mlx5_0 has no RoCE v2 GID of 172.16.0.8" in found["sentence"]


SHARED = "h:7:19 [0] NCCL INFO Channel 00 : 0[0] -> 1[1] via SHM/direct/direct\n"


@pytest.mark.parametrize(
    ("err", "split", "state", "kind", "words"),
    [
        (SHARED, "DIV 8", "measured", "shm", "reach each other by its memory (SHM), not by NVLink"),
        (SHARED, "", "failed", "shm", "ran over shared memory alone"),
        (SHARED + ROCE, "", "measured", "roce", "reach each other by its memory (SHM), not by NVLink"),
        (SHARED.replace("SHM/direct/direct", "P2P/CUMEM"), "DIV 8", "measured", "", ""),
    ],
)  # fmt: skip
def test_shared_memory_is_neither_nvlink_nor_network(machine, err, split, state, kind, words):
    found = run(machine, host=ready(machine, err=err), split=split)
    assert (found["state"], found["transport"]) == (state, kind)
    assert words in found["sentence"] + found["note"]


def test_a_warning_in_a_run_that_ends_well_is_remarked(machine):
    found = run(machine, host=ready(machine, err=ROCE + WARNED))
    assert found["state"] == "measured"
    assert found["note"] == "NCCL warns: NET/IB : Got async event : port error"


def test_without_ethtool_nothing_proves_the_class(machine):
    ready(machine)
    host = machine.host(
        lambda argv, seconds: (
            Result(127, "", "") if argv[0] == "ethtool" else machine.run(argv, seconds)
        )
    )
    found = run(machine, host=host)
    assert (found["state"], found["sentence"][:24]) == ("not_run", "ethtool is not installed")


def test_nvlink_is_right_where_groups_stay_in_a_node(machine):
    found = run(machine, host=ready(machine, err=MNNVL), split="DIV 8")
    assert (found["state"], found["transport"]) == ("measured", "nvlink")


def test_tcp_is_wrong_within_a_node_too(machine):
    found = run(machine, host=ready(machine, err=FALLBACK), split="DIV 8")
    assert found["sentence"] == "all_reduce ran over TCP on one node."


def test_host_memory_is_noted(machine):
    found = run(machine, host=ready(machine, err=ROCE.replace("/GDRDMA", "")))
    assert (found["state"], found["memory"]) == ("measured", "host")
    assert "GDRDMA" in found["note"]


WAITED = """\
srun: job 21 queued and waiting for resources
srun: job 21 has been allocated resources
"""
BUSY = """\
srun: Required node not available (down, drained or reserved)
srun: job 21 queued and waiting for resources
srun: error: Unable to allocate resources: Requested nodes are busy
"""
"""Output of Slurm 22.05 of Debian for a node that was drained, in `make drill DRILL=slurm`."""
FRAME = "-" * 74 + "\n"
RANK_3 = "process rank 3 with PID 7 on node n2 exited on signal 9"
# Open MPI 4 and 5 (their help texts; issues and guides quote them).
OPEN_MPI_4 = (
    f"{FRAME}Primary job  terminated normally, but 1 process returned\n"
    f"a non-zero exit code. Per user-direction, the job has been aborted.\n{FRAME}"
    f"{FRAME}mpirun noticed that {RANK_3} (Killed).\n{FRAME}"
)
OPEN_MPI_5 = (
    f"{FRAME}prterun detected that one or more processes exited with non-zero status,\n"
    "thus causing the job to be terminated. The first process to do so was:\n\n"
    f"   Process name: [prterun-n1-100629@1,3]\n   Exit code:    3\n{FRAME}"
)
SLOTS = (
    f"{FRAME}There are not enough slots available in the system to satisfy the 16\n"
    "slots that were requested by the application:\n\n  all_reduce_perf\n\n"
    f"Either request fewer procs for your application, or make more slots\navailable for use.\n{FRAME}"
)
GPUS = (
    "[1,3]<stderr>:Invalid number of GPUs: 8 requested but only 4 were found.\n"
    "[1,3]<stderr>:Please check the number of processes and GPUs per process.\n"
)
OOM = "slurmstepd: error: Detected 1 oom_kill event in StepId=21.0. Some of the step tasks have been OOM Killed.\n"
WARNED = "h:1:1 [0] transport/net_ib.cc:94 NCCL WARN NET/IB : Got async event : port error\n"


@pytest.mark.parametrize(
    ("out", "err", "rc", "words"),
    [
        (TABLE.replace(": 0 OK", ": 7 FAILED"), ROCE, 1, "returned wrong data: 7 values are out of bounds"),
        (TABLE.replace(": 0 OK", ": 7 FAILED"), ROCE, 0, "returned wrong data: 7 values are out of bounds"),
        (ranks() + COLUMNS, ROCE, 0, "printed no result"),
        (TABLE.replace(END, ""), ROCE, 0, "the line 'Out of bounds values' is missing"),
        (TABLE.replace(ranks(), ranks(1)), ROCE, 0, "ran with 1 ranks instead of 16: build nccl-tests"),
        ("", WARNED, 3, "all_reduce failed: NET/IB : Got async event : port error."),
        ("h: Test NCCL failure common.cu:958 'unhandled system error'\n", "", 3, "Test NCCL failure common.cu:958"),
        ("", BUSY, 1, "failed: Required node not available (down, drained or reserved)."),
        ("", WAITED + WARNED, 1, "all_reduce failed: NET/IB : Got async event : port error."),
        ("", "", 124, "all_reduce did not end within its time limit."),
        ("", "", -9, "all_reduce was killed (SIGKILL)."),
        ("", OPEN_MPI_4, 137, f"was killed (SIGKILL): {RANK_3} (Killed)."),
        ("", WARNED + OPEN_MPI_4, 1, f"all_reduce failed: {RANK_3} (Killed)."),
        ("", WARNED + OPEN_MPI_4.replace("9 (Killed)", "6 (Aborted)"), 134, "NET/IB : Got async event : port error."),
        ("", ROCE + OPEN_MPI_5, 3, "all_reduce failed: exit status 3."),
        ("", ROCE + SLOTS, 1, "not enough slots available in the system to satisfy the 16 slots that were requested"),
        ("", GPUS + OPEN_MPI_5, 3, "all_reduce failed: Invalid number of GPUs: 8 requested but only 4 were found."),
        ("", "srun: error: n2: task 3: Out Of Memory\n" + WARNED, 1, "failed: n2: task 3: Out Of Memory."),
        ("", OOM + WARNED, 1, "failed: Detected 1 oom_kill event in StepId=21.0. Some of the step tasks"),
        ("", "ssh: connect to host n2 port 22: No route to host\n" + SLOTS, 1, "failed: ssh: connect to host n2"),
    ],
)  # fmt: skip
def test_what_is_no_result(machine, out, err, rc, words):
    found = run(machine, host=ready(machine, out, err, rc))
    assert (found["state"], found["best"]) == ("failed", None)
    assert words in found["sentence"]


ENDLESS = (
    ranks()
    + COLUMNS
    + ROWS.splitlines()[1]
    + "\n"
    + ROWS.splitlines()[1].replace("49.07", "47.07")
    + "\n"
)


@pytest.mark.parametrize(("rc", "ended"), [(124, False), (143, True), (1, True)])
def test_a_run_that_repeats_itself_counts_until_it_is_ended(machine, rc, ended):
    found = run(machine, host=ready(machine, ENDLESS, ROCE, rc), cycles=0, ended=ended)
    assert (found["state"], found["best"]) == ("measured", 48.07)
    assert [row["busbw"] for row in found["cycles"]] == [49.07, 47.07]


@pytest.mark.parametrize("rc", [0, 1, 134])
def test_a_run_that_repeats_itself_may_not_end_by_itself(machine, rc):
    found = run(machine, host=ready(machine, ENDLESS, ROCE, rc), cycles=0)
    assert found["state"] == "failed"
    assert found["best"] is None


def test_several_cycles_are_averaged(machine):
    found = run(machine, host=ready(machine, ENDLESS + END), cycles=2)
    assert (found["state"], found["best"], len(found["cycles"])) == ("measured", 48.07, 2)


def test_what_cannot_run_says_why(machine):
    assert run(machine)["sentence"] == "all_reduce: this host has no GPU."
    machine.gpu()
    assert (
        "all_reduce_perf of nccl-tests is not in /opt/nccl-tests/build" in run(machine)["sentence"]
    )
    machine.program(f"{FOLDER}/all_reduce_perf")
    assert run(machine)["sentence"] == "mpirun is not installed on this host."
    assert "need a launcher; set spx_launcher" in run(machine, launcher="")["sentence"]
    machine.program("/usr/bin/mpirun")
    found = run(machine, split="8")
    assert found["state"] == "not_run"
    assert "has to be AND, OR, MOD or DIV" in found["sentence"]


@pytest.mark.parametrize(("cycles", "seconds"), [(1, 630), (0, 600)])
def test_every_run_has_an_end(cycles, seconds):
    assert nccl.limit(collective(cycles=cycles)) == seconds


# Real processes: the stand-ins of srun and nccl-tests


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    """Four nodes of two GPUs behind a simulated Slurm; call it with what a collective has of its own."""
    lab = simulated(tmp_path, monkeypatch)
    lab.start("bf3-nic-2rail")
    lab.sim("gpu", "open")
    (lab.folder / "links.json").write_text(json.dumps(model()))
    lab.rooted()

    def collect(**values):
        own = {"launcher": str(lab.folder / "bin/srun"), "folder": str(lab.folder / "bin")}
        brief = {
            "gpus_per_node": 2,
            "smallest": "1G",
            "largest": "1G",
            "iterations": 1,
            "warmup": 0,
            "priority": 0,  # as a card out of the factory has no other class
        }
        nodes = ["n2", "n0", "n3", "n1"]
        asked = collective(**{**own, **brief, "nodes": nodes, "environment": {}, **values})
        return measure(lab.host(), asked, lambda: False, hostfile=str(lab.folder / "m.report"))

    collect.folder = lab.folder
    return collect


def test_srun_runs_a_collective_on_the_nodes_in_their_order(slurm):
    found = slurm()
    assert (found["state"], found["sentence"], found["ranks"]) == ("measured", "", 8)
    assert found["transport"] == "roce"
    assert found["best"] > 80
    calls = (slurm.folder / "m.report").read_text().split()
    assert calls == ["n2", "n2", "n0", "n0", "n3", "n3", "n1", "n1"]


def test_a_slurm_that_disagrees_is_a_failure(slurm):
    for values, said in (
        ({"options": ["--mpi=none"]}, "ran with 1 ranks instead of 8"),
        ({"options": ["--export=NONE"]}, "NCCL named no network, so nothing proves RoCE"),
        ({"options": ["--oversubscribed"]}, "failed: unrecognized option '--oversubscribed'."),
        ({"nodes": ["n0", "n7"]}, "Invalid node name specified"),
    ):
        found = slurm(**values)
        assert (found["state"], found["best"]) == ("failed", None)
        assert said in found["sentence"]
