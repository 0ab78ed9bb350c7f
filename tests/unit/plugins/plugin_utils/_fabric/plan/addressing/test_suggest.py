# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Profile that fits, and the reasons that others do not."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import (
    profiles,
    space,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing.suggest import (
    of_file,
    suggest,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report import report
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
    build,
)

EIGHT = {"count": 8, "mode": "split", "balancing": "swplb"}
FULL = {"tiers": 3, "capacity": {"pods": 128, "sus_per_pod": 8}}

SUGGESTIONS = [
    # description, profiles that fit, and a part of the reason against each of the others
    (
        {},
        {
            "nvidia-guide-v4-2tier",
            "nvidia-guide-v4-3tier",
            "nvidia-guide-v6",
            "octet-v4",
            "dense-v4",
        },
        {},
    ),
    (
        FULL,
        {"octet-v4", "nvidia-guide-v6", "dense-v4"},
        {
            "nvidia-guide-v4-2tier": "is for 2 tiers",
            "nvidia-guide-v4-3tier": "pod 127 does not fit the 5-bit pod field",
        },
    ),
    (
        {"nics": {"model": "ConnectX-9"}, "planes": EIGHT, "site_profiles": ["ours.yml"]},
        {"octet-v4", "nvidia-guide-v6", "dense-v4"},
        {
            "nvidia-guide-v4-2tier": "plane 7 does not fit the 2-bit plane field",
            "nvidia-guide-v4-3tier": "plane 7 does not fit the 2-bit plane field",
        },
    ),
    (
        {"tiers": 3, "capacity": {"pods": 32, "sus_per_pod": 8}},
        {"nvidia-guide-v4-3tier", "octet-v4", "nvidia-guide-v6", "dense-v4"},
        {"nvidia-guide-v4-2tier": "is for 2 tiers"},
    ),
    (
        # the links would fit, the infrastructure blocks beside them would not
        {"tiers": 3, "capacity": {"pods": 32, "sus_per_pod": 16}, "rails": 4},
        {"octet-v4", "nvidia-guide-v6", "dense-v4"},
        {
            "nvidia-guide-v4-2tier": "is for 2 tiers",
            "nvidia-guide-v4-3tier": "need 9 bits, and the infrastructure blocks",
        },
    ),
]


@pytest.mark.parametrize("changes, fitting, reasons", SUGGESTIONS)
def test_suggestions(changes, fitting, reasons):
    fabric = build(**changes)
    answer = suggest(fabric.description, fabric.clos)
    assert {name for name, against in answer.items() if not against} == fitting
    for name, part in reasons.items():
        assert part in " ".join(answer[name])


@pytest.mark.parametrize(
    "addressing",
    [
        "",
        "addressing:",
        "addressing: {}",
        "addressing: {inter_switch: numbered-31}",
        "addressing: {profile: nvidia-guide-v4-3tier}",
        "addressing: {profile: octet-v5}",
    ],
)
def test_suggestions_before_a_profile_fits(addressing, tmp_path):
    """Check suggestions before a profile fits, the time at which they are wanted."""
    text = (INVENTORIES / "max-524288" / "model" / "fabric.yml").read_text(encoding="utf-8")
    (tmp_path / "fabric.yml").write_text(
        text.replace("addressing: {profile: octet-v4}", addressing), encoding="utf-8"
    )
    answer = of_file(str(tmp_path / "fabric.yml"))
    fit = ["nvidia-guide-v6", "octet-v4", "dense-v4"]
    assert [name for name, reasons in answer["suggestions"].items() if not reasons] == fit
    assert list(answer["takes"]) == fit


def test_what_a_profile_takes_is_what_the_plan_takes(tmp_path):
    text = (INVENTORIES / "lab" / "model" / "fabric.yml").read_text(encoding="utf-8")
    (tmp_path / "fabric.yml").write_text(text, encoding="utf-8")
    fabric = Fabric.load(str(tmp_path / "fabric.yml"))
    takes = of_file(str(tmp_path / "fabric.yml"))["takes"]
    prefixes = space.taken(report.pools(fabric))
    assert takes[fabric.description.addressing.profile] == space.words(prefixes)


def test_suggestions_need_a_fabric_that_can_be(tmp_path):
    (tmp_path / "fabric.yml").write_text("name: lab\ntires: 2\n", encoding="utf-8")
    with pytest.raises(FabricError, match="did you mean 'tiers'") as caught:
        of_file(str(tmp_path / "fabric.yml"))
    assert not any(", addressing:" in sentence for sentence in caught.value.sentences)


@pytest.mark.parametrize("changes, fitting, _reasons", SUGGESTIONS)
def test_a_suggested_profile_loads_and_the_others_do_not(changes, fitting, _reasons):
    """The promise of the list."""
    for profile in profiles.names():
        if profile in ("custom", "table"):
            continue
        if profile in fitting:
            build(**changes, addressing={"profile": profile})
        else:
            with pytest.raises(FabricError):
                build(**changes, addressing={"profile": profile})
