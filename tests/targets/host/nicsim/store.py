# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state file: loaded under a lock, replaced in one step, never half written."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pathlib
from collections.abc import Iterator
from typing import Any

from nicsim import paths

State = dict[str, Any]


class NoState(Exception):
    """The state file is missing: `nicsim init` was never run."""


def load() -> State:
    """Return the state as it stands; raises NoState without a state file."""
    try:
        text = paths.state_file().read_text(encoding="utf-8")
    except FileNotFoundError as exc:
        raise NoState(f"{paths.state_file()} does not exist; run `nicsim init`") from exc
    return json.loads(text)


def save(state: State) -> None:
    """Write the state beside its file and move it into place."""
    target = paths.state_file()
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    draft.write_text(json.dumps(state, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    draft.replace(target)


@contextlib.contextmanager
def lock() -> Iterator[None]:
    """Hold the one lock of the simulation (a file beside the state)."""
    place: pathlib.Path = paths.state_file().with_name("state.lock")
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.open("a", encoding="utf-8") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def transaction(*, show: bool = False) -> Iterator[State]:
    """Lock, load, take over what was written into the sysfs view, and save what changed.

    The view is rendered again when something changed, or always with `show`. An error
    inside the block discards the changes of the block.
    """
    from nicsim import hardware, views

    with lock():
        hardware.forget_names()
        state = load()
        before = json.dumps(state, sort_keys=True)
        views.absorb(state)
        yield state
        if json.dumps(state, sort_keys=True) != before:
            save(state)
            show = True
        if show:
            hardware.forget_names()
            views.render(state)
