# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mixtures on a host that no validated set holds, and nobody corrects."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host import (
    versions as of_set,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.versions import (
    unseen,
)

from .looks import GIVEN, case

SET = {
    "doca_host": ["3.3.0-088814", "3.3.0-088813"],
    "bf_bundle": ["3.3.0"],
    "nccl": ["2.29.2"],
    "hpcx": ["2.26"],
}
EXACT = {"bf_bundle": ["2.10.0-147_25.01"]}
NAMED = "name {} in dpu_state_versions ({}), or allow it with -e spx_allow_versions=true."


def refusals(wanted, *, doca="", firmware="differs", force=False, **more):
    made = case(wanted, **{**more, "doca": {**GIVEN["doca"], "version": doca}})
    found = of_set.refusals(made, firmware=firmware, force=force)
    return [sentence for role in found.values() for sentence in role]


def host(versions=None, *, mode="nic", device="a2dc", **more):
    roles = ["dpu_doca", "dpu_firmware", "dpu_mode"]
    nics = [{"device": device, "mode": mode}]
    return {
        "name": "h01",
        "ra": "2.1.2",
        "manage": roles,
        "nics": nics,
        "versions": SET if versions is None else versions,
        **more,
    }


@pytest.mark.parametrize(
    "packages, said",
    [
        ({}, []),
        ({"libnccl2": "2.29.2-1+cuda13.1"}, []),
        ({"libnccl": "2.29.2-1.el9"}, []),
        (
            {"libnccl2": "2.29.21-1"},
            [
                "h01: libnccl2 is 2.29.21-1, RA 2.1.2 is validated with 2.29.2: install that, "
                + NAMED.format("2.29.21-1", "nccl")
            ],
        ),
    ],
)
def test_nccl_counts_where_the_host_has_it(packages, said):
    assert refusals(host(), packages=packages) == said
    assert refusals(host({}), packages=packages) == []
    assert refusals({**host(), "manage": ["dpu_qos"]}, packages=packages) == []


@pytest.mark.parametrize(
    "hpcx, refused",
    [([], False), (["2.24.1", "2.26"], False), (["2.26.1"], False), (["2.24.1"], True)],
)
def test_one_hpcx_of_the_set_will_do(hpcx, refused):
    said = refusals(host(), hpcx=hpcx)
    assert (
        said
        == [
            "h01: HPC-X in /opt is 2.24.1, RA 2.1.2 is validated with 2.26: unpack that, "
            + NAMED.format("2.24.1", "hpcx")
        ]
        * refused
    )


@pytest.mark.parametrize(
    "doca, refused",
    [
        ("", False),
        ("3.3.0", False),
        ("3.3.0-088813", False),
        ("3.4.0", True),
        ("3.3.0-088000", True),
    ],
)
def test_a_doca_host_that_the_site_asks_for(doca, refused):
    said = refusals(host(), doca=doca)
    assert (
        said
        == [
            f"h01: dpu_doca_version is {doca}, RA 2.1.2 is validated with 3.3.0-088814 or 3.3.0-088813: "
            "leave it empty, " + NAMED.format(doca, "doca_host")
        ]
        * refused
    )


@pytest.mark.parametrize(
    "versions, name, found",
    [
        (SET, "bf-fwbundle-3.3.0-202_26.01-prod.bfb", ""),
        (SET, "bf-bundle-3.3.0-202_26.01_ubuntu-24.04_64k_prod.bfb", ""),
        (SET, "bf-fwbundle-3.4.0-92-0KK4NR_26.04_prod.bfb", "3.4.0-92_26.04"),
        (SET, "bf-fwbundle-3.2.1.bfb", "3.2.1"),
        (SET, "ours.bfb", ""),
        (SET, "", ""),
        ({}, "bf-fwbundle-3.4.0-92_26.04-prod.bfb", ""),
        (EXACT, "bf-fwbundle-2.10.0-147_25.01-prod.bfb", ""),
        (EXACT, "bf-fwbundle-2.10.0-147-0KK4NR_25.01_prod.bfb", ""),
        (EXACT, "bf-fwbundle-2.10.0.bfb", ""),
        (EXACT, "bf-fwbundle-2.10.0-148_25.01-prod.bfb", "2.10.0-148_25.01"),
    ],
)
def test_a_bundle_is_known_by_its_name_before_it_is_installed(versions, name, found):
    """Names as NVIDIA and a manufacturer publish them."""
    path = f"/srv/firmware/{name}" if name else ""
    known = " or ".join(versions.get("bf_bundle", []))
    said = [
        f"h01: bundle {name} is {found}, RA 2.1.2 is validated with {known}: name a file of that, "
        + NAMED.format(found, "bf_bundle")
    ] * bool(found)
    files = {"a2dc": {"bundle": path}, 1023: {"image": "x"}}
    assert refusals(host(versions), files=files) == said
    assert refusals(host(versions), files=files, firmware="current") == []
    system = host(versions, mode="dpu")
    assert refusals(system, bfb=path) == said
    assert refusals(system, bfb=path, firmware="current") == []
    assert refusals(system, bfb=path, firmware="current", force=True) == said
    assert refusals(host(versions), bfb=path) == []


def test_what_the_site_says_is_its_own_word():
    own = host({**SET, "nccl": ["2.28.3"]}, own_versions=["nccl"])
    (said,) = refusals(own, packages={"libnccl2": "2.29.2-1"})
    assert said.startswith(
        "h01: libnccl2 is 2.29.2-1, dpu_state_versions says 2.28.3: install that"
    )


@pytest.mark.parametrize(
    "wanted, packages, hpcx, hidden",
    [
        (
            host(),
            {},
            [],
            [
                "BlueField bundle 3.3.0 (of which a host shows the NIC firmware)",
                "NCCL 2.29.2 (which jobs bring)",
                "HPC-X 2.26 (which jobs bring)",
            ],
        ),
        (host(device="1023"), {"libnccl2": "2.29.2-1"}, ["2.26"], []),
        (host({}), {}, [], []),
    ],
)
def test_what_a_host_hides_is_told(wanted, packages, hpcx, hidden):
    assert unseen(wanted, packages, hpcx) == hidden
