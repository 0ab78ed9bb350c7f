# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every YAML block of the guides and of the README is loaded, listed or run by what would read it."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import playing
import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import results
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import ra, variables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import registry

from .blocks import ROOT, Block, blocks, site_files

CHANGELOG = yaml.safe_load((ROOT / "changelogs" / "config.yaml").read_text(encoding="utf-8"))


def project(folder: Path, example: str) -> Path:
    """A copy of an example, to be changed and run in."""
    example = example.removeprefix("of ") or "lab"
    shutil.copytree(ROOT / "inventories" / example, folder / "project")
    return folder / "project"


def run(*command: str, cwd: Path) -> str:
    """Run a command, which must end with 0 and may not leave this machine, and return its output."""
    env = os.environ | {"ANSIBLE_NOCOLOR": "1", "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false"}
    env |= {"ANSIBLE_LOCALHOST_WARNING": "false", "SPX_PROJECT": str(cwd)}
    done = playing.run(cwd, *command, environment=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def description(block: Block, folder: Path) -> None:
    """A whole fabric.yml; the argument names an example whose registry fits, if any."""
    path = folder / "fabric.yml"
    path.write_text(block.text, encoding="utf-8")
    assert Fabric.load(str(path)).known


def site(block: Block, folder: Path) -> None:
    """The files of a new site, which its page has whole."""
    for name, text in site_files(block.page).items():
        (folder / name).write_text(text, encoding="utf-8")
    fabric = Fabric.load(str(folder / "fabric.yml"))
    assert registry.Registry.load(fabric).tenant("acme")


def part(block: Block, folder: Path) -> None:
    """Keys that replace or complete a description: an example's, or that of this page."""
    here = block.argument == "of this page"
    home = project(folder, "" if here else block.argument)
    path = home / "model" / "fabric.yml"
    if here:
        same = [other for other in blocks() if other.page == block.page]
        path.write_text(next(b.text for b in same if b.kind == "description"), encoding="utf-8")
        table = next((b.text for b in same if b.text.startswith("place,")), "")
        (path.parent / "devices.csv").write_text(table, encoding="utf-8")
    whole = yaml.safe_load(path.read_text(encoding="utf-8"))
    whole.update(yaml.safe_load(block.text))
    path.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
    assert Fabric.load(str(path)).known


def tenants(block: Block, folder: Path) -> None:
    """A whole tenants.yml of an example."""
    home = project(folder, block.argument)
    (home / "model" / "tenants.yml").write_text(block.text, encoding="utf-8")
    fabric = Fabric.load(str(home / "model" / "fabric.yml"))
    assert registry.Registry.load(fabric, str(home / "model" / "tenants.yml"))


def inventory(block: Block, folder: Path) -> None:
    """A whole hosts.fabric.yml of an example, loaded as ansible-inventory does."""
    home = project(folder, block.argument)
    source = home / "hosts.fabric.yml"
    source.write_text(block.text, encoding="utf-8")
    listed = run("ansible-inventory", "-i", str(source), "--graph", cwd=home)
    assert "spx_leaf" in listed


def playbook(block: Block, folder: Path) -> None:
    """A playbook: its syntax, its modules with their options, and the playbooks it imports."""
    home = project(folder, block.argument)
    (home / "site.yml").write_text(block.text, encoding="utf-8")
    run("ansible-playbook", "-i", "hosts.fabric.yml", "--syntax-check", "site.yml", cwd=home)
    for play in yaml.safe_load(block.text):
        for task in play.get("tasks", []):
            for module in (key for key in task if key.startswith("spectrum_x.fabric.")):
                told = json.loads(run("ansible-doc", "--json", module, cwd=home))
                assert set(task[module]) <= set(told[module]["doc"]["options"])


def tasks(block: Block, folder: Path) -> None:
    """Tasks that need no device: all of them are run, together, by the test below."""
    assert all("name" in task for task in yaml.safe_load(block.text))


def vars_file(block: Block, folder: Path) -> None:
    """Variables of a site: known to the playbooks, or an input of a role."""
    stated = yaml.safe_load(block.text)
    own = {name for name in stated if name.startswith("spx_")}
    variables.check({name: stated[name] for name in own})
    inputs: set[str] = set()
    for defaults in (ROOT / "roles").glob("*/defaults/main.yml"):
        inputs |= set(yaml.safe_load(defaults.read_text(encoding="utf-8")) or {})
    strangers = {name for name in stated if not name.startswith(("spx_", "ansible_", "vault_"))}
    assert strangers - inputs == set()


def waivers(block: Block, folder: Path) -> None:
    """A waivers.yml."""
    (folder / "waivers.yml").write_text(block.text, encoding="utf-8")
    assert results.waivers(str(folder / "waivers.yml"))


def site_profile(block: Block, folder: Path) -> None:
    """A site's own RA profile; the argument is 'release device'."""
    path = folder / "site.yml"
    path.write_text(block.text, encoding="utf-8")
    release, device = block.argument.split(" ")
    profile = ra.load_profile(release, device, "none", str(path))
    stated = yaml.safe_load(block.text)["releases"][release]["rules"][0]
    assert profile["nic"]["nvconfig"] == stated["nvconfig"]


def fragment(block: Block, folder: Path) -> None:
    """A changelog fragment: sections that exist, each a list of sentences."""
    known = {name for name, _title in CHANGELOG["sections"]}
    stated = yaml.safe_load(block.text)
    assert set(stated) <= known
    assert all(re.match(r"[a-z_]+ - .+\.$", text) for texts in stated.values() for text in texts)


def containerlab(block: Block, folder: Path) -> None:
    """Nodes of the topology that the first command of the page writes of an example."""
    home = project(folder, block.argument)
    shell = next(b.text for b in blocks("shell") if b.page == block.page and "clab" in b.text)
    command = shell.replace("\\\n", "").splitlines()[0].split()
    run(*command, cwd=home)
    written = home / "build" / "containerlab" / "lab.clab.yml"
    nodes = yaml.safe_load(written.read_text(encoding="utf-8"))["topology"]["nodes"]
    for name, stated in yaml.safe_load(block.text).items():
        assert stated.items() <= nodes[name].items()


def elsewhere(block: Block, folder: Path) -> None:
    """A worked example that a test of its own carries out; the argument is that test's file."""
    source = (Path(__file__).parent / block.argument).read_text(encoding="utf-8")
    assert block.page in source


KINDS: dict[str, Callable[[Block, Path], None]] = {
    "description": description,
    "part": part,
    "site": site,
    "tenants": tenants,
    "inventory": inventory,
    "playbook": playbook,
    "tasks": tasks,
    "vars": vars_file,
    "waivers": waivers,
    "site-profile": site_profile,
    "fragment": fragment,
    "containerlab": containerlab,
    "by": elsewhere,
}


@pytest.mark.parametrize("block", blocks("yaml"), ids=str)
def test_yaml_is_accepted_by_its_reader(block: Block, tmp_path: Path) -> None:
    assert block.kind in KINDS, f"{block}: say above it what it is tested as: {', '.join(KINDS)}"
    KINDS[block.kind](block, tmp_path)


def test_tasks_without_devices_run(tmp_path: Path) -> None:
    home = project(tmp_path, "")
    found = [block for block in blocks("yaml") if block.kind == "tasks"]
    listed = [task for block in found for task in yaml.safe_load(block.text)]
    assert len(listed) > 5
    play = [{"hosts": "localhost", "gather_facts": False, "tasks": listed}]
    (home / "site.yml").write_text(yaml.safe_dump(play, sort_keys=False), encoding="utf-8")
    run("ansible-playbook", "-i", "hosts.fabric.yml", "site.yml", cwd=home)


def test_no_yaml_escapes() -> None:
    found = blocks()
    assert {block.language for block in found} <= {"yaml", "console", "text", "shell", "python"}
    assert len([block for block in found if block.language == "yaml"]) > 20
