# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions to NetBox, and answers that are held against them.

What belongs to a device is asked for by the ids of devices that carry our key, so that a NetBox with
other devices costs nothing. What carries a key of the fabric is asked for as well, wherever it is.
"""

from __future__ import annotations

import datetime
import ipaddress
import typing as t

from .._fabric.export.dcim.difference import equal
from .._fabric.export.dcim.mark import mark, parted
from .._fabric.export.dcim.things import FIELD, SHARED, TAG, UNTAGGED, DcimObject, Ref, vlan_groups
from . import netbox_table as table
from .client import Page, pages, parted_page
from .columns import id_in, order
from .dialect import indexed, not_ours
from .port import DcimError

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ...module_utils._json import Json
    from .._fabric.export.dcim.things import Thing, Value
    from .client import Client
    from .port import Index, Scope

    Object = Mapping[str, Json]

PAGE = 1000
"""Objects of one page; NetBox caps pages at ``MAX_PAGE_SIZE``, which is 1,000 by default."""
IDS = 100
"""Ids in one question: gunicorn refuses a request line of more than 4,094 bytes."""
KEYS = 20
"""Keys or names in one question, for the same reason."""
PRIMARY = ("primary_ip4", "primary_ip6")
UNDATED = "NetBox does not say when it was last changed; it was left alone."
"""Message for an object without a time: no check protects a write from changes by others."""
_LEFT = {
    "device": {
        "interface_count": "interfaces",
        "console_port_count": "console ports",
        "console_server_port_count": "console server ports",
        "power_port_count": "power ports",
        "power_outlet_count": "power outlets",
        "front_port_count": "front ports",
        "rear_port_count": "rear ports",
        "device_bay_count": "device bays",
        "module_bay_count": "module bays",
        "inventory_item_count": "inventory items",
    },
    "interface": {
        "cable": "end of a cable",
        "count_ipaddresses": "addresses",
        "count_fhrp_groups": "FHRP groups",
        "l2vpn_termination": "L2VPN",
    },
    "vlan": {"l2vpn_termination": "L2VPN"},
}
"""Objects that NetBox deletes with a thing: the column that has or counts them, and their name."""
_WHOLE = ("cable", "l2vpn_termination")
"""Columns that have a thing itself, or nothing."""


class _Hanging(t.NamedTuple):
    """Objects that NetBox deletes or changes with a thing, and shows in no column of it."""

    path: str
    by: str
    """The filter that takes the id of the thing."""
    what: str
    more: tuple[tuple[str, str], ...] = ()


_OF_PORTS = (("component_type", "dcim.interface"),)
_HANGS = {
    "device": (_Hanging("ipam/services", "device_id", "services"),),
    "interface": (
        _Hanging("dcim/inventory-items", "component_id", "inventory items", _OF_PORTS),
        _Hanging("vpn/tunnel-terminations", "interface_id", "tunnels"),
        _Hanging("circuits/virtual-circuit-terminations", "interface_id", "virtual circuits"),
        _Hanging("dcim/interfaces", "lag_id", "members of the bond"),
        _Hanging("dcim/interfaces", "bridge_id", "ports of the bridge"),
    ),
    "rack": (_Hanging("dcim/rack-reservations", "rack_id", "reservations"),),
    "route_target": (
        _Hanging("ipam/vrfs", "import_target_id", "importing VRFs"),
        _Hanging("ipam/vrfs", "export_target_id", "exporting VRFs"),
        _Hanging("vpn/l2vpns", "import_target_id", "importing L2VPNs"),
        _Hanging("vpn/l2vpns", "export_target_id", "exporting L2VPNs"),
    ),
    "vlan": (
        _Hanging("dcim/interfaces", "vlan_id", "interfaces"),
        _Hanging("virtualization/interfaces", "vlan_id", "interfaces of virtual machines"),
    ),
    "vrf": (
        _Hanging("dcim/interfaces", "vrf_id", "interfaces"),
        _Hanging("virtualization/interfaces", "vrf_id", "interfaces of virtual machines"),
    ),
    "address": (
        _Hanging("ipam/ip-addresses", "nat_inside_id", "NAT addresses"),
        _Hanging("ipam/services", "ip_address_id", "services"),
    ),
}


class Question(t.NamedTuple):
    """A filter, and what every row that it lets through must be."""

    params: tuple[tuple[str, str], ...]
    fits: Callable[[Object], bool] = lambda _row: True
    strict: bool = True
    """Setting that makes a row which does not fit an error; without it the row is foreign, and left out."""


class Reader:
    """Reads pages. It remembers the devices that it read last: their tags by id."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._devices: dict[str, tuple[str, ...]] = {}
        self._has_field = False

    def check_field(self) -> bool:
        """Return whether NetBox has our field; raise ``DcimError`` where it lacks kinds of objects."""
        if self._has_field:
            return True
        question = Question((("name", FIELD),), lambda row: row.get("name") == FIELD)
        rows = list(self._rows("extras/custom-fields", "id,name,object_types", question))
        if not rows:
            return False
        types = rows[0].get("object_types")
        held = types if isinstance(types, list) else []
        missing = [each for each in table.FIELD_TYPES if each not in held]
        if missing:
            raise DcimError(
                f"{self._client.target}: custom field {FIELD} is not for {', '.join(missing)}; "
                "add these object types to it in NetBox, or delete it if nothing uses it."
            )
        self._has_field = True
        return True

    def read(self, kind: str, scope: Scope, index: Index) -> Iterator[DcimObject]:
        """Yield what NetBox has of a kind, each object once."""
        if kind == "device":
            self._devices = {}
        seen: set[str] = set()
        for question in self._questions(kind, scope, index):
            for rows in self._pages(table.ROWS[kind].path, _columns(kind), question):
                fresh = [row for row in rows if str(row["id"]) not in seen]
                seen.update(str(row["id"]) for row in fresh)
                yield from self._all_found(kind, fresh, index)

    def _all_found(self, kind: str, rows: Sequence[Object], index: Index) -> Iterator[DcimObject]:
        if kind == "cable":
            yield from self._cables(rows, index)
        elif kind == "device":
            self._devices |= {str(row["id"]): tags_of(row) for row in rows}
        if kind == "primary":
            yield from (each for row in rows for each in _primary(row, index))
        elif kind != "cable":
            yield from (
                _known(_plain(kind, row, index, self.tags(kind, row)), index) for row in rows
            )

    def tags(self, kind: str, row: Object) -> tuple[str, ...]:
        """Return the tags of an object; of a port those of its device, as they were read last."""
        return self._devices.get(_key(row.get("device")), ()) if kind in UNTAGGED else tags_of(row)

    def by_id(self, kind: str, ids: Sequence[str]) -> dict[str, Object]:
        """Return objects by id, with what a delete must know; those that are gone are missing.

        Devices of ports are read again as well, for their tags.
        """
        found: dict[str, Object] = {}
        for part in _parts(sorted(set(ids)), IDS):
            question = _one_of("id", part, "id")
            columns = ",".join((_columns(kind), *_LEFT.get(kind, ())))
            for row in self._rows(table.ROWS[kind].path, columns, question):
                found[str(row["id"])] = row
        if kind in UNTAGGED:
            devices = sorted({_key(row.get("device")) for row in found.values()})
            tags: dict[str, tuple[str, ...]] = dict.fromkeys(devices, ())
            for part in _parts(devices, IDS):
                for row in self._rows(
                    table.ROWS["device"].path, "id,tags", _one_of("id", part, "id")
                ):
                    tags[str(row["id"])] = tags_of(row)
            # At once: another thread may be about ports of the same device.
            self._devices |= tags
        return found

    def hanging(self, kind: str, id_: str) -> str:
        """Return what would suffer with a thing that is deleted, as a sentence; empty where there is nothing."""
        for path, by, what, more in _HANGS.get(kind, ()):
            params = (("fields", "id"), ("limit", "1"), (by, id_), *more)
            page = self._client.read(f"/api/{path}/", params)
            number, _rows, _more = parted_page(page, f"{self._client.target}: GET /api/{path}/")
            if number:
                return _would_suffer(what, number)
        return ""

    def ids_of(self, kind: str, things: Sequence[Thing]) -> dict[str, str]:
        """Return the ids of those things that are in NetBox just as they were sent, by key."""
        return {key: ids[-1] for key, ids in self.all_ids_of(kind, things).items()}

    def all_ids_of(self, kind: str, things: Sequence[Thing]) -> dict[str, list[str]]:
        """Return the ids of all objects that are just as a thing was sent, by its key."""
        found: dict[str, list[str]] = {}
        for part in _parts(things, KEYS):
            sent = {sent_as(each): each.key for each in part}
            question = _sent(kind, list(sent))
            for row in self._rows(table.ROWS[kind].path, _columns(kind), question):
                text = called(kind, row)
                if text in sent:
                    found.setdefault(sent[text], []).append(str(row["id"]))
        return found

    def slug_holders(
        self, kind: str, things: Sequence[Thing], index: Index
    ) -> dict[str, DcimObject]:
        """Return the objects that have the slugs of new things where NetBox keeps a slug once, by the keys of these."""
        if kind not in table.SLUGS:
            return {}
        within, slugs = table.SLUGS[kind], {table.slug(each.name): each for each in things}
        columns = ",".join(filter(None, (_columns(kind), "slug", within)))
        found: dict[str, DcimObject] = {}
        for part in _parts(sorted(slugs), KEYS):
            for row in self._rows(table.ROWS[kind].path, columns, _exactly("slug", part)):
                thing = slugs[str(row["slug"])]
                there = table.read_ref(within, row.get(within), index)
                if equal(thing.values.get(within), there):
                    found[thing.key] = _plain(kind, row, index, tags_of(row))
        return found

    def values(self, kind: str, row: Object, index: Index) -> Mapping[str, Value]:
        """Return the neutral fields of one object."""
        found = self._all_found(kind, [row], index)
        return next((each.values for each in found), {})

    def _questions(self, kind: str, scope: Scope, index: Index) -> Iterator[Question]:
        if not table.ROWS[kind].marked or kind in ("tenant", "route_target", "vrf", "asn"):
            yield Question(())
            return
        ours: list[Question] = []
        if kind not in ("interface", "primary") and self.check_field():
            ours = list(_ours(kind, scope))
        apart = bool(ours) and (kind == "prefix" or _is_whole(kind, scope))
        for question in self._places(kind, scope, index):
            yield _foreign(question, scope.fabric) if apart else question
        yield from ours

    def _places(self, kind: str, scope: Scope, index: Index) -> Iterator[Question]:
        """Ask for what is where things of the fabric are, also what is not ours."""
        site = index.id_of(Ref("location", scope.location))
        if kind in ("rack", "device") and site:
            yield from _at_site(site, scope if kind == "device" else None)
        if kind == "vlan" and (groups := _groups(scope, index)):
            yield _one_of("group_id", groups, "group")
        if kind == "prefix":
            yield from (_inside("within_include", "prefix", (each,)) for each in scope.networks)
            yield from (_exactly("prefix", part) for part in _parts(scope.exact, KEYS))
        if kind == "address":
            networks = scope.networks if scope.devices is None else scope.loose
            several = _parts(networks, KEYS)
            yield from (_inside("parent", "address", each) for each in several)
        if kind in ("interface", "cable", "address", "primary"):
            yield from self._of_devices(kind, scope, index)

    def _of_devices(self, kind: str, scope: Scope, index: Index) -> Iterator[Question]:
        """Ask for what belongs to devices that the index knows, and for some ports of those beyond."""
        known = {each: ref for each in self._devices if (ref := index.ref_of("device", each))}
        ours = [each for each, ref in known.items() if scope.owns(ref)]
        beyond = [each for each in known if each not in {*ours}] if kind == "interface" else []
        for part in _parts(beyond, IDS):
            of_part = _one_of("device_id", part, "device")
            for names in _parts(scope.ports, KEYS):
                yield _both(of_part, _exactly("name", names))
        for part in _parts(ours, IDS):
            if kind == "primary":
                yield _one_of("id", part, "id")
            elif kind == "interface":
                yield _one_of("device_id", part, "device")
            elif kind == "address":
                yield Question(_many("device_id", part), _carried(index), strict=False)
            else:
                yield Question(_many("device_id", part))

    def _cables(self, rows: Sequence[Object], index: Index) -> Iterator[DcimObject]:
        """Yield cables with their ends, which are rows of another table."""
        ends: dict[str, list[Value]] = {}
        columns = "id,cable,cable_end,termination_type,termination_id"
        for part in _parts([str(row["id"]) for row in rows], IDS):
            question = _one_of("cable_id", part, "cable")
            for row in self._rows("dcim/cable-terminations", columns, question):
                ends.setdefault(_key(row.get("cable")), []).append(_end(row, index))
        for row in rows:
            yield from _cable(row, ends.get(str(row["id"]), []), index)

    def _rows(self, path: str, columns: str, question: Question) -> Iterator[Object]:
        return (row for page in self._pages(path, columns, question) for row in page)

    def _pages(self, path: str, columns: str, question: Question) -> Iterator[list[Object]]:
        """Return the rows of each page."""
        where = f"{self._client.target}: GET /api/{path}/"

        def load(offset: int) -> Page:
            params = (
                ("fields", columns),
                ("limit", str(PAGE)),
                ("offset", str(offset)),
                ("ordering", "id"),
                *question.params,
            )
            page = self._client.read(f"/api/{path}/", params)
            count, rows, more = parted_page(page, where)
            return Page(rows, more, lambda: count)

        return (list(self._checked(path, rows, question)) for rows in pages(load, where))

    def _checked(self, path: str, rows: Iterable[Object], question: Question) -> Iterator[Object]:
        for row in rows:
            if "id" not in row:
                raise DcimError(
                    f"{self._client.target}: GET /api/{path}/ sent an object without id."
                )
            if question.fits(row):
                yield row
            elif question.strict:
                asked = ", ".join(dict.fromkeys(name for name, _value in question.params))
                raise DcimError(
                    f"{self._client.target}: GET /api/{path}/ sent object {row['id']}, which filter "
                    f"{asked} should have left out; NetBox ignores the filter, so nothing is pushed."
                )


