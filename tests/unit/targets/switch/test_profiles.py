# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The profiles of the switch double, and the forms in which it reports sessions and interfaces."""

from __future__ import annotations

import fnmatch
import http.client
import json
import urllib.error
from typing import Any

import pytest
from nvue_double import profiles, schema
from nvue_double.options import Options
from nvue_double.release import Release

PEERS = {name: {"remote-as": 65002, "type": "unnumbered"} for name in ("swp1", "swp2")}
BGP = {"autonomous-system": 65001, "router-id": "10.0.0.1"}
NEIGHBORS = "/vrf/default/router/bgp/neighbor"
RELEASES = [Release(5, minor) for minor in range(9, 19)]
MANY = {"interface": {f"swp{number}": {"type": "swp"} for number in range(1, 41)}}


def routed(release: str, **bgp: Any) -> dict[str, Any]:
    """A document with two sessions, in the spelling of a release."""
    on = {"state": "enabled"} if Release.parse(release).modern else {"enable": "on"}
    vrf = {"router": {"bgp": {**on, "neighbor": PEERS, **bgp}}}
    return {"router": {"bgp": {**on, **BGP}}, "vrf": {"default": vrf}}


@pytest.fixture
def sessions(start: Any) -> Any:
    """Start a double with two sessions that are up."""

    def begin(release: str = "5.16.1", **options: Any) -> Any:
        document = routed(release, **options.pop("bgp", {}))
        return start(release=release, document=document, session_state="established", **options)

    return begin


def told(client: Any, path: str, more: str = "") -> Any:
    """The operational answer at a path."""
    status, answer = client("GET", f"{path}?rev=operational{more}")
    assert status == 200, answer
    return answer


def test_before_5_12_a_collection_of_sessions_has_their_detail(sessions: Any) -> None:
    client = sessions("5.11.1")
    assert told(client, NEIGHBORS)["swp1"]["bgp-version"] == 4
    assert client("GET", f"{NEIGHBORS}?rev=operational&view=detail")[0] == 400


@pytest.mark.parametrize("release", ["5.12.0", "5.18.0"])
def test_from_5_12_on_a_collection_of_sessions_is_a_summary(sessions: Any, release: str) -> None:
    client = sessions(release)
    summary, detail = told(client, NEIGHBORS), told(client, NEIGHBORS, "&view=detail")
    assert summary["swp1"] == {
        "remote-as": 65002,
        {"5.12.0": "state", "5.18.0": "session-state"}[release]: "established",
        "message-stats": {"rx-total": 0, "tx-total": 0},
        "address-family": {"ipv4-unicast": {"rx-prefix": 0, "tx-prefix": 0}},
    }
    assert detail["swp1"]["connections-established"] == 1
    assert told(client, f"{NEIGHBORS}/swp1") == detail["swp1"]
    assert told(client, f"{NEIGHBORS}/swp1/bgp-version") == 4
    whole = told(client, "/vrf", "&include=/*/router/bgp/neighbor")
    assert whole["default"]["router"]["bgp"]["neighbor"] == summary
    assert told(client, "/vrf")["default"]["router"]["bgp"]["neighbor"] == summary


def test_summaries_that_have_no_detail_anywhere(sessions: Any) -> None:
    client = sessions(profile="summary_table")
    shown = [told(client, NEIGHBORS)["swp1"], told(client, NEIGHBORS, "&view=detail")["swp1"]]
    shown.append(told(client, f"{NEIGHBORS}/swp1"))
    assert shown[0]["session-state"] == "established"
    assert shown[0] == shown[1] == shown[2]
    assert "bgp-version" not in shown[0]


def test_summaries_that_do_not_tell_whether_a_session_is_up(sessions: Any) -> None:
    client = sessions(profile="summary_bare")
    for more in ("", "&view=detail"):
        assert told(client, NEIGHBORS, more) == {name: {"remote-as": 65002} for name in PEERS}
    assert told(client, f"{NEIGHBORS}/swp1") == {"remote-as": 65002}
    assert client("GET", f"{NEIGHBORS}/swp1/session-state?rev=operational")[0] == 404


def test_only_the_place_of_a_session_tells_whether_it_is_up(sessions: Any) -> None:
    client = sessions(profile="summary_bare_but_single")
    assert told(client, NEIGHBORS, "&view=detail")["swp1"] == {"remote-as": 65002}
    assert told(client, f"{NEIGHBORS}/swp1")["session-state"] == "established"


