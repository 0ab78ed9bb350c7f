# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Failures of measurements that somebody answers for, by the rows of `waivers.yml` that playbook validate reads too.

- check: pairs                # a level, the id of a test, or a glob of either
  device: worker-su01-rack01-h02
  port: rail2p1               # of the device, as a host calls it
"""

from __future__ import annotations

import dataclasses
import datetime
import typing as t

from ...audit import results
from ...plan.topology.cabling import Node
from ..plan import jobs
from ..plan.records import FAIL, ends

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...plan.fabric import Fabric
    from ..plan.records import Test


@dataclasses.dataclass(frozen=True)
class Waivers:
    """The waivers of a project on a day."""

    rows: Sequence[results.Waiver] = ()
    today: datetime.date = datetime.date.min

    @classmethod
    def load(cls, fabric: Fabric, today: datetime.date) -> Waivers:
        """Load the waivers of a project; FabricError where a row is wrong."""
        return cls(results.waivers(fabric.beside(results.WAIVERS)), today)

    def applied(self, fabric: Fabric, tests: Iterable[Test]) -> list[Test]:
        """Failures that a row covers are waived; where it has expired, they fail and say so."""
        return [self._applied(fabric, test) for test in tests] if self.rows else list(tests)

    def _applied(self, fabric: Fabric, test: Test) -> Test:
        if test["state"] != FAIL:
            return test
        covering = [row for row in self.rows if any(row.names(*x) for x in _named(fabric, test))]
        state, note = results.answered(covering, self.today)
        return {**test, "state": state, "sentence": test["sentence"] + note}


NONE = Waivers()


def _named(fabric: Fabric, test: Test) -> Iterator[tuple[str, str, str]]:
    """Yield the names of a test for a row: its level or id, a node, and that node's port; a collective has no port."""
    for name, rail, plane in dict.fromkeys(
        [*ends(test), *((n, None, None) for n in test["nodes"])]
    ):
        port = ""
        if rail is not None and isinstance(fabric.device(name), Node):
            port = jobs.nic(fabric, name, rail, plane)["port"]
        for check in (test["level"], test["id"]) if name else ():
            yield check, name, port
