# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes from a leaf's VRFs, for hosts that nobody may log in to. Private; configures nothing."""

from __future__ import annotations

import typing as t

from .._nvue import ping

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from .._fabric.validate.rented import Answered, Probe
    from .._nvue.api import Api
    from .._nvue.release import Release


def run(api: Api, release: Release, rows: Iterable[Probe], *, why: str = "") -> dict[str, Answered]:
    """{node: its row of `rented.probes` with own, other and reason}.

    `own` and `other` are whether the node and its stranger answered. Where the switch must not be
    asked (`why`), refuses, or says what cannot be read, both stay None, and it is not asked again.
    """
    why = why or ping.unpublished(release)
    made: dict[str, Answered] = {}
    try:
        for row in rows:
            heard: list[bool | None] = [None, None]
            for who, address in enumerate((row["address"], row["stranger"])):
                if address and not why:
                    echo = ping.ping(api, row["vrf"], address)
                    heard[who], why = echo.answered, echo.reason
            made[row["node"]] = {**row, "own": heard[0], "other": heard[1], "reason": why}
    finally:
        api.port.close()
    return made
