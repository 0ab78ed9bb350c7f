# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Ansible's module object and this package: options in, plain results out.

The package itself imports no Ansible, as the same files run on the host without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Callable, NoReturn, Protocol, cast

from .errors import NicError
from .plan.base import differences
from .records import Answer
from .tools import Host

if TYPE_CHECKING:
    from collections.abc import Iterable


class Module(Protocol):
    """Interface of AnsibleModule, as far as it is used here."""

    def fail_json(self, msg: str, **kwargs: object) -> NoReturn:
        """End with an error."""

    def warn(self, warning: str) -> None:
        """Show a warning beside the result of the task."""

    def exit_json(self, **kwargs: object) -> NoReturn:
        """End with a result."""


def finish(module: Module, host: Host, work: Callable[[], Mapping[str, object]]) -> None:
    """Do the work and end the module: with its result, or with the one sentence of its error."""
    try:
        result = dict(work())
    except NicError as exc:
        module.fail_json(msg=str(exc), **partly(host))
    for text in cast("Iterable[str]", result.pop("warnings", ())):
        module.warn(text)
    module.exit_json(**result)


def partly(host: Host) -> Answer:
    """Return the work of a module before it failed: {changed, done} and, where something differs, `diff`."""
    diff: object = host.written
    if not diff:
        diff = differences(host.made)
        diff = diff if diff["before"] != diff["after"] else None
    return {"changed": bool(host.done), "done": host.done, **({"diff": diff} if diff else {})}
