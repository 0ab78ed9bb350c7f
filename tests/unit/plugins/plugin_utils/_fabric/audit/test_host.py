# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A host that is as planned passes everything; each thing that is spoiled fails one check."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    host,
    host_pairs,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host.desired import (
    desired,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    TWO_PLANES,
    build,
)

from .hosts import EVERYBODY, NODE, PCI, out, parts, port, spoiled, states, view_of


@pytest.fixture
def healthy():
    return view_of(*parts(), {"doca-all": "3.3.0-088000", "doca-spcx-cc": "3.3.0109-1"})


def test_a_healthy_host_passes_every_check(healthy):
    active = [name for name, row in table("checks_tenants").items() if row["kind"] == "active"]
    assert states(healthy) == dict.fromkeys([*table("checks_host"), *active], "pass")


def attempt(view, kind):
    return next(row for row in view.probe["attempts"] if row["kind"] == kind)


FAULTS = [
    (
        lambda v: v.probe.update(textfile=5000),
        "host.telemetry",
        "The file for node_exporter is 5000 s old: check spectrum-x-watch.timer, and run playbook dpus.",
    ),
    (
        lambda v: v.probe.update(textfile=-1),
        "host.telemetry",
        "The file for node_exporter is missing: check spectrum-x-watch.timer, and run playbook dpus.",
    ),
    (
        lambda v: v.nics[0]["firmware"].update(running="32.43.1014"),
        "host.versions",
        "0000:18:00.0: firmware 32.43.1014 runs, RA 2.1.2 is validated with 32.48.1000 and is "
        "staged: run playbook dpus.",
    ),
    (
        lambda v: v.look["packages"].update({"doca-all": "2.10.0-0.5.3"}),
        "host.versions",
        "worker-su01-rack01-h01: doca-all is 2.10.0-0.5.3, RA 2.1.2 is validated with "
        "3.3.0-088000: run playbook dpus.",
    ),
    (
        lambda v: v.look["packages"].update({"libnccl2": "2.27.7-1+cuda12.9"}),
        "host.versions",
        "worker-su01-rack01-h01: libnccl2 is 2.27.7-1+cuda12.9, RA 2.1.2 is validated with 2.29.2: "
        "install that, name 2.27.7-1+cuda12.9 in dpu_state_versions (nccl), or allow it with -e "
        "spx_allow_versions=true.",
    ),
    (
        lambda v: v.nics[0].update(mode="dpu"),
        "host.mode",
        "0000:18:00.0: the card is in mode dpu, expected nic: run playbook dpus.",
    ),
    (
        lambda v: v.nics[1]["nvconfig"]["USER_PROGRAMMABLE_CC"].update(current="0"),
        "host.nvconfig",
        "0000:3b:00.0: USER_PROGRAMMABLE_CC is 0, expected 1 and staged for the next reset: run "
        "playbook dpus.",
    ),
    (
        lambda v: v.nics[1]["nvconfig"]["LINK_TYPE_P1"].update(next="1", read_only=True),
        "host.nvconfig",
        "0000:3b:00.0: LINK_TYPE_P1: it is read-only for this host and stays 1 instead of 2.",
    ),
    (
        lambda v: port(v)["qos"].update(tos=106),
        "host.qos",
        "rail1p1: tos is 106, expected 96: run playbook dpus.",
    ),
    (
        lambda v: port(v)["qos"].pop("traffic_class"),
        "host.qos",
        "rail1p1: traffic_class cannot be set: this driver has no such file; it is the inbox driver, not "
        "that of DOCA.",
    ),
    (
        lambda v: port(v)["qos"].update(lldpad=True),
        "host.qos",
        "rail1p1: lldpad runs on this host and rewrites PFC through DCBX: stop and disable it "
        "(systemctl disable --now lldpad); lldpd may stay.",
    ),
    (
        lambda v: port(v)["roce"]["dcqcn"]["rp"].__setitem__(3, 0),
        "host.roce",
        "rail1p1: dcqcn_rp[3] is 0, expected 1: run playbook dpus.",
    ),
    (
        lambda v: port(v)["roce"]["inter_packet_gap"].update(ipg_oper=12),
        "host.roce",
        "rail1p1: inter_packet_gap 12 stays instead of 33: it needs a link toggle, which only a "
        "maintenance step may do.",
    ),
    (
        lambda v: (
            v.wanted["nics"][0]["roce"].update(max_read_request=4096),
            port(v)["roce"].update(max_read_request=512),
        ),
        "host.roce",
        "rail1p1: max_read_request is 512, expected 4096: run playbook dpus.",
    ),
    (
        lambda v: port(v).update(cc={}),
        "host.cc",
        "mlx5_rail1p1: congestion control is not running: see its unit's log.",
    ),
    (
        lambda v: port(v)["ppcc"]["params"]["0"].update({"4": 36}),
        "host.cc",
        "rail1p1: cc_param[0][4] is 36, expected 96: run playbook dpus.",
    ),
    (
        lambda v: v.look["network"]["drift"].append("rail1p1: mtu is 1500, expected 9166."),
        "host.interfaces",
        "rail1p1: mtu is 1500, expected 9166. Run playbook dpus.",
    ),
    (
        lambda v: port(v).update(link="down"),
        "host.link",
        "rail1p1: the link to leaf-p1-su001-r1 swp1s0 is down: check the cable and both ports.",
    ),
    (
        lambda v: v.probe["pings"][0].update(ok=False, reason="message too long, mtu=1500"),
        "host.gateway",
        "rail1p1: 172.16.0.1 (its leaf) does not answer to packets of 9166 bytes: message too "
        "long, mtu=1500: check MTU and VRF on the way.",
    ),
    (
        lambda v: v.probe["findings"].append(
            {
                "target": "rail1p1",
                "expected": 0,
                "found": 4,
                "sentence": "rail1p1: pause storm.",
            }
        ),
        "host.counters",
        "rail1p1: pause storm.",
    ),
    (
        lambda v: attempt(v, "stranger").update(answer="echo reply"),
        "tenant.strangers",
        "rail1p1: 172.16.0.4 (worker-su01-rack02-h03 of quarantine) answers a ping of a host that "
        "may not reach it: see the check tenant.routes of the leaves on the way, and run switches.",
    ),
    (
        lambda v: attempt(v, "tcp").update(answer="refused"),
        "tenant.control_plane",
        "rail1p1: its leaf leaf-p1-su001-r1 answers TCP port 22 (SSH) of a tenant's host (refused): "
        "its control plane is open to hosts: run switches, and find out who changed the access lists "
        "spx-control and spx-gateways.",
    ),
    (
        lambda v: attempt(v, "vxlan").update(answer="carried"),
        "tenant.forged_vxlan",
        "rail1p1: its leaf leaf-p1-su001-r1 answers a forged VXLAN packet (UDP port 4789) of a "
        "tenant's host (carried): its control plane is open to hosts: run switches, and find out who "
        "changed the access lists spx-control and spx-gateways.",
    ),
]


