# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The typed description of a fabric (`fabric.yml`): what a person states, nothing computed.

name: h200-2048
release: {ra: "2.1", cumulus: "5.16.1"}
switches: {model: SN5600, host_speed: 400G, fabric_speed: 400G}
nics: {model: BlueField-3}
rails: 8
tiers: 2
capacity: {sus_per_pod: 4, slots_per_su: 64, nodes_per_rack: 4}
addressing: {profile: nvidia-guide-v4-2tier}
"""

from __future__ import annotations

import datetime
import re
import typing as t

from . import endpoints
from ._third_party import pydantic
from .base import SLUG, Address, Field, PciCard, PciPort, Slug, Speed, Strict
from .networks import Networks
from .oob import URL, Oob

ROLES_THAT_WRITE = (
    "switch_bootstrap",
    "switch_base",
    "switch_underlay",
    "switch_roce",
    "switch_adaptive_routing",
    "switch_tenants",
    "dpu_doca",
    "dpu_firmware",
    "dpu_nvconfig",
    "dpu_qos",
    "dpu_congestion_control",
    "dpu_interfaces",
    "dpu_mode",
)
PLAYBOOKS = {
    "provision": ("switch_", "dpu_"),
    "dpus": ("dpu_",),
    **dict.fromkeys(("switches", "switch_replace", "maintenance", "upgrade"), ("switch_",)),
    **dict.fromkeys(
        ("tenant_onboard", "tenant_move", "tenant_resize", "tenant_offboard"), ("switch_tenants",)
    ),
}
"""Prefixes of the roles that write in a playbook."""

MOST_SLOTS = 256
"""Node slots of an SU."""
MOST_SUS = 1024
"""SUs of a pod."""
MOST_RAILS = 8
"""NICs of a node on one fabric."""
PlaneCount = t.Literal[1, 2, 4, 8]
_RELEASE = r"^[0-9]+\.[0-9]+(\.[0-9]+){0,2}$"
_WORDS = r"\S"
_SHA256 = r"^[0-9a-f]{64}$"
_BUILD = r"^[0-9A-Za-z][0-9A-Za-z._+-]{0,63}$"
_RA = r"^[0-9]+\.[0-9]+(\.[0-9]+)?$"
_DAY = r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
WORD = r"^[a-z][a-z0-9-]*$"
VRF_NAME = r"^[A-Za-z][A-Za-z0-9_-]*$"
NO_BLANK = r"^\S+$"
PATTERNS = {
    SLUG: "1 to 31 lower-case letters, digits and hyphens, a letter first",
    _RELEASE: "a release such as 5.16.1",
    _RA: "a release such as '2.1'",
    _DAY: "a day such as 2026-01-31",
    endpoints.DOMAIN: "a DNS domain such as fabric.example",
    WORD: "lower-case letters, digits and hyphens, a letter first",
    VRF_NAME: "letters, digits, hyphens and underscores, a letter first",
    NO_BLANK: "text without blanks",
    URL: "a URL such as http://192.0.2.1/ztp, without a slash at its end",
    _WORDS: "some words",
    _SHA256: "64 hexadecimal digits in small letters",
    _BUILD: "a build-id such as 5.16.7.0011",
}
"""Allowed values of each pattern of the description and of the registry, in words."""


def _on_the_calendar(text: str) -> str:
    """A day that exists: 2026-02-30 has the form of one."""
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        raise ValueError("a day of the calendar such as 2026-01-31") from None
    return text


Release = t.Annotated[str, Field(pattern=_RELEASE)]
Day = t.Annotated[str, Field(pattern=_DAY), pydantic.AfterValidator(_on_the_calendar)]
Domain = t.Annotated[str, Field(pattern=endpoints.DOMAIN)]
NicModel = t.Literal["BlueField-3", "ConnectX-7", "ConnectX-8", "ConnectX-9"]
Host = t.Annotated[str, pydantic.AfterValidator(endpoints.host)]
Endpoint = t.Annotated[str, pydantic.AfterValidator(endpoints.endpoint)]


def _instant(text: str) -> str:
    """A moment that means the same everywhere: one without an offset is another one elsewhere."""
    try:
        if datetime.datetime.fromisoformat(text).tzinfo is not None:
            return text
    except ValueError:
        pass
    raise ValueError("a moment with its offset from UTC, such as 2026-12-31T02:00+01:00")


Instant = t.Annotated[str, pydantic.AfterValidator(_instant)]


class WorkWindow(Strict):
    """An agreed time in which rails may stop."""

    where: t.Annotated[list[str], Field(min_length=1)] = Field(
        description="Places, switches and tenants, in the words of spx_where."
    )
    from_: Instant = Field(alias="from", description="Begin, such as 2026-12-31T02:00+01:00.")
    until: Instant = Field(description="End, in the same form.")
    reason: t.Annotated[str, Field(pattern=_WORDS)] = Field(
        description="Ticket or agreement; plans quote it."
    )


def _url(text: str) -> str:
    """The address of a service, without credentials, query and fragment."""
    scheme, _sep, rest = text.partition("://")
    where = rest.partition("/")[0]
    try:
        endpoints.endpoint(where)
    except ValueError:
        where = ""
    if scheme not in ("http", "https") or not where or set("?#@ ") & set(rest):
        raise ValueError("a URL such as https://prometheus.example:9090, without credentials")
    return text.rstrip("/")


Url = t.Annotated[str, pydantic.AfterValidator(_url)]


class SwitchImage(Strict):
    """An image of Cumulus Linux that playbook upgrade installs."""

    url: Url = Field(
        description="URL from which switches fetch the image, and the controller too, for its hash."
    )
    sha256: t.Annotated[str, Field(pattern=_SHA256)] = Field(
        description="SHA-256 of the image file, 64 hexadecimal digits in small letters."
    )
    build: t.Annotated[str, Field(pattern=_BUILD)] = Field(
        description="build-id that the partition shows once the image is installed."
    )


class Releases(Strict):
    """Validated set that the fabric runs."""

    ra: t.Annotated[str, Field(pattern=_RA)] = Field(
        description="Spectrum-X reference architecture release, such as '2.1' or '2.1.2'."
    )
    cumulus: Release = Field(description="Cumulus Linux release of the switches, such as '5.16.1'.")
    images: dict[Release, SwitchImage] = Field(
        default_factory=dict, description="Images of playbook upgrade, by release."
    )


class Switches(Strict):
    """The switch model and how its cages are used."""

    model: str = Field(description="Model as in the catalog, such as SN5600.")
    host_speed: Speed = Field(description="Speed of a port towards a NIC.")
    fabric_speed: Speed = Field(description="Speed of a port between switches.")
    usable_ports: t.Annotated[int, Field(ge=2, le=1024)] | None = Field(
        default=None,
        description="Ports at host speed that may be used, first cages first; all by default.",
    )
    cable_length: t.Annotated[int, Field(ge=1, le=2000)] = Field(
        default=100,
        description="Longest cable in metres; keys the PFC constants. Where stated, it is also cable-length of the "
        "PFC profiles.",
    )


class NicsOfPlace(Strict):
    """Nodes of another kind: what a key leaves out is as in the next wider place, else as in the whole fabric."""

    place: str = Field(
        description="An SU, a rack or a node: su02, su02/rack03, su02/[01-16], or the name of a node."
    )
    model: NicModel | None = Field(default=None, description="NIC model of these nodes.")
    pci: list[PciCard] = Field(
        default_factory=list, description="PCI address of each rail's NIC on these nodes."
    )
    front_end_pci: list[PciPort] = Field(
        default_factory=list, description="networks.front_end.pci of these nodes."
    )
    storage_pci: list[PciPort] = Field(
        default_factory=list, description="networks.storage.pci of these nodes."
    )


class Nics(Strict):
    """The SuperNIC of every rail."""

    model: NicModel = Field(description="NIC model of the east-west rails.")
    mode: t.Literal["nic", "dpu"] = Field(
        default="nic", description="BlueField mode: nic (SuperNIC) or dpu."
    )
    rdma_names: t.Literal["kept", "nvidia"] = Field(
        default="kept",
        description="Names of RDMA devices: kept as they are, or roce_r0 (roce_r0_p0 with planes of their own).",
    )
    pci: list[PciCard] = Field(
        default_factory=list,
        description="PCI address of each rail's NIC (function 0), such as 0000:18:00.0, in rail order.",
    )
    places: list[NicsOfPlace] = Field(
        default_factory=list, description="Nodes with other NICs, or with NICs in other slots."
    )

    @property
    def models(self) -> list[str]:
        """The NIC models of all nodes, each once."""
        return list(dict.fromkeys((self.model, *(row.model or self.model for row in self.places))))


class Planes(Strict):
    """Parallel, independent fabrics, and how NICs meet them."""

    count: PlaneCount = Field(default=1, description="Number of planes.")
    mode: t.Literal["split", "by-rail"] = Field(
        default="split",
        description="split: every NIC has a port in each plane; by-rail: rail r lives in plane r.",
    )
    balancing: t.Literal["none", "swplb", "hwplb"] = Field(
        default="none", description="Balancer of split planes: NIC software or NIC hardware."
    )

    @property
    def of_nic(self) -> tuple[str, int]:
        """The mode and the planes of one NIC, as its parameter sets count them."""
        if self.count == 1 or self.mode == "by-rail":
            return "none", 1
        return ("uniplane" if self.balancing == "none" else self.balancing), self.count


class Wiring(Strict):
    """Cabling between the NICs of a node and the leaves of its SU."""

    mode: t.Literal["rail-optimised", "top-of-rack"] = Field(
        default="rail-optimised", description="Rail r to the rail-r leaf, or all rails to one leaf."
    )
    rails_per_leaf: t.Annotated[int, Field(ge=1, le=8)] = Field(
        default=1, description="Rails that share a leaf when rail-optimised."
    )


class Capacity(Strict):
    """The final size, from which cable maps, spine counts and address fields follow for ever."""

    pods: t.Annotated[int, Field(ge=1, le=999)] = Field(
        default=1, description="Final number of pods."
    )
    sus_per_pod: t.Annotated[int, Field(ge=1, le=MOST_SUS)] = Field(
        description="Final SUs in a pod."
    )
    slots_per_su: t.Annotated[int, Field(ge=1, le=MOST_SLOTS)] = Field(
        description="Node slots in an SU."
    )
    nodes_per_rack: t.Annotated[int, Field(ge=1, le=256)] = Field(
        description="Node slots that fill a rack; racks are numbered within the SU."
    )


class FieldOfProfile(Strict):
    """One field of a custom address profile."""

    name: t.Literal["plane", "rail", "pod", "su", "slot", "side", "pad"] = Field(
        description="Coordinate that the field holds; pad holds none."
    )
    width: t.Annotated[int, Field(ge=1, le=64)] = Field(description="Bits of the field.")
    max: int | None = Field(default=None, description="Highest value that the field may have.")
    value: int | None = Field(
        default=None, description="Fixed value of the field; a pad has 0 by default."
    )
    values: dict[t.Literal["host", "leaf"], int] | None = Field(
        default=None, description="Values of side: that of the host and that of the leaf."
    )


class CustomProfile(Strict):
    """A site's own bit layout, most significant field first."""

    base: str = Field(description="Prefix in which the addresses of host links lie.")
    fields: t.Annotated[list[FieldOfProfile], Field(min_length=2)]
    link_length: t.Annotated[int, Field(ge=1, le=128)] = Field(
        description="Prefix length of the link between a NIC port and its leaf."
    )


