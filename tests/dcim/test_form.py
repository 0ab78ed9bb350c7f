# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Size of text that NetBox's form takes. Nautobot's job has no such bound."""

from __future__ import annotations

from pathlib import Path

import pytest
from dcim.imports import importer
from dcim.installed import ROOT
from dcim.servers import Server

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import exports
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim_files import (
    MOST_BYTES,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric

pytestmark = pytest.mark.slow
KINDS = ("netbox",)


def pasted(folder: Path, size: int) -> str:
    """Whole rows of interfaces, again and again, up to a size."""
    fabric = Fabric.load(str(ROOT / "inventories" / "lab" / "model" / "fabric.yml"))
    exports.write(fabric, Output(str(folder)), kinds=["netbox"])
    (file,) = folder.glob("netbox/*-interfaces.csv")
    head, _end, rows = file.read_text(encoding="utf-8").partition("\n")
    text = f"{head}\n{rows * (size // len(rows) + 1)}"[:size]
    return text[: text.rindex("\n") + 1]


def test_the_largest_file_fits_into_the_form(tmp_path: Path, server: Server) -> None:
    """NetBox reads the rows, and refuses the first, whose device is not there; it reads nothing of a larger file."""
    with importer(server) as person:
        assert "Record 1 device" in person.refusal("interfaces", pasted(tmp_path, MOST_BYTES))
        assert person.refusal("interfaces", pasted(tmp_path, 2_700_000)).startswith("400")
