# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Histories of one node that moves: runs of the engine, one step at a time, and all that happens in between.

A history is a list of events:

    (go, who, n)        a controller starts tenant_move, if it is not at work, and does its next n actions: a
                        record, a reading of a leaf, a change of a leaf
    (kill, who)         it dies where it is
    (lose, leaf)        the leaf does the next change, and its reply is lost
    (late, leaf)        the same, and the change takes effect only at `land`
    (twice, leaf)       the same change takes effect again at `land`
    (land, leaf)
    (die, leaf), (back, leaf), (stale, leaf)   the leaf is gone; returns as it was, or as it was long ago
    (hand, leaf, what)  an operator shuts or opens the port, or puts it into quarantine
    (aim, who, goal)    what the next run of a controller is for: a tenant, rest or quarantine

Who was root on the node as its tenant takes part:

    (forge, how)        the next hook wipe does nothing, as the node answers that all is done; it confirms nothing, and
                        evidence of another kind is in the store of the run (`FORGED`)
    (usurp, who)        somebody with the name of an earlier run of a controller, or of none, writes into the registry
    (mute,), (speak,)   the node does not answer its gateways; it does again
    (claim, leaf)       the leaf hears a route to the node in the VRF of acme

With a converged fabric the node has front-end and storage ports too, which the same rules hold for.

What the engine writes is judged at once (`World.put`). Nothing here knows how the engine works: leaves hold a VRF and
a state for one port, and report routes by them.
"""

from __future__ import annotations

import re
import threading

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge.run_store import store
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    attachments,
    edit,
    schema,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import (
    wipe as wiping,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.evidence import (
    HookAtWork,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves import (
    move_plan,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.leaf import (
    AppliedConfiguration,
    Clock,
    LeafError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.moves.move_run import (
    Mover,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.steps import STEPS
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.tenant import evidence

NODE, NAME = Node(0, 0, 0), "worker-su01-rack01-h01"
REGISTRY = "tenants: [{id: 21, slug: acme, nodes: [su01/h01]}, {id: 22, slug: globex}, {id: 23, slug: initech}]\n"
NETWORKS = """\
tenants:
  - {id: 21, slug: acme, nodes: [su01/h01], networks: [east-west, front-end, storage]}
  - {id: 22, slug: globex, networks: [east-west, front-end, storage]}
  - {id: 23, slug: initech, networks: [east-west, front-end]}
