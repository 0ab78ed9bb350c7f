# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions to Nautobot: shared things over REST, all others over GraphQL, which is four times as fast.

GraphQL does not say how many objects there are. So each question is asked of REST as well, for the
number alone; an answer with fewer objects is an error, never a thing that is missing.
"""

from __future__ import annotations

import datetime
import json
import typing as t

from .._fabric.export.dcim.ids import new_id
from .._fabric.export.dcim.mark import digest, parted
from .._fabric.export.dcim.things import FIELD, SHARED, TAG, UNTAGGED, DcimObject, Ref, vlan_groups
from .._http.exchange import Retries
from . import nautobot_table as table
from .client import PAUSES, Page, UnsureError, items, pages, parted_page, said, whole
from .columns import id_in, order
from .dialect import indexed
from .port import DcimError

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ...module_utils._json import Json
    from .._fabric.export.dcim.things import Value
    from .client import Client
    from .port import Index, Scope

    Object = Mapping[str, Json]

PAGE = 1000
"""Objects of one page; Nautobot caps pages at ``MAX_PAGE_SIZE``, which is 1,000 by default."""
IDS = 50
"""Ids in one question: gunicorn refuses a request line of more than 4,094 bytes."""
QUESTIONS = Retries(PAUSES, (UnsureError,))
"""A question of GraphQL is sent by POST and changes nothing."""
PRIMARY = ("primary_ip4", "primary_ip6")

_CALLED = ("name", "model", "key", "address", "prefix", "label", "asn")
"""The columns that say what people call an object: the first that it has."""

Filter = t.Mapping[str, t.Sequence[str]]
"""Values by the name of a filter, which REST and GraphQL share."""


class Reader:
    """Reads. It remembers the devices that it read last, their tags by id, the VRFs, and that our tag is there."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._devices: dict[str, tuple[str, ...]] = {}
        self._vrfs: list[Ref] = []
        self._has_tag = False
        self.names = table.Names()
        self.asns = False

    def read(self, kind: str, scope: Scope, index: Index) -> Iterator[DcimObject]:
        """Yield what Nautobot has of a kind, each object once."""
        if kind in SHARED:
            yield from self._shared(kind, index)
            return
        if kind == "device":
            self._devices = {}
        elif kind == "vrf":
            self._vrfs = []
        seen: set[str] = set()
        for question in self._questions(kind, scope, index):
            for row in self.rows(kind, question):
                if str(row["id"]) not in seen and _may_count(kind, row, scope):
                    seen.add(str(row["id"]))
                    yield from self._found(kind, row, index)

    def tags(self, kind: str, row: Object) -> tuple[str, ...]:
        """Return the names of the tags of an object; of a port those of its device, as they were read last."""
        return (
            self._devices.get(id_in(row.get("device")), ())
            if kind in UNTAGGED
            else (*tag_ids(row),)
        )

    def by_id(self, kind: str, ids: Sequence[str], *, left: bool = False) -> dict[str, Object]:
        """Return objects by id, with what a delete must know; those that are gone are missing.

        Devices of ports are read again as well, for their tags.
        """
        found: dict[str, Object] = {}
        for part in parts(sorted(set(ids)), IDS):
            for row in self._page(kind, {"id": part}, 0, left=left):
                found[str(row["id"])] = row
            gone = sorted({*part} - {*found})
            if gone:
                path = table.ROWS[kind].path
                where = f"{self._client.target}: /api/{path}/"
                whole(self.count(path, {"id": gone}), 0, where)
        if kind in UNTAGGED:
            devices = {id_in(row.get("device")) for row in found.values()}
            rows = self.by_id("device", sorted(devices))
            self._devices |= {each: (*tag_ids(rows.get(each, {})),) for each in devices}
        return found

    def by_name(self, kind: str, name: str) -> Object | None:
        """Return a shared object by its name, as REST shows it; no filter finds a field by its key."""
        column = table.ROWS[kind].columns[0].column
        asked = () if kind == "field" else ((column, name),)
        rows = self.listed(table.ROWS[kind].path, asked)
        return next((row for row in rows if row.get(column) == name), None)

    def values(self, kind: str, row: Object, index: Index) -> Mapping[str, Value]:
        """Return the neutral fields of one object."""
        return next((each.values for each in self._found(kind, row, index)), {})

    def count(self, path: str, question: Filter) -> int:
        """Return how many objects REST counts for a question."""
        params = (("limit", "1"), ("depth", "0"), ("exclude_m2m", "true"), *_flat(question))
        page = self._client.read(f"/api/{path}/", params)
        return parted_page(page, f"{self._client.target}: GET /api/{path}/")[0]

    def listed(self, path: str, params: Sequence[tuple[str, str]] = ()) -> Iterator[Object]:
        """Return all objects of a REST list; ``DcimError`` where they are fewer than it counts."""
        where = f"{self._client.target}: GET /api/{path}/"

        def load(offset: int) -> Page:
            asked = (("limit", str(PAGE)), ("offset", str(offset)), ("depth", "0"), *params)
            page = self._client.read(f"/api/{path}/", asked)
            count, rows, _more = parted_page(page, where)
            return Page(rows, offset + len(rows) < count, lambda: count)

        return (row for rows in pages(load, where) for row in rows)

    def rows(self, kind: str, question: Filter) -> Iterator[Object]:
        """Return the objects of a question by pages; ``DcimError`` where they are not as many as REST counts."""
        path = table.ROWS[kind].path

        def load(offset: int) -> Page:
            rows = self._page(kind, question, offset)
            return Page(rows, len(rows) == PAGE, lambda: self.count(path, question))

        where = f"{self._client.target}: the question for {path}"
        return (row for rows in pages(load, where) for row in rows)

    def _page(
        self, kind: str, question: Filter, offset: int, *, left: bool = False
    ) -> Sequence[Object]:
        listed = table.ROWS[kind].listed
        filters = "".join(f" {name}:{json.dumps(list(each))}" for name, each in question.items())
        words = f"{listed}(limit:{PAGE} offset:{offset}{filters})"
        found = self._answer(f"{{{words}{{{table.selection(kind, left=left)}}}}}")
        where = f"{self._client.target}: the question for {listed}"
        rows = items(found.get(listed), "a list", where)
        if not all(isinstance(row.get("id"), str) for row in rows):
            raise DcimError(f"{where} was answered with an object without id.")
        return rows

    def _answer(self, query: str) -> Object:
        """Return the data of a GraphQL answer; a question is a read, and asked again as one."""
        path = "/api/graphql/"
        reply = QUESTIONS.run(
            lambda: self._client.write("POST", path, {"query": query}), self._client.wait
        )
        found = self._client.decode(reply, f"POST {path}")
        data = found.get("data") if isinstance(found, dict) else None
        refused = found.get("errors") if isinstance(found, dict) else None
        if reply.status != 200 or refused or not isinstance(data, dict):
            raise DcimError(
                f"{self._client.target}: POST {path} was answered {reply.status}: {said(reply)}."
            )
        return data

    def _shared(self, kind: str, index: Index) -> Iterator[DcimObject]:
        """Yield what is matched by name and is for all content types that are needed."""
        for row in self.listed(table.ROWS[kind].path):
            found = _plain(kind, row, index, ())
            if kind == "status":
                found = _neutral(found)
            if not lacks(table.types_of(kind, found.name, asns=self.asns), row):
                index.add(kind, found.name, found.id)
                yield found._replace(key=found.name)

    def _questions(self, kind: str, scope: Scope, index: Index) -> Iterator[Filter]:
        """Yield what has to be asked for a kind."""
        site = index.id_of(Ref("location", scope.location))
        if kind in ("tenant", "route_target", "asn"):
            yield {}
        elif kind == "vrf":
            yield from [{"namespace": [self.names.namespace]}] if self._has_namespace(index) else []
        elif kind in ("rack", "device"):
            yield from self._placed(kind, scope, site)
        elif kind in ("prefix", "address"):
            yield from self._numbered(kind, scope, index)
        elif kind == "vlan":
            yield from self._tagged()
            named = vlan_groups(scope.fabric).values()
            groups = [index.id_of(Ref("vlan_group", name)) for name in named]
            yield from [{"vlan_group": [each for each in groups if each]}] if any(groups) else []
        else:
            name = "id" if kind == "primary" else "device_id"
            yield from ({name: part} for part in parts(self._ours(scope, index), IDS))
            if kind == "interface":
                yield from self._beyond(scope, index)

    def _placed(self, kind: str, scope: Scope, site: str | None) -> Iterator[Filter]:
        """Ask for racks or devices at a location, and for ours wherever they are."""
        chosen = None if kind == "rack" or scope.devices is None else scope.devices
        if chosen is None:
            yield from [{"location": [site]}] if site else []
            yield from self._tagged()
            return
        chosen = {**chosen, **scope.beyond}
        for names in parts(sorted(set(chosen.values())), IDS):
            yield from [{"location": [site], "name": names}] if site else []
        for keys in parts(sorted(chosen), IDS):
            yield {"id": [new_id(kind, key) for key in keys]}

    def _numbered(self, kind: str, scope: Scope, index: Index) -> Iterator[Filter]:
        """Ask for ours, and for what others have in the networks.

        Of a part, no foreign addresses are asked for, except where ours are on no device.
        """
        inside = "within_include" if kind == "prefix" else "prefix"
        here: dict[str, Sequence[str]] = {"namespace": [self.names.namespace]}
        if scope.devices is None:
            tagged = list(self._tagged())
            yield from tagged
            here |= {"tags__n": [TAG]} if tagged else {}
        elif kind == "address":
            yield from ({"device_id": part} for part in parts(self._ours(scope, index), IDS))
            yield from ({inside: part, **here} for part in parts(scope.loose, IDS))
            return
        elif scope.top:
            yield from self._tagged()
        if self._has_namespace(index):
            yield from ({inside: part, **here} for part in parts(scope.networks, IDS))
            yield from ({"prefix": part, **here} for part in parts(scope.exact, IDS))

    def _tagged(self) -> Iterator[Filter]:
        """Ask for what carries our tag, if Nautobot has it; it refuses a tag that it does not know."""
        self._has_tag = self._has_tag or self.by_name("tag", TAG) is not None
        if self._has_tag:
            yield {"tags": [TAG]}

    def _has_namespace(self, index: Index) -> bool:
        return index.id_of(Ref("namespace", self.names.namespace)) is not None

    def _ours(self, scope: Scope, index: Index) -> list[str]:
        return [each for each in self._devices if scope.owns(index.ref_of("device", each))]

    def _beyond(self, scope: Scope, index: Index) -> Iterator[Filter]:
        """Ask for the ports at the far ends of the cables of a part."""
        known = [each for each in self._devices if index.ref_of("device", each)]
        ours = {*self._ours(scope, index)}
        for part in parts([each for each in known if each not in ours], IDS):
            yield from ({"device_id": part, "name": names} for names in parts(scope.ports, IDS))

    def _found(self, kind: str, row: Object, index: Index) -> Iterator[DcimObject]:
        if kind == "device":
            self._devices[str(row["id"])] = self.tags(kind, row)
        found = _unfinished(_plain(kind, row, index, self.tags(kind, row)), self._vrfs)
        if kind == "vrf" and found.owned:
            self._vrfs.append(Ref("vrf", found.key))
        if kind == "primary":
            yield from _primary(found, row, index)
            return
        if kind == "cable" and not found.key and not _known_end(found):
            return
        if indexed(found):
            index.add(kind, found.key, found.id)
        yield found


