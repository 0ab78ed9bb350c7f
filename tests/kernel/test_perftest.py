# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian's perftest over Soft-RoCE in a guest's kernel, beside the stand-ins of the lab's hosts.

What the real programs print there is what the stand-ins print, but for figures, addresses and the card.
"""

from __future__ import annotations

import base64
import pathlib
import shutil
import subprocess

import pytest
from lab import guest
from lab.state import labs_folder
from unit.targets.host.fabric import Pair
from unit.targets.host.shapes import shape, spellings

LOGS = labs_folder().parent / "kernel-rdma"
SCRIPT = pathlib.Path(__file__).with_name("soft_roce.sh")
MODULES = ("rdma_rxe", "crc32_generic", "veth", "ib_uverbs", "rdma_ucm")
PATIENCE = 120
CASES = {
    "bandwidth": ("ib_write_bw", "-q", "2", "-D", "2", "--report_gbits", "--tclass=96"),
    "latency": ("ib_write_lat", "-n", "20"),
}
DEBIAN = "Version: 6.06\n"


@pytest.fixture(scope="module")
def said():
    """(case, side) -> what the real program printed; skipped where no guest boots or Debian's is not here."""
    if version() != DEBIAN:
        pytest.skip(f"ib_write_bw is not Debian 12's: {version()}")
    words = [" ".join(case) for case in CASES.values()]
    try:
        answer = guest.run(
            ["/bin/sh", str(SCRIPT), *words], modules=MODULES, logs=LOGS, patience=PATIENCE
        )
    except guest.NoGuest as exc:
        pytest.skip(f"not available: {exc}")
    rows = [line.split() for line in answer.output.splitlines() if line.startswith("SAID ")]
    assert len(rows) == 2 * len(CASES), answer.output[-2000:]
    found = {(row[1], row[2]): (int(row[3]), base64.b64decode(row[4]).decode()) for row in rows}
    return {
        (name, side): found[case[0], side]
        for name, case in CASES.items()
        for side in ("server", "client")
    }


def version():
    """Return the version of the real program; its status is 1."""
    if not shutil.which("ib_write_bw"):
        return "none; run tests/setup/packages.sh lab"
    return subprocess.run(["ib_write_bw", "-V"], capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize("case", CASES)
def test_the_stand_ins_print_what_the_real_programs_print(said, case, tmp_path):
    pair = Pair(tmp_path)
    pair.environment["NICSIM_PERFTEST"] = "6.06"
    tool, *words = CASES[case]
    for side, found in zip(("server", "client"), pair.test(tool, "-d", "mlx5_0", *words)):
        status, text = said[case, side]
        assert (found.returncode, shape(found.stdout)) == (status, shape(text))


@pytest.mark.parametrize("tool", ["ib_write_bw", "ib_write_lat"])
def test_the_stand_ins_have_the_options_of_the_real_programs(said, tool, tmp_path):
    pair = Pair(tmp_path)
    real = subprocess.run([tool, "-h"], capture_output=True, text=True, check=False).stdout
    assert spellings(real) <= spellings(pair.run(0, tool, "-h").stdout)
