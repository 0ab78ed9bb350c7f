# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the facts of the collection come from, counted in the data files themselves.

A fact is a row of data that names its source. In a catalog that is a mapping with the key ``source``, or a key at the
top whose source is in ``sources`` of that file. A fact that says it is inferred counts as inferred, whatever else it
names; of several sources the first of ``KINDS`` counts.
"""

from __future__ import annotations

import collections
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[2]
CATALOG = ROOT / "plugins" / "plugin_utils" / "_fabric" / "catalog"
NVUE = ROOT / "plugins" / "plugin_utils" / "_nvue"
DOUBLE = ROOT / "tests" / "targets" / "switch" / "nvue_double" / "data"
INFERRED, UNMARKED = "inferred", "unmarked"
KINDS = {
    INFERRED: r"\binferred\b",
    "NVIDIA's schema": r"NVIDIA's (NVUE )?schema|OpenAPI",
    "NVIDIA's page": r"docs\.nvidia\.com|networking/display|kubernetes26|Cumulus ?Linux|CumulusNetworks/docs|"
    r"What's New|user guide|guide of 5|[Mm]anual|NVUE reference|release notes|\[doc\]|"
    r"\b[DGR]5\d\d\b|\b(REF|SHOW|LIST)\b|NVIDIA Network Operator|NVIDIA page|the same page|^[0-9a-z]+ \(",
    "a capture": r"\[capture\]|\bcaptures?\b|\bseen on\b|\btried\b",
    "public code": r"github\.com|githedgehog|\[code\]|sonic-net|nv-config-manager|NVCM|NETLAB|ICC|kernel|Mellanox/|"
    r"NVIDIA/|perftest|nccl-tests|linux-rdma|ethtool|mstflint|cluster-readiness-engine|public code|TypeChoices",
    "ours": r"\bours\b|this (project|collection)|EIA-310",
}
"""How a source says of which kind it is, in the order in which it counts."""
COLUMNS = (
    "NVIDIA's schema",
    "NVIDIA's page",
    "public code",
    "a capture",
    INFERRED,
    "ours",
    UNMARKED,
)
OURS = {
    "checks_host", "checks_networks", "checks_switch", "checks_tenants", "ownership", "ownership_converged",
    "ownership_oob", "variables", "limits_switch", "roles", "alerts", "dashboards",
}  # fmt: skip
"""Catalogs that hold choices of this project and nothing that NVIDIA publishes."""
ABOUT = {"schema", "sources", "aliases", "components", "nvidia_source", "ours"}
"""Keys of a catalog that describe the file itself."""
WORDS = ("word", "host", "iface", "vrf", "user", "port")
"""Kinds of keys of maps whose lengths are inferred, as the head of the file says."""


class Fact(NamedTuple):
    """A row of data: its area, its name, and what it says of its source."""

    area: str
    name: str
    source: str

    @property
    def kind(self) -> str:
        """Return the kind of source that counts."""
        return next(
            (kind for kind, words in KINDS.items() if re.search(words, self.source)), UNMARKED
        )


def every() -> Iterator[Fact]:
    """Yield every fact of the data files."""
    for path in json.loads((NVUE / "document" / "nvue_schema.json").read_text())["paths"]:
        yield Fact("Configuration of switches", path, "NVIDIA's schema")
    for kind, paths in _yaml(NVUE / "document" / "nvue_keys.yaml").items():
        source = "inferred" if kind.startswith(WORDS) else "NVUE reference"
        yield from (Fact("Keys of maps", path, source) for path in paths)
    yield from _dialects()
    for bug in _bugs():
        yield Fact("Known bugs", str(bug.id), bug.source)
    for path in sorted(CATALOG.glob("*.yaml")):
        if path.stem not in OURS:
            yield from _catalog(path)
    yield from _double()


def counts() -> dict[str, collections.Counter[str]]:
    """Return the number of facts by area and kind."""
    areas: dict[str, collections.Counter[str]] = {}
    for fact in every():
        areas.setdefault(fact.area, collections.Counter())[fact.kind] += 1
    return areas


def unmarked() -> list[Fact]:
    """Return the facts that do not say where they come from."""
    return [fact for fact in every() if fact.kind == UNMARKED]


def _catalog(path: Path) -> Iterator[Fact]:
    data = _yaml(path)
    sources, area = data.get("sources", {}), f"Catalog {path.stem}"
    for key, value in data.items():
        if key in ABOUT:
            continue
        inner = [*_sourced(value, (path.stem, key), sources)]
        if key in sources:
            inner = [Fact("", f"{path.stem}.{key}", str(sources[key]))]
        yield from (
            fact._replace(area=area) for fact in inner or [Fact("", f"{path.stem}.{key}", "")]
        )


def _sourced(value: Any, place: tuple[Any, ...], sources: dict[str, str]) -> Iterator[Fact]:
    """Yield each mapping below a value that names a source, with what it says of itself besides."""
    if isinstance(value, dict):
        if isinstance(value.get("source"), str):
            source = sources.get(value["source"], value["source"])
            words = (source, value.get("remark", ""), value.get("confidence", ""))
            yield Fact("", ".".join(map(str, place)), " ".join(map(str, words)))
        for key, member in value.items():
            yield from _sourced(member, (*place, key), sources)
    elif isinstance(value, list):
        for number, member in enumerate(value):
            yield from _sourced(member, (*place, number), sources)


def _dialects() -> Iterator[Fact]:
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import (
        dialect_table,
    )

    for move in dialect_table.MOVES:
        yield Fact("Spelling by release", move.new, move.source)
    for feature in dialect_table.FEATURES:
        yield Fact("Spelling by release", feature.place, feature.source)


def _bugs() -> Any:
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import known_bugs

    return known_bugs.every()


def _double() -> Iterator[Fact]:
    """Yield what the double of a switch answers beyond the schema, which tests rest on."""
    for resource, rows in _yaml(DOUBLE / "operational_shapes.yml").items():
        for row in rows:
            yield Fact("Answers of the double", f"{resource} {row['since']}", row["source"])
    for section in _yaml(DOUBLE / "beyond.yml").values():
        for source, rows in section.items():
            yield from (Fact("The double beyond the schema", str(row), source) for row in rows)


def _yaml(path: Path) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return data
