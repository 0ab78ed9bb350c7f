# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every command of the guides and the README exists, with the variables it is given."""

from __future__ import annotations

import re
import shlex

import pytest
import yaml
from ansible.cli.playbook import PlaybookCLI
from ansible.parsing.splitter import parse_kv

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import variables

from .blocks import ROOT, blocks, pages

VARIABLES = yaml.safe_load(
    (ROOT / "plugins/plugin_utils/_fabric/catalog/variables.yaml").read_text(encoding="utf-8")
)
EXTRA_ONLY = {name for name, row in VARIABLES.items() if row.get("extra_only")}
INTERNAL = re.compile(
    r"spx_(nvue|external|backup_secrets$|dcim|fabric|slice|fact|place|tenant_|plane_|pod_|su_|rail_|check$|hosts_pod$|ports$)"
)
MISSPELT = {"spx_adress"}
GROUPS = {"spx_leaf", "spx_spine", "spx_super_spine", "spx_node", "spx_plane", "spx_sliced"}
GROUPS |= {"spx_border_leaf", "spx_storage_leaf", "spx_front_end_leaf", "spx_converged_spine"}
GROUPS |= {"spx_converged", "spx_converged_core", "spx_oob", "spx_oob_leaf", "spx_oob_spine"}


def texts() -> list[tuple[str, str]]:
    """Each page with its lines joined where a command is continued."""
    return [(page.name, re.sub(r"\\\n\s*", "", page.read_text("utf-8"))) for page in pages()]


def everywhere(pattern: str) -> list[tuple[str, str]]:
    """(page, match) of a pattern on all pages."""
    found = {(page, match) for page, text in texts() for match in re.findall(pattern, text)}
    return sorted(found)


@pytest.mark.parametrize(
    "page, name", everywhere(r"ansible-playbook (?:-i \S+ )?spectrum_x\.fabric\.(\w+)")
)
def test_playbooks_exist(page: str, name: str) -> None:
    assert (ROOT / "playbooks" / f"{name}.yml").is_file()


@pytest.mark.parametrize("page, command", everywhere(r"\n *(ansible-playbook [^\n]*)"))
def test_variables_are_read_by_the_playbook_that_gets_them(page: str, command: str) -> None:
    playbook = re.search(r"spectrum_x\.fabric\.(\w+)", command)
    given = [name for name in re.findall(r"-e ['\"]?(spx_\w+)=", command) if name in VARIABLES]
    if playbook:
        readers = {name: VARIABLES[name].get("read_by", [playbook[1]]) for name in given}
        assert {name for name, known in readers.items() if playbook[1] not in known} == set()


@pytest.mark.parametrize("page, name", everywhere(r"\b(spx_[a-z_]+[a-z])\b"))
def test_variables_are_declared(page: str, name: str) -> None:
    assert name in VARIABLES or name in GROUPS | MISSPELT or INTERNAL.match(name)


@pytest.mark.parametrize("page, target", everywhere(r"(?:``|^ {3}|\n {3}|\n)make ([a-z-]+)"))
def test_make_targets_exist(page: str, target: str) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(rf"^[a-z -]*\b{target}\b[a-z -]*:", makefile, re.MULTILINE)


@pytest.mark.parametrize(
    "page, path",
    everywhere(r"``((?:tests|plugins|docs|extensions|inventories|roles|playbooks)/[\w./-]+)``"),
)
def test_paths_exist(page: str, path: str) -> None:
    assert (ROOT / path).exists()


def test_what_only_counts_with_e_is_shown_with_e() -> None:
    for page, text in texts():
        for name in EXTRA_ONLY:
            for match in re.finditer(rf"\n[^\n]*\b{name}=", text):
                assert f"-e {name}=" in match.group(), f"{page}: {match.group()}"


def played() -> list[tuple[str, str]]:
    """(place, command) of each ansible-playbook in a block of commands, with the lines that continue it."""
    found = []
    for block in blocks("shell"):
        text = block.text.replace("\\\n", "")
        found += [(str(block), line) for line in text.splitlines() if "ansible-playbook" in line]
    return found


def extra_of(texts: list[str]) -> dict[str, object]:
    """Parse the text of -e as Ansible reads it."""
    found: dict[str, object] = {}
    for text in texts:
        found |= yaml.safe_load(text) if text.startswith("{") else parse_kv(text)
    return found


@pytest.mark.parametrize("place, command", played())
def test_a_command_has_options_and_values_that_are_allowed(place: str, command: str) -> None:
    words = shlex.split(command, comments=True)
    words = words[words.index("ansible-playbook") :]
    shell = PlaybookCLI(words)
    shell.init_parser()
    options = shell.parser.parse_args(words[1:])
    extra = extra_of(options.extra_vars)
    variables.given(extra, " ".join(options.args))
    variables.check(extra, extra=extra)


@pytest.mark.parametrize("page, words", everywhere(r"``(-e [^`<]+[^`<=])``"))
def test_a_variable_within_a_sentence_has_a_value_that_is_allowed(page: str, words: str) -> None:
    extra = extra_of([word for word in shlex.split(words) if word != "-e"])
    variables.check(extra, extra=extra)
