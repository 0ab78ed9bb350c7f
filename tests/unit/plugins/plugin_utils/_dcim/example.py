# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A small fabric in the words of things, and what a push does with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.port import (
    Dcim,
    Scope,
    WriteResult,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    FIELD,
    TAG,
    DcimObject,
    Ref,
    Thing,
    Value,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.dcim.index import RunIndex

SCOPE = Scope("lab", "site-0", None, ("10.0.0.0/16",))


def thing(kind: str, key: str, **values: Value) -> Thing:
    """A thing whose name is the end of its key."""
    return Thing(kind, key, key.rpartition("/")[2], values)


def shared() -> Iterator[Thing]:
    """Yield the things that must be there first."""
    maker = Ref("manufacturer", "NVIDIA")
    yield thing("tag", TAG, name=TAG)
    yield thing("field", FIELD, name=FIELD)
    yield thing("location", "site-0", name="site-0")
    yield thing("rir", "RFC 6996", name="RFC 6996")
    yield thing("vlan_group", "lab front-end", name="lab front-end")
    yield thing("manufacturer", "NVIDIA", name="NVIDIA")
    yield thing("platform", "Cumulus Linux", name="Cumulus Linux", manufacturer=maker)
    yield thing("role", "leaf", name="leaf")
    yield thing("device_type", "SN5600", name="SN5600", manufacturer=maker, height=2)


def devices(fabric: str = "lab") -> Iterator[Thing]:
    """Two leaves in one rack."""
    for at, name in enumerate(("leaf-1", "leaf-2")):
        yield thing(
            "device",
            f"{fabric}/{name}",
            name=name,
            location=Ref("location", "site-0"),
            role=Ref("role", "leaf"),
            device_type=Ref("device_type", "SN5600"),
            platform=Ref("platform", "Cumulus Linux"),
            rack=Ref("rack", f"{fabric}/rack-1"),
            unit=1 + 2 * at,
            face="front",
            serial=f"S{at}",
            status="active",
        )


def interface(device: str, name: str, **values: Value) -> Thing:
    """An interface of 800 Gbit/s."""
    given = {"type": "800gbase-x-osfp", "enabled": True, "mtu": 9216, "management": False, **values}
    return thing("interface", f"{device}/{name}", device=Ref("device", device), name=name, **given)


def things() -> Iterator[Thing]:
    """The fabric: what is shared, then two leaves with two cables."""
    yield from shared()
    tenant, vrf = Ref("tenant", "lab/blue"), Ref("vrf", "lab/blue")
    yield thing("rack", "lab/rack-1", name="rack-1", location=Ref("location", "site-0"))
    yield thing("tenant", "lab/blue", name="blue", description="the first")
    target = Ref("route_target", "lab/64512:1")
    yield thing("route_target", target.key, name="64512:1")
    yield thing(
        *("vrf", "lab/blue"),
        name="blue",
        rd="64512:7",
        tenant=tenant,
        imports=(target,),
        exports=(target,),
        description="",
    )  # fmt: skip
    yield thing("asn", "lab/4200000001", asn=4200000001, rir=Ref("rir", "RFC 6996"))
    group, vlan = Ref("vlan_group", "lab front-end"), Ref("vlan", "lab/vlan/t21-blue")
    for name, number in (("t21-blue", 21), ("s21-blue", 2021)):
        row = {"vlan_group": group, "vid": number, "name": name, "tenant": tenant}
        yield thing("vlan", f"lab/vlan/{name}", **row, description="")
    yield thing(
        *("prefix", "lab/vlan/t21-blue"), prefix="10.0.21.0/24", vrf=vrf, tenant=tenant, vlan=vlan
    )
    yield thing("prefix", "lab/net", prefix="10.0.0.0/16", vrf=vrf, tenant=tenant, container=True)
    yield from devices()
    for device in ("lab/leaf-1", "lab/leaf-2"):
        yield interface(device, "eth0", management=True, type="1000base-t", role="", mac="")
        for port in ("swp1", "swp2"):
            yield interface(device, port, vrf=vrf, role="uplink", description="up")
    yield from _bond("lab/leaf-1", vlan)
    yield from _addresses(vrf)
    for port, status in (("swp1", "connected"), ("swp2", "wrong")):
        ends = tuple(Ref("interface", f"lab/leaf-{n}/{port}") for n in (1, 2))
        yield thing("cable", f"lab/leaf-1/{port}", ends=ends, status=status, type="dac-passive")
    for n in (1, 2):
        device, address = Ref("device", f"lab/leaf-{n}"), Ref("address", f"lab/leaf-{n}/eth0")
        yield thing("primary", device.key, device=device, address=address)


def _bond(device: str, vlan: Ref) -> Iterator[Thing]:
    """A bond with its member first: it cannot be made before the bond is there."""
    tagged = (Ref("vlan", "lab/vlan/s21-blue"),)
    lag = Ref("interface", f"{device}/bond3")
    no_vlan: dict[str, Value] = {"mode": "", "untagged_vlan": "", "tagged_vlans": ()}
    yield interface(device, "swp3", role="downlink", lag=lag, **no_vlan)
    vlans: dict[str, Value] = {"mode": "tagged", "untagged_vlan": vlan, "tagged_vlans": tagged}
    yield interface(device, "bond3", type="lag", role="downlink", **vlans)


def bad() -> Iterator[Thing]:
    """Interfaces of which one is good."""
    device = Ref("device", "lab/leaf-1")
    yield interface("lab/leaf-1", "odd", type="nonsense")
    yield interface("lab/leaf-1", "good")
    yield thing("interface", "lab/leaf-1/twin", device=device, name="swp1", type="virtual")
    yield interface("lab/leaf-9", "gone")


def _addresses(vrf: Ref) -> Iterator[Thing]:
    for n in (1, 2):
        yield thing(
            *("address", f"lab/leaf-{n}/eth0"),
            address=f"10.0.0.{n}/24",
            vrf="",
            status="active",
            role="",
            dns_name=f"leaf-{n}.example.com",
            interfaces=(Ref("interface", f"lab/leaf-{n}/eth0"),),
        )  # fmt: skip
    ends = tuple(Ref("interface", f"lab/leaf-{n}/swp1") for n in (1, 2))
    yield thing(
        *("address", "lab/anycast"),
        address="10.0.9.1/32",
        vrf=vrf,
        status="active",
        role="anycast",
        interfaces=ends,
    )  # fmt: skip


def push(
    dcim: Dcim, index: RunIndex, wanted: Sequence[Thing]
) -> tuple[list[WriteResult], list[DcimObject]]:
    """Create what is not there, kind by kind; what was written, and what was there and differs."""
    done: list[WriteResult] = []
    differs: list[DcimObject] = []
    for kind in dcim.kinds:
        ours = [dcim.fit(each) for each in wanted if each.kind == kind]
        found = {each.key: each for each in dcim.read(kind, SCOPE, index)}
        done += dcim.create(kind, [each for each in ours if each.key not in found], index)
        differs += [
            found[each.key]
            for each in ours
            if each.key in found and not _same(each.values, found[each.key])
        ]
    return done, differs


def _same(values: object, found: DcimObject) -> bool:
    assert isinstance(values, dict)
    known = {field: value for field, value in values.items() if value is not None}
    return known == {field: found.values.get(field) for field in known}
