# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules between the keys of a description. Each yields the breaches it finds; all are reported."""

from __future__ import annotations

import datetime
import fnmatch
import typing as t

from ...catalog import hardware, ra
from ...catalog.data import table
from ...description import places
from ...description.errors import Breach, FabricError, nearest, shown
from . import converged, oob
from .cages import gbps
from .clos import Clos, count

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ...description.description import Description
    from ...description.yaml_source import Source

MOST_INDEX = 999
MOST_PODS = 128
"""Pods that the ASN scheme numbers."""
OLDEST_CUMULUS, NEWEST_CUMULUS = (5, 9), (5, 19)
CUMULUS = " to ".join(f"{major}.{minor}" for major, minor in (OLDEST_CUMULUS, NEWEST_CUMULUS))


def counted(d: Description, source: Source) -> Clos:
    """The counts of a description that keeps the rules; FabricError with every breach."""
    breaches = list(before_counting(d))
    clos = count(d)
    breaches += [clos] if isinstance(clos, Breach) else after_counting(d, clos)
    if breaches or isinstance(clos, Breach):
        raise FabricError([source.sentence(breach) for breach in breaches])
    return clos


def before_counting(d: Description) -> Iterator[Breach]:
    """Rules that need no counts."""
    yield from _nics(d)
    yield from _places_of_nics(d)
    yield from _site(d)
    yield from _releases(d)
    yield from _buffer(d)
    yield from _unmanaged(d)
    yield from _windows(d)
    yield from _name_servers(d)
    yield from converged.breaches(d)
    yield from oob.breaches(d)


def after_counting(d: Description, clos: Clos) -> Iterator[Breach]:
    """Rules over the counts."""
    yield from _adaptive_routing(d)
    yield from _numbering(d, clos)
    yield from _widths(d, clos)
    yield from _sessions(d, clos)
    yield from _absent(d, clos)
    if d.networks and not any(converged.breaches(d)):
        found = converged.count(d, clos)
        yield from [found] if isinstance(found, Breach) else ()
    if d.oob and not any(oob.breaches(d)):
        yield from oob.after_counting(d, clos, converged.of(d, clos))


def _nics(d: Description) -> Iterator[Breach]:
    planes = [*_balancing(d), *_multi_plane_release(d)]
    yield from planes
    yield from _reference_architecture(d, planes_fit=not planes)
    yield from _card(d, several=d.planes.mode == "split" and not planes)
    yield from _pci(d)


def _places_of_nics(d: Description) -> Iterator[Breach]:
    """Rules of NICs for the nodes of each place; what the whole fabric breaks is its breach alone."""
    whole = {breach.sentence for breach in (*_nics(d), *converged.breaches(d))}
    for number, row in enumerate(d.nics.places):
        key, other = ("nics", "places", number), d.of_places([row])
        if row.model and d.planes.of_nic[1] > 1:
            yield Breach(
                (*key, "model"), f"{row.model} beside others needs NICs of one plane: leave it out."
            )
        for name in ("front_end", "storage"):
            if getattr(row, f"{name}_pci") and not getattr(d.networks, name, None):
                yield Breach((*key, f"{name}_pci"), f"there is no networks.{name}: leave it out.")
        for breach in (*_nics(other), *converged.breaches(other)):
            if breach.sentence not in whole:
                part = breach.key[-2] if breach.key[0] == "networks" else ""
                name = (
                    "_".join(filter(None, (str(part), "pci")))
                    if breach.key[-1] == "pci"
                    else "model"
                )
                yield Breach((*key, name), breach.sentence)


def _name_servers(d: Description) -> Iterator[Breach]:
    """A zone cannot be reached by a name of its own without an address."""
    domain = d.management.domain or f"{d.name}.example"
    for number, server in enumerate(d.zones.name_servers):
        if f".{server.name}".endswith(f".{domain}") and not server.address:
            yield Breach(
                ("zones", "name_servers", number, "name"),
                f"{server.name} is in the domain {domain} and has no address: add the key address.",
            )


def _balancing(d: Description) -> Iterator[Breach]:
    p, nic, key = d.planes, d.nics.model, ("planes", "balancing")
    split = p.mode == "split" and p.count > 1
    if split and p.balancing == "none":
        yield Breach(key, f"none leaves {p.count} split planes unused: use swplb or hwplb.")
    if not split and p.balancing != "none":
        yield Breach(key, f"{p.balancing} needs several split planes: use none, or more planes.")
    if p.balancing == "hwplb" and d.addressing.profile == "table":
        yield Breach(
            ("addressing", "profile"),
            "table gives each NIC port an address of its own, and hwplb one to all planes of a rail: "
            "use a computed profile.",
        )
    if split and (refusal := hardware.mode_refusal(nic, p.balancing)):
        yield Breach(key, refusal)
    elif split and p.count == 8 and nic not in ("ConnectX-8", "ConnectX-9"):
        yield Breach(
            ("planes", "count"), f"8 split planes do not fit {nic}: use by-rail, or ConnectX-8."
        )


