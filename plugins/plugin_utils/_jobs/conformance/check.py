# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a conformance check, and write one file that may be passed on. Private."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import typing as t

from ....module_utils import _json
from ... import _reports
from ..._fabric.description.errors import FabricError
from ..._nvue.document import dialect, shapes
from ..._nvue.document.secrets import values
from ..._nvue.document.tree import get
from ..._nvue.errors import NvueError, RefusedError
from ..._nvue.wire import operational
from . import change, draft, features, profile, questions, sample
from .anonymous import Anonymous
from .rows import NOT_ASKED, NOT_SEEN, Row, RowParts, counts, differing, row

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ....module_utils._json import Doc, Json
    from ..._nvue.document.release import Release
    from ..._nvue.wire.api import Api

FOLDER = "conformance"
DRAFTS = "drafts.json"
"""Beside the reports: the draft of each switch. It names switches, and is nobody else's business."""


class Tool(t.TypedDict):
    """A tool of a host as module host read it: what its output lacks, or that it is not installed."""

    tool: str
    argv: list[str]
    lacks: t.NotRequired[list[str]]
    missing: t.NotRequired[bool]
    out: t.NotRequired[str]
    version: t.NotRequired[str]


@dataclasses.dataclass
class Check:
    """Findings of a device, and the words that show whose it is; `first` is what a person reads first."""

    device: str
    kind: str
    what: Mapping[str, str | Mapping[str, str]]
    rows: list[Row]
    words: set[str]
    first: list[str] = dataclasses.field(default_factory=list)


def of_switch(
    api: Api,
    device: str,
    folder: str,
    *,
    write: bool,
    words: Iterable[str],
    plan: features.Features | None = None,
) -> Check:
    """Try the planned document, ask a switch, try the documents in a draft, and with `write` play a change.

    NvueError, which names the draft, where the planned document cannot be tried to its end.
    """
    for document in plan.documents.values() if plan else ():
        api.hide(values(document))
    about = operational.about(api)
    release = about.release
    applied = operational.applied(api)
    api.hide(values(applied))
    verdict = features.absent()
    if plan:
        dialect.check(release)
        with _draft(api, release, device, folder) as mine:
            verdict = features.judge(mine, release, plan)
    hardware = operational.hardware(api)
    check = Check(
        device,
        "switch",
        {"release": str(release), "model": hardware.model or "unknown"},
        verdict.rows,
        {*words, device, about.hostname, hardware.serial, *_chosen(applied)} - {"cumulus"},
        verdict.lines,
    )
    vrfs = ["default", *sorted(set(shapes.below(applied, "vrf")) - {"default", "mgmt"})][:2]
    asked = questions.questions(vrfs, _version(applied), str(release))
    check.rows += [questions.ask(api, question) for question in asked]
    check.rows += _documents(api, release, device, folder)
    if write:
        change.must_be_idle(api, release)
        check.rows += profile.compare(api, plan.whole() if plan else {})
        check.rows += change.play(api, release)
    return check


def of_host(device: str, told: Iterable[Tool], words: Iterable[str]) -> Check:
    """Return the check of a host, from its tools as module host read them."""
    rows, versions = [], {}
    for one in told:
        gone = bool(one.get("missing"))
        found = ["it is not installed"] if gone else one["lacks"]
        more: RowParts = {"request": " ".join(one["argv"]), "answer": one.get("out")}
        rows.append(row("tool", one["tool"], found, NOT_SEEN if gone else "", **more))
        versions[one["tool"]] = (one.get("version") or "unknown").splitlines()[0]
    return Check(device, "host", {"tools": versions}, rows, {*words, device})


def _documents(api: Api, release: Release, device: str, folder: str) -> list[Row]:
    """Every document in one draft."""
    try:
        documents = list(sample.documents(str(release)))
        with _draft(api, release, device, folder) as mine:
            rows = [mine.put(name, config) for name, config in documents]
            return [*rows, mine.difference()]
    except FabricError as exc:
        return [row(draft.PART, "documents of this release", exc.sentences, NOT_ASKED)]
    except RefusedError:
        raise
    except NvueError as exc:
        return [row(draft.PART, "draft", [api.clean(str(exc))])]


