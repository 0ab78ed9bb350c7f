# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cost of moving one node of the lab: from quarantine to a customer, and from one customer to another.

The leaves are doubles on loopback, whose route tables follow from one another's documents. The site has a hook
``wipe``. No gate and no hold time is shortened.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from pathlib import Path

from unit.playbooks.leaves import ACME, GLOBEX, NODE, Lab, running_lab

ACME_EMPTY = ACME.replace("['*/h01']", "[]")
LIMITS = {"quarantine_to_customer": 8.0, "customer_to_customer": 14.0}
"""Seconds that are asked of each move."""
CPU = 4.0
"""Seconds of the controller's CPU that are asked of each."""


def say(name: str, value: float, unit: str) -> None:
    """Print a measure."""
    print(json.dumps({"name": name, "value": round(value, 4), "unit": unit}), flush=True)


def moved(lab: Lab, name: str, to: str) -> list[str]:
    """Move the node; the limits that the run missed."""
    worked, started = _children(), time.perf_counter()
    code, output = lab.run("tenant_move", spx_nodes=NODE, spx_tenant=to, spx_registry_write=True)
    wall, cpu = time.perf_counter() - started, _children() - worked
    assert cpu, "the run was not a child of this process"
    if code:
        sys.exit(output[-4000:])
    say(f"move_{name}_wall", wall, f"s, at most {LIMITS[name]:g}")
    say(f"move_{name}_cpu", cpu, f"s of CPU of the controller, at most {CPU:g}")
    missed = {
        f"{name}: {wall:.1f} s": wall > LIMITS[name],
        f"{name}: {cpu:.1f} s of CPU": cpu > CPU,
    }
    return [sentence for sentence, late in missed.items() if late]


def _children() -> float:
    """CPU seconds of the processes that have ended; a run that is no child of this one would seem to cost nothing."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """All figures."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_lab(Path(folder), "tenants:\n" + ACME_EMPTY + GLOBEX) as lab,
    ):
        # With it a run loads Ansible itself, as an operator's does; tests fork from a process that has loaded it.
        (lab.folder / "ansible.cfg").write_text("[defaults]\nforks = 20\n")
        lab.committing()
        missed = moved(lab, "quarantine_to_customer", "acme")
        missed += moved(lab, "customer_to_customer", "globex")
    if missed:
        sys.exit("; ".join(missed))


if __name__ == "__main__":
    main()
