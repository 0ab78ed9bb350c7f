# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ib_write_bw and ib_write_lat: what Debian's program printed over Soft-RoCE is what they print, but for figures."""

from __future__ import annotations

import json
import pathlib
import re

import pytest
from nicsim import flows
from nicsim.links import Flow

from .fabric import Pair, flowing, free, listening
from .shapes import shape, spellings

ROOT = pathlib.Path(__file__).resolve().parents[4]
REAL = json.loads((ROOT / "tests/captures/performance/perftest-6.06-softroce.json").read_text())
USAGE = REAL.pop("usage")
COMMON = ("ib_write_bw", "-d", "mlx5_0", "-x", "3")
NO_GID = ("ib_write_bw", "-d", "mlx5_0", "-x", "9", "-n", "50")
LATENCY = ("ib_write_lat", "-d", "mlx5_0", "-x", "3")
SIDES = ("server", "client")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return Pair(tmp_path_factory.mktemp("pair"))


@pytest.fixture
def pair(made):
    """Two hosts on different leaves of a healthy fabric, with the newest program."""
    made.environment.clear()
    made.model()
    yield made
    made.restore()


@pytest.fixture
def old(pair):
    """Both hosts have the program of Debian 12."""
    pair.environment["NICSIM_PERFTEST"] = "6.06"
    return pair


def real(case, side, stream="stdout"):
    return "\n".join(REAL[case][side].get(stream, [""]))


CASES = {
    "iterations": (*COMMON, "-n", "100"),
    "iterations-gbits-json": (*COMMON, "-n", "100", "-q", "2", "--report_gbits"),
    "duration-json": (*COMMON, "-D", "4", "--report_gbits"),
    "report-both": (*COMMON, "-b", "-n", "100", "--report_gbits", "--report-both"),
    "small": (*COMMON, "-n", "50", "-s", "64"),
    "cm": (*COMMON, "-R", "-n", "50", "-T", "96"),
    "latency": (*LATENCY, "-n", "100"),
    "latency-duration": (*LATENCY, "-D", "4"),
}


@pytest.mark.parametrize("case", CASES)
def test_texts_and_files_are_those_of_the_real_program(old, case):
    found = dict(zip(SIDES, old.test(*CASES[case], "--out_json", "--out_json_file=out.json")))
    for side in SIDES:
        assert (found[side].returncode, found[side].stderr) == (REAL[case][side]["status"], "")
        assert shape(found[side].stdout) == shape(real(case, side))
    if "file" in REAL[case]["client"]:
        assert "test_info: {" in (old.folder / "out.json").read_text()


def test_the_file_of_the_old_program_is_no_json_and_that_of_the_new_one_is(old):
    words = (*COMMON, "-n", "100", "-q", "2", "--report_gbits")
    file = old.folder / "client.json"
    old.test(*words, "--out_json", f"--out_json_file={file}", server=words)
    assert shape(file.read_text()) == shape(real("iterations-gbits-json", "client", "file"))
    old.environment.clear()
    old.test(*words, "--out_json", f"--out_json_file={file}", server=words)
    results = json.loads(file.read_text())["results"]
    assert set(results) == {"MsgSize", "n_iterations", "BW_peak", "BW_average", "MsgRate"}


@pytest.mark.parametrize(
    "case, server, client",
    [
        ("gid-mismatch", (*COMMON, "-n", "50"), (*COMMON[:-1], "0", "-n", "50")),
        ("gid-unset", NO_GID, NO_GID),
        ("size-mismatch", (*COMMON, "-n", "50", "-s", "4096"), (*COMMON, "-n", "50")),
        ("qps-mismatch", (*COMMON, "-n", "50", "-q", "2"), (*COMMON, "-n", "50", "-q", "4")),
    ],
)
def test_sides_that_do_not_fit_fail_as_the_real_ones(old, case, server, client):
    found = dict(zip(SIDES, old.test(*client, server=server)))
    for side in SIDES:
        assert found[side].returncode == REAL[case][side]["status"]
        assert unnumbered(found[side].stderr) == unnumbered(real(case, side, "stderr"))
        assert shape(found[side].stdout) == shape(real(case, side))


