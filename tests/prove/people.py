# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reachability by the registry, and the packets that show it.

The expectation is written here anew from the words of the design (one VRF a tenant, quarantine
isolates even its own), not taken from the code that renders VRFs.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import time
import typing as t

import yaml
from lab.killing import brief_levels, killing
from lab.world import PLAYBOOK

if t.TYPE_CHECKING:
    from lab.world import World

from unit.plugins.plugin_utils._fabric.tenants.layouts import may_reach

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host import attempt
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import ra
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import places
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.topology.cabling import (
    Node,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    change_conditions,
    compose,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.registry import (
    Registry,
)

DEMO_HOOKS = pathlib.Path(__file__).resolve().parents[2] / "demo" / "hooks"
SCENARIOS = DEMO_HOOKS.parent / "scenarios" / "lab"
PATH_MTU = 9166
HEADERS = 28  # IPv4 and ICMP
NCCL = "/etc/nccl.conf"
TOOL = "/usr/local/lib/spectrum-x/spx-nic.pyz"


def tenants(world: World) -> dict[str, list[Node]]:
    """Slug -> nodes, read from the registry file itself."""
    data = yaml.safe_load((world.project / "model" / "tenants.yml").read_text()) or {}
    c = world.fabric.clos
    found = {}
    for row in data.get("tenants", []):
        nodes = [
            Node(*place)
            for text in row.get("nodes", [])
            for place in _expand(world, text, (c.pods, c.sus, c.slots))
        ]
        found[row["slug"]] = [node for node in nodes if world.fabric.present(node)]
    return found


def _expand(world: World, text: str, limits: tuple[int, int, int]) -> t.Iterable[tuple[int, ...]]:
    device = world.fabric.device(text)
    return [tuple(device)] if isinstance(device, Node) else places.expand(text, limits=limits)


def owner_of(world: World) -> dict[Node, str]:
    """Every built node -> its tenant, or quarantine."""
    owners = dict.fromkeys(world.fabric.nodes(), "quarantine")
    for slug, nodes in tenants(world).items():
        owners.update(dict.fromkeys(nodes, slug))
    return owners


def flows(world: World, *, size: int = 56, df: bool = False) -> list[dict[str, t.Any]]:
    """A probe for every ordered pair of nodes on every port, with what is to be expected."""
    owners = owner_of(world)

    def reach(one: Node, two: Node) -> bool:
        return owners[one] == owners[two] != "quarantine"

    return [{**probe, "size": size, "df": df} for probe in _probes(world, reach)]


def _probes(world: World, reach: t.Callable[[Node, Node], bool]) -> t.Iterable[dict[str, t.Any]]:
    """From every port of every node to the same port of every other one, and to all of a stranger's."""
    for one, two in itertools.permutations(world.fabric.nodes(), 2):
        for mine, theirs in itertools.product(world.ports(one), world.ports(two)):
            if mine["port"] != theirs["port"] and reach(one, two):
                continue
            yield {
                "id": f"{world.fabric.name(one)} {mine['port']} to {world.fabric.name(two)} {theirs['port']}",
                "from": world.fabric.name(one),
                "source": mine["address"],
                "to": theirs["address"],
                "expect": "reached" if reach(one, two) else "silent",
            }


def wrong(results: list[dict[str, t.Any]]) -> list[str]:
    """The probes that went otherwise than expected, as text."""
    return [
        f"{row['id']}: {row['state']}, expected {row['expect']}" for row in results if not row["ok"]
    ]


def beside_path_mtu(world: World) -> list[str]:
    """Don't-fragment packets of the path MTU that are lost inside a tenant, and longer ones that arrive."""
    fits = PATH_MTU - HEADERS
    members = [p for p in flows(world, size=fits, df=True) if p["expect"] == "reached"]
    longer = [{**probe, "size": fits + 1, "expect": "silent"} for probe in members]
    return wrong(world.ping(members)) + wrong(world.ping(longer, tries=1))


def overheard(world: World, probes: list[dict[str, t.Any]]) -> list[str]:
    """Nodes at which requests arrive that shall not: silence alone would hide a way in one direction."""
    silent = [probe for probe in probes if probe["expect"] == "silent"]
    before = {name: requests(world.node(name, "cat", "/proc/net/snmp")) for name in names(world)}
    world.ping(silent, tries=1, timeout=0.5)
    after = {name: requests(world.node(name, "cat", "/proc/net/snmp")) for name in before}
    return [
        f"{name}: {after[name] - before[name]} requests"
        for name in before
        if after[name] > before[name]
    ]


def requests(counted: str) -> int:
    """The echo requests that a kernel has received, by its /proc/net/snmp (and snmp6)."""
    head, row = (line.split() for line in counted.splitlines() if line.startswith("Icmp:"))
    six = [line.split()[1] for line in counted.splitlines() if line.startswith("Icmp6InEchos ")]
    return int(row[head.index("InEchos")]) + sum(map(int, six))


def settle(world: World, probes: list[dict[str, t.Any]], *, seconds: float = 30) -> float:
    """Wait until all probes go as expected; returns how long that took, fails after ``seconds``."""
    begun = time.monotonic()
    while True:
        failed = wrong(world.ping(probes, tries=2, timeout=0.5))
        if not failed:
            return time.monotonic() - begun
        assert time.monotonic() - begun < seconds, f"after {seconds} s: {failed[:6]}"
        time.sleep(0.5)


def leaves_changed(world: World, tenant: str) -> int:
    """Count the leaves that the last onboarding of a tenant changed, by its report."""
    report = world.project / "report" / f"tenant_onboard-{tenant}.json"
    return sum(row["changed"] for row in json.loads(report.read_text())["leaves"].values())


def changed(output: str) -> int:
    """The sum of changed= over a play recap."""
    rows = [line for line in output.splitlines() if "changed=" in line and "unreachable=" in line]
    assert rows, output[-2000:]
    return sum(int(line.split("changed=")[1].split()[0]) for line in rows)


# Doing things to tenants


def add_tenant(
    world: World, slug: str, number: int, nodes: list[str], *, access: str = "none"
) -> None:
    """A person adds a tenant to the registry."""
    row = {"id": number, "slug": slug, "nodes": nodes, "host_access": access}
    _edit(world, lambda tenants: [*tenants, row])


def forget_tenant(world: World, slug: str) -> None:
    """A person takes a tenant out that was never there."""
    _edit(world, lambda tenants: [row for row in tenants if row["slug"] != slug])


def remember_tenants(world: World, example: str) -> None:
    """A person brings the tenants of an example back."""
    model = DEMO_HOOKS.parents[1] / "inventories" / example / "model" / "tenants.yml"
    shutil.copy(model, world.project / "model" / "tenants.yml")


def _edit(world: World, work: t.Callable[[list[t.Any]], list[t.Any]]) -> None:
    path = world.project / "model" / "tenants.yml"
    data = yaml.safe_load(path.read_text())
    data["tenants"] = work(data["tenants"])
    path.write_text(yaml.safe_dump(data, sort_keys=False))


def sessions_up(world: World, switch: str, *, seconds: float = 60) -> None:
    """Wait until every BGP session of a switch is established."""
    begun = time.monotonic()
    while True:
        text = world.node(switch, "vtysh", "-c", "show bgp ipv4 unicast summary json", check=False)
        with contextlib.suppress(ValueError):
            peers = json.loads(text).get("peers", {})
            if peers and all(peer["state"] == "Established" for peer in peers.values()):
                return
        assert time.monotonic() - begun < seconds, f"{switch} after {seconds} s: {text[-500:]}"
        time.sleep(0.5)


def hears(world: World, switch: str, system: str, kind: str, *, seconds: float = 60) -> None:
    """Wait until a switch hears a neighbour by LLDP, with a port id of a kind such as mac or ifname."""
    begun = time.monotonic()
    while True:
        found = json.loads(world.node(switch, "lldpcli", "-f", "json0", "show", "neighbors"))
        for port in found["lldp"][0].get("interface", []):
            names = {row["value"] for row in port["chassis"][0].get("name", [])}
            if system in names and port["port"][0]["id"][0]["type"] == kind:
                return
        assert time.monotonic() - begun < seconds, found
        time.sleep(1)


def give_hook(world: World, name: str) -> None:
    """The site gets a hook of the demo."""
    folder = world.project / "hooks"
    folder.mkdir(exist_ok=True)
    shutil.copy(DEMO_HOOKS / f"{name}.yml", folder)


def move(world: World, node: str, tenant: str) -> t.Any:
    """tenant_move, as a person who commits the registry afterwards runs it."""
    return _registry(world, *_move(node, tenant))


def attempts(world: World, host: str, what: str) -> bool:
    """Check whether a host has network changes that wait (attempt.ARMED), or that it reverted (attempt.TAKEN)."""
    folder = pathlib.Path(f"/proc/{world.pid(host)}/root{attempt.FOLDER}")
    return any(folder.glob(f"{what}*"))


def killed_when(
    world: World, words: t.Sequence[str], ready: t.Callable[[], bool], *, seconds: int = 120
) -> None:
    """A playbook that is killed, with all that it started, as soon as something holds."""
    output = world.folder / "killed.txt"
    run = subprocess.Popen(
        [*world.inside, *PLAYBOOK, *words],
        cwd=world.project,
        env=world.environment(),
        stdout=output.open("wb"),
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        until = time.monotonic() + seconds
        while not ready():
            assert run.poll() is None, output.read_text("utf-8")
            assert time.monotonic() < until
            time.sleep(0.05)
    finally:
        for group in {run.pid, *_sessions_of(run.pid)}:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        run.wait(10)


def _sessions_of(pid: int) -> set[int]:
    """The process groups of all that a process started: a worker of Ansible has a session of its own."""
    found = set[int]()
    children = ""
    with contextlib.suppress(FileNotFoundError):  # it has ended meanwhile
        children = pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii")
    for child in map(int, children.split()):
        found |= _sessions_of(child)
        with contextlib.suppress(ProcessLookupError):
            found.add(os.getpgid(child))
    return found


def move_killed(world: World, node: str, tenant: str, at: str) -> None:
    """The same, and the controller dies at a place, such as "join half"."""
    done = world.play(
        *_move(node, tenant), "-e", "spx_registry_write=true", check=False, more=killing(at)
    )
    assert done.returncode != 0, done.stdout[-3000:]
    assert "PLAY RECAP" not in done.stdout, done.stdout[-3000:]


def _move(node: str, tenant: str) -> list[str]:
    stated = ["-e", f"spx_tenant={tenant}", "-e", f"spx_nodes={node}"]
    return ["spectrum_x.fabric.tenant_move", *stated]


def step_of(world: World, node: str) -> str | None:
    """The step by which the registry says that a node is moving."""
    with contextlib.suppress(yaml.YAMLError):
        data = yaml.safe_load((world.project / "model" / "tenants.yml").read_text()) or {}
        for text, record in (data.get("moving") or {}).items():
            if world.fabric.device(text) == world.fabric.device(node):
                return str(record["step"])
    return None


@contextlib.contextmanager
def steps_noted(world: World, node: str) -> t.Iterator[list[tuple[float, str]]]:
    """While something happens, the times (epoch) at which the registry came to another step."""
    found: list[tuple[float, str]] = []
    ended = threading.Event()

    def look() -> None:
        last = None
        while not ended.wait(0.1):
            step = step_of(world, node)
            if step and step != last:
                found.append((time.time(), step))
                last = step

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        ended.set()
        watcher.join(5)


def offboard(world: World, tenant: str) -> t.Any:
    """tenant_offboard, likewise."""
    return _registry(world, "spectrum_x.fabric.tenant_offboard", "-e", f"spx_tenant={tenant}")


def _registry(world: World, *arguments: str) -> t.Any:
    """Run a play that edits the registry: without a hook that commits, it reports that and ends with 2."""
    done = world.play(*arguments, "-e", "spx_registry_write=true", check=False)
    assert done.returncode == 0 or "NOT COMMITTED" in done.stdout + done.stderr, done.stdout[-3000:]
    return done


def names(world: World) -> list[str]:
    """The names of all built nodes."""
    return [world.fabric.name(node) for node in world.fabric.nodes()]


def addresses(world: World, node: str) -> list[str]:
    """The addresses of a node's ports, rail by rail, as the host itself has them."""
    ports = [port["port"] for port in world.ports(world.fabric.device(node))]
    shown = [world.node(node, "ip", "-4", "-o", "addr", "show", "dev", port) for port in ports]
    return [text.split()[3].split("/")[0] for text in shown]


@contextlib.contextmanager
def watched(world: World, probes: list[dict[str, t.Any]]) -> t.Iterator[dict[str, t.Any]]:
    """Probe every 10 ms while something happens; the dict is filled with the timeline at the end."""
    spec, out = world.folder / "probes.json", world.folder / "timeline.json"
    spec.write_text(json.dumps({"probes": probes}))
    out.unlink(missing_ok=True)
    found: dict[str, t.Any] = {}
    common = [
        "--spec",
        str(spec),
        "--out",
        str(out),
        "--interval",
        "10",
        "--seconds",
        "400",
        "--background",
    ]
    world.lab_command("probe", world.name, *common)
    time.sleep(1)
    try:
        yield found
    finally:
        world.lab_command("probe-stop", world.name, "--out", str(out))
        found.update(json.loads(out.read_text()))


def _answers(flow: dict[str, t.Any]) -> list[int]:
    """The numbers of the probes that were answered."""
    states = [state for state, count in flow["runs"] for _one in range(count)]
    return [number for number, state in enumerate(states) if state]


def first_answer(flow: dict[str, t.Any]) -> float:
    """Seconds after the start of the first answered probe."""
    return _answers(flow)[0] * 0.01


def last_answer(flow: dict[str, t.Any]) -> float:
    """Seconds after the start of the last answered probe."""
    return _answers(flow)[-1] * 0.01


# Layouts


def mixed(text: str) -> bool:
    """Check whether two owners of a layout hold two nodes each, so that both answers are to be expected."""
    data = yaml.safe_load(text)
    return sum(len(row["nodes"]) >= 2 for row in (*data["tenants"], *data["rest"])) >= 2


def put_layout(world: World, text: str) -> Registry:
    """Have all leaves run a registry that nobody moved them to, by our documents and transaction."""
    registry = Registry.parse(world.fabric, text)
    parts = {}
    for switch in world.fabric.switches():
        if switch.role == "leaf":
            context = compose.context(world.fabric, switch, tenants=registry)
            part = change_conditions.part(context, "switch_tenants")
            parts[world.fabric.name(switch)] = {key: part[key] for key in ("config", "owns")}
    task = {
        "state": "replaced",
        "config": "{{ parts[inventory_hostname].config }}",
        "owns": "{{ parts[inventory_hostname].owns }}",
        "settle_time": "{{ switch_apply_settle_time }}",
    }
    play = {"hosts": "spx_leaf", "gather_facts": False, "vars": {"parts": parts}}
    tasks = [{"spectrum_x.fabric.nvue_config": task}]
    (world.project / "layout.yml").write_text(yaml.safe_dump([{**play, "tasks": tasks}]))
    world.play("layout.yml")
    return registry


def rest_of_all(world: World) -> str:
    """A registry with all nodes in one acceptance group of rest, which the project has from now on."""
    slots = sorted({f"*/*/h{node.slot + 1:02d}" for node in world.fabric.nodes()})
    text = yaml.safe_dump({"rest": [{"nodes": slots, "acceptance": "burn-in"}]})
    (world.project / "model" / "tenants.yml").write_text(text)
    return text


def performs(
    world: World,
    scenario: str,
    *given: str,
    level: str = "rails",
    nodes: str = "su01",
    code: int = 0,
    into: str = "",
) -> dict[str, t.Any]:
    """The record of a run of playbook performance over links with a scenario's faults; it has to end with `code`.

    Without `nodes` all of the only acceptance group are measured; `given` are further variables. Reports are in the
    folder `into`, or that of the scenario.
    """
    done, report = _performance(world, scenario, level, nodes, given=given, into=into)
    return _record(done, report, code)


def collects(
    world: World,
    scenario: str,
    *,
    nodes: str,
    code: int = 0,
    brief: bool = True,
    launcher: str = "mpirun",
    into: str = "",
) -> dict[str, t.Any]:
    """As `performs`, of level collectives by a launcher; a `brief` one has one operation, for want of time."""
    more = brief_levels() if brief else None
    return _record(*_collectives(world, scenario, nodes, launcher, into, more), code)


def collects_killed(world: World, scenario: str, *, launcher: str, into: str) -> None:
    """The same with all nodes, and the controller dies while the first job of all nodes runs."""
    more = brief_levels(killed_in="collectives/all_reduce/all/")
    done, _report = _collectives(world, scenario, "", launcher, into, more)
    assert done.returncode != 0, done.stdout[-3000:]
    assert "PLAY RECAP" not in done.stdout, done.stdout[-3000:]


def _collectives(
    world: World, scenario: str, nodes: str, launcher: str, into: str, more: dict[str, str] | None
) -> tuple[t.Any, pathlib.Path]:
    for name in names(world):
        world.node(name, "nicsim", "gpu", "open")
    given, into = (f"spx_launcher={launcher}",), into or f"collectives-{scenario}"
    return _performance(world, scenario, "collectives", nodes, more, given, into)


def fails_over(
    world: World, *, plugin: str = "", launcher: str = "mpirun", **seconds: int
) -> dict[str, t.Any]:
    """As `collects`, of level failover; `seconds` are those of the parts of its jobs.

    `plugin` is the one that NCCL loads on the hosts, as it prints it, and that the run states.
    """
    for name in names(world):
        world.node(name, "nicsim", "gpu", "open")
        if plugin:
            line = f"NCCL_NET_PLUGIN={plugin.lower()}"
            world.node(name, "sh", "-c", f"grep -qx {line} {NCCL} || echo {line} >>{NCCL}")
    given = [
        f"spx_launcher={launcher}",
        *(f"spx_failover_{part}={n}" for part, n in seconds.items()),
    ]
    given += [f"spx_nccl_plugin={plugin}"] if plugin else []
    into = f"failover-{plugin}"
    done, report = _performance(world, "healthy", "failover", "*/[01-02]", given=given, into=into)
    return _record(done, report, 0)


def kept(record: dict[str, t.Any], kind: str) -> float:
    """Return the share of a job's rate while an element of a kind was shut, in percent."""
    when = f" while a {kind} was shut, "
    (found,) = (test["value"] for test in record["tests"] if when in test["sentence"])
    return t.cast("float", found)


def registry(world: World) -> Registry:
    """The registry of the project."""
    return Registry.load(world.fabric, str(world.project / "model" / "tenants.yml"))


def into_service(world: World) -> None:
    """All nodes are in rest, and switches and hosts come from the factory to the plan, all hosts at once."""
    rest_of_all(world)
    world.play("spectrum_x.fabric.switches", "-e", "spx_factory=true")
    at_once = f"spx_max_unavailable={len(names(world))}"
    factory = ("-e", "spx_factory=true", "-e", "spx_allow_reboot=true")
    world.play("spectrum_x.fabric.dpus", *factory, "-e", at_once)
    settle(world, flows_of(world, registry(world)), seconds=60)


def validated_firmware(world: World) -> str:
    """The firmware of a BlueField-3 in the set that the fabric is validated with."""
    (version,) = ra.version_set(world.fabric.description.release.ra)["versions"]["bf3_fw"]
    return str(version)


def burn_firmware(world: World, hosts: list[str]) -> None:
    """These hosts come with the validated firmware."""
    version = validated_firmware(world)
    burned = json.dumps({"running": version, "burned": version, "needs_power_cycle": False})
    for name in hosts:
        for number in range(world.fabric.clos.rails):
            world.node(name, "nicsim", "set", f"nics.{number}.firmware", burned)


def firmware(world: World, host: str) -> set[str]:
    """The firmware that runs on the cards of a host, as flint tells an operator."""
    cards = world.fabric.description.nics.pci
    lines = [line for at in cards for line in world.node(host, "flint", "-d", at, "q").splitlines()]
    return {line.split()[-1] for line in lines if line.startswith("FW Version")}


def healed(world: World, host: str, seconds: float = 60) -> float:
    """The seconds until the tool on a host finds all settings of its cards as wanted; an error with what it misses."""
    begun = time.monotonic()
    while True:
        try:
            world.node(host, TOOL, "--sysfs", "/run/nicsim/sys", "verify", "--deep")
        except RuntimeError:
            if time.monotonic() - begun > seconds:
                raise
            time.sleep(0.5)
        else:
            return time.monotonic() - begun


def _performance(
    world: World,
    scenario: str,
    level: str,
    nodes: str,
    more: dict[str, str] | None = None,
    given: t.Sequence[str] = (),
    into: str = "",
) -> tuple[t.Any, pathlib.Path]:
    """A run of playbook performance, and its folder of reports, which is `into` or that of the scenario."""
    world.seed(SCENARIOS / f"{scenario}.json")
    report = world.project / f"report-{into or scenario}"
    words = [f"spx_level={level}", f"spx_report={report.name}", *given]
    words += [f"spx_nodes={nodes}"] if nodes else []
    arguments = [part for word in words for part in ("-e", word)]
    return world.play("spectrum_x.fabric.performance", *arguments, check=False, more=more), report


def _record(done: t.Any, report: pathlib.Path, code: int) -> dict[str, t.Any]:
    assert done.returncode == code, done.stdout[-3000:]
    (record,) = (report / "performance").glob("*Z.json")
    return t.cast("dict[str, t.Any]", json.loads(record.read_text()))


def leave_out(world: World, node: str) -> str:
    """A registry with all nodes but one in an acceptance group; what is accepted is measured at level rails."""
    others = [name for name in names(world) if name != node]
    text = yaml.safe_dump({"rest": [{"nodes": others, "acceptance": "burn-in"}]})
    (world.project / "model" / "tenants.yml").write_text(text)
    described = world.project / "model" / "fabric.yml"
    described.write_text(described.read_text() + "acceptance_level: rails\n")
    return text


def accepts(world: World, node: str, scenario: str) -> tuple[str, dict[str, t.Any]]:
    """Return the place of a node after its move to that group over links with a scenario's faults, and its record."""
    world.seed(SCENARIOS / f"{scenario}.json")
    words = [f"spx_tenant=rest spx_nodes={node} spx_acceptance=burn-in spx_registry_write=true"]
    words += [f"spx_report=report-accept-{scenario}"]
    arguments = [part for word in " ".join(words).split() for part in ("-e", word)]
    done = world.play("spectrum_x.fabric.tenant_move", *arguments, check=False, more=brief_levels())
    found = world.project / f"report-accept-{scenario}" / "accepted" / node / "performance"
    records = sorted(found.glob("*Z.json"))
    assert len(records) == 1, done.stdout[-3000:]
    record = t.cast("dict[str, t.Any]", json.loads(records[0].read_text()))
    return registry(world).holding(t.cast("Node", world.fabric.device(node))).slug, record


def makes_noise(world: World, scenario: str, *, code: int = 0) -> dict[str, t.Any]:
    """As `performs`, of level noise with all nodes: one repeat of three seconds, and no latency, for want of time."""
    return _record(*_performance(world, scenario, "noise", "su01,su02", brief_levels()), code)


def noise_killed(world: World, scenario: str) -> None:
    """The same, and the controller dies while victims are measured beside aggressors."""
    done, _report = _performance(
        world, scenario, "noise", "su01,su02", brief_levels(killed_in="noise/together-")
    )
    assert done.returncode != 0, done.stdout[-3000:]
    assert "PLAY RECAP" not in done.stdout, done.stdout[-3000:]


def scratch(world: World) -> set[str]:
    """The VRFs of the tenants of level noise that leaves have; the lab's are namespaces."""
    leaves = [world.fabric.name(s) for s in world.fabric.switches() if s.role == "leaf"]
    names = {line.split()[0] for name in leaves for line in _lines(world, name, "ip", "netns")}
    return {name for name in names if name.endswith(("-quiet", "-noisy"))}


def sending(world: World) -> int:
    """Count the programs of perftest on the hosts."""
    return sum(
        "ib_write_bw" in line
        for name in names(world)
        for line in _lines(world, name, "ps", "-eo", "args")
    )


def _lines(world: World, device: str, *command: str) -> list[str]:
    return [line for line in world.node(device, *command).splitlines() if line]


def flows_of(world: World, registry: Registry) -> list[dict[str, t.Any]]:
    """As `flows`, for any registry: with rest, and nodes on their way."""
    return list(_probes(world, lambda one, two: may_reach(registry, one, two)))
