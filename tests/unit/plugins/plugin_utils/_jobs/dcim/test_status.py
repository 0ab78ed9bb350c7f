# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Statuses from a validation: things that it did not read have none, and rest never fails."""

from __future__ import annotations

import pathlib
import shutil

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.results import (
    Finding,
    Result,
    Subject,
    failed,
    not_realised,
    not_run,
    passed,
    waived,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.context import (
    Context,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.owners import (
    Rules,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.push import push
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.status import (
    Statuses,
    truth,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._jobs.dcim.memory import (
    Memory,
    fabric,
    job,
    of_folder,
)

LAB = fabric()
LEAF, SPINE, NODE = "leaf-p1-su001-r1", "spine-p1-s01", "worker-su01-rack01-h01"
NEIGHBOUR, SWAP = "switch.lldp.neighbour", "switch.lldp.swap"


def rows(device: str, *found: tuple[str, Finding], of: object = LAB) -> list[Result]:
    subject = Subject.of(of, of.known(device))  # type: ignore[arg-type, attr-defined]
    return [subject.result(check, finding) for check, finding in found]


def judged(*results: list[Result], of: object = LAB) -> Statuses:
    context = Context(of, Registry.load(of))  # type: ignore[arg-type]
    return truth(context, [row for found in results for row in found])


@pytest.mark.parametrize(
    ("finding", "status"),
    [
        (passed(), "active"),
        (failed("it could not be read."), "failed"),
        (not_run("it did not answer."), "failed"),
    ],
)
def test_a_device_that_answers_is_active(finding: Finding, status: str) -> None:
    made = judged(
        rows(LEAF, ("switch.reachable", finding)), rows(NODE, ("host.reachable", finding))
    )
    assert made.statuses["device"] == {f"lab/{LEAF}": status, f"lab/{NODE}": status}


def test_a_device_whose_answer_is_waived_has_no_status() -> None:
    found = [waived(row, "Waived.") for row in rows(LEAF, ("switch.reachable", failed("no.")))]
    assert judged(found).statuses["device"] == {}


def test_a_device_that_was_not_asked_has_no_status() -> None:
    assert judged(rows(LEAF, ("switch.release", passed()))).statuses["device"] == {}


def cables(made: Statuses) -> dict[str, str]:
    return dict(made.statuses["cable"])


def test_cables_are_connected_wrong_or_disconnected() -> None:
    made = judged(
        rows(
            LEAF,
            ("switch.link.state", failed("x", port="swp1s0", found="down")),
            (NEIGHBOUR, failed("x", port="swp1s0", found=None)),
            (NEIGHBOUR, failed("x", port="swp2s0", found="other swp9")),
            (SWAP, passed()),
        )
    )
    keys = _keys()
    assert cables(made)[keys["swp1s0"]] == "disconnected"
    assert cables(made)[keys["swp2s0"]] == "wrong"
    others = {
        status
        for key, status in cables(made).items()
        if key not in (keys["swp1s0"], keys["swp2s0"])
    }
    assert others == {"connected"}


@pytest.mark.parametrize("found", [None, ["printer 1"], ["localhost p0", "other swp9"]])
def test_a_cable_is_not_given_up_on_less_than_proof(found: object) -> None:
    """Silence at a port that is up, a name that no plan has, or one of several neighbours prove no cable wrong."""
    wrong = (NEIGHBOUR, failed("x", port="swp1s0", found=found))
    assert _keys()["swp1s0"] not in cables(judged(rows(LEAF, wrong, (SWAP, passed()))))


@pytest.mark.parametrize(
    ("finding", "status"),
    [
        (passed(found=["rail1p1"]), "connected"),
        (failed("x", port="rail1p1", found="rail2p1"), "wrong"),
        (not_run("neither"), None),
    ],
)
def test_mac_addresses_decide_where_lldp_does_not(finding: Finding, status: str | None) -> None:
    silent = (NEIGHBOUR, not_realised("x", port="swp1s0"))
    made = judged(
        rows(LEAF, silent, (SWAP, passed())),
        rows(NODE, ("pair.cable", finding)),
    )
    assert cables(made).get(_keys()["swp1s0"]) == status


def _keys() -> dict[str, str]:
    """Ports of the leaf, by which its cables are named in the plan of the lower end."""
    context = Context(LAB, Registry.load(LAB))
    leaf, made = LAB.known(LEAF), {}
    for port in ("swp1s0", "swp2s0"):
        end = LAB.peer(leaf, port)
        assert end is not None
        made[port] = context.interface(*end).key
    return made


def test_exchanged_cables_are_both_wrong() -> None:
    found = (SWAP, failed("x", port="swp1s0,swp2s0", expected=[], found=[]))
    made = judged(rows(LEAF, found))
    assert {cables(made)[key] for key in _keys().values()} == {"wrong"}


def test_the_worse_end_of_a_cable_counts() -> None:
    spine = LAB.known(SPINE)
    port = next(LAB.port_name(spine, one) for one in LAB.cabling.ports(spine))
    right = rows(LEAF, (NEIGHBOUR, passed()), (SWAP, passed()))
    wrong = rows(SPINE, (NEIGHBOUR, failed("x", port=port, found="other swp9")), (SWAP, passed()))
    for order in ([right, wrong], [wrong, right]):
        assert list(cables(judged(*order)).values()).count("wrong") == 1


@pytest.mark.parametrize(
    "found",
    [
        [(NEIGHBOUR, passed())],
        [(NEIGHBOUR, not_run("x")), (SWAP, not_run("x"))],
        [(SWAP, passed())],
    ],
)
def test_without_both_checks_no_cable_has_a_status(found: list[tuple[str, Finding]]) -> None:
    assert cables(judged(rows(LEAF, *found))) == {}


def test_a_waived_port_has_no_status() -> None:
    found = rows(LEAF, (NEIGHBOUR, failed("x", port="swp1s0", found=None)), (SWAP, passed()))
    made = judged([waived(row, "Waived.") if row["port"] else row for row in found])
    assert _keys()["swp1s0"] not in cables(made)
    assert cables(made)[_keys()["swp2s0"]] == "connected"


def test_a_port_that_is_not_proven_has_no_status() -> None:
    doubt = not_realised("x", port="swp1s0", found="bmc eth0")
    made = judged(rows(LEAF, (NEIGHBOUR, doubt), (NEIGHBOUR, passed()), (SWAP, passed())))
    assert _keys()["swp1s0"] not in cables(made)
    assert cables(made)[_keys()["swp2s0"]] == "connected"


def test_what_is_out_of_service_is_offline_and_never_failed(tmp_path: pathlib.Path) -> None:
    folder = pathlib.Path(shutil.copytree(INVENTORIES / "lab", tmp_path / "lab"))
    description = folder / "model" / "fabric.yml"
    rest = f"out_of_service: [{{device: {LEAF}, since: 2026-01-01, reason: fan}}]\n"
    description.write_text(description.read_text(encoding="utf-8") + rest, encoding="utf-8")
    made = of_folder(folder)
    both = [
        rows(
            LEAF,
            ("switch.reachable", not_run("x")),
            (NEIGHBOUR, passed()),
            (SWAP, passed()),
            of=made,
        )
    ]
    found = judged(*both, of=made)
    assert found.statuses["device"] == {f"lab/{LEAF}": "offline"}
    assert cables(found) == {}


def test_statuses_are_written_with_results_and_left_without_them() -> None:
    dcim = Memory()
    push(job(dcim), dry=False)
    dcim.edit("device", f"lab/{SPINE}", status="active")
    found = rows(LEAF, ("switch.reachable", passed()), (NEIGHBOUR, passed()), (SWAP, passed()))
    silent = rows(SPINE, ("switch.reachable", not_run("x")))
    unbuilt = rows("leaf-p1-su001-r2", ("switch.reachable", not_run("x")))
    made = judged(found, silent, unbuilt)
    push(job(dcim, truth=made), dry=False)
    assert dcim.find("device", f"lab/{LEAF}").values["status"] == "active"
    assert dcim.find("device", f"lab/{SPINE}").values["status"] == "failed"
    assert dcim.find("device", "lab/leaf-p1-su001-r2").values["status"] == "planned"
    assert dcim.find("device", f"lab/{NODE}").values["status"] == "planned"
    assert dcim.find("cable", _keys()["swp1s0"]).values["status"] == "connected"
    assert not push(job(dcim, truth=made), dry=True).tally.counts
    assert not push(job(dcim), dry=True).tally.counts


def test_what_is_taken_over_is_taken_over_with_results_too() -> None:
    """Its status alone differs, and nobody found one: it stays, and the device is ours."""
    dcim = Memory()
    push(job(dcim), dry=False)
    key = f"lab/{SPINE}"
    one = dcim.find("device", key)
    foreign = one._replace(key="", owned=False, tags=(), digest="")
    dcim.put(foreign._replace(values={**one.values, "status": "active"}))
    made = judged(rows(LEAF, ("switch.reachable", passed())))
    push(job(dcim, truth=made, rules=Rules.of({"device": "plan"})), dry=False)
    found = dcim.find("device", key)
    assert (found.owned, found.values["status"]) == (True, "active")