@pytest.mark.parametrize(("release", "key"), [("5.14.0", "state"), ("5.15.0", "session-state")])
def test_the_state_of_a_session_has_a_key_of_its_own(sessions: Any, release: str, key: str) -> None:
    client = sessions(release, profile="session_state_key")
    other = {"state": "session-state", "session-state": "state"}[key]
    for shown in (told(client, NEIGHBORS)["swp1"], told(client, f"{NEIGHBORS}/swp1")):
        assert (shown[key], other in shown) == ("established", False)
    assert told(client, f"{NEIGHBORS}/swp1/{key}") == "established"
    assert client("GET", f"{NEIGHBORS}/swp1/{other}?rev=operational")[0] == 404
    client.double.control.reports("no_state", neighbor="swp1")
    assert not {"state", "session-state"} & set(told(client, NEIGHBORS)["swp1"])
    client.double.control.reports("null_state", neighbor="swp2")
    assert told(client, NEIGHBORS)["swp2"][key] is None


@pytest.mark.parametrize(
    ("release", "off"), [("5.14.0", {"enable": "off"}), ("5.16.1", {"state": "disabled"})]
)
def test_families_that_a_session_does_not_run(
    sessions: Any, release: str, off: dict[str, str]
) -> None:
    client = sessions(release, profile="evpn_off")
    for shown in (told(client, NEIGHBORS)["swp1"], told(client, f"{NEIGHBORS}/swp1")):
        families = shown["address-family"]
        assert families["l2vpn-evpn"] == {**off, "rx-prefix": 0, "tx-prefix": 0}
        assert families["ipv4-unicast"] == {"rx-prefix": 0, "tx-prefix": 0}
    only = sessions(release)
    assert set(told(only, NEIGHBORS)["swp1"]["address-family"]) == {"ipv4-unicast"}


def test_interfaces_are_read_in_the_words_of_nvidias_client(start: Any) -> None:
    """Its config manager sends these, as often as there are places, without a revision."""
    client = start(document=MANY)
    status, shown = client(
        "GET", "/interface?include=/*/link/state&include=/*/link/oper-status&include=/*/type"
    )
    assert status == 200
    assert shown["swp7"] == {"type": "swp", "link": {"oper-status": "up", "state": {"up": {}}}}
    assert set(told(client, "/interface", "&include=/*/lldp/neighbor")["swp1"]) == {"lldp"}
    assert told(client, "/interface/swp1", "&include=/link/mtu") == {"link": {"mtu": 9216}}
    assert told(client, "/interface", "&include=%2F%2A%2Ftype")["swp1"] == {"type": "swp"}
    assert told(client, "/interface", "&omit=/*/*") == {name: {} for name in MANY["interface"]}


def test_a_place_that_nobody_has_selects_nothing(start: Any) -> None:
    """NVIDIA's client sends link/oper-status to releases without it, so it cannot be an error [inferred]."""
    client = start(document=MANY)
    assert told(client, "/interface", "&include=/*/nonsense") == {}
    both = told(client, "/interface", "&include=/*/nonsense&include=/*/type")
    assert both["swp1"] == {"type": "swp"}
    assert told(client, "/interface", "&omit=/*/nonsense") == told(client, "/interface")
    assert client("GET", "/interface?rev=operational&include=type")[0] == 400
    assert client("GET", "/interface?rev=operational&view=brief&omit=/*/type")[0] == 400


def ended(client: Any, path: str) -> bool:
    """Whether the switch ends the connection instead of an answer."""
    try:
        client("GET", path)
    except (http.client.HTTPException, urllib.error.URLError, OSError):
        return True
    return False


def test_a_whole_read_of_many_interfaces_ends_the_connection(start: Any) -> None:
    client = start(document=MANY)
    client.double.control.fault("whole_interface", count=None, interfaces=39)
    whole = ["/interface", "/interface?rev=operational", "/?rev=operational"]
    whole += ["/interface?rev=operational&include=/*", "/interface?rev=operational&filter=type=swp"]
    assert [path for path in whole if not ended(client, path)] == []
    parts = ["/interface?include=/*/type", "/interface/swp1", "/interface?view=brief"]
    parts += ["/interface?rev=applied", "/interface?omit=/*/lldp", "/system"]
    assert [path for path in parts if ended(client, path)] == []
    client.double.control.foreign({"interface": {"swp1": None, "swp2": None}})
    assert not ended(client, "/interface")


def test_a_whole_read_can_take_the_switch_away_for_a_while(start: Any) -> None:
    client = start(document=MANY)
    client.double.control.fault("whole_interface", interfaces=2, seconds=60)
    assert [ended(client, path) for path in ("/system", "/interface", "/system")] == [
        False,
        True,
        True,
    ]
    client.double.control.clear_faults()
    assert not ended(client, "/interface")