"""
CUSTOMERS = {"t21-acme": "acme", "t22-globex": "globex", "t23-initech": "initech"}
HOUSE = {"t1-quarantine", "t2-rest"}
GOALS = ("globex", "initech")
AIMS = (*GOALS, "acme", schema.REST, schema.QUARANTINE)
REBOOTS = 10
"""Runs that a history may need after its last fault."""
OTHER = "worker-su01-rack01-h02"
WIPE = HookAtWork("wipe", NAME, "wipe", managed=True)
FORGED = {
    "replayed": [WIPE, "chapter"],
    "of another node": [HookAtWork("wipe", OTHER, "wipe", managed=True)],
    "of another kind": [HookAtWork("acceptance", NAME, "wipe")],
    "of an earlier hook": [WIPE],
    "nothing": [],
}
"""Store before a hook that confirms nothing: hooks that have confirmed, and the end of their chapter."""
CONFIRMED = {"wipe": ("wiped", "bmc"), "acceptance": ("accepted", "hand")}


class Violation(AssertionError):  # it is no error of the program that runs
    """The engine wrote what it must not."""


class Killed(BaseException):
    """The controller is gone; no handler of the engine is asked."""


class World:
    """One node with its leaves, the registry or two clones of it, and two controllers."""

    def __init__(self, fabric, registry, clones):
        self.fabric, self.base = fabric, registry
        self.of = {at.leaf: at for at in attachments.of_node(fabric, NODE)}
        self.leaves = sorted(self.of)
        self.ports = dict.fromkeys(self.leaves, ("t21-acme", True))
        self.long_ago = dict(self.ports)
        self.dead, self.faults, self.pending, self.by_hand = set(), {}, {}, set()
        self.data = "acme"  # whose data may be on the node
        books = [{}, {}] if clones else [{}] * 2
        lists = [["acme"], ["acme"]] if clones else [["acme"]] * 2
        self.controllers = [
            Controller(self, number, goal, books[number], lists[number])
            for number, goal in enumerate(GOALS)
        ]
        self.same_machine = not clones
        self.log = []
        self.forged, self.muted, self.claimed = [], False, set()
        self.wipers = set()  # the runs that wiped, and so have evidence

    # What happens to ports

    def put(self, leaf, place, by=None):
        """The engine's change takes effect; it is judged.

        A run of one clone that has wiped the node cannot see that a run of another clone had it with a customer
        and put it back into quarantine before the next look: no leaf shows that. The docs say so.
        """
        vrf, up = place
        self.log.append((leaf, place))
        if vrf not in {*HOUSE, *CUSTOMERS}:
            raise Violation(f"{leaf}: {place}")
        self.ports[leaf] = place
        with_ = {CUSTOMERS[v] for v, is_up in self.ports.values() if is_up and v in CUSTOMERS}
        if up and vrf in CUSTOMERS:
            if len(with_) > 1:
                raise Violation(f"up with {sorted(with_)}: {self.ports}")
            if self.data not in (None, CUSTOMERS[vrf]) and not (by and by.overtaken):
                raise Violation(f"unwiped, with data of {self.data}, in {vrf}")
        self.touched()
        for controller in self.controllers:
            if up and vrf in CUSTOMERS and controller is not by and controller.wiped:
                controller.overtaken = not self.same_machine

    def touched(self):
        """Whoever reaches the node may leave data there."""
        for vrf, up in self.ports.values():
            if up and vrf in CUSTOMERS:
                self.data = CUSTOMERS[vrf]

    def wipe(self, run):
        """The hook wipe of a run; the evidence of it by node."""
        how = self.forged.pop() if self.forged else None
        store.begin()
        for hook in FORGED.get(how, ()):
            if hook == "chapter":
                store.begin()
            else:
                confirm(hook)
        evidence.begin(store, WIPE)
        if how is None:
            self._wiped(run)
            confirm(WIPE, begun=True)
            evidence.add(store, evidence.CARDS, by="read", node=NAME)
        evidence.end(store)
        return evidence.of(store, "wiped")

    def _wiped(self, run):
        up_in = {vrf for vrf, up in self.ports.values() if up and vrf in CUSTOMERS}
        if up_in:
            raise Violation(f"wiped while a customer reaches it: {self.ports}")
        self.data = None
        self.wipers.add(run)

    def alive(self, run):
        """Check whether a run is at work."""
        return any(one.thread and one.name == run for one in self.controllers)

    def written(self, found, record, run):
        """A record of the registry is replaced by a run; it is judged."""
        holder = (found or {}).get("run")
        if holder and holder != run and self.alive(holder):
            raise Violation(f"{run} writes what {holder} holds: {found}")
        clean = (record or {}).get("clean")
        if (
            clean
            and clean["by"] not in ("registry", "elsewhere")
            and clean["run"] not in self.wipers
        ):
            raise Violation(f"{run} records a wipe that nobody confirmed: {record}")

    # Events

    def event(self, kind, *more):
        """One event of a history."""
        getattr(self, f"_{kind}")(*more)

    def _go(self, who, count):
        self.controllers[who].start()
        for _action in range(count):
            self.controllers[who].advance()

    def _kill(self, who):
        self.controllers[who].kill()

    def _aim(self, who, goal):
        self.controllers[who].aim = goal

    def _forge(self, how):
        self.forged = [how]

    def _mute(self):
        self.muted = True

    def _speak(self):
        self.muted = False

    def _claim(self, leaf):
        self.claimed.add(self.leaves[leaf])

    def _usurp(self, who):
        """It knows what the registry says, and that nobody may see that it is forged but by who holds the record."""
        book = self.controllers[who].book
        if not (found := book.get(NAME)):
            return
        forged = {
            **found,
            "step": "join",
            "clean": {"on": "2026-11-23", "by": "bmc", "run": "stranger", "nic": "read"},
        }
        for name in (f"machine-{who}/{self.controllers[who].runs - 1}", "stranger"):
            for of in ("", name, found.get("run", "")):
                run = edit.Run(name, self.alive)
                change = edit.Move(NAME, forged, at=found["step"], of=of, run=run)
                try:
                    edit.noted(found, change)
                except FabricError:
                    continue
                holder = found.get("run")
                if holder and holder != name and self.alive(holder):
                    raise Violation(f"{name} may write what {holder} holds: {found}")

    def _lose(self, leaf):
        self.faults[self.leaves[leaf]] = "lose"

    def _late(self, leaf):
        self.faults[self.leaves[leaf]] = "late"

    def _twice(self, leaf):
        self.faults[self.leaves[leaf]] = "twice"

    def _land(self, leaf):
        name = self.leaves[leaf]
        if name in self.pending and name not in self.dead:
            self.put(name, self.pending.pop(name))

    def _die(self, leaf):
        self.dead.add(self.leaves[leaf])

    def _back(self, leaf):
        self.dead.discard(self.leaves[leaf])

    def _stale(self, leaf):
        """Between runs only: in the middle of one nobody could see it before the next reading.

        It was away for longer than an apply of the other leaf may be late.
        """
        name = self.leaves[leaf]
        if name in self.dead and not any(c.thread for c in self.controllers):
            for other in set(range(len(self.leaves))) - {leaf}:
                self._land(other)
            self.dead.discard(name)
            self.pending.pop(name, None)
            self.ports[name] = self.long_ago[name]
            self.touched()

    def _hand(self, leaf, what):
        name = self.leaves[leaf]
        vrf, up = self.ports[name]
        if name not in self.dead:
            self.by_hand.add(name)
            if what == "quarantine" and up and vrf in CUSTOMERS:
                self._wipe_again()
            self.ports[name] = {
                "shut": (vrf, False),
                "quarantine": ("t1-quarantine", up),
            }[what]

    def _wipe_again(self):
        """Do as the guide says of a port that a person takes out of a customer's VRF: no leaf shows it then."""
        for book in {id(one.book): one.book for one in self.controllers}.values():
            if (book.get(NAME) or {}).pop("clean", None):
                book[NAME]["step"] = "wipe"
            (book.get("health") or {}).pop("clean", None)

    def end(self):
        """The faults are over: the surviving run goes on to its end, by the remedies that it names."""
        for leaf in range(len(self.leaves)):
            self._land(leaf)
            self._back(leaf)
            self._land(leaf)
        self.faults.clear()
        self.forged, self.muted = [], False
        self.claimed.clear()
        for controller in self.controllers:
            controller.kill()
        for number in range(REBOOTS):
            last = self.controllers[number % 2]
            last.start()
            while last.thread:
                last.advance()
            if last.said is None:
                wrong = {n for n, place in self.ports.items() if place != self.place(n, last.goal)}
                if wrong - self.by_hand or last.book.get(NAME):
                    raise Violation(f"{last.goal} is said to have it: {self.ports}")
                return
            self._remedy(last, number)
        raise Violation(f"it does not end: {last.said}")

    def place(self, leaf, slug, *, up=True):
        """Place of a leaf's port while somebody has the node."""
        slug, up = attachments.place(self.base, slug, self.of[leaf].network, up=up)
        return self.base.owner(slug).vrf, up

    def _remedy(self, reader, number):
        """Do as a person who reads a refusal: the order that it names, on the same machine."""
        said = reader.said
        named = re.search(r"already moving from \S+ to (\w+)|spx_tenant=(\w+)", said)
        if named and number > 1:
            for controller in self.controllers if self.same_machine else [reader]:
                controller.aim = named[1] or named[2]
        for leaf in self.leaves:
            if f"of {leaf}" in said and "by hand" in said:
                self.ports[leaf] = ("t1-quarantine", self.of[leaf].network == "east-west")
            if owner := re.search(
                rf"is (\w+)'s, and port \S+ of {leaf} .* needs no move, run ", said
            ):
                self.ports[leaf] = self.place(leaf, owner[1])


