# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A story in this kernel, in namespaces of its own that end with it."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

OWN = ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]


def told(words: Sequence[str], patience: float) -> str:
    """Run a command and return its output, within so many seconds."""
    done = subprocess.run(
        ["unshare", *OWN, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=patience,
        check=False,
    )
    return done.stdout