@contextlib.contextmanager
def _draft(api: Api, release: Release, device: str, folder: str) -> Iterator[draft.Draft]:
    """A draft, which at the end holds what the switch runs and is kept for the next run; an error names it."""
    drafts = _drafts(folder)
    mine = draft.open_draft(api, release, draft.EarlierDraft(**drafts.get(device, {})))
    try:
        yield mine
        mine.reset()
        drafts[device] = dataclasses.asdict(mine.kept())
    except NvueError as exc:
        exc.args = (f"{api.clean(str(exc))} {mine.left()}",)
        raise
    _reports.put_json(os.path.join(folder, FOLDER, DRAFTS), drafts, FabricError.of)


def _drafts(folder: str) -> dict[str, dict[str, str]]:
    try:
        with open(os.path.join(folder, FOLDER, DRAFTS), "rb") as handle:
            found = _json.parse(handle.read())
    except (OSError, ValueError):
        return {}
    known = {field.name for field in dataclasses.fields(draft.EarlierDraft)}
    rows = found.items() if isinstance(found, dict) else ()
    return {name: one for name, one in rows if isinstance(one, dict) and set(one) == known}


def _version(applied: Doc) -> int:
    """The family of the addresses at the ports, 4 or 6: the RIB of the other one may be empty."""
    bodies = shapes.mappings(shapes.below(applied, "interface")).values()
    found = {each for each in (4, 6) for body in bodies if get(body, (f"ipv{each}", "address"))}
    return 6 if found == {6} else 4


def _chosen(applied: Doc) -> set[str]:
    """Names that the site chose: accounts, VRFs, and its domain."""
    users = shapes.below(applied, "system", "aaa", "user")
    vrfs = set(shapes.below(applied, "vrf")) - {"default", "mgmt"}
    return {*vrfs, *(name for name in users if name not in ("root", "cumulus"))}


def write(check: Check, folder: str) -> tuple[str, Doc]:
    """Write the file of a check; FabricError, and no file, where a name or an address of the site is left in it."""
    hide = Anonymous(check.words)
    what = {
        key: hide.data(value, (key,)) if isinstance(value, str) else value
        for key, value in check.what.items()
    }
    rows = [_hidden(one, hide) for one in check.rows]
    body: Doc = {
        "kind": check.kind,
        **what,
        "counts": counts(check.rows),
        "rows": t.cast("Json", rows),
    }
    text = json.dumps(body, indent=1, sort_keys=True)
    if left := hide.leaks(text):
        raise FabricError.of(
            f"{check.device}: the file would show {len(left)} names or addresses of the site, such as {left[0]}: none "
            "was written; report the question, not the file."
        )
    name = "-".join(
        str(one) for one in (check.kind, *map(check.what.get, ("release", "model"))) if one
    )
    path = os.path.join(folder, FOLDER, f"{name}.json")
    return _reports.put_json(path, body, FabricError.of), body


def _hidden(one: Row, hide: Anonymous) -> Row:
    made = one.copy()
    made["found"] = [hide.text(text) for text in one["found"]]
    made["question"] = hide.text(one["question"])
    if "request" in one:
        made["request"] = hide.text(one["request"])
    if "answer" in one:
        answer = one["answer"]
        made["answer"] = hide.text(answer) if isinstance(answer, str) else hide.data(answer)
    return made


def lines(check: Check, path: str) -> list[str]:
    """The lines for a person: what the plan meets, the counts, and a line for each difference."""
    number = counts(check.rows)
    head = ", ".join(f"{count} {verdict}" for verdict, count in number.items() if count)
    what = ", ".join(value for value in check.what.values() if isinstance(value, str))
    wrong = [f"  {said}" for said in differing(check.rows)]
    first = [f"{check.device}: {line}" for line in check.first]
    return [*first, f"{check.device} ({what or check.kind}): {head}", *wrong, f"  {path}"]
