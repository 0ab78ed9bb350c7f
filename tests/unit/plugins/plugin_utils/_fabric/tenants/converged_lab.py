# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory with a converged fabric, with other keys in the parts of its block `networks`."""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path

import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    with_core,
)

SIX = {
    "front_end": {"attachment": "routed", "provisioning": {"servers": ["2001:db8:5::/48"]}},
    "storage": {"attachment": "routed", "arrays": [], "array_prefixes": ["2001:db8:a::/48"]},
}


def laboratory(*, core=False, six=False, **more):
    """The fabric; each name in `more` is a part of `networks`: keys to merge into it, or None to leave it out.

    With `core` one pair has all networks; with `six` nodes have routed ports with /127 links.
    """
    more = {**SIX, **more} if six else more
    return _loaded(json.dumps(more, sort_keys=True), core=core, six=six)


@functools.cache
def _loaded(more, *, core, six):
    text = (INVENTORIES / "lab-converged" / "model" / "fabric.yml").read_text()
    described = yaml.safe_load(text)
    for part, keys in json.loads(more).items():
        if keys is None:
            del described["networks"][part]
        else:
            described["networks"][part].update(keys)
    if six:
        described["addressing"]["routed_ports"] = "numbered-127"
    if core:
        described["networks"] = with_core(described["networks"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fabric.yml"
        path.write_text(yaml.safe_dump(described))
        return Fabric.load(str(path))