class Addressing(Strict):
    """Profile that turns coordinates into addresses."""

    profile: str = Field(
        description="Address profile; 'plan -e spx_suggest=true' lists those that fit."
    )
    first_octet: t.Annotated[int, Field(ge=1, le=223)] | None = Field(
        default=None, description="First octet of NVIDIA's IPv4 layouts, if not theirs."
    )
    base: str | None = Field(
        default=None, description="Base prefix of dense-v4, such as 100.64.0.0/10."
    )
    custom: CustomProfile | None = Field(default=None, description="Layout of profile custom.")
    table: str | None = Field(
        default=None,
        description="CSV with columns place,host,leaf of profile table, beside this file.",
    )
    pools: dict[str, str] = Field(
        default_factory=dict,
        description="Infrastructure blocks that replace those of the profile; a longer prefix fits the capacity.",
    )
    asn_base: (
        t.Annotated[int, Field(ge=4_200_000_000, le=4_249_000_000, multiple_of=1_000_000)] | None
    ) = Field(
        default=None,
        description="First AS number of the scheme, in whole millions; 4200000000 by default.",
    )
    p2p127: bool = Field(default=False, description="IPv6 host links as /127 instead of /64.")
    inter_switch: t.Literal["unnumbered", "numbered-31", "numbered-127"] = Field(
        default="unnumbered", description="Addressing of links between switches."
    )
    routed_ports: t.Literal["numbered-31", "numbered-127"] = Field(
        default="numbered-31",
        description="Addressing of the links of nodes where front end or storage is routed.",
    )


