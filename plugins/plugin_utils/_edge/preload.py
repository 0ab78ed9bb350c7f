# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Preloading of the modules that lookups and filters of a run use, before Ansible forks its workers. Private.

A worker lives for one task of one host, and Ansible's loader of collections compiles each module
again in each process. Action plugins are loaded before the fork: the one with which every playbook
begins imports this, so that no worker has to.

What is loaded by then stays: workers that collect garbage pass it over, and share its pages instead of
copying them (``gc.freeze`` in Python's manual).
"""

from __future__ import annotations

import gc
import typing as t

from .._fabric.plan import locate
from .._fabric.render.switch import change_conditions, compose
from .._jobs import runs
from .._nvue.document import dialect
from . import switch

if t.TYPE_CHECKING:
    from types import ModuleType

MODULES: t.Final[tuple[ModuleType, ...]] = (
    runs,
    switch,
    locate,
    compose,
    change_conditions,
    dialect,
)
"""With what they import: everything that plugins of kinds other than action need."""

gc.collect()
gc.freeze()
