# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabric as a whole: its counts, and how far each role is from its limits."""

from __future__ import annotations

import collections
import csv
import ipaddress
import typing as t

from ..catalog.data import table
from ..catalog.hardware import Model, models, version
from ..catalog.roles import ROLES
from ..description.words import count, some
from ..plan.slices import Mtu, mtu
from ..plan.topology.cabling import DOWN, UP
from ..tenants.capacity import route_budget

if t.TYPE_CHECKING:
    from ..plan.fabric import Fabric
    from ..tenants.converged import Announcement


TIGHTEST = 3
"""Limits that the summary of a plan shows; the table has all."""


class Limit(t.TypedDict):
    """The most that something may have, and where that is stated."""

    value: int
    source: str


class Row(t.TypedDict):
    """Use of a limit by a role at capacity."""

    role: str
    what: str
    used: int
    limit: int
    spare: int
    source: str


class Facts(t.TypedDict):
    """A fabric in figures; `switches` and `converged` are counts by role, `pools` prefixes by name."""

    name: str
    site: int
    release: dict[str, object]
    profile: str
    planes: int
    plane_mode: str
    balancing: str
    rails: int
    tiers: int
    gpus: int
    nodes: int
    nodes_built: int
    switches: dict[str, int]
    switches_built: int
    converged: t.NotRequired[dict[str, int]]
    converged_built: t.NotRequired[int]
    out_of_band: t.NotRequired[dict[str, int]]
    pools: dict[str, str]
    mtu: Mtu
    manage: list[str]
    unmanaged: list[str]
    capacity: list[Row]


class Result(t.TypedDict, total=False):
    """The answer of action plan; without `facts` it suggests address profiles."""

    suggestions: dict[str, list[str]]
    takes: dict[str, str]
    facts: Facts
    advice: str
    notices: list[str]
    racks: list[str]
    missing: list[str]
    announced: list[Announcement]
    plant: str
    monitoring: str
    changes: t.Sequence[t.Mapping[str, object]]
    renumbered: int
    differences: int
    devices: int
    devices_compared: int
    not_compared: str
    older: list[str]
    files: int
    files_changed: int
    check: bool


def facts(fabric: Fabric) -> Facts:
    """Name, releases, counts, pools and MTUs of a fabric, as plain data."""
    d, c = fabric.description, fabric.clos
    made: Facts = {
        "name": d.name,
        "site": d.site,
        "release": {
            "ra": d.release.ra,
            "cumulus": d.release.cumulus,
            "accept": list(d.accept_releases),
        },
        "profile": d.addressing.profile,
        "planes": c.planes,
        "plane_mode": d.planes.mode,
        "balancing": d.planes.balancing,
        "rails": c.rails,
        "tiers": c.tiers,
        "gpus": c.gpus,
        "nodes": c.nodes,
        "nodes_built": sum(1 for _node in fabric.nodes()) if fabric.description.absent else c.nodes,
        "switches": c.switches(),
        "switches_built": sum(
            number for role, number in built(fabric).items() if role in c.switches()
        ),
        "pools": pools(fabric),
        "mtu": mtu(),
        "manage": list(d.manage),
        "unmanaged": list(d.unmanaged),
        "capacity": capacity(fabric),
    }
    if others := fabric.others.switches():
        made |= {
            "converged": others,
            "converged_built": sum(built(fabric)[role] for role in others),
        }
    if own := _of_oob(fabric):
        made["out_of_band"] = own
    return made


def sizes(fabric: Fabric) -> list[str]:
    """`2,048 GPUs`, `256 nodes`, `32 leaves`, ...: how many there are at capacity, in words."""
    c, here = fabric.clos, built(fabric)
    counts = {**c.switches(), **fabric.others.switches(), **_of_oob(fabric)}
    part = f" ({sum(1 for _node in fabric.nodes()):,} built)" if fabric.description.absent else ""
    switches = [
        _of_role(role, number) + (f" ({here[role]:,} built)" if here[role] < number else "")
        for role, number in counts.items()
        if number
    ]
    return [f"{c.gpus:,} GPUs", f"{c.nodes:,} nodes{part}", *switches]


