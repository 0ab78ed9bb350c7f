# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The guard that every playbook begins with, as Ansible runs it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from playing import extra_vars, play

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import variables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

TOOL = Path(sys.executable).with_name("ansible-inventory")
PLAYBOOKS = Path(__file__).parents[4] / "playbooks"
ANSWERS = ("sh", "-c", 'yes | "$@"', "sh")
"""To `--step`, which asks before each task."""
FOREIGN = "addressing:\n  pools: {switch_oob: 11.0.0.0/13}\n"


@pytest.fixture
def site(tmp_path):
    def made(name, **lines):
        folder = shutil.copytree(INVENTORIES / "lab", tmp_path / name)
        description = folder / "model" / "fabric.yml"
        text = description.read_text(encoding="utf-8")
        for old, new in lines.items():
            assert f"{old}:\n" in text
            text = text.replace(f"{old}:\n", new)
        description.write_text(text, encoding="utf-8")
        return folder

    return made


def begin(folder, *sources, arguments=(), meets=(), **variables):
    """Nothing in it connects to anything: the play runs on the controller alone."""
    book = folder / "begin.yml"
    task = {"spectrum_x.fabric.guard": {"meets": list(meets)}, "run_once": True}
    task["delegate_to"] = "localhost"
    hosts = "{{ 'localhost' if ansible_limit is undefined else 'localhost:all' }}"
    one = {"hosts": hosts, "gather_facts": False, "tasks": [task]}
    book.write_text(yaml.safe_dump([one]), encoding="utf-8")
    inventory = [part for source in sources for part in ("-i", str(source / "hosts.fabric.yml"))]
    return play(folder, *inventory, book, *arguments, *extra_vars(variables))


def test_what_every_device_lacks_is_refused_once(site, monkeypatch):
    """Of those within the limit; a token of the environment is one for each switch."""
    for name in ("USER", "PASSWORD", "TOKEN"):
        monkeypatch.delenv(f"SPX_NVUE_{name}", raising=False)
    own, both = site("own"), ("switches", "hosts")
    path = own / "model" / "fabric.yml"
    path.write_text(re.sub("pci: .*", "pci: []", path.read_text("utf-8")), "utf-8")
    assert begin(own, own)[0] == 0
    for meets, sentence, limit in (
        (both, "nics.pci: 0 PCI addresses are given for 2 rails", ()),
        (["switches"], "leaf-p1-su001-r1: No credentials", ()),
        (both, "spine-p1-s02: No credentials", ("--limit", "spine-p1-s02")),
        (["switches"], "", ("--limit", "worker-su01-rack01-h01")),
    ):
        code, output = begin(own, own, meets=meets, arguments=limit)
        assert (code, sentence in output) == (2 if sentence else 0, True), output
    code, output = begin(own, own, meets=["switches"], spx_device="spine-p1-s01")
    assert (code, "spine-p1-s01: No credentials" in output) == (2, True)
    monkeypatch.setenv("SPX_NVUE_TOKEN", "word")
    assert begin(own, own, meets=["switches"])[0] == 0


@pytest.mark.parametrize(
    "variables, sentence",
    [
        (
            "ansible_connection: ansible.netcommon.network_cli\n",
            "variable ansible_connection ({file} line 1): 'ansible.netcommon.network_cli' is not a connection for "
            "leaf-p1-su001-r1: remove the variable",
        ),
        (
            "spx_nvue_user: a\nspx_nvue_password: '{{ vault_word }}'\n",
            "leaf-p1-su001-r1: variable spx_nvue_password ({file} line 2): its template fails ('vault_word' is "
            "undefined)",
        ),
        (
            "spx_nvue_user: a\n",
            "leaf-p1-su001-r1: No credentials: spx_nvue_user is set, and spx_nvue_password is not: set it too",
        ),
    ],
)
def test_variables_that_no_switch_could_be_reached_by_are_named_with_their_file(
    site, variables, sentence, monkeypatch
):
    """Those of other teams too, who state in group_vars what fits their devices."""
    for name in ("USER", "PASSWORD", "TOKEN"):
        monkeypatch.delenv(f"SPX_NVUE_{name}", raising=False)
    own = site("own")
    (own / "group_vars").mkdir()
    file = own / "group_vars" / "spx_leaf.yml"
    file.write_text(variables, encoding="utf-8")
    code, output = begin(own, own, meets=["switches"])
    assert (code, output.count("[WARNING]")) == (2, 0), output
    assert sentence.format(file=file) in output


def test_settings_that_read_no_source_of_ours_are_named(site, monkeypatch):
    monkeypatch.setenv("ANSIBLE_INVENTORY_ENABLED", "yaml,ini")
    own = site("own")
    code, output = begin(own, own)
    assert code == 2
    said = "enable_plugins (env: ANSIBLE_INVENTORY_ENABLED): yaml, ini read no source such as "
    assert said in output