def versions(view):
    return [(row["state"], row["sentence"]) for row in host.check(view, ["host.versions"])]


def test_what_a_host_does_not_show_of_the_set_is_said(healthy):
    assert versions(healthy) == [
        (
            "pass",
            "Versions are those of RA 2.1.2. Not seen on the host: BlueField bundle 3.3.0 (of which a "
            "host shows the NIC firmware), NCCL 2.29.2 (which jobs bring), HPC-X 2.26 (which jobs "
            "bring).",
        )
    ]
    seen = spoiled(
        healthy,
        {
            "packages": {**healthy.look["packages"], "libnccl2": "2.29.2-1"},
            "system": {"hpcx": ["2.26"]},
        },
    )
    assert "NCCL" not in versions(seen)[0][1]


NEWER = {"doca-all": "3.4.0-090000", "doca-spcx-cc": "3.4.0101-1"}


@pytest.mark.parametrize(
    "packages, allow, expected",
    [
        (NEWER, False, [("fail", "dpu_doca_version is 3.4.0")]),
        (NEWER, True, [("waived", "dpu_doca_version is 3.4.0")]),
        (
            {**NEWER, "doca-all": "3.3.0-088000"},
            True,
            [
                (
                    "fail",
                    "doca-all is 3.3.0-088000, dpu_doca_version says 3.4.0: run playbook dpus.",
                ),
                ("waived", "dpu_doca_version is 3.4.0"),
            ],
        ),
    ],
)
def test_a_doca_host_that_the_site_asks_for_is_compared_and_still_outside(
    healthy, packages, allow, expected
):
    view = spoiled(healthy, {"packages": packages, "asked": {"doca": "3.4.0"}}, allow=allow)
    found = versions(view)
    assert [state for state, _words in found] == [state for state, _words in expected]
    assert all(words in said for (_state, said), (_same, words) in zip(found, expected))


