# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Interfaces of a host: refuse what would collide, write, rename, apply, and read again.

Two things are compared: the files that survive a reboot, and the live state, which may
have changed since. Where both are as wanted nothing is run. What touches the front end, storage or the
interface by which the controller came is an attempt: see `attempt.py`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from .._nic.discover import rdma_of, without_driver
from .._nic.errors import NicError
from .._nic.read.cc import read_cc
from .._nic.tools import Host, Step, failed, reason
from . import attempt, beside, definitions, networks, takeover
from .backends import (
    again,
    choose,
    commands,
    files,
    goes_on,
    kernel_settings,
    later_settings,
    leftovers,
)
from .files import DesiredFile, Outcome, apply_files, keep
from .interfaces import (
    RP_FILTER,
    Interface,
    LiveState,
    destination,
    gid_index,
    read,
    setting_path,
)
from .matching import Claim
from .networks import Networks
from .records import AddressRow, Network, Rail
from .writers import writers

GID_SECONDS = 10  # how long an address may take to its place in the GID table
MAIN = "main"


@dataclass(frozen=True)
class Plan:
    """Planned network of a host: the rails, its other networks, and the backend that keeps them.

    `aside` are files of others as they become, with copies, `taken` what they take aside.
    """

    rails: tuple[Interface, ...]
    others: Networks
    backend: str
    arp: bool
    aside: tuple[DesiredFile, ...] = ()
    taken: tuple[Claim, ...] = ()

    @property
    def all(self) -> list[Interface]:
        """Every port."""
        return [*self.rails, *self.others.ports]

    @property
    def version(self) -> int:
        """Version of IP on the rails."""
        return next((one.version for one in self.rails if one.address), 4)

    def read(self, host: Host) -> LiveState:
        """Read the current state of the network."""
        return read(host, self.all, version=self.version, more=bool(self.others.ports))

    def files(self, host: Host) -> list[DesiredFile]:
        """Every file, and those of networks that are none any more."""
        virtual = self.others.virtual
        made = files(self.backend, self.all, arp=self.arp, virtual=virtual)
        return [*self.aside, *made, *(leftovers(host, virtual) if self.others.ports else [])]

    def differences(self, found: LiveState, ports: Iterable[Interface]) -> dict[str, list[str]]:
        """Name -> sentences, of ports and of what is made of them."""
        rails = [one for one in ports if not one.network]
        made = differences(found, ports) | networks.differences(found, self.others)
        for name, says, _argv in beside.on_rails(found, rails):
            made[name] = [*made.get(name, ()), says]
        return made

    def commands(
        self, host: Host, found: LiveState, *, off: Collection[str], written: Collection[str] = ()
    ) -> list[tuple[str, ...]]:
        """Commands that make the files effective; a bond or VLAN that is missing is created from its file."""
        lacking = [one.name for one in self.others.virtual if one.name not in found.links]
        ports = [one for one in self.all if found.name_of(one)]
        names = {*(one.name for one in ports), *(one.name for one in self.others.virtual)}
        return commands(
            host,
            self.backend,
            [*ports, *self.others.virtual],
            off=[name for name in off if name in names],
            written=written,
            missing=[*lacking, *(one.port.name for one in self.taken if written)],
        )


