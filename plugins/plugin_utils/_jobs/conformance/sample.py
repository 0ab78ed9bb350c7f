# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents of every kind that this collection sends to a switch, from two small fabrics of its own. Private.

Nothing of the site is in them: the fabrics are the same everywhere, with a few ports each. Between
them they have each feature in each of its forms: routed by IPv4 and by IPv6, unnumbered and numbered, EVPN over links
and over loopbacks, each profile of graceful restart.
"""

from __future__ import annotations

import os
import tempfile
import typing as t

import yaml

from ..._fabric.description.errors import FabricError
from ..._fabric.plan.fabric import Fabric
from ..._fabric.render.switch import compose
from ..._fabric.tenants.registry import Registry

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ....module_utils._json import Doc
    from ..._fabric.render.switch.context import Options

_SPEED = "400G"
_BOTH: Doc = {
    "switches": {
        "model": "SN5600",
        "host_speed": _SPEED,
        "fabric_speed": _SPEED,
        "usable_ports": 4,
    },
    "nics": {"model": "BlueField-3"},
    "rails": 2,
}
_FABRICS: dict[str, Doc] = {
    "plain": {
        **_BOTH,
        "tiers": 2,
        "capacity": {"sus_per_pod": 2, "slots_per_su": 2, "nodes_per_rack": 2},
        "addressing": {"profile": "nvidia-guide-v4-2tier"},
        "routing": {"restart": "templates", "prefix_limit": "hard"},
        "management": {
            "ntp": ["192.0.2.10"],
            "dns": ["192.0.2.53"],
            "syslog": ["192.0.2.20"],
            "telemetry": ["192.0.2.30:4317", "192.0.2.31:4318"],
        },
    },
    "other": {
        **_BOTH,
        "tiers": 3,
        "capacity": {"pods": 2, "sus_per_pod": 1, "slots_per_su": 2, "nodes_per_rack": 2},
        "addressing": {"profile": "nvidia-guide-v6", "inter_switch": "numbered-127"},
        "routing": {"restart": "issu", "evpn": "loopbacks"},
    },
}
_TENANTS: Doc = {
    "tenants": [
        {"id": 21, "slug": "one", "nodes": ["*/*/h01"], "host_access": "managed"},
        {"id": 22, "slug": "two", "nodes": ["*/*/h02"], "host_access": "managed"},
    ]
}
_HASH = "$6$conformance$" + "x" * 86
_SETTINGS: Options = {
    "banner": {"pre-login": "before login", "post-login": "after login"},
    "lldp": {"tx-interval": 5, "tx-hold-multiplier": 24},
    "snmp": {"community": "conformance", "networks": ["192.0.2.0/24"]},
    "timezone": "Etc/UTC",
    "users": {"conformance": {"role": "nvue-monitor", "hashed_password": _HASH}},
    "cnp_shaper_kbps": 1000,
}


def documents(release: str) -> Iterator[tuple[str, Doc]]:
    """The name and the document of each feature of each switch; a feature that a release lacks is left out."""
    with tempfile.TemporaryDirectory(prefix="spx-conformance-") as folder:
        for name, body in _FABRICS.items():
            fabric = _fabric(os.path.join(folder, name), name, body, release)
            registry = Registry.load(fabric)
            done: list[Doc] = []
            for switch in _one_of_each_role(fabric):
                ctx = compose.context(fabric, switch, options=_SETTINGS, tenants=registry)
                for feature in compose.FEATURES:
                    made = feature.of(ctx)
                    if made and made not in done:
                        done.append(made)
                        yield f"{feature.name} of a {ctx.role.replace('_', '-')} ({name})", made


def _one_of_each_role(fabric: Fabric) -> list[str]:
    names: dict[str, str] = {}
    for switch in fabric.cabling.switches():
        names.setdefault(switch.role, fabric.name(switch))
    return list(names.values())


def _fabric(folder: str, name: str, body: Doc, release: str) -> Fabric:
    """A fabric of the release that the switch runs; without collectors where that has no export to them."""
    os.makedirs(folder)
    stated: Doc = {
        "name": f"conformance-{name}",
        "release": {"ra": "2.1", "cumulus": release},
        "accept_releases": [release],
        **body,
    }
    _write(folder, "tenants.yml", _TENANTS)
    path = _write(folder, "fabric.yml", stated)
    try:
        return Fabric.load(path)
    except FabricError:
        management = stated.get("management")
        if not isinstance(management, dict) or "telemetry" not in management:
            raise
    stated["management"] = {**management, "telemetry": []}
    return Fabric.load(_write(folder, "fabric.yml", stated))


def _write(folder: str, name: str, data: Doc) -> str:
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as handle:
        yaml.safe_dump(data, handle)
    return path
