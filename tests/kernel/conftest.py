# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stories in a kernel that has what they need: this machine's own, or that of a guest (`lab.guest`).

One guest tells all stories, as its boot takes long. A test module names its story in STORY, and has a function
`story(folder)` that returns what tests know of it besides, and the order.
"""

from __future__ import annotations

import json
import os
import pathlib
import subprocess

import pytest
from kernel import spaces
from lab import guest
from lab.state import labs_folder

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOGS = labs_folder().parent / "kernel"
MODULES = (
    *("vrf", "vxlan", "bridge", "veth", "8021q", "bonding", "macvlan", "dummy"),
    *("nf_tables", "nft_ct", "nft_meta_bridge"),
)
PATIENCE = 560
"""Seconds for all stories once their kernel is up; a busy machine takes four times as long as a quiet one."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without root there is no network namespace, and that is a failure of the set-up, not a skip."""
    if items and os.geteuid() != 0:
        pytest.exit("the kernel's stories need root: run tests/kernel/run.sh", returncode=1)


def kernel_has_all():
    """Check whether this machine's own kernel makes VRFs, bonds and VLANs."""
    script = (
        "ip link add v type vrf table 9 && ip link add o type bond && "
        "ip link add b type bridge vlan_filtering 1 && ip link add link b name b.9 type vlan id 9"
    )
    probe = ["unshare", "--net", "sh", "-c", script]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="session")
def planned(request, tmp_path_factory):
    """Story -> (what its tests know besides, order), of the modules whose tests were chosen."""
    modules = {
        item.module.STORY: item.module
        for item in request.session.items
        if hasattr(item.module, "STORY")
    }
    return {name: one.story(tmp_path_factory.mktemp(name)) for name, one in modules.items()}


@pytest.fixture(scope="session")
def told(planned):
    """Run the stories and return their output; the stage is not available where no kernel runs all of it."""
    LOGS.mkdir(parents=True, exist_ok=True)
    path = LOGS / "orders.json"
    path.write_text(json.dumps({name: order for name, (_more, order) in planned.items()}))
    places = f"PYTHONPATH={ROOT / 'tests'}:{ROOT / 'tests' / 'targets' / 'switch'}"
    words = ["/usr/bin/env", places, "PYTHONDONTWRITEBYTECODE=1"]
    words += ["/usr/bin/python3", "-m", "kernel.stories", str(path)]
    try:
        if kernel_has_all():
            return spaces.told(words, PATIENCE)
        return guest.run(words, modules=MODULES, logs=LOGS, patience=PATIENCE).output
    except guest.NoGuest as exc:
        reason = f"not available: this kernel has no VRFs, bonds or VLANs, and {exc}"
        pytest.exit(reason, returncode=77)


@pytest.fixture(scope="module")
def order(request, planned):
    """The order of a module's story."""
    return planned[request.module.STORY][1]


@pytest.fixture(scope="module")
def known(request, planned):
    """Knowledge of tests about a module's story."""
    return planned[request.module.STORY][0]


@pytest.fixture(scope="module")
def answer(request, told):
    """Return the kernel's answer to a module's story."""
    start = f"ANSWER {request.module.STORY} "
    lines = [line for line in told.splitlines() if line.startswith(start)]
    assert lines, f"no answer; the end of what was said:\n{told[-3000:]}"
    return json.loads(lines[-1].removeprefix(start))