def built(fabric: Fabric) -> t.Mapping[str, int]:
    """Count the built switches by role."""
    if fabric.description.absent:
        return collections.Counter(switch.role for switch in fabric.switches())
    return {**fabric.clos.switches(), **fabric.others.switches(), **_of_oob(fabric)}


def _of_oob(fabric: Fabric) -> dict[str, int]:
    """Count the switches of the out-of-band network by role."""
    return fabric.oob.counts.counts() if fabric.oob else {}


def _of_role(role: str, number: int) -> str:
    """`2 border leaves`."""
    return f"{number:,} {ROLES[role].singular if number == 1 else ROLES[role].plural}"


def pools(fabric: Fabric) -> dict[str, str]:
    """Every prefix that the fabric owns, by name."""
    layouts = fabric.addresses.layouts
    return {name.replace(" ", "_"): layout.base for name, layout in layouts.items()}


def used_pools(fabric: Fabric) -> dict[str, str]:
    """Every prefix of which a device or an owner of a VLAN has an address, by name; blocks in reserve are left out."""
    networks = fabric.description.networks
    parts = (networks.front_end, networks.storage) if networks else ()
    subnets = [ipaddress.ip_network(part.subnets.prefix) for part in parts if part]
    reserve = {"dpu"} if fabric.addresses.routed_ports else {"dpu", "storage"}
    return {
        name: prefix
        for name, prefix in pools(fabric).items()
        if name not in reserve
        and (name != "services" or any(ipaddress.ip_network(prefix).overlaps(n) for n in subnets))
    }


def capacity(fabric: Fabric) -> list[Row]:
    """Per role: what is used at capacity, each limit with its source.

    The routes and VRFs of a leaf are the most that tenants can ask of it; what they do ask is checked with the
    registry.
    """
    limits, model = _limits(), models()[fabric.description.switches.model]
    width, paths = _ecmp(fabric), fabric.clos.equal_paths()
    on_loopbacks = fabric.description.routing.evpn == "loopbacks"
    sessions = fabric.clos.sessions(evpn_on_loopbacks=on_loopbacks)
    counts = fabric.clos.switches()  # each has a loopback, and a leaf a VTEP
    underlay = (sum(counts.values()) + counts["leaf"]) // fabric.clos.planes
    rows = []
    for role in paths:
        cages = sum(block.cages for block in fabric.cabling.of_role(role).values())
        rows += [
            _row(role, "cages", cages, _cages(model)),
            _row(role, "bgp_sessions", sessions[role], limits["bgp_sessions"]),
            _row(role, "equal_paths", paths[role], width),
            _row(role, "underlay_routes", underlay, _routes(fabric)),
        ]
        if role == "leaf":
            rows += _tenants(fabric, limits, underlay)
    return rows + _converged(fabric)


def _converged(fabric: Fabric) -> list[Row]:
    """The rows of the converged fabric. Each node of a pair may be of another tenant, with a VRF of its own."""
    limits, counts, networks = _limits(), fabric.others, fabric.description.networks
    if networks is None:
        return []
    stated = networks.switches.model
    model = models()[stated or fabric.description.switches.model]
    leaves = sum(one.count for one in counts.leaves.values())
    underlay = 2 * leaves + counts.spines  # each has a loopback, and a leaf a VTEP
    rows = []
    for role in counts.switches():
        blocks, own = counts.blocks(role), counts.leaves.get(role)
        cages = sum(block.cages for block in blocks.values())
        links = blocks[UP if own else DOWN].count
        paths = links if own else max(one.links for one in counts.leaves.values())
        rows += [
            _row(role, "cages", cages, _cages(model)),
            _row(role, "bgp_sessions", links, limits["bgp_sessions"]),
            _row(role, "equal_paths", paths, limits["ecmp_width"]),
            _row(role, "underlay_routes", underlay, _routes(fabric)),
        ]
        if own and own.nodes_per_pair:
            nodes = min(own.nodes_per_pair, counts.nodes)
            rows.append(_row(role, "tenant_vrfs", nodes, limits["vrfs_per_switch"]))
    return rows


