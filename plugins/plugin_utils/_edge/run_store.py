# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The store of this run, below Ansible's temporary folder of it. Private.

Ansible makes that folder with mode 0700 before it forks, and removes it at its end.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from ansible import constants

from .._jobs import runs
from .._jobs.run_store import RunStore


def _folder() -> Path:
    own = hashlib.sha256(runs.this().encode()).hexdigest()[:16]
    return Path(constants.DEFAULT_LOCAL_TMP) / f"spectrum_x.fabric-{own}"


store = RunStore(_folder)