def test_the_profile_of_many_interfaces_counts_64(start: Any) -> None:
    client = start(document=MANY, profile="whole_interface")
    assert not ended(client, "/interface")
    more = {f"swp{number}": {"type": "swp"} for number in range(41, 66)}
    client.double.control.foreign({"interface": more})
    assert [ended(client, "/interface") for dummy in range(2)] == [True, True]


@pytest.mark.parametrize(
    ("name", "release", "keys"),
    [
        ("system_5_16", "5.16.0", {"product-name", "version"}),
        ("system_5_11", "5.11.1", {"build"}),
        ("system_product_release", "5.11.1", {"product-release"}),
    ],
)
def test_the_three_forms_of_the_system(start: Any, name: str, release: str, keys: set[str]) -> None:
    client = start(profile=name, document={"system": {"hostname": "leaf-1"}})
    shown = told(client, "/system")
    assert set(shown) == {"hostname", "timezone", "uptime"} | keys
    assert (shown["hostname"], shown["uptime"]) == ("leaf-1", "1 day, 2:03:04")
    assert release in str([shown[key] for key in keys])
    if "version" in keys:
        assert shown["version"]["product-release"] == release
        assert set(shown["version"]["image"]) == {"build-date", "build-id"}


def test_an_apply_that_reloads_for_ever_while_the_system_answers(start: Any) -> None:
    client = start(profile="reloading_for_ever")
    number = client.revision({"system": {"hostname": "leaf-1"}})
    client.apply(number)
    client.until(number, "reloading")
    assert client("GET", f"/revision/{number}")[1]["state"] == "reloading"
    assert told(client, "/system")["version"]["product-release"] == "5.16.1"
    assert client.applied("/system/hostname") == "cumulus"


def test_a_profile_of_nvidias_that_is_configured(start: Any) -> None:
    client = start(profile="do_spx_leaf")
    shown = told(client, "/system/do-spx")
    assert shown["active-profile"] == {}
    assert shown["profile"]["leaf"]["uplink"] == {"swp1-32": {"breakout": "4x"}}
    assert told(client, "/system/do-spx/profile/leaf/otlp-destination/10.1.1.100") == {
        "otlp-port": 4317
    }
    bare, older = start(release="5.18.0"), start(release="5.17.0")
    assert told(bare, "/system/do-spx") == {"active-profile": {}, "profile": {}}
    assert older("GET", "/system/do-spx?rev=operational")[0] == 404


FEATURES = [name.removeprefix("refuses_") for name in profiles.every() if "refuses_" in name]


@pytest.mark.parametrize("feature", FEATURES)
def test_each_release_has_a_key_of_each_feature(feature: str) -> None:
    """A place that no release has would refuse nothing: each is in NVIDIA's schema, and each release has one."""
    places = profiles.every()[f"refuses_{feature}"].options["lacking"]
    known = {place: list(schema._nvidia()["paths"].get(place, ())) for place in places}
    assert [place for place, spans in known.items() if not spans] == []
    first = {"telemetry": 10, "telemetry_stats": 10}.get(feature, 9)
    assert [
        release.minor
        for release in RELEASES
        if not any(schema.load(release)._listed(place) is not None for place in places)
    ] == [*range(9, first)]


@pytest.fixture(scope="module")
def one_switch(tls_folder: str) -> Any:
    """A double that plays one profile after the other."""
    from nvue_double.testing import running_double

    from .conftest import Client

    with running_double(tls_folder=tls_folder, step_seconds=0.002) as double:
        yield Client(double)


