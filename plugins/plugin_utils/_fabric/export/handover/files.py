# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of the export `handover`, in the order in which they are written."""

from __future__ import annotations

import re
import typing as t

from ...._pages import html
from . import bill, devices, index, lists, racks, sheets
from .cables import Cables

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...plan.fabric import Fabric
    from .. import rows

BEGINS = re.compile(re.escape(html.BEGIN.encode()))


def files(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, Iterable[str]]]:
    """(path, chunks) of each file."""
    cables = Cables(fabric)
    rack_sheets, device_sheets = sheets.of_racks(cables, pods), sheets.of_devices(cables, pods)
    titles = [(file, title) for file, (title, _devices) in device_sheets.items()]
    items = bill.items(cables, pods)
    first = index.page(cables, items, sheets=rack_sheets, devices=titles)
    yield "handover/index.html", first
    yield "handover/cables.csv", lists.cables_csv(cables, pods)
    yield "handover/labels.csv", lists.labels_csv(cables, pods)
    yield "handover/bill-of-materials.csv", bill.bill_csv(items)
    for sheet in rack_sheets:
        yield f"handover/racks/{sheet.file}.html", racks.page(cables, sheet)
    pages = devices.Pages(cables)
    for file, (title, own) in device_sheets.items():
        yield f"handover/devices/{file}.html", pages.page(title, own)
