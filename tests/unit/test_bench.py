# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The benchmarks import what the collection has: they run by hand, so that nothing else would show a stale name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ansible_collections.spectrum_x.fabric.tests.bench.__main__ import environment

FOLDER = Path(__file__).parents[1] / "bench"
IMPORT = "import runpy, sys; [runpy.run_path(file, run_name='imported') for file in sys.argv[1:]]"


def test_every_benchmark_imports() -> None:
    files = sorted(FOLDER.glob("bench_*.py"))
    assert len(files) > 10
    subprocess.run(
        [sys.executable, "-c", IMPORT, *files], cwd=FOLDER, env=environment(), check=True
    )
