# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ib_write_bw and ib_write_lat: a server and a client that find each other over TCP, as the real ones do.

What they tell each other decides whether a test runs; how fast it is comes from the model of links.
"""

from __future__ import annotations

import ipaddress
import os
import pathlib
import random
import sys
import time
from typing import Any, NamedTuple

from nicsim import flows, hardware
from nicsim.call import Call, ToolError
from nicsim.links import BadModel, Flow, Links, Port, load
from nicsim.store import State
from nicsim.tools import _perftest_figures as figures
from nicsim.tools import _perftest_text as text
from nicsim.tools import small
from nicsim.tools._perftest_options import DEBIAN, MTUS, RULE, Options, read
from nicsim.tools._perftest_talk import Gone, Peer, accept, connect

NO_DEVICE = " Unable to find the Infiniband/RoCE device"
NO_LINK = " Couldn't set the link layer\n Couldn't get context for the device"
TYPES = (
    "\n Found Incompatibility issue with GID types.\n Please Try to use a different IP version.\n"
)
PEER_GONE = "ethernet_read_keys: Couldn't read remote address\n Unable to read {} socket/rdma_cm\n"
EXCHANGE = " Failed to exchange data between server and clients"
RAN = " Failed to complete run_iter_bw function successfully"
GARBAGE = (3472328296395452464, 3547200640032715366)
"""Numbers of Debian's server for size and iterations when its client has another number of queue pairs."""
SIZES = [1 << power for power in range(1, 24)]
DEFAULT_SECONDS = 5


class Device(NamedTuple):
    """The port that a test uses, as it is when the test begins."""

    rdma: str
    gbps: float
    mtu: int
    priority: int
    gid: str
    gid_index: int
    kind: str


def run(call: Call) -> int:
    """Serve one client, or be one."""
    with call.state() as state:
        cuda = bool(state["host"]["gpu"])
        options = read(call.tool, call.argv, cuda=cuda)
        device = _device(state, options)
    try:
        return _Test(call, options, device, load()).run()
    except (BadModel, ValueError) as wrong:
        raise ToolError(f"nicsim: {wrong}", 1, "stderr") from wrong


def _device(state: State, options: Options) -> Device:
    """The device that was asked for, or the first; refused as the real program refuses it."""
    found = (
        hardware.find_rdma(state, options.device)
        if options.device
        else next(hardware.rdma_devices(state), None)
    )
    if found is None:
        said = (
            f"IB device {options.device} not found\n"
            if options.device
            else " Did not detect devices \n If device exists, check if driver is up\n"
        )
        raise ToolError(f"{said}{NO_DEVICE}", 1, "stderr")
    nic, function = found
    if options.ib_port != 1:
        raise ToolError(
            f" Unable to query port {options.ib_port} attributes\n{NO_LINK}", 1, "stderr"
        )
    if not hardware.link_up(nic, function):
        raise ToolError(f" Port number {options.ib_port} state is Down\n{NO_LINK}", 1, "stderr")
    if options.gid > 64:
        raise ToolError(
            " Gid index should be between 0 and 64\n Parser function exited with Error", 1, "stderr"
        )
    index, gid, kind = _gid(list(small.gid_rows(nic, function)), options.gid)
    return Device(
        hardware.rdma_name(nic, function),
        float(function["link"]["speed_gbps"]),
        _mtu(function, options),
        priority(function, options.tos if options.cm and options.tos >= 0 else options.tclass),
        gid,
        index,
        kind,
    )


def _gid(rows: list[tuple[int, str, str, str]], wanted: int) -> tuple[int, str, str]:
    """(index, GID, v1|v2); without a wish RoCE v2 with an IPv4 address, as the program chooses itself."""
    if wanted >= 0:
        found = [row for row in rows if row[0] == wanted]
        return (wanted, found[0][1], found[0][3]) if found else (wanted, "::", "v1")
    second = [row for row in rows if row[3] == "v2"]
    routed = [row for row in second if row[2]] or [
        row for row in second if not row[1].startswith("fe80")
    ]
    chosen = (routed or second or rows)[0]
    return chosen[0], chosen[1], chosen[3]


def _mtu(function: Any, options: Options) -> int:
    """The largest MTU of InfiniBand below that of the network device, and the one asked for."""
    device = int(hardware.kernel_value(hardware.netdev_name(function), "mtu") or 9216)
    active = max([mtu for mtu in MTUS if mtu + figures.OVERHEAD - 20 <= device], default=MTUS[0])
    return min(active, options.mtu) if options.mtu in MTUS else active