def _columns(kind: str) -> str:
    if kind == "primary":
        return ",".join(("id", "name", *PRIMARY, "tags", "custom_fields", "last_updated"))
    return table.columns(kind)


def _parts(inputs: Sequence[t.Any], size: int) -> Iterator[Sequence[t.Any]]:
    for at in range(0, len(inputs), size):
        yield inputs[at : at + size]


def _many(name: str, values: Iterable[str]) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for value in values)


def _key(found: Json) -> str:
    """Return the id that a column holds, bare or in a nested object."""
    return id_in(found) if isinstance(found, dict) else str(found)


def _one_of(name: str, ids: Sequence[str], column: str) -> Question:
    """Ask for what has one of some ids in a column."""
    wanted = frozenset(ids)
    return Question(_many(name, ids), lambda row: _key(row.get(column)) in wanted)


def _carried(index: Index) -> Callable[[Object], bool]:
    """Return whether an interface that we know carries an address."""
    return lambda row: any(isinstance(each, Ref) for each in _carriers(row, index))


def _groups(scope: Scope, index: Index) -> list[str]:
    """Return the ids of the VLAN groups of a fabric that are there."""
    found = (index.id_of(Ref("vlan_group", name)) for name in vlan_groups(scope.fabric).values())
    return [each for each in found if each]


