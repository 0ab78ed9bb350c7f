# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward and reverse zones, so that `dig -x` is a locate; what a name server and the parent zones need.

    dns/gpu.example.zone, dns/16.172.in-addr.arpa.zone, ...
    dns/named.conf        a zone statement for each, to be included
    dns/delegation.txt    records for the zones above

Reverse zones never reach beyond the prefixes of the plan: a prefix of /16 or shorter has a zone for each
/16 in use, one of up to /24 a zone for each /24, and a longer one the zone of RFC 2317. Addresses that
the site states itself have a zone for each /24, IPv6 one for each /48. An address that several planes
carry (hardware balancing) has a PTR record for each place.

The serial of a zone follows from its file in the destination: the same where all else is the same, and
greater by one where anything differs.
"""

from __future__ import annotations

import functools
import hashlib
import ipaddress
import itertools
import re
import typing as t

from ..description.errors import FabricError
from ..plan.places import domain, label
from . import rows
from .output import gathered

if t.TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..plan.fabric import Fabric

Earlier = t.Callable[[str], "Iterable[bytes]"]
"""The bytes of a file that an earlier run wrote; none where there is no such file."""
BEGINS = re.compile(rb"\$ORIGIN \S+\n\$TTL [0-9]+\n@ SOA \S+ \S+ \([0-9]+ 3600 600 ")
_SERIAL = re.compile(rb"\(([0-9]+) ")
_ANY_SERIAL = re.compile(rb"(?i)\bSOA\s+\S+\s+\S+\s*(?:\(\s*)?([0-9]+)")
_MOST_SERIAL = 2**32 - 1
_ANSWERS_HERE = "127.0.0.1"
"""The address of a name server that nobody has stated: enough to try the zones on this machine."""


class _Server(t.NamedTuple):
    name: str
    address: str


def zones(fabric: Fabric, pods: rows.Pods, earlier: Earlier) -> Iterator[tuple[str, Iterable[str]]]:
    """(path, chunks) of every zone, made in one pass, then of the files about them."""
    found: dict[str, t.Any] = {}
    for file, body in gathered(_noted(_records(fabric, pods), found)):
        origin = file.removeprefix("dns/").removesuffix(".zone")
        head = functools.partial(_head, fabric, origin)
        digest = found[file]
        digest.update(head(0).encode())
        yield file, itertools.chain([head(_serial(fabric, digest, earlier(file), file))], body)
    names = [file.removeprefix("dns/").removesuffix(".zone") for file in found]
    yield "dns/named.conf", _statements(names)
    yield "dns/delegation.txt", _delegation(fabric, names, pods)


def _noted(lines: Iterable[tuple[str, str]], found: dict[str, t.Any]) -> Iterator[tuple[str, str]]:
    """The lines; `found` gets a digest of each file."""
    for file, text in lines:
        found.setdefault(file, hashlib.sha256()).update(text.encode())
        yield file, text


def _records(fabric: Fabric, pods: rows.Pods) -> Iterator[tuple[str, str]]:
    """(file, record) of all that is below the heads."""
    own = domain(fabric.description)
    forward, cut = f"dns/{own}.zone", _ZoneBorders(fabric)
    for server in servers(fabric):
        if server.address and server.name.endswith(f".{own}"):
            yield forward, f"{server.name}. {_type(server.address)} {server.address}\n"
    for x in rows.addresses(fabric, pods):
        name = label(x.kind, x.device, x.port)
        yield forward, f"{name} {_type(x.address)} {x.address}\n"
        owner, origin = cut.reverse(x.address)
        yield f"dns/{origin}.zone", f"{owner} PTR {name}.{own}.\n"


def servers(fabric: Fabric) -> list[_Server]:
    """The name servers of the zones: those that the description states, else one on this machine."""
    stated = fabric.description.zones.name_servers
    made = [_Server(server.name, server.address or "") for server in stated]
    return made or [_Server(f"{_free(fabric)}.{domain(fabric.description)}", _ANSWERS_HERE)]


def _free(fabric: Fabric) -> str:
    """`ns`, or the first of ns1, ns2 and so on where a device has that name."""
    labels = itertools.chain(["ns"], (f"ns{number}" for number in itertools.count(1)))
    return next(label for label in labels if not fabric.device(label))


def refusal(fabric: Fabric) -> str | None:
    """Reason that a plan has no zones: a stated name server has the name of a device; None where it has zones."""
    for number, server in enumerate(fabric.description.zones.name_servers):
        short = server.name.removesuffix(f".{domain(fabric.description)}")
        if short != server.name and fabric.device(short):
            return (
                f"zones.name_servers[{number}].name: {server.name} is also the name of device {short}: give one of "
                "them another name."
            )
    return None


def _head(fabric: Fabric, origin: str, serial: int) -> str:
    stated, names = fabric.description.zones, servers(fabric)
    who, _at, where = (stated.hostmaster or f"hostmaster@{domain(fabric.description)}").partition(
        "@"
    )
    mailbox = f"{who.replace('.', chr(92) + '.')}.{where}"
    records = "".join(f"@ NS {server.name}.\n" for server in names)
    return (
        f"$ORIGIN {origin}.\n$TTL {stated.ttl}\n"
        f"@ SOA {names[0].name}. {mailbox}. ({serial} 3600 600 604800 {min(stated.ttl, 3600)})\n{records}"
    )


def _serial(fabric: Fabric, digest: t.Any, old: Iterable[bytes], file: str) -> int:
    """The serial for content with this digest, given the file that it replaces."""
    first = fabric.description.zones.serial
    was, old_digest = _digest(old, file)
    if not was:
        return first
    # As _noted and zones do it: first the records, then the head with serial 0.
    return max(first, was if old_digest == digest.hexdigest() else was % _MOST_SERIAL + 1)


def _digest(chunks: Iterable[bytes], file: str) -> tuple[int, str]:
    """Serial and digest of a zone file; 0 where there is no file, no digest where somebody else has written it.

    FabricError where its serial cannot be read: a lower one would stop the transfers to other servers.
    """
    whole = iter(chunks)
    first = next(whole, b"")
    if not first:
        return 0, ""
    begin, number = BEGINS.match(first), _SERIAL.search(first)
    if not begin or not number:
        found = _ANY_SERIAL.search(first)
        if not found:
            raise FabricError.of(
                f"{file}: the file that is there has no serial that can be read: remove it where no server has it."
            )
        return int(found[1]), ""
    end = re.compile(rb"\n(?!@ NS )").search(first, number.end())
    cut = end.end() if end else len(first)
    digest = hashlib.sha256(first[cut:])
    for chunk in whole:
        digest.update(chunk)
    digest.update(_SERIAL.sub(b"(0 ", first[:cut], count=1))
    return int(number[1]), digest.hexdigest()


class _ZoneBorders:
    """Borders of the reverse zones."""

    def __init__(self, fabric: Fabric) -> None:
        stated = {r.management_prefix for r in fabric.rows.values() if r.management}
        networks = [layout.base for layout in fabric.addresses.layouts.values()]
        networks += [prefix for prefix in sorted(stated) if not prefix.endswith("/32")]
        self._blocks = [
            (int(net.network_address), int(net.broadcast_address), net.prefixlen)
            for net in map(ipaddress.ip_network, networks)
            if net.version == 4
        ]

    def reverse(self, address: str) -> tuple[str, str]:
        """(owner within the zone, zone) of an address's PTR record."""
        if ":" in address:
            nibbles = ipaddress.ip_address(address).reverse_pointer.split(".")
            return ".".join(nibbles[:20]), ".".join(nibbles[20:])
        first, second, third, fourth = address.split(".")
        value = (int(first) << 24) + (int(second) << 16) + (int(third) << 8) + int(fourth)
        low, length = next(
            ((low, length) for low, high, length in self._blocks if low <= value <= high), (0, 24)
        )
        if length <= 16:
            return f"{fourth}.{third}", f"{second}.{first}.in-addr.arpa"
        if length <= 24:
            return fourth, f"{third}.{second}.{first}.in-addr.arpa"
        return fourth, f"{low & 255}-{length}.{third}.{second}.{first}.in-addr.arpa"


