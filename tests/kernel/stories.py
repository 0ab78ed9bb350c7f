# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stories that are told in one kernel, one after the other. Standard library only, so that any Python runs it.

    PYTHONPATH=tests:tests/targets/switch python3 -m kernel.stories ORDERS.json

The orders are by story; each answer is a line on the standard output: ANSWER, the story, and JSON.
"""

from __future__ import annotations

import json
import pathlib
import sys

from kernel import vrf
from kernel.machine import alone
from kernel.networks import hosts, story

STORIES = {
    "rails": vrf.tell,
    "networks": story.tell,
    "core": story.tell_core,
    "shared": story.tell_shared,
    "hosts": hosts.tell_hosts,
}

if __name__ == "__main__":
    orders = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    for name, order in orders.items():
        print(f"story {name}", flush=True)
        alone(name, STORIES[name], order)