def _card(d: Description, *, several: bool) -> Iterator[Breach]:
    """Limit what the ports of a NIC carry together; a NIC that the catalog lacks is refused."""
    nics = table("switches")["nics"]
    row = nics.get(d.nics.model)
    if row is None:
        yield Breach(
            ("nics", "model"),
            f"the catalog does not say what a {d.nics.model} carries: use one of {', '.join(nics)}.",
        )
        return
    ports, speed = d.planes.count if several else 1, d.switches.host_speed
    if ports * gbps(speed) <= row["gbps"]:
        return
    what = f"{ports} planes of {speed} make {ports * gbps(speed)}G," if ports > 1 else f"{speed} is"
    remedy = f"{row['gbps'] // ports}G" + (" or fewer planes" if ports > 1 else "")
    yield Breach(
        ("switches", "host_speed"),
        f"{what} more than the {row['gbps']}G that a {d.nics.model} carries: use {remedy}, or a faster NIC.",
    )


def _pci(d: Description) -> Iterator[Breach]:
    if d.nics.pci and (len(d.nics.pci) != d.rails or len(set(d.nics.pci)) != d.rails):
        yield Breach(
            ("nics", "pci"),
            f"{len(set(d.nics.pci))} different addresses do not serve {d.rails} rails: state one for each rail.",
        )


def _multi_plane_release(d: Description) -> Iterator[Breach]:
    if d.planes.mode == "split" and d.planes.count > 1 and hardware.version(d.release.ra) < (2, 1):
        yield Breach(
            ("release", "ra"),
            f"{d.release.ra} is single-plane, and planes.count is {d.planes.count}: use 2.1 or "
            "newer.",
        )


def _reference_architecture(d: Description, *, planes_fit: bool) -> Iterator[Breach]:
    """The RA release must be one that is known, and where its NIC parameter sets are public and
    NICs have several planes, one of them must cover the combination."""
    if d.site_profiles:
        return
    rows = table("ra_profiles")
    release = rows["aliases"].get(d.release.ra, d.release.ra)
    known = [*rows["releases"], *rows["not_public"]]
    if release not in known:
        yield Breach(
            ("release", "ra"),
            f"'{d.release.ra}' is not a known release: use one of {', '.join(sorted(known))}, or name "
            "a file with its parameters in site_profiles.",
        )
        return
    (nic,) = (key for key, row in rows["devices"].items() if row["name"] == d.nics.model)
    found = []
    if planes_fit and d.planes.mode == "split" and d.planes.count > 1:
        found = [*_combination(d, rows["releases"].get(release), nic)]
    yield from found or _hosts_have_a_set(d, nic)


def _combination(d: Description, release: dict[str, t.Any] | None, nic: str) -> Iterator[Breach]:
    """Check that the release has a parameter set for several planes of a NIC."""
    mode, count = d.planes.of_nic
    rows = [row for row in (release or {}).get("combinations", ()) if nic in row["device"]]
    if release is None or any(mode in row["mode"] and count in row["planes"] for row in rows):
        return
    there = [
        f"{' or '.join(map(str, row['planes']))} with {', '.join(row['mode'])}" for row in rows
    ]
    yield Breach(
        ("planes",),
        f"{d.nics.model} with {count} {mode} planes has no parameter set in RA {d.release.ra}, which "
        f"{f'has sets of {d.nics.model} for ' + '; '.join(there) if there else 'has none of that NIC'}: use "
        f"{_others(nic, mode, count) or 'another NIC or number of planes'}, or name a file with its parameters in "
        "site_profiles.",
    )


def _others(nic: str, mode: str, count: int) -> str:
    """The releases that have a parameter set for so many planes of a NIC: `RA 2.1 or 2.2`."""
    found = [
        name
        for name, release in table("ra_profiles")["releases"].items()
        for row in release["combinations"]
        if nic in row["device"] and mode in row["mode"] and count in row["planes"]
    ]
    return f"RA {' or '.join(sorted(set(found)))}" if found else ""


def _hosts_have_a_set(d: Description, nic: str) -> Iterator[Breach]:
    """Roles of hosts need the parameter set of their NICs: playbook dpus would stop at the first host."""
    roles = [(i, role) for i, role in enumerate(d.manage) if role.startswith("dpu_")]
    mode, count = d.planes.of_nic
    try:
        if roles:
            ra.load_profile(d.release.ra, nic, mode, planes=count)
    except FabricError:
        number, role = roles[0]
        yield Breach(
            ("manage", number),
            f"{role} sets up NICs, and RA {d.release.ra} has no public parameter set for {d.nics.model}: name a file "
            "with one in site_profiles, use another release, or leave the roles dpu_* out.",
        )


def _site(d: Description) -> Iterator[Breach]:
    if d.site > 6:
        yield Breach(("site",), f"{d.site} has no room in the ASN scheme: use a site from 0 to 6.")
    for pool in ("loopback", "vtep", *(("converged",) if d.networks else ())):
        if d.site and pool not in d.addressing.pools:
            yield Breach(
                ("addressing", "pools"),
                f"site {d.site} shares the default {pool} block with site 0: state addressing.pools.{pool}, a prefix "
                "that no other site uses.",
            )


