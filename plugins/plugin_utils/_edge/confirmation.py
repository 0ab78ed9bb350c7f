# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Display of the planned changes; with ``-e spx_ask=true`` a person has to confirm them. Private."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsiblePromptInterrupt, AnsiblePromptNoninteractive
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display

from .._fabric.catalog import variables
from .._fabric.description.errors import FabricError
from .output import show

_ASK = "spx_ask"
_NO = (b"\x03", b"\x04")
"""Ctrl-C and Ctrl-D, each of which is a no."""
_QUESTION = "Is this what you want? Type yes and press Enter; anything else stops the run: "


def proceed(
    task: ActionBase, stated: t.Mapping[str, object], lines: t.Iterable[str], *, acts: bool = True
) -> None:
    """Show the plan of a run; FabricError where a person who is to be asked does not say yes.

    Nobody is asked in check mode, nor where the run does nothing (`acts` is false).
    """
    show(f"  {line}" for line in lines)
    asked = variables.check({_ASK: stated[_ASK]}).get(_ASK) if _ASK in stated else False
    if not asked or not acts or task._task.check_mode:
        return
    try:
        said = Display().prompt_until(_QUESTION, interrupt_input=_NO)
        answer = said.decode("utf-8", "replace").strip()
    except AnsiblePromptNoninteractive:
        raise FabricError.of(
            f"variable {_ASK}: there is no terminal for the question: run it in one, or leave the variable out."
        ) from None
    except AnsiblePromptInterrupt:
        answer = "Ctrl-C or Ctrl-D"
    if answer.lower() != "yes":
        raise FabricError.of(
            f"variable {_ASK}: the answer was '{answer}' and not yes: the run stops before this change; run it "
            "again to continue."
        )
