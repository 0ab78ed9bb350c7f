# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What follows from random registries is what it was: VRFs, documents, guards, plans, audits.

With SPX_UPDATE_GOLDEN=1 the hashes are written anew: where what a registry means was changed on purpose.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from .frozen import FABRICS, SMALL, digest

FILE = Path(__file__).with_name("frozen.json")
FEW, MANY, SAMPLE = range(1), range(12), range(1)
"""Registries in every run; over a small example; and over a large one, which take long."""


def check(name, key, seeds):
    """Compare the hashes of an example, or write them."""
    found = digest(FABRICS[name](), seeds)
    if os.environ.get("SPX_UPDATE_GOLDEN"):
        known = json.loads(FILE.read_text()) if FILE.exists() else {}
        known.setdefault(name, {})[key] = found
        FILE.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    assert found == json.loads(FILE.read_text())[name][key]


@pytest.mark.parametrize("name", SMALL[:3:2])
def test_a_few_registries(name):
    check(name, "few", FEW)


@pytest.mark.large
@pytest.mark.parametrize("name", FABRICS)
def test_many_registries(name):
    check(name, "many", MANY if name in SMALL else SAMPLE)
