# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All that is known of the NICs of a host, and what it says about the wanted state."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .agent import AGENT, agent_digest, agent_version, skew, starts_algorithm
from .desired import Nic
from .gather import DEFAULT_SECTIONS, gather
from .plan.nvconfig import unmet
from .tools import Host
from .verdict import verdict

Plain = dict[str, Any]


def report(
    host: Host,
    nics: Sequence[Nic] = (),
    sections: Iterable[str] = DEFAULT_SECTIONS,
    *,
    deep: bool = False,
    path: str = AGENT,
    version: str = "",
    digest: str = "",
) -> Plain:
    """{nics, warnings, agent, algorithm, skew, unmet} and, with wanted NICs, verdict.

    `version` and `digest` are of the tool that is expected at `path`.
    """
    records = gather(host, nics, sections, deep=deep)
    installed = agent_version(host, path)
    errors = [port.get("errors", {}) for record in records for port in record["ports"]]
    return {
        "nics": records,
        "warnings": [found["driver"] for found in errors if "driver" in found],
        "agent": installed,
        "algorithm": starts_algorithm(host),
        "skew": skew(installed, version, agent_digest(host, path) if digest else "", digest),
        "unmet": [
            sentence
            for record, nic in zip(records, nics)
            for sentence in unmet(nic.pci, record.get("nvconfig", {}), nic.nvconfig).values()
        ],
        **({"verdict": verdict(records, nics)} if nics else {}),
    }
