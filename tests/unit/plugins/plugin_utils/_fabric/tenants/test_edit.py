# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits of the registry: comments and order stay, nonsense is refused, one writer at a time."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import edit, files
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.edit import (
    DropTenant,
    Move,
    Place,
    RecordHealth,
    SetTenant,
    Take,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

from .registry_text import TEXT


def lines(text):
    """Return the lines of a text, without alignment before comments."""
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.parametrize(
    "change, gone, came",
    [
        (SetTenant("acme", {"nodes": ["su01/[01-03]", "su02/h01"]}), [], []),
        (
            Take("acme", ("su01/h02",)),
            ["- su01/[01-03] # all of it"],
            ["- su01/[01,03] # all of it", "health:", "worker-su01-rack01-h02: {had: acme}"],
        ),
        (
            Take("acme", ("su02/h01",)),
            ["- su02/h01"],
            ["health:", "worker-su02-rack01-h01: {had: acme}"],
        ),
        (Take("globex", ("su02/h01",)), [], []),
        (
            Place("globex", ("su02/h03",)),
            ['- {id: 22, slug: globex, nodes: ["su02/h02"]}'],
            ['- {id: 22, slug: globex, nodes: ["su02/h02", su02/h03]}'],
        ),
        (
            Place("rest", ("su02/h03",), "burn-in"),
            [],
            ["rest:", "- nodes:", "- su02/h03", "acceptance: burn-in"],
        ),
        (
            Move("worker-su01-rack01-h01", {"from": "acme", "to": "rest", "step": "shut"}),
            [],
            ["moving:", "worker-su01-rack01-h01: {from: acme, to: rest, step: shut}"],
        ),
        (Move("worker-su01-rack01-h01", None), [], []),
        (
            RecordHealth(
                "worker-su02-rack02-h03", {"since": "2026-11-21", "passed": ["acceptance"]}
            ),
            [],
            ["health:", "worker-su02-rack02-h03: {since: '2026-11-21', passed: [acceptance]}"],
        ),
        (SetTenant("globex", {"host_access": "none"}), [], ["host_access"]),
    ],
)
def test_an_edit_changes_its_lines_alone(lab, change, gone, came):
    """Every other line stays, with its comment, in its place."""
    made = edit.edit(lab, TEXT, [change])
    if came == ["host_access"]:
        assert "host_access: none" in made
        return
    before, after = lines(TEXT), lines(made)
    assert [line for line in before if line not in after] == gone
    assert [line for line in after if line not in before] == came
    kept = [line for line in after if line in before]
    assert kept == [line for line in before if line in after]


def test_nothing_to_do_is_the_same_text(lab):
    """Not a byte changes when there is nothing to do, whatever the indentation."""
    for text in (TEXT, "tenants:\n- id: 21\n  slug: acme\n", "tenants: []\n"):
        assert edit.edit(lab, text, [Move("worker-su01-rack01-h01", None)]) == text


def test_flat_lists_stay_flat(lab):
    """The file's own indentation is kept."""
    text = "tenants:\n- id: 21\n  slug: acme\n  nodes:\n  - su01\n"
    made = edit.edit(lab, text, [Take("acme", ("su01/h02",))])
    assert made == (
        "tenants:\n- id: 21\n  slug: acme\n  nodes:\n  - su01/[01,03]\n"
        "health:\n  worker-su01-rack01-h02: {had: acme}\n"
    )


@pytest.mark.parametrize("text", ["", "# ours\n", "tenants: []\n"])
def test_the_first_tenant(lab, text):
    """An empty or missing file gets its first tenant, with the first id."""
    made = edit.edit(lab, text, [SetTenant("acme", {"nodes": ["su01/h01"]})])
    assert Registry.parse(lab, made).owner("acme").id == 16
    assert text.partition("tenants")[0] in made


def test_an_id_is_never_given_twice(lab):
    """The next id passes over those of tenants that left."""
    made = edit.edit(lab, "", [SetTenant("a"), SetTenant("b")])
    made = edit.edit(lab, made, [DropTenant("a"), SetTenant("c")])
    assert {s: o.id for s, o in Registry.parse(lab, made).owners.items() if o.kind == "tenant"} == {
        "b": 17,
        "c": 18,
    }


def test_a_tenant_leaves_with_its_last_node(lab):
    """Its id is kept, and nothing else of it."""
    made = edit.edit(lab, TEXT, [Take("globex", ("su02/h02",)), DropTenant("globex")])
    assert "- {id: 22, slug: globex}" in made.partition("retired:")[2]
    assert Registry.parse(lab, made).nodes_of("globex") == []


@pytest.mark.parametrize(
    "change, part",
    [
        (Place("globex", ("su01/h01",), take=False), "is claimed by globex"),
        (SetTenant("globex", {"id": 21}), "is already the id of acme"),
        (SetTenant("much-too-long-a-slug", {}), "at most 15 are allowed"),
        (Place("nobody", ("su02/h03",)), "'nobody' is not a tenant of the registry"),
        (Place("globex", ("su09/h01",)), "outside the capacity"),
        (DropTenant("acme"), "acme still has .*: take its nodes back with tenant_offboard"),
        (
            Move("worker-su01-rack01-h01", {"from": "acme", "to": "x", "step": "shut"}),
            "not a tenant",
        ),
    ],
)
def test_what_would_break_the_model_is_refused(lab, change, part):
    """The file is checked as a whole before anything is written."""
    with pytest.raises(FabricError, match=part):
        edit.edit(lab, TEXT, [change])


def test_place_takes_a_node_out_of_every_list(lab):
    """At the end of a move the node stands with its new owner only."""
    made = edit.edit(lab, TEXT, [Place("globex", ("su01/h01", "su02/h01"))])
    found = Registry.parse(lab, made)
    assert {found.claims[node].slug for node in lab.nodes(sus=[0, 1]) if node in found.claims} == {
        "acme",
        "globex",
    }
    assert found.claims[lab.known("worker-su01-rack01-h01")].slug == "globex"
    assert len(found.nodes_of("acme")) == 2


def test_a_node_that_leaves_a_customer_without_a_move_is_not_forgotten(lab):
    """The module may edit the lists alone; whose the node was outlives the tenant, so that it is wiped."""
    name = "worker-su02-rack01-h02"
    ended = edit.edit(lab, TEXT, [Take("globex", ("su02/h02",)), DropTenant("globex")])
    assert Registry.parse(lab, ended).health[lab.known(name)].had == "globex"
    given = edit.edit(lab, TEXT, [Place("acme", ("su02/h02",))])
    assert lab.known(name) in Registry.parse(lab, given).unwiped
    moved = edit.edit(lab, TEXT, [Place("acme", ("su02/h02",)), RecordHealth(name, None)])
    assert lab.known(name) not in Registry.parse(lab, moved).health


def test_a_file_that_is_no_yaml(lab):
    """A file edited by hand into nonsense is one sentence, with its line."""
    with pytest.raises(FabricError, match=r"tenants\.yml line [23]: the YAML does not parse"):
        edit.edit(lab, "tenants:\n  - {id: 21\nx: [", [DropTenant("acme")])
    with pytest.raises(FabricError, match="the file holds a list: write keys with values"):
        edit.edit(lab, "- a\n", [DropTenant("acme")])


@pytest.mark.parametrize(
    "text, change, part",
    [
        (
            "tenants: [acme]\n",
            SetTenant("globex"),
            "tenants[0]: 'acme' is not allowed: use a mapping",
        ),
        (
            "tenants: {acme: {}}\n",
            SetTenant("globex"),
            "tenants: a mapping is not allowed: use a list",
        ),
        ("tenants: 5\n", SetTenant("globex"), "tenants: 5 is not allowed: use a list"),
        ("retired: [5]\n", SetTenant("globex"), "retired[0]: 5 is not allowed: use a mapping"),
        (
            "moving: [x]\n",
            Move("worker-su01-rack01-h01", None),
            "moving: a list is not allowed: use a",
        ),
        (
            "health: [x]\n",
            RecordHealth("worker-su01-rack01-h01", None),
            "health: a list is not allowed: use a",
        ),
        (
            "tenants: [{slug: acme}]\n",
            DropTenant("acme"),
            "tenants[0].id: the key is missing: add it",
        ),
        (
            "tenants: [{id: 21, slug: acme, nodes: 5}]\n",
            Take("acme", ("su01/h01",)),
            "tenants[0].nodes: 5 is not allowed: use a list",
        ),
        (
            "rest: {a: 1}\n",
            Place("rest", ("su01/h01",)),
            "rest: a mapping is not allowed: use a list",
        ),
    ],
)
def test_a_file_of_other_types(lab, text, change, part):
    """A file edited by hand into other types is refused as every reader refuses it."""
    with pytest.raises(FabricError) as caught:
        edit.edit(lab, text, [change])
    assert [part in sentence for sentence in caught.value.sentences] == [True]


@pytest.mark.parametrize(
    "text",
    [
        "tenants: [{id: 21, slug: acme, contact: 2026-13-99}]\n",
        "tenants: [{id: 21, slug: acme, contact: !!timestamp x}]\n",
        "%YAML 1.3\n---\ntenants: []\n",
    ],
)
def test_what_one_reader_takes_and_the_other_does_not(lab, text):
    """The library that keeps comments is stricter than the reader, in one sentence."""
    assert Registry.parse(lab, text)
    with pytest.raises(FabricError, match="cannot be edited with its comments kept") as caught:
        edit.edit(lab, text, [DropTenant("acme")])
    assert len(caught.value.sentences) == 1


def test_every_id_has_been_given():
    """After 65,520 tenants there is no next one, and a sentence says so."""
    retired = [{"id": number} for number in range(16, 65536)]
    with pytest.raises(FabricError, match="have all been given"):
        edit._free_id({"retired": retired})


@pytest.mark.parametrize(
    "to, step", [("globex", "open"), ("globex", "verify"), ("acme", "shut"), (None, "")]
)
@pytest.mark.parametrize("name", ["worker-su01-rack01-h01", "su01/h01"])
def test_a_move_goes_on_or_back_or_ends(lab, name, to, step):
    """To the same goal, or back, with other steps; without a record it has ended."""
    text = edit.edit(
        lab, TEXT + f"moving: {{{name}: {{from: acme, to: globex, step: join}}}}\n", []
    )
    record = {"from": "globex" if to == "acme" else "acme", "to": to, "step": step} if to else None
    made = edit.edit(lab, text, [Move("worker-su01-rack01-h01", record)])
    moves = Registry.parse(lab, made).moves.values()
    assert [(move.to, move.step) for move in moves] == ([(to, step)] if to else [])


@pytest.mark.parametrize("name", ["worker-su01-rack01-h01", "su01/h01"])
def test_a_move_elsewhere_is_refused(lab, name):
    """Of two operators who move a node at once the second is told, and the record stays."""
    text = TEXT + f"moving: {{{name}: {{from: acme, to: globex, step: join}}}}\n"
    change = Move("worker-su01-rack01-h01", {"from": "acme", "to": "rest", "step": "shut"})
    with pytest.raises(FabricError) as caught:
        edit.edit(lab, text, [change])
    assert caught.value.sentences == [
        "moving.worker-su01-rack01-h01: worker-su01-rack01-h01 is already moving from acme to globex (step join), "
        "and rest is elsewhere: let that move finish, or remove its record first."
    ]
    ended = Move("worker-su01-rack01-h01", None)
    assert "to: rest" in edit.edit(lab, text, [ended, change])


@pytest.mark.parametrize("at, found", [("drain", "join"), ("", "join"), ("drain", "")])
def test_a_move_that_another_run_has_taken_on_is_left_alone(lab, at, found):
    """The step that this run recorded, or none, must still stand there."""
    name = "worker-su01-rack01-h01"
    there = f"moving: {{{name}: {{from: acme, to: globex, step: {found}}}}}\n" if found else ""
    text = TEXT + there
    record = {"from": "acme", "to": "globex", "step": "shut"}
    with pytest.raises(FabricError) as caught:
        edit.edit(lab, text, [Move(name, record, at=at)])
    here = "is at step join there" if found else "is not recorded there"
    left = "at drain" if at else "unrecorded"
    assert caught.value.sentences[0].startswith(
        f"moving.{name}: its move {here}, and this run left it {left}: another run has taken it over"
    )
    assert "step: shut" in edit.edit(lab, text, [Move(name, record, at=found)])


@pytest.mark.parametrize(
    ("there", "of", "working", "said"),
    [
        ("", "", (), None),
        ("run: here/1/5, ", "here/1/5", (), None),
        ("run: mine/2/7, ", "here/1/5", (), None),
        ("run: other/3/9, ", "here/1/5", (), "the run other/3/9 has taken over its move"),
        ("run: other/3/9, ", "", (), "the run other/3/9 has taken over its move"),
        ("run: here/1/5, ", "here/1/5", ("here/1/5",), "the run here/1/5 (machine, process, num"),
    ],
)
def test_a_record_is_one_runs_at_a_time(lab, there, of, working, said):
    """It goes from the run that had it when this one looked, unless that one is at work still."""
    name = "worker-su01-rack01-h01"
    text = TEXT + f"moving: {{{name}: {{{there}from: acme, to: globex, step: wipe}}}}\n"
    record = {"from": "acme", "to": "globex", "step": "wipe"}
    run = edit.Run("mine/2/7", working.__contains__)
    take = Move(name, record, at="wipe", of=of, run=run)
    if said is None:
        assert "run: mine/2/7" in edit.edit(lab, text, [take])
        return
    with pytest.raises(FabricError) as caught:
        edit.edit(lab, text, [take])
    assert caught.value.sentences[0].startswith(f"moving.{name}: {said}")


def test_the_end_of_a_move_is_noted_by_the_run_that_has_it(lab):
    """Whoever was overtaken in its last hook takes nobody's record away."""
    name = "worker-su01-rack01-h01"
    text = TEXT + f"moving: {{{name}: {{run: other/3/9, from: acme, to: globex, step: release}}}}\n"
    run = edit.Run("mine/2/7", lambda _name: False)
    with pytest.raises(FabricError, match="the run other/3/9 has taken over its move"):
        edit.edit(lab, text, [Move(name, None, at="release", of="here/1/5", run=run)])
    with pytest.raises(
        FabricError, match="its move is at step release there, and this run left it"
    ):
        edit.edit(lab, text, [Move(name, None, at="verify", of="other/3/9", run=run)])
    mine = text.replace("other/3/9", "mine/2/7")
    assert "moving" not in edit.edit(lab, mine, [Move(name, None, at="release", of="", run=run)])


def test_a_refused_edit_writes_nothing(lab, tmp_path):
    """The file stays as it was."""
    path = tmp_path / "tenants.yml"
    path.write_text(TEXT)
    with pytest.raises(FabricError):
        files.change_file(lab, str(path), [Place("globex", ("su01/h01",), take=False)])
    assert path.read_text() == TEXT


def test_an_id_whose_row_was_deleted_by_hand_is_not_the_next(lab):
    """Its VRF may be on switches yet; a gap is only filled when nothing follows the highest."""
    made = edit.edit(lab, TEXT.replace("id: 22", "id: 40"), [SetTenant("new")])
    assert Registry.parse(lab, made).owner("new").id == 41
    assert edit._free_id({"tenants": [{"id": 65535}]}) == 16


def test_what_a_tenant_took_over_is_remembered_when_it_leaves(lab):
    """So that nobody is given it."""
    own = "vrf: GOLD, l3vni: 7, route_targets: {imports: ['1:1'], exports: ['1:1']}, rd_id: 9"
    text = f"tenants:\n  - {{id: 21, slug: acme, {own}, quotas: {{nodes: 1}}}}\n"
    made = edit.edit(lab, text, [DropTenant("acme")])
    assert f"- {{id: 21, slug: acme, {own}}}" in made.partition("retired:")[2]