def test_a_doca_host_of_the_set_may_be_asked_for(healthy):
    assert versions(spoiled(healthy, {"asked": {"doca": "3.3.0"}}))[0][0] == "pass"


def test_packages_are_those_that_the_site_asks_for(healthy):
    roce = {"doca-roce": "3.3.0-088000", "doca-spcx-cc": "3.3.0109-1"}
    view = spoiled(
        healthy, {"packages": roce, "asked": {"packages": ["doca-roce", "doca-spcx-cc"]}}
    )
    assert versions(view)[0][0] == "pass"


def test_firmware_outside_the_set_may_be_allowed(healthy):
    view = spoiled(healthy, allow=True)
    view.nics[0]["firmware"].update(running="32.43.1014", burned="32.43.1014")
    ((state, said),) = versions(view)
    assert state == "waived"
    assert said.endswith("32.48.1000: run playbook dpus. Allowed by spx_allow_versions.")


def test_versions_of_the_site_are_not_those_of_the_set():
    own = {"platform": "h200", "versions": {"doca_host": "3.4.0", "spcx_cc": "3.4.0"}}
    fabric, registry, _wanted = parts()
    wanted = desired(fabric, fabric.name(NODE), registry=registry, settings=own)
    view = view_of(fabric, registry, wanted, NEWER)
    ((state, said),) = versions(view)
    assert (state, said.partition(".2, ")[2].partition(". ")[0]) == (
        "pass",
        "with the site's own of doca_host, spcx_cc",
    )
    view.look["packages"].update({"doca-all": "3.3.0-088000"})
    ((state, said),) = versions(view)
    assert "doca-all is 3.3.0-088000, dpu_state_versions says 3.4.0: run playbook dpus." in said


@pytest.mark.parametrize("spoil, check_id, sentence", FAULTS)
def test_each_fault_fails_its_own_check_with_its_sentence(healthy, spoil, check_id, sentence):
    view = spoiled(healthy)
    spoil(view)
    rows = [row for row in host.check(view) if row["state"] == "fail"]
    assert [(row["id"], row["sentence"]) for row in rows] == [(check_id, sentence)]
    assert rows[0]["tenant"] == "acme"


def test_a_skewed_tool_fails(healthy):
    rows = host.check(
        spoiled(
            healthy,
            {"nics": {**healthy.look["nics"], "skew": "the tool on the host is 0, 1 is expected"}},
        )
    )
    assert [row["id"] for row in rows if row["state"] == "fail"] == ["host.agent"]


def test_a_required_setting_that_is_not_shown(healthy):
    view = copy.deepcopy(healthy)
    for row in view.nics:
        del row["nvconfig"]["USER_PROGRAMMABLE_CC"]
    assert states(view)["host.nvconfig"] == "fail"


def test_ports_that_are_not_there_are_not_as_planned(healthy):
    view = copy.deepcopy(healthy)
    for row in view.nics:
        row["ports"] = []
    found = states(view)
    assert {found[check] for check in ("host.link", "host.qos", "host.roce", "host.cc")} == {"fail"}


def test_a_stale_algorithm_fails(healthy):
    view = spoiled(healthy, {"packages": {**healthy.look["packages"], "doca-spcx-cc": "2.10.0087"}})
    (row,) = [row for row in host.check(view) if row["state"] == "fail"]
    assert row["sentence"] == (
        "worker-su01-rack01-h01: doca-spcx-cc is 2.10.0087, RA 2.1.2 is validated with 3.3.0: run "
        "playbook dpus."
    )


