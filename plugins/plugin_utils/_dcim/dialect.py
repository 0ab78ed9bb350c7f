# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that both dialects share: their client, their threads, their version, and the search for a lost list."""

from __future__ import annotations

import re
import typing as t
from concurrent.futures import ThreadPoolExecutor

from .._fabric.export.dcim.mark import parted
from .._fabric.export.dcim.things import TAG, UNTAGGED, Ref
from .columns import MissingError
from .port import DcimError, WriteResult

if t.TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

    from ...module_utils._json import Doc, Json
    from .._fabric.export.dcim.things import DcimObject, Thing
    from .client import Client
    from .port import Index, Scope, Update

PRODUCTS = ("NetBox", "Nautobot")
LOOKS = (1.0, 3.0, 6.0)
"""Seconds before each look for what a write without an answer did."""
FEW = 10
"""Fewer things than these are not worth a list of their own. Ours."""
ALONE = ("prefix",)
"""Kinds that one thread writes. Nautobot looks for the prefix around each when it writes it, and NetBox counts those
inside of each: neither sees what is written at the same time, and both keep what they found."""
NOT_DELETED = "it is still there; check whether the token may delete it."
"""Message for an object that a delete did not find, although a read finds it."""
NOT_WRITTEN = "there was no answer, and it is not written yet; run again."
OVERTAKEN = "somebody changed it after it was read; run again."

T = t.TypeVar("T")
Some = t.TypeVar("Some", "Thing", "DcimObject")
One = t.TypeVar("One")


class Reader(t.Protocol):
    """Reader of a dialect."""

    def read(self, kind: str, scope: Scope, index: Index) -> Iterator[DcimObject]:
        """Yield what the DCIM has of a kind."""

    def by_id(self, kind: str, ids: Sequence[str]) -> Mapping[str, Mapping[str, Json]]:
        """Return the objects of these ids that are there, by id."""


def rounds(things: Sequence[Some]) -> list[Sequence[Some]]:
    """Return members of bonds and subinterfaces after all others, as the id of what they name is known then.

    What is deleted goes the other way: a DCIM changes the members of a bond that it deletes, and NetBox keeps a port
    that has subinterfaces.
    """
    later = [thing for thing in things if _names_another(thing)]
    others = [thing for thing in things if not _names_another(thing)]
    return [part for part in (others, later) if part]


def _names_another(thing: Thing | DcimObject) -> bool:
    """Check whether an interface is a member of a bond, or a subinterface, which is read without its parent."""
    below = thing.kind == "interface" and "." in str(thing.values.get("name"))
    return below or bool(thing.values.get("lag"))