def test_an_inventory_of_its_own_passes(site):
    own = site("own")
    code, output = begin(own, own, spx_registry_write="true", spx_tenant="")
    assert code == 0, output


@pytest.mark.parametrize(
    ("strategy", "code"), [("ansible.builtin.free", 2), ("host_pinned", 2), ("debug", 0)]
)
def test_hosts_must_not_run_ahead_of_one_another(site, strategy, code, monkeypatch):
    monkeypatch.setenv("ANSIBLE_STRATEGY", strategy)
    own = site("own")
    found, output = begin(own, own)
    assert found == code, output
    said = f"strategy: '{strategy}' lets a host run ahead of the others"
    assert (said in output) == bool(code)


def test_a_description_and_an_inventory_of_two_fabrics_are_refused(site):
    """Neither answers for the other, of the same size or not."""
    own, other = site("own"), site("other")
    assert begin(own, other)[0] == 0, "the current folder names nothing"
    code, output = begin(own, other, spx_description=own)
    assert code == 2
    assert f"spx_description: it names {own}/model/fabric.yml, and the inventory source " in output
    assert f"of {other}/model/fabric.yml" in output


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("gone.fabric.yml", "the file does not exist: pass the hosts.fabric.yml of your project."),
        (
            "model/fabric.yml",
            "it is a description, not an inventory source: pass the hosts.fabric.yml",
        ),
    ],
)
def test_what_is_no_inventory_source_is_refused(site, source, sentence):
    """Ansible warns, and would go on with no host."""
    own = site("own")
    code, output = begin(own, arguments=["-i", str(own / source)])
    assert code == 2
    assert f"-i {own / source}: {sentence}" in output


@pytest.mark.parametrize("text", ["\tdescription: model/fabric.yml\n", "description: [\n"])
def test_a_source_that_no_parser_reads_is_refused(site, text):
    """The plugin is never asked, and Ansible goes on with the other source."""
    own = site("own")
    (own / "bad.fabric.yml").write_text(f"plugin: spectrum_x.fabric.fabric\n{text}")
    code, output = begin(own, own, arguments=["-i", str(own / "bad.fabric.yml")])
    assert code == 2
    assert (
        f"-i {own / 'bad.fabric.yml'}: Ansible could not read it as an inventory source" in output
    )


def test_what_opens_a_guard_is_not_taken_from_the_inventory(site):
    own = site("own")
    (own / "group_vars").mkdir()
    (own / "group_vars" / "all.yml").write_text("spx_registry_write: true\n", encoding="utf-8")
    code, output = begin(own, own)
    assert code == 2
    assert "variable spx_registry_write: it counts only when given with -e" in output


def test_a_broken_description_beside_a_healthy_source_is_red(site):
    """Ansible itself would only warn of a source that does not parse, and go on with the other."""
    own, healthy = site("own", capacity="capcaity:\n"), site("healthy")
    for sources in ([own, healthy], [healthy, own]):
        code, output = begin(healthy, *sources)
        assert code == 2
        assert "capacity: the key is missing" in output
        assert "PLAY" not in output


def test_two_fabrics_with_equal_names_are_red(site):
    """The second adds nothing to the inventory, and its plays would find the hosts of the first."""
    first, second = site("first"), site("second")
    path = second / "model" / "fabric.yml"
    path.write_text(path.read_text(encoding="utf-8").replace("name: lab", "name: other"), "utf-8")
    code, output = begin(second, first, second)
    assert code == 2
    assert "host 'leaf-p1-su001-r1' of fabric other is already in the inventory" in output


