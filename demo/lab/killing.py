# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Have a controller killed at a place of a playbook."""

from __future__ import annotations

import pathlib

CALLBACKS = pathlib.Path(__file__).parent / "callbacks"


def killing(at: str) -> dict[str, str]:
    """Environment of an ansible-playbook that dies at `at`, such as "shut half".

    One fork, so that the switches of a step follow each other. What places there are is said in
    callbacks/kill_at.py.
    """
    return {
        "ANSIBLE_CALLBACK_PLUGINS": str(CALLBACKS),
        "ANSIBLE_CALLBACKS_ENABLED": "kill_at",
        "ANSIBLE_FORKS": "1",
        "SPX_KILL_AT": at,
    }
