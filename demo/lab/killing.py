# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Have a controller killed at a place of a playbook."""

from __future__ import annotations

import os
import pathlib
import signal

CALLBACKS = pathlib.Path(__file__).parent / "callbacks"


def killing(at: str) -> dict[str, str]:
    """Environment of an ansible-playbook that dies at `at`, such as "shut half".

    One fork, so that the switches of a step follow each other. What places there are is said in
    callbacks/kill_at.py.
    """
    return {**_enabled("kill_at"), "ANSIBLE_FORKS": "1", "SPX_KILL_AT": at}


def brief_levels(*, killed_in: str = "") -> dict[str, str]:
    """Environment of an ansible-playbook whose levels are short, and which dies while it measures `killed_in`.

    Rails last three seconds, noise is one repeat of as many and bandwidth alone, and collectives are all_reduce:
    callbacks/brief_levels.py.
    `killed_in` is how the key of a round begins, such as noise/together-.
    """
    return {**_enabled("brief_levels"), "SPX_KILL_IN": killed_in}


def _enabled(callback: str) -> dict[str, str]:
    """Variables that enable a callback, and let it import this module."""
    path = [str(CALLBACKS.parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        "ANSIBLE_CALLBACK_PLUGINS": str(CALLBACKS),
        "ANSIBLE_CALLBACKS_ENABLED": callback,
        "PYTHONPATH": os.pathsep.join(path),
    }


def own_group() -> int:
    """The process group of this process, of which it is the first from now on."""
    if os.getpgid(0) != os.getpid():
        os.setpgid(0, 0)
    return os.getpgid(0)


def end(group: int) -> None:
    """Kill all of a group, this process among them."""
    os.killpg(group, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)
