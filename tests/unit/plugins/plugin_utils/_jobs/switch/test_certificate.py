# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A certificate of the site reaches a switch, and is kept where a handshake shows it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import certificates
import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from nvue_double import tls
from nvue_double.testing import running_double

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import switch as edge
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.certificate import fingerprint
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.connection import Endpoint
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch import certificate
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    ApplyError,
    UntrustedError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.port import HttpsPort
from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

LEAF = "leaf-p1-su001-r1"
ROLE = "switch_bootstrap"


@pytest.fixture
def command(tmp_path):
    """Make a program that prints what it is given, and writes its arguments."""

    def _command(printed: str, code: int = 0) -> str:
        (tmp_path / "printed").write_text(printed)
        path = tmp_path / "issue"
        path.write_text(
            f'#!/bin/sh\necho "$@" >{tmp_path}/asked\ncat {tmp_path}/printed\nexit {code}\n'
        )
        path.chmod(0o700)
        return str(path)

    return _command


def issued(days: float = 90, **more) -> str:
    _key, pem = certificates.certificate(None, certificates.moment(days))
    return json.dumps({"certificate": pem.decode(), "uri-bundle": "scp://s3cret@ca/b", **more})


def test_the_command_gets_name_and_address_and_says_how_to_import(command, tmp_path):
    made = certificate.issue(command(issued(passphrase="s3cret")), LEAF, "192.0.2.21")
    assert (tmp_path / "asked").read_text() == f"{LEAF} 192.0.2.21\n"
    assert made.parameters == {"uri-bundle": "scp://s3cret@ca/b", "passphrase": "s3cret"}
    assert made.id == f"spx-{made.sha256[:16]}"


@pytest.mark.parametrize(
    ("printed", "code", "words"),
    [
        ("", 0, "it printed no JSON object with certificate (PEM): correct it (its output is not"),
        ("[]", 0, "it printed no JSON object with certificate"),
        ('{"data": "s3cret"}', 0, "it printed no JSON object with certificate"),
        ('{"certificate": "s3cret", "data": ""}', 0, "it printed no JSON object with certificate"),
        (issued(data=1).replace("BEGIN", "BEGAN"), 0, "it printed no JSON object with certificate"),
        (issued(force="yes"), 0, "beside certificate it printed uri-bundle, force: allowed are"),
        (issued(20), 0, "the certificate of its API expires on"),
        ("s3cret", 3, "it ended with 3 (): repair it"),
        (None, 0, "it did not run ("),
    ],
)
def test_what_is_of_no_use_is_refused_and_not_shown(command, printed, code, words):
    path = "/nowhere/issue" if printed is None else command(printed, code)
    with pytest.raises(FabricError) as error:
        certificate.issue(path, LEAF, "192.0.2.21")
    said = str(error.value)
    assert said.startswith(f"spx_certificate_command: {path} for {LEAF}: ")
    assert words in said
    assert "s3cret" not in said


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    path = shutil.copytree(INVENTORIES / "lab", tmp_path_factory.mktemp("lab") / "lab")
    path /= "model/fabric.yml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "manage": [ROLE]}))
    plan = Fabric.load(str(path))

    def _wanted(**variables):
        return edge.wanted(plan, LEAF, variables, lambda value: value, roles=[ROLE])

    return _wanted


@pytest.fixture
def leaf(lab, tmp_path):
    """A switch whose certificate expired yesterday."""
    release = lab().ctx.description.release.cumulus
    folder = tmp_path / "tls"
    document = {"system": {"hostname": LEAF}}
    options = {"release": release, "document": document, "step_seconds": 0.002}
    with running_double(tls_folder=str(folder), **options) as double:
        double.control.certificate("old", tls.issue(folder, ["127.0.0.1"], days=-1))
        double.control.foreign({"system": {"api": {"certificate": "old"}}})
        yield double


def api_of(double, **more):
    endpoint = Endpoint(double.host, double.port, timeout=5, ca=double.ca_file, **more)
    return Api(HttpsPort(endpoint), Auth(double.username, double.password))


def conditions(**how):
    template = Templar(loader=DataLoader(), variables={}).template
    return edge.conditions({}, template, extra={}, origin={}, **how)


def printed(double, names=("127.0.0.1",)):
    pem = tls.issue(Path(double.ca_file).parent, list(names))
    return json.dumps({"certificate": pem[pem.index("-----BEGIN CERT") :], "data": pem})


def test_an_expired_certificate_is_replaced_where_the_backup_knows_it(leaf, lab, command):
    tool = command(printed(leaf))
    with pytest.raises(UntrustedError):
        certificate.renew(api_of(leaf), lab(), conditions(), tool)
    known = api_of(leaf, expired=fingerprint(api_of(leaf).port.shown()))
    assert certificate.renew(known, lab(), conditions(check=True), tool) == {"changed": True}
    assert not leaf.log.writes
    assert certificate.renew(known, lab(), conditions(), tool)["changed"]
    name = leaf.applied["system"]["api"]["certificate"]
    assert name == f"spx-{fingerprint(api_of(leaf).port.shown())[:16]}"
    before = len(leaf.log.requests)
    assert certificate.renew(api_of(leaf), lab(), conditions(), tool) == {"changed": False}
    assert len(leaf.log.requests) == before, "a handshake tells"


def test_a_certificate_that_nobody_trusts_is_taken_back_by_the_timer(leaf, lab, command):
    """The site's command made it for another address."""
    tool = command(printed(leaf, ["192.0.2.99"]))
    known = api_of(leaf, expired=fingerprint(api_of(leaf).port.shown()))
    how = conditions()
    how.given["confirm_timeout"] = 1
    with pytest.raises(ApplyError, match="certificate of the switch was not trusted"):
        certificate.renew(known, lab(), how, tool)
    assert leaf.applied["system"]["api"]["certificate"] == "old"


def test_a_certificate_that_the_role_binds_is_left_to_it(leaf, lab, command):
    named = lab(switch_bootstrap_api_certificate="spx-api")
    with pytest.raises(FabricError, match="switch_bootstrap_api_certificate binds the API"):
        certificate.renew(api_of(leaf), named, conditions(), command(printed(leaf)))
