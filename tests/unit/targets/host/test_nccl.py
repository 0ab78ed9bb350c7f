# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of nccl-tests and their launchers: lines as published, figures from the model of links."""

from __future__ import annotations

import json
import pathlib
import re

import pytest
from nicsim.tools import srun

from .fabric import model, planes

ROOT = pathlib.Path(__file__).resolve().parents[4]
REAL = (ROOT / "tests/captures/performance/nccl-tests-2.17-columns.txt").read_text().splitlines()
SRUN = json.loads((ROOT / "tests/captures/performance/srun-22.05.json").read_text())
FOUR = ("mpirun", "--allow-run-as-root", "-np", "8", "-H", "n0:2,n1:2,n2:2,n3:2")
SIZES = ("-b", "1G", "-e", "16G", "-f", "2")


@pytest.fixture
def nodes(host, monkeypatch):
    """Four nodes with two GPUs and rails each; call it with faults."""

    def seed(*faults):
        (host.folder / "links.json").write_text(json.dumps(model(*faults)))

    seed()
    host.admin("gpu", "open")
    for name in ("NCCL_DEBUG", "NCCL_TESTS_SPLIT", "NICSIM_RANKS", "NCCL_IB_DISABLE"):
        monkeypatch.setenv(name, "")
    host.seed = seed
    return host


def shape(line):
    """A line with its columns, without its figures."""
    return re.sub(r"\d", "9", line)


def rows(result):
    """Size -> (time, algorithm bandwidth, bus bandwidth) out of place."""
    assert result.rc == 0, result.err
    table = [line.split() for line in result.out.splitlines() if re.match(r" +\d", line)]
    return {int(row[0]): tuple(float(x) for x in row[5:8]) for row in table}


def best(result):
    return max(row[2] for row in rows(result).values())


def test_the_lines_are_those_of_the_real_program(nodes):
    lines = nodes(*FOUR, "-x", "NCCL_DEBUG=WARN", "all_reduce_perf", *SIZES).out.splitlines()
    assert lines[:4] == [
        REAL[0],
        REAL[1],
        REAL[2].replace("4294967296", "17179869184"),
        "#",
    ]
    assert re.fullmatch(
        r"#  Rank  0 Group  0 Pid +\d+ on         n0 device  0 \[0000:1b:00\] NVIDIA H200", lines[5]
    )
    heading = REAL.index("NCCL version 2.29.3+cuda13.1")
    assert lines[13:18] == REAL[heading : heading + 5]
    assert [shape(line).rstrip() for line in lines[-5:]] == [
        "# Out of bounds values : 9 OK",
        shape(f"# Avg bus bandwidth    : {lines[-4].split(':')[1].strip()}"),
        "#",
        "# Collective test concluded: all_reduce_perf",
        "#",
    ]


def test_figures_stand_in_their_columns(nodes):
    line = next(
        x
        for x in nodes(*FOUR, "all_reduce_perf", *SIZES).out.splitlines()
        if x.startswith("  8589934592")
    )
    assert len(line) == len(REAL[-6])
    assert [m.end() for m in re.finditer(r"\S+", line)] == [
        m.end() for m in re.finditer(r"\S+", REAL[-6])
    ]


@pytest.mark.parametrize(
    "program, least, most",
    [
        ("all_reduce_perf", 90, 94.1),
        ("all_gather_perf", 88, 91.5),
        ("reduce_scatter_perf", 88, 91.5),
        ("alltoall_perf", 40, 42.9),
        ("sendrecv_perf", 46, 48.6),
    ],
)
def test_a_healthy_fabric_reaches_the_published_part_of_its_nics(nodes, program, least, most):
    """Two NICs of 400 Gb/s a node are 100 GB/s, one is 50."""
    assert least < best(nodes(*FOUR, program, *SIZES)) <= most


def test_one_slow_port_slows_every_rail(nodes):
    nodes.seed({"kind": "slow-nic", "node": "n3", "port": "rail2p1", "gbps": 200})
    assert 45 < best(nodes(*FOUR, "all_reduce_perf", *SIZES)) < 48


