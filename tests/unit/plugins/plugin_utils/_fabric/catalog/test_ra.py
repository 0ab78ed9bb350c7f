# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameter and version sets: what is public is exact, what is not is refused in one sentence."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import ra
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)

COMMON = {
    "LINK_TYPE_P1": 2,
    "SRIOV_EN": 1,
    "NUM_OF_VFS": 1,
    "ROCE_ADAPTIVE_ROUTING_EN": 1,
    "USER_PROGRAMMABLE_CC": 1,
    "TX_SCHEDULER_LOCALITY_MODE": 2,
}
RTT0 = {"MULTIPATH_DSCP": 0, "ROCE_RTT_RESP_DSCP_P1": 0, "ROCE_RTT_RESP_DSCP_MODE_P1": 0}
NIC = {"INTERNAL_CPU_MODEL": 1, "INTERNAL_CPU_OFFLOAD_ENGINE": 1}
STEER = {"ROCE_CC_STEERING_EXT": 2}
HWPLB = {
    "ROCE_RTT_RESP_DSCP_P1": 48,
    "ROCE_RTT_RESP_DSCP_MODE_P1": 1,
    "FLEX_PARSER_PROFILE_ENABLE": 10,
    "RDE_DISABLE": 1,
    "VF_LOG_BAR_SIZE": 5,
}


def split(pf, planes, lag, *lanes):
    return {
        "NUM_OF_PF": pf,
        "NUM_OF_PLANES_P1": planes,
        "LAG_RESOURCE_ALLOCATION": lag,
        "MODULE_SPLIT_M0": [*lanes, *[255] * (16 - len(lanes))],
    }


@pytest.mark.parametrize(
    "release, device, mode, planes, nvconfig",
    [
        ("1.3", "1023", "none", 1, COMMON),
        ("1.3", "a2dc", "none", 1, {**COMMON, **NIC}),
        ("2.0", "a2dc", "none", 1, {**COMMON, **NIC, **STEER, **RTT0}),
        ("2.1", "a2dc", "none", 1, {**COMMON, **NIC, **STEER, **RTT0}),
        ("2.1", "a2dc", "swplb", 2, {**COMMON, **NIC, **STEER, **RTT0, **split(2, 0, 0, 1, 1, 2, 2)}),
        ("2.1", "a2dc", "swplb", 4, {**COMMON, **NIC, **STEER, **RTT0, **split(4, 0, 0, 1, 2, 3, 4)}),
        ("2.1", "1023", "swplb", 4, {**COMMON, **STEER, **RTT0, **split(4, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4)}),
        ("2.1", "1023", "hwplb", 2, {**COMMON, **STEER, **HWPLB, **split(2, 2, 1, *[1] * 8)}),
        (
            "2.2",
            "1025",
            "hwplb",
            4,
            {**COMMON, **STEER, **HWPLB, "KEEP_ETH_LINK_UP_P1": 0, **split(4, 4, 1, *[1] * 8)},
        ),
        (
            "2.2",
            "1023",
            "uniplane",
            2,
            {
                **COMMON, **STEER, "MULTIPATH_DSCP": 0,
                "ROCE_RTT_RESP_DSCP_P1": 48, "ROCE_RTT_RESP_DSCP_MODE_P1": 1,
                **split(2, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2), "NUM_OF_PLANES_P2": 0,
            },
        ),
    ],
)  # fmt: skip
def test_nvconfig(release, device, mode, planes, nvconfig):
    assert ra.load_profile(release, device, mode, planes=planes)["nic"]["nvconfig"] == nvconfig


@pytest.mark.parametrize(
    "release, device, mode, planes, params",
    [
        (
            "2.0",
            "a2dc",
            "none",
            1,
            {"0": 400, "4": 36, "5": 1200, "6": 7000000, "7": 15000, "12": 0},
        ),
        (
            "2.1",
            "a2dc",
            "none",
            1,
            {"4": 96, "5": 1700, "6": 2000000, "7": 13000, "12": 1, "19": 1},
        ),
        ("2.1", "a2dc", "swplb", 2, {"0": 200}),
        ("2.1", "a2dc", "swplb", 4, {"0": 100}),
        ("2.1", "1023", "swplb", 2, {"0": 400}),
        ("2.1", "1023", "hwplb", 4, {"0": 200, "20": 3}),
        (
            "2.2",
            "1023",
            "hwplb",
            2,
            {"4": 96, "5": 1700, "6": 200000, "7": 13000, "12": 1, "22": 1, "23": 3, "24": 1},
        ),
    ],
)
def test_congestion_parameters(release, device, mode, planes, params):
    found = ra.load_profile(release, device, mode, planes=planes)["nic"]["roce"]["cc"]["params"][
        "0"
    ]
    assert {key: found[key] for key in params} == params


