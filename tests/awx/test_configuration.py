# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of AWX, run against stand-ins that take exactly what awx.awx takes.

The stand-ins are made from ``argument_specs.json`` (see record.py), so Ansible itself refuses an
unknown option, a wrong type or a missing one. No AWX is contacted, nor needed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import variables

ROOT = Path(__file__).resolve().parents[2]
AWX = ROOT / "extensions" / "awx"
PROJECT = AWX / "project"
HERE = Path(__file__).parent
VARIABLES = yaml.safe_load(
    (ROOT / "plugins/plugin_utils/_fabric/catalog/variables.yaml").read_text(encoding="utf-8")
)
Calls = list[dict[str, Any]]


def stand_ins(tree: Path, log: Path) -> None:
    """A collection awx.awx whose modules only look at their options."""
    modules = tree / "ansible_collections" / "awx" / "awx" / "plugins" / "modules"
    modules.mkdir(parents=True)
    text = (HERE / "stub.py").read_text(encoding="utf-8")
    recorded = json.loads((HERE / "argument_specs.json").read_text(encoding="utf-8"))
    for name, spec in recorded["modules"].items():
        made = text.replace("@SPEC@", json.dumps(spec)).replace("@LOG@", str(log))
        short = name.rsplit(".", 1)[1]
        (modules / f"{short}.py").write_text(made.replace("@NAME@", short), encoding="utf-8")


