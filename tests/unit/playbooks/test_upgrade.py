# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playbook upgrade on the lab: who notices is shown first, and exactly that happens."""

from __future__ import annotations

import contextlib

import pytest
import yaml
from nvue_double.testing import running_doubles
from playing import reached

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import compose
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

from ..plugins.plugin_utils._jobs.upgrade.upgradable import (
    BUILD,
    IMAGE,
    NEW,
    OLD,
    describe,
    serving,
)
from .fleet import Lab, factory_lab

TENANTS = "tenants: [{id: 21, slug: acme, nodes: [su01/h01]}]\n"
QUICK = {"spx_soak": 0, "spx_apply_wait": 0, "spx_delay": 1, "spx_retries": 3}
SU01 = ["leaf-p1-su001-r1", "leaf-p1-su001-r2"]
SU02 = ["leaf-p1-su002-r1", "leaf-p1-su002-r2"]
SPINES = ["spine-p1-s01", "spine-p1-s02"]


@contextlib.contextmanager
def upgradable_lab(folder):
    """The lab in service, as planned; nobody rents a node of its second SU."""
    with serving(IMAGE) as url, factory_lab(folder) as factory:
        (folder / "model" / "tenants.yml").write_text(TENANTS)
        fabric = describe(folder, url)
        registry, names = Registry.load(fabric), list(factory.doubles)
        group = folder / "inventory" / "group_vars"
        group.mkdir(exist_ok=True)
        (group / "all.yml").write_text(yaml.safe_dump({"switch_apply_settle_time": 0}))
        run = {"release": OLD, "step_seconds": 0.002, "packets_per_second": 2.0}
        options = [
            {**run, "boot_seconds": 0.2, "document": compose.document(fabric, n, tenants=registry)}
            for n in names
        ]
        with running_doubles(options) as doubles:
            for name, double in zip(names, doubles):
                path = folder / "inventory" / "host_vars" / f"{name}.yml"
                path.write_text(yaml.safe_dump(reached(double)))
            lab = Lab(folder, dict(zip(names, doubles)))
            lab.come_up()
            yield lab


def releases(lab):
    return {name: double.switch.options.release for name, double in lab.doubles.items()}


def boots(lab):
    """Every boot of a switch, in order."""
    return {
        name: [action for _place, action, _words in double.switch.jobs.done].count("reboot")
        for name, double in lab.doubles.items()
    }


def test_the_plan_is_shown_and_nothing_is_written(tmp_path):
    with upgradable_lab(tmp_path) as lab:
        code, output = lab.run("upgrade", "--check")
        assert code == 0, output
        said = " ".join(output.split())
        assert f"upgrade to {NEW} build {BUILD}: 0 of 6 switches have it; 5 batches follow" in said
        first = "batch 1: canary leaf-p1-su002-r1 [interrupting]: nobody notices"
        assert first in said, output
        assert (
            "batch 5: su01, 2 leaves [interrupting]: acme (1 nodes, rails 1-2) lose these rails"
            in said
        )
        assert "not now: worker-su01-rack01-h01: somebody rents what stops there" in said
        assert lab.writes() == 0


@pytest.mark.large
def test_a_fabric_is_upgraded_window_by_window(tmp_path):
    with upgradable_lab(tmp_path) as lab:
        code, output = lab.run("upgrade", **QUICK)
        assert code == 2, output
        assert (
            "not upgraded: leaf-p1-su001-r1, leaf-p1-su001-r2: worker-su01-rack01-h01"
            in " ".join(output.split())
        )
        done = releases(lab)
        assert {name for name, release in done.items() if release == NEW} == {*SU02, *SPINES}, (
            output
        )
        lab.come_up()
        code, output = lab.run("upgrade", spx_window='"2999-12-31 CHG-42"', **QUICK)
        assert code == 0, output
        assert set(releases(lab).values()) == {NEW}
        assert set(boots(lab).values()) == {1}
        reads = {name: len(double.log.requests) for name, double in lab.doubles.items()}
        code, output = lab.run("upgrade", **QUICK)
        assert code == 0, output
        assert "nothing is to be done" in output
        more = {
            name: len(double.log.requests) - reads[name] for name, double in lab.doubles.items()
        }
        assert set(more.values()) == {3}, "one request more than an unchanged run of switches"


@pytest.mark.large
def test_the_hooks_of_the_site_drain_and_resume_who_rents(tmp_path):
    with upgradable_lab(tmp_path) as lab:
        (tmp_path / "hooks").mkdir()
        for name in ("drain", "resume"):
            line = f"echo {name} {{{{ hook_node }}}} {{{{ hook_from }}}} >>'{tmp_path}/hooked'"
            task = {"name": name.title(), "ansible.builtin.raw": line}
            (tmp_path / "hooks" / f"{name}.yml").write_text(yaml.safe_dump([task]))
        code, output = lab.run("upgrade", **QUICK)
        assert code == 0, output
        assert set(releases(lab).values()) == {NEW}
        node = "worker-su01-rack01-h01 acme"
        assert (tmp_path / "hooked").read_text().splitlines() == [f"drain {node}", f"resume {node}"]
