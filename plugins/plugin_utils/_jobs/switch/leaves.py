# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The leaves of a tenant's job over NVUE, as many at a time as Ansible has forks. Private.

    leaves = Leaves(connect, forks=5)     connect makes an NvueLeaf of a name
    leaves.each(["leaf-p1-su001-r1"], lambda leaf: leaf.applied())
    leaves.result()                       what became of each leaf, as part of the result of a task

One task on the controller connects to all leaves: what it costs follows from what changes, not from the number of
steps and hosts.
"""

from __future__ import annotations

import concurrent.futures
import functools
import time
import typing as t

from ..._fabric.description.errors import FabricError
from ..._fabric.render.switch import compose
from ..._fabric.tenants.moves import leaf as ports
from ..._nvue.change import identity, temporary_change
from ..._nvue.change.plan import Wish
from ..._nvue.document import dialect, ranges, shapes
from ..._nvue.document.paths import parse
from ..._nvue.document.tree import get
from ..._nvue.errors import ApiError, NvueError, RefusedError
from ..._nvue.wire import actions, images, operational, ping, sessions
from . import change, wish
from .failure import ended

if t.TYPE_CHECKING:
    from ....module_utils._json import Json
    from ..._fabric.plan.fabric import Fabric
    from ..._fabric.render.switch.context import Options
    from ..._fabric.tenants.registry import Registry
    from ..._nvue.wire.api import Api

Doc = dict[str, object]
T = t.TypeVar("T")
P = t.ParamSpec("P")
CLOCK = ports.Clock(time.monotonic, time.sleep)
PINGS = 3
"""Packets to a host that a gateway asks for: the first may be what resolves it."""
PING_SECONDS = 15.0


def _of_a_leaf(
    method: t.Callable[t.Concatenate[NvueLeaf, P], T],
) -> t.Callable[t.Concatenate[NvueLeaf, P], T]:
    """Decorates a method of a leaf: an NvueError is kept as its result, and leaves as LeafError."""

    @functools.wraps(method)
    def called(leaf: NvueLeaf, /, *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return method(leaf, *args, **kwargs)
        except NvueError as exc:
            leaf.results.append(ended(exc))
            raise ports.LeafError(_named(leaf.name, str(exc))) from exc

    return called


class NvueLeaf:
    """One leaf; see `Leaf` of the core. What was done there is kept in `results`."""

    def __init__(
        self,
        name: str,
        plan: Fabric,
        api: Api,
        how: change.Conditions,
        place: Doc,
        options: Options | None = None,
    ) -> None:
        self.name, self._plan, self._api, self._how, self.place = name, plan, api, how, place
        self._options = options
        self.results: list[Doc] = []

    @_of_a_leaf
    def applied(self) -> ports.AppliedConfiguration:
        """Read the leaf's applied configuration, in neutral spelling; that of another switch shows nothing of this
        one."""
        release = operational.about(self._api).release
        found = dialect.from_release(ranges.expand(operational.applied(self._api)), release)
        named = str(get(found, ("system", "hostname"), ""))
        if named != self.name:
            expected = change.identity(compose.context(self._plan, self.name), self._how)
            identity.check(self._api, expected, named, device=self.name)
        return ports.AppliedConfiguration(str(release), found)

    @_of_a_leaf
    def bring(self, registry: Registry, job: ports.Job) -> None:
        """Bring the job's places to the registry, in one transaction."""
        if images.pending(self._api):
            raise RefusedError(
                f"{self.name}: it is being upgraded, as its next boot is another image: finish playbook upgrade first; "
                "nothing was written there."
            )
        wanted = wish.of_job(self._plan, self.name, registry, job, options=self._options)
        result = change.run(self._api, wanted, self._how)
        self.results.append(result)
        if result.get("failed"):
            raise ports.LeafError(result["msg"])

    @_of_a_leaf
    def read(self, paths: t.Iterable[str]) -> dict[str, Json]:
        """The operational data at some paths; None where the leaf has nothing."""
        return {path: self._one(path) for path in paths}

    def _one(self, path: str) -> Json:
        try:
            return self._api.get(parse(path), operational.OPERATIONAL, shapes.something)
        except ApiError as exc:
            if exc.status == 404:
                return None
            raise

    @_of_a_leaf
    def sessions(self) -> set[sessions.Session]:
        """The BGP sessions of the underlay that are Established."""
        return sessions.established(sessions.states(self._api, ["default"]))

    @_of_a_leaf
    def carriers(self) -> set[str]:
        """The interfaces that are operationally up."""
        return {port for port, up in operational.carriers(self._api).items() if up}

    @_of_a_leaf
    def interfaces(self, include: operational.Include) -> dict[str, dict[str, Json]]:
        """Some places of every interface."""
        return operational.interfaces(self._api, include)

    @_of_a_leaf
    def packets(self) -> dict[str, tuple[int, ...]]:
        """The packets in and out of every port that counts."""
        return operational.packets(self._api)

    @_of_a_leaf
    def shut(self, ports: t.Collection[str], *, seconds: int) -> temporary_change.Span:
        """Shut ports for so many seconds, under the roll-back timer of the switch: it opens them again by itself."""
        down: Json = {"link": {"state": {"down": {}}}}
        owns = tuple(f"interface/{port}/link/state" for port in ports)
        down_wish = Wish({"interface": dict.fromkeys(ports, down)}, "replaced", owns=owns)
        api = self._api

        def runs() -> bool:
            carriers = operational.carriers(api)
            return not any(carriers.get(port, True) for port in ports)

        return temporary_change.play(
            api, down_wish, seconds=seconds, runs=runs, message=self._how.message()
        )

    def ping(self, vrf: str, address: str) -> None:
        """Ask for a host; older releases cannot, and what counts is read elsewhere."""
        try:
            job = actions.start(
                self._api, ("system",), "ping", ping.parameters(vrf, address, count=PINGS)
            )
            actions.follow(self._api, job, within=PING_SECONDS)
        except NvueError:
            return

    def close(self) -> None:
        """End the connection."""
        self._api.port.close()


