# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameter and version sets of the Spectrum-X reference architecture releases.

`load_profile` turns rules of `ra_profiles.yaml` (or of a site's file in the same schema) into the
plain part of one NIC's desired state; `version_set` gives the versions validated together.

    load_profile("2.1", "a2dc", "none")["nic"]["nvconfig"]["NUM_OF_VFS"]  ->  1
"""

from __future__ import annotations

import functools
import re
import typing as t
from pathlib import Path

from ....module_utils._json import Doc
from ..description import yaml_source
from ..description._third_party import yaml
from ..description.errors import FabricError
from .data import table

if t.TYPE_CHECKING:
    from collections.abc import Iterable

SECTIONS = ("nvconfig", "qos", "accl", "dcqcn", "cc")
SINGLE = ("max_read_request", "inter_packet_gap")
"""Sections of which the last rule counts; of the others all rules apply, one over the other."""


class Combination(t.TypedDict):
    """Devices, modes and planes of a published set."""

    device: list[str]
    mode: list[str]
    planes: list[int]


class Rule(t.TypedDict, total=False):
    """Values by section, which count for some devices, plane modes and plane counts."""

    when: dict[str, list[object]]
    nvconfig: Doc
    qos: Doc
    accl: Doc
    dcqcn: Doc
    cc: Doc
    max_read_request: int
    inter_packet_gap: dict[str, int]
    source: str
    remark: str


class Release(t.TypedDict):
    """A parameter set."""

    combinations: list[Combination]
    rules: list[Rule]
    status: t.NotRequired[str]
    cc_package: t.NotRequired[str]
    source: t.NotRequired[str]


class Profiles(t.TypedDict):
    """The shipped parameter sets, with a site's own."""

    devices: dict[str, dict[str, str]]
    aliases: dict[str, str]
    not_public: dict[str, str]
    remarks: dict[str, dict[str, str]]
    sources: dict[str, str]
    order: list[str]
    resets: dict[str, str]
    required: dict[str, list[str]]
    releases: dict[str, Release]


class Sets(t.TypedDict):
    """The validated version sets, with a site's own."""

    aliases: dict[str, str]
    components: dict[str, str]
    sets: dict[str, dict[str, object]]


class RocePart(t.TypedDict):
    """RoCE of a card's ports; `max_read_request` in bytes."""

    accl: Doc
    dcqcn: Doc
    cc: Doc
    max_read_request: int | None
    inter_packet_gap: int | None


class NicPart(t.TypedDict):
    """Settings of a parameter set for a card."""

    device: str
    multiplane: str
    planes: int
    nvconfig: Doc
    required: list[str]
    qos: Doc
    roce: RocePart


class Profile(t.TypedDict):
    """The parameter set of a release, device and plane mode."""

    ra: str
    profile: str
    status: str
    cc_package: str | None
    order: list[str]
    resets: dict[str, str]
    sources: list[str]
    nic: NicPart


class VersionSet(t.TypedDict):
    """Accepted versions by component; [] where none is published."""

    id: str
    source: str
    versions: dict[str, list[str]]


def load_profile(
    ra: object,
    device: str,
    mode: str,
    site_file: str | None = None,
    *,
    planes: int = 1,
    overlay: bool = False,
) -> Profile:
    """The parameter set of RA `ra` for PCI device id `device` in plane mode `mode`.

    `overlay` picks the inter-packet gap for an EVPN overlay. Returns plain data: `nic` (to be
    merged into one entry of a host's NIC list) beside `ra`, `profile`, `status`, `cc_package`,
    `order`, `resets` and `sources`. Raises FabricError with one sentence when no set is known.
    """
    data = _profiles(site_file)
    key = data["aliases"].get(str(ra), str(ra))
    release = data["releases"].get(key) or _refuse_release(data, ra, key)
    _check_combination(data, release, key, device=device, mode=mode, planes=planes)
    rules = [r for r in release["rules"] if _counts(r.get("when", {}), device, mode, planes)]
    return {
        "ra": version_id(ra, site_file) or str(ra),
        "profile": key,
        "status": release.get("status", "site"),
        "cc_package": release.get("cc_package"),
        "order": list(data["order"]),
        "resets": dict(data["resets"]),
        "sources": _sources(data, release, rules),
        "nic": _nic(data, rules, device=device, mode=mode, planes=planes, overlay=overlay),
    }


def version_id(ra: object, site_file: str | None = None) -> str | None:
    """`2.1` -> `2.1.2`: the validated set that a release means; None when none is public."""
    data = _sets(site_file)
    name = data["aliases"].get(str(ra), str(ra))
    return str(name) if name in data["sets"] else None


def version_set(
    ra: object, site_file: str | None = None, *, platform: str | None = None
) -> VersionSet:
    """Component -> list of accepted versions ([] = not published), plus `id` and `source`."""
    data = _sets(site_file)
    name = version_id(ra, site_file)
    if name is None:
        raise FabricError.of(
            f"ra {ra}: no validated version set is public for it; public are "
            f"{', '.join(data['sets'])}: name one of them, or give a site file with 'sets'."
        )
    entry = data["sets"][name]
    versions = {key: _accepted(entry.get(key), platform) for key in data["components"]}
    return {"id": name, "source": str(entry["source"]), "versions": versions}


def remark_of(ra: object) -> str:
    """Return the sentence about a release besides its values, with its source; mostly none."""
    data: Profiles = table("ra_profiles")
    row = data["remarks"].get(data["aliases"].get(str(ra), str(ra)))
    return f"{row['remark']} ({row['source']})" if row else ""


def of_version(found: str, version: str) -> bool:
    """Check whether an installed version is of a validated one: `3.3.0109-1` and `3.3.0-088000` are of 3.3.0.

    Builds carry further digits, at least three behind the last number, or what follows -, _ or a dot.
    """
    return re.match(rf"{re.escape(version)}(\d{{3,}})?([-._]|$)", found) is not None


def cumulus_differences(
    ra: object, cumulus: str, site_file: str | None = None, *, accepted: Iterable[str] = ()
) -> list[str]:
    """Reason that a description's Cumulus release is outside the validated set of its RA, for its key.

    [] when it belongs to the set, when it is `accepted` (listed in accept_releases), and where no
    set, or no Cumulus release of it, is public. Either may be the more exact of the two.
    """
    if version_id(ra, site_file) is None:
        return []
    wanted = version_set(ra, site_file)
    known = wanted["versions"]["cumulus"]
    allowed = [*known, *accepted]
    if not known or any(of_version(cumulus, v) or of_version(v, cumulus) for v in allowed):
        return []
    return [
        f"'{cumulus}' is outside the validated set of RA {wanted['id']}, whose switches run Cumulus "
        f"Linux {' or '.join(known)}: use that, or list {cumulus} in accept_releases, too, to mix "
        "versions on purpose."
    ]


def _accepted(entry: object, platform: str | None) -> list[str]:
    if entry is None:
        return []
    if not isinstance(entry, list):
        return [str(entry)]
    fitting = [e for e in entry if platform and platform.lower() in e.get("platforms", ())]
    return [str(e["value"]) for e in fitting or entry]


def _refuse_release(data: Profiles, ra: object, key: str) -> t.NoReturn:
    why = data["not_public"].get(key, "nothing about it is public")
    raise FabricError.of(
        f"ra {ra}: its NIC parameter set is not public ({why}); use one of "
        f"{', '.join(data['releases'])}, or supply your own set in a site profile file."
    )


def _check_combination(
    data: Profiles, release: Release, key: str, *, device: str, mode: str, planes: int
) -> None:
    covered = release["combinations"]
    if any(
        device in row["device"] and mode in row["mode"] and planes in row["planes"]
        for row in covered
    ):
        return
    name = data["devices"].get(device, {}).get("name", "unknown device")
    devices = sorted({d for row in covered for d in row["device"]})
    if device not in devices:
        raise FabricError.of(
            f"ra {key}: the NIC parameter set for device {device} ({name}) is not public, only "
            f"for {', '.join(devices)}; supply your own set in a site profile file."
        )
    raise FabricError.of(
        f"ra {key}: no NIC parameter set for device {device} ({name}) in mode {mode} with "
        f"{planes} plane(s); there are {_combinations(covered, device)}."
    )


def _combinations(covered: Iterable[Combination], device: str) -> str:
    rows = [row for row in covered if device in row["device"]]
    return ", ".join(
        f"{mode} with {' or '.join(map(str, row['planes']))}"
        for row in rows
        for mode in row["mode"]
    )


def _counts(when: t.Mapping[str, list[object]], device: str, mode: str, planes: int) -> bool:
    facts = {"device": device, "mode": mode, "planes": planes}
    return all(facts[key] in allowed for key, allowed in when.items())


def _nic(
    data: Profiles, rules: list[Rule], *, device: str, mode: str, planes: int, overlay: bool
) -> NicPart:
    laid: dict[str, Doc] = {section: {} for section in SECTIONS}
    gap: t.Mapping[str, int] = {}
    request: int | None = None
    for rule in rules:
        values: t.Mapping[str, object] = rule
        for section in SECTIONS:
            laid[section] = _over(laid[section], t.cast("Doc", values.get(section, {})))
        gap = rule.get("inter_packet_gap", gap)
        request = rule.get("max_read_request", request)
    return {
        "device": device,
        "multiplane": mode,
        "planes": planes,
        "nvconfig": laid["nvconfig"],
        "required": [n for n in data["required"]["names"] if n in laid["nvconfig"]],
        "qos": laid["qos"],
        "roce": {
            "accl": laid["accl"],
            "dcqcn": laid["dcqcn"],
            "cc": laid["cc"],
            "max_read_request": request,
            "inter_packet_gap": gap.get("overlay" if overlay else "plain"),
        },
    }


def _over(below: Doc, above: Doc) -> Doc:
    """`above` laid over `below`, dictionaries merged; keys become text, as in JSON."""
    merged = dict(below)
    for raw, value in above.items():
        key = str(raw)
        merged[key] = (
            _over(t.cast("Doc", merged.get(key, {})), value) if isinstance(value, dict) else value
        )
    return merged


def _sources(data: Profiles, release: Release, rules: Iterable[Rule]) -> list[str]:
    names = [release.get("source", "site file"), *(r.get("source", "") for r in rules)]
    texts = [data["sources"].get(name, name) for name in names if name]
    return list(dict.fromkeys(texts))


def _profiles(site_file: str | None) -> Profiles:
    """The shipped parameter sets with a site's own laid over them."""
    shipped: Profiles = table("ra_profiles")
    if not site_file:
        return shipped
    return {**shipped, "releases": {**shipped["releases"], **_site(site_file)["releases"]}}


def _sets(site_file: str | None) -> Sets:
    """The shipped version sets with a site's own laid over them."""
    shipped: Sets = table("version_sets")
    if not site_file:
        return shipped
    return {**shipped, "sets": {**shipped["sets"], **_site(site_file)["sets"]}}


class _SiteFile(t.TypedDict):
    """Additions of a site's file."""

    releases: dict[str, Release]
    sets: dict[str, dict[str, object]]


@functools.lru_cache(maxsize=8)
def _site(path: str) -> _SiteFile:
    try:
        text = Path(path).read_text(encoding="utf-8")
        yaml_source.refuse_depth(text, path)
        data = yaml.safe_load(text)
    except (OSError, ValueError, yaml.YAMLError) as exc:
        reason = str(exc).splitlines()[0]
        raise FabricError.of(f"{path}: the site profile file cannot be read: {reason}.") from exc
    if not isinstance(data, dict) or data.get("schema") != 1:
        raise FabricError.of(f"{path}: a site profile file begins with 'schema: 1'; add it.")
    for key, release in (data.get("releases") or {}).items():
        _check_release(path, str(key), release)
    return {
        "releases": {str(k): v for k, v in (data.get("releases") or {}).items()},
        "sets": {str(k): v for k, v in (data.get("sets") or {}).items()},
    }


def _check_release(path: str, key: str, release: object) -> None:
    where = f"{path}, releases.{key}"
    if not isinstance(release, dict):
        raise FabricError.of(f"{where}: it must be a mapping with combinations and rules.")
    for part in ("combinations", "rules"):
        if not isinstance(release.get(part), list) or not release[part]:
            raise FabricError.of(f"{where}: '{part}' is missing; it is a list of mappings.")
    for row in release["combinations"]:
        missing = {"device", "mode", "planes"} - set(row)
        if missing:
            raise FabricError.of(f"{where}: a combination lacks {', '.join(sorted(missing))}.")
    for rule in release["rules"]:
        extra = set(rule) - {*SECTIONS, *SINGLE, "when", "source", "remark"}
        if extra:
            raise FabricError.of(
                f"{where}: a rule has the unknown key {sorted(extra)[0]}; allowed are "
                f"when, source, {', '.join((*SECTIONS, *SINGLE))}."
            )
