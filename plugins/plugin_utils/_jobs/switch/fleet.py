# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""All switches of a run together: their batches, and the changes that the run joins at its end. Private."""

from __future__ import annotations

import typing as t
from pathlib import Path

from ....module_utils import _json
from ... import _reports
from ..._fabric.audit import summary
from ..._fabric.description.errors import FabricError
from ..._fabric.plan import batches
from .. import summary as told
from . import review

if t.TYPE_CHECKING:
    from ..._fabric.plan.fabric import Fabric

Plain = dict[str, object]

JOINED = "changes.json"
LEFT = ("would_refuse", "drift")
"""Keys of a result for refusals of a run, and for work of the tenant playbooks alone."""


def order(
    fabric: Fabric,
    found: dict[str, Plain],
    *,
    approved: bool,
    check: bool,
    report: str | None = None,
) -> Plain:
    """The batches of the switches that differ; none in check mode, or while one is refused. `lines` say it.

    Outside check mode, which warns at its end, the lines also have what was said of the switches that are changed.

    The report has the changes already, for a run that stops before its end.
    """
    if report:
        _joined(Path(report))
    closed = _closed(found, approved=approved)
    due, drained = ([name for name in found if found[name].get(key)] for key in ("due", "drained"))
    made = batches.of_switches(fabric, due, drained=drained)
    if closed:
        said = f"no switch is changed, because of {', '.join(closed)}: see the end of this run"
        made = {**made, "lines": [said]}
    elif not check:
        made = {**made, "lines": [*made["lines"], *told.foretold(foretold(found, due))]}
    return {**made, "first": [], "rest": []} if closed or check else {**made}


def foretold(found: dict[str, Plain], due: t.Iterable[str]) -> list[told.Message]:
    """List the disturbances and known bugs of the changes, for those who approve them."""
    return [
        told.Message(name, "", str(text))
        for name in due
        for text in _texts(found[name], "warnings")
    ]


def _closed(found: dict[str, Plain], *, approved: bool) -> list[str]:
    """The hosts that were not compared, or whose change would be refused: nothing is changed beside them.

    Approved changes are applied to the hosts that still have what was approved, and others are refused.
    """
    return [
        name
        for name, row in found.items()
        if row.get("would_refuse")
        or (
            not ("changes" in row or row.get("skipped"))
            and not (approved and row.get("unapproved"))
        )
    ]


def join(
    found: dict[str, Plain], report: str | None, show: t.Callable[[t.Iterable[str]], None]
) -> Plain:
    """The changes of all switches in one file; failed where something is refused, or needs a person."""
    result = _joined(Path(report), readable=True) if report else {}
    show(summary.foreign([t.cast("int", row.get("foreign", 0)) for row in found.values()]))
    left = [said for row in found.values() for key in LEFT for said in _texts(row, key)]
    left += [_silent(name) for name, row in found.items() if _uncompared(row)]
    return {**result, "failed": True, "msg": "\n".join(left)} if left else result


def _texts(row: Plain, key: str) -> t.Sequence[str]:
    return t.cast("t.Sequence[str]", row.get(key) or ())


def _uncompared(row: Plain) -> bool:
    """Check whether nothing is known of a switch; a failed one has given the reason."""
    return "changes" not in row and not (row.get("skipped") or row.get("failed"))


def _silent(name: str) -> str:
    return (
        f"{name} was not compared with the plan (the reason is above): repair it, list it in out_of_service, or leave "
        "it out with --limit, and run again."
    )


def _change(path: Path) -> Plain:
    """The changes of one switch, as its part of the run wrote them."""
    try:
        made: Plain = _json.parse(path.read_bytes())
    except (OSError, ValueError) as exc:
        raise FabricError.of(
            f"report: {path} cannot be read ({exc}): move it, or name another folder."
        ) from exc
    return made


def _joined(report: Path, *, readable: bool = False) -> Plain:
    """Join the entries of all switches; `readable` adds the files for people."""
    rows = [_change(path) for path in sorted(report.glob("changes/*.json"))]
    if readable:
        for name, text in review.files(rows).items():
            _reports.put(str(report / name), text, FabricError.of)
    for row in rows:  # the entry of the switch has them
        row.pop("commands", None)
    return {
        "path": _reports.put_json(str(report / JOINED), {"devices": rows}, FabricError.of),
        "devices": len(rows),
        "differing": [row["device"] for row in rows if row.get("paths")],
    }


def empty(folder: str | None, approved: str | None) -> None:
    """Remove the changes of earlier runs from a report, in check mode too, as such a run writes them again.

    FabricError where one of them was approved, or where a file of the same kind is the user's. Nothing else goes.
    """
    if not folder:
        return
    report = Path(folder)
    if approved and Path(approved).resolve().is_relative_to(report.resolve()):
        raise FabricError.of(
            f"spx_approved: {approved} is in the folder of spx_report, which this run overwrites: give "
            "the report of this run another folder, or none."
        )
    for path in [*_earlier(report)]:
        path.unlink(missing_ok=True)


def _earlier(report: Path) -> t.Iterator[Path]:
    """The files of earlier runs; FabricError for one that no run has written."""
    for path in sorted(report.glob("changes/*.json")):
        if not _is_entry(_change(path)):
            raise _strange(path)
        yield from (path, report / "diffs" / f"{path.stem}.diff")
    for name, begins in review.BEGINS.items():
        path = report / name
        if path.exists():
            if not path.read_bytes().startswith(begins.encode()):
                raise _strange(path)
            yield path
    joined = report / JOINED
    if joined.exists():
        found = _change(joined)
        rows = found.get("devices") if isinstance(found, dict) else None
        if not (isinstance(rows, list) and all(map(_is_entry, rows))):
            raise _strange(joined)
        yield joined


def _is_entry(row: object) -> bool:
    return isinstance(row, dict) and row.keys() >= {"device", "base", "diff"}


def _strange(path: Path) -> FabricError:
    return FabricError.of(
        f"report: {path} is not a file of a report: move it, or name another folder with spx_report."
    )
