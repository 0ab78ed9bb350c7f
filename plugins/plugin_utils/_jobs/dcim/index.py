# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ids in the DCIM of the plan's things, for one part of a fabric. Private."""

from __future__ import annotations

from ..._fabric.export.dcim.things import Ref


class RunIndex:
    """The index of a run. It begins empty for each part, so that memory does not grow with the fabric."""

    def __init__(self) -> None:
        self._ids: dict[Ref, str] = {}
        self._refs: dict[tuple[str, str], Ref] = {}

    def id_of(self, ref: Ref) -> str | None:
        """The id of a thing, or None where it is not known."""
        return self._ids.get(ref)

    def ref_of(self, kind: str, id: str) -> Ref | None:  # noqa: A002
        """The thing that has an id, or None where it is not known."""
        return self._refs.get((kind, id))

    def add(self, kind: str, key: str, id: str) -> None:  # noqa: A002
        """Remember an id."""
        ref = Ref(kind, key)
        self._ids[ref] = id
        self._refs[kind, id] = ref