def test_an_exported_inventory_passes_until_the_plan_changes(site):
    """As AWX renders it."""
    own = site("own")
    listed = subprocess.run(
        [TOOL, "-i", own / "hosts.fabric.yml", "--list", "--export", "--yaml"],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    (own / "hosts.fabric.yml").write_text(listed.stdout, encoding="utf-8")
    code, output = begin(own, own)
    assert code == 0, output
    later = site("later", addressing=FOREIGN)
    code, output = begin(later, own)
    assert code == 2
    assert "export the inventory again" in output


def test_a_slice_of_the_inventory_is_said(site):
    own = site("own")
    source = own / "hosts.fabric.yml"
    source.write_text(source.read_text(encoding="utf-8") + "where: [su02]\n", encoding="utf-8")
    code, output = begin(own, own)
    assert code == 0, output
    assert "lab: the inventory holds a slice of the fabric (group spx_leaf has 2 hosts" in output


@pytest.mark.parametrize(
    "name, code, words",
    [
        ("leaf-p1-su001-r1", 0, ""),
        ("leaf-p9", 2, "'leaf-p9' is not a device of fabric lab: use a name such as"),
        ("spx_leaf", 2, "'spx_leaf' is not a device of fabric lab"),
        ("worker-su01-rack01-h01", 2, "'worker-su01-rack01-h01' is a node: name a switch."),
    ],
)
def test_a_playbook_about_one_switch_gets_one(site, name, code, words):
    """A pattern would meet many switches, and a misspelt name none, which Ansible calls a success."""
    own = site("own")
    done, output = begin(own, own, spx_device=name)
    assert done == code, output
    assert words in output


def test_a_device_without_a_description_is_a_host_of_the_inventory(tmp_path):
    """Playbook conformance takes any inventory; on a misspelt name Ansible would end with 0."""
    (tmp_path / "hosts.ini").write_text("leaf01\n", encoding="utf-8")
    given = ("-e", "spx_device=leaf1", "-e", "spx_report=report")
    code, output = play(tmp_path, "-i", "hosts.ini", "spectrum_x.fabric.conformance", *given)
    assert code == 2, output
    assert "'leaf1' is no host of the inventory, did you mean 'leaf01': use a name of it" in output


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        (
            "spx_tenant",
            "acmee",
            "'acmee' is not a tenant of tenants.yml, did you mean 'acme': use one ",
        ),
        ("spx_nodes", "su07/h01", "spx_nodes: 'su07/h01' is outside the capacity (su 07, and "),
        ("spx_where", "acmee", "spx_where: 'acmee' is not a device, place or tenant of lab, did "),
    ],
)
def test_an_unknown_tenant_or_node_is_told_without_detours(site, variable, value, sentence):
    folder = site("lab")
    code, said = begin(folder, folder, **{variable: value})
    assert code == 2
    assert f'"msg": "{sentence}' in said, said


def test_a_broken_registry_is_told_without_detours(site):
    folder = site("lab")
    (folder / "model" / "tenants.yml").write_text("tenants: [{id: 3, slug: acme}]\n")
    code, said = begin(folder, folder, spx_tenant="acme")
    assert code == 2
    assert said.startswith(f"[ERROR]: -i {folder}/hosts.fabric.yml: tenants.yml line 1, "), said


def test_hooks_are_looked_for_in_a_folder_that_is_there(site):
    """One that is not there would leave each hook out, and say nothing."""
    own = site("own")
    code, output = begin(own, own, spx_hooks=own / "hoosk")
    assert code == 2
    assert f"variable spx_hooks: {own}/hoosk is not a folder" in output
    (own / "hoosk").mkdir()
    assert begin(own, own, spx_hooks=own / "hoosk")[0] == 0


@pytest.mark.parametrize("words", [["--tags", "x"], ["--skip-tags", "slow"], ["--step"]])
def test_a_run_is_whole(site, words):
    """Check that tasks left out by a command line, those of hooks included, would count as done."""
    own = site("own")
    for playbook in ("tenant_offboard", "rest_health"):
        source = ("-i", own / "hosts.fabric.yml", f"spectrum_x.fabric.{playbook}")
        code, output = play(own, *source, *words, "-e", "spx_tenant=acme", before=ANSWERS)
        assert code == 2, output
        said = f"{' '.join(words)}: it skips tasks, which would count as done: run the playbook without it."
        assert said in output


@pytest.mark.parametrize("tags", ["always", "tagged", "x,always"])
def test_the_checks_of_a_run_cannot_be_skipped(site, tags):
    """Without them nothing would refuse the run: no task of the guard is left."""
    own = site("own")
    source = ("-i", own / "hosts.fabric.yml", "spectrum_x.fabric.rest_health")
    code, output = play(own, *source, "--skip-tags", tags, before=ANSWERS)
    assert code == 2, output
    assert "--skip-tags: it skips the first checks of the playbook" in output


def test_the_tags_that_molecule_skips_leave_nothing_out(site):
    """It names them in each run of a playbook of ours."""
    own = site("own")
    source = ("-i", own / "hosts.fabric.yml", "spectrum_x.fabric.rest_health")
    code, output = play(
        own,
        *source,
        "--skip-tags",
        "molecule-notest,notest,molecule-idempotence-notest",
        before=ANSWERS,
    )
    assert code == 0, output


def test_a_limit_without_localhost_is_no_success(site):
    """The plays of these playbooks would meet no host."""
    own, node = site("own"), "worker-su01-rack01-h01"
    for name, limit, given in (
        ("tenant_offboard", "leaf-p1-su001-r1", ("-e", "spx_tenant=acme")),
        ("tenant_offboard", "localhost,leaf-p1-su001-r1", ("-e", "spx_tenant=acme")),
        ("performance", node, ()),
    ):
        source = ("-i", own / "hosts.fabric.yml", f"spectrum_x.fabric.{name}")
        code, output = play(own, *source, "--limit", limit, *given)
        assert code == 2, output
        assert f"--limit {limit}: this playbook needs all of its hosts" in output


