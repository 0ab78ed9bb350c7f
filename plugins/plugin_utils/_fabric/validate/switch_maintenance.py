# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A switch in maintenance, which may have been forgotten.

It is remarked as not_run, which is never shown as passed. What work disturbs (`disturbed` in
`catalog/checks_switch.yaml`: sessions, cables, counters) is waived there; its release and its
configuration are judged as ever.
"""

from __future__ import annotations

import typing as t

from ..._nvue.dialect import from_release
from ..._nvue.errors import NvueError
from ..._nvue.tree import get
from ..catalog.data import table
from .results import FAIL, WAIVED

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ....module_utils._json import Doc
    from .results import Result
    from .switch_view import View

_ID = "switch.maintenance"
_SHUTDOWN = ("router", "bgp", "graceful-shutdown")
_UNITS = ("maintenance", "unit")


def remark(view: View) -> Iterator[Result]:
    """Whether the switch was asked to carry no traffic, and how it is given back."""
    device, places = view.subject.device, _places(view)
    if not places:
        yield view.subject.passed(_ID, f"{device} is not in maintenance.")
        return
    back = f"run playbook maintenance with spx_device={device} and spx_state=leave"
    if "/".join(_SHUTDOWN) not in places:
        back = f"unset {' and '.join(places)}"
    yield view.subject.not_run(
        _ID,
        f"{device} is in maintenance ({', '.join(places)}), so that nothing shows it carrying traffic: "
        f"when the work is done, {back}.",
        found=places,
    )


def waive(view: View, results: Iterable[Result]) -> Iterator[Result]:
    """The results, with those failures waived that work on a switch in maintenance explains."""
    resting, checks = bool(_places(view)), table("checks_switch")
    for row in results:
        if resting and row["state"] == FAIL and checks[row["id"]].get("disturbed"):
            note = " Waived: the switch is in maintenance."
            yield {**row, "state": WAIVED, "sentence": row["sentence"] + note}
        else:
            yield row


def _places(view: View) -> list[str]:
    """As `drained_by`; nothing where the configuration cannot be read as that of its release."""
    try:
        return drained_by(from_release(view.applied, view.release))
    except NvueError:
        return []


def drained_by(doc: Doc) -> list[str]:
    """The settings that put a switch into maintenance: the playbook's, or those of a person. An unknown value does."""
    found = ["/".join(_SHUTDOWN)] if get(doc, _SHUTDOWN, "disabled") != "disabled" else []
    units = get(doc, _UNITS, {})
    for name, body in sorted(units.items()) if isinstance(units, dict) else ():
        if isinstance(body, dict) and body.get("mode", "disabled") != "disabled":
            found.append("/".join((*_UNITS, name)))
    return found
