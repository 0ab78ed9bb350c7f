# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Between Ansible's module object and this package: options in, plain results out.

The package itself imports no Ansible, as the same files run on the host without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Callable, NoReturn, Protocol, cast

from .desired import Nic, nics_from
from .errors import NicError
from .plan.base import differences
from .records import Answer
from .tools import Host

if TYPE_CHECKING:
    from collections.abc import Iterable

COMMON: dict[str, Answer] = {
    "nics": {"type": "list", "elements": "dict", "required": True},
    "sysfs_path": {"type": "path", "default": "/sys"},
    "timeout": {"type": "int", "default": 60},
}


class Module(Protocol):
    """What is used of AnsibleModule."""

    params: Mapping[str, object]
    check_mode: bool

    def fail_json(self, msg: str, **kwargs: object) -> NoReturn:
        """End with an error."""

    def warn(self, warning: str) -> None:
        """Show a warning beside the result of the task."""

    def exit_json(self, **kwargs: object) -> NoReturn:
        """End with a result."""


def host_of(module: Module) -> Host:
    """The machine that the module runs on."""
    return Host(
        check_mode=module.check_mode,
        sysfs=str(module.params["sysfs_path"]),
        timeout=float(str(module.params["timeout"])),
    )


def wanted_nics(module: Module) -> tuple[Nic, ...]:
    """The option `nics`, typed."""
    return nics_from(module.params["nics"])


def finish(module: Module, work: Callable[[Host], Answer]) -> None:
    """Run the work and end the module: with its result, or with the one sentence of its error."""
    host = host_of(module)
    try:
        result = work(host)
    except NicError as exc:
        module.fail_json(msg=str(exc), **partly(host))
    for text in cast("Iterable[str]", result.pop("warnings", ())):
        module.warn(text)
    module.exit_json(**result, queries=len(host.reads))


def partly(host: Host) -> Answer:
    """What a module that failed did before: {changed, done} and, where something differs, `diff`."""
    diff: object = host.written
    if not diff:
        diff = differences(host.made)
        diff = diff if diff["before"] != diff["after"] else None
    return {"changed": bool(host.done), "done": host.done, **({"diff": diff} if diff else {})}