def priority(function: Any, tclass: int) -> int:
    """The priority that the port's trust and map give to the packets; a global traffic class wins."""
    runtime = function["runtime"]
    dscp = (runtime["traffic_class"] if runtime["traffic_class"] is not None else tclass) >> 2
    return int(runtime["dscp2prio"].get(str(dscp), dscp >> 3)) if runtime["dscp2prio"] else 0


class _Test:
    """One test, seen from one of its sides."""

    def __init__(self, call: Call, options: Options, device: Device, links: Links) -> None:
        self.call, self.options, self.device, self.links = call, options, device, links
        self.keys = [self._key() for _number in range(options.qps)]

    def _key(self) -> text.Keys:
        pick = random.SystemRandom().randrange
        return text.Keys(
            pick(64, 4096),
            pick(1, 1 << 24),
            pick(1 << 12, 1 << 24),
            0x7F0000000000 + (pick(1 << 28) << 12),
            self.device.gid,
        )

    def run(self) -> int:
        """Meet the other side, compare, and measure."""
        if not self.options.host and not self.options.output:
            sys.stdout.write(text.BANNER)
        with (connect if self.options.host else accept)(self.options) as peer:
            other = peer.swapped(self._hello())
            self._agree(other, peer)
            return self._measure(peer, other)

    def _hello(self) -> dict[str, Any]:
        return {
            **self.options._asdict(),
            "latency": self.options.latency,
            "kind": self.device.kind,
            "gid": self.device.gid,
            "keys": self.keys,
            "mtu": self.device.mtu,
        }

    # What has to be alike

    def _agree(self, other: dict[str, Any], peer: Peer) -> None:
        """Say what is tested, and end where the two sides do not fit."""
        both_new = DEBIAN not in (self.options.version, other["version"])
        if both_new:
            self._compare(other)
        elif other["latency"] != self.options.latency:
            peer.wait()
        self._say_head(min(self.device.mtu, other["mtu"]))
        if _family(self.device.gid) != _family(other["gid"]):
            raise ToolError(TYPES, 1, "stderr")
        if not both_new and other["qps"] != self.options.qps:
            self._other_number_of_qps(other)
        if "::" in (_plain(self.device.gid), _plain(other["gid"])):
            said = f"Failed to modify QP {self.keys[0].qpn} to RTR"
            raise ToolError(f"{said}\n Unable to Connect the HCA's through the link", 1, "stderr")
        self._say_addresses(other)
        if not self.options.output:
            sys.stdout.write(RULE + "\n" + text.heading(self.options))

    def _compare(self, other: dict[str, Any]) -> None:
        """Programs of 6.28 and later name each option that differs."""
        mine, theirs = (
            _compared(self.options._asdict() | {"latency": self.options.latency}),
            _compared(other),
        )
        lines = [
            f" {name} mismatch: local={mine[name]}, remote={theirs[name]}"
            for name in mine
            if mine[name] != theirs[name]
        ]
        if lines:
            raise ToolError("\n".join(lines), 1, "stderr")

    def _say_head(self, mtu: int) -> None:
        self.facts = list(
            text.facts(self.options, device=self.device.rdma, mtu=mtu, gid=self.device.gid_index)
        )
        self.mtu = mtu
        if self.options.cuda >= 0:
            sys.stdout.write(_cuda(self.options.cuda))
        if not self.options.output:
            sys.stdout.write(text.head(self.options, self.facts))

    def _say_addresses(self, other: dict[str, Any]) -> None:
        if not self.options.output:
            theirs = [text.Keys(*key) for key in other["keys"]][: len(self.keys)]
            sys.stdout.write(text.addresses(self.options, "local", self.keys))
            sys.stdout.write(text.addresses(self.options, "remote", theirs))

    def _other_number_of_qps(self, other: dict[str, Any]) -> None:
        """Debian's client misses keys; its server takes something else for a report, and prints it."""
        self._say_addresses(other)
        if self.options.host:
            raise ToolError(PEER_GONE.format("from") + EXCHANGE, 1, "stderr")
        row = " {}    {}       0.00               0.00   \t\t   0.000000\n".format(*GARBAGE)
        sys.stdout.write(RULE + "\n" + text.heading(self.options) + row)
        raise ToolError(
            PEER_GONE.format("to") + "Failed to close connection between server and client",
            1,
            "stderr",
        )

    # What is measured

    def _measure(self, peer: Peer, other: dict[str, Any]) -> int:
        try:
            return self._client(peer, other) if self.options.host else self._server(peer, other)
        except Gone:
            if self.options.host and not self.options.latency and not self.options.output:
                nothing = text.Bandwidth(self.options.size, 0, 0.0, 0.0, 0.0)
                sys.stdout.write(text.line(self.options, nothing) + RULE + "\n")
            end = PEER_GONE.format("from" if self.options.host else "to")
            raise ToolError(end + EXCHANGE, 1, "stderr") from None

    def _client(self, peer: Peer, other: dict[str, Any]) -> int:
        here, there = self._port(self.device.gid), self._port(other["gid"])
        self._reach(here, there, other, peer)
        for size in SIZES if self.options.all_sizes else [self.options.size]:
            said = self._carried(size, here, there)
            peer.send(said)
            peer.receive()
            self._count(here, said, said["rates"])
            self._report(size, said["rates"], peer, here, there)
        peer.send({"end": True})
        return self._end()

    def _server(self, peer: Peer, other: dict[str, Any]) -> int:
        here, there = self._port(self.device.gid), self._port(other["gid"])
        while True:
            said = peer.receive()
            if said.get("end"):
                return self._end()
            self._count(here, said, said["rates"][::-1])
            self._report(said["size"], said["rates"], peer, here, there)
            peer.send({"heard": True})

    def _port(self, gid: str) -> Port:
        return self.links.port(_plain(gid), gbps=self.device.gbps)

    def _reach(self, here: Port, there: Port, other: dict[str, Any], peer: Peer) -> None:
        """RDMA has a way of its own: TCP may work where it does not."""
        lost = self.links.about("unreachable", here) or self.links.about("unreachable", there)
        self.links.dark = flows.dark()
        lost = lost or not self.links.passes(Flow(here.address, there.address, 1.0))
        apart = self.links.known and here.leaf != there.leaf
        local = apart and (
            "v1" in (self.device.kind, other["kind"]) or _plain(self.device.gid).startswith("fe80")
        )
        if other["size"] < self.options.size:
            self._completion(10, "0x0")
        if lost or local or self.device.kind != other["kind"]:
            self._completion(12, "0x81")

    def _completion(self, status: int, syndrome: str) -> None:
        depth = self.options.outstanding
        said = f" Failed status {status}: wr_id 0 syndrom {syndrome}\nscnt={depth}, ccnt=0\n{RAN}"
        raise ToolError(f" Completion with error at client\n{said}", 1, "stderr")

    def _carried(self, size: int, here: Port, there: Port) -> dict[str, Any]:
        """Gb/s there and back, seconds, and whether congestion control or pauses held the sender back."""
        said = {
            "size": size,
            "rates": [0.0, 0.0],
            "took": self.options.seconds or 0.01,
            "held": False,
        }
        if self.options.latency:
            gbps = figures.exchanged(self.options, size, said["took"])
            return {**said, "rates": [gbps, gbps]}
        line = min(here.gbps, there.gbps)
        wish = figures.wish(self.options, size, line=line, mtu=self.mtu)
        share = self.mtu / (self.mtu + figures.OVERHEAD)
        asked = [Flow(here.address, there.address, wish / share)]
        if self.options.bidirectional:
            asked.append(Flow(there.address, here.address, wish / share))
        lasts = figures.seconds(self.options, size, wish)
        got = flows.carried(self.links, asked, gbps=line, seconds=lasts)
        if not all(got):
            self._completion(12, "0x81")
        alone = self.links.rates(asked, gbps=line)
        places = (here.address, there.address, str(size))
        rates = [figures.shaken(rate * share, *places) for rate in got]
        took = figures.seconds(self.options, size, rates[0])
        return {**said, "rates": [*rates, 0.0][:2], "took": took, "held": got[0] < 0.98 * alone[0]}

    def _left(self, here: Port, there: Port) -> float:
        """Return the share that a flow keeps among everything that runs now, from 0 to 1."""
        line = min(here.gbps, there.gbps)
        if self.options.latency:
            time.sleep(flows.pace(self.links) * (self.options.seconds or 0.01))
        own = Flow(here.address, there.address, line)
        found = self.links.rates([own, *flows.present()], gbps=line)
        return min(1.0, found[0] / self.links.rates([own], gbps=line)[0])

    def _report(self, size: int, rates: list[float], peer: Peer, here: Port, there: Port) -> None:
        if self.options.latency:
            row: Any = self._latency(size, here, there)
        else:
            row = figures.bandwidth(self.options, size, sum(rates))
            if self.options.seconds:
                own = rates[0] if self.options.host else rates[1] or rates[0]
                row = row._replace(iterations=figures.bandwidth(self.options, size, own).iterations)
        sys.stdout.write(
            text.output(self.options, row) if self.options.output else text.line(self.options, row)
        )
        if self.options.both and self.options.bidirectional:
            self._both(size, rates)
        self.row = row

    def _latency(self, size: int, here: Port, there: Port) -> Any:
        share = self._left(here, there)
        usec = figures.shaken(
            figures.typical(self.links, here, there, share=share),
            here.address,
            there.address,
            part=0.03,
        )
        return (figures.mean if self.options.seconds else figures.latency)(
            self.options, size, usec, crowded=share < 1
        )

    def _both(self, size: int, rates: list[float]) -> None:
        own = rates if self.options.host else rates[::-1]
        for side, gbps in zip(("Local", "Remote"), own):
            row = figures.bandwidth(self.options, size, gbps)
            sys.stdout.write(
                f"{RULE}\n\n {side} results: \n{RULE}\n{text.heading(self.options)}{text.line(self.options, row)}"
            )

    def _count(self, here: Port, said: dict[str, Any], rates: list[float]) -> None:
        """Let the counters of the port rise by what it sent and received, as ethtool and sysfs show them."""
        wrong = self.links.about("wrong-class", here)
        priority = int(wrong[0].get("priority", 0)) if wrong else self.device.priority
        payload = min(self.mtu, said["size"])
        run = figures.Traffic(said["took"], payload, priority, said["held"])
        with self.call.state() as state:
            found = hardware.find_rdma(state, self.device.rdma)
            for gbps, sends in zip(rates, (True, False)):
                more = figures.marks(self.links, here, run, gbps=gbps, sends=sends) if gbps else {}
                for name, value in more.items() if found else ():
                    found[1]["counters"][name] = found[1]["counters"].get(name, 0) + value

    def _end(self) -> int:
        if not self.options.output:
            sys.stdout.write(RULE + "\n")
        if self.options.cuda >= 0:
            sys.stdout.write(
                "deallocating GPU buffer 00007255bb400000\ndestroying current CUDA Ctx\n"
            )
        if self.options.json:
            pathlib.Path(self.options.json).write_text(
                text.document(self.options, self.facts, self.row), encoding="utf-8"
            )
        return 0