class Dialect:
    """One DCIM; see ``port.Dcim``. It sends at most ``workers`` requests at once."""

    name = ""

    def __init__(self, client: Client, reader: Reader, *, workers: int) -> None:
        self._client = client
        self._workers = workers
        self._all = reader

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def read(self, kind: str, scope: Scope, index: Index) -> Iterator[DcimObject]:
        """Yield what the DCIM has of a kind; each object once."""
        return self._all.read(kind, scope, index)

    def slug_holders(
        self, _kind: str, _things: Sequence[Thing], _index: Index
    ) -> Mapping[str, DcimObject]:
        """Return nothing: a DCIM without slugs keeps names apart alone."""
        return {}

    def _still_there(
        self, kind: str, id_: str, *, why: str = "there was no answer; run again."
    ) -> str:
        """Return why a delete of which nothing is known has failed; empty where its object is gone within seconds."""
        if any(not self._all.by_id(kind, [id_]) for _look in self._looks()):
            return ""
        return why

    def _looks(self) -> Iterator[float]:
        """Yield before each look for what a write without an answer did, with a pause: a slow server may be at it."""
        for pause in LOOKS:
            self._client.wait(pause)
            yield pause

    def _threads(self, kind: str) -> int:
        return 1 if kind in ALONE else self._workers

    def _each(self, kind: str, inputs: Sequence[t.Any], work: Callable[[t.Any], T]) -> list[T]:
        """Do some work for each input of a kind, by a few threads; in order."""
        with ThreadPoolExecutor(self._threads(kind)) as pool:
            return list(pool.map(work, inputs))

    def _by_lists(
        self, kind: str, inputs: Sequence[One], most: int, work: Callable[[Sequence[One]], list[T]]
    ) -> list[T]:
        """Do some work for lists of about equal length, so that all threads have some: at most so many in one."""
        count = max(-(-len(inputs) // most), min(self._threads(kind), len(inputs) // FEW), 1)
        size = -(-len(inputs) // count) or 1
        lists = [inputs[at : at + size] for at in range(0, len(inputs), size)]
        return [each for made in self._each(kind, lists, work) for each in made]

    def _in_rounds(
        self,
        kind: str,
        things: Sequence[Thing],
        index: Index,
        *,
        make: Callable[[Sequence[Thing]], list[WriteResult]],
    ) -> list[WriteResult]:
        """Create things in rounds, and take the id of each for those that refer to it."""
        done: list[WriteResult] = []
        for several in rounds(things):
            made = make(several)
            for each in made:
                if not each.error:
                    index.add(kind, each.key, each.id)
            done += made
        return done

    def _body(self, kind: str, thing: Thing, index: Index) -> Doc:
        """Return what is sent to create a thing; raise ``MissingError`` for what it refers to."""
        raise NotImplementedError

    def _bodies(
        self, kind: str, things: Sequence[Thing], index: Index
    ) -> tuple[dict[str, Doc], list[WriteResult]]:
        """Return what is sent for each thing, by key, and what cannot be sent."""
        bodies: dict[str, Doc] = {}
        done: list[WriteResult] = []
        for thing in things:
            try:
                bodies[thing.key] = self._body(kind, thing, index)
            except MissingError as exc:
                done.append(WriteResult(thing.key, "", f"{exc}."))
        return bodies, done

    def _known(self, product: str, *, oldest: tuple[int, int, int], below: int) -> Doc:
        """Return the status, and take the name with the version of it.

        ``DcimError`` unless the version is one from `oldest` to below a major one.
        """
        answer = self._client.read("/api/status/")
        found = answer if isinstance(answer, dict) else {}
        version = str(found.get(f"{product.lower()}-version", ""))
        other = next((name for name in PRODUCTS if f"{name.lower()}-version" in found), product)
        if other != product:
            raise DcimError(
                f"{self._client.target}: this is {other}: set kind of spx_dcim to {other.lower()}."
            )
        if not version:
            raise DcimError(
                f"{self._client.target}: its answer has no version of {product}: correct url of spx_dcim."
            )
        numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:3])
        if len(numbers) < 3 or not oldest <= numbers < (below,):
            raise DcimError(
                f"{self._client.target}: this is {product} {version}; "
                f"{'.'.join(map(str, oldest))} or newer, below {below}.0, is needed."
            )
        self.name = f"{product} {version}"
        return found


def indexed(found: DcimObject) -> bool:
    """Return whether the index knows it as ours: also a port without our tag, on a device that is taken over."""
    on_ours = found.kind in UNTAGGED and isinstance(found.values.get("device"), Ref)
    return found.owned or bool(found.key and on_ours)


def still_ours(change: Update, field: str, tags: Container[str]) -> bool:
    """Return whether an object has the key that it had when it was read, or ours by now, and did not lose our tag."""
    kept = TAG in tags or TAG not in change.found.tags
    return kept and parted(field)[0] in (change.found.key, change.thing.key)


def not_ours(found: DcimObject, field: str, tags: Container[str]) -> str:
    """Return why an object that was ours is not deleted, as a sentence; empty where it still is."""
    if found.key and parted(field)[0] == found.key and TAG in tags:
        return ""
    where = "on a device with" if found.kind in UNTAGGED else "and"
    return f"it no longer carries the key {found.key!r} {where} tag {TAG}; it was left alone."
