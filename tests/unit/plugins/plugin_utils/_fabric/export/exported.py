# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fabrics whose exports are tested, and what is in the files."""

from __future__ import annotations

import csv

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    exports,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    SMALL,
    build,
    example,
)

TINY = {"capacity": {"sus_per_pod": 2, "slots_per_su": 3}, "switches": {"usable_ports": 16}}
FABRICS = {
    **{name: lambda name=name: example(name) for name in (*SMALL, "brownfield-256")},
    "hwplb": lambda: build(
        **TINY,
        nics={"model": "ConnectX-8"},
        planes={"count": 2, "mode": "split", "balancing": "hwplb"},
    ),
    "by rail": lambda: build(**TINY, planes={"count": 8, "mode": "by-rail"}),
    "v6": lambda: build(**TINY, addressing={"profile": "nvidia-guide-v6"}, absent=["su02/h02"]),
    "numbered": lambda: build(
        **TINY,
        management={"domain": "gpu.example"},
        addressing={"profile": "octet-v4", "inter_switch": "numbered-31"},
    ),
}


def export(fabric, folder, **options):
    output = Output(str(folder))
    exports.write(fabric, output, **options)
    return output


def tree(folder):
    return {
        path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def table(folder, name):
    with (folder / name).open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))
