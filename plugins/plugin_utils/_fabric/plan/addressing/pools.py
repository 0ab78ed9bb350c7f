# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Infrastructure blocks: loopbacks, VTEPs, out-of-band, storage, numbered links.

The block set belongs to the profile; the description may move single blocks. A block that is too
small, or that overlaps another, is refused.
"""

from __future__ import annotations

import ipaddress
import itertools
import typing as t

from ...catalog.data import table
from ...description.errors import FabricError, nearest
from ..topology import converged, oob
from . import profiles
from .codec import Layout
from .oob import FIELDS, SPINES

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ...description.description import Description
    from ..topology.clos import Clos

# Host out-of-band indices of a slot, and the gateway's place in the unit's /22.
OOB_INDEX = {"host": 1, "bmc": 2, "dpu_bmc": 3, "dpu_oob": 4}
OOB_UNIT = {index: unit for unit, index in OOB_INDEX.items()}
OOB_GATEWAY = 7
CONVERGED = "converged"
"""The block of the converged fabric."""
OOB = "oob"
"""The block of the out-of-band network, which the description states there."""
_SPARE = "spare "
_SECOND = {5: "dpu2_bmc", 6: "dpu2_oob"}
"""The units of a second BlueField, where the out-of-band network has its cable."""

RESERVED = {
    "0.0.0.0/8": "this network",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link local",
    "224.0.0.0/3": "multicast and reserved",
    "::/127": "unspecified and loopback",
    "::ffff:0:0/96": "IPv4-mapped",
    "fe80::/10": "link local",
    "ff00::/8": "multicast",
}


def oob_unit(index: int, *, second: bool = False) -> str:
    """Name the unit of an out-of-band index of a slot: `host`, `bmc`, ..., `spare 5`, or those of a second DPU."""
    return OOB_UNIT.get(index) or (_SECOND[index] if second else f"{_SPARE}{index}")


def oob_index(unit: str) -> int:
    """The inverse; the host's for what is no unit."""
    spare = next((str(at) for at, own in _SECOND.items() if own == unit), unit.removeprefix(_SPARE))
    return OOB_INDEX.get(unit, int(spare) if spare in ("5", "6") else OOB_INDEX["host"])


def build(d: Description, clos: Clos, links: Layout | None) -> dict[str, Layout]:
    """The blocks of a description by name; FabricError lists all that do not fit or overlap."""
    chosen = table("profiles")
    set_name = chosen["profiles"][d.addressing.profile]["infrastructure"]
    block_set = chosen["infrastructure"][set_name]
    unknown = sorted(set(d.addressing.pools) - set(block_set["pools"]))
    if unknown:
        raise FabricError.of(
            f"addressing.pools.{unknown[0]}: the pool is not known"
            f"{nearest(unknown[0], block_set['pools'])}: use some of {', '.join(block_set['pools'])}."
        )
    rows = _rows(d, clos, block_set["pools"])
    sentences = _too_many(d, clos, set_name, block_set["max"])
    sentences += [_not_stated(name, links, rows) for name, row in rows.items() if not row["prefix"]]
    if sentences:
        raise FabricError(sentences)
    unit_bits = block_set["max"]["unit_bits"]
    widths = {**profiles.unit_widths(clos, unit_bits), **_link_widths(clos)}
    sentences = [s for name, row in rows.items() if (s := _family(d, name, row["prefix"]))]
    if sentences:
        raise FabricError(sentences)
    pools: dict[str, Layout] = {}
    for name, row in rows.items():
        fields = profiles.bits(_fitted(d, clos, name, row, block_set), widths)
        try:
            pools[name] = Layout(_key(name), row["prefix"], fields)
        except FabricError as exc:
            need = sum(field.width for field in fields)
            taken = [links.base] if links else []
            taken += [r["prefix"] for n, r in rows.items() if n != name]
            raise FabricError.of(_with_a_free_one(exc.sentences[0], need, taken)) from exc
    sentences = [*_unfit(clos, pools), *_clashes(links, pools), *_subnets(d, links, pools)]
    sentences += _outside(d, links, pools)
    if sentences:
        raise FabricError(sentences)
    return pools


