# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of roles as a play renders them, without a play."""

from __future__ import annotations

import typing as t
from pathlib import Path

import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

ROLES = Path(__file__).parents[3] / "roles"


def rendered(role: str, name: str, **variables: t.Any) -> t.Any:
    """A variable of the role's vars, given others."""
    kept = yaml.safe_load((ROLES / role / "vars/main.yml").read_text(encoding="utf-8"))
    rules = {key: text for key, text in kept.items() if isinstance(text, str)}
    try:  # core 2.19 renders only what is marked as trusted
        from ansible.template import trust_as_template

        rules = {key: trust_as_template(text) for key, text in rules.items()}
    except ImportError:
        pass
    return Templar(DataLoader(), variables={**rules, **variables}).template(rules[name])