@pytest.mark.parametrize(
    ("name", "playbook", "readers"),
    [
        ("spx_where", "switches", "dcim_push or plan or validate"),
        ("spx_device", "dpus", "maintenance or switch_replace or conformance"),
        (
            "spx_nodes",
            "validate",
            "performance or plan or slow_job or tenant_move or tenant_offboard or tenant_onboard or tenant_resize",
        ),
    ],
)
def test_a_choice_that_a_playbook_ignores_is_refused(site, name, playbook, readers):
    own = site("own")
    source = ("-i", own / "hosts.fabric.yml", f"spectrum_x.fabric.{playbook}")
    code, output = play(own, *source, "-e", f"{name}=su01")
    assert code == 2, output
    assert (
        f"variable {name}: {playbook} would ignore it and take all devices: leave it out, or run {readers}."
        in output
    )


@pytest.mark.parametrize("task", ["No such task", "Keep what it found"])
def test_a_run_begins_at_its_beginning(site, task):
    """Check a task's name that no task has: Ansible itself runs none and ends with 0."""
    own = site("own")
    source = ("-i", own / "hosts.fabric.yml", "spectrum_x.fabric.switches")
    code, output = play(own, *source, "--start-at-task", task)
    assert code == 2, output
    assert f"--start-at-task '{task}': it skips the first checks of the playbook" in output


SHOWS_PLAN = re.compile("do: (plan|batches)$")


def test_the_playbooks_that_read_a_choice_are_listed():
    texts = {
        path.stem: [line for line in path.read_text("utf-8").splitlines() if line[:1] != "#"]
        for path in PLAYBOOKS.glob("*.yml")
    }
    for name, row in table("variables").items():
        if name == "spx_ask":  # read by the action that shows a plan
            found = {stem for stem, lines in texts.items() if any(map(SHOWS_PLAN.search, lines))}
            assert (found - {"rest_health"}) | {"provision"} == set(row["read_by"]), name
        elif name.startswith(("spx_backup", "spx_accept_expired")):  # read by an action
            found = {stem for stem, lines in texts.items() if any(name in line for line in lines)}
            assert found <= set(row["read_by"]), name
        elif "read_by" in row:
            found = {stem for stem, lines in texts.items() if any(name in line for line in lines)}
            assert found == set(row["read_by"]), name


def test_a_source_of_another_file_name_is_refused_with_the_rule(site):
    """Ansible only warns of it, so that no host would be met."""
    own = site("own")
    copy = own / "copy.yml"
    shutil.copy(own / "hosts.fabric.yml", copy)
    for playbook in ("plan", "switches"):
        code, output = play(own, "-i", copy, f"spectrum_x.fabric.{playbook}")
        assert code == 2, output
        assert (
            f"-i {copy}: the file name of a source of spectrum_x.fabric ends in .fabric.yml"
            in output
        )
        assert f"rename it, such as to {own}/copy.fabric.yml." in output


def test_a_word_beside_a_variable_is_no_part_of_it(site):
    """Ansible passes it over: of two nodes only the first would be the tenant's."""
    own = site("own")
    code, output = begin(own, own, spx_nodes="su01/h01, su02/h01")
    assert code == 2, output
    assert "-e: 'su02/h01' has no name: give it one, and write a list without spaces" in output


@pytest.mark.parametrize("name", ["hook_node", "step", "tenant_edit", "host_ready"])
def test_what_playbooks_set_is_not_given(site, name):
    """Such a variable counts more than theirs: hook_node would have another node wiped."""
    own = site("own")
    code, output = begin(own, own, **{name: "x"})
    assert code == 2, output
    assert f"variable {name}: playbooks set it themselves: leave it out of -e." in output


def _set_in(part):
    """The variables that a part of a playbook sets."""
    if isinstance(part, dict):
        own = {part.get("register"), part.get("loop_var")}
        own.update(part.get("vars") or (), part.get("ansible.builtin.set_fact") or ())
        return own.union(*map(_set_in, part.values()))
    return set[object]().union(*map(_set_in, part)) if isinstance(part, list) else set[object]()


def test_each_variable_that_playbooks_set_is_known():
    """But for those of roles, which people may give; what else they may give is in the one schema."""
    files = [path for path in PLAYBOOKS.rglob("*.yml") if "files" not in path.parts]
    names = {name for path in files for name in _set_in(yaml.safe_load(path.read_text("utf-8")))}
    roles = tuple(f"{path.name}_" for path in (PLAYBOOKS.parent / "roles").iterdir())
    own = {str(n) for n in names if n and (n == "switch_apply_result" or not n.startswith(roles))}
    assert {"hook_node", "step", "tenant_edit"} <= own
    assert {n for n in own if not variables.INNER.match(n)} == set()
