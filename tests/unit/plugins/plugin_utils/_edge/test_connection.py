# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Connections of a host, by its variables; what a run says of wrong ones is in the tests of the guard."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible.errors import AnsibleError

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import connection
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.run_store import RunStore
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch import backup
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError


def template(value: object) -> object:
    if value == "{{ nowhere }}":
        raise AnsibleError("'nowhere' is undefined")
    return value


@pytest.mark.parametrize(
    "word", [None, "", "ssh", "smart", "ansible.builtin.local", "community.docker.docker"]
)
def test_a_connection_that_runs_modules_is_left_to_the_site(word: str | None) -> None:
    connection.refuse_network_connection(
        "leaf-01", {"ansible_connection": word} if word is not None else {}, template
    )


@pytest.mark.parametrize("word", ["network_cli", "ansible.netcommon.httpapi", "netconf"])
def test_a_connection_of_network_modules_is_refused(word: str) -> None:
    with pytest.raises(FabricError, match=f"'{word}' is not a connection for leaf-01"):
        connection.refuse_network_connection("leaf-01", {"ansible_connection": word}, template)


def test_an_api_has_the_variables_of_its_host_and_a_management_address_of_ipv6() -> None:
    own = {"inventory_hostname": "leaf-01", "ansible_host": "2001:db8::1", "spx_nvue_token": "t"}
    api = connection.open_api({}, own, template)
    assert (api.port.target, api.auth.token) == ("[2001:db8::1]:8765", "t")
    with pytest.raises(RefusedError, match="variable spx_nvue_token: its template fails"):
        connection.open_api({}, {**own, "spx_nvue_token": "{{ nowhere }}"}, template)


@pytest.mark.parametrize(
    ("stated", "sha256"),
    [
        ({}, ""),
        ({"spx_accept_expired": "false"}, ""),
        ({"spx_accept_expired": "true"}, "it needs the certificates of the backups"),
        ({"spx_accept_expired": "true", "spx_backup": "{here}"}, "ab12"),
        ({"spx_accept_expired": "true", "spx_backup": "{here}/none"}, "is no backup that can be"),
        ({"spx_backup": "{here}"}, ""),
    ],
)
def test_an_expired_certificate_is_accepted_when_that_is_said_and_a_backup_has_it(
    stated: dict[str, str], sha256: str, tmp_path: Path
) -> None:
    backup.keep(str(tmp_path), backup.Backup("leaf-01", "5.16.1", "ab12", {}, []))
    own = {"inventory_hostname": "leaf-01", "spx_nvue_token": "t"}
    own |= {name: text.format(here=tmp_path) for name, text in stated.items()}
    if " " in sha256:
        with pytest.raises(RefusedError, match=sha256):
            connection.open_api({}, own, template)
        return
    api = connection.open_api({}, own, template)
    assert api.port._exchange.endpoint.expired == sha256


def test_all_tasks_of_a_run_send_a_refused_login_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(connection, "store", RunStore(lambda: tmp_path / "run"))
    own = {"inventory_hostname": "leaf-01", "spx_nvue_user": "a", "spx_nvue_password": "s3cret"}
    connection.open_api({}, own, template).limit.refuse(100.0, "before a run nothing is kept")
    connection.store.begin()
    first = connection.open_api({}, own, template)
    assert not first.limit.forbids(100.0)
    first.limit.refuse(100.0, "refused")
    for user, kept in (("a", True), ("b", False)):
        limit = connection.open_api({}, {**own, "spx_nvue_user": user}, template).limit
        assert (limit.forbids(339.0), limit.forbids(341.0)) == (kept, False)
    other = {**own, "inventory_hostname": "leaf-02"}
    assert not connection.open_api({}, other, template).limit.forbids(101.0)
    assert not any(b"s3cret" in path.read_bytes() for path in tmp_path.rglob("*.json"))
