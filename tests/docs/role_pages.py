# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The README of each role, made from its argument_specs and the table of ownership.

A role may be run alone; these pages say what it then owns, what may be set, and how.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
NAME = "spectrum_x.fabric"
APPLIES = "switch_apply"
HOSTS = "dpu_"
"""Prefix of the roles for hosts."""
READS = "dpu_state"
SERVES = ("dpu_agent", "dpu_reset")
"""Roles for hosts that `manage` does not list: they serve those that it lists."""


def role_pages() -> dict[Path, str]:
    """The README of every role, by path."""
    paths = sorted((ROOT / "roles").glob("*/meta/argument_specs.yml"))
    return {path.parents[1] / "README.md": _page(path) for path in paths}


def _page(path: Path) -> str:
    role = path.parents[1].name
    spec = yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"]["main"]
    text = [_plain(line) for line in spec["description"]]
    parts = [
        f"# {role}",
        f"{spec['short_description']}.",
        *text,
        *_owned(role),
        "## Alone",
        _alone(role),
        "```yaml\n" + _example(role) + "```",
        "## Variables",
        _variables(spec.get("options") or {}),
    ]
    return "\n\n".join(parts) + "\n"


def _owned(role: str) -> Iterator[str]:
    table = ROOT / "plugins" / "plugin_utils" / "_fabric" / "catalog" / "ownership.yaml"
    places = yaml.safe_load(table.read_text(encoding="utf-8")).get(role)
    if places:
        yield "## What it owns"
        yield (
            "Inside these places the switch becomes equal to the plan, what is there besides is removed; "
            "nothing else is touched. `{port}`, `{host}`, `{fabric}` and `{cage}` stand for the ports and "
            "cages of the plan."
        )
        yield "\n".join(f"* `{place}`" for place in places)


def _alone(role: str) -> str:
    if role == READS:
        return "The role reads the host and judges it against the plan; the other roles for hosts depend on it."
    if role.startswith(HOSTS):
        served = "It keeps, or makes run, what the roles in `manage` of the description want."
        managed = f"It needs `{role}` in `manage` of the description; otherwise it only says what it would do."
        return (
            f"The role depends on `{READS}`, which reads the host once and takes its variables. "
            f"{served if role in SERVES else managed}"
        )
    if role == APPLIES:
        return (
            "The role applies what every other role of a switch wants, in one revision. The variables of those "
            "roles count, wherever they are set for the host."
        )
    return (
        f"The role applies its part in one revision, with the variables of `switch_apply`. It needs `{role}` in "
        "`manage` of the description, which the inventory source names, or without one the variable "
        "`spx_description`, `SPX_PROJECT` or the current folder; otherwise it only says what it would do."
    )


def _example(role: str) -> str:
    kind, hosts = "switches", "spx_leaf:spx_spine:spx_super_spine"
    if role == "switch_tenants":
        hosts = "spx_leaf"
    elif role.startswith(HOSTS):
        kind, hosts = "hosts", "spx_node"
    lines = [f"- name: Bring {kind} to the plan", f"  hosts: {hosts}", "  gather_facts: false"]
    lines += ["  roles:", f"    - role: {NAME}.{role}"]
    return "\n".join(lines) + "\n"


def _variables(options: dict[str, Any]) -> str:
    if not options:
        return "None: everything follows from the description."
    lines = ["| Name | Type | Default | Meaning |", "|---|---|---|---|"]
    for name, row in options.items():
        kind = f"list of {row['elements']}" if row["type"] == "list" else row["type"]
        choices = f" One of {', '.join(f'`{word}`' for word in row.get('choices', ()))}."
        meaning = _plain(row["description"]) + (choices if row.get("choices") else "")
        lines.append(f"| `{name}` | {kind} | `{_default(row.get('default'))}` | {meaning} |")
    return "\n".join(lines)


def _default(value: Any) -> str:
    text = yaml.safe_dump(value, default_flow_style=True, width=10**6).strip()
    return text.removesuffix("\n...").strip()


def _plain(text: str | list[str]) -> str:
    """A description without the markup of Ansible's documentation."""
    text = text if isinstance(text, str) else " ".join(text)
    return re.sub(r"\b[COVM]\(([^)]*)\)", r"`\1`", " ".join(text.split()))