def _type(address: str) -> str:
    return "AAAA" if ":" in address else "A"


def _statements(names: Iterable[str]) -> Iterator[str]:
    yield "// Include this file in named.conf. The files are looked for in its option directory.\n"
    for name in sorted(names):
        yield f'zone "{name}" {{ type primary; file "{name}.zone"; }};\n'


def _delegation(fabric: Fabric, names: Iterable[str], pods: rows.Pods) -> Iterator[str]:
    """Name servers for the zones above, with the addresses they need, and the records of RFC 2317."""
    yield "; For those who keep the zones above: these records delegate to the name servers.\n"
    own = domain(fabric.description)
    for name in sorted(names):
        for server in servers(fabric):
            yield f"{name}. NS {server.name}.\n"
    for server in servers(fabric):
        if server.address and server.name.endswith(f".{own}"):
            yield f"{server.name}. {_type(server.address)} {server.address}\n"
    if any(_is_classless(name) for name in names):
        yield "; RFC 2317: a reverse zone of less than 256 addresses is reached by an alias for each.\n"
        cut = _ZoneBorders(fabric)
        for x in rows.addresses(fabric, pods):
            owner, origin = cut.reverse(x.address)
            if _is_classless(origin):
                yield f"{owner}.{origin.partition('.')[2]}. CNAME {owner}.{origin}.\n"


def _is_classless(name: str) -> bool:
    return "-" in name.partition(".")[0] and name.endswith(".in-addr.arpa")