def test_split_by_rail_shows_one_rail(nodes, monkeypatch):
    monkeypatch.setenv("NCCL_TESTS_SPLIT", "MOD 2")
    result = nodes(*FOUR, "sendrecv_perf", *SIZES)
    assert 46 < best(result) < 49
    assert "#  Rank  1 Group  1 " in result.out
    nodes.seed({"kind": "slow-nic", "node": "n3", "port": "rail2p1", "gbps": 200})
    assert (
        46 < best(nodes(*FOUR, "sendrecv_perf", *SIZES)) < 49
    )  # group 0 is printed, the slow rail is group 1


def test_split_by_node_uses_no_network(nodes, monkeypatch):
    monkeypatch.setenv("NCCL_TESTS_SPLIT", "DIV 2")
    nodes.seed({"kind": "slow-leaf", "leaf": "leaf0r1", "share": 0.1})
    result = nodes(*FOUR, "-x", "NCCL_DEBUG=INFO", "all_reduce_perf", *SIZES)
    assert best(result) > 400
    assert "via P2P/CUMEM" in result.out
    assert "via NET/" not in result.out


@pytest.mark.parametrize("seeded", [True, False])
def test_the_library_says_what_carried_the_traffic(nodes, seeded):
    nodes.seed(*([{"kind": "tcp-fallback", "node": "n2"}] if seeded else []))
    result = nodes(*FOUR, "-x", "NCCL_DEBUG=INFO", "all_reduce_perf", *SIZES)
    used = "Socket" if seeded else "IB"
    assert f"NCCL INFO Using network {used}\n" in result.out
    assert ("NET/IB : No device found." in result.out) is seeded
    assert (best(result) < 5) is seeded


def test_without_a_level_the_library_is_silent(nodes):
    assert "NCCL" not in nodes(*FOUR, "all_reduce_perf", *SIZES).out.replace("NCCL_", "")


def test_json_of_the_results(nodes, monkeypatch):
    monkeypatch.chdir(nodes.folder)
    for name in ("out.json", "out.json.0"):
        nodes(*FOUR, "all_reduce_perf", *SIZES, "-J", "out.json")
        found = json.loads((nodes.folder / name).read_text())
        assert found["version"] == 2
        assert [row["size"] for row in found["results"]][-1] == 16 << 30
        assert set(found["results"][0]["out_of_place"]) == {"time", "alg_bw", "bus_bw", "nwrong"}


@pytest.mark.parametrize(
    "words, status, said",
    [
        (
            ("all_reduce_perf", "-g", "8"),
            3,
            "Invalid number of GPUs: 8 requested but only 2 were found.",
        ),
        (
            ("all_reduce_perf", "-b", "4G", "-e", "1G"),
            1,
            "invalid sizes for 'minbytes' and 'maxbytes'",
        ),
        (
            ("mpirun", "-np", "1", "all_reduce_perf"),
            1,
            "mpirun has detected an attempt to run as root.",
        ),
        (("mpirun", "--allow-run-as-root"), 1, "mpirun could not find anything to do."),
        (
            ("mpirun", "--allow-run-as-root", "-np", "9", "-H", "n0:2", "x"),
            1,
            "There are not enough slots",
        ),
        (
            ("mpirun", "--allow-run-as-root", "-H", "n0:2,n9:2", "x"),
            1,
            "ssh: connect to host n9 port 22",
        ),
        (
            ("mpirun", "--allow-run-as-root", "-H", "n0", "/no/x"),
            1,
            "unable to find the specified executable",
        ),
        (
            ("srun", "-N", "5", "all_reduce_perf"),
            1,
            "Requested node configuration is not available",
        ),
        (("srun", "-w", "n9", "all_reduce_perf"), 1, "Invalid node name specified"),
    ],
)
def test_refusals(nodes, monkeypatch, words, status, said):
    monkeypatch.setattr("os.geteuid", lambda: 0)
    result = nodes(*words)
    assert (result.rc, said in result.err) == (status, True), result


