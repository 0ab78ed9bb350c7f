# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NetBox, read by ``fields=`` and written by lists.

A read asks for the columns that are compared, page by page. NetBox ignores a filter that it does not
know and answers with everything, so that every row is held against the question. A list is written
whole or not at all: items that NetBox refuses are dropped and reported, and the rest is sent again.
Where no answer came, one looks for the keys of the list before it is sent again.
"""

from __future__ import annotations

import typing as t
from functools import partial

from .._fabric.export.dcim.difference import equal
from .._fabric.export.dcim.mark import mark
from .._fabric.export.dcim.things import FIELD, KINDS, TAG, UNTAGGED, DcimObject, Ref, Thing
from . import netbox_read as reading
from . import netbox_table as table
from .client import UnsureError, items, said, sentences
from .columns import MissingError, id_in, id_of
from .dialect import NOT_DELETED, NOT_WRITTEN, OVERTAKEN, Dialect, rounds, still_ours
from .port import DcimError, WriteResult

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ...module_utils._json import Doc, Json
    from .._fabric.export.dcim.things import Value
    from .._http.reply import Reply
    from .client import Client
    from .port import Index, Update

LIST = 200
"""Things in one list. Lists of 100 to 250 cost the least, and block others for seconds only."""
TRIES = 2
"""Number of attempts for a list that is not answered and of which nothing was written."""
OLDEST = (4, 6, 2)
"""ETags, ``add_tags`` and the filter ``cable_id``: docs.netbox.dev, release notes of 4.6.0 and 4.6.2."""
NEXT_MAJOR = 5
OTHER = "it was answered with another object; run again."
TWIN = "another push made it at the same time"


class NetBox(Dialect):
    """The port to NetBox; see ``port.Dcim``. It sends at most ``workers`` requests at once."""

    name = "NetBox"
    kinds = tuple(kind for kind in KINDS if kind in table.ROWS)

    def __init__(self, client: Client, *, workers: int = 2) -> None:
        self._reader = reading.Reader(client)
        super().__init__(client, self._reader, workers=workers)
        self._tag: Json = {"slug": TAG}

    def check(self) -> None:
        """Raise ``DcimError`` unless a known NetBox answers and lets the token read and write."""
        self._known("NetBox", oldest=OLDEST, below=NEXT_MAJOR)
        self._reader.check_field()

    def fit(self, thing: Thing) -> Thing:
        """Return a thing as NetBox can hold it: one interface of an address, three states of a cable."""
        values = {**thing.values, **dict.fromkeys(table.NO_PLACE.get(thing.kind, ()))}
        if thing.kind == "cable" and values.get("status") == "disconnected":
            values["status"] = "planned"
        if thing.kind == "address":
            values |= _one_interface(values)
        return thing._replace(values=values)

    def slug_holders(
        self, kind: str, things: Sequence[Thing], index: Index
    ) -> Mapping[str, DcimObject]:
        """Return the objects whose slugs new things would take, by their keys."""
        return self._reader.slug_holders(kind, things, index)

    def create(self, kind: str, things: Sequence[Thing], index: Index) -> list[WriteResult]:
        """Create things by lists; what NetBox refuses is reported, the rest is created."""
        tag = index.id_of(Ref("tag", TAG))
        self._tag = int(tag) if tag else {"slug": TAG}
        make = self._new_primaries if kind == "primary" else self._create_list

        def by_lists(some: Sequence[Thing]) -> list[WriteResult]:
            return self._by_lists(kind, some, LIST, lambda part: make(kind, part, index))

        return self._in_rounds(kind, things, index, make=by_lists)

    def update(self, kind: str, changes: Sequence[Update], index: Index) -> list[WriteResult]:
        """Write the given fields of each thing, unless it changed since it was read."""
        if kind == "primary":
            held = {change.thing.key: change.found.values.get("address") for change in changes}
            return self._set_primaries([change.thing for change in changes], held, index)
        lost = self._lost(kind, changes)
        done = self._each(
            kind,
            [change for change in changes if change.found.id not in lost],
            lambda change: self._update(kind, change, index),
        )
        return [
            *(
                WriteResult(x.thing.key, x.found.id, OVERTAKEN)
                for x in changes
                if x.found.id in lost
            ),
            *done,
        ]

    def _lost(self, kind: str, changes: Sequence[Update]) -> set[str]:
        """Return the ids of ports whose device lost our tag meanwhile: an ETag of a port does not say so."""
        lost: set[str] = set()
        for at in range(0, len(changes) if kind in UNTAGGED else 0, reading.IDS):
            part = changes[at : at + reading.IDS]
            rows = self._reader.by_id(kind, [change.found.id for change in part])
            for change in part:
                row = rows.get(change.found.id, {})
                tags = self._reader.tags(kind, row)
                if not still_ours(change, reading.field_of(row), tags):
                    lost.add(change.found.id)
        return lost

    def delete(self, kind: str, found: Sequence[DcimObject], index: Index) -> list[WriteResult]:
        """Read each thing again, and delete it if it is still ours and nothing else hangs on it."""
        done: list[WriteResult] = []
        for several in reversed(rounds(found)):
            for at in range(0, len(several), reading.IDS):
                part = several[at : at + reading.IDS]
                rows = self._reader.by_id(kind, [each.id for each in part])
                done += self._each(kind, part, partial(self._delete, kind, rows))
        return done

    def _create_list(self, kind: str, things: Sequence[Thing], index: Index) -> list[WriteResult]:
        bodies, done = self._bodies(kind, things, index)
        sent = [thing for thing in things if thing.key in bodies]
        return [*done, *self._alone(kind, sent, self._sent(kind, sent, bodies))]

    def _alone(
        self, kind: str, things: Sequence[Thing], done: list[WriteResult]
    ) -> list[WriteResult]:
        """Take back what another push has made too: of two that look after their write, the later one sees both."""
        if kind not in table.REPEATABLE:
            return done
        ids = self._reader.all_ids_of(kind, things)
        return [
            each if each.error or len(ids.get(each.key, ())) < 2 else self._withdrawn(kind, each)
            for each in done
        ]

    def _withdrawn(self, kind: str, made: WriteResult) -> WriteResult:
        """Delete our object of two; the other push may do the same, and the next one makes it again."""
        path = f"/api/{table.ROWS[kind].path}/{made.id}/"
        try:
            reply = self._client.write("DELETE", path)
            why = "" if reply.status in (204, 404) else _why(reply)
        except UnsureError:
            why = self._still_there(kind, made.id)
        except DcimError as exc:
            why = str(exc)
        end = (
            f"; delete object {made.id}, which cannot be taken back: {why}"
            if why
            else ": run again."
        )
        return WriteResult(made.key, "", f"{TWIN}{end}")

    def _body(self, kind: str, thing: Thing, index: Index) -> Doc:
        row = table.ROWS[kind]
        own = table.marks(kind, mark(thing), self._tag) if row.marked else {}
        return {**row.fixed(thing), **table.body(kind, thing.values, index), **own}

    def _sent(
        self, kind: str, things: Sequence[Thing], bodies: Mapping[str, Doc]
    ) -> list[WriteResult]:
        """Send a list until all of it is decided; raise where no answer came again and again."""
        done: list[WriteResult] = []
        left, tries = list(things), TRIES
        while left:
            try:
                made, left = self._attempt(kind, left, bodies)
                done += made
            except UnsureError:
                tries -= 1
                if not tries:
                    raise
        return done

    def _put(self, method: str, path: str, body: Doc | list[Doc], *, match: str = "") -> Reply:
        """Write one body or a list of them, and be answered with no more than what was written."""
        fields = table.answered(body if isinstance(body, list) else [body])
        content = t.cast("Json", body)
        return self._client.write(method, path, content, match=match, params=[("fields", fields)])

    def _attempt(
        self, kind: str, things: Sequence[Thing], bodies: Mapping[str, Doc]
    ) -> tuple[list[WriteResult], list[Thing]]:
        """Send a list; return what is decided, and what remains to be sent."""
        path = f"/api/{table.ROWS[kind].path}/"
        try:
            reply = self._put("POST", path, [bodies[each.key] for each in things])
        except UnsureError as exc:
            return self._look(kind, things, exc)
        if reply.status == 201:
            return self._made(things, self._client.decode(reply, f"POST {path}")), []
        refused = self._refused(reply)
        if len(things) == 1:
            return [WriteResult(things[0].key, "", f"{said(reply)}.")], []
        if not refused or max(refused) >= len(things):
            return self._halves(kind, things, bodies), []
        return (
            [WriteResult(things[at].key, "", words) for at, words in sorted(refused.items())],
            [thing for at, thing in enumerate(things) if at not in refused],
        )

    def _halves(
        self, kind: str, things: Sequence[Thing], bodies: Mapping[str, Doc]
    ) -> list[WriteResult]:
        """Send both halves of a list that was refused without a word about which item is bad."""
        middle = len(things) // 2
        halves = things[:middle], things[middle:]
        return [each for half in halves for each in self._sent(kind, half, bodies)]

    def _made(self, things: Sequence[Thing], found: Json) -> list[WriteResult]:
        rows = items(found, f"{len(things)} objects", "a list")
        if len(rows) != len(things):
            raise DcimError(
                f"{self._client.target}: a list of {len(things)} was answered with {len(rows)} objects; "
                "run again."
            )
        for thing, row in zip(things, rows, strict=True):
            if "id" not in row or reading.called(thing.kind, row) != reading.sent_as(thing):
                raise DcimError(
                    f"{self._client.target}: the list with {thing.key!r} was answered with other objects; run "
                    "again."
                )
        return [
            WriteResult(each.key, str(row["id"])) for each, row in zip(things, rows, strict=True)
        ]

    def _refused(self, reply: Reply) -> dict[int, str]:
        """Return the sentences about items of a list, by place; empty where NetBox names none."""
        found = self._client.decode(reply, "a list")
        errors = found.get("errors") if isinstance(found, dict) else found
        if not isinstance(errors, list):
            return {}
        refused: dict[int, str] = {}
        for at, each in enumerate(errors):
            inner = each.get("errors") if isinstance(each, dict) and "index" in each else each
            place = each.get("index") if isinstance(each, dict) and "index" in each else at
            words = "; ".join(sentences(inner))
            if words and isinstance(place, int):
                refused[place] = f"{words}."
        return refused

    def _look(
        self, kind: str, things: Sequence[Thing], exc: UnsureError
    ) -> tuple[list[WriteResult], list[Thing]]:
        """Look for what a list without an answer has written; raise where that is nothing."""
        for _look in self._looks():
            ids = self._reader.ids_of(kind, things)
            if ids:
                done = [WriteResult(each.key, ids[each.key]) for each in things if each.key in ids]
                return done, [each for each in things if each.key not in ids]
        raise exc

    def _update(self, kind: str, change: Update, index: Index) -> WriteResult:
        key, found = change.thing.key, change.found
        path = f"/api/{table.ROWS[kind].path}/{found.id}/"
        values = {field: ours for field, (ours, _theirs) in change.fields.items()}
        try:
            content = table.body(kind, values, index)
        except MissingError as exc:
            return WriteResult(key, found.id, f"{exc}.")
        content["custom_fields"] = {FIELD: mark(change.thing)}
        if kind not in UNTAGGED:
            content["add_tags"] = [self._tag]
        try:
            match = found.version or self._untouched(kind, change, index)
            if not match:
                return WriteResult(key, found.id, OVERTAKEN)
            reply = self._put("PATCH", path, content, match=match)
            if reply.status == 412 and (version := self._untouched(kind, change, index)):
                reply = self._put("PATCH", path, content, match=version)
        except UnsureError:
            return self._written(kind, change, index)
        return WriteResult(key, found.id, self._patched(reply, found.id))

    def _untouched(self, kind: str, change: Update, index: Index) -> str:
        """Return the ETag of a thing that is still whose it was, and as it was compared; empty for any other.

        Something else of it may have changed meanwhile: a comment, or the cable of an interface.
        """
        row = self._reader.by_id(kind, [change.found.id]).get(change.found.id)
        values = self._reader.values(kind, row, index) if row is not None else {}
        same = all(
            equal(values.get(field), theirs) for field, (_ours, theirs) in change.fields.items()
        )
        if row is None or not values or not same:
            return ""
        ours = still_ours(change, reading.field_of(row), self._reader.tags(kind, row))
        return reading.etag(row) if ours else ""

    def _written(self, kind: str, change: Update, index: Index) -> WriteResult:
        """Return whether a change that was not answered is there: the fields have what we wrote."""
        key, id_ = change.thing.key, change.found.id
        for _look in self._looks():
            row = self._reader.by_id(kind, [id_]).get(id_)
            values = self._reader.values(kind, row, index) if row is not None else {}
            if values and all(
                equal(values.get(field), ours) for field, (ours, _theirs) in change.fields.items()
            ):
                return WriteResult(key, id_)
        return WriteResult(key, id_, NOT_WRITTEN)

    def _delete(
        self, kind: str, rows: Mapping[str, Mapping[str, Json]], found: DcimObject
    ) -> WriteResult:
        row = rows.get(found.id)
        if row is None:
            return WriteResult(found.key, found.id)
        tags = self._reader.tags(kind, row)
        refused = reading.not_to_delete(kind, found, row, tags)
        refused = refused or self._reader.hanging(kind, found.id)
        if refused:
            return WriteResult(found.key, found.id, refused)
        if kind == "primary":
            return self._patch_primary(found.key, row, dict.fromkeys(reading.PRIMARY))
        path = f"/api/{table.ROWS[kind].path}/{found.id}/"
        try:
            reply = self._client.write("DELETE", path, match=reading.etag(row))
        except UnsureError:
            return WriteResult(found.key, found.id, self._still_there(kind, found.id))
        if reply.status == 204:
            return WriteResult(found.key, found.id)
        if reply.status == 404:
            return WriteResult(
                found.key, found.id, self._still_there(kind, found.id, why=NOT_DELETED)
            )
        return WriteResult(found.key, found.id, _why(reply))

    def _new_primaries(
        self, _kind: str, things: Sequence[Thing], index: Index
    ) -> list[WriteResult]:
        return self._set_primaries(things, {}, index)

    def _set_primaries(
        self, things: Sequence[Thing], held: Mapping[str, Value], index: Index
    ) -> list[WriteResult]:
        """Set primary addresses, unless a device has by now another one than ``held``, by key."""
        done: list[WriteResult] = []
        for at in range(0, len(things), reading.IDS):
            part = things[at : at + reading.IDS]
            devices = self._reader.by_id("primary", _ids(part, "device", index))
            addresses = self._reader.by_id("address", _ids(part, "address", index))
            ready: dict[str, tuple[reading.Object, Doc]] = {}
            for thing in part:
                device = devices.get(id_of(thing, "device", index))
                address = addresses.get(id_of(thing, "address", index))
                if device is None or address is None:
                    missing = "the device" if device is None else "the address"
                    done.append(WriteResult(thing.key, "", f"{missing} is not in NetBox."))
                elif why := _has_another(device, address, held.get(thing.key), index):
                    done.append(WriteResult(thing.key, str(device["id"]), why))
                elif not reading.etag(device):
                    done.append(WriteResult(thing.key, str(device["id"]), reading.UNDATED))
                else:
                    column = reading.PRIMARY[":" in str(address["address"])]
                    ready[thing.key] = device, {column: address["id"]}
            done += self._patch_primaries(ready)
        return done

    def _patch_primaries(
        self, ready: Mapping[str, tuple[reading.Object, Doc]]
    ) -> list[WriteResult]:
        """Write devices, by key, as one list where none has changed since it was read; else each alone.

        NetBox holds each object of a list against all ETags of ``If-Match``, and writes all or none.
        """
        if len(ready) > 1:
            bodies: list[Doc] = [{"id": row["id"], **content} for row, content in ready.values()]
            tags = ", ".join(reading.etag(row) for row, _content in ready.values())
            path = f"/api/{table.ROWS['device'].path}/"
            try:
                reply = self._put("PATCH", path, bodies, match=tags)
            except UnsureError:
                return self._primaries_there(ready)
            if reply.status == 200:
                rows = items(self._client.decode(reply, f"PATCH {path}"), "devices", "a list")
                there = {str(row.get("id")) for row in rows}
                ids = {key: str(row["id"]) for key, (row, _content) in ready.items()}
                return [
                    WriteResult(key, id_, "" if id_ in there else OTHER) for key, id_ in ids.items()
                ]
        return [self._patch_primary(key, *each) for key, each in ready.items()]

    def _primaries_there(
        self, ready: Mapping[str, tuple[reading.Object, Doc]]
    ) -> list[WriteResult]:
        """Look for what was written of devices, by key, where no answer came."""
        done: list[WriteResult] = []
        for _look in self._looks():
            ids = [str(row["id"]) for row, _content in ready.values()]
            rows = self._reader.by_id("primary", ids)
            done = [
                WriteResult(key, id_, "" if _has(rows.get(id_, {}), content) else NOT_WRITTEN)
                for id_, (key, (_row, content)) in zip(ids, ready.items(), strict=True)
            ]
            if not any(one.error for one in done):
                break
        return done

    def _patch_primary(self, key: str, device: reading.Object, content: Doc) -> WriteResult:
        id_ = str(device["id"])
        path = f"/api/{table.ROWS['device'].path}/{id_}/"
        try:
            reply = self._put("PATCH", path, content, match=reading.etag(device))
        except UnsureError:
            return self._primaries_there({key: (device, content)})[0]
        return WriteResult(key, id_, self._patched(reply, id_))

    def _patched(self, reply: Reply, id_: str) -> str:
        """Return why a change is not written; what is answered has to be the object itself."""
        if reply.status != 200:
            return _why(reply)
        found = self._client.decode(reply, f"the change of object {id_}")
        if isinstance(found, dict) and str(found.get("id")) == id_:
            return ""
        return OTHER


def _has(device: reading.Object, content: Doc) -> bool:
    """Return whether a device that is there has these primary addresses."""
    wanted = {name: "" if value is None else str(value) for name, value in content.items()}
    return bool(device) and wanted == {name: id_in(device.get(name)) for name in wanted}


def _has_another(device: reading.Object, address: reading.Object, held: Value, index: Index) -> str:
    """Return, as a sentence, whether a device has by now another primary address than ours or ``held``."""
    now = next((device[each] for each in reading.PRIMARY if device.get(each)), None)
    ours = id_in(now) == str(address["id"])
    if ours or equal(held, table.read_ref("address", now, index)):
        return ""
    return "it has another one by now; run again."


def _why(reply: Reply) -> str:
    """Return why a write was refused, as a sentence."""
    if reply.status == 412:
        return OVERTAKEN
    return f"{said(reply)}."


def _ids(things: Iterable[Thing], field: str, index: Index) -> list[str]:
    return [found for each in things if (found := id_of(each, field, index))]


def _one_interface(values: Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return interfaces and description of an address that several interfaces carry."""
    ends = values.get("interfaces")
    if not isinstance(ends, tuple) or len(ends) < 2:
        return {}
    others = ", ".join(str(end.key).partition("/")[2] for end in ends[1:])
    also = f"also on {others}"
    plain = values.get("description")
    return {
        "interfaces": ends[:1],
        "description": (f"{plain}; {also}" if plain else also)[:200],
    }
