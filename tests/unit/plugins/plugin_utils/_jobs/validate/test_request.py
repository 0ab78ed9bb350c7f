# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Devices that are meant, and results that fail their task."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.results import (
    Finding,
    Subject,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.validate.request import (
    Options,
    Request,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

LEAF = "leaf-p1-su001-r1"


def asked(registry: str = "{}", **options: Any) -> Request:
    plan = Fabric.load(str(INVENTORIES / "lab" / "model" / "fabric.yml"))
    none: Any = None  # nothing is run here
    return Request(
        *(none, plan, Registry.parse(plan, registry), Options(**options), LEAF),
        connect=none,
        wish=none,
        host=none,
    )


@pytest.mark.parametrize(
    "states, fail, strict, said",
    [
        (["pass", "not_realised"], True, True, None),
        (["fail"], False, True, None),
        (["fail", "not_run"], True, False, "0"),
        (["fail", "not_run"], True, True, "0\n1"),
        (["pass", "not_run"], True, False, None),
    ],
)
def test_outcome(states: list[str], fail: bool, strict: bool, said: str | None) -> None:
    about = Subject("lab", "leaf", "leaf")
    rows: list[Any] = [
        about.result("x", Finding(str(n), state=state)) for n, state in enumerate(states)
    ]
    made = asked(fail=fail, strict=strict).answer(LEAF, rows)
    assert (made.get("failed", False), made.get("msg")) == (said is not None, said)


def test_a_tenant_without_nodes_means_nobody_and_no_word_means_all() -> None:
    empty = "tenants: [{id: 21, slug: acme, nodes: []}]"
    assert not asked(empty, where=["acme"]).means(LEAF)
    assert asked().means(LEAF)


def test_only_the_checks_that_are_asked_for_are_due() -> None:
    about = Subject("lab", "leaf", "leaf")
    rows = [about.result(name, Finding("said")) for name in ("switch.bgp", "tenant.routes")]
    assert [row["id"] for row in asked(checks=["tenant"]).due(rows)] == ["tenant.routes"]
