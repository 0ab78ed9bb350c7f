# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A fault inside a callback ends the run red. Private.

Ansible warns of what a callback raises, and goes on: a summary that lost a failure would end as done.
"""

from __future__ import annotations

import functools
import typing as t

from ansible.plugins.callback import CallbackBase

from ...module_utils import _text

C = t.TypeVar("C", bound=type[CallbackBase])
END = "v2_playbook_on_stats"
CODE = 2
"""Exit code of a run whose callback has a fault."""
_SHOWN = 200
"""Characters of a fault that are shown: it may quote what a device said."""


def watched(callback: C) -> C:
    """Decorate a callback: what one of its methods raises is noted, and ends the run with a failure at its end."""
    for name, method in tuple(vars(callback).items()):
        if name.startswith("v2_"):
            setattr(callback, name, _noting(method, last=name == END))
    return callback


def _noting(method: t.Callable[..., None], *, last: bool) -> t.Callable[..., None]:
    @functools.wraps(method)
    def wrapped(self: CallbackBase, *args: object, **kwargs: object) -> None:
        faults = self.__dict__.setdefault("_faults", [])
        try:
            method(self, *args, **kwargs)
        except Exception as exc:
            faults.append(exc)
            if not last:
                raise
        if last and faults:
            why = _text.line(f"{type(faults[0]).__name__}: {faults[0]}", _SHOWN)
            self._display.error(
                f"{self.CALLBACK_NAME}: the summary is not complete ({why}): read the output above, and report this "
                "fault."
            )
            raise SystemExit(CODE)

    return wrapped