class Leaf:
    """One leaf, as one controller sees it."""

    def __init__(self, world, name, controller):
        self.world, self.name, self.controller = world, name, controller

    def _answers(self):
        self.controller.tick()
        if self.name in self.world.dead:
            raise LeafError(f"{self.name} does not answer.")

    def applied(self):
        self._answers()
        vrf, up = self.world.ports[self.name]
        port, link = self.world.of[self.name], {"state": {"up" if up else "down": {}}}
        if port.network == "east-west":
            interfaces = {port.port: {"vrf": vrf, "link": link}}
        else:  # a bond that is shut is in no VLAN
            net = self.world.base.nets[self._slug(vrf), port.network]
            body = {"bridge": {"domain": {"br_default": {"access": net.vlan}}}} if up else {}
            svi = {f"vlan{net.vlan}": {"vrf": net.vrf}}
            interfaces = {port.port: body, port.swp: {"link": link}, **svi}
        return AppliedConfiguration("5.16.1", {"interface": interfaces, "vrf": {vrf: {}}})

    def _slug(self, vrf):
        return next(slug for slug, owner in self.world.base.owners.items() if owner.vrf == vrf)

    def bring(self, registry, job):
        self._answers()
        if self.name in self.world.pending:  # a switch applies one revision after the other
            self.world.put(self.name, self.world.pending.pop(self.name))
        holding = registry.holding(NODE)
        place = self.world.place(self.name, holding.slug, up=holding.up)
        (has, is_up), only = self.world.ports[self.name], job.only.get(NODE)
        nobody = self.world.of[self.name].network != "east-west" and not is_up
        if only and not nobody and has not in (place[0], *only):
            raise LeafError(f"port of {self.name} is in {has}: another run moves the node too.")
        fault = self.world.faults.pop(self.name, None)
        if fault == "late":
            self.world.pending[self.name] = place
            raise LeafError(f"{self.name} does not answer.")
        if self.world.ports[self.name] != place:
            self.world.put(self.name, place, self.controller)
        if fault == "twice":
            self.world.pending[self.name] = place
        if fault == "lose":
            raise LeafError(f"{self.name} does not answer.")

    def read(self, paths):
        self._answers()
        return {path: self._one(path) for path in paths}

    def _one(self, path):
        kind, vrf, *_rest = path.split("/")
        if kind != "vrf":
            return {} if self.world.muted else None  # a leaf may report no neighbours at all
        claimed = self.name in self.world.claimed and vrf == "t21-acme"
        routes = {
            self.world.of[leaf].prefix: {}
            for leaf, (has, up) in self.world.ports.items()
            if (claimed or (has == vrf and up)) and self.world.of[leaf].routed
        }
        return {"route": routes}

    def ping(self, vrf, address):
        """Whoever is there has said what it says."""