def apply_network(
    host: Host,
    wanted: Sequence[Interface],
    *,
    backend: str = "auto",
    prefixes: Iterable[str] = (),
    arp: bool = False,
    timeout: float = 30,
    partly: bool = False,
    others: Networks | None = None,
    attempt_seconds: int = 120,
    take_over: bool = False,
) -> Network:
    """Return a `Network`; NicError in one sentence.

    `prefixes` belong to the fabric: a route of another interface into one of them is refused.
    `interfaces` have {name, pci, rdma, gid_index} as they are afterwards. Ports that are absent are
    refused, or with `partly` returned as `absent`, and the others compared. So are definitions of others that count
    for a port after a reload, or with `partly` returned in `addresses`, beside the addresses that it has now; with
    `take_over` those are moved aside, and `taken`, that mean no other device.

    `others` are the ports, bonds and VLANs of other networks. A change of theirs, or of the way in, comes with
    `attempt`, its name: the host takes it back after `attempt_seconds` unless that is confirmed.
    """
    plan = Plan(tuple(wanted), others or Networks(), choose(host, backend), arp)
    found = plan.read(host)
    for one in plan.all:
        _check_name(found, plan.all, one)
    networks.refuse(found, plan.others)
    present = [one for one in plan.all if found.name_of(one)]
    rails = [one for one in present if not one.network]
    obstacles = list(beside.in_the_way(found, wanted, prefixes))
    absent = [_absence(host, one) for one in plan.all if not found.name_of(one)]
    aside, taken, left = takeover.foreign(
        host, plan.backend, found, present, plan.files(host), take=take_over
    )
    claims = (definitions.sentence(row.plain()) for row in left)
    if not partly and (hindrance := next(iter([*obstacles, *absent, *claims]), "")):
        raise NicError(hindrance)
    plan = replace(plan, aside=tuple(aside), taken=tuple(taken))
    drift = plan.differences(found, present)
    other = list(_settings(found, present, kernel_settings(present, arp=arp)))
    outcome, token = _made(
        host, plan, found, drift, other, timeout=timeout, attempt_seconds=attempt_seconds
    )
    others_of = [row.plain() for row in _else_taken(host, plan, found, left, outcome)]
    if others_of and not partly:
        raise NicError(definitions.sentence(others_of[0]))
    return {
        **outcome.as_result(),
        "backend": plan.backend,
        "drift": [text for texts in drift.values() for text in texts] + _texts(other),
        "addresses": [*definitions.live(found, rails), *others_of],
        "taken": [row.plain() for row in taken],
        "obstacles": obstacles,
        "writers": writers(host, found, present),
        **({"absent": absent} if partly else {}),
        **({"attempt": token} if token else {}),
        **(networks.seen(found, plan.others) if plan.others.ports else {}),
        "renames_in_use": list(renames_in_use(found, present)),
        "interfaces": _known(host, found, wanted, fresh=outcome.changed),
    }


def _made(
    host: Host,
    plan: Plan,
    found: LiveState,
    drift: Mapping[str, list[str]],
    other: Iterable[Step],
    *,
    timeout: float,
    attempt_seconds: int,
) -> tuple[Outcome, str]:
    """Return the outcome of the change, and the name of the attempt by which the host takes it back."""
    present = [one for one in plan.all if found.name_of(one)]
    rails = [one for one in present if not one.network]
    removals = (argv for _name, _says, argv in beside.on_rails(found, rails))
    further = [*strays(found, rails), *removals]
    token = _attempt(host, plan, found, drift, attempt_seconds, due=bool(further))
    try:
        outcome = _make_live(host, further)
        outcome += _changed(host, plan, found, present, drift=drift, other=other, timeout=timeout)
    except NicError as exc:
        said = f" The host reverts the change within {attempt_seconds} s." if token else ""
        raise NicError(f"{exc}{said}") from exc
    outcome.left += later_settings(host, kernel_settings(present, arp=plan.arp))
    return outcome, token


def _texts(steps: Iterable[Step]) -> list[str]:
    """Return a sentence for each setting of the kernel that differs."""
    rows = ((step, "unknown" if step.before is None else step.before) for step in steps)
    return [f"{step.target}: {step.setting} is {now}, expected {step.after}." for step, now in rows]


def _else_taken(
    host: Host, plan: Plan, found: LiveState, left: list[Claim], outcome: Outcome
) -> list[Claim]:
    """Return what is left of others, with the files that networkd itself took where nothing is to be done."""
    if host.check_mode and outcome.changed:
        return left
    known = {row.port.name for row in left}
    ports = [one for one in plan.all if found.name_of(one) and one.name not in known]
    return [*left, *definitions.by_networkd(host, plan.backend, ports)]