EXAMPLE = {
    "acl": {"acl": {"A": {"type": "ipv4", "rule": {"10": {"action": {"permit": {}}}}}}},
    "adaptive_routing": {"router": {"adaptive-routing": {"state": "enabled"}}},
    "bfd": {"router": {"bfd": {"state": "enabled"}}},
    "bgp": {"router": {"bgp": {"autonomous-system": 65001}}},
    "bond": {"interface": {"bond1": {"bond": {"member": {"swp1": {}}}}}},
    "breakout": {"interface": {"swp1": {"link": {"breakout": {"4x": {}}}}}},
    "dhcp_relay": {
        "service": {"dhcp-relay": {"RED": {"server-group": {"g": {"server": {"10.0.0.1": {}}}}}}}
    },
    "dns": {"system": {"dns": {"server": {"10.0.0.1": {}}}}},
    "ethernet_segment": {
        "interface": {"bond1": {"evpn": {"multihoming": {"segment": {"local-id": 1}}}}}
    },
    "evpn": {"evpn": {"state": "enabled"}},
    "graceful_restart": {"router": {"bgp": {"graceful-restart": {"mode": "full"}}}},
    "lldp": {"system": {"lldp": {"tx-interval": 10}}},
    "multipath": {
        "vrf": {
            "default": {
                "router": {"bgp": {"path-selection": {"multipath": {"aspath-ignore": "enabled"}}}}
            }
        }
    },
    "ntp": {"system": {"ntp": {"server": {"10.0.0.1": {}}}}},
    "pfc": {"qos": {"pfc": {"default-global": {"cable-length": 40}}}},
    "pfc_watchdog": {"interface": {"swp1": {"qos": {"pfc-watchdog": {"state": "enable"}}}}},
    "roce": {"qos": {"roce": {"state": "enabled"}}},
    "roce_mode": {"qos": {"roce": {"mode": "lossless"}}},
    "route_policy": {
        "router": {"policy": {"route-map": {"M": {"rule": {"10": {"action": {"permit": {}}}}}}}}
    },
    "snippet": {"system": {"config": {"snippet": {"s": {"file": "/etc/x", "content": "y"}}}}},
    "snmp": {"system": {"snmp-server": {"listening-address": {"10.0.0.1": {}}}}},
    "static_route": {"vrf": {"default": {"router": {"static": {"10.0.0.0/8": {}}}}}},
    "syslog": {"system": {"syslog": {"server": {"10.0.0.1": {}}}}},
    "telemetry": {"system": {"telemetry": {"export": {"otlp": {"state": "enabled"}}}}},
    "telemetry_stats": {"system": {"telemetry": {"interface-stats": {"sample-interval": 10}}}},
    "vrf": {"interface": {"swp1": {"vrf": "RED"}}},
    "vxlan": {"nve": {"vxlan": {"state": "enabled"}}},
}


def options_of(client: Any, name: str | None) -> None:
    """Become the switch of a profile, or the reference again."""
    client.double.control.options(lacking=(), deaf=())
    if name:
        client.double.control.profile(name)


@pytest.mark.parametrize("feature", FEATURES)
def test_a_switch_refuses_one_key_of_one_feature(one_switch: Any, feature: str) -> None:
    client, document = one_switch, EXAMPLE[feature]
    number = next(iter(client("POST", "/revision")[1]))
    options_of(client, f"refuses_{feature}")
    status, problem = client("PATCH", f"/?rev={number}", document)
    assert (status, problem["title"]) == (400, "Bad Request")
    (place,) = problem["validation"]
    pattern = profiles.every()[f"refuses_{feature}"].options["lacking"]
    assert any(fnmatch.fnmatchcase(place.replace(".", "/"), one) for one in pattern)
    assert f"unknown key '{place.rpartition('.')[2]}'" in problem["detail"]
    untouched = {"system": {"message": {"pre-login": "x"}}}
    assert client("PATCH", f"/?rev={number}", untouched)[0] == 200
    options_of(client, None)
    assert client("PATCH", f"/?rev={number}", document)[0] == 200


@pytest.mark.parametrize("feature", FEATURES)
def test_a_switch_takes_one_key_and_does_not_keep_it(one_switch: Any, feature: str) -> None:
    client, document = one_switch, EXAMPLE[feature]
    options_of(client, None)
    first = client.revision(document)
    options_of(client, f"deaf_{feature}")
    second = client.revision(document)
    kept, lost = (client("GET", f"/?rev={number}&filled=false")[1] for number in (first, second))
    assert kept != lost
    assert len(json.dumps(lost)) < len(json.dumps(kept))


def test_profiles_can_be_joined_and_other_options_count_more(start: Any) -> None:
    both = profiles.of_names(["refuses_roce", "refuses_evpn", "evpn_off"])
    assert set(both.options["lacking"]) == {
        "qos/roce/enable",
        "qos/roce/state",
        "evpn/enable",
        "evpn/state",
    }
    assert both.options["inactive_families"] == "present"
    client = start(profile=["system_5_16", "refuses_roce"], release="5.17.0")
    assert told(client, "/system")["version"]["product-release"] == "5.17.0"


def test_the_readme_lists_every_profile() -> None:
    text = (schema.DATA.parents[1] / "README.md").read_text("utf-8")
    names = {*profiles.every(), *FEATURES}
    names -= {f"{kind}_{name}" for kind in ("refuses", "deaf") for name in FEATURES}
    assert sorted(name for name in names if f"`{name}`" not in text) == []


def test_every_profile_is_one_that_a_double_can_be() -> None:
    for name, profile in profiles.every().items():
        assert Options(**profile.options), name
        assert all(fault["kind"] for fault in profile.faults)
    with pytest.raises(ValueError, match="no profile 'refuses_everything'; there are boots_old"):
        profiles.of_names("refuses_everything")