def configure(folder: Path, *arguments: str) -> tuple[int, str, Calls]:
    """(exit code, output, calls) of the playbook."""
    log = folder / "calls.jsonl"
    stand_ins(folder / "tree", log)
    tools = str(Path(sys.executable).parent)
    env = os.environ | {
        "PATH": os.pathsep.join((tools, os.environ["PATH"])),
        "ANSIBLE_COLLECTIONS_PATH": str(folder / "tree"),
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "SPX_NVUE_WRITER_PASSWORD": "canary-writer",
        "SPX_NVUE_READER_PASSWORD": "canary-reader",
        "SPX_NVUE_CA_TEXT": "-----BEGIN CERTIFICATE-----",
    }
    done = subprocess.run(
        ["ansible-playbook", str(AWX / "configure.yml"), *arguments],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return done.returncode, done.stdout + done.stderr, [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> Calls:
    """Configuration of AWX for a fabric of three pods."""
    settings = json.dumps({"awx_pods": ["01", "02", "03"], "awx_super_spines": True})
    code, output, made = configure(tmp_path_factory.mktemp("awx"), "-vvvv", "-e", settings)
    assert code == 0, output
    assert "canary" not in output
    return made


def of(calls: Calls, module: str) -> dict[str, dict[str, Any]]:
    """Return the input of one module, by name or identifier."""
    given = [call["given"] for call in calls if call["module"] == module]
    return {row.get("identifier", row.get("name", "")): row for row in given}


def questions(calls: Calls) -> list[dict[str, Any]]:
    """The questions of all surveys."""
    surveys = [row.get("survey_spec", {}) for row in of(calls, "job_template").values()]
    return [question for survey in surveys for question in survey.get("spec", [])]


@pytest.mark.parametrize(
    "options, sentence",
    [
        ({"name": "x", "colour": "red"}, "Unsupported parameters"),
        ({"name": "x", "job_type": "dance"}, "value of job_type must be one of"),
        ({"name": "x", "forks": "many"}, "cannot be converted to an int"),
        ({}, "missing required arguments"),
    ],
)
def test_a_stand_in_refuses_what_the_real_module_would(
    options: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    stand_ins(tmp_path, tmp_path / "calls.jsonl")
    module = tmp_path / "ansible_collections/awx/awx/plugins/modules/job_template.py"
    arguments = json.dumps({"ANSIBLE_MODULE_ARGS": options})
    done = subprocess.run(
        [sys.executable, str(module), arguments], capture_output=True, text=True, check=False
    )
    assert json.loads(done.stdout)["failed"]
    assert sentence in done.stdout


def test_surveys_ask_for_variables_that_exist(calls: Calls) -> None:
    asked = questions(calls)
    assert len(asked) > 8
    for question in asked:
        assert question["variable"] in VARIABLES


def test_surveys_offer_what_a_variable_takes(calls: Calls) -> None:
    for question in questions(calls):
        row = VARIABLES[question["variable"]]
        if row["type"] == "bool":
            assert question["choices"] == ["false", "true"]
            assert question["default"] == "false"
        elif "choices" in row:
            assert question["choices"] == row["choices"]
        else:
            assert question["type"] == "text"


def test_extra_variables_are_declared(calls: Calls) -> None:
    stated = [row.get("extra_vars", {}) for row in of(calls, "job_template").values()]
    assert {name for row in stated for name in row} <= set(VARIABLES)


def test_reports_of_one_workflow_share_a_folder(calls: Calls) -> None:
    templates = of(calls, "job_template")
    report = templates["lab switches, check"]["extra_vars"]["spx_report"]
    approved = templates["lab switches, approved"]["extra_vars"]["spx_approved"]
    assert approved == f"{report}/changes.json"
    assert report.endswith("/{{ awx_workflow_job_id | default(awx_job_id) }}")


def test_templates_run_wrappers_that_run_playbooks(calls: Calls) -> None:
    for row in of(calls, "job_template").values():
        (play,) = yaml.safe_load((PROJECT / row["playbook"]).read_text(encoding="utf-8"))
        name = play["ansible.builtin.import_playbook"].removeprefix("spectrum_x.fabric.")
        assert (ROOT / "playbooks" / f"{name}.yml").is_file()
        assert row["playbook"] == f"fabric_{name}.yml"


def test_each_template_gets_the_accounts_that_it_needs(calls: Calls) -> None:
    """Only what writes gets the account that writes, only what logs in to hosts the one of hosts."""
    writing, reading, hosts = "lab switches, writing", "lab switches, reading", "lab hosts"
    given = {name: row.get("credentials", []) for name, row in of(calls, "job_template").items()}
    assert given == {
        "lab plan": [],
        "lab switches, check": [reading],
        "lab switches, approved": [writing],
        "lab provision": [writing, hosts],
        "lab slow job": ["lab switches, reading"],
        "lab validate": [reading, hosts],
        "lab backup": [reading],
        "lab credentials": [writing],
        "lab upgrade": [writing],
        "lab onboard a tenant": [writing],
        "lab move nodes": [writing],
    }
    assert of(calls, "credential")[hosts]["credential_type"] == "Machine"


def test_jobs_side_by_side_share_no_report(calls: Calls) -> None:
    """A run makes its report anew, so that two in one folder would take each other's."""
    report = of(calls, "job_template")["lab provision"]["extra_vars"]["spx_report"]
    assert report.endswith("/{{ awx_job_id }}")


def test_nothing_is_applied_without_an_approval(calls: Calls) -> None:
    nodes = of(calls, "workflow_job_template")["lab change the switches"]["workflow_nodes"]
    after = {
        node["identifier"]: [
            n["identifier"] for n in (node["related"] or {}).get("success_nodes", [])
        ]
        for node in nodes
        if node.get("related")
    }
    assert after == {"check": ["approve"], "approve": ["apply"], "apply": ["validate"]}
    approval = next(node for node in nodes if node["identifier"] == "approve")
    assert approval["unified_job_template"]["type"] == "workflow_approval"


def test_each_pod_has_a_job(calls: Calls) -> None:
    nodes = of(calls, "workflow_job_template_node")
    limits = {name: node.get("limit") for name, node in nodes.items() if name != "validate"}
    assert limits == {
        "super-spines": "spx_super_spine:localhost",
        "pod-01": "spx_pod_01:localhost",
        "pod-02": "spx_pod_02:localhost",
        "pod-03": "spx_pod_03:localhost",
    }
    assert nodes["super-spines"]["success_nodes"] == ["pod-01", "pod-02", "pod-03"]
    assert all(nodes[f"pod-{pod}"]["success_nodes"] == ["validate"] for pod in ("01", "02", "03"))
    assert nodes["validate"]["all_parents_must_converge"]


def test_awx_itself_deals_no_hosts_out(calls: Calls) -> None:
    """Its slices know no pods, and a playbook that goes in batches must see its hosts together."""
    assert all(row.get("job_slice_count", 1) == 1 for row in of(calls, "job_template").values())


def test_a_breach_is_told(calls: Calls) -> None:
    told = of(calls, "notification_template")["lab breach"]["messages"]["error"]["body"]
    assert re.search(r"2 if \(job\.host_status_counts\.failures", told)
    for row in of(calls, "job_template").values():
        assert row["notification_templates_error"] == ["lab breach"]


def test_new_passwords_are_what_their_playbook_reads(calls: Calls) -> None:
    kind = of(calls, "credential_type")["Spectrum-X new passwords"]
    assert all(variables.known(name.lower()) for name in kind["injectors"]["env"])
    secret = [field["id"] for field in kind["inputs"]["fields"] if field.get("secret")]
    assert secret == ["next_password", "spare_password"]
    assert of(calls, "job_template")["lab credentials"]["ask_credential_on_launch"]


def test_the_credential_is_what_the_actions_read(calls: Calls) -> None:
    kind = of(calls, "credential_type")["Spectrum-X switch API"]
    fragment = (ROOT / "plugins/doc_fragments/nvue.py").read_text(encoding="utf-8")
    read = set(re.findall(r"E\((SPX_NVUE_[A-Z]+)\)", fragment))
    assert set(kind["injectors"]["env"]) == read
    fields = {field["id"]: field for field in kind["inputs"]["fields"]}
    assert [name for name, field in fields.items() if field.get("secret")] == ["password", "token"]
    of_switches = [
        row for row in of(calls, "credential").values() if row["credential_type"] == kind["name"]
    ]
    assert len(of_switches) == 2
    for credential in of_switches:
        assert set(credential["inputs"]) <= set(fields)