def _tenants(fabric: Fabric, limits: dict[str, Limit], underlay: int) -> list[Row]:
    """Rows of a leaf when every node of its SU has another tenant, and when one tenant has all others."""
    c = fabric.clos
    nodes = c.nodes_per_leaf if c.top_of_rack else c.slots
    links = c.nodes * (1 if c.by_rail else c.rails)
    return [
        _row("leaf", "tenant_vrfs", min(nodes, c.leaf_host.count), limits["vrfs_per_switch"]),
        _row("leaf", "l3vni_vlans", nodes, limits["l3vni_vlans"]),
        _row("leaf", "routes_if_one_tenant_has_all", underlay + links, _routes(fabric)),
    ]


def _limits() -> dict[str, Limit]:
    return t.cast("dict[str, Limit]", table("switches")["limits"])


def _cages(model: Model) -> Limit:
    return {"value": model["cages"], "source": model["source"]}


def _routes(fabric: Fabric) -> Limit:
    budget = route_budget(fabric)
    return {"value": budget["value"], "source": budget["source"]}


def _ecmp(fabric: Fabric) -> Limit:
    d = fabric.description
    asic = models()[d.switches.model]["asic"]
    wide = asic == "spectrum-4" and version(d.release.cumulus) >= (5, 15)
    return _limits()["ecmp_width_spectrum4" if wide else "ecmp_width"]


def _row(role: str, what: str, used: int, limit: Limit) -> Row:
    most = limit["value"]
    return {
        "role": role,
        "what": what,
        "used": used,
        "limit": most,
        "spare": most - used,
        "source": limit["source"],
    }


def missing(fabric: Fabric, hooks: t.Container[str], *, credentials: bool) -> list[str]:
    """List the inputs that hosts, tenants and switches will need and nobody has stated; `hooks` are those of the site.

    `credentials` says whether the switches' user and password, or token, are known.
    """
    d = fabric.description
    made = []
    if fabric.unfound() is not None:
        made.append("nics.pci (playbook dpus, and validate of hosts)")
    if "wipe" not in hooks and not (d.wipe and d.wipe.elsewhere):
        made.append("the hook wipe (no node goes from one customer to another without it)")
    if not credentials:
        made.append(
            "credentials of the switches (SPX_NVUE_USER and SPX_NVUE_PASSWORD, and SPX_NVUE_CA)"
        )
    known = {rack.name for rack in fabric.racks}
    lost = sorted({row.rack for row in fabric.rows.values() if row.rack} - known) if known else []
    if lost:
        made.append(f"{d.cabling.racks} of racks {', '.join(some(lost))} (no length without it)")
    return made


def lines(result: Result) -> list[str]:
    """Format the result of action plan, as lines for a person."""
    if "suggestions" in result:
        return [
            f"profile {name}: "
            + (
                "does not fit: " + " ".join(reasons)
                if reasons
                else f"fits, {result['takes'][name]}"
            )
            for name, reasons in sorted(result["suggestions"].items())
        ]
    found, changes = result["facts"], result.get("changes", [])
    switches = found["switches"]
    made = [
        f"{found['name']}: {found['gpus']} GPUs on {found['nodes']} nodes at capacity ({found['nodes_built']} nodes "
        f"built), {sum(switches.values())} switches "
        f"({switches['leaf']} leaves, {switches['spine']} spines, {switches['super_spine']} super-spines"
        f"{_built(found['switches_built'], switches)}), profile {found['profile']}",
        *_other_networks(found.get("converged"), found.get("converged_built", 0)),
        f"capacity, tightest first: {', '.join(_tightest(found['capacity']))}",
    ]
    if result.get("missing"):
        made.append(f"not stated yet: {'; '.join(result['missing'])}")
    made += _announced(result.get("announced", []))
    made += [f"warning: {notice}" for notice in result.get("notices", [])]
    made += result.get("racks", [])
    made += [str(text) for text in map(result.get, ("advice", "plant", "monitoring")) if text]
    if "renumbered" in result:
        values, all_ = range(result["renumbered"]), range(result["differences"])
        made.append(
            f"{count(values, 'value')} of existing equipment would change, {count(all_, 'difference')} in all"
        )
    if result.get("devices_compared") != result.get("devices"):
        made.append(
            f"compared: {result['devices_compared']} of {result['devices']} devices; the earlier plan does not have "
            "the others"
        )
    made += changed(changes)
    more = result.get("differences", 0) - min(len(changes), MOST_CHANGES)
    if more:
        made.append(f"and {more} more: -e spx_report=FOLDER writes all of them to plan-changes.csv")
    if "not_compared" in result:
        made.append(
            f"nothing was compared: {result['not_compared']} holds files, and neither slices nor links.csv and "
            "addresses.csv of an earlier plan"
        )
    return [*made, *result.get("older", []), _written(result)]


