# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Nautobot, read by GraphQL and written by lists over REST.

A new thing has an id of ours, made of its key: a list that was not answered is looked for by its ids,
and is never written twice. Nautobot has no precondition for a write, so that the time of the last change
is read again right before it; what changed meanwhile is left alone. A list is written whole or not at
all: items that Nautobot refuses are dropped and reported, and the rest is sent again.

AS numbers are objects of the app nautobot-bgp-models, and are written where it is installed.
"""

from __future__ import annotations

import typing as t
from functools import partial

from .._fabric.export.dcim.ids import link_id, new_id
from .._fabric.export.dcim.mark import mark
from .._fabric.export.dcim.things import FIELD, KINDS, SHARED, TAG, DcimObject, Ref, Thing
from . import nautobot_read as reading
from . import nautobot_table as table
from .client import UnsureError, items, said, sentences
from .columns import MissingError, id_in, id_of
from .dialect import NOT_DELETED, NOT_WRITTEN, OVERTAKEN, Dialect, not_ours, rounds, still_ours
from .port import DcimError, WriteResult

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...module_utils._json import Doc, Json
    from .._fabric.export.dcim.things import Value
    from .._http.reply import Reply
    from .client import Client
    from .port import Index, Update

LIST = 100
"""Things in one list: 100 cables take Nautobot 26 s of CPU, and others wait for them."""
OLDEST = (3, 2, 0)
"""GraphQL knows the interfaces of a cable; tried with 3.2.7."""
NEXT_MAJOR = 4
_TIED = {"address": "interfaces", "prefix": "vrf"}
"""The field of a kind that is an assignment of its own. Until it is written, the mark has no digest."""


class Nautobot(Dialect):
    """The port to Nautobot; see ``port.Dcim``. It sends at most ``workers`` requests at once."""

    name = "Nautobot"
    kinds: tuple[str, ...] = tuple(kind for kind in KINDS if kind in table.ROWS and kind != "asn")

    def __init__(self, client: Client, *, workers: int = 2) -> None:
        self._reader = reading.Reader(client)
        super().__init__(client, self._reader, workers=workers)
        self._offered: set[str] = set()

    def check(self) -> None:
        """Raise ``DcimError`` unless a known Nautobot answers and lets the token read."""
        apps = self._known("Nautobot", oldest=OLDEST, below=NEXT_MAJOR).get("nautobot-apps")
        if isinstance(apps, dict) and table.BGP in apps:
            self.kinds = tuple(kind for kind in KINDS if kind in table.ROWS)
            self._reader.asns = True
        self._reader.by_name("tag", TAG)

    def fit(self, thing: Thing) -> Thing:
        """Return a thing as Nautobot can hold it; remember what the site calls its namespace and type."""
        if thing.kind in table.Names._fields:
            self._reader.names = self._reader.names._replace(**{thing.kind: thing.name})
        return thing._replace(
            values={**thing.values, **dict.fromkeys(table.NO_PLACE.get(thing.kind, ()))}
        )

    def create(self, kind: str, things: Sequence[Thing], index: Index) -> list[WriteResult]:
        """Create things by lists; what Nautobot refuses is reported, the rest is created."""
        return self._in_rounds(
            kind, things, index, make=lambda some: self._create_round(kind, some, index)
        )

    def _create_round(self, kind: str, things: Sequence[Thing], index: Index) -> list[WriteResult]:
        if kind in SHARED:
            return [self._share(kind, thing, index) for thing in things]
        self._offer_words(kind)
        if kind == "interface":
            self._let_devices(((each, each.values.get("vrf")) for each in things), index)
        make = self._new_primaries if kind == "primary" else self._create_list
        return self._by_lists(kind, things, LIST, lambda part: make(kind, part, index))

    def update(self, kind: str, changes: Sequence[Update], index: Index) -> list[WriteResult]:
        """Write the given fields of each thing, unless it changed since it was read."""
        self._offer_words(kind)
        if kind == "interface":
            into = ((each.thing, each.fields.get("vrf", (None,))[0]) for each in changes)
            self._let_devices(into, index)
        write = partial(self._update_list, kind, index=index)
        return self._by_lists(kind, changes, LIST, write)

    def delete(self, kind: str, found: Sequence[DcimObject], index: Index) -> list[WriteResult]:
        """Read each thing again, and delete it if it is still ours and nothing else hangs on it."""
        done: list[WriteResult] = []
        for part in (
            part for each in reversed(rounds(found)) for part in reading.parts(each, LIST)
        ):
            rows = self._reader.by_id(kind, [each.id for each in part], left=True)
            done += self._each(kind, part, partial(self._delete, kind, rows))
        return done

    def _share(self, kind: str, thing: Thing, index: Index) -> WriteResult:
        """Create a shared thing; one that is there lacks content types, which are added to it."""
        name = table.STATUSES.get(thing.name, thing.name) if kind == "status" else thing.name
        try:
            body = table.body(kind, {**thing.values, "name": name}, index)
        except MissingError as exc:
            return WriteResult(thing.key, "", f"{exc}.")
        body.update(table.ROWS[kind].fixed(thing, self._reader.names))
        types = table.types_of(kind, thing.key, asns=self._reader.asns)
        return self._offer(kind, thing.key, body, types)

    def _offer(self, kind: str, key: str, body: Doc, types: Sequence[str] | None) -> WriteResult:
        """Make a shared thing fit for content types; others that it is for stay."""
        path, column = table.ROWS[kind].path, table.ROWS[kind].columns[0].column
        row = self._reader.by_name(kind, str(body[column])) if types is not None else None
        if types is not None:
            held = row.get("content_types") if row else None
            body["content_types"] = sorted(
                {*types, *map(str, held if isinstance(held, list) else ())}
            )
        if row is None:
            return self._sent(key, self._client.write("POST", f"/api/{path}/", body))
        content: Doc = {"content_types": body["content_types"]}
        return self._sent(key, self._client.write("PATCH", f"/api/{path}/{row['id']}/", content))

    def _sent(self, key: str, reply: Reply) -> WriteResult:
        if reply.status not in (200, 201):
            return WriteResult(key, "", f"{said(reply)}.")
        found = self._client.decode(reply, "a write")
        return WriteResult(key, id_in(found))

    def _offer_words(self, kind: str) -> None:
        """Make sure once that the roles and tags are there that things of a kind need."""
        for word in table.WORDS.get(kind, ()) if kind not in self._offered else ():
            row = self._reader.by_name(word.kind, word.name)
            held = row.get("content_types") if row else None
            if isinstance(held, list) and word.model in held:
                continue
            done = self._offer(word.kind, word.name, {"name": word.name}, (word.model,))
            if done.error:
                raise DcimError(
                    f"{self._client.target}: {word.kind} {word.name!r} was not created: {done.error}"
                )
        self._offered.add(kind)

    def _create_list(self, kind: str, things: Sequence[Thing], index: Index) -> list[WriteResult]:
        bodies, done = self._bodies(kind, things, index)
        made = self._post(kind, bodies)
        there = {each.key: each for each in made if not each.error}
        failed = self._tie(kind, [each for each in things if each.key in there], there, index)
        return [*done, *(failed.get(each.key, each) for each in made)]

    def _body(self, kind: str, thing: Thing, index: Index) -> Doc:
        written = f"{thing.key}#" if kind == "cable" else mark(thing)
        tags = table.tags(kind, thing.values, {})
        own: Doc = {**({"tags": tags} if tags else {}), "custom_fields": {FIELD: written}}
        fixed = table.ROWS[kind].fixed(thing, self._reader.names)
        for field, to in (("vrf", "prefix"), ("interfaces", "address")):
            if kind == to:
                _known(thing.values.get(field), index)
        new = {"id": new_id(kind, thing.key)}
        return {**new, **fixed, **table.body(kind, thing.values, index), **own}

    def _post(self, kind: str, bodies: Mapping[str, Doc]) -> list[WriteResult]:
        """Send things by key until each is made or refused."""
        done: list[WriteResult] = []
        left = list(bodies)
        path = table.ROWS[kind].path
        while left:
            refused, decided = self._attempt(path, [bodies[key] for key in left], kind)
            already = self._already(kind, {at: bodies[left[at]] for at in refused})
            there = (*decided, *already)
            done += [WriteResult(left[at], str(bodies[left[at]]["id"])) for at in there]
            done += [WriteResult(left[at], "", refused[at]) for at in refused if at not in already]
            left = [key for at, key in enumerate(left) if at not in refused and at not in decided]
        return done

    def _already(self, kind: str, refused: Mapping[int, Doc]) -> list[int]:
        """Return what was refused as a killed run made it: the read of a part finds no address without a device."""
        ids = [str(body["id"]) for body in refused.values()]
        rows = self._reader.by_id(kind, ids) if ids else {}
        there = {at: rows.get(str(body["id"]), {}) for at, body in refused.items()}
        return [
            at
            for at, row in there.items()
            if _written(refused[at], row) and TAG in self._reader.tags(kind, row)
        ]

    def _attempt(
        self, path: str, bodies: Sequence[Doc], kind: str = ""
    ) -> tuple[dict[int, str], list[int]]:
        """Send a list; return which items were refused and why, and which are there."""
        try:
            reply = self._client.write("POST", f"/api/{path}/", list(bodies))
        except UnsureError as exc:
            return {}, self._look(path, bodies, kind, exc)
        if reply.status == 201:
            self._made(bodies, self._client.decode(reply, f"POST /api/{path}/"))
            return {}, list(range(len(bodies)))
        if len(bodies) == 1:
            return {0: f"{said(reply)}."}, []
        refused = self._refused(reply)
        if refused and max(refused) < len(bodies):
            return refused, []
        middle = len(bodies) // 2
        low, high = (self._attempt(path, half, kind) for half in (bodies[:middle], bodies[middle:]))
        return (
            {**low[0], **{middle + at: words for at, words in high[0].items()}},
            [*low[1], *(middle + at for at in high[1])],
        )

    def _made(self, bodies: Sequence[Doc], found: Json) -> None:
        """Raise ``DcimError`` unless a list was answered with the ids that it had."""
        sent = [body["id"] for body in bodies]
        if [row.get("id") for row in items(found, f"{len(sent)} objects", "a list")] != sent:
            raise DcimError(
                f"{self._client.target}: a list of {len(sent)} objects was answered with others; "
                "run again."
            )

    def _refused(self, reply: Reply) -> dict[int, str]:
        """Return the sentences about items of a list, by place; empty where Nautobot names none."""
        found = self._client.decode(reply, "a list")
        rows = found if isinstance(found, list) else []
        said_of = {at: "; ".join(sentences(row)) for at, row in enumerate(rows) if row}
        return {at: f"{words}." for at, words in said_of.items() if words}

    def _look(self, path: str, bodies: Sequence[Doc], kind: str, exc: UnsureError) -> list[int]:
        """Look for what a list without an answer has written; raise where nothing is there."""
        for _look in self._looks():
            there = self._there(path, [str(body["id"]) for body in bodies], kind)
            found = [at for at, body in enumerate(bodies) if body["id"] in there]
            if found:
                return found
        raise exc

    def _there(self, path: str, ids: Sequence[str], kind: str) -> set[str]:
        if kind:
            return set(self._reader.by_id(kind, ids))
        asked = (tuple(("id", each) for each in part) for part in reading.parts(ids, reading.IDS))
        return {str(row["id"]) for params in asked for row in self._reader.listed(path, params)}

    def _tie(
        self, kind: str, things: Sequence[Thing], there: Mapping[str, WriteResult], index: Index
    ) -> dict[str, WriteResult]:
        """Put addresses on their interfaces and prefixes into their VRFs; return what failed, by key."""
        if kind == "cable":
            return self._finish(kind, {there[each.key].id: each for each in things})
        if kind not in ("address", "prefix"):
            return {}
        path, ties = (table.ON_INTERFACE if kind == "address" else table.IN_VRF), []
        owners: list[str] = []
        for thing in things:
            new = list(_ties(kind, there[thing.key].id, thing.values, index))
            ties += new
            owners += [thing.key] * len(new)
        failed: dict[str, WriteResult] = {}
        for at, words in self._tied(path, ties).items():
            failed[owners[at]] = WriteResult(owners[at], there[owners[at]].id, words)
        return failed

    def _finish(self, kind: str, things: Mapping[str, Thing]) -> dict[str, WriteResult]:
        """Give things, by id, the mark of what is wholly written; return what failed, by key.

        New cables get our tag here: Nautobot 3.2.7 takes the tags of a new cable and forgets them.
        """
        tags: Doc = {"tags": [{"name": TAG}]} if kind == "cable" else {}
        bodies: list[Doc] = [
            {"id": id_, **tags, "custom_fields": {FIELD: mark(thing)}}
            for id_, thing in things.items()
        ]
        refused, ids = self._patch(kind, bodies), list(things)
        failed = {ids[at]: words for at, words in refused.items()}
        return {
            things[id_].key: WriteResult(things[id_].key, id_, why) for id_, why in failed.items()
        }

    def _tied(self, path: str, ties: Sequence[Doc]) -> dict[int, str]:
        """Send assignments; return those that were refused, by place."""
        failed: dict[int, str] = {}
        left = list(range(len(ties)))
        while left:
            refused, decided = self._attempt(path, [ties[at] for at in left])
            failed.update({left[at]: words for at, words in refused.items()})
            left = [at for place, at in enumerate(left) if place not in {*refused, *decided}]
        return failed

    def _let_devices(self, ports: t.Iterable[tuple[Thing, Value]], index: Index) -> None:
        """Assign the VRFs of interfaces to their devices, without which Nautobot refuses them."""
        pairs = {
            (index.id_of(device) or "", index.id_of(vrf) or "")
            for port, vrf in ports
            if isinstance(vrf, Ref) and isinstance(device := port.values.get("device"), Ref)
        }
        known = {pair for pair in pairs if all(pair)}
        missing = sorted(known - self._assigned(sorted({device for device, _vrf in known})))
        path = table.ON_DEVICE
        ties: list[Doc] = [
            {"id": link_id(path, *pair), "device": pair[0], "vrf": pair[1]} for pair in missing
        ]
        for part in reading.parts(ties, LIST):
            self._tied(path, part)

    def _assigned(self, devices: Sequence[str]) -> set[tuple[str, str]]:
        """Return the VRFs that devices have, as pairs of ids."""
        found: set[tuple[str, str]] = set()
        for part in reading.parts(devices, reading.IDS):
            asked = tuple(("device", each) for each in part)
            for row in self._reader.listed(table.ON_DEVICE, asked):
                found.add((id_in(row.get("device")), id_in(row.get("vrf"))))
        return found

    def _update_list(self, kind: str, changes: Sequence[Update], index: Index) -> list[WriteResult]:
        """Compare each thing with what was read, and write the list of those that are still so."""
        rows = self._reader.by_id(kind, [change.found.id for change in changes])
        done: list[WriteResult] = []
        bodies: dict[str, Doc] = {}
        ready: list[Update] = []
        for change in changes:
            row = rows.get(change.found.id)
            try:
                why = self._not_to_write(kind, change, row, index)
                if row is not None and not why:
                    bodies[change.thing.key] = self._change(kind, change, row, index)
                    ready.append(change)
                    continue
            except MissingError as exc:
                why = f"{exc}."
            done.append(WriteResult(change.thing.key, change.found.id, why))
        refused = self._patch(kind, [bodies[each.thing.key] for each in ready])
        failed = {ready[at].thing.key: words for at, words in refused.items()}
        tied: dict[str, Thing] = {}
        for change in ready:
            key, id_ = change.thing.key, change.found.id
            if _TIED.get(kind) in change.fields and key not in failed:
                failed[key] = self._retie(kind, change, index)
                if not failed[key]:
                    tied[id_] = change.thing
        failed.update((key, one.error) for key, one in self._finish(kind, tied).items())
        return [
            *done,
            *(
                WriteResult(one.thing.key, one.found.id, failed.get(one.thing.key, ""))
                for one in ready
            ),
        ]

    def _not_to_write(
        self, kind: str, change: Update, row: Mapping[str, Json] | None, index: Index
    ) -> str:
        """Return why a thing is not changed: it is gone, another's, or its fields are not what was compared.

        Something else of it may have changed meanwhile: a comment, or the cable of an interface.
        """
        if row is None:
            return "somebody deleted it after it was read; run again."
        found = change.found
        if not still_ours(change, reading.field_of(row), self._reader.tags(kind, row)):
            return OVERTAKEN
        if found.version and reading.version(row) == found.version:
            return ""
        values = self._reader.values(kind, row, index)
        same = all(values.get(field) == theirs for field, (_ours, theirs) in change.fields.items())
        return "" if values and same else OVERTAKEN

    def _change(self, kind: str, change: Update, row: Mapping[str, Json], index: Index) -> Doc:
        values = {field: ours for field, (ours, _theirs) in change.fields.items()}
        if kind == "primary":
            return {"id": change.found.id, **_primary(change.thing, index)}
        content = table.body(kind, values, index)
        for field in ("interfaces", "vrf"):
            _known(values.get(field), index)
        begun = _TIED.get(kind) in values
        content["custom_fields"] = {FIELD: f"{change.thing.key}#" if begun else mark(change.thing)}
        tags = table.tags(kind, values, reading.tag_ids(row))
        if tags:
            content["tags"] = tags
        return {"id": change.found.id, **content}

    def _patch(self, kind: str, bodies: Sequence[Doc]) -> dict[int, str]:
        """Change things by a list; return which were refused and why, by place."""
        if not bodies:
            return {}
        path = f"/api/{table.ROWS[kind].path}/"
        try:
            reply = self._client.write("PATCH", path, list(bodies))
        except UnsureError:
            return self._unwritten(kind, bodies)
        if reply.status == 200:
            rows = items(self._client.decode(reply, f"PATCH {path}"), "a list", f"PATCH {path}")
            if {str(row.get("id")) for row in rows} != {str(body["id"]) for body in bodies}:
                raise DcimError(
                    f"{self._client.target}: PATCH {path} was answered with other objects; run "
                    "again."
                )
            return {}
        if len(bodies) == 1:
            return {0: f"{said(reply)}."}
        middle = len(bodies) // 2
        high = self._patch(kind, bodies[middle:])
        return {
            **self._patch(kind, bodies[:middle]),
            **{middle + at: words for at, words in high.items()},
        }

    def _unwritten(self, kind: str, bodies: Sequence[Doc]) -> dict[int, str]:
        """Return which changes are not there after a list that was not answered."""
        missing: dict[int, str] = {}
        for _look in self._looks():
            rows = self._reader.by_id(kind, [str(body["id"]) for body in bodies])
            there = [_written(body, rows.get(str(body["id"]), {})) for body in bodies]
            missing = {at: NOT_WRITTEN for at, written in enumerate(there) if not written}
            if not missing:
                break
        return missing

    def _retie(self, kind: str, change: Update, index: Index) -> str:
        """Change the assignments of an address or a prefix; return why not, if so."""
        field = _TIED[kind]
        path, id_ = (table.ON_INTERFACE if kind == "address" else table.IN_VRF), change.found.id
        wanted = list(_ties(kind, id_, {field: change.fields[field][0]}, index))
        to, of = ("interface", "ip_address") if kind == "address" else ("vrf", "prefix")
        held = {
            id_in(row.get(to)): str(row["id"]) for row in self._reader.listed(path, ((of, id_),))
        }
        failed = self._tied(path, [tie for tie in wanted if tie[to] not in held])
        if failed:
            return next(iter(failed.values()))
        kept = {str(tie[to]) for tie in wanted}
        for gone in (held[each] for each in sorted(held) if each not in kept):
            reply = self._client.write("DELETE", f"/api/{path}/{gone}/")
            if reply.status not in (204, 404):
                return f"{said(reply)}."
        return ""

    def _delete(
        self, kind: str, rows: Mapping[str, Mapping[str, Json]], found: DcimObject
    ) -> WriteResult:
        row = rows.get(found.id)
        if row is None:
            return WriteResult(found.key, found.id)
        tags = self._reader.tags(kind, row)
        if why := not_ours(found, reading.field_of(row), tags):
            return WriteResult(found.key, found.id, why)
        if kind == "primary":
            why = self._patch(kind, [{"id": found.id, **dict.fromkeys(reading.PRIMARY)}]).get(0, "")
            return WriteResult(found.key, found.id, why)
        left = _left(kind, row)
        if left:
            why = f"Nautobot would delete its {left} too; it was left alone."
            return WriteResult(found.key, found.id, why)
        return self._gone(kind, found)

    def _gone(self, kind: str, found: DcimObject) -> WriteResult:
        try:
            reply = self._client.write("DELETE", f"/api/{table.ROWS[kind].path}/{found.id}/")
        except UnsureError:
            return WriteResult(found.key, found.id, self._still_there(kind, found.id))
        if reply.status == 204:
            return WriteResult(found.key, found.id)
        if reply.status == 404:
            return WriteResult(
                found.key, found.id, self._still_there(kind, found.id, why=NOT_DELETED)
            )
        return WriteResult(found.key, found.id, f"{said(reply)}.")

    def _new_primaries(
        self, _kind: str, things: Sequence[Thing], index: Index
    ) -> list[WriteResult]:
        """Set primary addresses where a device has none."""
        done: list[WriteResult] = []
        ids = {each.key: id_of(each, "device", index) for each in things}
        rows = self._reader.by_id("primary", [each for each in ids.values() if each])
        ready: dict[str, Doc] = {}
        for thing in things:
            row = rows.get(ids[thing.key])
            why = _no_primary(row)
            try:
                if not why:
                    ready[thing.key] = {"id": ids[thing.key], **_primary(thing, index)}
                    continue
            except MissingError as exc:
                why = f"{exc}."
            done.append(WriteResult(thing.key, "", why))
        refused = self._patch("primary", list(ready.values()))
        return done + [
            WriteResult(key, ids[key], refused.get(at, "")) for at, key in enumerate(ready)
        ]


def _known(value: Value, index: Index) -> None:
    """Raise ``MissingError`` unless Nautobot has what a value refers to."""
    for each in value if isinstance(value, tuple) and not isinstance(value, Ref) else (value,):
        if isinstance(each, Ref):
            table.write_ref(each, index)


def _ties(kind: str, id_: str, values: Mapping[str, Value], index: Index) -> Iterator[Doc]:
    """Yield the assignments of an address to its interfaces, or of a prefix to its VRF."""
    value = values.get("interfaces" if kind == "address" else "vrf")
    several = value if kind == "address" and isinstance(value, tuple) else (value,)
    path, of, to = (
        (table.ON_INTERFACE, "ip_address", "interface")
        if kind == "address"
        else (table.IN_VRF, "prefix", "vrf")
    )
    for each in several:
        if isinstance(each, Ref):
            other = str(table.write_ref(each, index))
            yield {"id": link_id(path, id_, other), of: id_, to: other}


def _written(body: Doc, row: Mapping[str, Json]) -> bool:
    """Return whether an object has the mark of a change, or the primary address of one that has no mark."""
    fields = body.get("custom_fields")
    if isinstance(fields, dict):
        return reading.field_of(row) == str(fields[FIELD])
    wanted = {name: value or "" for name, value in body.items() if name != "id"}
    return bool(row) and wanted == {name: id_in(row.get(name)) for name in wanted}


def _primary(thing: Thing, index: Index) -> Doc:
    """Return the column of a device for its primary address, which is IPv4 unless the thing says so."""
    column = "primary_ip6" if thing.values.get("version") == 6 else "primary_ip4"
    return {column: table.write_ref(thing.values.get("address"), index)}


def _no_primary(row: Mapping[str, Json] | None) -> str:
    """Return why a device gets no primary address."""
    if row is None:
        return "the device is not in Nautobot."
    held = {name: text for name in reading.PRIMARY if (text := table.name_in(row.get(name)))}
    return "".join(f"{name} is already {text}; run again." for name, text in [*held.items()][:1])


def _left(kind: str, row: Mapping[str, Json]) -> str:
    """Return what Nautobot would delete or change with a thing."""
    for name in table.LEFT.get(kind, ()):
        held = row.get(name, "not read")
        if held != (None if name == "cable" else []):
            if isinstance(held, dict):
                return f"end of {name} {held.get('id')}"
            count = str(len(held)) if isinstance(held, list) else "number not known"
            return f"{name.replace('_', ' ')} ({count})"
    return ""
