# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client and the double, written apart from the same reference, must agree.

Everything runs over TLS on 127.0.0.1; what was sent is read from the log of the double.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from nvue_double.testing import running_double

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.connection import Endpoint
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.converge import (
    Outcome,
    Terms,
    converge,
    entry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.identity import (
    Identity,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.plan import Wish
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change.report import Approval
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.shapes import (
    something,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApiError,
    ApplyError,
    NvueError,
    RefusedError,
    TransportError,
    UntrustedError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.client import Limits
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.port import (
    HttpsPort,
)

RELEASES = ["5.9.2", "5.11.0", "5.13.1", "5.14.0", "5.15.1", "5.16.1", "5.17.0", "5.18.0"]
LIMITS = Limits(apply=20, busy=5, start=3, lost=3, poll_first=0.02, poll_most=0.1)
QUICK = {"step_seconds": 0.002, "boot_seconds": 0.2}
ALL = frozenset({"switchd_reload", "frr_restart", "breakout"})
GROUP = "spines"

LEAF: dict[str, Any] = {
    "system": {
        "hostname": "leaf-01",
        "ntp": {"state": "enabled", "vrf": "mgmt", "listen": {"eth0": {}},
                "server": {"192.0.2.1": {"iburst": "enabled"}}},
        "lldp": {"tx-interval": 5, "tx-hold-multiplier": 24},
        "dns": {"server": {"192.0.2.2": {"vrf": "mgmt"}}},
    },
    "interface": {
        "lo": {"type": "loopback", "ipv4": {"address": {"10.254.0.1/32": {}}}},
        "swp1-2": {"type": "swp", "link": {"mtu": 9216, "state": {"up": {}}},
                   "ipv6": {"state": "enabled"}},
        "swp3": {"type": "swp", "link": {"mtu": 9166, "state": {"up": {}}},
                 "vrf": "t16-acme", "ipv4": {"address": {"10.0.0.1/31": {}}}},
    },
    "qos": {
        "roce": {"state": "enabled", "mode": "lossless"},
        "traffic-pool": {"default-lossy": {"memory-percent": 10},
                         "roce-lossless": {"memory-percent": 90}},
    },
    "evpn": {"state": "enabled"},
    "nve": {"vxlan": {"state": "enabled", "source": {"address": "10.254.0.1"},
                      "arp-nd-suppress": "enabled"}},
    "router": {
        "bgp": {"state": "enabled", "autonomous-system": 4200000001, "router-id": "10.254.0.1"},
        "bfd": {"state": "enabled", "profile": {"bfd-3-300-300": {
            "detect-multiplier": 3, "min-rx-interval": 300, "min-tx-interval": 300}}},
    },
    "vrf": {
        "default": {"router": {"bgp": {
            "state": "enabled",
            "address-family": {"ipv4-unicast": {"state": "enabled", "redistribute": {
                "connected": {"state": "enabled"}}}, "l2vpn-evpn": {"state": "enabled"}},
            "peer-group": {GROUP: {"remote-as": 4200000100, "bfd": {"profile": "bfd-3-300-300"},
                                   "address-family": {"l2vpn-evpn": {"state": "enabled"}}}},
            "neighbor": {"swp1": {"type": "unnumbered", "peer-group": GROUP},
                         "swp2": {"type": "unnumbered", "peer-group": GROUP}},
        }}},
        "t16-acme": {"evpn": {"state": "enabled", "vni": {"4000016": {}}},
                     "router": {"bgp": {"state": "enabled", "rd": "10.254.0.1:16",
                                        "address-family": {"ipv4-unicast": {
                                            "state": "enabled",
                                            "redistribute": {"connected": {"state": "enabled"}},
                                            "route-export": {"to-evpn": {"state": "enabled"}}}}}}},
    },
}  # fmt: skip
OWNS = (
    "system/hostname", "system/ntp", "system/lldp", "system/dns", "interface/lo", "interface/swp*",
    "qos", "evpn", "nve", "router", "vrf/default", "vrf/t*-*",
)  # fmt: skip
WISH = Wish(LEAF, state="replaced", owns=OWNS)


def api_of(double: Any, **credentials: Any) -> Api:
    known = credentials or {"user": double.username, "password": double.password}
    endpoint = Endpoint(double.host, double.port, timeout=5, ca=double.ca_file)
    return Api(HttpsPort(endpoint), Auth(**known))


def run(double: Any, wish: Wish = WISH, limits: Limits = LIMITS, **terms: Any) -> Outcome:
    given = {"device": "leaf-01", "confirm": 4, "allow_disruptive": ALL, **terms}
    return converge(api_of(double), wish, Terms(**given), limits)


def fails(double: Any, wish: Wish = WISH, kind: type[NvueError] = NvueError, **terms: Any) -> str:
    with pytest.raises(kind) as error:
        run(double, wish, **terms)
    said = str(error.value)
    assert "\n" not in said
    assert "Traceback" not in said
    return said


def requests(double: Any) -> list[str]:
    found = double.control.log()["requests"]
    return [f"{one['method']} {one['path']}" for one in found]


@pytest.fixture(scope="module")
def shared() -> Iterator[Any]:
    with running_double(release="5.16.1", **QUICK) as double:
        yield double


@pytest.mark.parametrize("release", RELEASES)
def test_from_the_factory_to_the_plan_and_no_further(release: str) -> None:
    with running_double(release=release, **QUICK) as double:
        first = run(double)
        assert first.changed, first.warnings
        double.control.clear_log()
        second = run(double)
        assert (second.changed, second.changes) == (False, [])
        assert len(requests(double)) == 2
        assert double.violations == []


@pytest.mark.parametrize("release", ["5.14.0", "5.15.1", "5.16.1", "5.18.0"])
def test_surplus_goes_and_foreign_stays(release: str) -> None:
    with running_double(release=release, **QUICK) as double:
        run(double)
        foreign = {"message": {"pre-login": "mind the gap"}}
        double.control.foreign({"system": foreign})
        less = {**LEAF, "vrf": {"default": LEAF["vrf"]["default"]}}
        less["interface"] = {key: LEAF["interface"][key] for key in ("lo", "swp1-2")}
        run(double, Wish(less, state="replaced", owns=OWNS))
        applied = double.control.applied()
        assert "t16-acme" not in applied["vrf"]
        assert "swp3" not in applied["interface"]
        assert applied["system"]["message"] == foreign["message"]
        assert applied["system"]["aaa"]["user"]["cumulus"]["role"] == "system-admin"
        assert not run(double, Wish(less, state="replaced", owns=OWNS)).changed


@pytest.mark.parametrize("release", ["5.9.2", "5.10.1", "5.14.0", "5.15.1"])
def test_words_that_never_were_on_and_off(release: str) -> None:
    system = {
        "api": {"state": "enabled"},
        "ssh-server": {"state": "enabled", "permit-root-login": "disabled"},
        "config": {"auto-save": {"state": "enabled"}},
        "aaa": {"user": {"watcher": {"role": "nvue-monitor", "state": "enabled"}}},
        "wjh": {"state": "enabled"},
    }
    if release not in ("5.9.2", "5.10.1"):  # LLDP has had a state since then
        system["lldp"] = {"state": "enabled"}
    with running_double(release=release, **QUICK) as double:
        assert run(double, Wish({"system": system})).changed
        assert not run(double, Wish({"system": system})).changed


def test_a_state_that_a_release_does_not_have_is_refused() -> None:
    """Before anything is sent."""
    with (
        running_double(release="5.10.1", **QUICK) as double,
        pytest.raises(RefusedError, match="system/lldp/state"),
    ):
        run(double, Wish({"system": {"lldp": {"state": "enabled"}}}))


@pytest.fixture
def leaf() -> Iterator[Any]:
    """A switch that runs the plan, both sessions Established."""
    with running_double(release="5.16.1", session_state="established", **QUICK) as double:
        run(double)
        double.control.clear_log()
        yield double


RENAME = Wish({"system": {"date-time": {"timezone": "Etc/UTC"}}})


def test_a_changed_run_is_one_revision(leaf: Any) -> None:
    outcome = run(leaf, RENAME, message=lambda: "a message")
    writes = [entry for entry in requests(leaf) if not entry.startswith("GET")]
    number = outcome.revision
    assert outcome.changed
    assert leaf.switch.revisions.by_id[number].message == "a message"
    assert writes == [
        "POST /revision", "PATCH /", f"PATCH /revision/{number}", f"PATCH /revision/{number}",
    ]  # fmt: skip
    assert sum("api-token" in entry for entry in requests(leaf)) == 1
    assert leaf.violations == []


def test_ranges_of_a_switch_are_compared_written_out(leaf: Any) -> None:
    leaf.control.foreign({"interface": {"swp10-12": {"type": "swp", "link": {"mtu": 1500}}}})
    ports = {f"swp{n}": {"type": "swp", "link": {"mtu": 1500}} for n in (10, 11, 12)}
    assert not run(leaf, Wish({"interface": ports})).changed
    ports["swp11"] = {"type": "swp", "link": {"mtu": 9216}}
    owns = ("interface/swp1?",)
    outcome = run(leaf, Wish({"interface": ports}, state="replaced", owns=owns))
    assert [change.path for change in outcome.changes] == [("interface", "swp11", "link", "mtu")]
    assert not run(leaf, Wish({"interface": ports}, state="replaced", owns=owns)).changed


@pytest.mark.parametrize("reply", ["bare", "wrapped"])
@pytest.mark.parametrize("final", ["applied_and_saved", "applied", "saved"])
def test_replies_in_every_documented_form(reply: str, final: str) -> None:
    options = {"revision_reply": reply, "final_state": final, "issue_keys": "00000"}
    with running_double(release="5.18.0", **options, **QUICK) as double:
        assert run(double, RENAME).changed
        assert not run(double, RENAME).changed


def test_without_auto_save_it_is_saved_once(leaf: Any) -> None:
    run(leaf, Wish({"system": {"config": {"auto-save": {"state": "disabled"}}}}))
    leaf.control.clear_log()
    run(leaf, RENAME)
    assert requests(leaf).count("PATCH /revision/applied") == 1


def test_a_plan_writes_nothing(leaf: Any) -> None:
    outcome = run(leaf, RENAME, write=False)
    assert outcome.changed
    assert all(entry.startswith("GET") for entry in requests(leaf))


def test_the_read_only_role_plans_and_cannot_write() -> None:
    users = {"watcher": ("Watch-1234!", "nvue-monitor")}
    with running_double(users=users, **QUICK) as double:
        api = api_of(double, user="watcher", password="Watch-1234!")
        assert converge(api, RENAME, Terms(write=False)).changed
        with pytest.raises(NvueError, match="Writing needs an account with the role"):
            converge(api_of(double, user="watcher", password="Watch-1234!"), RENAME, Terms())


# faults


def config(double: Any) -> Any:
    return double.control.applied()


@pytest.mark.parametrize("state", ["apply_fail", "apply_error", "ready_error", "verify_error"])
def test_a_failing_apply_leaves_the_old_state_and_the_next_run_heals(leaf: Any, state: str) -> None:
    old = config(leaf)
    leaf.control.fault("apply_fail", state=state, message="frr reload failed: line 7")
    said = fails(leaf, RENAME, ApplyError)
    assert f"ended as {state}: frr reload failed: line 7" in said
    assert said.endswith("The switch runs its old configuration.")
    assert config(leaf) == old
    assert run(leaf, RENAME).changed


def test_an_invalid_document_is_refused_in_the_words_of_the_switch(leaf: Any) -> None:
    old = config(leaf)
    pool = {"qos": {"traffic-pool": {"roce-lossless": {"memory-percent": 95}}}}
    said = fails(leaf, Wish(pool), ApplyError)
    assert "ended as invalid: Config invalid at qos.traffic-pool" in said
    assert config(leaf) == old


def test_an_unknown_key_is_refused_and_nothing_applied(leaf: Any) -> None:
    old = config(leaf)
    said = fails(leaf, Wish({"system": {"hostnam": "x"}}), ApplyError)
    assert "hostnam" in said
    assert "remains as an unapplied draft" in said
    assert config(leaf) == old


def test_an_ignorable_failure_is_never_ignored(leaf: Any) -> None:
    old = config(leaf)
    leaf.control.fault("apply_fail", ignorable=True, message="service ntp failed")
    assert "service ntp failed" in fails(leaf, RENAME, ApplyError)
    assert config(leaf) == old


def test_a_session_that_does_not_come_back_rolls_the_change_back(leaf: Any) -> None:
    old = config(leaf)
    leaf.control.fault("session_down", neighbor="swp2", vrf="default")
    said = fails(leaf, RENAME, ApplyError, confirm=2)
    assert "rolled back after 2 s (state confirm_fail)" in said
    assert "what was lost: BGP session default/swp2." in said
    assert said.endswith("The switch runs its old configuration.")
    assert config(leaf) == old
    assert run(leaf, RENAME).changed


def test_lost_management_rolls_back(leaf: Any) -> None:
    old = config(leaf)
    leaf.control.fault("lost_management")
    said = fails(leaf, RENAME, ApplyError, confirm=2)
    assert "rolled back" in said or "confirm_fail" in said
    assert config(leaf) == old
    assert run(leaf, RENAME).changed


def test_an_apply_that_never_ends_is_bounded(leaf: Any) -> None:
    leaf.control.fault("apply_never_ends", at="reloading")
    with pytest.raises(ApplyError) as error:
        converge(api_of(leaf), RENAME, Terms(confirm=4), Limits(apply=1, poll_first=0.05))
    assert "did not end within 1 s; its last state was reloading (at work)" in str(error.value)


@pytest.mark.parametrize("at", ["checking", "reloading", "reloaded"])
def test_a_connection_lost_while_applying_is_waited_through(leaf: Any, at: str) -> None:
    leaf.control.fault("drop_mid_apply", at=at, seconds=0.3)
    assert run(leaf, RENAME).changed
    assert not run(leaf, RENAME).changed


def test_a_slow_apply_is_waited_for(leaf: Any) -> None:
    leaf.control.fault("apply_slow", at="reloading", seconds=0.5)
    assert run(leaf, RENAME).changed


@pytest.mark.parametrize("at", ["checking", "reloading", "confirm"])
def test_a_reboot_in_the_middle_ends_in_old_or_new_and_the_next_run_heals(
    leaf: Any, at: str
) -> None:
    old = config(leaf)
    leaf.control.fault("reboot", at=at, seconds=0.2)
    fails(leaf, RENAME, ApplyError)
    assert config(leaf) == old
    run(leaf, RENAME)
    assert not run(leaf, RENAME).changed


@pytest.mark.parametrize("path", ["/revision", "/", "/revision/*"])
@pytest.mark.parametrize("when", [{}, {"when": "after"}], ids=["before", "after"])
def test_a_write_that_is_lost_never_ends_between(leaf: Any, path: str, when: Any) -> None:
    old = config(leaf)
    method = "POST" if path == "/revision" else "PATCH"
    leaf.control.fault("drop_connection", method=method, path=path, **when)
    try:
        changed = run(leaf, RENAME).changed
    except NvueError:
        changed = False
    assert leaf.control.state()["faults"] == []
    if not changed:
        assert config(leaf) == old
    run(leaf, RENAME)
    assert config(leaf)["system"]["date-time"]["timezone"] == "Etc/UTC"


@pytest.mark.parametrize("path", ["/system", "/"])
def test_a_read_over_a_connection_that_was_closed_is_sent_again(leaf: Any, path: str) -> None:
    leaf.control.fault("drop_connection", method="GET", path=path)
    assert run(leaf, RENAME).changed


def test_an_html_page_in_place_of_an_answer_is_one_sentence(leaf: Any) -> None:
    leaf.control.fault("http", method="GET", path="/system", status=502, html=True)
    said = fails(leaf, RENAME, ApiError)
    assert "GET /system was answered 502" in said
    assert "<" not in said


def test_a_truncated_answer_is_asked_for_again(leaf: Any) -> None:
    leaf.control.fault("truncate", method="GET", path="/system")
    assert run(leaf, RENAME).changed


def test_wrong_credentials_are_one_sentence_and_one_request(leaf: Any) -> None:
    with pytest.raises(ApiError) as error:
        converge(api_of(leaf, user="cumulus", password="wrong-one"), RENAME, Terms())
    assert "the switch refused the user 'cumulus'" in str(error.value)
    assert "wrong-one" not in str(error.value)
    assert len(requests(leaf)) == 1


def test_the_factory_password_shuts_the_api() -> None:
    with running_double(factory_default_password=True, **QUICK) as double:
        with pytest.raises(ApiError) as error:
            converge(api_of(double, user="cumulus", password="cumulus"), RENAME, Terms())
        assert "until the factory's password is changed" in str(error.value)


def test_a_token_of_ones_own_is_used_alone(leaf: Any) -> None:
    fetched = api_of(leaf)
    fetched.fetch_token()
    token = fetched.auth.header()["authorization"].split()[1]
    leaf.control.clear_log()
    assert converge(api_of(leaf, token=token), RENAME, Terms(confirm=4), LIMITS).changed
    assert not any("api-token" in entry for entry in requests(leaf))
    leaf.control.restart_service()
    with pytest.raises(ApiError, match="the switch refused the token"):
        converge(api_of(leaf, token=token), RENAME, Terms())


def test_a_token_that_dies_in_the_middle_is_renewed(leaf: Any) -> None:
    api = api_of(leaf)
    api.fetch_token()
    leaf.control.restart_service()
    assert converge(api, RENAME, Terms(confirm=4), LIMITS).changed


def test_an_untrusted_certificate_names_the_remedy(leaf: Any) -> None:
    endpoint = Endpoint(leaf.host, leaf.port, timeout=5)
    api = Api(HttpsPort(endpoint), Auth("cumulus", leaf.password))
    with pytest.raises(UntrustedError) as error:
        converge(api, RENAME, Terms())
    assert "the certificate of the switch was not trusted" in str(error.value)
    assert "validate_certs: false" in str(error.value)
    assert requests(leaf) == []


@pytest.mark.parametrize("name, trusted", [("localhost", True), ("leaf-77", False)])
def test_the_name_in_the_certificate_counts(leaf: Any, name: str, trusted: bool) -> None:
    endpoint = Endpoint(leaf.host, leaf.port, ca=leaf.ca_file, server_name=name)
    api = Api(HttpsPort(endpoint), Auth(leaf.username, leaf.password))
    if trusted:
        assert converge(api, RENAME, Terms(write=False)).changed
        return
    with pytest.raises(UntrustedError, match="was not trusted"):
        converge(api, RENAME, Terms(write=False))


def test_an_unreachable_switch_is_one_sentence() -> None:
    with running_double(**QUICK) as double:
        endpoint = Endpoint(double.host, double.port, timeout=2)
    api = Api(HttpsPort(endpoint), Auth("cumulus", "x" * 8))
    with pytest.raises(TransportError, match="no connection"):
        converge(api, RENAME, Terms())


# somebody else


def test_somebody_elses_apply_is_waited_for(leaf: Any) -> None:
    leaf.control.busy(0.6)
    outcome = run(leaf, RENAME)
    assert outcome.changed
    assert requests(leaf).count("GET /revision") >= 2
    assert leaf.violations == []


def test_somebody_elses_endless_apply_is_named(leaf: Any) -> None:
    number = leaf.control.busy(30)
    with pytest.raises(ApplyError) as error:
        converge(api_of(leaf), RENAME, Terms(), Limits(busy=0.3, poll_first=0.05))
    assert f"revision {number} of somebody else" in str(error.value)
    assert all(entry.startswith("GET") for entry in requests(leaf))


def test_two_controllers_at_once_both_end_well(leaf: Any) -> None:
    import threading

    wishes = [Wish({"system": {"date-time": {"timezone": "Etc/UTC"}}}),
              Wish({"system": {"message": {"pre-login": "hello"}}})]  # fmt: skip
    endings: list[object] = []

    def work(wish: Wish) -> None:
        try:
            endings.append(run(leaf, wish).changed)
        except NvueError as exc:
            endings.append(str(exc))

    threads = [threading.Thread(target=work, args=(wish,)) for wish in wishes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    for wish in wishes:
        run(leaf, wish)
        assert not run(leaf, wish).changed
    assert config(leaf)["system"]["date-time"]["timezone"] == "Etc/UTC"
    assert config(leaf)["system"]["message"]["pre-login"] == "hello"


@pytest.mark.parametrize("release", ["5.17.0", "5.18.0"])
def test_a_switch_that_sees_no_difference_is_not_believed(release: str) -> None:
    with running_double(release=release, **QUICK) as double:
        double.control.fault("no_diff")
        said = fails(double, RENAME)
        state = "pending" if release == "5.17.0" else "detached"
        assert (
            f"ended as {state} (no config diff), yet the switch does not have the planned configuration: "
            "system/date-time/timezone; compare"
        ) in said


@pytest.mark.parametrize("shows", ["old", "new"])
@pytest.mark.parametrize("doc", [{}, {"system": {"date-time": {"timezone": "Asia/Tokyo"}}}])
def test_a_switch_that_says_applied_and_reverts_is_found_out(shows: str, doc: Any) -> None:
    with running_double(release="5.17.0", applied_during_confirm=shows, **QUICK) as double:
        double.control.fault("applied_and_reverts", doc=doc)
        said = fails(double, RENAME, limits=replace(LIMITS, start=0.5))
    assert (
        "yet the switch does not have the planned configuration: system/date-time/timezone" in said
    )


def test_the_draft_of_somebody_else_is_not_written() -> None:
    with running_double(release="5.17.0", **QUICK) as double:
        name = double.control.draft({"system": {"message": {"pre-login": "theirs"}}})
        double.control.fault("foreign_draft")
        said = fails(double, RENAME)
        assert (
            f"the switch gave revision {name} (state pending) as a new draft, which it is" in said
        )
        assert double.control.state()["revisions"][name]["state"] == "pending"
        assert "message" not in double.applied["system"]


# recognising, approving, disturbing


def test_another_device_is_refused(leaf: Any) -> None:
    assert run(leaf, RENAME, identity=Identity(serial="MT0000X00000")).recognised
    said = fails(leaf, WISH_BACK, identity=Identity(serial="MT9"))
    assert "expected serial MT9, found serial MT0000X00000" in said


WISH_BACK = Wish({"system": {"date-time": {"timezone": "Etc/GMT"}}})


def test_only_what_was_approved_is_applied(leaf: Any) -> None:
    planned = entry(run(leaf, RENAME, write=False), "leaf-01")
    approval = Approval(planned["base"], planned["diff"])
    other = Wish({"system": {"date-time": {"timezone": "Etc/GMT"}}})
    assert "not the approved one" in fails(leaf, other, needs_approval=True, approved=approval)
    leaf.control.foreign({"system": {"date-time": {"timezone": "Europe/Berlin"}}})
    assert "was changed since" in fails(leaf, RENAME, needs_approval=True, approved=approval)


def test_a_switch_in_service_is_not_disturbed_unasked(leaf: Any) -> None:
    wish = Wish({"qos": {"traffic-pool": {"default-lossy": {"memory-percent": 5}}}})
    said = fails(leaf, wish, allow_disruptive=frozenset())
    assert "allow_disruptive must name switchd_reload" in said
    assert all(entry.startswith("GET") for entry in requests(leaf))
    leaf.control.sessions("idle")
    leaf.control.links("down")
    assert run(leaf, wish, allow_disruptive=frozenset()).changed


# secrets


CANARY = "$6$salt$canary-hash-of-a-password"


def test_a_secret_is_sent_once_and_again_only_when_rotated(leaf: Any) -> None:
    user = {"hashed-password": CANARY, "role": "nvue-monitor"}
    wish = Wish({"system": {"aaa": {"user": {"watcher": user}}}})
    assert run(leaf, wish).changed
    assert config(leaf)["system"]["aaa"]["user"]["watcher"]["hashed-password"] == CANARY
    assert not run(leaf, wish).changed
    again = Wish(wish.config, rotate=("system/aaa/user/*/hashed-password",))
    outcome = run(leaf, again)
    assert [change.path[-1] for change in outcome.changes] == ["hashed-password"]
    assert CANARY not in str(entry(outcome, "leaf-01"))


def test_communities_are_known_by_number_not_by_name(leaf: Any) -> None:
    snmp = {"state": "enabled", "listening-address": {"all": {"vrf": "mgmt"}},
            "readonly-community": {"canary-community": {"access": {"any": {}}}}}  # fmt: skip
    wish = Wish({"system": {"snmp-server": snmp}}, state="replaced", owns=("system/snmp-server",))
    assert run(leaf, wish).changed
    assert not run(leaf, wish).changed


def test_a_token_that_no_header_may_hold_is_not_shown(leaf: Any) -> None:
    with pytest.raises(NvueError, match="could not be written") as refused:
        api_of(leaf, token="canary\nx").get(("platform",), {}, something)
    assert "canary" not in str(refused.value)
