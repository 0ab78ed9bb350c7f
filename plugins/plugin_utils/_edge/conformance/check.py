# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts the questions of a check of conformance, and writes one file that may be passed on. Private."""

from __future__ import annotations

import dataclasses
import json
import os
import typing as t

from ... import _reports
from ..._fabric.model.errors import FabricError
from ..._fabric.tenancy import tables
from ..._nvue import operational, shapes
from ..._nvue.errors import NvueError, RefusedError
from . import change, draft, questions, sample
from .anonymous import Anonymous
from .rows import DIFFERS, NOT_ASKED, NOT_SEEN, Row, counts, row

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from ..._nvue.api import Api
    from ..._nvue.release import Release

Plain = dict[str, t.Any]
FOLDER = "conformance"
DRAFTS = "drafts.json"
"""Beside the reports: the draft of each switch. It names switches, and is nobody else's business."""


@dataclasses.dataclass
class Check:
    """What was found of a device, and which words show whose it is."""

    device: str
    kind: str
    what: Plain
    rows: list[Row]
    words: set[str]


def of_switch(api: Api, device: str, folder: str, *, write: bool, words: Iterable[str]) -> Check:
    """Ask a switch, try the documents in a draft, and with `write` play a change."""
    about = operational.about(api)
    release = about.release
    applied = operational.applied(api)
    hardware = operational.hardware(api)
    check = Check(
        device,
        "switch",
        {"release": str(release), "model": hardware.model or "unknown"},
        [],
        {*words, device, about.hostname, hardware.serial, *_chosen(applied)} - {"cumulus"},
    )
    vrfs = ["default", *sorted(set(shapes.below(applied, "vrf")) - {"default", "mgmt"})][:2]
    asked = questions.questions(vrfs, _family(applied), fib=tables.reports_fib(str(release)))
    check.rows += [questions.ask(api, question) for question in asked]
    check.rows += _documents(api, release, device, folder)
    if write:
        change.must_be_idle(api, release)
        check.rows += change.play(api, release)
    return check


def of_host(device: str, told: Iterable[Plain], words: Iterable[str]) -> Check:
    """What module host found of the tools of a host."""
    rows, versions = [], {}
    for one in told:
        made = row(
            "tool", one["tool"], one["lacks"], request=" ".join(one["argv"]), answer=one.get("out")
        )
        if one.get("missing"):
            made = t.cast(Row, {**made, "verdict": NOT_SEEN, "found": ["it is not installed"]})
        versions[one["tool"]] = (one.get("version") or "unknown").splitlines()[0]
        rows.append(made)
    return Check(device, "host", {"tools": versions}, rows, {*words, device})


def _documents(api: Api, release: Release, device: str, folder: str) -> list[Row]:
    """Every document in one draft, which is kept for the next run."""
    drafts = _drafts(folder)
    try:
        mine = draft.open_draft(api, release, draft.Kept(**drafts.get(device, {})))
        rows = [mine.put(name, config) for name, config in sample.documents(str(release))]
        rows.append(mine.difference())
        drafts[device] = dataclasses.asdict(mine.kept())
    except FabricError as exc:
        made = row(draft.PART, "documents of this release", list(exc.sentences))
        return [t.cast(Row, {**made, "verdict": NOT_ASKED})]
    except RefusedError:
        raise
    except NvueError as exc:
        return [row(draft.PART, "draft", [api.clean(str(exc))])]
    _reports.put_json(os.path.join(folder, FOLDER, DRAFTS), drafts, FabricError.of)
    return rows


def _drafts(folder: str) -> Plain:
    try:
        with open(os.path.join(folder, FOLDER, DRAFTS), encoding="utf-8") as handle:
            found = json.load(handle)
    except (OSError, ValueError):
        return {}
    known = {field.name for field in dataclasses.fields(draft.Kept)}
    return {
        name: one
        for name, one in (found.items() if isinstance(found, dict) else ())
        if isinstance(one, dict) and set(one) == known
    }


def _family(applied: Plain) -> str:
    """The family of the addresses at the ports: the RIB of the other one may be empty."""
    bodies = shapes.mappings(shapes.below(applied, "interface")).values()
    return (
        "ipv6"
        if any(_routed(body, "ipv6") for body in bodies)
        and not any(_routed(body, "ipv4") for body in bodies)
        else "ipv4"
    )


def _routed(body: Plain, family: str) -> bool:
    return (
        bool(shapes.below(body, family, "address")) if isinstance(body.get(family), dict) else False
    )


def _chosen(applied: Plain) -> set[str]:
    """Names that the site chose: accounts, VRFs, and its domain."""
    users = shapes.below(applied, "system", "aaa", "user")
    vrfs = set(shapes.below(applied, "vrf")) - {"default", "mgmt"}
    return {*vrfs, *(name for name in users if name not in ("root", "cumulus"))}


def write(check: Check, folder: str) -> tuple[str, Plain]:
    """Write the file of a check; FabricError, and no file, where a name or an address of the site is left in it."""
    hide = Anonymous(check.words)
    body = {
        "kind": check.kind,
        **{
            key: hide.data(value, (key,)) if isinstance(value, str) else value
            for key, value in check.what.items()
        },
        "counts": counts(check.rows),
        "rows": [_hidden(one, hide) for one in check.rows],
    }
    text = json.dumps(body, indent=1, sort_keys=True)
    if left := hide.leaks(text):
        raise FabricError.of(
            f"{check.device}: the file would show {len(left)} names or addresses of the site, such as {left[0]}: none "
            "was written; report the question, not the file."
        )
    name = "-".join(filter(None, (check.kind, check.what.get("release"), check.what.get("model"))))
    path = os.path.join(folder, FOLDER, f"{name}.json")
    return _reports.put_json(path, body, FabricError.of), body


def _hidden(one: Row, hide: Anonymous) -> Plain:
    made: Plain = {**one, "found": [hide.text(text) for text in one["found"]]}
    made["question"] = hide.text(one["question"])
    if "request" in one:
        made["request"] = hide.text(one["request"])
    if "answer" in one:
        answer = one["answer"]
        made["answer"] = hide.text(answer) if isinstance(answer, str) else hide.data(answer)
    return made


def lines(check: Check, path: str) -> list[str]:
    """What a person reads: one line when all is as expected, and a line for each difference."""
    number = counts(check.rows)
    head = ", ".join(f"{count} {verdict}" for verdict, count in number.items() if count)
    what = ", ".join(value for value in check.what.values() if isinstance(value, str))
    said = [f"{check.device} ({what or check.kind}): {head}"]
    for one in check.rows:
        if one["verdict"] == DIFFERS:
            said += [f"  {one['part']}, {one['question']}: {text}" for text in one["found"]]
    return [*said, f"  {path}"]
