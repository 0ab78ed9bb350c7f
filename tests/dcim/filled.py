# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A NetBox that has a fabric already: what a push would send goes into its database within a minute.

A push of h200-2048 takes a quarter of an hour and more. What a later push costs does not depend on it. Whether the
database is what a push would have left is seen by that later push: it has nothing to write.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from dcim import daemons, installed, servers
from dcim.products import NETBOX
from dcim.servers import Server

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.connection import open_dcim
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.netbox import NetBox
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.context import (
    Context,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.plan_things import (
    of_kind,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    KINDS,
    Ref,
    Thing,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.index import RunIndex

MANY = ("prefix", "device", "interface", "address", "cable")
"""Kinds that go into the database; the rest is some dozen objects, and is pushed."""
FIRST = 1000
"""The first id that is given: those before are of what is pushed."""
SCRIPT = """
import json

from django.contrib.contenttypes.models import ContentType
from django.core.management.color import no_style
from django.db import connection
from dcim.models import Cable, CableTermination, Device, Interface
from extras.models import TaggedItem
from ipam.models import IPAddress, Prefix

models = dict(prefix=Prefix, device=Device, interface=Interface, address=IPAddress, cable=Cable)
wanted = json.load(open("fill.json", encoding="utf-8"))
port = ContentType.objects.get_for_model(Interface)
ends, tagged = [], []


def made(model, body):
    tagged.extend(
        TaggedItem(content_type=ContentType.objects.get_for_model(model), object_id=body["id"], tag_id=tag)
        for tag in body.pop("tags", ())
    )
    for side in "ab":
        for end in body.pop(f"{side}_terminations", ()):
            ends.append((body["id"], side.upper(), end["object_id"]))
    values = {"custom_field_data": body.pop("custom_fields")}
    if body.pop("assigned_object_type", None):
        values["assigned_object_type"] = port
    for name, value in body.items():
        values[model._meta.get_field(name).attname] = value
    return model(**values)


for kind, model in models.items():
    model.objects.bulk_create([made(model, body) for body in wanted[kind]], batch_size=500)
ports = Interface.objects.in_bulk()
for cable, side, end in ends:
    ports[end].cable_id, ports[end].cable_end = cable, side
Interface.objects.bulk_update([ports[end] for _cable, _side, end in ends], ["cable", "cable_end"], batch_size=500)
CableTermination.objects.bulk_create(
    [
        CableTermination(
            cable_id=cable, cable_end=side, termination_type=port, termination_id=end, _device_id=ports[end].device_id
        )
        for cable, side, end in ends
    ],
    batch_size=500,
)
TaggedItem.objects.bulk_create(tagged, batch_size=500)
for device, address in wanted["primary"]:
    Device.objects.filter(pk=device).update(primary_ip4_id=address)
with connection.cursor() as cursor:
    for statement in connection.ops.sequence_reset_sql(no_style(), [*models.values(), CableTermination, TaggedItem]):
        cursor.execute(statement)
"""


def fill(server: Server, fabric: Fabric) -> int:
    """Put a whole fabric into a NetBox that is new; how many objects it then has."""
    context, index = Context(fabric, Registry.load(fabric)), RunIndex()
    netbox = open_dcim(server.kind, server.url, server.token)
    assert isinstance(netbox, NetBox)
    found: dict[str, list[Any]] = {}
    total = 0
    for kind in (each for each in KINDS if each in netbox.kinds):
        things = [netbox.fit(thing) for thing in of_kind(kind, context)]
        total += len(things)
        if kind in MANY:
            found[kind] = list(_bodies(netbox, kind, things, index))
        elif kind == "primary":
            found[kind] = [_primary(thing, index) for thing in things]
        else:
            refused = [done for done in netbox.create(kind, things, index) if done.error]
            assert not refused, refused[0]
    netbox.close()
    _run(server, found)
    return total


def _bodies(
    netbox: NetBox, kind: str, things: list[Thing], index: RunIndex
) -> Iterable[dict[str, Any]]:
    """Yield the bodies that a push would send, each with an id of its own."""
    netbox._tag = int(index.id_of(Ref("tag", "spectrum-x")) or 0)
    for id_, thing in enumerate(things, FIRST):
        yield {"id": id_, **netbox._body(kind, thing, index)}
        index.add(kind, thing.key, str(id_))


def _primary(thing: Thing, index: RunIndex) -> list[int]:
    """The ids of a device and of its address."""
    ends = (thing.values["device"], thing.values["address"])
    return [int(index.id_of(end) or 0) for end in ends if isinstance(end, Ref)]


def _run(server: Server, found: dict[str, list[Any]]) -> None:
    (server.folder / "fill.json").write_text(json.dumps(found), encoding="utf-8")
    daemons.call(
        [installed.environment(NETBOX) / "bin" / NETBOX.manage, "shell", "-c", SCRIPT],
        folder=server.folder,
        environment=servers.environment(NETBOX, server),
        seconds=900,
    )
