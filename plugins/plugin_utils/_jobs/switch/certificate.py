# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A new certificate for the API of a switch, from the command of the site. Private.

    issue leaf-p1-su001-r1 192.0.2.21
    {"certificate": "-----BEGIN CERTIFICATE-----...", "uri-bundle": "scp://...", "passphrase": "..."}

The command gets the name and the address of the switch. It prints the certificate, and the parameters of the action
`import system security certificate` (D518, NVUE API). The certificate is imported under an id made of its SHA-256, is
bound, and is confirmed when a new handshake shows it.
"""

from __future__ import annotations

import dataclasses
import ssl
import subprocess
import typing as t

from ....module_utils import _json, _text
from ..._fabric.audit import switch as audit
from ..._fabric.audit.results import FAIL
from ..._fabric.description.errors import FabricError
from ..._http.certificate import fingerprint
from ..._nvue.change.converge import converge
from ..._nvue.change.plan import Wish
from ..._nvue.document.shapes import mapping
from ..._nvue.wire import actions
from .. import clock
from . import backup, change
from . import outcome as outcomes

if t.TYPE_CHECKING:
    from ..._nvue.wire.api import Api
    from .wish import SwitchWish

Plain = dict[str, object]
ROLE = "switch_bootstrap"
"""Role that has the API."""
PLACE = ("system", "security", "certificate")
PARAMETERS = ("data", "passphrase", "uri-bundle", "uri-private-key", "uri-public-key")
"""Parameters of the import [doc]; the body by REST is [inferred]."""
SECONDS = 300
"""Seconds that the command of the site and the import may take each."""


@dataclasses.dataclass(frozen=True)
class IssuedCertificate:
    """Certificate that the site issued: its SHA-256, and the parameters of its import."""

    sha256: str
    parameters: dict[str, str]

    @property
    def id(self) -> str:
        """Name on the switch, which no other certificate has."""
        return f"spx-{self.sha256[:16]}"


def renew(api: Api, wanted: SwitchWish, how: change.Conditions, command: str) -> Plain:
    """Bring a new certificate to a switch where its own has expired or is about to; the result of a task."""
    device = str(wanted.ctx.slice["name"])
    if audit.expiry(device, api.port.shown(), clock.today()).state != FAIL:
        return {"changed": False}
    if wanted.ctx.options.get("api_certificate"):
        raise FabricError.of(
            f"{device}: switch_bootstrap_api_certificate binds the API to a certificate of its own: leave it empty, or "
            "renew that one yourself."
        )
    backup.read(api, wanted.ctx, how)  # is it the planned switch?
    if how.check:
        return {"changed": True}
    issued = issue(command, device, api.port.target.rpartition(":")[0].strip("[]"))
    api.hide(issued.parameters.values())
    job = actions.start(api, (*PLACE, issued.id), "import", {**issued.parameters})
    actions.follow(api, job, within=SECONDS)
    result = _bound(api, wanted, how, issued)
    return result | (how.after(api, wanted, how) if how.after else {})


def _bound(
    api: Api, wanted: SwitchWish, how: change.Conditions, issued: IssuedCertificate
) -> Plain:
    """Bind the API to a certificate, which is kept only where a handshake shows it."""

    def missing() -> list[str]:
        shown = fingerprint(api.port.shown())
        return [] if shown == issued.sha256 else [f"certificate {issued.id} in a new handshake"]

    terms = dataclasses.replace(change.terms(wanted, how, write=True), missing=missing)
    outcome = converge(api, Wish({"system": {"api": {"certificate": issued.id}}}), terms)
    return outcomes.result(outcome, api, diff=how.diff)


def issue(command: str, device: str, address: str) -> IssuedCertificate:
    """Return what the command of the site issues for a switch; FabricError where that is nothing of use."""
    failed = f"spx_certificate_command: {command} for {device}"
    try:
        done = subprocess.run(
            [command, device, address], capture_output=True, timeout=SECONDS, check=True
        )
        given = {**mapping(_json.parse(done.stdout))}
        pem = str(given.pop("certificate"))
        der = ssl.PEM_cert_to_DER_cert(pem[: pem.index("-----END") + 25].strip() + "\n")
    except subprocess.CalledProcessError as exc:
        said = _text.line(exc.stderr.decode(errors="replace"), 200)
        raise FabricError.of(
            f"{failed}: it ended with {exc.returncode} ({said}): repair it."
        ) from None
    except (OSError, subprocess.TimeoutExpired) as exc:
        said = _text.line(str(exc), 200)
        raise FabricError.of(
            f"{failed}: it did not run ({said}): name a program that ends within {SECONDS} s."
        ) from None
    except (KeyError, ValueError):
        raise FabricError.of(
            f"{failed}: it printed no JSON object with certificate (PEM): correct it (its output is not shown)."
        ) from None
    if not given or {*given} - {*PARAMETERS}:
        raise FabricError.of(
            f"{failed}: beside certificate it printed {', '.join(given) or 'nothing'}: allowed are "
            f"{', '.join(PARAMETERS)}: correct it."
        )
    judged = audit.expiry(device, der, clock.today())
    if judged.state == FAIL:
        raise FabricError.of(f"{failed}: {judged.sentence}")
    return IssuedCertificate(fingerprint(der), {key: str(value) for key, value in given.items()})