class Naming(Strict):
    """Name templates with one-based fields, such as leaf-p{plane}-pod{pod:02}-su{su:03}-r{rail}."""

    leaf: str | None = Field(default=None, description="Name template of leaves.")
    spine: str | None = Field(default=None, description="Name template of spines.")
    super_spine: str | None = Field(default=None, description="Name template of super-spines.")
    node: str | None = Field(default=None, description="Name template of nodes.")
    front_end_leaf: str | None = Field(
        default=None, description="Name template of front-end leaves."
    )
    storage_leaf: str | None = Field(default=None, description="Name template of storage leaves.")
    border_leaf: str | None = Field(default=None, description="Name template of border leaves.")
    oob_leaf: str | None = Field(default=None, description="Name template of out-of-band leaves.")
    oob_spine: str | None = Field(default=None, description="Name template of out-of-band spines.")
    converged_spine: str | None = Field(
        default=None, description="Name template of converged spines."
    )
    converged_core: str | None = Field(
        default=None, description="Name template of the pair that has all networks."
    )


class Management(Strict):
    """The out-of-band network's services."""

    domain: Domain | None = Field(default=None, description="DNS domain of the devices.")
    ntp: list[Host] = Field(default_factory=list, description="NTP servers, addresses or names.")
    dns: list[Address] = Field(default_factory=list, description="DNS servers, addresses.")
    syslog: list[Endpoint] = Field(
        default_factory=list, description="Syslog servers, host or host:port (514)."
    )
    telemetry: list[Endpoint] = Field(
        default_factory=list, description="OTLP collectors, host or host:port (8443)."
    )