@pytest.mark.parametrize("word", ["-h", "--help"])
def test_the_usage_names_the_options_of_this_version(nodes, word):
    """Check the usage of a measurement: a version without time stamps shows no phases of a job."""
    result = nodes("alltoall_perf", word)
    assert result.rc == 0
    assert result.out.startswith("USAGE: alltoall_perf")
    assert "[-S,--report_timestamps <" in result.out


def test_a_host_without_gpus(nodes):
    nodes.admin("gpu", "none")
    result = nodes("all_reduce_perf")
    assert result.rc == 2
    assert "no CUDA-capable device is detected" in result.out


def test_slurm_starts_tasks_on_its_nodes(nodes):
    result = nodes("srun", "-w", "n0,n1,n2,n3", "--ntasks-per-node=2", "all_reduce_perf", *SIZES)
    assert 90 < best(result) < 95


def order(result):
    """The node of each rank."""
    return re.findall(r"#  Rank +\d+ Group +\d+ Pid +\d+ on +(\S+)", result.out)


def test_slurm_sorts_nodes_and_keeps_the_order_of_its_file(nodes, monkeypatch):
    """Manual page: nodes of a list are sorted, and `arbitrary` takes them as in the file of SLURM_HOSTFILE."""
    asked = ("srun", "-N", "2", "-n", "4", "--ntasks-per-node", "2")
    listed = nodes(*asked, "--nodelist", "n2,n0", "all_reduce_perf", *SIZES)
    assert order(listed) == ["n0", "n0", "n2", "n2"]
    (nodes.folder / "hosts").write_text("n2\nn2\nn0\nn0\n")
    monkeypatch.setenv("SLURM_HOSTFILE", str(nodes.folder / "hosts"))
    filed = nodes(*asked, "--distribution=arbitrary", "all_reduce_perf", *SIZES)
    assert order(filed) == ["n2", "n2", "n0", "n0"]


def test_without_an_mpi_plugin_each_task_is_alone(nodes):
    result = nodes("srun", "--mpi=none", "-w", "n0,n1", "-n", "2", "all_reduce_perf", *SIZES)
    assert result.out.count("#  Rank  0 ") == 2
    assert "#  Rank  1 " not in result.out


@pytest.mark.parametrize(
    "case", SRUN["cases"], ids=lambda case: " ".join(case["argv"]) or "nothing"
)
def test_srun_refuses_what_the_real_one_refuses(nodes, monkeypatch, case):
    """Debian's srun, which reached no controller: what it says before it asks for one."""
    monkeypatch.chdir(nodes.folder)
    (nodes.folder / "hosts").write_text("n2\nn2\nn0\nn0\n")
    for name, value in case["environment"].items():
        monkeypatch.setenv(name, value)
    result = nodes("srun", *case["argv"])
    said = [line for line in case["err"] if "slurm controller" not in line]
    if said:
        assert set(result.err.splitlines()) <= set(said)
        assert result.err
    if said == case["err"]:
        assert (result.rc, result.out.splitlines()) == (case["status"], case["out"])


def test_srun_knows_no_option_that_the_real_one_does_not():
    kinds = {name: row["value"] for name, row in SRUN["options"].items()}
    assert all(kinds[name] == "yes" for name in srun.VALUE)
    assert all(kinds[name] in ("no", "optional") for name in srun.PLAIN)
    shorts = {row["short"]: name for name, row in SRUN["options"].items()}
    assert srun.SHORT.items() <= shorts.items()


def test_a_file_of_hosts(nodes):
    file = nodes.folder / "hosts"
    file.write_text("# all\nn0 slots=2\nn2 slots=2\n")
    result = nodes(
        "mpirun", "--allow-run-as-root", "--hostfile", str(file), "all_reduce_perf", *SIZES
    )
    assert "#  Rank  3 Group  0 " in result.out
    assert best(result) > 90


