# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Traffic that runs now. A flow is a file that its program holds locked: what nobody locks is over.

Hosts that share the folder share the links of the model. A run of ten seconds lasts ten seconds times the pace
(`NICSIM_PACE`, else that of the model, else 0): with a pace of 0 a run ends at once, and meets only what runs in that
moment.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pathlib
import tempfile
import time
from collections.abc import Iterator, Sequence
from typing import Optional

from nicsim import paths
from nicsim.links import Flow, Links

DARK = "dark.json"
"""File in which a lab notes the ends of cables without carrier, in the folder that its hosts share."""
LOOKS = 5
"""Number of times that a run reads the other runs."""


def pace(links: Links) -> float:
    """Seconds that a second of a run lasts here; raises ValueError for anything but a number from 0 to 1."""
    number = float(os.environ.get("NICSIM_PACE") or links.pace)
    if not 0 <= number <= 1:
        raise ValueError(f"the pace is {number:g}; it is a number from 0 to 1")
    return number


@contextlib.contextmanager
def running(flows: Sequence[Flow]) -> Iterator[None]:
    """Let others meet these flows for the length of the block."""
    folder = paths.flows_folder()
    with contextlib.ExitStack() as stack:
        for flow in flows:
            file = _file(folder)
            if file is not None:
                stack.enter_context(file)
                stack.callback(_shown(file, flow).unlink, missing_ok=True)
        yield


def _file(folder: pathlib.Path) -> Optional[tempfile._TemporaryFileWrapper]:
    """A new file in the folder; None where no such folder can be made: then nobody is met."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return tempfile.NamedTemporaryFile("w", dir=folder, delete=False)
    except OSError:
        return None


def _shown(file: tempfile._TemporaryFileWrapper, flow: Flow) -> pathlib.Path:
    """Give the file its name as a flow when it is written and locked."""
    fcntl.flock(file, fcntl.LOCK_EX)
    file.write(json.dumps(flow))
    file.flush()
    return pathlib.Path(file.name).rename(f"{file.name}.flow")


def present() -> list[Flow]:
    """Every flow that runs now; files that a killed program left are removed."""
    found = []
    for path in sorted(paths.flows_folder().glob("*.flow")):
        with (
            contextlib.suppress(OSError, ValueError, TypeError),
            path.open(encoding="utf-8") as file,
        ):
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except OSError:
                found.append(Flow(*json.loads(file.read())))
            else:
                path.unlink()
    return found


def dark() -> frozenset[str]:
    """The ends of cables without carrier now, as "device:port"; none where nobody notes them."""
    try:
        return frozenset(json.loads((paths.flows_folder() / DARK).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return frozenset()


def carried(links: Links, flows: Sequence[Flow], *, gbps: float, seconds: float) -> list[float]:
    """The mean rate of each of these flows over a run, in Gb/s, among everything else that runs meanwhile.

    A flow that found no way for a part of the run has 0: a connection over RDMA ends when its retries are used up.
    """
    with running(flows):
        looks = [
            _look(links, flows, gbps=gbps, wait=seconds * pace(links) / LOOKS)
            for _look_ in range(LOOKS if pace(links) else 1)
        ]
    return [sum(rates) / len(looks) if all(rates) else 0.0 for rates in zip(*looks)]


def _look(links: Links, flows: Sequence[Flow], *, gbps: float, wait: float) -> list[float]:
    time.sleep(wait)
    links.dark |= dark()
    others = present()
    for flow in flows:
        if flow in others:
            others.remove(flow)
    return links.rates([*flows, *others], gbps=gbps)[: len(flows)]