# Cards in mode dpu

ON_DPU = (
    "host.qos",
    "host.roce",
    "host.cc",
    *(one for one in host_pairs.CHECKS if one != "pair.cable"),
)


def test_what_the_dpu_sets_is_not_run_and_never_passed():
    fabric = build(nics={"model": "BlueField-3", "mode": "dpu", "pci": PCI})
    fabric, registry, wanted = parts(fabric, Registry.empty(fabric))
    view = view_of(fabric, registry, wanted, {"doca-all": "3.3.0-088000"})
    rows = {row["id"]: row for row in host.check(view)}
    assert {rows[name]["state"] for name in ON_DPU} == {"not_run"}
    assert rows["host.qos"]["sentence"] == (
        "worker-su01-rack01-h01: its cards are planned in mode dpu, where the DPU sets QoS: nothing of "
        "it was wanted or read on the host, so check it on the DPU."
    )
    for name in ("host.mode", "host.nvconfig", "host.link"):
        assert rows[name]["state"] == "pass"


def test_a_parameter_set_without_qos_passes_nothing(healthy):
    view = copy.deepcopy(healthy)
    for nic in view.wanted["nics"]:
        nic["qos"] = {}
    (row,) = [row for row in host.check(view) if row["id"] == "host.qos"]
    assert (
        row["state"],
        "the parameter set of RA 2.1.2 has no value for QoS" in row["sentence"],
    ) == (
        "not_run",
        True,
    )


# Files and units

TIMER = "spectrum-x-watch.timer"
KEPT = [
    ({"wrong_files": ["/x: a."], "wrong_units": []}, "host.files", "/x: a. Run playbook dpus."),
    (
        {"wrong_files": [], "wrong_units": [f"{TIMER}: a."]},
        "host.units",
        f"{TIMER}: a. Run playbook dpus.",
    ),
    ({"wrong_files": [], "wrong_units": [], "left": ["/y: b."]}, "host.units", "/y: b."),
]


@pytest.mark.parametrize("answer, check_id, sentence", KEPT)
def test_what_is_wrong_with_files_and_units_fails_its_own_check(
    healthy, answer, check_id, sentence
):
    rows = [r for r in host.check(spoiled(healthy, {"agent": answer})) if r["state"] != "pass"]
    found = [(row["id"], row["state"], row["sentence"]) for row in rows if row["id"] in DIRECT]
    assert found == [(check_id, "fail", sentence)]


def test_a_file_of_the_network_that_is_not_ours_fails(healthy):
    network = {**healthy.look["network"], "left": ["/z: c."]}
    rows = [
        row for row in host.check(spoiled(healthy, {"network": network})) if row["state"] == "fail"
    ]
    assert [(row["id"], row["sentence"]) for row in rows] == [("host.files", "/z: c.")]


DIRECT = ("host.files", "host.units")


@pytest.mark.parametrize(
    "manage, agent, expected",
    [
        ([], {"wrong_files": []}, {"host.files": "not_run", "host.units": "not_run"}),
        (["dpu_qos"], {"skipped": True}, {"host.files": "not_run", "host.units": "not_run"}),
        (["dpu_qos"], {"error": "/etc is open."}, {"host.files": "fail", "host.units": "not_run"}),
    ],
)
def test_files_that_were_not_compared_never_pass(healthy, manage, agent, expected):
    wanted = {**healthy.wanted, "manage": manage}
    found = states(spoiled(healthy, {"agent": agent}, wanted=wanted))
    assert {name: found[name] for name in DIRECT} == expected


# One address for all planes of a NIC


@pytest.fixture
def planes():
    """A host whose NICs balance two planes in hardware."""
    fabric = build(
        nics={"model": "ConnectX-8", "pci": PCI},
        planes={**TWO_PLANES, "balancing": "hwplb"},
        capacity={"sus_per_pod": 2},
        addressing={"profile": "nvidia-guide-v4-2tier"},
    )
    text = 'tenants: [{id: 21, slug: acme, nodes: ["su01/h[01-02]", "su02/h01"]}]'
    found = parts(fabric, Registry.parse(fabric, text))
    return view_of(*found, {"doca-networking": "3.3.0-088000", "doca-spcx-cc": "3.3.0109-1"})


