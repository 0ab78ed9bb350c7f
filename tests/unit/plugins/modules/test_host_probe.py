# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""host_probe: options in, answers out; nothing is written."""

from __future__ import annotations

ROW = {"kind": "rail", "interface": "rail1p1", "source": "10.0.0.0", "to": "10.0.0.1", "size": 9138}


def test_answers_come_back_with_their_rows(target):
    target.answer("ping", "1 received\n")
    target.answer("ethtool", "NIC statistics:\n     rx_prio3_pause: 0\n")
    result = target.run("host_probe", pings=[ROW], nics=[])
    assert result["changed"] is False
    assert result["pings"] == [{**ROW, "ok": True, "reason": ""}]
    assert (result["attempts"], result["findings"]) == ([], [])
    assert len(target.calls) == 1


def test_a_wrong_card_is_one_sentence(target):
    result = target.run("host_probe", nics=[{"pci": "0000:7a:00.0"}])
    assert result["failed"]
    assert result["msg"].startswith("0000:7a:00.0: there is no NIC at this address; found: ")