def test_one_plane_keeps_the_algorithms_own_bandwidth():
    assert "0" not in ra.load_profile("2.1", "a2dc", "none")["nic"]["roce"]["cc"]["params"]["0"]
    assert "22" not in ra.load_profile("2.1", "a2dc", "none")["nic"]["roce"]["cc"]["params"]["0"]


@pytest.mark.parametrize("overlay, gap", [(False, 25), (True, 33)])
def test_runtime(overlay, gap):
    nic = ra.load_profile(2.1, "1023", "hwplb", planes=2, overlay=overlay)["nic"]
    assert nic["qos"] == {
        "trust": "dscp",
        "pfc": [0, 0, 0, 1, 0, 0, 0, 0],
        "cnp_dscp": 48,
        "tos": 96,
        "traffic_class": 96,
    }
    assert nic["roce"]["inter_packet_gap"] == gap
    assert nic["roce"]["accl"]["cc_probe_mp_mode"] == 1
    assert nic["required"] == ["ROCE_ADAPTIVE_ROUTING_EN", "USER_PROGRAMMABLE_CC"]


@pytest.mark.parametrize(
    "given, profile, full", [("2.1", "2.1", "2.1.2"), (2.1, "2.1", "2.1.2"), ("2.1.2", "2.1", "2.1.2"),
                             ("1.3", "1.3", "1.3.0")]
)  # fmt: skip
def test_a_release_means_its_validated_set(given, profile, full):
    loaded = ra.load_profile(given, "a2dc", "none")
    assert (loaded["profile"], loaded["ra"]) == (profile, full)
    assert loaded["sources"][0].startswith("github.com/Mellanox/nic-configuration-operator")


@pytest.mark.parametrize(
    "release, device, mode, planes, words",
    [
        ("2.4", "1023", "none", 1, "ra 2.4: its NIC parameter set is not public (NVIDIA gives"),
        ("2.3", "1023", "none", 1, "ra 2.3: no NIC parameter set for device 1023 (ConnectX-8) in"),
        ("1.2", "a2dc", "none", 1, "ra 1.2: its NIC parameter set is not public (the version set"),
        ("9.9", "a2dc", "none", 1, "ra 9.9: its NIC parameter set is not public (nothing about it"),
        (
            "2.1",
            "1021",
            "none",
            1,
            "ra 2.1: the NIC parameter set for device 1021 (ConnectX-7) is not",
        ),
        (
            "2.1",
            "a2dc",
            "hwplb",
            2,
            "ra 2.1: no NIC parameter set for device a2dc (BlueField-3) in",
        ),
        (
            "2.1",
            "1023",
            "swplb",
            8,
            "in mode swplb with 8 plane(s); there are none with 1, swplb with 2",
        ),
        ("2.0", "1023", "swplb", 2, "ra 2.0: no NIC parameter set for device 1023 (ConnectX-8) in"),
    ],
)
def test_what_is_not_public_is_refused(release, device, mode, planes, words):
    with pytest.raises(FabricError) as error:
        ra.load_profile(release, device, mode, planes=planes)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


SITE = """
schema: 1
releases:
  "2.3":
    source: our contract
    combinations: [{device: ["1021"], mode: [none], planes: [1]}]
    rules:
      - {nvconfig: {ROCE_ADAPTIVE_ROUTING_EN: 1}, inter_packet_gap: {plain: 25, overlay: 33}}
sets:
  "2.3": {doca_host: 3.5.0, source: our contract}
"""


def test_what_is_published_of_2_3_is_what_2_2_has_for_it():
    """The mapping document compares the whole selected profile: 32 entries of mlxconfig, 22 parameters."""
    newer, older = (ra.load_profile(name, "1023", "hwplb", planes=2) for name in ("2.3", "2.2"))
    assert newer["nic"]["nvconfig"] == older["nic"]["nvconfig"]
    params = newer["nic"]["roce"]["cc"]["params"]["0"]
    assert params == older["nic"]["roce"]["cc"]["params"]["0"]
    assert (params["6"], params["15"], len(params)) == (200000, 1, 22)
    assert newer["nic"]["roce"]["accl"] == older["nic"]["roce"]["accl"]
    assert newer["nic"]["roce"]["inter_packet_gap"] == 25
    assert newer["nic"]["roce"]["max_read_request"] == 4096
    assert older["nic"]["roce"]["max_read_request"] is None
    assert (
        ra.load_profile("2.3", "1023", "hwplb", planes=2, overlay=True)["nic"]["roce"][
            "inter_packet_gap"
        ]
        is None
    )
    assert newer["cc_package"] is None