def parts(inputs: Sequence[t.Any], size: int) -> Iterator[Sequence[t.Any]]:
    """Yield a sequence in parts."""
    for at in range(0, len(inputs), size):
        yield inputs[at : at + size]


def _may_count(kind: str, row: Object, scope: Scope) -> bool:
    """Return whether a row can be of a part: the links of other parts have our tag too, and are many."""
    if kind != "prefix" or scope.devices is None:
        return True
    key = parted(field_of(row))[0]
    own = not key or key.startswith(scope.keys) or key.rpartition("/")[0] in scope.devices
    return own or not key.startswith(f"{scope.fabric}/")


def _flat(question: Filter) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, values in question.items() for value in values)


def field_of(row: Object) -> str:
    """Return what our field holds on an object; empty where it holds nothing."""
    fields = row.get("_custom_field_data")
    value = fields.get(FIELD) if isinstance(fields, dict) else None
    return value if isinstance(value, str) else ""


def tag_ids(row: Object) -> dict[str, str]:
    """Return the tags of an object: ids by name."""
    tags = row.get("tags")
    rows = tags if isinstance(tags, list) else []
    return {
        str(each["name"]): str(each["id"])
        for each in rows
        if isinstance(each, dict) and "name" in each
    }


def version(row: Object) -> str:
    """Return when an object was last changed, in UTC; REST and GraphQL write it differently."""
    changed = row.get("last_updated")
    if not isinstance(changed, str):
        return ""
    try:
        return datetime.datetime.fromisoformat(changed).astimezone(datetime.UTC).isoformat()
    except ValueError:
        return ""


