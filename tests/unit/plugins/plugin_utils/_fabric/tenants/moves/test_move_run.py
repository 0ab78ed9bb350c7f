# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Random histories of moves: whatever happens, the engine writes nothing unsafe, and ends when the faults do."""

from __future__ import annotations

import collections
import dataclasses
import functools
import os
import threading
import types

import pytest
from ansible import constants
from hypothesis import HealthCheck, Phase, example, given, seed, settings
from hypothesis import strategies as st

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    attachments,
    edit,
    schema,
    vrfs,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    move,
    move_plan,
    move_run,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    Clock,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.move_run import (
    Mover,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.observed_ports import (
    ObservedPort,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.steps import STEPS
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import runs
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.tenant import evidence
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.tenant.kinds import HOOK
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

from .. import histories
from ..converged_lab import laboratory

HISTORIES = int(os.environ.get("SPX_HISTORIES", "250"))
"""`make test-all` plays 10,000, and `make drill` 20,000."""
MANY = 10000
PARTS = 4
"""Of the many histories, so that cores share them."""
WHO, LEAF = st.integers(0, 1), st.integers(0, 1)
EVENTS = st.one_of(
    *(st.tuples(st.just("go"), WHO, st.integers(1, 40)) for _weight in range(8)),
    st.tuples(st.just("kill"), WHO),
    *(
        st.tuples(st.just(kind), LEAF)
        for kind in ("lose", "late", "twice", "land", "land", "die", "back", "stale")
    ),
    st.tuples(st.just("hand"), LEAF, st.sampled_from(["shut", "quarantine"])),
)
ATTACKS = st.one_of(
    st.tuples(st.just("aim"), WHO, st.sampled_from(histories.AIMS)),
    st.tuples(st.just("forge"), st.sampled_from(sorted(histories.FORGED))),
    st.tuples(st.just("usurp"), WHO),
    st.sampled_from([("mute",), ("speak",)]),
    st.tuples(st.just("claim"), LEAF),
)
"""Moves of nodes, and the attacks of a former tenant of one."""
HISTORY = st.lists(st.one_of(EVENTS, EVENTS, ATTACKS), min_size=12, max_size=24)


@pytest.fixture(scope="module", autouse=True)
def _stores(tmp_path_factory):
    """A store for each run; the thread of a run has its name."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("stores", numbered=True)
        patch.setattr(constants, "DEFAULT_LOCAL_TMP", str(folder))
        patch.setattr(runs, "this", lambda: threading.current_thread().name)
        yield


@pytest.fixture(scope="module")
def world():
    """The laboratory, and a registry in which acme has the node."""
    fabric = Fabric.load(str(INVENTORIES / "lab" / "model" / "fabric.yml"))
    return fabric, Registry.parse(fabric, histories.REGISTRY)


QUIET = settings(
    max_examples=HISTORIES,
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
)


@QUIET
@given(history=HISTORY, clones=st.booleans())
def test_no_history_breaks_isolation_and_each_ends(world, history, clones):
    """At every write: one VRF that the moves know, up with one customer at most, never with another one's data."""
    histories.play(*world, history, clones=clones)


@pytest.fixture(scope="module")
def small():
    """Fabrics of one plane and of two, each with its registry."""
    fabrics = [
        Fabric.load(str(INVENTORIES / name / "model" / "fabric.yml"))
        for name in ("lab", "lab-2plane")
    ]
    return [(fabric, Registry.parse(fabric, histories.REGISTRY)) for fabric in fabrics]


def test_a_leaf_that_came_back_is_corrected_by_hand_after_the_wipe(small):
    """The former tenant reached the node there, and no leaf shows it then, so that the person has it wiped."""
    events = [("go", 0, 42), ("kill", 0), ("die", 1), ("stale", 1), ("hand", 1, "quarantine")]
    assert histories.play(*small[0], events, clones=False).wipers == {"machine-0/1", "machine-0/2"}


@pytest.mark.large
@pytest.mark.parametrize("part", range(PARTS))
def test_no_former_tenant_breaks_isolation_in_many_histories(small, part):
    """The same on several fabrics; a node moves on, leaves and comes back, and its former tenant attacks.

    All runs have one registry: two copies that are never brought together know nothing of each other's tenants.
    """

    @seed(part)
    @settings(QUIET, derandomize=False, max_examples=MANY // PARTS)
    @given(history=HISTORY, which=st.integers(0, 1))
    def every_history_is_safe(history, which):
        histories.play(*small[which], history, clones=False)

    every_history_is_safe()


@pytest.fixture(scope="module")
def beside(world):
    """The laboratory with a converged fabric, on which acme has front end and storage too."""
    fabric = laboratory()
    return fabric, Registry.parse(fabric, histories.NETWORKS)


SOME_LEAF = st.integers(0, 5)
NETWORK_EVENTS = st.one_of(
    *(st.tuples(st.just("go"), WHO, st.integers(1, 60)) for _weight in range(8)),
    st.tuples(st.just("kill"), WHO),
    *(
        st.tuples(st.just(kind), SOME_LEAF)
        for kind in ("lose", "late", "twice", "land", "land", "die", "back", "stale")
    ),
    st.tuples(st.just("hand"), SOME_LEAF, st.sampled_from(["shut", "quarantine"])),
)


@settings(QUIET, max_examples=max(HISTORIES // 4, 1))
@given(history=st.lists(NETWORK_EVENTS, min_size=12, max_size=24), clones=st.booleans())
def test_no_history_breaks_isolation_on_the_other_networks(beside, history, clones):
    """The same with front-end and storage ports: never with two customers, whichever network fails."""
    histories.play(*beside, history, clones=clones)


@pytest.mark.parametrize(
    ("owner", "name", "fault"),
    [
        (move_run, "_others", lambda _rows: []),
        (ObservedPort, "lacks", lambda _self, _vrf: False),
    ],
    ids=["left out", "not awaited"],
)
def test_a_fault_on_the_other_networks_is_found(beside, monkeypatch, owner, name, fault):
    """So that the histories above can fail: a run is killed between the rails and the other networks."""
    monkeypatch.setattr(owner, name, fault)
    monkeypatch.setattr(Mover, "_in_place", lambda _self, _name, _rows: None)

    def killed_after(count):
        histories.play(*beside, [("go", 0, count), ("kill", 0)], clones=True)

    with pytest.raises(histories.Violation):
        collections.deque(map(killed_after, range(120, 170)), maxlen=0)


def no_look(_self, _step, _rows):
    """Nobody looks whether another run has moved the nodes on."""


def an_old_wipe_counts(_registry, _found):
    """Check that the note of a killed run about its wipe counts, wherever the ports are."""
    return False


def only_its_record(_registry, record, _found):
    """A run goes on from its record, whatever the leaves have."""
    return record


def no_record(_self, _name):
    """A step is taken before it is noted."""


def nothing_is_forgotten(kept, hook):
    """Keep the confirmation of an earlier hook of the node."""
    kept.put(HOOK, hook)


def of_any_kind(kept, _what):
    """Each confirmation counts for each thing."""
    return {row.node: row for row in evidence.every(kept)}


def anybody(_theirs, _change, _run):
    """The registry is written by whoever wants to."""


JOINS_OPEN = dataclasses.replace(STEPS["join"], through="")
FAULTS = [
    (Mover, "_only", lambda *_more: []),
    (Mover, "_stop_where_taken_on", no_look),
    (Mover, "begin", no_record),
    (move, "_waits", an_old_wipe_counts),
    (move, "resume", only_its_record),
    (move_run, "STEPS", {**STEPS, "join": JOINS_OPEN}),
    (evidence, "begin", nothing_is_forgotten),
    (evidence, "of", of_any_kind),
    (edit, "_still_of", anybody),
]


KNOWN = {
    (Mover, "_only"): (
        [
            ("go", 1, 37),
            ("go", 0, 7),
            ("go", 1, 21),
            ("go", 0, 27),
            *[("kill", 0)] * 2,
            ("go", 0, 1),
            ("kill", 0),
            *[("go", 0, 1)] * 2,
            ("go", 1, 1),
            ("kill", 0),
        ],
        True,
    ),
    (Mover, "_stop_where_taken_on"): (
        [("go", 0, 26), ("twice", 0), *[("go", 1, 1)] * 8, ("go", 1, 16), ("go", 0, 1)],
        True,
    ),
    (Mover, "begin"): ([*[("go", 0, 1)] * 12], False),
    (move, "_waits"): (
        [
            ("go", 0, 1),
            ("go", 1, 40),
            ("go", 0, 33),
            ("go", 1, 1),
            ("kill", 0),
            ("go", 0, 8),
            ("go", 1, 23),
            *[("kill", 0)] * 2,
            *[("go", 0, 1)] * 3,
        ],
        True,
    ),
    (move, "resume"): (
        [
            *[("go", 0, 1)] * 3,
            ("go", 1, 25),
            *[("go", 0, 1)] * 2,
            ("lose", 0),
            ("die", 1),
            *[("go", 0, 1)] * 2,
            ("go", 1, 1),
            ("stale", 1),
        ],
        False,
    ),
    (move_run, "STEPS"): ([*[("go", 0, 1)] * 12], False),
    (evidence, "begin"): ([("forge", "of an earlier hook"), ("go", 0, 60)], False),
    (evidence, "of"): ([("forge", "of another kind"), ("go", 0, 60)], False),
    (edit, "_still_of"): ([("go", 0, 20), ("usurp", 0)], False),
}
"""A history that shows each fault, shrunk by hypothesis, and whether there are clones: the search begins with it."""
SEARCH = (Phase.generate,) if HISTORIES > 1000 else (Phase.explicit, Phase.generate)
"""The drill finds the faults by chance alone."""


@pytest.mark.parametrize(
    ("owner", "name", "fault"), FAULTS, ids=[f"{row[0].__name__}.{row[1]}" for row in FAULTS]
)
def test_a_fault_of_the_engine_is_found(world, monkeypatch, owner, name, fault):
    """So that the histories above can fail."""
    monkeypatch.setattr(owner, name, fault)
    known, clones = KNOWN[owner, name]

    @settings(QUIET, max_examples=6000, phases=SEARCH, report_multiple_bugs=False)
    @example(history=known, clones=clones)
    @given(history=HISTORY, clones=st.booleans())
    def some_history_fails(history, clones):
        histories.play(*world, history, clones=clones)

    with pytest.raises(histories.Violation):
        some_history_fails()


def test_the_end_of_a_hook_step_words_what_passed_and_what_is_lacking(world):
    fabric, registry = world
    name, row = histories.NAME, {"steps": ["wipe"], "wipe": "by its tenant", "cards": "read"}
    mover = Mover(fabric, registry, None, None, {name: row}, None)
    sites = (["wipe"], ["wipe", "firmware"], [])
    ended = [mover.end("wipe", {}, hooks, [name], [name]) for hooks in sites]
    row["cards"] = "elsewhere"
    ended.append(mover.end("wipe", {}, ["wipe", "firmware"], [name]))
    assert ended == [
        "hooks passed: wipe; cards read, and as expected; no hook: firmware",
        "hooks passed: wipe, firmware; cards read, and as expected",
        "wipe by its tenant; no hook: firmware",
        "hooks passed: wipe, firmware; cards judged elsewhere",
    ]


@pytest.mark.parametrize(
    ("failed", "words"),
    [
        (
            {},
            "nothing shows that its cards are as wanted after the wipe, as they were not read: run this",
        ),
        (
            {histories.NAME: ["h01: card 0000:18:00.0 runs firmware 1 (wanted 2)."]},
            "h01: card 0000:18:00.0 runs",
        ),
    ],
)
def test_a_wiped_node_whose_cards_are_not_shown_to_be_as_wanted_stays(world, failed, words):
    """Nobody has read them, or what was read differs; another node's verdict does not count."""
    row = {
        "steps": ["wipe"],
        "wipe": "",
        "cards": "read",
        "record": {"from": "acme", "to": "globex"},
    }
    mover = Mover(*world, None, None, {histories.NAME: row}, None)
    with pytest.raises(FabricError) as caught:
        mover.end("wipe", failed, ["wipe"], [histories.NAME], ["another"])
    assert words in str(caught.value)
    assert "stopped at step wipe: its ports are in quarantine and up." in str(caught.value)


def test_a_hook_that_does_not_report_a_wipe_is_none(world):
    """Its tasks may have been skipped, by a condition or a tag."""
    record = {"from": "acme", "to": "globex"}
    row = {"steps": ["wipe"], "wipe": "by the hook wipe", "cards": "read", "record": record}
    mover = Mover(*world, None, None, {histories.NAME: row}, None)
    with pytest.raises(FabricError) as caught:
        mover.end("wipe", {}, ["wipe"], ["another"])
    assert str(caught.value) == (
        f"{histories.NAME}: the hook wipe ended without a confirmation (do: confirm, what: wiped), so nothing "
        "shows that the node is wiped: correct the hook, and run again. The move of "
        f"{histories.NAME} from acme to globex stopped at step wipe: its ports are in quarantine and up."
    )


class Recorded(histories.Leaves):
    """The leaves of a world, with the names of each group that was spoken to, and leaves that are gone by then."""

    def __init__(self, world, dead=()):
        super().__init__(world, world.controllers[0])
        self.groups, self.dead = [], dead
        self.controller.tick = lambda: None

    def each(self, names, work):
        self.groups.append(list(names))
        self.world.dead |= {*self.dead} if len(self.groups) > 1 else set()
        return super().each(names, work)


def joining(world, *, dead=()):
    """(mover, leaves) of a node that is to join globex, or to be proven there."""
    made = histories.World(*world, clones=True)
    made.ports, made.data = dict.fromkeys(made.leaves, ("t2-rest", True)), None
    leaves, book = Recorded(made, dead), made.controllers[0]
    record = {"from": "acme", "to": "globex", "step": "join", "clean": CLEAN}
    book.book[histories.NAME] = record
    documents = {name: histories.Leaf(made, name, book).applied() for name in made.leaves}
    order = move_plan.Order(
        "globex",
        {name: found.document for name, found in documents.items()},
        hooks=("wipe",),
        written=True,
    )
    rows = move_plan.plan(made.fabric, book.registry(), [histories.NODE], order)["nodes"]
    book.of = {}
    clock = Clock(lambda: 0.0, lambda _seconds: None)
    return Mover(made.fabric, book.registry(), leaves, book, rows, clock, wait=0), leaves


CLEAN = {"on": "2026-11-23", "by": "hook", "run": "machine/1/0a"}


def test_the_first_leaf_joins_before_the_others(world):
    """So that of two runs one alone has the node; before, all of its ports are shut."""
    mover, leaves = joining(world)
    mover.carry_out("join")
    one, two = leaves.world.leaves
    assert leaves.groups == [[one, two], [one], [two]]
    assert [place for _leaf, place in leaves.world.log] == [
        *[("t1-quarantine", False)] * 2,
        *[("t22-globex", True)] * 2,
    ]


@pytest.mark.parametrize("dies", [False, True])
def test_a_node_that_fails_its_proof_goes_back_and_the_reason_is_said(world, dies):
    """Also where a leaf is gone by then: neither sentence hides the other."""
    mover, leaves = joining(world)
    leaves.world.ports = dict.fromkeys(leaves.world.leaves, ("t22-globex", True))
    leaves.world.dead = {leaves.world.leaves[1]} if dies else set()
    leaves.controller.book[histories.NAME]["step"] = "verify"
    with pytest.raises(FabricError) as caught:
        mover.back("verify", {histories.NAME: ["it is on fire."]})
    first, *_more, last = caught.value.sentences
    assert first == "it is on fire."
    assert ("does not answer" in str(caught.value)) is dies
    assert ("is not back in quarantine on each leaf" in last) is dies
    assert leaves.world.ports[leaves.world.leaves[0]] == ("t1-quarantine", True)


ROUTED = "worker-su01-rack01-h03"
BORDERS = ["border-leaf-01-1", "border-leaf-01-2"]


class Brought:
    """Leaves that note the jobs, and what their sessions outside announce then of two tenants."""

    def __init__(self, fabric, said):
        self.fabric, self.said = fabric, said

    def each(self, names, work):
        for name in names:
            work(types.SimpleNamespace(name=name, bring=functools.partial(self.bring, name)))

    def bring(self, name, registry, job):
        rows = vrfs.of_leaf(self.fabric, registry, self.fabric.device(name))
        announced = {
            row["slug"]: [session["announce"] for session in row["sessions"]]
            for row in rows
            if row["network"] == "front-end"
        }
        self.said.append((name, job.nodes, job.tenants, announced))


def test_sessions_outside_follow_the_routed_links_of_a_node(monkeypatch):
    """The old tenant's lists lose them after its ports; the new one's have them before the ports join."""
    fabric, said = Fabric.load(str(INVENTORIES / "lab-routed" / "model" / "fabric.yml")), []
    registry = Registry.load(fabric)
    node = fabric.device(ROUTED)
    record = schema.MovingRecord.model_validate({"from": "acme", "to": "globex", "step": "shut"})
    ports = attachments.of_node(fabric, node)
    others = [at for at in ports if at.network != "east-west"]
    outside = move_plan._outside(fabric, registry, record, others)
    assert outside == {"acme": BORDERS, "globex": BORDERS}
    steps = ("quarantine", "open", "join")
    records = {step: {**record.plain(), "step": step} for step in steps}
    row = {"record": record.plain(), "steps": steps, "records": records, "outside": outside}
    rows = {ROUTED: {**row, "ports": ports}}
    rows[ROUTED]["group_leaves"] = []
    monkeypatch.setattr(Mover, "_bring", lambda _self, group, *_more: said.append(group))
    mover = Mover(fabric, registry, Brought(fabric, said), None, rows, None)
    left, own, more = (
        [["10.160.0.0/30"]],
        [["10.160.0.8/30"]],
        [["10.160.0.8/30", "10.160.0.16/30"]],
    )

    def lists(slug, acme, globex):
        return [(name, (), [slug], {"acme": acme, "globex": globex}) for name in BORDERS]

    for step, expected in (
        ("quarantine", lists("acme", left, own)),
        ("open", []),
        ("join", lists("globex", left, more)),
    ):
        said.clear()
        mover.carry_out(step)
        assert [row for row in said if isinstance(row, tuple)] == expected
        place = {"quarantine": slice(-2, None), "join": slice(2, 4)}.get(step)
        assert place is None or all(isinstance(row, tuple) for row in said[place])
