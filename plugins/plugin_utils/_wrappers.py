# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The edge between the core and Ansible: where a sentence becomes Ansible's error. Private."""

from __future__ import annotations

import functools
import typing as t

from ansible.errors import AnsibleError

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.model.errors import (
    FabricError,
)

P = t.ParamSpec("P")
R = t.TypeVar("R")


def sentences(
    kind: type[AnsibleError] = AnsibleError,
) -> t.Callable[[t.Callable[P, R]], t.Callable[P, R]]:
    """Decorates a plugin's entry: FabricError leaves as `kind` with the same sentences."""

    def decorate(function: t.Callable[P, R]) -> t.Callable[P, R]:
        @functools.wraps(function)
        def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return function(*args, **kwargs)
            except FabricError as exc:
                # Ansible adds what caused an error to its text, and the sentence says it already.
                raise kind(str(exc)) from None

        return wrapped

    return decorate