class Leaves:
    """The leaves of a task; see `Leaves` of the core."""

    def __init__(self, connect: t.Callable[[str], NvueLeaf], *, forks: int) -> None:
        self._connect, self._forks = connect, max(1, forks)
        self._made: dict[str, NvueLeaf] = {}

    def each(self, names: t.Iterable[str], work: t.Callable[[NvueLeaf], T]) -> dict[str, T]:
        """The answer of each leaf by its name; FabricError with the sentence of every leaf that failed."""
        leaves = [self._leaf(name) for name in dict.fromkeys(names)]
        if not leaves:
            return {}
        answers: dict[str, T] = {}
        sentences: list[str] = []

        def one(leaf: NvueLeaf) -> T:
            try:
                return work(leaf)
            finally:
                leaf.close()

        with concurrent.futures.ThreadPoolExecutor(min(self._forks, len(leaves))) as pool:
            begun = {leaf.name: pool.submit(one, leaf) for leaf in leaves}
            for name, future in begun.items():
                try:
                    answers[name] = future.result()
                except ports.LeafError as exc:
                    sentences.append(str(exc))
                except FabricError as exc:
                    sentences += exc.sentences
        if sentences:
            raise FabricError(sentences)
        return answers

    def at_hand(self, names: t.Iterable[str]) -> bool:
        """Say whether the run can ask leaves: they are in its inventory, and it has their credentials."""
        try:
            return all(bool(self._leaf(name)) for name in names)
        except FabricError:
            return False

    def result(self) -> Doc:
        """Return the result of the leaves: {changed, devices, warnings, would_refuse, diff}."""
        rows = {name: leaf.results for name, leaf in sorted(self._made.items())}
        flat = [(name, row) for name, results in rows.items() for row in results]
        made: Doc = {
            "changed": any(row.get("changed") for _name, row in flat),
            "devices": {
                name: {"state": _state(rows[name]), "spx": leaf.place}
                for name, leaf in sorted(self._made.items())
            },
        }
        for key in ("warnings", "would_refuse"):
            if texts := [_named(name, text) for name, row in flat for text in _listed(row, key)]:
                made[key] = list(dict.fromkeys(texts))
        if diffs := [
            _headed(name, diff)
            for name, row in flat
            for diff in t.cast("list[Doc]", row.get("diff") or [])
        ]:
            made["diff"] = diffs
        return made

    def changes(self) -> dict[str, Doc]:
        """Return the changes of each leaf, for a report: {changed, revision, changes, drift}."""
        made = {}
        for name, leaf in sorted(self._made.items()):
            last = next((row for row in reversed(leaf.results) if "changes" in row), {})
            made[name] = {
                "changed": any(row.get("changed") for row in leaf.results),
                "revision": last.get("revision"),
                "changes": last.get("changes") or [],
                "drift": last.get("drift") or [],
            }
        return made

    def _leaf(self, name: str) -> NvueLeaf:
        """Return a leaf that is connected, in the thread of the task."""
        if name not in self._made:
            self._made[name] = self._connect(name)
        return self._made[name]


def _state(results: t.Sequence[Doc]) -> str:
    """Return the state of a leaf, in the words of the summary."""
    for word in ("untrusted", "unreachable", "failed"):
        if any(row.get(word) for row in results[-1:]):
            return word
    return "changed" if any(row.get("changed") for row in results) else "unchanged"


def _listed(row: Doc, key: str) -> t.Sequence[str]:
    return t.cast("t.Sequence[str]", row.get(key) or ())


def _named(name: str, text: str) -> str:
    return text if text.startswith(f"{name}: ") else f"{name}: {text}"


def _headed(name: str, diff: Doc) -> Doc:
    heads = {key: f"{name} {diff[key]}" for key in ("before_header", "after_header")}
    return {**diff, **heads}