def lacks(needed: Sequence[str] | None, row: Object) -> list[str]:
    """Return the content types that a shared object must be for and is not."""
    held = row.get("content_types")
    return [each for each in needed or () if not isinstance(held, list) or each not in held]


def _neutral(found: DcimObject) -> DcimObject:
    """Return a status with the plan's word for it, where the plan has one."""
    words = {name: word for word, name in table.STATUSES.items()}
    word = words.get(found.name, found.name)
    return found._replace(name=word, values={"name": word})


def _plain(kind: str, row: Object, index: Index, tags: tuple[str, ...]) -> DcimObject:
    columns = table.ROWS[kind].columns
    values: dict[str, Value] = {c.field: c.read(row.get(c.column), index) for c in columns}
    if kind == "address":
        values["interfaces"] = table.read_refs("interface", row.get("interfaces"), index)
    elif kind == "prefix":
        vrfs = table.read_refs("vrf", row.get("vrfs"), index)
        values["vrf"] = vrfs if len(vrfs) > 1 else next(iter(vrfs), "")
    elif kind == "cable":
        values["ends"] = _ends(row, index)
    key, written = parted(field_of(row))
    if kind in table.DHCP:
        values["dhcp"] = table.DHCP[kind] in tags
    return DcimObject(
        kind=kind,
        id=str(row["id"]),
        key=key,
        name=next((str(row[each]) for each in _CALLED if row.get(each)), f"{kind} {row['id']}"),
        values=values,
        owned=bool(key) and TAG in tags,
        tags=tags,
        version=version(row),
        digest=written,
    )