def test_a_site_supplies_what_is_not_public(tmp_path):
    path = tmp_path / "site.yml"
    path.write_text(SITE, encoding="utf-8")
    loaded = ra.load_profile("2.3", "1021", "none", str(path))
    assert loaded["nic"]["nvconfig"] == {"ROCE_ADAPTIVE_ROUTING_EN": 1}
    assert loaded["status"] == "site"
    assert loaded["sources"] == ["our contract"]
    assert ra.version_set("2.3", str(path))["versions"]["doca_host"] == ["3.5.0"]
    assert ra.load_profile("2.1", "a2dc", "none", str(path))["status"] == "complete"


def test_a_site_file_that_nests_without_an_end(tmp_path):
    path = tmp_path / "site.yml"
    path.write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(
        FabricError, match=r"site\.yml line 1: the YAML nests more than 64 levels deep"
    ):
        ra.version_set("2.3", str(path))


@pytest.mark.parametrize(
    "text, words",
    [
        ("a: [", "the site profile file cannot be read"),
        ("releases: {}", "begins with 'schema: 1'"),
        ("schema: 1\nreleases: {'3': {rules: [{}]}}", "'combinations' is missing"),
        (
            "schema: 1\nreleases: {'3': {rules: [{}], combinations: [{device: [x]}]}}",
            "a combination lacks mode, planes",
        ),
        (
            "schema: 1\nreleases: {'3': {rules: [{colour: 1}], "
            "combinations: [{device: [x], mode: [none], planes: [1]}]}}",
            "a rule has the unknown key colour",
        ),
    ],
)
def test_bad_site_files(tmp_path, text, words):
    path = tmp_path / "site.yml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FabricError) as error:
        ra.load_profile("3", "x", "none", str(path))
    assert words in str(error.value)
    assert str(error.value).startswith(str(path))


def test_version_sets():
    known = ra.version_set("2.1")
    assert known["id"] == "2.1.2"
    assert known["versions"]["cumulus"] == ["5.16.1"]
    assert known["versions"]["cx7_fw"] == ["28.48.1000", "28.48.1120"]
    assert ra.version_set("2.1", platform="GB200")["versions"]["cx7_fw"] == ["28.48.1120"]
    assert ra.version_set("2.0")["versions"]["cumulus"] == []
    with pytest.raises(FabricError, match=r"ra 2\.2: no validated version set is public"):
        ra.version_set("2.2")


@pytest.mark.parametrize(
    "found, version, expected",
    [
        ("3.3.0109-1", "3.3.0", True),
        ("3.3.0-088000", "3.3.0", True),
        ("3.3.0-088814-26.01", "3.3.0-088814", True),
        ("3.3.0-088814", "3.3.0-088000", False),
        ("2.10.0087", "2.10", True),
        ("2.10.0087", "3.3.0", False),
        ("3.3.01-1", "3.3.0", False),
        ("3.3.10", "3.3.1", False),
        ("32.48.1000", "32.48.1000", True),
        ("3.3.0-202_26.01", "3.3.0-202", True),
    ],
)
def test_builds_are_of_their_version(found, version, expected):
    assert ra.of_version(found, version) is expected


@pytest.mark.parametrize(
    "release, cumulus, accepted",
    [
        ("2.1", "5.16.1", ()),
        ("2.1", "5.16", ()),
        ("1.3", "5.12.1", ()),
        ("1.3", "5.12.1.100", ()),
        ("2.1", "5.17.0", ("5.17.0",)),
        ("2.0", "5.14.0", ()),  # no Cumulus release of it is public
        ("2.2", "5.17.0", ()),  # nor anything of this one
    ],
)
def test_a_cumulus_release_of_the_set_or_accepted(release, cumulus, accepted):
    assert ra.cumulus_differences(release, cumulus, accepted=accepted) == []


def test_a_cumulus_release_outside_the_set(tmp_path):
    (said,) = ra.cumulus_differences("2.1", "5.17.0", accepted=["5.16.1"])
    assert said == (
        "'5.17.0' is outside the validated set of RA 2.1.2, whose switches run Cumulus Linux 5.16.1: "
        "use that, or list 5.17.0 in accept_releases, too, to mix versions on purpose."
    )
    path = tmp_path / "site.yml"
    path.write_text("schema: 1\nsets: {'2.1.2': {cumulus: 5.17.0, source: ours}}\n")
    assert ra.cumulus_differences("2.1", "5.17.0", str(path)) == []
    assert ra.cumulus_differences("2.1", "5.16.1", str(path))