def _changed(
    host: Host,
    plan: Plan,
    found: LiveState,
    present: Sequence[Interface],
    *,
    drift: Mapping[str, list[str]],
    other: Iterable[Step],
    timeout: float,
) -> Outcome:
    """Write files and make them effective; `other` steps need the names of the plan."""
    outcome = _kept(host, plan)
    if drift or outcome.texts:
        live = plan.commands(host, found, off=drift, written=outcome.texts)
        names = [*rdma_renames(host, found, present), *renames(found, present)]
        outcome += _make_live(host, [*names, *networks.orders(found, plan.others), *live])
        outcome += _settle(host, plan, present, timeout)
    for step in other:
        host.perform(step)
        outcome.commands.append(step.command)
    return outcome


def _kept(host: Host, plan: Plan) -> Outcome:
    """The files; with other networks also the unit by which a change is taken back at a boot."""
    if not (plan.others.ports or plan.taken):
        return apply_files(host, plan.files(host))
    boot = {attempt.BOOT: {"enabled": True}}
    return keep(host, [*plan.files(host), attempt.BOOT_FILE], boot)


def _attempt(
    host: Host,
    plan: Plan,
    found: LiveState,
    drift: Mapping[str, list[str]],
    seconds: int,
    *,
    due: bool,
) -> str:
    """The name of the timer that was started, "" where none is needed; with `due` there is more to do than `drift`.

    A host with other networks gets one for every change; who has rails only, where the controller came over one.
    """
    ports = {name for one in plan.all if (name := found.name_of(one))}
    masters = {found.links.get(name, {}).get("master", "") for name in ports}
    due = due or bool(plan.taken)
    tried = plan.others.ports or plan.taken or attempt.way_in(host, found) in ports | masters - {""}
    if host.check_mode or not tried:
        return ""
    wanted = plan.files(host)
    former = attempt.kept(host, wanted)
    planned = {one.path: one.content for one in wanted}
    texts = {path: there[0] if there else None for path, there in former.items()}
    if not due and not drift and all(planned.get(path) == text for path, text in texts.items()):
        return ""
    names = [*ports, *(one.name for one in plan.others.virtual if one.name in found.links)]
    back = again(plan.backend, sorted(names))
    before = attempt.SavedState(former, found, plan.all, plan.others, back)
    return attempt.arm(host, before, seconds=seconds)


def _settings(
    found: LiveState, wanted: Iterable[Interface], settings: Mapping[str, Mapping[str, int]]
) -> Iterator[Step]:
    """Steps that correct the kernel's settings, with the names after a rename.

    The kernel filters by the highest of `all` and the interface's own; no filter drops nothing.
    """
    for one in wanted:
        there = found.settings.get(found.name_of(one), {})
        for key, value in settings.get(one.name, {}).items():
            now = there.get(key)
            if key == RP_FILTER and now is not None:
                now = max(now, found.settings["all"].get(key, 0))
            good = (0, value) if key == RP_FILTER else (value,)
            if now not in good:
                path = setting_path(one.name, key)
                said = key.partition(".")[2]
                yield Step(one.name, said, now, value, path=path, text=str(value))


def _absence(host: Host, one: Interface) -> str:
    lost = without_driver(host, one.pci)
    if lost:
        return f"{one.name}: {lost}"
    key = f"networks.{one.network.replace('-', '_')}.pci" if one.network else "nics.pci"
    driver = "a driver" if one.network else "the driver mlx5_core"
    return (
        f"{one.name}: the host shows no network device at {one.pci}; check {key} of the "
        f"description and that {driver} is bound to the card."
    )


def _check_name(found: LiveState, wanted: Sequence[Interface], one: Interface) -> None:
    holders = {found.name_of(other) for other in wanted}
    if one.name in found.links and one.name not in holders:
        raise NicError(
            f"{one.name}: another network device of the host has this name already; rename or "
            "remove it."
        )