def test_bytes_are_counted_in_the_class_of_the_packets(nodes, monkeypatch):
    def counted(name):
        line = next(x for x in nodes("ethtool", "-S", "ens3np0").out.splitlines() if name in x)
        return int(line.split(": ")[1])

    nodes("mlnx_qos", "-i", "ens3np0", "--trust=dscp")
    monkeypatch.setenv("NCCL_IB_TC", "96")
    nodes(*FOUR, "all_reduce_perf", *SIZES)
    assert counted("tx_prio3_bytes") == counted("rx_prio3_bytes") > 16e9
    assert counted("tx_prio0_bytes") == 0
    nodes("mpirun", "--allow-run-as-root", "-H", "n0:2", "all_reduce_perf", *SIZES)
    assert counted("tx_prio0_bytes") == 0  # inside a node nothing is sent


def test_cycles_are_printed_with_their_times(nodes):
    """util.cu: the heading of times is 19 wide behind a blank, a time 21."""
    more = ("-b", "128M", "-e", "128M", "-N", "3", "-S", "1")
    lines = nodes(*FOUR, "alltoall_perf", *more).out.splitlines()
    table = [line for line in lines if re.match(r" +\d", line)]
    assert len(table) == 3
    for line in table:
        assert re.fullmatch(r"  \d{4}-\d\d-\d\d \d\d:\d\d:\d\d", line[-21:])
    heading = next(line for line in lines if " size " in line)
    assert heading.endswith(f" #wrong {'timestamp':>19}")
    assert f"{'%Y-%m-%d %H:%M:%S':>19}" in "\n".join(lines)


@pytest.fixture
def split(nodes, monkeypatch):
    """The same with one rail in two planes; call it with the ends of dark cables and with options of mpirun."""
    monkeypatch.setenv("NICSIM_FLOWS", str(nodes.folder / "flows"))
    (nodes.folder / "flows").mkdir()
    (nodes.folder / "links.json").write_text(json.dumps(planes()))

    def job(*dark, more=()):
        monkeypatch.setenv("NCCL_NET_PLUGIN", "")
        (nodes.folder / "flows" / "dark.json").write_text(json.dumps(dark))
        launcher = ("mpirun", "--allow-run-as-root", "-np", "4", "-H", "n0,n1,n2,n3", *more)
        return nodes(*launcher, "alltoall_perf", "-b", "1G", "-e", "1G")

    return job


PLUGIN = ("-x", "NCCL_NET_PLUGIN=spcx")
SPINE = tuple(f"leaf{leaf}p1:up{n}" for leaf in range(2) for n in range(2))
LEAF = ("leaf0p1:up0", "leaf0p1:up1", "n0:rail1p1", "n1:rail1p1")
PLANE = tuple(f"n{node}:rail1p1" for node in range(4))


@pytest.mark.parametrize("more", [(), PLUGIN])
def test_an_uplink_takes_its_share_of_what_leaves_the_leaf(split, more):
    """Two nodes of a leaf send two thirds of what they can to the other leaf: 533 Gb/s, and 400 are left."""
    whole = best(split(more=more))
    assert 80 < whole < 86
    part = best(split("leaf0p1:up0", more=more)) / whole
    assert part == pytest.approx((0.75 + 1) / 2 if more else 0.75, abs=0.01)


@pytest.mark.parametrize("dark", [SPINE, LEAF, PLANE, ("n2:rail1p1",)])
def test_without_the_plugin_a_job_ends_with_its_plane(split, dark):
    result = split(*dark)
    assert result.rc == 3
    assert "NCCL WARN NET/IB: Got completion from peer with status" in result.err
    assert best(split(*dark, more=PLUGIN)) / best(split(more=PLUGIN)) == pytest.approx(
        0.5, abs=0.01
    )


def test_with_the_plugin_a_job_ends_with_its_last_plane(split):
    assert split("n2:rail1p1", "n2:rail1p2", more=PLUGIN).rc == 3
    assert split("n2:rail1p1", "n1:rail1p2", more=PLUGIN).rc == 3


def test_a_plugin_is_named(nodes):
    more = ("-x", "NCCL_DEBUG=INFO", "-x", "NCCL_NET_PLUGIN=spcx")
    said = nodes(*FOUR, *more, "alltoall_perf", "-b", "1G", "-e", "1G").out
    assert "NCCL INFO NET/Plugin: Loaded net plugin SPCX (v10)" in said
    assert "Using network SPCX" in said
