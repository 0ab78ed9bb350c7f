# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A switch that is as the plan says, to be spoiled by a test."""

from __future__ import annotations

import dataclasses
import datetime
import functools
import ssl
from pathlib import Path

import certificates
import pytest
import yaml

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit import switch
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.audit.switch_view import (
    View,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.render.switch import (
    change_conditions,
    compose,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.sessions import peer_of

ROOT = Path(__file__).resolve().parents[6]
ROLES = ("switch_base", "switch_underlay", "switch_roce", "switch_adaptive_routing")
TODAY = datetime.date(2026, 11, 21)


@functools.cache
def described(name: str) -> str:
    return (ROOT / "inventories" / name / "model" / "fabric.yml").read_text()


@functools.cache
def shown(begins: int, ends: int) -> bytes:
    """Return a certificate (DER) that is good for these days beside today."""
    noon = datetime.datetime.combine(TODAY, datetime.time(12), tzinfo=datetime.UTC)
    dates = (noon + datetime.timedelta(days=days) for days in (begins, ends))
    return ssl.PEM_cert_to_DER_cert(certificates.certificate(*dates)[1].decode())


class Healthy:
    """Reports of a healthy switch; a test changes it, then reads the results."""

    shown = staticmethod(shown)

    def __init__(self, fabric: Fabric, device: str) -> None:
        self.ctx = compose.context(fabric, device)
        self.parts = {role: change_conditions.part(self.ctx, role) for role in ROLES}
        self.applied: dict = {}
        for part in self.parts.values():
            compose.lay(self.applied, part["config"])
        ports = [row for row in self.ctx.ports if row["present"]]
        self.interfaces = {
            row["port"]: {
                "link": {
                    "oper-status": "up",
                    "stats": {"in-errors": 0, "out-errors": 0, "carrier-transitions": 2},
                }
            }
            for row in ports
        }
        self.lldp = {row["port"]: [(row["peer"]["device"], row["peer"]["port"])] for row in ports}
        families = {name: {"rx-prefix": 1} for name in ("ipv4-unicast", "l2vpn-evpn")}
        vrf = self.applied["vrf"]["default"]["router"]["bgp"]["neighbor"]
        self.neighbors = {
            key: {"state": "established", "address-family": dict(families)} for key in vrf
        }
        self.roce = {"mode": "lossless"}
        self.release = "5.16.1"
        self.certificate = shown(-30, 365)

    def view(self) -> View:
        return View(
            ctx=self.ctx,
            release=parse(self.release),
            applied=self.applied,
            parts=self.parts,
            interfaces=self.interfaces,
            neighbors={name: peer_of(body) for name, body in self.neighbors.items()},
            lldp=self.lldp,
            roce=self.roce,
            today=TODAY,
            certificate=self.certificate,
        )

    def results(self, *asked: str, **changes) -> list[dict]:
        return switch.check(dataclasses.replace(self.view(), **changes), asked)

    def failures(self, *asked: str, **changes) -> list[dict]:
        return [row for row in self.results(*asked, **changes) if row["state"] == "fail"]


@pytest.fixture
def healthy(tmp_path):
    """Return a healthy switch of an example, whose description may be changed."""

    def _healthy(device: str = "leaf-p1-su001-r1", name: str = "lab", **changes) -> Healthy:
        text = yaml.safe_load(described(name))
        for key, value in changes.items():
            old = text.get(key)
            text[key] = {**old, **value} if isinstance(old, dict) else value
        path = tmp_path / f"fabric-{len(list(tmp_path.iterdir()))}.yml"
        path.write_text(yaml.safe_dump(text))
        return Healthy(Fabric.load(str(path)), device)

    return _healthy
