# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Request of a person, and its description before it has a size.

    base(Ask(gpus=2048))  ->  SN5600, BlueField-3, RA 2.1 with Cumulus Linux 5.16.1, 8 rails, 400G

Everything that was not asked is taken from the catalogs: the first NIC, the newest validated release and the fastest
speeds that break no rule.
"""

from __future__ import annotations

import dataclasses
import itertools
import typing as t

from ..catalog import hardware, ra
from ..catalog.data import table
from ..description.base import Speed
from ..description.description import MOST_RAILS, Description, PlaneCount
from ..description.errors import Breach, FabricError, key_path, nearest
from ..description.load import typed
from ..description.yaml_source import Source
from ..plan.topology import rules
from ..plan.topology.clos import count

if t.TYPE_CHECKING:
    from collections.abc import Iterator

GPUS_PER_NODE = 8
"""GPUs, and NICs, of a node where nobody says: those of NVIDIA's HGX baseboards of eight GPUs."""
NODES_PER_RACK = 4
"""Nodes of a rack where nobody says, as in the examples; a person corrects it in the description."""
PLANES: tuple[int, ...] = t.get_args(PlaneCount)
"""Planes that a description may have."""
STAND_IN = "octet-v4"
"""The address profile until the size is known."""


@dataclasses.dataclass(frozen=True)
class Request:
    """Request for a fabric; 0 and empty text leave the choice to the catalogs.

    `gpus` exist on the first day, and `final_gpus` is what the fabric has to hold in the end.
    """

    gpus: int
    switch: str = ""
    nic: str = ""
    rails: int = 0
    planes: int = 1
    gpus_per_node: int = 0
    final_gpus: int = 0
    name: str = "mine"

    @property
    def per_node(self) -> int:
        """GPUs of a node."""
        return self.gpus_per_node or self.rails or GPUS_PER_NODE

    @property
    def nodes(self) -> int:
        """Nodes on the first day."""
        return -(-self.gpus // self.per_node)

    @property
    def final(self) -> int:
        """Nodes in the end."""
        return -(-max(self.gpus, self.final_gpus) // self.per_node)


def of_options(options: t.Mapping[str, t.Any]) -> Request:
    """The ask of a task's options, whose names are those of the fields; other options are passed over."""
    names = {field.name for field in dataclasses.fields(Request)}
    return Request(
        **{name: options[name] for name in names & set(options) if options[name] is not None}
    )


def checked(ask: Request) -> Request:
    """The same, with its rails; FabricError with a sentence for each wrong variable."""
    made = dataclasses.replace(ask, rails=ask.rails or min(ask.per_node, MOST_RAILS))
    sentences = list(_wrong(made))
    if sentences:
        raise FabricError(sentences)
    return made


def _wrong(ask: Request) -> Iterator[str]:
    nics = table("switches")["nics"]
    if ask.gpus < 1:
        yield f"variable spx_gpus: {ask.gpus} is not allowed: use 1 or more."
    if ask.final_gpus and ask.final_gpus < ask.gpus:
        yield (
            f"variable spx_final_gpus: {ask.final_gpus} is less than the {ask.gpus} of spx_gpus: use as many or more."
        )
    if ask.switch and (refusal := hardware.model_refusal(ask.switch)):
        yield f"variable spx_switch: {refusal}"
    if ask.nic and ask.nic not in nics:
        yield f"variable spx_nic: {_unknown(ask.nic, nics)}"
    if ask.planes not in PLANES:
        allowed = ", ".join(map(str, PLANES))
        yield f"variable spx_planes: {ask.planes} is not allowed: use {allowed}."
    if not 1 <= ask.rails <= MOST_RAILS:
        yield f"variable spx_rails: {ask.rails} is not allowed: use 1 to {MOST_RAILS}."


def _unknown(word: str, known: t.Iterable[str]) -> str:
    return f"'{word}' is not in the catalog{nearest(word, known)}: use one of {', '.join(known)}."


def base(ask: Request) -> Description:
    """The description of one slot that the ask means; FabricError names the rule that none keeps."""
    broken = None
    best: tuple[tuple[int, int], Description] | None = None
    for number, made in enumerate(_possible(ask)):
        breach = _breach(made)
        if breach is None and (best is None or (_rank(made), number) < best[0]):
            best = (_rank(made), number), made
        broken = broken or breach
    if best is None:
        named = f"{key_path(broken.key)}: {broken.sentence}" if broken else "the catalog is empty."
        raise FabricError.of(f"no fabric is possible with these variables: {named}")
    return best[1]


def _breach(d: Description) -> Breach | None:
    """The first rule that a description breaks."""
    clos = count(d)
    if isinstance(clos, Breach):
        return clos
    return next(itertools.chain(rules.before_counting(d), rules.after_counting(d, clos)), None)


def _rank(d: Description) -> int:
    """0 where the NIC parameter set is public, 1 where a site must bring it."""
    return int(bool(uncovered(d)))


def uncovered(d: Description) -> str:
    """Reason that the RA release has no public parameter set for the NICs; empty where it has one."""
    devices = table("ra_profiles")["devices"]
    device = next(key for key, row in devices.items() if row["name"] == d.nics.model)
    planes = d.planes.count if d.planes.mode == "split" else 1
    try:
        ra.load_profile(d.release.ra, device, d.planes.balancing, planes=planes)
    except FabricError as exc:
        return exc.sentences[0]
    return ""


def _possible(ask: Request) -> Iterator[Description]:
    """Every combination of what is left open, the better ones first."""
    found = table("switches")
    first, *_others = found["models"]
    model = ask.switch or first
    nics = [ask.nic] if ask.nic else list(found["nics"])
    speeds = sorted(t.get_args(Speed), key=lambda speed: -int(speed[:-1]))
    for nic, release, planes in itertools.product(nics, _releases(model), _planes(ask)):
        for host, fabric in itertools.product(speeds, speeds):
            data = {
                "name": ask.name,
                "release": release,
                "switches": {"model": model, "host_speed": host, "fabric_speed": fabric},
                "nics": {"model": nic},
                "planes": planes,
                "rails": ask.rails,
                "tiers": 2,
                "capacity": {"sus_per_pod": 1, "slots_per_su": 1, "nodes_per_rack": 1},
                "addressing": {"profile": STAND_IN},
            }
            yield typed(Description, Source("fabric.yml", data, {}))


def _planes(ask: Request) -> list[dict[str, object]]:
    """Alternatives for so many planes of a NIC: split, balanced by software or by the NIC, then a plane for each
    rail."""
    if ask.planes == 1:
        return [{}]
    split: list[dict[str, object]] = [
        {"count": ask.planes, "mode": "split", "balancing": balancing}
        for balancing in ("swplb", "hwplb")
    ]
    return [*split, {"count": ask.planes, "mode": "by-rail"}]


def _releases(model: str) -> list[dict[str, str]]:
    """Releases of RA and Cumulus Linux: those validated together, then RA releases alone; newest first."""
    sets = table("version_sets")
    validated = {
        name: str(row["cumulus"]) for name, row in sets["sets"].items() if row.get("cumulus")
    }
    found = sorted(validated, key=hardware.version, reverse=True)
    made = [{"ra": _short(name), "cumulus": validated[name]} for name in found]
    since = table("switches")["models"][model]["since"]
    newest = max(validated[found[0]], since, key=hardware.version)
    others = sorted(table("ra_profiles")["releases"], key=hardware.version, reverse=True)
    return [*made, *({"ra": name, "cumulus": newest} for name in others)]


def _short(name: str) -> str:
    """`2.1.2` -> `2.1`, as people name the release."""
    aliases = table("version_sets")["aliases"]
    return min((alias for alias, meant in aliases.items() if meant == name), key=len, default=name)