def test_a_host_with_hardware_planes_passes_every_check(planes):
    active = [name for name, row in table("checks_tenants").items() if row["kind"] == "active"]
    assert states(planes) == dict.fromkeys([*table("checks_host"), *active], "pass")
    said = {row["id"]: row["sentence"] for row in host.check(planes)}
    assert said["host.qos"] == "16 ports are as planned."
    assert said["host.cc"] == "8 ports are as planned."


def test_packets_and_attempts_leave_from_the_ports_with_an_address(planes):
    tried = [*planes.probe["pings"], *planes.probe["attempts"]]
    assert {row["interface"] for row in tried} == {f"rail{n}p1" for n in range(1, 9)}


@pytest.mark.parametrize(
    "spoil, check_id, sentence",
    [
        (
            lambda second: second.update(mtu=1500),
            "pair.mtu",
            "worker-su01-rack01-h01 rail1p2 has 1500 and leaf-p2-su001-r1 swp1s0 has 9166 (MTU): run "
            "playbooks dpus and switches.",
        ),
        (
            lambda second: second["qos"].update(trust="pcp"),
            "host.qos",
            "rail1p2: trust is pcp, expected dscp: run playbook dpus.",
        ),
        (
            lambda second: second.update(link="down"),
            "host.link",
            "rail1p2: the link to leaf-p2-su001-r1 swp1s0 is down: check the cable and both ports.",
        ),
    ],
)
def test_the_other_ports_are_checked_too(planes, spoil, check_id, sentence):
    spoil(planes.nics[0]["ports"][1])
    rows = [row for row in host.check(planes) if row["state"] == "fail"]
    assert (check_id, sentence) in [(row["id"], row["sentence"]) for row in rows]


def test_a_first_port_without_an_rdma_device_fails(planes):
    first = planes.nics[0]["ports"][0]
    first["rdma"] = ""
    del first["cc"]
    said = {row["id"]: row["sentence"] for row in host.check(planes) if row["state"] == "fail"}
    assert said["host.cc"] == (
        "rail1p1: it has no RDMA device for congestion control: check that the driver is bound to the card."
    )
    assert said["host.qos"] == (
        "rail1p1: tos and traffic_class cannot be set: the port has no RDMA device."
    )


def test_a_link_is_not_judged_while_optics_train_after_a_boot(planes):
    planes.nics[0]["ports"][1].update(link="down")
    planes.look["system"]["uptime"] = 61
    (row,) = [row for row in host.check(planes) if row["id"] == "host.link" and row["port"]]
    assert (row["state"], row["sentence"]) == (
        "not_realised",
        "rail1p2: the link to leaf-p2-su001-r1 swp1s0 is down, and the host booted 61 s ago: check it again 180 s "
        "after its boot.",
    )


@pytest.mark.parametrize("row", [out("leaf-p1-su001-r2"), out("worker-su01-rack01-h01", "rail2p1")])
def test_an_own_link_out_of_service_is_expected_down(load, row):
    fabric = load("lab", out_of_service=[row])
    registry = Registry.parse(fabric, EVERYBODY)
    found = parts(fabric, registry)
    view = view_of(*found, {"doca-all": "3.3.0-088000", "doca-spcx-cc": "3.3.0109-1"})
    view.nics[1]["ports"][0]["link"] = "down"
    rows = host.check(view)
    assert [row for row in rows if row["state"] == "fail"] == []
    tried = {row["interface"] for row in [*view.probe["pings"], *view.probe["attempts"]]}
    assert tried == {"rail1p1"}
    links = [(row["state"], row["sentence"]) for row in rows if row["id"] == "host.link"]
    assert links == [
        ("not_run", "rail2p1: its link is out of service: repair ordered"),
        ("pass", "1 links are up."),
    ]