def differences(found: LiveState, wanted: Iterable[Interface]) -> dict[str, list[str]]:
    """Name -> a sentence for each thing of the live state that is not as wanted; {} when all is."""
    found_by_name = {one.name: list(_differences(found, one)) for one in wanted}
    return {name: said for name, said in found_by_name.items() if said}


def _differences(found: LiveState, one: Interface) -> Iterator[str]:
    name = found.name_of(one)
    if name != one.name:
        yield f"{one.pci}: its name is {name}, expected {one.name}."
    if rdma := found.wrong_rdma(one):
        yield f"{one.name}: the name of its RDMA device is {rdma}, expected {one.rdma}."
    link = found.links.get(name, {})
    if "UP" not in link.get("flags", ()):
        yield f"{one.name}: it is down."
    if link.get("mtu") != one.mtu:
        yield f"{one.name}: mtu is {link.get('mtu')}, expected {one.mtu}."
    yield from _addresses(link.get("addr_info", ()), one)
    yield from _routes(found, one, name)


def _addresses(there: Iterable[AddressRow], one: Interface) -> Iterator[str]:
    wanted = (one.address, one.length)
    if one.address and wanted not in [(row.get("local"), row.get("prefixlen")) for row in there]:
        yield f"{one.name}: it lacks the address {one.cidr}."
    for row in there if not one.address else ():
        if definitions.counts(row):
            whose = f"{one.bond} has it" if one.bond else "the first port of its NIC has the rail's"
            yield (
                f"{one.name}: it has the address {row.get('local')}/{row.get('prefixlen')}, expected "
                f"none: {whose}."
            )


def _routes(found: LiveState, one: Interface, name: str) -> Iterator[str]:
    """The metric counts in the main table, where it makes one rail the default for the others."""
    own = [row for row in found.routes if row.get("dev") == name]
    there = {(destination(row), str(row.get("table", MAIN)), row.get("gateway")) for row in own}
    ranks = {
        (destination(row), row.get("gateway"), row.get("metric", 0))
        for row in own
        if row.get("table", MAIN) == MAIN
    }
    for route in one.routes:
        if (route.to, one.gateway, route.metric) not in ranks:
            yield f"{one.name}: it lacks the route {route.to} in table {MAIN}, metric {route.metric}."
        if one.table and (route.to, str(one.table), one.gateway) not in there:
            yield f"{one.name}: it lacks the route {route.to} in table {one.table}."
    rules = {(row.get("src"), str(row.get("table"))) for row in found.rules}
    if one.table and (one.address, str(one.table)) not in rules:
        yield f"{one.name}: it lacks the rule from {one.address} to table {one.table}."


def _make_live(host: Host, steps: Iterable[tuple[str, ...]]) -> Outcome:
    outcome = Outcome()
    for argv in steps:
        said = host.attempt(Step(argv[-1], argv[0], "", "", argv=argv, timeout=60))
        if failed(said) and not goes_on(argv, said.rc):
            raise NicError(f"'{' '.join(argv)}' failed: {reason(said)}.")
        outcome.commands.append(" ".join(argv))
    return outcome


def strays(found: LiveState, wanted: Iterable[Interface]) -> Iterator[tuple[str, ...]]:
    """Yield what takes further addresses from rails that have their names; a rename takes all."""
    for one in wanted:
        for cidr in definitions.stray(found, one) if found.name_of(one) == one.name else ():
            yield ("ip", "address", "delete", cidr, "dev", one.name)


def renames(found: LiveState, wanted: Iterable[Interface]) -> Iterator[tuple[str, ...]]:
    """Down, without addresses, renamed, up: kernels before 6.1 refuse to rename what is up."""
    order = ("ip", "link", "set", "dev")
    moving = {found.name_of(one): (one, one.name) for one in wanted}
    hops = list(_hops({now: row for now, row in moving.items() if now != row[1]}))
    for name, between, _name in hops:
        yield (*order, name, "down")
        yield ("ip", "address", "flush", "dev", name)
        if between != name:
            yield (*order, name, "name", between)
    for _name, between, name in hops:
        yield (*order, between, "name", name)
        yield (*order, name, "up")


