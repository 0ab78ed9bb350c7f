# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ib_write_bw and ib_write_lat: command lines, and what real versions print.

Formats: github.com/linux-rdma/perftest, src/perftest_parameters.h (RESULT_FMT_G, REPORT_FMT, RESULT_FMT_LAT) and
perftest_parameters.c (usage, write_bw_report_to_file). The rows are those of captures in public guides, named below.
"""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf import perftest
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.perftest import (
    command,
    measure,
    parse,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._perf.rail import Memory, Rail

GPU = "0000:1b:00.0"
RULE = "-" * 87 + "\n"
BW = " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]\n"
LAT = (
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]"
    "   99% percentile[usec]   99.9% percentile[usec] \n"
)
# Lines of perftest 4.5+0.17-1 of Debian, which took the command line below without a complaint about an option. Its
# --source_ip is also the name of an option of raw Ethernet. Builds with CUDA and later versions have more.
USAGE_45 = "      --out_json \n      --out_json_file=<file> \n      --ipv6 \n      --source_ip \n"
USAGE_CUDA = USAGE_45 + "      --use_cuda=<cuda device id>\n      --use_cuda_dmabuf\n"
USAGE_NEW = USAGE_CUDA.replace("--source_ip", "--bind_source_ip") + (
    "      --ipv6-addr=<IPv6> \n      --use_cuda_bus_id=<cuda full BUS id>\n"
)


def head(kind: str, qps: int = 4, link: str = "Ethernet") -> str:
    return (
        f"{RULE}                    RDMA_Write {kind} Test\n Dual-port       : OFF\t\tDevice         : mlx5_0\n"
        f" Number of qps   : {qps}\t\tTransport type : IB\n Connection type : RC\t\tUsing SRQ      : OFF\n"
        f" Mtu             : 4096[B]\n Link type       : {link}\n GID index       : 3\n{RULE}"
    )


# Two DGX Spark with four QPs, in a public guide of such a ring.
FOUR_QPS = (
    head("BW")
    + BW
    + " 65536      20000            111.72             111.71             0.213070\n"
    + RULE
)
# Both directions together, with -D: no peak is measured then (`ib_write_bw -b -D`, four DGX Spark).
BOTH = (
    "WARNING: BW peak won't be measured in this run.\n"
    + head("Bidirectional BW", 1)
    + BW
    + " 1048576    38096            0.00               213.05 \t\t   0.025397\n"
    + RULE
)
# Without --report_gbits, and with a warning between header and row (public guide of InfiniBand in Kubernetes).
MEBIBYTES = (
    head("BW", 1)
    + BW.replace("Gb/sec", "MB/sec")
    + "Conflicting CPU frequency values detected: 3393.675000 != 1500.000000. CPU Frequency is not max.\n"
    + " 8388608    5000             23326.82            23317.65\t\t   0.002915\n"
)
LATENCY = (
    head("Latency", 1)
    + LAT
    + " 2       1000          1.42           1.93         1.47     \t       1.47     \t0.00\t\t1.57 \t\t1.93\n"
)
# perftest 4.5 writes keys without quotes (strings of Debian's binary); later versions with them.
RESULTS = '"MsgSize": 65536,\n"n_iterations": 5000,\n"BW_peak": 0.00,\n"BW_average": 391.50,\n"MsgRate": 0.035668\n'
LATE = '"MsgSize": 2,\n"n_iterations": 1000,\n"t_typical": 1.47,\n"percentile_99": 1.57,\n"percentile_99.9": 1.93\n'
JSON_NEW = f'{{\n"test_info": {{\n"Link_type": "Ethernet",\n"GID_index": 1\n}},\n"results": {{\n{RESULTS}}}\n}}\n'
JSON_45 = JSON_NEW.replace('"', "").replace("0.035668\n", "0.035668,\n")
JSON_LAT = f'{{\n"results": {{\n{LATE}}}\n}}\n'

RAIL = Rail("rail1p1", "172.16.0.0", "mlx5_0", 3, ("rail1p1",), "0000:1a:00.0", 1)


@pytest.mark.parametrize(
    ("text", "gbps", "moved"),
    [
        (FOUR_QPS, 111.71, 65536 * 20000),
        (BOTH, 213.05, 1048576 * 38096),
        (MEBIBYTES, 195.603, 8388608 * 5000),
        (JSON_45, 391.5, 65536 * 5000),
        (JSON_NEW, 391.5, 65536 * 5000),
        (JSON_NEW + FOUR_QPS, 391.5, 65536 * 5000),
    ],
)
def test_bandwidth(text, gbps, moved):
    found = parse(text)
    assert (found.gbps, found.moved, found.link) == (gbps, moved, "Ethernet")


@pytest.mark.parametrize("text", [LATENCY, JSON_LAT])
def test_latency(text):
    assert parse(text).latency == {"typical": 1.47, "p99": 1.57}


@pytest.mark.parametrize(
    "text",
    [
        "",
        head("BW") + BW + RULE,
        head("BW") + BW + " 65536      20000            nan             inf             0.2\n",
        # A run of a duration has no percentiles (RESULT_FMT_LAT_DUR).
        head("Latency")
        + " #bytes        #iterations       t_avg[usec]    tps average\n 2       1000     1.47        9.1\n",
    ],
)
def test_what_has_no_result(text):
    found = parse(text)
    assert (found.gbps, found.latency) == (None, None)


def line(job, *, usage=USAGE_45, memory=None):
    return " ".join(command(job, RAIL, memory=memory or Memory(), usage=usage, report="/run/x"))


def test_the_command_line_of_a_client(a_job):
    assert line(a_job()) == (
        "ib_write_bw -d mlx5_0 -i 1 -x 3 -p 18515 -s 65536 -F --tclass=96 -q 4 -D 10 -f 1 --report_gbits "
        "--out_json --out_json_file=/run/x 172.16.0.2"
    )


def test_the_command_line_of_a_server_has_the_same_options(a_job):
    server, client = line(a_job(side="server")), line(a_job())
    assert client == f"{server} 172.16.0.2"


def test_latency_is_measured_by_a_number_of_exchanges(a_job):
    said = line(a_job(tool="ib_write_lat", size=2, seconds=5), usage="")
    assert (
        said == "ib_write_lat -d mlx5_0 -i 1 -x 3 -p 18515 -s 2 -F --tclass=96 -n 100000 172.16.0.2"
    )


@pytest.mark.parametrize(
    ("seconds", "asked"), [(1, "-D 3 -f 1"), (3, "-D 3 -f 1"), (4, "-D 4 -f 1")]
)
def test_a_run_is_longer_than_two_margins(a_job, seconds, asked):
    """perftest: please check that DURATION > 2*MARGIN."""
    assert asked in line(a_job(seconds=seconds))


@pytest.mark.parametrize(
    ("values", "usage", "words"),
    [
        ({"bidirectional": True}, USAGE_45, "--report_gbits -b"),
        ({"address": "fd00::1", "peer": "fd00::2"}, USAGE_45, "--ipv6 --out_json"),
        ({"address": "fd00::1", "peer": "fd00::2"}, USAGE_NEW, "--ipv6 --ipv6-addr --out_json"),
        ({}, "", "--report_gbits 172.16.0.2"),
        ({}, USAGE_NEW, "--report_gbits --bind_source_ip=172.16.0.0 --out_json"),
    ],
)
def test_options_that_not_every_version_has(a_job, values, usage, words):
    assert words in line(a_job(**values), usage=usage)


@pytest.mark.parametrize(
    ("usage", "dmabuf", "words"),
    [
        (USAGE_CUDA, True, "--use_cuda=2 --use_cuda_dmabuf --out"),
        (USAGE_NEW, False, f"--use_cuda_bus_id={GPU} --bind"),
    ],
)
def test_the_gpu_is_named_by_its_address_where_the_version_knows_that(a_job, usage, dmabuf, words):
    memory = Memory(gpu=GPU, number=2, dmabuf=dmabuf)
    assert words in line(a_job(), usage=usage, memory=memory)


def ready(machine, out=FOUR_QPS, rc=0, err="", usage=USAGE_45, tool="ib_write_bw"):
    machine.says = {tool: Result(0, usage, ""), "run": Result(rc, out, err)}
    machine.rises = {"tx_prio3_bytes": 65536 * 20001}
    (machine.folder / "run").mkdir()
    return machine.host()


def test_a_run_in_the_lossless_class_is_measured(machine, a_job):
    found = measure(ready(machine), a_job(), "/run/x.report")
    assert (found["state"], found["sentence"], found["transport"]) == ("measured", "", "roce")
    assert (found["gbps"], found["memory"], found["note"]) == (111.71, "host", "")
    assert found["counters"]["tx_prio3_bytes"] == 65536 * 20001
    assert machine.ran[:4] == ["timeout", "-k", "5", "40"]


def test_a_server_waits_for_its_client(machine, a_job):
    machine.rises = {}
    host = ready(machine)
    machine.rises = {"rx_prio3_bytes": 65536 * 20001}
    found = measure(host, a_job(side="server"), "/run/x.report", 60)
    assert found["state"] == "measured"
    assert machine.ran[3] == "100"


def test_the_json_report_wins_and_is_removed(machine, a_job):
    host = ready(machine)

    def run(argv, timeout):
        if argv[-1] == "172.16.0.2":
            machine.put("run/x.report", JSON_NEW)
        return machine.run(argv, timeout)

    machine.put("run/x.report", JSON_NEW.replace("391.50", "1.00"))
    found = measure(machine.host(run), a_job(), "/run/x.report")
    assert found["gbps"] == 391.5
    assert not host.exists("/run/x.report")


def test_traffic_of_another_class_is_no_measurement(machine, a_job):
    host = ready(machine)
    machine.rises = {"tx_prio0_bytes": 65536 * 20001}
    found = measure(host, a_job(), "/run/x.report")
    assert (found["state"], found["gbps"], found["transport"]) == ("failed", None, "")
    assert found["sentence"].startswith(
        "rail1p1: the traffic was not in priority 3: the test moved"
    )
    assert "DSCP 24" in found["sentence"]


def test_counters_that_cannot_be_read_prove_nothing(machine, a_job):
    host = ready(machine)
    machine.counters, machine.rises = {}, {}
    found = measure(host, a_job(), "/run/x.report")
    assert found["state"] == "failed"
    assert "no counter tx_prio3_bytes" in found["sentence"]


# What perftest prints on standard error (perftest_communication.c).
FAILED_STATUS = (
    " Completion with error at client\n Failed status 12: wr_id 0 syndrom 0x81\nscnt=128, ccnt=0\n"
    " Failed to complete run_iter_bw function successfully\n"
)
FAILED_QP = "Failed to modify QP 1027 to RTR\n Unable to Connect the HCA's through the link\n"
REFUSED = (
    "Couldn't connect to 172.16.0.2:18515\nUnable to open file descriptor for socket connection"
    " Unable to init the socket connection\n"
)


@pytest.mark.parametrize(
    ("rc", "out", "err", "words"),
    [
        (1, "", REFUSED, "rail1p1: ib_write_bw failed: Couldn't connect to 172.16.0.2:18515."),
        (
            124,
            head("BW"),
            "",
            "did not finish in time; check that 172.16.0.2 is reachable from",
        ),
        (137, "", "", "rail1p1: ib_write_bw was killed (SIGKILL)."),
        (-15, "", "", "rail1p1: ib_write_bw was killed (SIGTERM)."),
        (1, head("BW"), FAILED_STATUS, "failed: Failed status 12: wr_id 0 syndrom 0x81."),
        (1, head("BW"), FAILED_QP, "ib_write_bw failed: Failed to modify QP 1027 to RTR."),
        (0, head("BW"), "", "rail1p1: ib_write_bw printed no result"),
        (0, FOUR_QPS.replace("Ethernet", "IB"), "", "used the link layer IB, not Ethernet"),
        (0, LATENCY, "", "printed no result"),
        (
            0,
            FOUR_QPS.replace("RDMA_Write", "RDMA_Read"),
            "",
            "printed the result of another test, RDMA_Read BW.",
        ),
        (0, FOUR_QPS.replace(" 65536 ", " 0 "), "", "moved no bytes"),
        (0, FOUR_QPS.replace(" 20000 ", " 0 "), "", "moved no bytes"),
        (
            0,
            FOUR_QPS.replace(" 65536 ", " 4096 "),
            "",
            "for messages of 4096 bytes instead of 65536",
        ),
        (0, FOUR_QPS.replace("111.71", "1" * 400), "", "printed no result"),
        (0, FOUR_QPS.replace("111.71", "-111.71"), "", "printed no result"),
        (0, FOUR_QPS.replace("111.71", "nan"), "", "printed no result"),
    ],
)
def test_what_is_no_result(machine, a_job, rc, out, err, words):
    found = measure(ready(machine, out, rc, err), a_job(), "/run/x.report")
    assert (found["state"], found["gbps"]) == ("failed", None)
    assert words in found["sentence"]


def test_a_server_without_client_says_whom_it_misses(machine, a_job):
    found = measure(ready(machine, "", 124), a_job(side="server"), "/run/x.report")
    assert found["sentence"].endswith("no client from 172.16.0.2 has finished.")


def test_a_tool_that_is_missing_is_not_run(machine, a_job):
    found = measure(machine.host(), a_job(), "/run/x.report")
    assert found["state"] == "not_run"
    assert (
        found["sentence"]
        == "ib_write_bw is not installed on this host; install the package perftest."
    )


def test_without_ethtool_it_is_not_run(machine, a_job):
    host = machine.host(lambda argv, _timeout: Result(127 if argv[0] == "ethtool" else 0, "", ""))
    found = measure(host, a_job(), "/run/x.report")
    assert (found["state"], found["sentence"][:24]) == ("not_run", "ethtool is not installed")


def test_a_port_without_gid_has_failed(machine, a_job):
    found = measure(ready(machine), a_job(address="172.16.9.9"), "/run/x.report")
    assert found["state"] == "failed"
    assert "no RoCE v2 GID" in found["sentence"]


@pytest.mark.parametrize(
    ("usage", "gpu", "memory", "note"),
    [
        (USAGE_NEW, True, "gpu", ""),
        (USAGE_45, True, "host", "host memory: this ib_write_bw is built without CUDA"),
        (USAGE_NEW, False, "host", "host memory: this host has no GPU"),
    ],
)
def test_host_memory_in_place_of_a_gpus_is_said(machine, a_job, usage, gpu, memory, note):
    if gpu:
        machine.gpu()
    found = measure(ready(machine, usage=usage), a_job(gpu="auto"), "/run/x.report")
    assert (found["state"], found["memory"], found["note"]) == ("measured", memory, note)
    assert (machine.ran[:2] == ["env", "CUDA_DEVICE_ORDER=PCI_BUS_ID"]) is (memory == "gpu")


def test_latency_is_never_that_of_gpu_memory(machine, a_job):
    machine.gpu()
    host = ready(machine, LATENCY, tool="ib_write_lat", usage=USAGE_NEW)
    machine.rises = {"tx_prio3_bytes": 64_000}
    found = measure(host, a_job(tool="ib_write_lat", size=2, gpu="auto"), "/run/x.report")
    assert (found["state"], found["memory"]) == ("measured", "host")
    assert found["note"] == "host memory: ib_write_lat takes none of a GPU"
    assert not any("cuda" in word.lower() for word in machine.ran)


def test_latency_is_proven_by_what_was_exchanged(machine, a_job):
    host = ready(machine, LATENCY, tool="ib_write_lat")
    machine.rises = {"tx_prio3_bytes": 64_000}
    found = measure(host, a_job(tool="ib_write_lat", size=2), "/run/x.report")
    assert (found["state"], found["latency"]) == ("measured", {"typical": 1.47, "p99": 1.57})
    assert found["gbps"] is None


def test_in_both_directions_a_server_sends_too(machine, a_job):
    host = ready(machine, BOTH)
    machine.rises = {"tx_prio3_bytes": 1048576 * 38096}
    found = measure(host, a_job(side="server", bidirectional=True, size=1048576), "/run/x.report")
    assert (found["state"], found["gbps"]) == ("measured", 213.05)


@pytest.mark.parametrize(("side", "seconds"), [("client", 40), ("server", 100)])
def test_every_side_has_an_end(a_job, side, seconds):
    assert perftest.limit(a_job(side=side), 60) == seconds