def _compared(said: dict[str, Any]) -> dict[str, Any]:
    """Values that two sides compare, by the names of their messages."""
    return {
        "test_method": "RUN_ALL" if said["all_sizes"] else "RUN_REGULAR",
        "tst": "LAT" if said["latency"] else "BW",
        "test_type": "DURATION" if said["seconds"] else "ITERATIONS",
        "report_fmt": "GBS" if said["gbits"] else "MBS",
        "size": said["size"],
        "iters": said["iters"],
        "duplex": "ON" if said["bidirectional"] else "OFF",
        "num_of_qps": said["qps"],
        "duration": said["seconds"] or DEFAULT_SECONDS,
        "use_rdma_cm": "ON" if said["cm"] else "OFF",
        "tx_depth": said["depth"],
    }


def _plain(gid: str) -> str:
    """An address as people write it: the IPv4 one of a mapped GID."""
    address = ipaddress.IPv6Address(gid)
    return str(address.ipv4_mapped or address)


def _family(gid: str) -> bool:
    """Check whether a GID holds an IPv4 address; one of zeros fits everything."""
    return ipaddress.IPv6Address(gid).ipv4_mapped is not None


def _cuda(index: int) -> str:
    return (
        f"initializing CUDA\nListing all CUDA devices in system:\nCUDA device {index}: PCIe address is 1B:00\n\n"
        f"Picking device No. {index}\n[pid = {os.getpid()}, dev = {index}] device name = "
        "[NVIDIA H200]\ncreating CUDA Ctx\nmaking it the current CUDA Ctx\nCUDA device integrated: 0\n"
        "allocated GPU buffer of a 131072 address at 0x5af3874d4fb0 for type CUDA_MEM_DEVICE\n"
    )