class Leaves:
    def __init__(self, world, controller):
        self.world, self.controller = world, controller

    def each(self, names, work):
        made, said = {}, []
        for name in names:
            try:
                made[name] = work(Leaf(self.world, name, self.controller))
            except LeafError as exc:
                said.append(str(exc))
        if said:
            raise FabricError(said)
        return made


class Controller:
    """One operator's machine: a thread that goes on only when a history says so."""

    def __init__(self, world, number, goal, book, lists):
        self.world, self.number, self.goal, self.aim = world, number, goal, goal
        self.book, self.lists = book, lists
        self.thread, self.said, self.runs = None, None, 0
        self._go, self._here = threading.Semaphore(0), threading.Semaphore(0)
        self._dies, self._failure = False, None
        self.wiped, self.overtaken = False, False

    # The baton

    def start(self):
        if self.thread is None:
            self.runs += 1
            self.goal = self.aim
            self._dies, self._failure = False, None
            self.wiped, self.overtaken = False, False
            self.thread = threading.Thread(target=self._main, name=self.name, daemon=True)
            self.thread.start()
            self._here.acquire()

    def advance(self):
        if self.thread is not None:
            self._go.release()
            self._here.acquire()
            if self._failure is not None:
                raise self._failure

    def kill(self):
        if self.thread is not None:
            self._dies = True
            self.advance()

    def tick(self):
        """The next action begins when the history says so."""
        self._here.release()
        self._go.acquire()
        if self._dies:
            raise Killed

    def _main(self):
        try:
            self.tick()
            self.said = None
            self._move()
        except FabricError as exc:
            self.said = str(exc)
        except Killed:
            self.said = "killed"
        except BaseException as exc:  # noqa: BLE001 # the history's thread raises it
            self._failure = exc
        self.thread = None
        self._here.release()

    # The playbook

    @property
    def name(self):
        return f"machine-{self.number}/{self.runs}"

    def registry(self):
        """The file of this clone, with its records."""
        base = self.world.base
        slug = self.lists[0]
        listed = base.with_nodes(schema.QUARANTINE, [NODE])
        listed = listed.with_nodes(slug, [NODE]) if slug != schema.QUARANTINE else listed
        record, known = self.book.get(NAME), self.book.get("health")
        made = listed.with_moves(
            {NODE: schema.MovingRecord.model_validate(record) if record else None}
        )
        if known:
            made.health = {**made.health, NODE: schema.Health.model_validate(known)}
            made.unwiped = made.unwiped if made.health[NODE].clean else made.unwiped | {NODE}
        return made

    def at_work(self, run):
        return self.world.same_machine and any(
            c.thread and c.name == run for c in self.world.controllers if c is not self
        )

    def note(self, records, at):
        self.tick()
        run = edit.Run(self.name, self.at_work)
        for name, record in records.items():
            change = edit.Move(name, dict(record), at=at[name], of=self.of.get(name, ""), run=run)
            found = self.book.get(name)
            made = edit.noted(found, change).record
            self.world.written(found, made, self.name)
            self.book[name] = made

    def _move(self):
        world, leaves = self.world, Leaves(self.world, self)
        documents = leaves.each(world.leaves, lambda leaf: leaf.applied())
        order = move_plan.Order(
            self.goal,
            applied={name: found.document for name, found in documents.items()},
            hooks=("wipe",),
            written=True,
            run=self.name,
            today="2026-11-23",
            at_work=self.at_work,
        )
        registry = self.registry()
        plan = move_plan.plan(world.fabric, registry, [NODE], order)
        rows, self.of = plan["nodes"], plan["runs"]
        if not rows:
            return
        self.note({NAME: rows[NAME]["record"]}, {NAME: rows[NAME]["found"]})
        clock = Clock(lambda: 0.0, lambda _seconds: None)
        mover = Mover(*(world.fabric, registry, leaves, self, rows, clock), wait=0)
        for step in plan["steps"]:
            mover.begin(step)
            if STEPS[step].hooks:
                found = mover.rows
                if "wipe" in STEPS[step].hooks:
                    found = world.wipe(self.name)
                    self.wiped = NAME in found
                    rows = wiping.attested(rows, evidence.every(store))
                self.tick()
                mover.end(step, {}, order.hooks, found, evidence.of(store, evidence.CARDS))
                mover.rows = rows
            else:
                mover.carry_out(step)
        self.tick()
        run = edit.Run(self.name, self.at_work)
        over = edit.Move(NAME, None, at=plan["ended"][NAME], of=self.of[NAME], run=run)
        edit.noted(self.book.get(NAME), over)
        world.written(self.book.get(NAME), None, self.name)
        self.book.pop(NAME, None)
        self.book.pop("health", None)
        if self.goal in (schema.REST, schema.QUARANTINE):
            self.book["health"] = {"since": order.today, **rows[NAME]["health"]}
        self.lists[0] = self.goal


def confirm(hook, *, begun=False):
    """A hook that confirms its work, in the store of the run."""
    if not begun:
        evidence.begin(store, hook)
    what, by = CONFIRMED[hook.name]
    evidence.confirm(store, what, by=by, note="")
    if not begun:
        evidence.end(store)


def play(fabric, registry, history, *, clones):
    """Play a history to its end; raises Violation. Returns the world."""
    world = World(fabric, registry, clones)
    try:
        for event in history:
            world.event(*event)
        world.end()
    finally:
        for controller in world.controllers:
            controller._failure = None
            controller.kill()
    return world