class Monitoring(Strict):
    """Prometheus and Alertmanager of the site."""

    prometheus: Url | None = Field(
        default=None, description="URL of Prometheus, which playbook slow_job asks."
    )
    alertmanager: Url | None = Field(
        default=None,
        description="URL of Alertmanager, in which playbooks silence what work on a switch causes.",
    )
    textfile: str | None = Field(
        default=None,
        description="Folder of the textfile collector of node_exporter on the controller, absolute or beside this "
        "file; what changes with tenants and checks is written there.",
    )
    most_series: t.Annotated[int, Field(ge=1000)] = Field(
        default=2_000_000,
        description="Series from switches above which plan refuses to write files for one Prometheus.",
    )


class NameServer(Strict):
    """A name server of the fabric's zones."""

    name: Domain = Field(description="Host name of the server.")
    address: Address | None = Field(
        default=None, description="Address of the server; needed where its name is in the domain."
    )


def _mailbox(text: str) -> str:
    """An e-mail address of plain characters."""
    who, at, where = text.partition("@")
    if not (
        at and re.fullmatch(r"[A-Za-z0-9._+-]{1,64}", who) and re.fullmatch(endpoints.DOMAIN, where)
    ):
        raise ValueError("an e-mail address such as hostmaster@fabric.example")
    return text


class Zones(Strict):
    """The DNS zones that the export dns writes."""

    name_servers: list[NameServer] = Field(
        default_factory=list,
        description="Name servers of the zones, the primary first; one on this machine by default.",
    )
    hostmaster: t.Annotated[str, pydantic.AfterValidator(_mailbox)] | None = Field(
        default=None,
        description="E-mail address of the SOA records; hostmaster at the domain by default.",
    )
    ttl: t.Annotated[int, Field(ge=60, le=604800)] = Field(
        default=3600, description="Time to live of all records in seconds."
    )
    serial: t.Annotated[int, Field(ge=1, le=4294967295)] = Field(
        default=1, description="Least serial of a zone; it grows with each change of the zone."
    )


class SwappedPorts(Strict):
    """Two ports of one device whose cables are exchanged at the site, and recorded as such."""

    device: str = Field(description="Name of the device.")
    ports: t.Annotated[list[str], Field(min_length=2, max_length=2)] = Field(
        description="Its two ports, such as swp1s0 and swp1s1."
    )


class OutOfService(Strict):
    """A device or port that is known to be down."""

    device: str = Field(description="Name of the device.")
    port: str | None = Field(
        default=None, description="Its port; the whole device where none is stated."
    )
    since: Day = Field(description="Day from which it is down.")
    until: Day | None = Field(default=None, description="Day by which it is expected back.")
    reason: str = Field(description="Reason that it is down; reports quote it.")