def rdma_renames(
    host: Host, found: LiveState, wanted: Iterable[Interface]
) -> Iterator[tuple[str, ...]]:
    """Names of RDMA devices, after the congestion control ended that has the former name."""
    order = ("rdma", "dev", "set")
    moving = {now: (one, one.rdma) for one in wanted if (now := found.wrong_rdma(one))}
    running = read_cc(host) if moving else {}
    for name in sorted(moving.keys() & running.keys()):
        unit = running[name]["unit"]
        if not unit:
            raise NicError(
                f"{name}: doca_spcx_cc runs without a unit and keeps this name: end it, and run again."
            )
        yield ("systemctl", "stop", unit)
    hops = list(_hops(moving))
    yield from ((*order, now, "name", between) for now, between, _name in hops if between != now)
    yield from ((*order, between, "name", name) for _now, between, name in hops)


def _hops(moving: Mapping[str, tuple[Interface, str]]) -> Iterator[tuple[str, str, str]]:
    """(name now, name between, name wanted). One whose name another is to get (cards of the plan were exchanged)
    first gets one of its own."""
    targets = {name for _one, name in moving.values()}
    for now, (one, name) in moving.items():
        yield now, "spx" + "".join(filter(str.isalnum, one.pci)) if now in targets else now, name


def renames_in_use(found: LiveState, wanted: Sequence[Interface]) -> Iterator[str]:
    """'enp24s0f0np0 to rail1p1' for a port that has an address of the plan: jobs may run over it, and a rename
    takes it down, or its RDMA device's name from them. One without an address of its own counts where any port
    has one."""
    ours = {one.address for one in wanted if one.address}
    addressed = {
        one.pci
        for one in wanted
        for row in found.links.get(found.name_of(one), {}).get("addr_info", ())
        if row.get("local") in ours
    }
    for one in wanted:
        used = one.pci in addressed if one.address else bool(addressed)
        if used and found.name_of(one) != one.name:
            yield f"{found.name_of(one)} to {one.name}"
        if used and found.wrong_rdma(one):
            yield f"{found.wrong_rdma(one)} to {one.rdma}"


def _settle(host: Host, plan: Plan, ports: Sequence[Interface], timeout: float) -> Outcome:
    """Wait until the live state is as wanted; who has not come there half-way is asked once more."""
    if host.check_mode:
        return Outcome()
    left: dict[str, list[str]] = {}
    found = LiveState({}, (), (), {})

    def settled() -> bool:
        nonlocal left, found
        found = plan.read(host)
        left = plan.differences(found, ports)
        return not left

    once_more = Outcome()
    if not host.wait(settled, timeout / 2, every=0.5):
        once_more = _make_live(host, plan.commands(host, found, off=left))
        if not host.wait(settled, timeout / 2, every=0.5):
            first = next(iter(left.values()))[0]
            raise NicError(f"after {timeout:g} s the interfaces are not as written: {first}")
    return once_more


def _known(host: Host, found: LiveState, wanted: Sequence[Interface], *, fresh: bool) -> list[Rail]:
    """The facts of all; those of fresh addresses as soon as the GID tables have them, which they
    get a moment after the kernel."""
    rows: list[Rail] = []

    def placed() -> bool:
        rows[:] = [_facts(host, found, one) for one in wanted]
        due = [row for row, one in zip(rows, wanted) if row["rdma"] and one.address]
        return all(row["gid_index"] is not None for row in due)

    host.wait(placed, GID_SECONDS if fresh and not host.check_mode else 0, every=0.5)
    return rows


def _facts(host: Host, found: LiveState, one: Interface) -> Rail:
    name = found.name_of(one) if host.check_mode else one.name
    rdma = rdma_of(host, one.pci)
    index = gid_index(host, rdma, name, one.address) if rdma and one.address else None
    return {"name": one.name, "pci": one.pci, "rdma": rdma, "gid_index": index}
