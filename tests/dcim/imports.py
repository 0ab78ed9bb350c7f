# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Import files given to a DCIM as a person gives them.

NetBox: signed in, the text of a file is pasted into the form "Import" of its kind. Nautobot: its job "Import Objects"
gets the text, which is what its form starts; a worker runs the job. The request with `Content-Type: text/csv` is
other code: it checks all rows before it saves the first, so that no row may refer to one above it.
"""

from __future__ import annotations

import html
import http.client
import re
import time
import urllib.parse
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from dcim import daemons, installed, servers
from dcim.daemons import Failed
from dcim.products import NAUTOBOT
from dcim.rest import done, every
from dcim.servers import Server

SECONDS = 900
"""The longest that a file may take; the largest of a laboratory takes about a minute."""
FORMS: Mapping[str, str] = {
    **dict.fromkeys(("tags", "custom-fields"), "extras"),
    **dict.fromkeys(
        ("sites", "manufacturers", "platforms", "device-roles", "device-types"), "dcim"
    ),
    **dict.fromkeys(("racks", "devices", "interfaces", "mac-addresses", "cables"), "dcim"),
    **dict.fromkeys(("rirs", "asns", "route-targets", "vrfs", "vlan-groups", "vlans"), "ipam"),
    **dict.fromkeys(("prefixes", "ip-addresses"), "ipam"),
    "tenants": "tenancy",
}
"""The part of NetBox's menu in which a kind is; the form is `/<part>/<kind>/import/`."""
MODELS: Mapping[str, str] = {
    "tags": "extras.tag",
    "custom-fields": "extras.customfield",
    "location-types": "dcim.locationtype",
    "locations": "dcim.location",
    "vlan-groups": "ipam.vlangroup",
    "manufacturers": "dcim.manufacturer",
    "platforms": "dcim.platform",
    "roles": "extras.role",
    "device-types": "dcim.devicetype",
    "racks": "dcim.rack",
    "tenants": "tenancy.tenant",
    "route-targets": "ipam.routetarget",
    "vrfs": "ipam.vrf",
    "vlans": "ipam.vlan",
    "prefixes": "ipam.prefix",
    "devices": "dcim.device",
    "interfaces": "dcim.interface",
    "ip-addresses": "ipam.ipaddress",
}
"""Values of *Content type* in Nautobot's form."""
BAD = ("error", "failure", "critical")
"""Levels of lines of a job's log that say why it failed."""


class Importer(Protocol):
    """Importer of files into a DCIM."""

    def refusal(self, kind: str, text: str) -> str:
        """Return the DCIM's error for a file of a kind; nothing where it took the file whole."""


@contextmanager
def importer(server: Server) -> Iterator[Importer]:
    """A person at the DCIM, as long as the block runs."""
    if server.kind == "netbox":
        yield Person(server)
        return
    worker = server.folder / f"worker{daemons.SUFFIX}"
    program = installed.environment(NAUTOBOT) / "bin" / NAUTOBOT.manage
    begun = daemons.start(
        "worker",
        [program, "celery", "worker", "--pool=solo", "--loglevel=INFO"],
        folder=server.folder,
        environment=servers.environment(NAUTOBOT, server),
    )
    try:
        log = server.folder / "worker.log"
        end = time.monotonic() + 300
        while " ready." not in log.read_text(encoding="utf-8", errors="replace"):
            if begun.poll() is not None or time.monotonic() > end:
                raise Failed(f"The worker did not start: see {log}.")
            time.sleep(0.2)
        yield Job(server)
    finally:
        daemons.end(worker)


@dataclass
class Person:
    """Signed in to NetBox, with the cookies of a browser."""

    server: Server
    cookies: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        status, said = self._submit("/login/", username="spx", password="spx")
        assert status == http.client.FOUND, said

    def refusal(self, kind: str, text: str) -> str:
        """NetBox shows the page again where it refuses a file, and its list where it took all rows."""
        path = f"/{FORMS[kind]}/{kind}/import/"
        pasted = text.replace("\n", "\r\n")  # as a browser sends the text of a form
        words = {"import_method": "direct", "format": "auto", "csv_delimiter": "auto"}
        status, page = self._submit(path, data=pasted, **words)
        if status == http.client.FOUND:
            return ""
        said = re.findall(r"(?:Record \d+[^<]*|<div class=\"invalid-feedback\">[^<]*)", page)
        return html.unescape(" ".join(said)) or f"{status}: {page[:2000]}"

    def _submit(self, path: str, **values: str) -> tuple[int, str]:
        """Open a page, fill in its form, and send it."""
        status, page = self._ask("GET", path)
        assert status == http.client.OK, (path, status)
        found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert found, f"{path} has no form"
        return self._ask("POST", path, {**values, "csrfmiddlewaretoken": found[1]})

    def _ask(
        self, method: str, path: str, values: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        address = urllib.parse.urlsplit(self.server.url).netloc
        connection = http.client.HTTPConnection(address, timeout=SECONDS)
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        body = None
        if values is not None:
            boundary = uuid.uuid4().hex
            headers["Content-Type"] = f"multipart/form-data; boundary={boundary}"
            body = _multipart(boundary, values)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        page = answer.read().decode("utf-8")
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            name, _equals, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        connection.close()
        return answer.status, page


def _multipart(boundary: str, values: Mapping[str, str]) -> bytes:
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in values.items()
    ]
    return "".join([*parts, f"--{boundary}--\r\n"]).encode()


@dataclass
class Job:
    """Nautobot's job, with the choices that its form makes by default."""

    server: Server

    def __post_init__(self) -> None:
        (self.job,) = every(self.server, "extras/jobs", name="Import Objects")

    def refusal(self, kind: str, text: str) -> str:
        """Return the job's log for rows that it refused; it then takes none."""
        app, _dot, model = MODELS[kind].partition(".")
        (chosen,) = every(self.server, "extras/content-types", app_label=app, model=model)
        data = {"content_type": chosen["id"], "csv_data": text, "roll_back_if_error": True}
        path = f"/api/extras/jobs/{self.job['id']}/run/"
        started = done(self.server, path, method="POST", body={"data": data})
        result = f"/api/extras/job-results/{started['job_result']['id']}/"
        end = time.monotonic() + SECONDS
        while (status := done(self.server, result)["status"]["value"]) not in (
            "SUCCESS",
            "FAILURE",
        ):
            assert time.monotonic() < end, f"{kind}: {status}"
            time.sleep(0.2)
        if status == "SUCCESS":
            return ""
        logs = every(self.server, "extras/job-logs", job_result=started["job_result"]["id"])
        said = [log["message"] for log in logs if log["log_level"] in BAD]
        return " ".join(said) or "the job failed"
