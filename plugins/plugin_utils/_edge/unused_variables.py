# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of a host that nothing reads, though they are called as those of the collection are. Private.

They are warned of and not refused: a site may have names of its own that begin so. What is given with -e is
refused by the task with which every playbook begins.
"""

from __future__ import annotations

import difflib
import re
import typing as t
from pathlib import Path

from ansible.utils.display import Display

from .._fabric.catalog import variables
from .._fabric.catalog.data import table
from .._fabric.description.errors import nearest

_ROOT = Path(__file__).resolve().parents[3]
_BEGIN = ("spx_", "switch_", "dpu_")


def _words(pattern: str, *places: str) -> frozenset[str]:
    texts = (path.read_text(encoding="utf-8") for place in places for path in _ROOT.glob(place))
    return frozenset(word for text in texts for word in re.findall(pattern, text, re.MULTILINE))


_KNOWN = _words(r"\b(?:spx|switch|dpu)_\w+", "roles/**/*.yml", "playbooks/**/*.yml")
_OPTIONS = _words(r"^(\w+):", "roles/*/defaults/main.yml")
_ROLES = tuple(f"{path.name}_" for path in _ROOT.glob("roles/*"))
table("variables")
"""Read once, before Ansible forks its workers: every word of roles and playbooks, and what may be set of them."""


def sentences(names: t.Iterable[str]) -> list[str]:
    """A sentence for each name that nothing reads."""
    strange = sorted(name for name in names if name.startswith(_BEGIN) and name not in _KNOWN)
    return [said for name in strange if (said := _sentence(name))]


def _sentence(name: str) -> str:
    """A name that begins as no role does is a site's own, unless an option of a role is called nearly so."""
    family = [option for option in _OPTIONS if option.startswith(name[:4])]
    if name.startswith("spx_"):
        if variables.known(name):
            return ""
        family = [*table("variables")]
    elif not (name.startswith(_ROLES) or difflib.get_close_matches(name, family, n=1, cutoff=0.85)):
        return ""
    return (
        f"variable {name}: nothing reads it{nearest(name, family)}: correct its name, remove it, or give your "
        "own variable another prefix."
    )


def warn(names: t.Iterable[str]) -> None:
    """Warn of each; Ansible shows a warning once, however many hosts have it."""
    for said in sentences(names):
        Display().warning(said)
