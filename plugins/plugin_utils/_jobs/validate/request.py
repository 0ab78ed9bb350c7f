# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The request to validate a device, and where its results go."""

from __future__ import annotations

import collections
import dataclasses
import functools
import typing as t

from ..._fabric.audit import results, summary
from ..._fabric.audit.selection import devices as devices_of
from ..._fabric.catalog.data import wanted
from ..._fabric.plan.fabric import Fabric
from ..._fabric.tenants.registry import Registry
from .. import clock

if t.TYPE_CHECKING:
    from ....module_utils._json import Doc
    from ..._nvue.wire.api import Api
    from ..host.look import Host
    from ..run import Run
    from ..switch.wish import SwitchWish

Plain = dict[str, object]


@dataclasses.dataclass(frozen=True)
class Options:
    """Options of module validate: `checks` that are asked for, all by default, and the devices that `where` means.

    `waivers` is a file, `report` a folder. With `fail` a breach fails the task, with `strict` what is not proven too.
    `probes`: switches may be asked to ping. `allow_versions`: other versions of a host are no breach. `leaves` are
    those whose documents are compared.
    """

    checks: list[str] = dataclasses.field(default_factory=list)
    where: list[str] = dataclasses.field(default_factory=list)
    waivers: str | None = None
    report: str | None = None
    fail: bool = False
    strict: bool = False
    probes: bool = False
    allow_versions: bool = False
    leaves: list[str] | None = None

    @classmethod
    def of(cls, args: t.Mapping[str, object]) -> Options:
        """Return those of a task."""
        known = t.cast("dict[str, t.Any]", args)
        return cls(**{field.name: known[field.name] for field in dataclasses.fields(cls)})


@dataclasses.dataclass(frozen=True)
class Request:
    """A device and its means: `connect` opens a switch, `wish` is what its roles want, `host` looks at a host.

    `documents` are what leaves run, by name.
    """

    run: Run
    fabric: Fabric
    registry: Registry
    options: Options
    device: str
    connect: t.Callable[[], Api]
    wish: t.Callable[[], SwitchWish]
    host: Host
    documents: t.Mapping[str, Doc] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def meant(self) -> frozenset[str] | None:
        """The devices that option `where` means, with the leaves of nodes; None for all."""
        words = self.options.where
        return devices_of(self.fabric, words, self.registry) if words else None

    def means(self, name: str) -> bool:
        """Check whether a device is among the requested ones."""
        return self.meant is None or name in self.meant

    def due(self, rows: t.Iterable[results.Result]) -> list[results.Result]:
        """The results of those checks that are asked for."""
        return [row for row in rows if wanted(row["id"], self.options.checks)]

    def answer(self, name: str, rows: list[results.Result]) -> Plain:
        """Return the task's result: results with waivers, written where a report is requested.

        With option `fail`, what is not proven fails the task. The callback `summary` counts devices by
        `failed_checks`.
        """
        waivers = results.waivers(self.options.waivers or self.fabric.beside(results.WAIVERS))
        rows = results.waive(rows, waivers, clock.today())
        failed = [row for row in rows if row["state"] == results.FAIL]
        made: Plain = {
            "changed": False,
            "counts": summary.counts(rows),
            "failures": [row["sentence"] for row in failed],
            "failed_checks": dict(collections.Counter(row["device"] for row in failed)),
        }
        if self.options.report:
            at = clock.now().isoformat(timespec="seconds")
            dated: list[results.Result] = [{**row, "at": at} for row in rows]
            made["report"] = results.write(self.options.report, name, dated)
        ending = {results.FAIL, results.NOT_RUN} if self.options.strict else {results.FAIL}
        unproven = [row["sentence"] for row in rows if row["state"] in ending]
        if self.options.fail and unproven:
            made |= {"failed": True, "msg": "\n".join(dict.fromkeys(unproven))}
        return made
