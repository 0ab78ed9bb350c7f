# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab in a run that knows what its switches are."""

from __future__ import annotations

import types

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.run import Run
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.run_store import RunStore
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade import plan
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade.records import (
    STATE,
    SwitchState,
)

from .upgradable import IMAGE, OLD, describe, serving

FRESH = SwitchState(OLD, "old")


@pytest.fixture
def site(project, tmp_path):
    """The lab, where somebody rents one node of su01, in a run whose switches are as `states` says."""
    (project / "model" / "tenants.yml").write_text(
        "tenants: [{id: 21, slug: acme, nodes: [su01/h01]}]\n"
    )
    shown: list[str] = []
    with serving(IMAGE) as url:
        fabric = describe(project, url)
        store = RunStore(lambda: tmp_path / "run")
        store.begin(fabric={"hooks": [str(project / "hooks")]})
        names = [fabric.name(switch) for switch in fabric.switches()]

        def make(states=None, *, check=False, **options):
            for name in names:
                store.put(STATE, (states or {}).get(name, FRESH), of=name)
            shown.clear()
            run = Run(
                store,
                fabric=lambda: Fabric.load(fabric.source.path),
                leaves=lambda _plan: None,
                show=shown.extend,
                ask=lambda lines, **_acts: shown.extend(lines),
                origin=str,
                check=check,
            )
            return plan.make(run, plan.Options(names, **options)), run

        yield types.SimpleNamespace(
            make=make, shown=shown, store=store, names=names, project=project
        )