def unnumbered(text):
    return re.sub(r"QP \d+", "QP N", text)


@pytest.mark.parametrize("dead", SIDES)
def test_who_loses_its_peer_fails_as_the_real_one(old, dead):
    """A run of 20 seconds lasts two here."""
    old.environment["NICSIM_PACE"] = "0.1"
    words, number = (*COMMON, "-D", "20", "-p"), str(free())
    server = old.start(0, *words, number)
    listening(int(number), server)
    client = old.start(1, *words, number, "127.0.0.1")
    flowing(old.folder / "flows")
    killed, left = (server, client) if dead == "server" else (client, server)
    killed.kill()
    killed.communicate()
    out, err = left.communicate(timeout=10)
    case, side = f"{dead}-killed", "client" if dead == "server" else "server"
    assert left.returncode == REAL[case][side]["status"]
    assert (shape(out), err) == (shape(real(case, side)), real(case, side, "stderr"))


def test_new_programs_name_each_option_that_differs(pair):
    server, client = pair.test(*COMMON, "-D", "2", "-q", "4", "--report_gbits", server=COMMON)
    assert (server.returncode, client.returncode) == (1, 1)
    assert client.stderr.splitlines() == [
        " test_type mismatch: local=DURATION, remote=ITERATIONS",
        " report_fmt mismatch: local=GBS, remote=MBS",
        " num_of_qps mismatch: local=4, remote=1",
        " duration mismatch: local=2, remote=5",
    ]


@pytest.mark.parametrize(
    "case, words",
    [
        ("no-server", ("-p", "{free}", "127.0.0.1")),
        ("no-host", ("nosuchhost.invalid",)),
        ("bad-device", ("-d", "mlx5_9")),
        ("bad-gid-200", ("-x", "200")),
        ("bad-ib-port", ("-i", "2")),
        ("link-down", ("127.0.0.1",)),
    ],
)
def test_what_the_real_program_refuses_is_refused_with_its_words(host, monkeypatch, case, words):
    monkeypatch.setenv("NICSIM_PERFTEST", "6.06")
    if case == "link-down":
        host.admin("fault", "add", "link-down")
    result = host("ib_write_bw", *(word.format(free=free()) for word in words))
    assert result.rc == 1
    wanted = re.sub(r"172.16.0.0:\d+", "HOST", real(case, "client", "stderr"))
    said = re.sub(r"127.0.0.1:\d+", "HOST", result.err)
    if case == "no-host":  # the resolver's reason is the machine's
        said, wanted = (text.partition("\n")[2] for text in (said, wanted))
    assert said == wanted


@pytest.mark.parametrize(
    "tool, words, said",
    [
        ("ib_write_bw", ("-q", "0"), " num of Qps should be between 1 and 16384\n"),
        ("ib_write_bw", ("-q", "x"), " num of Qps argument x should be int\n"),
        ("ib_write_bw", ("-s", "0"), " Message Size should be between 1 and 2147483647\n"),
        ("ib_write_bw", ("-n", "1"), " Iteration num should be between 5 and 100000000\n"),
        ("ib_write_bw", ("-D", "0"), " Duration period must be positive\n"),
        ("ib_write_bw", ("-S", "16"), " Only 15 Service levels\n"),
        ("ib_write_bw", ("--tclass=abc",), " traffic class argument abc should be uint16_t\n"),
        ("ib_write_bw", ("a", "b"), " Invalid Command line. Please check command rerun \n"),
        (
            "ib_write_bw",
            ("--frob",),
            "ib_write_bw: unrecognized option '--frob'\n Invalid Command or flag.\n",
        ),
        (
            "ib_write_bw",
            ("-p",),
            "ib_write_bw: option requires an argument -- 'p'\n Invalid Command or flag.\n",
        ),
        ("ib_write_lat", ("-b",), " Bidirectional is only available in BW test\n"),
        ("ib_write_lat", ("-q", "4"), " Multiple QPs only available on bw tests\n"),
    ],
)
def test_refusals_of_the_parser(host, tool, words, said):
    """Texts of `perftest 4.5+0.17-1` of Debian 12, called without any device."""
    result = host(tool, *words)
    assert result.rc == 1
    assert result.err.startswith(said)
    assert result.err.endswith(" Parser function exited with Error\n")


