# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is validated, of which device, and where its results go."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import functools
import typing as t

from ..._fabric.audit import results, summary, where
from ..._fabric.catalog.data import wanted
from ..._fabric.plan.fabric import Fabric
from ..._fabric.tenants.registry import Registry

if t.TYPE_CHECKING:
    from ..action import Action

Plain = dict[str, t.Any]


@dataclasses.dataclass(frozen=True)
class Question:
    """One task: `action` runs it, `args` are its options, `stated` the variables of its host."""

    action: Action
    fabric: Fabric
    registry: Registry
    args: Plain
    stated: Plain

    @property
    def template(self) -> t.Callable[[t.Any], t.Any]:
        """Renders what a variable holds."""
        return t.cast("t.Callable[[t.Any], t.Any]", self.action._templar.template)

    @property
    def device(self) -> str:
        """The device that is validated; the inventory name by default."""
        return str(self.args["device"] or self.stated.get("inventory_hostname"))

    @functools.cached_property
    def meant(self) -> frozenset[str] | None:
        """The devices that option `where` means, with the leaves of nodes; None for all."""
        text = self.args["where"]
        return where.devices(self.fabric, text, self.registry) if text else None

    def means(self, name: str) -> bool:
        """Whether a device is among those that are asked for."""
        return self.meant is None or name in self.meant

    def due(self, rows: t.Iterable[results.Result]) -> list[results.Result]:
        """The results of those checks that are asked for."""
        return [row for row in rows if wanted(row["id"], self.args["checks"])]

    def answer(self, name: str, rows: list[results.Result]) -> Plain:
        """What the task returns: results with waivers, written where a report is asked for.

        With option `fail`, what is not proven fails the task. The callback `summary` counts devices by
        `failed_checks`.
        """
        waivers = results.waivers(self.args["waivers"] or self.fabric.beside(results.WAIVERS))
        rows = results.waive(rows, waivers, today())
        failed = [row for row in rows if row["state"] == results.FAIL]
        made: Plain = {
            "changed": False,
            "counts": summary.counts(rows),
            "failures": [row["sentence"] for row in failed],
            "failed_checks": dict(collections.Counter(row["device"] for row in failed)),
        }
        if self.args["report"]:
            at = now().isoformat(timespec="seconds")
            dated: list[results.Result] = [{**row, "at": at} for row in rows]
            made["report"] = results.write(self.args["report"], name, dated)
        ending = {results.FAIL, results.NOT_RUN} if self.args["strict"] else {results.FAIL}
        unproven = [row["sentence"] for row in rows if row["state"] in ending]
        if self.args["fail"] and unproven:
            made |= {"failed": True, "msg": "\n".join(dict.fromkeys(unproven))}
        return made


def today() -> datetime.date:
    """The day that waivers and outages are compared with."""
    return now().date()


def now() -> datetime.datetime:
    """The time that results are dated with, UTC."""
    return datetime.datetime.now(tz=datetime.UTC)
