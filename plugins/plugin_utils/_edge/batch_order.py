# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches of a play wait for the ones before them. Private."""

from __future__ import annotations

import typing as t

from .._fabric.description.errors import FabricError


class Play(t.TypedDict):
    """Variables of a task that say where its play is."""

    ansible_play_hosts_all: list[str]
    ansible_play_batch: list[str]
    hostvars: t.Mapping[str, t.Mapping[str, object]]


def wait(stated: Play, done: str, first: t.Iterable[str] = ()) -> None:
    """FabricError where a host of an earlier batch, or of `first`, has nothing good in the variable `done`.

    That is a word that it is done, or the result of its last task. Ansible counts what failed there, and goes on
    without what it could not reach.
    """
    names = stated["ansible_play_hosts_all"]
    before = names[: names.index(stated["ansible_play_batch"][0])]
    undone = [name for name in (*first, *before) if not _good(stated["hostvars"][name].get(done))]
    if undone:
        raise FabricError.of(
            f"{', '.join(undone)} did not finish their batch (the reason is above): nothing further is "
            "changed; repair it, list it in out_of_service, or leave it out by --limit, and run again."
        )


def _good(found: object) -> bool:
    bad = isinstance(found, dict) and (found.get("failed") or found.get("unreachable"))
    return bool(found) and not bad