def _releases(d: Description) -> Iterator[Breach]:
    stated = [(("release", "cumulus"), d.release.cumulus)]
    stated += [(("accept_releases", i), text) for i, text in enumerate(d.accept_releases)]  # type: ignore[misc]
    unknown = [
        Breach(
            key,
            f"'{text}' is a release whose NVUE dialect is not known: use Cumulus Linux {CUMULUS}.",
        )
        for key, text in stated
        if not OLDEST_CUMULUS <= hardware.version(text)[:2] <= NEWEST_CUMULUS
    ]
    yield from unknown
    for key, text in stated if not unknown else ():
        for model in d.models:
            if refusal := hardware.release_refusal(model, text):
                yield Breach(key, refusal)
    if not unknown and not d.site_profiles:
        differing = ra.cumulus_differences(
            d.release.ra, d.release.cumulus, accepted=d.accept_releases
        )
        yield from (Breach(("release", "cumulus"), text) for text in differing)


def _buffer(d: Description) -> Iterator[Breach]:
    total = d.qos.lossless_percent + d.qos.lossy_percent
    if total > 100:
        yield Breach(
            ("qos",),
            f"lossless_percent {d.qos.lossless_percent} and lossy_percent {d.qos.lossy_percent} "
            f"make {total}: "
            "use a sum of at most 100.",
        )


def _unmanaged(d: Description) -> Iterator[Breach]:
    """A misspelt glob would protect nothing, and nobody would know."""
    roots = table("switches")["nvue_roots"]
    for number, text in enumerate(d.unmanaged):
        first = text.strip("/").partition("/")[0]
        if not fnmatch.filter(roots, first):
            yield Breach(
                ("unmanaged", number),
                f"{shown(text)} is not a path of a switch's configuration{nearest(first, roots)}: begin it "
                f"with one of {', '.join(roots)}.",
            )


def _windows(d: Description) -> Iterator[Breach]:
    for number, row in enumerate(d.windows):
        begin, end = map(datetime.datetime.fromisoformat, (row.from_, row.until))
        if end <= begin:
            key = ("windows", number, "until")
            yield Breach(key, f"{row.until} is not after from, {row.from_}: use a later moment.")


def _adaptive_routing(d: Description) -> Iterator[Breach]:
    model = table("switches")["models"][d.switches.model]
    least, most = model["ar_min_gbps"], model["ar_max_gbps"]
    speed = gbps(d.switches.fabric_speed)
    if d.routing.adaptive_routing and not least <= speed <= most:
        yield Breach(
            ("switches", "fabric_speed"),
            f"{d.switches.fabric_speed} links get no adaptive routing on {model['asic']}: "
            f"use {least}G or {most}G, or set routing.adaptive_routing to false.",
        )


def _numbering(d: Description, clos: Clos) -> Iterator[Breach]:
    if clos.leaves_per_pod - 1 > MOST_INDEX:
        yield Breach(
            ("capacity", "sus_per_pod"),
            f"{clos.leaves_per_pod} leaves in a pod do not fit the three decimal digits of the ASN "
            "scheme: "
            f"use {(MOST_INDEX + 1) // clos.leaves_per_su} SUs or fewer.",
        )
    if clos.pods > MOST_PODS:
        yield Breach(
            ("capacity", "pods"),
            f"{clos.pods} pods do not fit the ASN scheme: use {MOST_PODS} or fewer.",
        )
    if clos.nodes > 65_536:
        yield Breach(
            ("capacity",),
            f"{clos.nodes} nodes do not fit the ASN scheme of DPUs: use 65536 or fewer.",
        )


def _widths(d: Description, clos: Clos) -> Iterator[Breach]:
    limits = table("switches")["limits"]
    asic = table("switches")["models"][d.switches.model]["asic"]
    wide = asic == "spectrum-4" and hardware.version(d.release.cumulus) >= (5, 15)
    most = limits["ecmp_width_spectrum4" if wide else "ecmp_width"]["value"]
    widest = max(clos.equal_paths().values())
    if widest > most:
        yield Breach(
            ("switches", "fabric_speed"),
            f"{widest} equal paths exceed the {most}-way multipath of Cumulus Linux "
            f"{d.release.cumulus} on {asic}: use a faster fabric_speed or fewer usable_ports.",
        )


def _sessions(d: Description, clos: Clos) -> Iterator[Breach]:
    most = table("switches")["limits"]["bgp_sessions"]["value"]
    sessions = clos.sessions(evpn_on_loopbacks=d.routing.evpn == "loopbacks")
    role, number = max(sessions.items(), key=lambda item: item[1])
    if number > most:
        yield Breach(
            ("routing", "evpn"),
            f"EVPN sessions between loopbacks give a {role.replace('_', '-')} {number} BGP sessions, "
            f"more than {most}: use links, or a faster fabric_speed.",
        )


def _absent(d: Description, clos: Clos) -> Iterator[Breach]:
    for number, text in enumerate(d.absent):
        try:
            places.size(text, limits=clos.limits)
        except FabricError as exc:
            yield Breach(("absent", number), exc.sentences[0])
