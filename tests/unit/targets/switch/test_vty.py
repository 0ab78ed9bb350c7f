# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines for each daemon of FRR, and the use of its answers; test_realiser_lab.py has real daemons."""

from __future__ import annotations

import socket
import threading

import pytest
from realiser import vty

BGP = [
    "router bgp 1",
    "neighbor swp1 interface",
    "address-family l2vpn evpn",
    "vni 4300021",
    "rd 10.0.0.1:21",
    "exit-vni",
    "exit-address-family",
    "exit",
]


@pytest.mark.parametrize(
    "lines, wanted",
    [
        (BGP, [("bgpd", [line if line[:4] != "exit" else "exit" for line in BGP])]),
        (
            ["ip prefix-list a seq 5 permit any", "route-map b permit 10", "match tag 1", "exit"],
            [("bgpd", ["ip prefix-list a seq 5 permit any", "route-map b permit 10", "match tag 1", "exit"])],
        ),
        (["no router bgp 1 vrf x", "no vrf x"], [("bgpd", ["no router bgp 1 vrf x"]), ("zebra", ["no vrf x"])]),
        (
            ["bfd", "profile p", "detect-multiplier 3", "exit", "exit", "ip route 10.0.0.0/8 blackhole"],
            [
                ("bfdd", ["bfd", "profile p", "detect-multiplier 3", "exit", "exit"]),
                ("staticd", ["ip route 10.0.0.0/8 blackhole"]),
            ],
        ),
        (
            ["vrf x", "vni 7", "no ip route 10.0.0.0/8 10.0.0.1", "exit-vrf"],
            [
                ("staticd", ["vrf x", "no ip route 10.0.0.0/8 10.0.0.1", "exit"]),
                ("zebra", ["vrf x", "vni 7", "exit"]),
            ],
        ),
        (["vrf x", "exit-vrf", *BGP[:1], "exit", "vrf y", "exit-vrf"], [
            ("zebra", ["vrf x", "exit"]), ("bgpd", ["router bgp 1", "exit"]), ("zebra", ["vrf y", "exit"]),
        ]),
    ],
)  # fmt: skip
def test_each_context_goes_to_its_daemon_and_the_order_stays(lines, wanted):
    assert list(vty.shared(lines)) == wanted


def test_a_refused_line_is_named_with_the_words_of_the_daemon(tmp_path, monkeypatch):
    monkeypatch.setattr(vty, "FOLDER", tmp_path)
    answers = {"wrong": b"% Unknown command\0\0\0\x02"}
    heard = []
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(tmp_path / "bgpd.vty"))
        door.listen()

        def serve():
            line, _peer = door.accept()
            with line:
                for _number in range(4):
                    heard.append(line.recv(100).rstrip(b"\0").decode())
                    line.sendall(answers.get(heard[-1], b"\0\0\0\0"))

        thread = threading.Thread(target=serve)
        thread.start()
        assert vty.configured("bgpd", ["router bgp 1", "wrong"]) == [
            "bgpd: 'wrong': % Unknown command"
        ]
        thread.join()
    assert heard == ["enable", "configure terminal", "router bgp 1", "wrong"]


def test_a_daemon_that_is_not_there_refuses_everything(tmp_path, monkeypatch):
    monkeypatch.setattr(vty, "FOLDER", tmp_path)
    (words,) = vty.configured("bfdd", ["bfd"])
    assert words.startswith("bfdd: ")