@pytest.mark.parametrize(
    "words, out, err",
    [
        (
            ("-a", "-D", "10"),
            "-" * 87 + "\n",
            "Duration mode currently doesn't support running on all sizes.\n",
        ),
        (("-D", "10", "-f", "6"), "-" * 87 + "\n", "please check that DURATION > 2*MARGIN\n"),
        (("-T", "96"), " TOS only valid for rdma_cm based QP and RawEth QP \n", ""),
        (("-c", "UD"), "", " UD connection only possible in SEND verb\n"),
    ],
)
def test_options_that_do_not_go_together(host, words, out, err):
    assert host("ib_write_bw", *words) == (1, out, err)


@pytest.mark.parametrize("tool", ["ib_write_bw", "ib_write_lat"])
def test_options_have_the_names_of_the_real_program(host, tool):
    """A latency test of 6.06 takes those of a bandwidth test too, and refuses some: its parser is the same."""
    assert set(USAGE[tool]) <= spellings(host(tool, "-h").out)


def test_gpu_memory_needs_a_gpu(host):
    assert "unrecognized option '--use_cuda=0'" in host("ib_write_bw", "--use_cuda=0").err
    host.admin("gpu", "open")
    assert "Couldn't connect" in host("ib_write_bw", "--use_cuda=0", "-p", "1", "127.0.0.1").err


RUN = (*COMMON, "-q", "4", "-D", "10", "--report_gbits", "--tclass=96")


def average(result):
    """The figure of the only line of results."""
    rows = [line.split() for line in result.stdout.splitlines() if re.match(r" 65536 ", line)]
    assert len(rows) == 1, result
    return float(rows[0][3])


def test_a_healthy_link_carries_what_is_published(pair):
    server, client = pair.test(*RUN)
    assert 388 < average(client) <= 392.2
    assert average(server) == average(client)
    assert "BW average[Gb/sec]" in client.stdout
    assert " ibv_wr* API     : ON\t\tUsing Enhanced Reorder      : OFF\n" in client.stdout


@pytest.mark.parametrize(
    "fault, least, most",
    [
        ({"kind": "slow-nic", "node": "n2", "port": "rail1p1", "gbps": 180}, 170, 180),
        ({"kind": "bad-optic", "node": "n0", "port": "rail1p1", "share": 0.5}, 190, 200),
    ],
)
def test_a_fault_shows_in_the_figure(pair, fault, least, most):
    pair.model(fault)
    assert least < average(pair.test(*RUN)[1]) < most


def test_bytes_are_counted_in_the_class_of_the_packets(pair):
    words = ("mlnx_qos", "-i", "ens3np0", "--trust=dscp", "--pfc=0,0,0,1,0,0,0,0")
    for host in (0, 1):
        pair.run(host, *words)
    pair.test(*RUN)
    sent, received = pair.counters(1), pair.counters(0)
    assert 10 * 400e9 / 8 > sent["tx_prio3_bytes"] > 10 * 380e9 / 8
    assert received["rx_prio3_bytes"] == sent["tx_prio3_bytes"]
    assert sent["tx_prio0_bytes"] == received["rx_prio0_bytes"] == 0


def test_a_latency_test_counts_each_message_as_a_packet_of_its_class(pair):
    for host in (0, 1):
        pair.run(host, "mlnx_qos", "-i", "ens3np0", "--trust=dscp", "--pfc=0,0,0,1,0,0,0,0")
    before = pair.counters(0), pair.counters(1)
    pair.test(*LATENCY, "--tclass=96", "-s", "2", "-n", "1000")
    for now, then in zip((pair.counters(0), pair.counters(1)), before):
        for way in ("tx", "rx"):
            assert now[f"{way}_prio3_packets"] - then[f"{way}_prio3_packets"] == 1000
            assert now[f"{way}_prio3_bytes"] - then[f"{way}_prio3_bytes"] == 1000 * 64


