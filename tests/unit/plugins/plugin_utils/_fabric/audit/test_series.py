# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results become series: failures at their ports, passes once, and other devices stay."""

from __future__ import annotations

import shutil
import subprocess

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import series
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.results import (
    Subject,
    failed,
    not_run,
    passed,
)

LEAF = Subject("lab", "leaf-p1-su001-r1", "leaf-p1-su001-r1")
NODE = Subject("lab", "su01/h01", "worker-1", "acme")


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_failures_and_passes_are_series_and_nothing_else_is():
    rows = [
        *LEAF.results("switch.pfc", [passed("Fine.")]),
        *LEAF.results("switch.link.state", [failed("Down.", "swp1s0"), failed("Bad.", "swp1s0")]),
        *LEAF.results("switch.link.ber", [not_run("Not read.")]),
        *NODE.results("host.qos", [failed('It says "no"\nand more.')]),
    ]
    assert lines(series.text(rows)) == [
        'spx_check{device="leaf-p1-su001-r1",check="switch.link.state",interface="swp1s0",'
        'place="leaf-p1-su001-r1"} 1',
        'spx_check{device="leaf-p1-su001-r1",check="switch.pfc",place="leaf-p1-su001-r1"} 0',
        'spx_check{device="worker-1",check="host.qos",place="su01/h01",tenant="acme"} 1',
    ]


def test_a_run_of_some_devices_keeps_the_series_of_the_others():
    first = series.text(
        [
            *LEAF.results("switch.pfc", [failed("Off.")]),
            *NODE.results("host.qos", [passed("Fine.")]),
        ]
    )
    again = series.text(LEAF.results("switch.pfc", [passed("Fine.")]), first)
    assert lines(again) == [
        'spx_check{device="leaf-p1-su001-r1",check="switch.pfc",place="leaf-p1-su001-r1"} 0',
        'spx_check{device="worker-1",check="host.qos",place="su01/h01",tenant="acme"} 0',
    ]


def test_what_is_not_ours_or_broken_in_the_old_file_goes():
    old = 'up 1\nspx_check{device="worker-2",check="host.qos"} 1\nspx_check{device="worker-3",ch'
    assert lines(series.text([], old)) == ['spx_check{device="worker-2",check="host.qos"} 1']


def test_prometheus_reads_the_file():
    if not (promtool := shutil.which("promtool")):
        return
    text = series.text(NODE.results("host.qos", [failed("Off.", 'a "port"')]))
    done = subprocess.run(
        [promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
