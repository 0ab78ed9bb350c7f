# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every feature of a planned document in a draft: the refused one is named, and nothing is ever applied."""

from __future__ import annotations

import pytest
import yaml
from nvue_double import profiles

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.switch import wanted
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance import (
    check,
    draft,
    features,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance.rows import (
    NOT_ASKED,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import NvueError
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

from .doubles import DEVICE, differing, switch

RELEASE = parse("5.16.1")
SWITCHES = {
    "rail": "leaf-p1-su001-r1",
    "front end": "front-end-leaf-001-1",
    "border": "border-leaf-01-1",
}
COMMUNITY = {"community": "canary-community", "networks": ["192.0.2.0/24"]}
REFUSED = {
    "acl": ("front end", "control_plane_acl", "acl/*/rule/*/action"),
    "adaptive_routing": ("rail", "adaptive_routing", "router/adaptive-routing/state"),
    "bfd": ("border", "bgp", "router/bfd/state"),
    "bgp": ("rail", "bgp", "router/bgp/autonomous-system"),
    "bond": ("front end", "interfaces", "interface/*/bond/member"),
    "breakout": ("rail", "interfaces", "interface/*/link/breakout"),
    "dhcp_relay": ("front end", "tenants", "service/dhcp-relay/*/server-group"),
    "dns": ("rail", "system", "system/dns/server"),
    "ethernet_segment": ("front end", "interfaces", "interface/*/evpn/multihoming/segment"),
    "evpn": ("rail", "evpn", "evpn/state"),
    "graceful_restart": ("rail", "bgp", "router/bgp/graceful-restart/mode"),
    "lldp": ("rail", "system", "system/lldp/tx-interval"),
    "multipath": ("rail", "bgp", "path-selection/multipath/aspath-ignore"),
    "ntp": ("rail", "system", "system/ntp/server"),
    "pfc": ("rail", "roce", "qos/pfc/*"),
    "pfc_watchdog": ("rail", "roce", "interface/*/qos/pfc-watchdog/state"),
    "roce": ("rail", "roce", "qos/roce/state"),
    "roce_mode": ("rail", "roce", "qos/roce/mode"),
    "route_policy": ("rail", "policy", "router/policy/"),
    "snippet": ("rail", "adaptive_routing", "system/config/snippet"),
    "snmp": ("front end", "system", "system/snmp-server/listening-address"),
    "static_route": ("rail", "tenants", "vrf/*/router/static"),
    "syslog": ("front end", "system", "system/syslog/server"),
    "telemetry": ("front end", "system", "system/telemetry/export/otlp/state"),
    "telemetry_stats": ("front end", "system", "system/telemetry/interface-stats"),
    "vrf": ("rail", "tenants", "interface/*/vrf"),
    "vxlan": ("rail", "evpn", "nve/vxlan/state"),
}
"""For each profile of the double a switch, the feature that it refuses, and the pattern of the key."""


@pytest.fixture(scope="module")
def plans(tmp_path_factory):
    """The planned documents of three switches with everything that a profile refuses."""
    model = tmp_path_factory.mktemp("features")
    for name in ("fabric.yml", "tenants.yml"):
        stated = yaml.safe_load((INVENTORIES / "lab-converged" / "model" / name).read_text())
        if name == "fabric.yml":
            stated["management"] |= {"syslog": ["192.0.2.20"], "telemetry": ["192.0.2.30:4317"]}
        else:
            stated["tenants"][0]["routes"] = "leaf"
        (model / name).write_text(yaml.safe_dump(stated))
    fabric = Fabric.load(str(model / "fabric.yml"))
    variables = {"switch_base_snmp": COMMUNITY}
    return {
        name: wanted(fabric, device, variables, lambda value: value).features()
        for name, device in SWITCHES.items()
    }


@pytest.fixture(scope="module")
def one_switch():
    """A double that plays one profile after the other, and its API."""
    with switch() as entered:
        yield entered


def judged(api, documents, *, releases=(), release=RELEASE):
    """The verdict on some documents in a draft of their own."""
    mine = draft.open_draft(api, release, draft.EarlierDraft())
    return features.judge(mine, release, features.Features(documents, releases))


def test_a_switch_that_takes_everything_is_one_line_and_applies_nothing(plans, one_switch):
    double, api = one_switch
    before = double.control.applied()
    for documents in plans.values():
        verdict = judged(api, documents)
        assert verdict.lines == [
            f"this switch takes each of the {len(documents)} features of its planned document."
        ]
        assert not {"differs", "not seen"} & {row["verdict"] for row in verdict.rows}
    assert double.control.applied() == before
    assert not double.log.matching("PATCH", "/revision.*")


def test_every_profile_that_refuses_a_feature_is_tried():
    assert REFUSED.keys() == {
        name.removeprefix("refuses_") for name in profiles.every() if name.startswith("refuses_")
    }


FAST = ("bgp", "roce_mode")
"""Of switches that ignore a key, those of `make test`: the reading back is one for all."""


@pytest.mark.parametrize(
    ("kind", "profile"),
    [
        *(("refuses", name) for name in REFUSED),
        *(
            pytest.param("deaf", name, marks=() if name in FAST else pytest.mark.large)
            for name in REFUSED
        ),
    ],
)
def test_a_refused_or_ignored_feature_is_named_in_one_sentence(plans, one_switch, kind, profile):
    double, api = one_switch
    name, feature, key = REFUSED[profile]
    double.control.profile(f"{kind}_{profile}")
    verdict = judged(api, {one: plans[name][one] for one in ("loopback", feature)})
    double.control.options(lacking=(), deaf=())
    verb = "refuse" if kind == "refuses" else "ignore a part of"
    assert verdict.lines[0].startswith(f"this switch would {verb} {feature} ("), verdict.lines
    assert verdict.lines[0].endswith(", of 2 features of its planned document.")
    assert key in verdict.lines[0]
    wrong = {row["question"] for row in verdict.rows if row["verdict"] == "differs"}
    # The double itself ran an autonomous system before it became deaf to it.
    assert wrong - {"read back"} == {feature}
    assert "canary" not in str(verdict)


def test_only_the_features_that_are_refused_are_named(plans):
    with switch(profile=["refuses_roce_mode", "refuses_evpn"]) as (_double, api):
        verdict = judged(api, plans["rail"])
    assert verdict.lines[0] == (
        "this switch would refuse evpn (evpn/state), roce (qos/roce/mode), of 11 features of its planned document."
    )
    assert [line.partition(": ")[0] for line in verdict.lines[1:]] == ["evpn", "roce"]


def test_nvidias_schema_refuses_before_the_switch_is_asked(one_switch):
    double, api = one_switch
    writes = len(double.log.writes)
    verdict = judged(api, {"roce": {"qos": {"roce": {"mode": "loss-free"}}}})
    assert verdict.lines[0] == (
        "this switch would refuse roce (qos/roce/mode), of 1 features of its planned document."
    )
    assert "allowed" in verdict.lines[1]
    assert len(double.log.writes) == writes + 1, "the draft was opened"


def test_a_release_without_a_schema_is_accepted_and_not_judged(one_switch, plans):
    _double, api = one_switch
    verdict = judged(api, {"roce": plans["rail"]["roce"]}, release=parse("5.19.0"))
    (row,) = [row for row in verdict.rows if row["question"] == "NVIDIA's schema"]
    assert row["verdict"] == NOT_ASKED
    assert "takes each of the 1 features" in verdict.lines[0]
    assert any("accepted, but not judged" in line for line in verdict.lines)


def test_another_release_than_the_planned_one_is_said(one_switch):
    _double, api = one_switch
    verdict = judged(api, {}, releases=("5.17.0", "5.18.0"))
    assert "runs 5.16.1, expected 5.17.0 or 5.18.0" in verdict.lines
    assert verdict.rows[0]["verdict"] == "differs"


@pytest.mark.parametrize(
    ("words", "pattern"),
    [
        ("Bad Request: qos.roce.mode: unknown key", "qos/roce/mode"),
        ("at '/qos/pfc/default-global/tx': no", "qos/pfc/*/tx"),
        ("Unevaluated properties are not allowed ('mode' was unexpected)", "qos/roce/mode"),
        ("'tx' is not of type 'string'", "qos/pfc/*/tx"),
        ("no reason given", features.NO_KEY),
    ],
)
def test_the_key_of_a_refusal(words, pattern):
    sent = {"qos": {"roce": {"mode": "lossless"}, "pfc": {"default-global": {"tx": "enabled"}}}}
    assert features._key(words, sent, features._newest()) == pattern


FAULTS = {
    "a 401": {"kind": "http", "status": 401},
    "a page of a proxy": {"kind": "http", "status": 400, "html": True},
    "a proxy without its switch": {"kind": "http", "status": 503},
    "a role that may not write": {"kind": "http", "status": 403, "html": False},
    "a lost connection": {"kind": "answer", "form": "reset", "after": 1},
    "an answer without the change": {"kind": "answer", "form": "object", "after": 1},
    "a page to sign in": {"kind": "answer", "form": "login"},
    "half an answer": {"kind": "answer", "form": "short", "after": 2},
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_no_verdict_ends_the_run_with_the_draft_named(plans, tmp_path, fault):
    """Nothing else is asked then, and nothing is kept for a next run."""
    with switch() as (double, api):
        before = double.control.applied()
        double.control.fault(method="PATCH", path="/", **FAULTS[fault])
        plan = features.Features(plans["rail"])
        with pytest.raises(NvueError) as refused:
            check.of_switch(api, DEVICE, str(tmp_path), write=False, words=(), plan=plan)
        assert double.control.applied() == before
        number = max(name for name in double.switch.revisions.by_id if name.isdecimal())
    assert f"Revision {number} remains as a draft" in str(refused.value)
    assert f"(nv config delete {number}, from 5.12 on)" in str(refused.value)
    assert not list(tmp_path.rglob("*.json"))


def test_a_draft_of_somebody_else_is_not_written(plans, tmp_path):
    with switch() as (double, api):
        double.control.draft({"system": {"hostname": "theirs"}})
        double.control.fault("foreign_draft")
        plan = features.Features(plans["rail"])
        with pytest.raises(NvueError, match="which it is not; nothing was written"):
            check.of_switch(api, DEVICE, str(tmp_path), write=False, words=(), plan=plan)
        assert not double.log.matching("PATCH", ".*")


def test_the_draft_is_as_what_runs_afterwards_and_the_file_tells_nothing_of_the_plan(
    plans, tmp_path, monkeypatch
):
    monkeypatch.setattr(check.sample, "documents", lambda _release: ())
    with switch(profile="refuses_roce_mode") as (double, api):
        plan = features.Features(plans["front end"], ("5.16.1",))
        found = check.of_switch(api, DEVICE, str(tmp_path), write=False, words=(), plan=plan)
        revision = draft.EarlierDraft(**check._drafts(str(tmp_path))[DEVICE]).revision
        assert draft.Draft(api, RELEASE, revision).read() == draft.operational.applied(api)
        assert double.violations == []
    assert differing(found) == {"plan, roce": ["refuses qos/roce/mode"]}
    assert check.lines(found, "x")[0].startswith(f"{DEVICE}: this switch would refuse roce (")
    path, body = check.write(found, str(tmp_path))
    text = (tmp_path / path).read_text()
    for word in ("canary", "acme", "globex", "192.0.2"):
        assert word not in text
    assert [one["question"] for one in body["rows"] if one["part"] == features.PART] == [
        *("release", "NVIDIA's schema"),
        *plans["front end"],
    ]
