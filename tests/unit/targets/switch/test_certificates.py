# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of the switch double: what is imported, what is bound, and what a handshake shows."""

from __future__ import annotations

import hashlib
import ssl
import subprocess
from pathlib import Path
from typing import Any

import pytest
from nvue_double import tls

PLACE = "/system/security/certificate"
BOUND = {"system": {"api": {"certificate": "api"}}}
FREE = {"system": {"api": {"certificate": "self-signed"}}}


@pytest.fixture(scope="module")
def pems(tls_folder: str) -> dict[str, str]:
    """Certificates with their keys: a good one, one that has expired, one whose key has a passphrase."""
    folder = Path(tls_folder)
    tls.ensure(folder, ["localhost", "127.0.0.1"])
    return {
        "good": tls.issue(folder, ["127.0.0.1"]),
        "expired": tls.issue(folder, ["127.0.0.1"], days=-1),
        "locked": tls.issue(folder, ["127.0.0.1"], passphrase="rack-and-row"),
    }


def digest(pem: str) -> str:
    """The SHA-256 of the certificate in a PEM."""
    begin = pem.index("-----BEGIN CERTIFICATE")
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem[begin:])).hexdigest()


def shown(client: Any) -> str:
    """The SHA-256 of what a handshake shows, without trust."""
    double = client.double
    return digest(ssl.get_server_certificate((double.host, double.port)))


def issue(client: Any, path: str, name: str, **parameters: Any) -> str:
    """The issue of a job that fails."""
    job = client.action(path, name, **parameters)
    assert job["state"] == "action_error", job
    return str(job["issue"][0]["message"])


def test_a_certificate_is_imported_bound_shown_and_deleted(
    start: Any, pems: dict[str, str]
) -> None:
    client = start()
    before = shown(client)
    job = client.action(f"{PLACE}/api", "import", data=pems["good"])
    assert (job["state"], shown(client)) == ("action_success", before)
    client.change(BOUND)
    assert shown(client) == digest(pems["good"]) != before
    assert client("GET", "/system/api?rev=operational")[1]["certificate"] == "api"
    known = client("GET", f"{PLACE}?rev=operational")[1]["api"]
    assert known["installed"] == {"api": {}}
    assert known["valid-to"].endswith("GMT")
    assert "in use by the API" in issue(client, f"{PLACE}/api", "delete")
    client.change(FREE)
    assert shown(client) == before
    assert client.action(f"{PLACE}/api", "delete")["state"] == "action_success"
    assert client("GET", f"{PLACE}?rev=operational")[1] == {}


@pytest.mark.parametrize(
    "which, extra", [("expired", {}), ("locked", {"passphrase": "rack-and-row"})]
)
def test_what_is_imported_is_shown(
    start: Any, pems: dict[str, str], which: str, extra: dict[str, str]
) -> None:
    client = start()
    job = client.action(f"{PLACE}/api", "import", data=pems[which], **extra)
    assert job["state"] == "action_success", job
    client.context.check_hostname, client.context.verify_mode = False, ssl.CERT_NONE
    client.change(BOUND)
    assert shown(client) == digest(pems[which])


def test_a_client_with_trust_refuses_an_expired_one(start: Any, pems: dict[str, str]) -> None:
    client = start()
    client.double.control.certificate("api", pems["expired"])
    client.double.control.foreign(BOUND)
    with pytest.raises(OSError, match="certificate has expired"):
        client("GET", "/revision")