class Qos(Strict):
    """Lossless classes of the switches; the constants come from the catalog."""

    lossless_percent: t.Annotated[int, Field(ge=1, le=99)] = Field(
        default=90, description="Share of the buffer for RoCE, percent."
    )
    lossy_percent: t.Annotated[int, Field(ge=1, le=99)] = Field(
        default=10, description="Share of the buffer for everything else, percent."
    )
    pfc_watchdog: bool = Field(default=True, description="PFC watchdog on every front port.")


class Routing(Strict):
    """Choices of the control plane."""

    evpn: t.Literal["links", "loopbacks"] = Field(
        default="links", description="EVPN on the link sessions or between loopbacks."
    )
    restart: t.Literal["standard", "issu", "bfd", "templates"] = Field(
        default="standard",
        description="standard: graceful restart helper only, BFD off; issu: graceful restart full, "
        "resource mode half on leaves; bfd: BFD on every session, graceful restart helper only; "
        "templates: both, as NVIDIA's templates have it.",
    )
    prefix_limit: t.Literal["warning", "hard"] = Field(
        default="warning",
        description="Reaction to more routes than the plan can have: log them, or end the session.",
    )
    rt_asn: t.Annotated[int, Field(ge=1, le=65535)] | None = Field(
        default=None, description="Administrator of route targets; 64512 + site by default."
    )
    adaptive_routing: bool = Field(default=True, description="Adaptive routing on fabric ports.")


def _reason(text: str) -> str:
    """A reason is words, not blanks."""
    if not text.strip():
        raise ValueError(
            'a reason in words, such as "the image service erases every node it installs"'
        )
    return text


Reason = t.Annotated[str, pydantic.AfterValidator(_reason)]


class Wipe(Strict):
    """Work of the site elsewhere on nodes between two customers."""

    nic_elsewhere: Reason = Field(
        description="Check of its cards' firmware and settings before its next customer, in words, where tenant "
        "playbooks do not read them after the wipe; plans, reports and hand-over files quote it."
    )
    elsewhere: Reason | None = Field(
        default=None,
        description="Wipe of a node before its next customer, in words: by whom and how, where the site "
        "has no hook wipe.",
    )


def _stated(value: object) -> object:
    """A key without a value states nothing."""
    if value is None:
        raise ValueError('a mapping such as {nic_elsewhere: "reason"}')
    return value


Medium = t.Literal["dac", "acc", "multimode", "single-mode"]
Metres = t.Annotated[float, Field(ge=0, le=100)]
Units = t.Annotated[int, Field(ge=1, le=100)]
Kilowatts = t.Annotated[float, Field(ge=0, le=1000)]
Kind = t.Literal[
    "node",
    "leaf",
    "spine",
    "super_spine",
    "border_leaf",
    "storage_leaf",
    "front_end_leaf",
    "converged_spine",
    "converged_core",
    "oob_spine",
    "oob_leaf",
]
"""Device roles, as `catalog/roles.yaml` has them."""


class Cabling(Strict):
    """Places of racks, routes of cables between them, and their media; for hand-over documents."""

    racks: str | None = Field(
        default=None,
        description="CSV with columns rack,row,position,units,kw, beside this file; cable lengths need it.",
    )
    power: dict[Kind, Kilowatts] = Field(
        default_factory=dict,
        description="Kilowatts of a device of each kind, such as {node: 10.2, leaf: 1.5}; a rack whose devices in "
        "devices.csv take more than its kw is refused.",
    )
    rack_pitch: Metres | None = Field(
        default=None, description="Metres from a rack to the next of its row; 0.6 by default."
    )
    row_pitch: Metres | None = Field(
        default=None, description="Metres from a row to the next; 3 by default."
    )
    tray: Metres | None = Field(
        default=None,
        description="Metres from the top unit of a rack up to the cable tray; 0.5 by default.",
    )
    slack: Metres | None = Field(
        default=None, description="Spare metres at each end of a cable; 0.5 by default."
    )
    rack_units: Units | None = Field(
        default=None, description="Units of a rack that racks.csv gives none; 48 by default."
    )
    switch_units: Units | None = Field(
        default=None, description="Height of a switch in units, for the rack elevations."
    )
    node_units: Units | None = Field(
        default=None, description="Height of a node in units, for the rack elevations."
    )
    host: Medium | None = Field(
        default=None, description="Medium of host links; by length where nothing is stated."
    )
    fabric: Medium | None = Field(
        default=None,
        description="Medium of links between switches; by length where nothing is stated.",
    )


