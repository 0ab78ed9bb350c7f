# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The fabric as a whole: its counts, and how far each role is from its limits."""

from __future__ import annotations

import csv
import typing as t

from ..catalog.data import table
from ..catalog.roles import ROLES
from ..description.words import count, some
from ..plan.slices import mtu
from ..plan.topology import rules
from ..plan.topology.cabling import DOWN, UP
from ..tenants.capacity import route_budget

if t.TYPE_CHECKING:
    from ..plan.fabric import Fabric


TIGHTEST = 3
"""Limits that the summary of a plan shows; the table has all."""


def facts(fabric: Fabric) -> dict[str, t.Any]:
    """Name, releases, counts, pools and MTUs of a fabric, as plain data."""
    d, c = fabric.description, fabric.clos
    others = fabric.others.switches()
    converged = {"converged": others} if others else {}
    return {
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
        **converged,
        "pools": pools(fabric),
        "mtu": mtu(),
        "manage": list(d.manage),
        "unmanaged": list(d.unmanaged),
        "capacity": capacity(fabric),
    }


def sizes(fabric: Fabric) -> list[str]:
    """`2,048 GPUs`, `256 nodes`, `32 leaves`, ...: how many there are at capacity, in words."""
    c, counts = fabric.clos, fabric.clos.switches()
    built = f" ({sum(1 for _node in fabric.nodes()):,} built)" if fabric.description.absent else ""
    switches = [f"{number:,} {ROLES[role].plural}" for role, number in counts.items() if number]
    switches += [_of_role(role, number) for role, number in fabric.others.switches().items()]
    return [f"{c.gpus:,} GPUs", f"{c.nodes:,} nodes{built}", *switches]


def _of_role(role: str, number: int) -> str:
    """`2 border leaves`, of a role of the converged fabric."""
    return f"{number:,} {ROLES[role].singular if number == 1 else ROLES[role].plural}"


def pools(fabric: Fabric) -> dict[str, str]:
    """Every prefix that the fabric owns, by name."""
    layouts = fabric.addresses.layouts
    return {name.replace(" ", "_"): layout.base for name, layout in layouts.items()}


def capacity(fabric: Fabric) -> list[dict[str, t.Any]]:
    """Per role: what is used at capacity, each limit with its source.

    A row is {role, what, used, limit, spare, source}. The routes and VRFs of a leaf are the most
    that tenants can ask of it; what they do ask is checked with the registry.
    """
    limits = table("switches")["limits"]
    model = table("switches")["models"][fabric.description.switches.model]
    width, paths = _ecmp(fabric), fabric.clos.equal_paths()
    on_loopbacks = fabric.description.routing.evpn == "loopbacks"
    sessions = fabric.clos.sessions(evpn_on_loopbacks=on_loopbacks)
    counts = fabric.clos.switches()  # each has a loopback, and a leaf a VTEP
    underlay = (sum(counts.values()) + counts["leaf"]) // fabric.clos.planes
    rows = []
    for role in paths:
        cages = sum(block.cages for block in fabric.cabling.of_role(role).values())
        rows += [
            _row(role, "cages", cages, {"value": model["cages"], "source": model["source"]}),
            _row(role, "bgp_sessions", sessions[role], limits["bgp_sessions"]),
            _row(role, "equal_paths", paths[role], width),
            _row(role, "underlay_routes", underlay, route_budget(fabric)),
        ]
        if role == "leaf":
            rows += _tenants(fabric, limits, underlay)
    return rows + _converged(fabric)


def _converged(fabric: Fabric) -> list[dict[str, t.Any]]:
    """The rows of the converged fabric. Each node of a pair may be of another tenant, with a VRF of its own."""
    limits, counts, networks = (
        table("switches")["limits"],
        fabric.others,
        fabric.description.networks,
    )
    if networks is None:
        return []
    stated = networks.switches.model
    model = table("switches")["models"][stated or fabric.description.switches.model]
    leaves = sum(one.count for one in counts.leaves.values())
    underlay = 2 * leaves + counts.spines  # each has a loopback, and a leaf a VTEP
    rows = []
    for role in counts.switches():
        blocks, own = counts.blocks(role), counts.leaves.get(role)
        cages = sum(block.cages for block in blocks.values())
        links = blocks[UP if own else DOWN].count
        paths = links if own else max(one.links for one in counts.leaves.values())
        rows += [
            _row(role, "cages", cages, {"value": model["cages"], "source": model["source"]}),
            _row(role, "bgp_sessions", links, limits["bgp_sessions"]),
            _row(role, "equal_paths", paths, limits["ecmp_width"]),
            _row(role, "underlay_routes", underlay, route_budget(fabric)),
        ]
        if own and own.nodes_per_pair:
            nodes = min(own.nodes_per_pair, counts.nodes)
            rows.append(_row(role, "tenant_vrfs", nodes, limits["vrfs_per_switch"]))
    return rows