def test_a_bundle_and_a_pair_are_fetched(start: Any, pems: dict[str, str], serve: Any) -> None:
    key, dummy, rest = pems["good"].partition("-----BEGIN CERT")
    exporting = ["openssl", "pkcs12", "-export", "-passout", "pass:word"]
    bundle = subprocess.run(exporting, input=pems["good"].encode(), capture_output=True, check=True)
    files = {"key.pem": key.encode(), "cert.pem": f"{dummy}{rest}".encode()}
    urls = serve({**files, "both.p12": bundle.stdout})
    client = start()
    pair = {"uri_public_key": f"{urls}/cert.pem", "uri_private_key": f"{urls}/key.pem"}
    assert client.action(f"{PLACE}/api", "import", **pair)["state"] == "action_success"
    client.change(BOUND)
    assert shown(client) == digest(pems["good"])
    both = {"uri_bundle": f"{urls}/both.p12", "passphrase": "word"}
    assert client.action(f"{PLACE}/bundle", "import", **both)["state"] == "action_success"
    wrong = {**both, "passphrase": "other"}
    assert "not a valid certificate" in issue(client, f"{PLACE}/bundle", "import", **wrong)
    lost = {**pair, "uri_private_key": f"{urls}/nothing"}
    assert "HTTP 404" in issue(client, f"{PLACE}/other", "import", **lost)


def test_wrong_imports_fail(start: Any, pems: dict[str, str]) -> None:
    client = start()
    key, begin, rest = pems["good"].partition("-----BEGIN CERT")
    stranger = pems["expired"].partition("-----BEGIN CERT")[0]
    for data, says in (
        ("no PEM", "not a valid certificate"),
        (begin + rest, "private key is missing or does not fit"),
        (stranger + begin + rest, "private key is missing or does not fit"),
        (pems["locked"], "not a valid certificate"),
        (key, "not a valid certificate"),
    ):
        assert says in issue(client, f"{PLACE}/api", "import", data=data)
    assert "PRIVATE KEY" not in str(client.double.control.log())
    assert client.order(f"{PLACE}/api", "import", pem="x")[0] == 400
    assert client.order(f"{PLACE}/api", "import", passphrase="x")[0] == 400
    assert client.order(PLACE, "import", data=pems["good"])[0] == 404
    assert "does not exist" in issue(client, f"{PLACE}/api", "delete")


def test_an_unknown_certificate_is_bound_without_effect(start: Any) -> None:
    client = start()
    before = shown(client)
    client.change(BOUND)
    assert shown(client) == before


def test_an_unknown_certificate_can_be_refused(start: Any) -> None:
    client = start(unknown_certificate="invalid")
    number = client.revision(BOUND)
    client.apply(number)
    (told,) = client.until(number, "invalid")["transition"]["issue"].values()
    assert told["message"].endswith("system.api.certificate: certificate api is not imported")


def test_a_commit_that_is_not_confirmed_shows_the_old_one_again(
    start: Any, pems: dict[str, str]
) -> None:
    client = start()
    before = shown(client)
    client.double.control.certificate("api", pems["good"])
    number = client.revision(BOUND)
    client.apply(number, **{"state-controls": {"confirm": 60}})
    client.until(number, "confirm")
    assert shown(client) == digest(pems["good"])
    assert client("GET", "/system/api?rev=operational")[1]["certificate"] == "api"
    client("PATCH", f"/revision/{number}", {"state": "confirm_no"})
    client.until(number, "confirm_fail")
    assert shown(client) == before


def test_an_authority_is_imported_without_a_key(start: Any, tls_folder: str) -> None:
    client = start(release="5.16.1")
    place = "/system/security/ca-certificate"
    pem = (Path(tls_folder) / "ca.pem").read_text("utf-8")
    assert client.action(f"{place}/site", "import", data=pem)["state"] == "action_success"
    assert "switch double CA" in client("GET", f"{place}/site?rev=operational")[1]["subject"]


def test_certificates_outlive_the_process(start: Any, pems: dict[str, str], tmp_path: Path) -> None:
    first = start(state_dir=str(tmp_path))
    first.action(f"{PLACE}/api", "import", data=pems["locked"], passphrase="rack-and-row")
    first.change(BOUND)
    assert shown(start(state_dir=str(tmp_path))) == digest(pems["locked"])