def _fitted(
    d: Description, clos: Clos, name: str, row: Mapping[str, t.Any], block_set: Mapping[str, t.Any]
) -> list[t.Any]:
    """The fields of a block; of a longer prefix than the profile's, as wide as the capacity needs."""
    default, own = block_set["pools"].get(name, {}).get("prefix"), d.addressing.pools.get(name)
    if not (default and own and _is_prefix(own)):
        return list(row["fields"])
    if ipaddress.ip_network(own).prefixlen <= ipaddress.ip_network(default).prefixlen:
        return list(row["fields"])
    counts = converged.of(d, clos) if name == CONVERGED else None
    if counts:
        most = max(counts.switches().values())
    else:
        most = max(count // clos.planes for count in clos.switches().values())
    need = {
        "plane": max(1, profiles.bits_for(clos.planes)),
        # out-of-band: beside the switches the first and the two last addresses of the subnet
        "ordinal": profiles.bits_for(most + (3 if name in ("switch_oob", CONVERGED) else 0)),
        "pod": profiles.bits_for(clos.pods),
        "su": profiles.bits_for(clos.sus),
        "slot": max(1, profiles.bits_for(clos.slots)),
    }
    return [[field, need.get(field, width), *rest] for field, width, *rest in row["fields"]]


SHORTEST = {4: 8, 6: 16}
"""The shortest prefix of provisioning servers, by version of IP: quarantine reaches all of it. Ours."""
PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
"""Ranges that are searched for a free prefix, in this order (RFC 1918 and RFC 6598)."""


def free(length: int, taken: Iterable[str]) -> Iterator[str]:
    """The private prefixes of a length that overlap none of the taken ones."""
    used = [ipaddress.ip_network(prefix, strict=False) for prefix in taken]
    for block in map(ipaddress.ip_network, PRIVATE):
        if length >= block.prefixlen:
            for prefix in block.subnets(new_prefix=length):
                if not any(u.version == 4 and u.overlaps(prefix) for u in used):
                    yield str(prefix)


def _with_a_free_one(sentence: str, bits: int, taken: Iterable[str]) -> str:
    """A sentence about a prefix, which ends with an IPv4 one that is free for so many bits, where there is one."""
    if bits > 24 or " such as " in sentence:
        return sentence
    found = next(free(32 - bits, [prefix for prefix in taken if _is_prefix(prefix)]), None)
    return f"{sentence.rstrip('.')}, such as {found}." if found else sentence


def _not_stated(name: str, links: Layout | None, rows: dict[str, dict[str, t.Any]]) -> str:
    """Reason that a block without a default must be stated, with a free prefix where there is one."""
    bits = sum(field[1] for field in rows[name]["fields"])
    taken = [links.base] if links else []
    taken += [row["prefix"] for row in rows.values() if row["prefix"]]
    return _with_a_free_one(
        f"addressing.pools.{name}: the infrastructure blocks of this profile leave no default for the other networks: "
        f"state a /{32 - bits} that nothing else uses.",
        bits,
        taken,
    )


def infrastructure(links: Layout | None, pools: Mapping[str, Layout]) -> dict[str, str]:
    """The prefix of each block by its name, but for `services`, of which subnets of owners are part."""
    named = {"the host links": links.base} if links else {}
    return named | {_key(n): one.base for n, one in pools.items() if n != "services"}


class Block(t.NamedTuple):
    """Block that nothing outside may overlap: its description, and its first and last number."""

    said: str
    version: int
    first: int
    last: int


def blocks(own: Mapping[str, str]) -> list[Block]:
    """The fabric's own prefixes by name, such as those of `infrastructure`, and what no network may have."""
    said = [(f"{prefix} of {name}", prefix) for name, prefix in own.items()]
    said += [(f"{prefix} ({use})", prefix) for prefix, use in RESERVED.items()]
    return [Block(words, *_span(prefix)) for words, prefix in said]


def overlapped(prefix: str, among: Iterable[Block]) -> str:
    """The first block that a prefix overlaps, as it is said; "" for none. An address with a length means its subnet."""
    version, first, last = _span(prefix)
    met = (
        one.said
        for one in among
        if one.version == version and one.first <= last and first <= one.last
    )
    return next(met, "")


def _span(prefix: str) -> tuple[int, int, int]:
    network = ipaddress.ip_network(prefix, strict=False)
    return network.version, int(network.network_address), int(network.broadcast_address)


def _outside(d: Description, links: Layout | None, pools: dict[str, Layout]) -> Iterator[str]:
    """Provisioning servers and arrays behind sessions are outside: their prefixes hold nothing of the fabric."""
    front, storage = (d.networks.front_end, d.networks.storage) if d.networks else (None, None)
    own = infrastructure(links, pools)
    if front:
        own["networks.front_end.subnets"] = front.subnets.prefix
    among = blocks(own)
    servers = front.provisioning.servers if front and front.provisioning else []
    for number, prefix in enumerate(servers):
        name = f"networks.front_end.provisioning.servers[{number}]"
        if met := overlapped(prefix, among):
            yield (
                f"{name}: {prefix} overlaps {met}, so nodes in quarantine would reach that too: list the "
                "prefixes of the servers alone."
            )
        elif (network := ipaddress.ip_network(prefix)).prefixlen < SHORTEST[network.version]:
            yield (
                f"{name}: {prefix} is shorter than /{SHORTEST[network.version]}, and nodes in quarantine would reach "
                "all of it: list the prefixes of the servers alone."
            )
        own[name] = prefix
    if storage:
        own["networks.storage.subnets"] = storage.subnets.prefix
    for number, prefix in enumerate(storage.array_prefixes if storage else []):
        name = f"networks.storage.array_prefixes[{number}]"
        if met := overlapped(prefix, blocks(own)):
            yield f"{name}: {prefix} overlaps {met}: list the prefixes of other arrays alone, each once."
        own[name] = prefix


def _subnets(d: Description, links: Layout | None, pools: dict[str, Layout]) -> Iterator[str]:
    """Subnets of owners overlap neither each other nor what `blocks` lists; of `services` they are part."""
    net = d.networks
    stated = {"front_end": net and net.front_end, "storage": net and net.storage}
    named = {f"networks.{key}.subnets.prefix": one.subnets for key, one in stated.items() if one}
    others = infrastructure(links, pools)
    for name, subnets in named.items():
        own = ipaddress.ip_network(subnets.prefix)
        if own.prefixlen > subnets.length:
            yield f"{name}: {own} is longer than a subnet (/{subnets.length}): use a shorter prefix."
        if met := overlapped(subnets.prefix, blocks(others)):
            sentence = f"{name}: {own} overlaps {met}: use a prefix of its own."
            yield _with_a_free_one(sentence, 32 - own.prefixlen, others.values())
        others[name] = str(own)


def _is_prefix(text: str) -> bool:
    try:
        return bool(ipaddress.ip_network(text))
    except ValueError:
        return False


def _key(name: str) -> str:
    """The key of the description that states a block."""
    return "oob.prefix" if name == OOB else f"addressing.pools.{name}"


def _rows(d: Description, clos: Clos, block_set: dict[str, t.Any]) -> dict[str, dict[str, t.Any]]:
    """The blocks that the description uses, with its own prefixes."""
    rows = dict(block_set)
    if d.oob and (counts := oob.of(d, clos, converged.of(d, clos))):
        bits = profiles.bits_for(SPINES + counts.leaves)
        rows[OOB] = {"prefix": d.oob.prefix, "fields": [["switch", bits], *FIELDS]}
    if d.networks is None:
        del rows[CONVERGED]
    if d.addressing.inter_switch == "unnumbered":
        del rows["inter_switch"]
    rows |= {name: table("profiles")[f"{name}_v6"] for name in _six(d)}
    own = d.addressing.pools
    return {name: {**row, "prefix": own.get(name, row["prefix"])} for name, row in rows.items()}


def _six(d: Description) -> list[str]:
    """The blocks that are IPv6: links between switches, and those of nodes, where the description says so."""
    stated = {"inter_switch": d.addressing.inter_switch, "storage": d.addressing.routed_ports}
    return [name for name, how in stated.items() if how == "numbered-127"]


def _family(d: Description, name: str, prefix: str) -> str | None:
    """Infrastructure is IPv4, but for some links."""
    six = name in _six(d)
    try:
        fits = ipaddress.ip_network(prefix).version == (6 if six else 4)
    except ValueError:
        return None
    if fits:
        return None
    return f"addressing.pools.{name}: {prefix} is not an IPv{6 if six else 4} prefix: use one."


def _too_many(d: Description, clos: Clos, set_name: str, most: dict[str, int]) -> list[str]:
    found = []
    need = profiles.bits_for(clos.pods) + profiles.bits_for(clos.sus)
    if need > most["unit_bits"]:
        found.append(
            f"capacity: {clos.pods} pods of {clos.sus} SUs need {need} bits, and the infrastructure "
            f"blocks of {d.addressing.profile} have {most['unit_bits']}: use smaller pods, or octet-v4."
        )
    if clos.planes > most["planes"]:
        found.append(
            f"planes.count: {clos.planes} is more than the {most['planes']} planes of block set "
            f"{set_name} of {d.addressing.profile}: use octet-v4 or nvidia-guide-v6."
        )
    return found


def _link_widths(clos: Clos) -> dict[tuple[str, str], int]:
    """Links of a plane are numbered by tier; the larger tier decides."""
    tiers = clos.leaves_per_pod * clos.leaf_up.count, clos.spines * clos.spine_up.count
    index = profiles.bits_for(clos.pods * max(tiers))
    return {("link", "link-index"): index, ("plane", "link-plane"): profiles.bits_for(clos.planes)}


def _unfit(clos: Clos, pools: dict[str, Layout]) -> list[str]:
    found = []
    most = max(count // clos.planes for count in clos.switches().values())
    for name in ("loopback", "vtep", "switch_oob"):
        room = pools[name].top("ordinal") - (3 if name == "switch_oob" else 0)
        if most - 1 > room:
            found.append(
                f"addressing.pools.{name}: {most} switches of a role and plane do not fit the "
                f"{room + 1} numbers of {pools[name].base}: use a larger prefix, or octet-v4."
            )
    if clos.slots - 1 > pools["host_oob"].top("slot"):
        found.append(
            f"capacity.slots_per_su: {clos.slots} slots do not fit the 7-bit slot field of the "
            "infrastructure blocks (128 slots): use smaller SUs."
        )
    return found


def _clashes(links: Layout | None, pools: dict[str, Layout]) -> list[str]:
    named = {"the host links": links.base} if links else {}
    named.update({_key(name): layout.base for name, layout in pools.items()})
    networks = [(name, ipaddress.ip_network(base)) for name, base in named.items()]
    found = []
    taken = [str(network) for _name, network in networks]
    for (a, one), (b, two) in itertools.combinations(networks, 2):
        if one.version == two.version and one.overlaps(two):
            sentence = f"{b}: {two} overlaps {one} of {a}: use a prefix of its own."
            found.append(_with_a_free_one(sentence, two.max_prefixlen - two.prefixlen, taken))
    for name, network in networks:
        for reserved, use in RESERVED.items():
            other = ipaddress.ip_network(reserved)
            if other.version == network.version and other.overlaps(network):
                sentence = f"{name}: {network} overlaps {reserved} ({use}): use a private prefix."
                bits = network.max_prefixlen - network.prefixlen
                found.append(_with_a_free_one(sentence, bits, taken))
    return found
