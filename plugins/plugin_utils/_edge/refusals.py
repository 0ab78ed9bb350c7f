# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The edge between the core and Ansible: where a sentence becomes Ansible's error. Private."""

from __future__ import annotations

import functools
import typing as t

from ansible.errors import AnsibleActionFail, AnsibleError
from ansible.plugins.action import ActionBase

from .._fabric.description.errors import FabricError
from .._jobs.switch.failure import ended
from .._nvue.errors import NvueError

Result = dict[str, object]
P = t.ParamSpec("P")
R = t.TypeVar("R")
A = t.TypeVar("A", bound=ActionBase)


class Refusal(AnsibleActionFail):  # type: ignore[misc] # Ansible has no types
    """Refusal of a plugin: the `msg` of the task, wherever in its templates the plugin was called.

    Ansible puts what it was doing in front of any other error (`Finalization of task args for ...
    failed: Error while resolving value for ...: The lookup plugin ... failed: `), and shows the error and its
    place in the playbook beside `msg`. An AnsibleActionFail in the chain decides `msg`; without an exception
    that is all.
    """

    @property
    def omit_exception_key(self) -> bool:
        """The sentence says what is wrong and what to do; the way to it through templates does not."""
        return True


def sentences(kind: type[AnsibleError]) -> t.Callable[[t.Callable[P, R]], t.Callable[P, R]]:
    """Decorates the entry of a lookup, filter or inventory: FabricError leaves as `kind` with the same sentences."""

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


def answered(
    method: t.Callable[t.Concatenate[A, P], Result],
) -> t.Callable[t.Concatenate[A, P], Result]:
    """Decorates the entry of an action: errors of the core leave as sentences.

    Those of a task with `until` or `retries` are returned, as Ansible asks again only where an action returns.
    """

    @functools.wraps(method)
    def wrapped(action: A, /, *args: P.args, **kwargs: P.kwargs) -> Result:
        try:
            return method(action, *args, **kwargs)
        except FabricError as exc:
            result: Result = {"failed": True, "msg": str(exc)}
        except NvueError as error:
            result = ended(error)
        task = action._task
        again = getattr(task, "until", None) or getattr(task, "retries", None)
        if again or not result.get("failed"):
            return result
        raise Refusal(result["msg"], result=result)

    return wrapped