def _at_site(site: str, scope: Scope | None) -> Iterator[Question]:
    """Ask for what is at a site: everything, or the devices that a scope names."""

    def fits(row: Object) -> bool:
        return id_in(row.get("site")) == site

    here = ("site_id", site)
    if scope is None or scope.devices is None:
        yield Question((here,), fits)
        return
    for names in _parts(sorted({*scope.devices.values(), *scope.beyond.values()}), KEYS):
        yield Question((here, *_many("name", names)), fits)


def _inside(name: str, column: str, networks: Sequence[str]) -> Question:
    """Ask for prefixes or addresses inside networks; ``parent`` takes several, the other filter one."""
    wholes = [ipaddress.ip_network(each) for each in networks]

    def fits(row: Object) -> bool:
        try:
            found = ipaddress.ip_interface(str(row.get(column))).network
        except ValueError:
            return False
        return any(found.version == each.version and each.overlaps(found) for each in wholes)

    return Question(_many(name, networks), fits)


def _is_whole(kind: str, scope: Scope) -> bool:
    """Return whether everything of a kind that carries a key of the fabric is asked for."""
    return scope.devices is None or kind in ("rack", "vlan")


def _ours(kind: str, scope: Scope) -> Iterator[Question]:
    """Ask for what carries a key of the fabric, or of the devices of a scope."""
    name = f"cf_{FIELD}__isw"
    if _is_whole(kind, scope):
        yield _begins(name, (f"{scope.fabric}/",))
    elif kind == "device":
        for keys in _parts(sorted({**(scope.devices or {}), **scope.beyond}), KEYS):
            yield _begins(name, tuple(f"{key}#" for key in keys))
    elif kind == "prefix":
        for keys in _parts([*scope.keys, *(f"{key}/" for key in scope.devices or ())], KEYS):
            yield _begins(name, tuple(keys))


