# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Front end and storage of a host: links, bonds and partners, addresses and the default route."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import (
    host,
    host_tries,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.host import networks

from ..render.host.attached import FRONT, STORAGE, ports
from .hosts import parts, spoiled, view_of

CHECKS = [name for name in table("checks_networks") if name.startswith("host.")]
CASES = {
    "bonds": [*ports(FRONT), *ports(STORAGE)],
    "vlan": ports(FRONT, vlan=2021),
    "routed": [*ports(FRONT, bond=False), *ports(STORAGE, bond=False)],
}


def link(row, rows):
    """Return the output of iproute2 for one that is as planned."""
    made = {"ifname": row["name"], "flags": ["UP", "LOWER_UP"], "operstate": "UP", "addr_info": []}
    if not row.get("bond"):
        address = {"local": row.get("address", "10.208.14.9"), "prefixlen": 23, "scope": "global"}
        made["addr_info"] = [address, {"local": "fe80::1", "prefixlen": 64, "scope": "link"}]
    if "members" in row:
        info = {"num_ports": len(row["members"]), "partner_mac": row["system"], "aggregator": 1}
        made["linkinfo"] = {"info_kind": "bond", "info_data": {"ad_info": info}}
    return made


def view(case="bonds", *, idle=None, **changes):
    fabric, registry, wanted = parts()
    rows = networks.rows(CASES[case], table_base=1000, idle=idle)
    made = view_of(fabric, registry, {**wanted, "networks": rows}, {})
    seen = {
        "networks": {row["name"]: link(row, rows) for row in rows},
        "default_by": "front1" if case == "routed" else "front",
        **changes,
    }
    return spoiled(made, {"network": {**made.look["network"], **seen}})


def found(view):
    return host.check(view, CHECKS)


def states(view):
    return {row["id"]: row["state"] for row in found(view)}


def failures(view):
    return [(row["id"], row["sentence"]) for row in found(view) if row["state"] != "pass"]


@pytest.mark.parametrize("case", CASES)
def test_a_host_as_planned(case):
    due = CHECKS if case != "routed" else [name for name in CHECKS if name != "host.bond"]
    assert states(view(case)) == dict.fromkeys(due, "pass")


def test_a_host_with_rails_alone_has_nothing_of_them():
    fabric, registry, wanted = parts()
    assert found(view_of(fabric, registry, wanted, {})) == []


def test_what_was_not_read_passes_nowhere():
    assert states(view(networks=None)) == dict.fromkeys(CHECKS, "not_run")


def with_link(name, case="bonds", **changes):
    made = view(case)
    made.look["network"]["networks"][name] |= copy.deepcopy(changes)
    return made


def info(**values):
    base = {"num_ports": 2, "partner_mac": "44:38:39:ff:01:00"}
    return {"info_kind": "bond", "info_data": {"ad_info": {**base, **values}}}


@pytest.mark.parametrize(
    ("made", "check", "words"),
    [
        (
            lambda: with_link("front2", flags=["UP"]),
            "host.port",
            "front2: the link to front-end-leaf-001-2 swp1 is down",
        ),
        (
            lambda: with_link("front", flags=["UP"]),
            "host.bond",
            "front: no port of the bond has carrier",
        ),
        (
            lambda: with_link("front", linkinfo=info(num_ports=1)),
            "host.bond",
            "front: LACP has 1 of 2 ports in its group: check the bond of front-end-leaf-001-1, front-end-leaf-001-2",
        ),
        (
            lambda: with_link("front", linkinfo=info(partner_mac="44:38:39:ff:01:07")),
            "host.bond",
            "front: its partner is 44:38:39:ff:01:07, expected 44:38:39:ff:01:00",
        ),
        (lambda: with_link("stor", addr_info=[]), "host.address", "stor: it has no address"),
        (
            lambda: with_link("front.2021", "vlan", addr_info=[]),
            "host.address",
            "front.2021: it has no address",
        ),
        (lambda: view(default_by="eno1"), "host.address", "front: the default route is of eno1"),
        (lambda: view(default_by=""), "host.address", "front: the default route is missing"),
    ],
)
def test_what_is_wrong_is_said(made, check, words):
    ((name, sentence),) = failures(made())
    assert (name, words in sentence) == (check, True), sentence


def test_a_bond_that_reports_no_partner_does_not_pass():
    made = with_link("front", linkinfo={"info_kind": "bond", "info_data": {}})
    said = " ".join(sentence for _name, sentence in failures(made))
    assert "an unknown number of 2 ports" in said
    assert "its partner is unknown" in said


def test_one_that_is_missing_is_said():
    made = view("vlan")
    del made.look["network"]["networks"]["front.2021"]
    ((name, sentence),) = failures(made)
    assert (name, sentence) == (
        "host.address",
        "front.2021: the host does not have it: run playbook dpus.",
    )


def test_a_port_out_of_service_is_missed_by_nobody():
    made = view(idle={"front2": "repair ordered"})
    made.look["network"]["networks"]["front2"]["flags"] = ["UP"]
    made.look["network"]["networks"]["front"]["linkinfo"] = info(num_ports=1)
    assert [row["state"] for row in found(made)].count("fail") == 0
    assert "not_run" in [row["state"] for row in found(made)]


def test_storage_that_is_shut_is_missed_by_nobody():
    made = view(idle={STORAGE: "nobody has storage in rest"})
    for name in ("stor1", "stor2", "stor"):
        made.look["network"]["networks"][name] |= {"flags": ["UP"], "addr_info": []}
    rows = found(made)
    assert {row["state"] for row in rows} == {"pass", "not_run"}
    assert "stor: it is not in use: nobody has storage in rest" in [row["sentence"] for row in rows]


def test_asking_for_these_alone_still_looks_at_the_host():
    assert not host_tries.alone(["host.bond"])


def test_a_unit_that_takes_changes_back_and_is_not_enabled_is_said():
    says = "spectrum-x-take-back.service: it is disabled, expected enabled."
    made = view(wrong_units=[says])
    (row,) = [row for row in host.check(made, ["host.interfaces"]) if row["state"] == "fail"]
    assert row["sentence"] == f"{says} Run playbook dpus."
