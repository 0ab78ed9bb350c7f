# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The worked examples of extending.rst, carried out on the real code."""

from __future__ import annotations

import copy
import ipaddress
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim import (
    nautobot_table,
    netbox_table,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import results, switch
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import (
    data,
    ra,
    roles,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.networks import (
    Networks,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export import (
    exports,
    rows,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim import owners
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.output import Output
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology import (
    converged_cabling,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    EAST_WEST,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    compose,
    ownership,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    attachments,
    schema,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import (
    dialect,
    dialect_table,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.audit.conftest import (
    Healthy,
)

from .blocks import ROOT, Block, blocks

EXAMPLES = [block for block in blocks() if block.page == "extending.rst"]
LAB = ROOT / "inventories" / "lab" / "model" / "fabric.yml"


def example(text: str) -> Block:
    """The block that holds a text."""
    (found,) = [block for block in EXAMPLES if text in block.text]
    return found


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The catalog with tables of this test's own, by name."""
    own: dict[str, Any] = {}
    for name in ("ra_profiles", "profiles", "ownership", "checks_switch"):
        own[name] = copy.deepcopy(data.table(name))
    shipped = data.table

    def table(name: str) -> Any:
        return own[name] if name in own else shipped(name)

    for module in list(sys.modules.values()):
        if getattr(module, "table", None) is shipped:
            monkeypatch.setattr(module, "table", table)
    return own


def test_a_release_of_the_reference_architecture(tables: dict[str, Any]) -> None:
    tables["ra_profiles"]["releases"].update(yaml.safe_load(example('"2.5"').text))
    bluefield = ra.load_profile("2.5", "a2dc", "none")
    connectx = ra.load_profile("2.5", "1023", "none")
    assert bluefield["nic"]["nvconfig"]["INTERNAL_CPU_OFFLOAD_ENGINE"] == 1
    assert "INTERNAL_CPU_OFFLOAD_ENGINE" not in connectx["nic"]["nvconfig"]
    assert connectx["cc_package"] == "3.6.0"


def test_a_renamed_place(monkeypatch: pytest.MonkeyPatch) -> None:
    row = eval(example("Move(").text, {"Move": dialect_table.Move})
    monkeypatch.setattr(dialect_table, "MOVES", (row, *dialect_table.MOVES))
    new = {"system": {"telemetry": {"optics-stats": {"sample-interval": 5}}}}
    old = dialect.spell(new, parse("5.14"))
    assert old == {"system": {"telemetry": {"transceiver-stats": {"sample-interval": 5}}}}
    assert dialect.from_release(old, parse("5.14")) == new


def test_an_address_profile(tables: dict[str, Any], tmp_path: Path) -> None:
    tables["profiles"]["profiles"].update(yaml.safe_load(example("flat-v4").text))
    path = tmp_path / "fabric.yml"
    text = LAB.read_text(encoding="utf-8")
    path.write_text(text.replace("nvidia-guide-v4-2tier", "flat-v4"), encoding="utf-8")
    fabric = Fabric.load(str(path))
    ports = [row for node in fabric.nodes() for row in fabric.slice(node)["ports"]]
    assert len({row["address"] for row in ports}) == len(ports) == 12
    for row in ports:
        assert ipaddress.ip_address(row["address"]) in ipaddress.ip_network("10.0.0.0/9")
        assert fabric.locate(row["address"])


def test_a_feature_of_a_switch(tables: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    scope: dict[str, Any] = {"Context": object, "Doc": dict}
    exec("from __future__ import annotations\n" + example("def optics").text, scope)
    feature = compose.Feature("optics", "switch_underlay", scope["optics"])
    monkeypatch.setattr(compose, "FEATURES", (*compose.FEATURES, feature))
    tables["ownership"]["switch_underlay"].append("interface/{host}/link/low-power")
    fabric = Fabric.load(str(LAB))
    made = compose.document(fabric, "leaf-p1-su001-r1", features=["optics"])
    assert made == {"interface": {"swp2s1": {"link": {"low-power": "enabled"}}}}
    context = compose.context(fabric, "leaf-p1-su001-r1")
    owned = ownership.owned(context, ["switch_underlay"])
    assert "interface/swp2s1/link/low-power" in owned
    assert compose.document(fabric, "spine-p1-s01", features=["optics"]) == {}


def test_a_check(tables: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    scope: dict[str, Any] = {
        name: getattr(results, name) for name in ("failed", "passed", "not_run")
    }
    exec("from __future__ import annotations\n" + example("def fans").text, scope)
    monkeypatch.setitem(switch.CHECKS, "switch.fans", scope["fans"])
    tables["checks_switch"]["switch.fans"] = {"says": "Every fan turns."}
    states = {}
    for fans in ({}, {"fan1": "ok"}, {"fan1": "ok", "fan2": "absent"}):
        healthy = Healthy(Fabric.load(str(LAB)), "leaf-p1-su001-r1")
        healthy.applied["fans"] = fans
        states[len(fans)] = {row["state"] for row in healthy.results("switch.fans")}
    assert states == {0: {"not_run"}, 1: {"pass"}, 2: {"fail"}}


def test_an_export(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    scope: dict[str, Any] = {"rows": rows}
    exec("from __future__ import annotations\n" + example("def serials_csv").text, scope)
    export = exports.Export(exports._one("serials.csv", scope["serials_csv"]), default=False)
    monkeypatch.setitem(exports.EXPORTS, "serials", export)
    monkeypatch.setitem(exports.PLACES, "serials", "serials.csv")
    fabric = Fabric.load(str(ROOT / "inventories" / "brownfield-256" / "model" / "fabric.yml"))
    exports.write(fabric, Output(str(tmp_path)), kinds=["serials"])
    lines = (tmp_path / "serials.csv").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "device,serial"
    assert len(lines) > 1


def test_a_device_role() -> None:
    """The record is one of its kind; test_roles.py adds it to a copy of the catalog and uses it."""
    ((name, record),) = yaml.safe_load(example("service_leaf").text).items()
    role = roles.role_of(name, record)
    others = [other for other in roles.ROLES.values() if other.network == role.network]
    assert role.asn not in [other.asn for other in others]
    assert role.code not in [other.code for other in roles.ROLES.values()]
    assert (role.group, role.singular) == ("spx_service_leaf", "service leaf")


def test_a_field_of_a_dcim(monkeypatch: pytest.MonkeyPatch) -> None:
    fields = {**owners.FIELDS["device"], "airflow": "once"}
    monkeypatch.setattr(owners, "FIELDS", {**owners.FIELDS, "device": fields})
    assert owners.owner("device", "airflow") == "once"
    for table in (netbox_table, nautobot_table):
        device = table.ROWS["device"]
        more = device._replace(columns=(*device.columns, table.text("airflow")))
        assert [column.column for column in more.columns][-1] == "airflow"


def test_a_network() -> None:
    """The names that a network has in the files of the example are the same ones."""
    beyond = set(attachments.POLICIES) - {EAST_WEST}
    assert beyond == set(schema.OTHERS) == set(converged_cabling.NETWORKS)
    assert {name.replace("-", "_") for name in beyond} <= set(Networks.model_fields)


def test_files_of_the_examples_exist() -> None:
    text = (ROOT / "docs" / "docsite" / "rst" / "extending.rst").read_text(encoding="utf-8")
    files = re.findall(r"``(plugins/[\w/.]+\.(?:py|yaml))``", text)
    assert len(files) > 15
    assert [name for name in files if not (ROOT / name).is_file()] == []