def _exactly(column: str, texts: Sequence[str]) -> Question:
    """Ask for what has one of some texts in a column."""
    wanted = frozenset(texts)
    return Question(_many(column, texts), lambda row: str(row.get(column)) in wanted)


def _both(one: Question, other: Question) -> Question:
    """Ask for what two questions let through."""
    return Question(one.params + other.params, lambda row: one.fits(row) and other.fits(row))


def _foreign(question: Question, fabric: str) -> Question:
    """Leave out what carries a key of the fabric, which another question asks for."""
    start = f"{fabric}/"

    def fits(row: Object) -> bool:
        return question.fits(row) and not field_of(row).lower().startswith(start.lower())

    return question._replace(params=(*question.params, (f"cf_{FIELD}__nisw", start)), fits=fits)


def _begins(name: str, starts: tuple[str, ...]) -> Question:
    low = tuple(start.lower() for start in starts)
    return Question(_many(name, starts), lambda row: field_of(row).lower().startswith(low))


def _sent(kind: str, texts: Sequence[str]) -> Question:
    """Ask for things as they were sent: by our field, or by name."""
    if table.ROWS[kind].marked:
        return Question(_many(f"cf_{FIELD}", texts), lambda row: field_of(row) in texts)
    return Question(
        _many(table.ROWS[kind].columns[0].column, texts), lambda row: _name(kind, row) in texts
    )