def test_a_bad_optic_and_a_wrong_class_show_in_the_counters(pair):
    dirt = {
        "kind": "bad-optic",
        "node": "n0",
        "port": "rail1p1",
        "share": 0.5,
        "symbol_errors_per_second": 500,
    }
    pair.model(dirt, {"kind": "wrong-class", "node": "n2"})
    pair.test(*RUN)
    received, sent = pair.counters(0), pair.counters(1)
    assert received["rx_symbol_err_phy"] == 5000
    assert sent["rx_symbol_err_phy"] == sent["tx_prio3_bytes"] == 0
    assert sent["tx_prio0_bytes"] > 0
    assert pair.rdma_counter(0, "out_of_sequence") > 0
    assert pair.rdma_counter(1, "packet_seq_err") == pair.rdma_counter(1, "out_of_sequence") == 0


def test_rdma_may_have_no_way_where_tcp_has_one(pair):
    pair.model({"kind": "unreachable", "node": "n0"})
    server, client = pair.test(*RUN)
    assert client.stderr == (
        " Completion with error at client\n Failed status 12: wr_id 0 syndrom 0x81\nscnt=128, ccnt=0\n"
        " Failed to complete run_iter_bw function successfully\n"
    )
    assert "Failed to exchange data between server and clients" in server.stderr


def test_a_roce_v1_address_does_not_leave_its_leaf(pair):
    words = ("ib_write_bw", "-d", "mlx5_0", "-x", "2")
    assert "Failed status 12" in pair.test(*words)[1].stderr
    pair.place(1, node=1)
    assert pair.test(*words)[1].returncode == 0


def test_latency_grows_with_the_way(pair):
    def usec():
        out = pair.test(*LATENCY)[1].stdout
        return float(re.search(r"(?m)^ 2 +1000 +\S+ +\S+ +(\S+)", out).group(1))

    across = usec()
    pair.place(1, node=1)
    assert 1 < usec() < across < 10


def test_one_queue_pair_with_large_messages_reads_too_low(pair):
    words = (*COMMON, "-s", "1M", "-D", "10", "--report_gbits")
    out = pair.test(*words)[1].stdout
    assert 270 < float(re.search(r"(?m)^ 1048576 +\d+ +\S+ +(\S+)", out).group(1)) < 290


@pytest.fixture
def incast(pair, monkeypatch):
    """Two others send to another port of the server's leaf, each as much as it takes."""
    monkeypatch.setenv("NICSIM_FLOWS", str(pair.folder / "flows"))
    with flows.running([Flow(other, "172.16.0.1", 400) for other in ("172.16.0.3", "172.16.9.9")]):
        yield


def tail(result):
    """Ratio of the 99th percentile to the typical latency."""
    row = re.search(r"(?m)^ 2 +1000 .*", result.stdout).group().split()
    return float(row[7]) / float(row[4])


def test_with_congestion_control_a_neighbour_is_not_noticed(pair, incast):
    assert average(pair.test(*RUN)[1]) > 388
    assert tail(pair.test(*LATENCY)[1]) < 2


def test_without_congestion_control_a_neighbour_is_noisy(pair, incast):
    pair.model({"kind": "no-congestion-control"})
    assert 190 < average(pair.test(*RUN)[1]) < 197
    assert tail(pair.test(*LATENCY)[1]) > 5


def test_a_sender_that_shares_its_receiver_is_notified_of_congestion(pair, monkeypatch):
    monkeypatch.setenv("NICSIM_FLOWS", str(pair.folder / "flows"))
    with flows.running([Flow("172.16.0.3", "172.16.0.0", 400)]):
        assert 190 < average(pair.test(*RUN)[1]) < 197
    assert pair.rdma_counter(0, "np_cnp_sent") == pair.rdma_counter(1, "rp_cnp_handled") > 0