def _other_networks(switches: t.Mapping[str, int] | None, number: int) -> list[str]:
    """Describe the other networks, on a line of its own."""
    if not switches:
        return []
    words = ", ".join(_of_role(*one) for one in switches.items())
    return [f"other networks: {words}{_built(number, switches)}"]


def _built(number: int, switches: t.Mapping[str, int]) -> str:
    """`; 40 built`, where the capacity has more."""
    return f"; {number} built" if number < sum(switches.values()) else ""


def _announced(rows: t.Sequence[Announcement]) -> list[str]:
    """The prefixes that each peer outside hears, a line for each session."""
    made = [
        f"announced to {one.peer} (AS {one.asn}, link {one.link}) by AS {one.local_as}: "
        f"{one.prefixes or 'nothing'} of {one.tenant}"
        for one in rows[:MOST_SESSIONS]
    ]
    more = len(rows) - len(made)
    return [
        *made,
        *([f"and {more} more sessions: -e spx_report=FOLDER writes {ANNOUNCED}"] if more else []),
    ]


ANNOUNCED = "announced.csv"
MOST_SESSIONS = 12
"""Sessions to the outside that a person is shown; the report has all of them."""
MOST_CHANGES = 20
"""Differences that a person is shown; the report has all of them."""


def changed(rows: t.Sequence[t.Mapping[str, object]]) -> list[str]:
    """The first differences between two plans, a line each; what only one of them has is nothing in the other."""
    return [
        f"{row['what']} of {row['place']}: {row['before'] or 'nothing'} -> {row['after'] or 'nothing'}"
        for row in rows[:MOST_CHANGES]
    ]


def _written(result: Result) -> str:
    if not result["files"]:
        return "no files were requested: -e spx_dest=FOLDER writes them"
    would = " would be" if result.get("check") else ""
    return f"{files(result['files'])}, {result['files_changed']}{would} changed"


def files(number: int) -> str:
    """`1 file`, `2 files`."""
    return count(range(number), "file")


def capacity_table(rows: t.Iterable[Row]) -> t.Iterator[str]:
    """The rows of `capacity` as a CSV file."""
    return csv_lines(",".join(Row.__annotations__), (tuple(row.values()) for row in rows))


def _tightest(rows: t.Iterable[Row]) -> list[str]:
    """The rows with the largest share in use, and every row above its limit."""
    ordered = sorted(rows, key=lambda row: -row["used"] / row["limit"])
    shown = [row for n, row in enumerate(ordered) if n < TIGHTEST or row["spare"] < 0]
    return [
        f"{row['role']} {row['what']} {row['used']} of {row['limit']}"
        + (f" ({-row['spare']} too many)" if row["spare"] < 0 else "")
        for row in shown
    ]


class _Text:
    """Sink of a CSV writer: each line comes back from it."""

    write = staticmethod(str)


def csv_lines(
    columns: str, table: t.Iterable[t.Sequence[object]], separator: str = ","
) -> t.Iterator[str]:
    """A CSV file, line by line; cells are quoted where they must be."""
    yield columns + "\n"
    yield from map(csv.writer(_Text(), delimiter=separator, lineterminator="\n").writerow, table)