def sent_as(thing: Thing) -> str:
    """Return by what a thing is known again: what our field holds, or its name where it has no field."""
    return mark(thing) if table.ROWS[thing.kind].marked else thing.name


def called(kind: str, row: Object) -> str:
    """Return of an object what `sent_as` says of a thing."""
    return field_of(row) if table.ROWS[kind].marked else _name(kind, row)


def field_of(row: Object) -> str:
    """Return what our field holds on an object; empty where it holds nothing."""
    fields = row.get("custom_fields")
    value = fields.get(FIELD) if isinstance(fields, dict) else None
    return value if isinstance(value, str) else ""


def tags_of(row: Object) -> tuple[str, ...]:
    """Return the slugs of the tags of an object."""
    tags = row.get("tags")
    rows = tags if isinstance(tags, list) else []
    return tuple(str(each["slug"]) for each in rows if isinstance(each, dict) and "slug" in each)


def etag(row: Object) -> str:
    """Return the ETag of an object, which NetBox makes of the time of its last change, in UTC."""
    changed = row.get("last_updated")
    if not isinstance(changed, str):
        return ""
    try:
        moment = datetime.datetime.fromisoformat(changed).astimezone(datetime.UTC)
    except ValueError:
        return ""
    return f'W/"{moment.isoformat()}"'


