# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The out-of-band side: services, users, the API's listener."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    compose,
    system,
)

LEAF = "leaf-p1-su001-r1"


def base(fabric, **options):
    return compose.document(fabric, LEAF, ["switch_base"], options=options)


def test_services_stand_in_the_management_vrf(load):
    fabric = load(
        management={
            "ntp": ["192.0.2.1"],
            "dns": ["192.0.2.2"],
            "syslog": ["192.0.2.3:1514"],
            "telemetry": ["192.0.2.4:4317", "192.0.2.5:4317"],
        }
    )
    made = base(fabric)["system"]
    assert made["hostname"] == LEAF
    assert made["ntp"]["vrf"] == "mgmt"
    assert made["dns"]["server"] == {"192.0.2.2": {"vrf": "mgmt"}}
    assert made["syslog"]["server"] == {
        "192.0.2.3": {"port": 1514, "protocol": "udp", "vrf": "mgmt"}
    }
    assert made["telemetry"]["export"]["vrf"] == "mgmt"


@pytest.mark.parametrize("accept, domain", [([], "x.example"), (["5.14.0", "5.17"], None)])
def test_the_domain_is_said_where_every_release_has_a_word_for_it(load, accept, domain):
    made = base(load(management={"domain": "x.example"}, accept_releases=accept))
    assert made["system"]["dns"].get("domain") == domain


@pytest.mark.parametrize("zone, owned", [("", False), ("Etc/UTC", True)])
def test_a_time_zone_that_nobody_states_is_left_as_it_is(load, zone, owned):
    ctx = compose.context(load(), LEAF, options={"timezone": zone})
    assert ("system/date-time/timezone" in compose.owns(ctx, ["switch_base"])) is owned
    assert ("date-time" in compose.render(ctx, ["system"])["system"]) is owned


def test_a_short_community_is_refused(load):
    with pytest.raises(FabricError, match="fewer than the 8 characters"):
        base(load(), snmp={"community": "public"})


@pytest.mark.parametrize(
    "row, made, owned",
    [
        ({}, None, []),
        ({"hashed_password": "", "role": None}, None, []),
        ({"full_name": "reads"}, {"full-name": "reads"}, ["full-name"]),
        ({"role": "nvue-admin"}, {"role": "nvue-admin"}, ["role"]),
        ({"ssh_keys": {}}, None, ["ssh/authorized-key"]),
    ],
)
def test_of_a_user_only_what_is_stated_is_owned(load, row, made, owned):
    ctx = compose.context(load(), LEAF, options={"users": {"ops": row}})
    user = compose.render(ctx, ["system"])["system"].get("aaa")
    assert user == ({"user": {"ops": made}} if made else None)
    globs = [glob for glob in compose.owns(ctx, ["switch_base"]) if "aaa" in glob]
    assert globs == [f"system/aaa/user/ops/{place}" for place in owned]


def test_users_by_hash_and_key_and_no_others_owned(load):
    users = {
        "ops": {
            "hashed_password": "x",
            "role": "nvue-admin",
            "ssh_keys": {"a": "ssh-ed25519 AAAA me"},
        }
    }
    made = base(load(), users=users)["system"]["aaa"]["user"]
    assert made == {
        "ops": {
            "role": "nvue-admin",
            "hashed-password": "x",
            "ssh": {"authorized-key": {"a": {"type": "ssh-ed25519", "key": "AAAA"}}},
        }
    }
    ctx = compose.context(load(), LEAF, options={"users": users})
    owned = [glob for glob in compose.owns(ctx, ["switch_base"]) if "aaa" in glob]
    assert owned == [
        f"system/aaa/user/ops/{place}"
        for place in ("hashed-password", "role", "ssh/authorized-key")
    ]


def test_the_api_listens_out_of_band_only(load):
    made = compose.document(load(), LEAF, ["api"])["system"]["api"]
    (address,) = made["listening-address"]
    assert load().slice(LEAF)["management"].startswith(address + "/")


def test_an_address_of_unknown_length_stays_as_it_is(load, tmp_path):
    (tmp_path / "devices.csv").write_text(f"place,management\n{LEAF},192.0.2.77\n")
    fabric = load(devices="devices.csv")
    assert "ipv4" not in base(fabric)["interface"]["eth0"]
    owned = compose.owns(compose.context(fabric, LEAF), ["switch_base"])
    assert "interface/eth0/ipv4" not in owned
    assert "interface/eth0/vrf" in owned


def test_the_listener_and_its_certificate(load):
    fabric = load()
    own = fabric.slice(LEAF)["management"].partition("/")[0]
    listener = {"listening-address": {own: {}}}
    assert system.api(compose.context(fabric, LEAF)) == {"system": {"api": listener}}
    named = compose.context(fabric, LEAF, options={"api_certificate": "site"})
    assert system.api(named) == {"system": {"api": {**listener, "certificate": "site"}}}
