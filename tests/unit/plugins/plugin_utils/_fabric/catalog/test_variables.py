# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The variables of playbooks: what people write becomes what the schema says, or a sentence."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import variables
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog.data import table
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)


@pytest.mark.parametrize(
    ("name", "stated", "typed"),
    [
        ("spx_strict", "false", False),
        ("spx_strict", "Yes", True),
        ("spx_where", "pod01, su02", ["pod01", "su02"]),
        ("spx_where", 2, ["2"]),
        ("spx_where", ["pod02", 4], ["pod02", "4"]),
        ("spx_wait", "30", 30),
        ("spx_nodes", "su01/[01,03],su02/h01", ["su01/[01,03]", "su02/h01"]),
        ("spx_state", "enter", "enter"),
        ("spx_checks", "switch.lldp,tenant,*.reachable", ["switch.lldp", "tenant", "*.reachable"]),
        ("spx_checks", "network,host.bond", ["network", "host.bond"]),
        ("spx_report", "/tmp/../report", "/report"),
    ],
)
def test_typed(name, stated, typed):
    assert variables.check({name: stated}) == {name: typed}


@pytest.mark.parametrize(
    "name", ["spx_strict", "spx_report", "spx_wait", "spx_nodes", "spx_state", "spx_tenant"]
)
def test_empty_text_is_no_variable(name):
    assert variables.check({name: ""}) == variables.check({name: " "}) == {}


@pytest.mark.parametrize(
    "name", [name for name, row in table("variables").items() if row["type"] == "path"]
)
def test_an_empty_path_of_the_command_line_is_refused(name):
    """It comes from a shell variable that is not set, and an empty spx_approved would approve everything."""
    with pytest.raises(FabricError, match=f"variable {name}: an empty path is not allowed with -e"):
        variables.check({name: " "}, extra=[name])
    assert variables.check({name: ""}, extra=[]) == {}


@pytest.mark.parametrize(
    ("name", "stated", "words"),
    [
        ("spx_strict", "maybe", "use true or false"),
        ("spx_report", "/", "'/' is not allowed: use a folder of its own"),
        ("spx_report", "/tmp/../", "use a folder of its own"),
        ("spx_report", "~", "use a folder of its own"),
        ("spx_dest", "~/", "use a folder of its own"),
        ("spx_wait", "a", "'a' is not allowed: use a whole number"),
        ("spx_wait", "\u00b2", "use a whole number"),
        ("spx_wait", "\u0663", "use a whole number"),
        ("spx_wait", "-1", "use a whole number"),
        ("spx_wait", True, "use text"),
        ("spx_gpus", 0, "0 is not allowed: use a whole number of 1 or more."),
        ("spx_gpus", "-5", "'-5' is not allowed: use a whole number of 1 or more."),
        ("spx_rails", "0", "0 is not allowed: use a whole number from 1 to 8."),
        ("spx_rails", 9, "9 is not allowed: use a whole number from 1 to 8."),
        ("spx_retries", "abc", "'abc' is not allowed: use a whole number"),
        ("spx_delay", "soon", "use a whole number"),
        ("spx_most_packets", "many", "use a whole number"),
        ("spx_nodes", [["su01"]], "use a list of texts"),
        ("spx_nodes", {"su01": 1}, "use a list or comma-separated text"),
        ("spx_tenant", "acme\n", "use lower-case letters"),
        ("spx_checks", "switch.lldp,switch.lddp", "'switch.lddp' matches nothing"),
        ("spx_tennant", "acme", "did you mean 'spx_tenant'"),
    ],
)
def test_refused(name, stated, words):
    with pytest.raises(FabricError) as caught:
        variables.check({name: stated})
    assert caught.value.sentences[0].startswith(f"variable {name}: ")
    assert words in caught.value.sentences[0]


def test_what_opens_a_guard_counts_only_with_e():
    stated = {"spx_registry_write": "true", "spx_strict": "true"}
    assert variables.check(stated, extra=stated)["spx_registry_write"] is True
    with pytest.raises(FabricError, match="spx_registry_write: it counts only when given with -e"):
        variables.check(stated, extra=["spx_strict"])
    assert variables.check({"spx_registry_write": ""}, extra=[]) == {}


def test_what_no_playbook_of_the_run_reads_is_refused():
    """A choice of devices would be widened; other variables would only do nothing."""
    play = f"{variables.OWN}validate"
    with pytest.raises(FabricError, match=r"validate would ignore it and take all devices: leave"):
        variables.given({"spx_device": "leaf"}, play)
    with pytest.raises(FabricError, match=r"validate would ignore it: leave it out, or run backup"):
        variables.given({"spx_backup_git": "true"}, play)
    with pytest.raises(FabricError, match=r"validate would ignore it: leave it out, or run main"):
        variables.given({"spx_retries": "3"}, play)
    variables.given({"spx_retries": "3"}, f"{variables.OWN}maintenance")


@pytest.mark.parametrize(
    ("extra", "remedy"),
    [
        ({"spx_nodes": "su01,"}, "write a list without spaces, as -e spx_nodes=su01,su02."),
        ({"spx_address": "leaf"}, "write : for each space of a label, as -e spx_address=leaf:a:b."),
    ],
)
def test_words_without_a_name_are_refused(extra, remedy):
    with pytest.raises(FabricError) as refusal:
        variables.given({**extra, "_raw_params": "a b"})
    assert str(refusal.value).startswith("-e: 'a b' has no name: ")
    assert str(refusal.value).endswith(remedy)
