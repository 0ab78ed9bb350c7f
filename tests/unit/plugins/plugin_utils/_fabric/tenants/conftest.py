# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The laboratory, and registries over it."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    entry,
    jobs,
    move_plan,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

from .tenants import TENANTS


@pytest.fixture
def lab(load):
    """Return the laboratory."""
    return load()


@pytest.fixture
def registry(lab):
    """Return a function from text to a registry over the laboratory."""
    return lambda text="", fabric=None: Registry.parse(fabric or lab, text)


def _move(fabric, registry, tenant, nodes, **more):
    return move_plan.plan(
        fabric, registry, nodes, move_plan.Order(tenant, **{"applied": {}, **more})
    )


QUESTIONS = {
    "onboard": lambda f, r, tenant, nodes, hooks: jobs.onboarding(r, tenant, extra=nodes),
    "resize": lambda f, r, tenant, nodes, hooks: jobs.resizing(r, tenant, nodes),
    "offboard": lambda f, r, tenant, nodes, hooks: jobs.offboarding(r, tenant),
    "move": _move,
    "enter": lambda f, r, tenant, nodes, hooks, applied: entry.may_enter(r, tenant, nodes, applied),
}


@pytest.fixture
def ask(lab, tmp_path):
    """Return a function that asks for a plan over a registry file; the site has a hook wipe."""
    path = tmp_path / "tenants.yml"
    path.write_text(TENANTS)

    def _ask(term, *, tenant, nodes=(), **asked):
        registry = Registry.load(lab, str(path))
        given = {"nodes": jobs.expand(lab, nodes), "hooks": ["wipe"], **asked}
        answer = QUESTIONS[term](lab, registry, tenant=tenant, **given)
        if term == "move":
            json.dumps(answer)
        return answer

    return _ask
