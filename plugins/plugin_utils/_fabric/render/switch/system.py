# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`system` and `interface/eth0`: who the switch is, its API, and the out-of-band network's services."""

from __future__ import annotations

import typing as t

from ...._nvue.document.release import Release
from ...description import endpoints
from ...description.errors import FabricError
from . import telemetry

if t.TYPE_CHECKING:
    from collections.abc import Iterable

    from .....module_utils._json import Doc
    from .context import Context, User

MGMT = "mgmt"
# Where a server listens unless the description says otherwise: the switch's own default (D517).
SYSLOG_PORT = 514
# The name of a switch goes without its domain where some release has no word for it (D515).
_DOMAIN_SINCE = Release(5, 15)
# Parts of an account, as the role's word and NVUE's. What is not stated stays as the switch has it:
# a password that nobody repeats is no password to delete.
_ACCOUNT = {"role": "role", "hashed_password": "hashed-password", "full_name": "full-name"}


def system(ctx: Context) -> Doc | None:
    """Hostname, time, names, logs, LLDP, SNMP, telemetry, users and banner."""
    lldp = ctx.options.get("lldp") or {}
    made: Doc = {
        "hostname": ctx.slice["name"],
        "config": {"auto-save": {"state": "enabled"}},
        "lldp": {"tx-interval": 5, "tx-hold-multiplier": 24, **lldp},
    }
    zone = ctx.options.get("timezone")
    parts: dict[str, Doc] = {
        "date-time": {"timezone": zone} if zone else {},
        "ntp": _ntp(ctx.description.management.ntp),
        "dns": _dns(ctx),
        "syslog": _syslog(ctx.description.management.syslog),
        "snmp-server": _snmp(ctx),
        "telemetry": telemetry.telemetry(ctx, MGMT),
        "message": _messages(ctx),
        "aaa": _users(ctx),
    }
    made |= {key: value for key, value in parts.items() if value}
    return {"system": made, "interface": {"eth0": eth0(ctx)}}


def eth0(ctx: Context) -> Doc:
    """The out-of-band port; its address stays as it is where the plan knows no gateway for it."""
    made: Doc = {"type": "eth", "vrf": MGMT}
    gateway = ctx.slice["management_gateway"]
    if gateway:
        made["ipv4"] = {"address": {ctx.slice["management"]: {}}, "gateway": {gateway: {}}}
    return made


def _ntp(servers: list[str]) -> Doc:
    if not servers:
        return {}
    each = {server: {"iburst": "enabled"} for server in servers}
    return {"state": "enabled", "vrf": MGMT, "listen": {"eth0": {}}, "server": each}


def _dns(ctx: Context) -> Doc:
    management = ctx.description.management
    made: Doc = {}
    if management.dns:
        made["server"] = {server: {"vrf": MGMT} for server in management.dns}
    if management.domain and ctx.everywhere_since(_DOMAIN_SINCE):
        made["domain"] = management.domain
    return made


def _syslog(servers: Iterable[str]) -> Doc:
    each: Doc = {}
    for text in servers:
        server, port = endpoints.split(text, SYSLOG_PORT)
        each[server] = {"port": port, "protocol": "udp", "vrf": MGMT}
    return {"server": each} if each else {}


def _snmp(ctx: Context) -> Doc:
    snmp = ctx.options.get("snmp") or {}
    community = snmp.get("community")
    if not community:
        return {}
    if len(community) < 8:
        raise FabricError.of(
            "switch_base_snmp.community has fewer than the 8 characters that a switch demands: "
            "use a longer one."
        )
    access: Doc = {net: {} for net in snmp.get("networks") or ["any"]}
    own = ctx.slice["management"].partition("/")[0]
    return {
        "state": "enabled",
        "listening-address": {own: {"vrf": MGMT}},
        "readonly-community": {community: {"access": access}},
    }


def _messages(ctx: Context) -> Doc:
    banner = ctx.options.get("banner") or {}
    return {key: banner[key] for key in ("pre-login", "post-login") if banner.get(key)}


def _users(ctx: Context) -> Doc:
    """Render the stated parts of users; accounts that are not named are never touched."""
    users = {name: _user(row) for name, row in (ctx.options.get("users") or {}).items()}
    users = {name: made for name, made in users.items() if made}
    return {"user": users} if users else {}


def _user(row: User) -> Doc:
    made = _account(row)
    keys = {}
    for name, text in (row.get("ssh_keys") or {}).items():
        kind, _space, rest = text.strip().partition(" ")
        keys[name] = {"type": kind, "key": rest.split(" ")[0]}
    if keys:
        made["ssh"] = {"authorized-key": keys}
    return made


def _account(row: User) -> Doc:
    """The stated parts of an account, by NVUE's word."""
    stated: t.Mapping[str, object] = row
    return {place: str(stated[word]) for word, place in _ACCOUNT.items() if stated.get(word)}


def account_places(ctx: Context) -> list[str]:
    """Places of the stated parts of users; ``ssh_keys: {}`` states that there are none."""
    made = []
    for name, row in (ctx.options.get("users") or {}).items():
        made += [f"{name}/{place}" for place in _account(row)]
        if row.get("ssh_keys") is not None:
            made.append(f"{name}/ssh/authorized-key")
    return [f"system/aaa/user/{place}" for place in made]


def api(ctx: Context) -> Doc | None:
    """The API's listener, and its certificate where one is named."""
    own = ctx.slice["management"].partition("/")[0]
    made: Doc = {"listening-address": {own: {}}}
    if ctx.options.get("api_certificate"):
        made["certificate"] = ctx.options["api_certificate"]
    return {"system": {"api": made}}