def _tenants(fabric: Fabric, limits: dict[str, t.Any], underlay: int) -> list[dict[str, t.Any]]:
    """What a leaf holds when every node of its SU has another tenant, and one has all others."""
    c = fabric.clos
    nodes = c.nodes_per_leaf if c.top_of_rack else c.slots
    links = c.nodes * (1 if c.by_rail else c.rails)
    return [
        _row("leaf", "tenant_vrfs", min(nodes, c.leaf_host.count), limits["vrfs_per_switch"]),
        _row("leaf", "l3vni_vlans", nodes, limits["l3vni_vlans"]),
        _row("leaf", "routes_if_one_tenant_has_all", underlay + links, route_budget(fabric)),
    ]


def _ecmp(fabric: Fabric) -> dict[str, t.Any]:
    limits, d = table("switches")["limits"], fabric.description
    asic = table("switches")["models"][d.switches.model]["asic"]
    wide = asic == "spectrum-4" and rules.version(d.release.cumulus) >= (5, 15)
    return t.cast("dict[str, t.Any]", limits["ecmp_width_spectrum4" if wide else "ecmp_width"])


def _row(role: str, what: str, used: int, limit: dict[str, t.Any]) -> dict[str, t.Any]:
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
    """What hosts, tenants and switches will need that nobody has stated; `hooks` are those of the site.

    `credentials` says whether the switches' user and password, or token, are known.
    """
    d = fabric.description
    made = []
    if len(d.nics.pci) < d.rails:
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


def lines(result: t.Mapping[str, t.Any]) -> list[str]:
    """What action plan returns, as lines for a person."""
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
        f"({switches['leaf']} leaves, {switches['spine']} spines, {switches['super_spine']} super-spines), "
        f"profile {found['profile']}",
        *_other_networks(found.get("converged")),
        f"capacity, tightest first: {', '.join(_tightest(found['capacity']))}",
    ]
    if result.get("missing"):
        made.append(f"not stated yet: {'; '.join(result['missing'])}")
    made += [f"warning: {notice}" for notice in result.get("notices", [])]
    made += result.get("racks", [])
    made += [result[key] for key in ("advice", "plant") if result.get(key)]
    if "renumbered" in result:
        values, all_ = (range(result[key]) for key in ("renumbered", "differences"))
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


def _other_networks(switches: t.Mapping[str, int] | None) -> list[str]:
    """What the other networks have, on a line of its own."""
    if not switches:
        return []
    return [f"other networks: {', '.join(_of_role(*one) for one in switches.items())}"]


MOST_CHANGES = 20
"""Differences that a person is shown; the report has all of them."""


def changed(rows: t.Sequence[t.Mapping[str, t.Any]]) -> list[str]:
    """The first differences between two plans, a line each; what only one of them has is nothing in the other."""
    return [
        f"{row['what']} of {row['place']}: {row['before'] or 'nothing'} -> {row['after'] or 'nothing'}"
        for row in rows[:MOST_CHANGES]
    ]


def _written(result: t.Mapping[str, t.Any]) -> str:
    if not result["files"]:
        return "no files were asked for: -e spx_dest=FOLDER writes them"
    would = " would be" if result.get("check") else ""
    return f"{files(result['files'])}, {result['files_changed']}{would} changed"


def files(number: int) -> str:
    """`1 file`, `2 files`."""
    return count(range(number), "file")


def capacity_table(rows: t.Iterable[t.Mapping[str, t.Any]]) -> t.Iterator[str]:
    """The rows of `capacity` as a CSV file."""
    columns = ("role", "what", "used", "limit", "spare", "source")
    return csv_lines(",".join(columns), ([row[key] for key in columns] for row in rows))


def _tightest(rows: t.Iterable[t.Mapping[str, t.Any]]) -> list[str]:
    """The rows with the largest share in use, and every row above its limit."""
    ordered = sorted(rows, key=lambda row: -row["used"] / row["limit"])
    shown = [row for n, row in enumerate(ordered) if n < TIGHTEST or row["spare"] < 0]
    return [
        f"{row['role']} {row['what']} {row['used']} of {row['limit']}"
        + (f" ({-row['spare']} too many)" if row["spare"] < 0 else "")
        for row in shown
    ]


class _Text:
    """What a CSV writer writes to: each line comes back from it."""

    write = staticmethod(str)


def csv_lines(columns: str, table: t.Iterable[t.Sequence[t.Any]]) -> t.Iterator[str]:
    """A CSV file, line by line; cells are quoted where they must be."""
    yield columns + "\n"
    yield from map(csv.writer(_Text(), lineterminator="\n").writerow, table)