def not_to_delete(kind: str, found: DcimObject, row: Object, tags: tuple[str, ...]) -> str:
    """Return why an object is not deleted, as a sentence; empty where it may go."""
    if why := not_ours(found, field_of(row), tags):
        return why
    for column, what in _LEFT.get(kind, {}).items():
        left = row.get(column, "number not known")
        if left != (None if column in _WHOLE else 0):
            return _would_suffer(what, left)
    return "" if etag(row) else UNDATED


def _would_suffer(what: str, left: Json) -> str:
    said = left.get("display") if isinstance(left, dict) else left
    return f"NetBox would delete or change its {what} with it ({said}); it was left alone."


def _known(found: DcimObject, index: Index) -> DcimObject:
    """Add to the index what is ours, what is on a device that is taken over, and what is shared, by its name."""
    if found.kind in SHARED:
        found = found._replace(key=found.name)
    if indexed(found) or found.kind in SHARED:
        index.add(found.kind, found.key, found.id)
    return found


def _plain(kind: str, row: Object, index: Index, tags: tuple[str, ...]) -> DcimObject:
    values: dict[str, Value] = {
        each.field: each.read(row.get(each.column), index) for each in table.ROWS[kind].columns
    }
    if kind == "address":
        values["interfaces"] = _carriers(row, index)
    key, written = parted(field_of(row))
    return DcimObject(
        kind=kind,
        id=str(row["id"]),
        key=key,
        name=_name(kind, row),
        values=values,
        owned=bool(key) and TAG in tags,
        tags=tags,
        version=etag(row),
        digest=written,
    )


def _name(kind: str, row: Object) -> str:
    """Return what people call an object: its name, else its first column, such as a prefix."""
    own = {each.field: each.column for each in table.ROWS[kind].columns}
    column = own.get("name") or next(iter(own.values()), "name")
    return str(row.get(column))


def _carriers(row: Object, index: Index) -> tuple[Value, ...]:
    """Return the interface that carries an address."""
    if row.get("assigned_object_id") is None:
        return ()
    kind, id_ = str(row.get("assigned_object_type")), str(row["assigned_object_id"])
    known = index.ref_of("interface", id_) if kind == "dcim.interface" else None
    return (known or f"{kind} {id_}",)


def _end(row: Object, index: Index) -> Value:
    kind, id_ = str(row["termination_type"]), str(row["termination_id"])
    known = index.ref_of("interface", id_) if kind == "dcim.interface" else None
    return known or f"{kind} {id_}"


def _cable(row: Object, ends: Sequence[Value], index: Index) -> Iterator[DcimObject]:
    """Yield a cable that is ours or has an end that we know."""
    found = _plain("cable", row, index, tags_of(row))
    sides = tuple(sorted(ends, key=order))
    if not found.key and not any(isinstance(end, Ref) for end in sides):
        return
    if found.owned:
        index.add("cable", found.key, found.id)
    name = str(found.values.get("label") or f"cable {found.id}")
    yield found._replace(name=name, values={**found.values, "ends": sides})


def _primary(row: Object, index: Index) -> Iterator[DcimObject]:
    """Yield the primary address of a device, if it has one."""
    held = next((row[each] for each in PRIMARY if row.get(each)), None)
    device = index.ref_of("device", str(row["id"]))
    if held is None or device is None:
        return
    found = _plain("primary", row, index, tags_of(row))
    values: dict[str, Value] = {"device": device, "address": table.read_ref("address", held, index)}
    if found.owned:
        index.add("primary", found.key, found.id)
    yield found._replace(values=values)