class Description(Strict):
    """The whole of `fabric.yml`."""

    name: Slug = Field(
        description="Name of the fabric, unique among the fabrics of an organisation."
    )
    site: t.Annotated[int, Field(ge=0, le=255)] = Field(default=0, description="Site number.")
    release: Releases
    switches: Switches
    nics: Nics
    planes: Planes = Planes()
    rails: t.Annotated[int, Field(ge=1, le=MOST_RAILS)] = Field(
        description="NICs of a node on this fabric."
    )
    wiring: Wiring = Wiring()
    tiers: t.Literal[2, 3] = Field(description="2: leaf and spine; 3: pods joined by super-spines.")
    capacity: Capacity
    absent: list[str] = Field(
        default_factory=list, description="Places of the capacity that are not built yet."
    )
    addressing: Addressing
    naming: Naming = Naming()
    management: Management = Management()
    monitoring: Monitoring | None = Field(
        default=None,
        description="Prometheus and Alertmanager of the site; with this key, even an empty one, plan writes the "
        "export monitoring.",
    )
    zones: Zones = Zones()
    manage: list[str] = Field(
        default_factory=list, description="Roles that may write to devices; none by default."
    )
    unmanaged: list[str] = Field(
        default_factory=list, description="NVUE path globs that are never changed."
    )
    accept_releases: list[Release] = Field(
        default_factory=list, description="Further Cumulus releases that switches may run."
    )
    out_of_service: list[OutOfService] = Field(default_factory=list)
    windows: list[WorkWindow] = Field(default_factory=list)
    devices: str | None = Field(
        default=None,
        description="CSV with a site's own names, serials and addresses, beside this file.",
    )
    cabling: Cabling = Cabling()
    swapped_ports: list[SwappedPorts] = Field(default_factory=list)
    uplinks: str | None = Field(
        default=None,
        description="CSV with both ends of the cables between switches, beside this file, where a site has cabled them "
        "differently.",
    )
    site_profiles: list[str] = Field(
        default_factory=list, description="Files with RA profiles of the site, beside this file."
    )
    networks: Networks | None = Field(
        default=None,
        description="Front end, storage and border, on switches of their own beside the east-west fabric.",
    )
    oob: Oob | None = Field(
        default=None,
        description="The out-of-band network: its switches, cables and addresses; not planned by default.",
    )
    qos: Qos = Qos()
    routing: Routing = Routing()
    acceptance_level: t.Literal["pairs", "rails"] | None = Field(
        default=None,
        description="Level of playbook performance that tenant_move runs for each node on its way to rest, in place of "
        "the hook acceptance.",
    )
    wipe: t.Annotated[Wipe | None, pydantic.BeforeValidator(_stated)] = Field(
        default=None,
        description="Statement that nodes are wiped between customers without a hook wipe, and how; without this "
        "key and the hook no node goes from one customer to another.",
    )

    def of_places(self, rows: t.Iterable[NicsOfPlace]) -> Description:
        """The description as nodes have it that are in some places, the widest first."""
        made = self
        for row in rows:
            own: dict[str, t.Any] = {"model": row.model, "pci": row.pci}
            nics = made.nics.model_copy(update={key: own[key] for key in own if own[key]})
            changed: dict[str, t.Any] = {"nics": nics}
            net, parts = made.networks, {"front_end": row.front_end_pci, "storage": row.storage_pci}
            stated = {key: addresses for key, addresses in parts.items() if addresses}
            if net:
                ports = {
                    key: part.model_copy(update={"pci": addresses})
                    for key, addresses in stated.items()
                    if (part := getattr(net, key))
                }
                changed["networks"] = net.model_copy(update=ports)
            made = made.model_copy(update=changed)
        return made

    @property
    def models(self) -> list[str]:
        """The switch models of the fabric and of its other networks, each once."""
        others = self.networks.switches.model if self.networks else None
        return list(dict.fromkeys((self.switches.model, others or self.switches.model)))

    @property
    def oob_models(self) -> dict[str, str]:
        """The switch models of the out-of-band network by role."""
        own = {"oob_leaf": self.oob.model, "oob_spine": self.oob.spine_model} if self.oob else {}
        return own if self.oob and self.oob.uplinks == "spine" else dict(list(own.items())[:1])

    @property
    def releases(self) -> list[str]:
        """The releases of Cumulus Linux that switches may run, each once."""
        return list(dict.fromkeys((self.release.cumulus, *self.accept_releases)))


ASCII = re.compile(r"[\x20-\x7e]*")
MOST_CHARACTERS = 500
"""Limit of any text of the description."""