def _unfinished(found: DcimObject, vrfs: Sequence[Ref]) -> DcimObject:
    """Return what a killed run left between two writes as something that nobody changed.

    A new address has no interface yet, a new prefix no VRF. What has a mark without a digest was to get another
    assignment, or is a new cable, which has no tag yet: its assignments are written again.
    """
    field = _ASSIGNED.get(found.kind)
    if field is None or not found.key:
        return found
    if found.digest:
        return found if found.values[field] or not found.owned else _begun(found, field, vrfs)
    new = found.kind == "cable" and found.id == new_id("cable", found.key)
    if not (found.owned or new):
        return found
    values = {**found.values, field: _UNKNOWN}
    return found._replace(owned=True, values=values, digest=digest(found.kind, _written(values)))


def _begun(found: DcimObject, field: str, vrfs: Sequence[Ref]) -> DcimObject:
    """Return what has no assignment yet: the plan says which an address gets, the digest which VRF a prefix gets."""
    if found.kind != "prefix":
        return found._replace(unset=(field,))
    values = _written(found.values)
    was_in = any(digest("prefix", {**values, field: vrf}) == found.digest for vrf in vrfs)
    return found._replace(digest=digest("prefix", values)) if was_in else found


_ASSIGNED = {"cable": "ends", "address": "interfaces", "prefix": "vrf"}
"""The field of a kind that is written apart."""
_UNKNOWN = ("not known",)
"""Value that no plan wants."""


def _written(values: Mapping[str, Value]) -> dict[str, Value]:
    """Return the fields that a push wrote: only the prefix of a VLAN has one."""
    return {field: value for field, value in values.items() if field != "vlan" or value}


def _ends(row: Object, index: Index) -> tuple[Value, ...]:
    """Return the ends of a cable; an end that is no interface is the type of what it is."""
    found = list(table.read_refs("interface", row.get("interfaces"), index))
    types = [str(row.get(f"termination_{side}_type")) for side in "ab"]
    found += [each for each in types if each != "dcim.interface"]
    return tuple(sorted(found, key=order))


def _known_end(found: DcimObject) -> bool:
    ends = found.values.get("ends")
    return isinstance(ends, tuple) and any(isinstance(end, Ref) for end in ends)


def _primary(found: DcimObject, row: Object, index: Index) -> Iterator[DcimObject]:
    """Yield the primary address of a device, if it has one."""
    held = next((row[each] for each in PRIMARY if row.get(each)), None)
    device = index.ref_of("device", found.id)
    if held is None or device is None:
        return
    values: dict[str, Value] = {
        "device": device,
        "address": table.read_ref("address", held, index),
    }
    if found.owned:
        index.add("primary", found.key, found.id)
    yield found._replace(values=values)
