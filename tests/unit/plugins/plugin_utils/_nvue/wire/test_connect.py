# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the variables of a task to the API of its switch."""

from __future__ import annotations

import base64
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.connection import Endpoint
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    NvueError,
    RefusedError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.connect import (
    OPTIONS,
    open_api,
    resolve,
)

NOTHING = dict.fromkeys(OPTIONS)


@pytest.fixture(autouse=True)
def _nobody_logged_in(monkeypatch):
    for name in ("SPX_NVUE_USER", "SPX_NVUE_PASSWORD", "SPX_NVUE_TOKEN", "SPX_NVUE_CA"):
        monkeypatch.delenv(name, raising=False)


def opened(**variables):
    return open_api(NOTHING, variables, lambda text: str(text).replace("{{ x }}", "hunter22"))


def test_the_address_of_the_host_and_its_variables_are_used():
    api = opened(
        inventory_hostname="leaf-01",
        ansible_host="198.18.0.10",
        spx_nvue_user="admin",
        spx_nvue_password="{{ x }}",
        spx_nvue_port=9999,
    )
    assert "198.18.0.10" in api.port.target
    assert "9999" in api.port.target
    basic = base64.b64encode(b"admin:hunter22").decode()
    assert (api.auth.user, api.auth.secrets()) == ("admin", ["hunter22", basic])
    assert api.requests == 0


def test_a_host_without_an_address_is_reached_by_its_name():
    api = opened(inventory_hostname="leaf-01", spx_nvue_user="a", spx_nvue_password="b")
    assert api.port.target.startswith("leaf-01")


@pytest.mark.parametrize("stated", [{}, {"spx_nvue_user": "a"}, {"spx_nvue_password": "b"}])
def test_without_credentials_nothing_is_opened(stated):
    with pytest.raises(NvueError, match="No credentials"):
        opened(inventory_hostname="leaf-01", **stated)


def test_a_token_alone_is_enough():
    assert opened(inventory_hostname="leaf-01", spx_nvue_token="t").auth.token == "t"


def resolved(
    args: dict[str, Any] | None = None,
    variables: dict[str, Any] | None = None,
    environment: dict[str, str] | None = None,
) -> tuple[Endpoint, Auth]:
    return resolve(args or {}, (variables or {}).get, environment or {}, host="192.0.2.1")


def test_defaults() -> None:
    assert resolved() == (Endpoint("192.0.2.1", 8765, 30.0, True), Auth())


@pytest.mark.parametrize(
    "args, variables, environment, user",
    [
        ({"user": "a"}, {"spx_nvue_user": "b"}, {"SPX_NVUE_USER": "c"}, "a"),
        ({"user": None}, {"spx_nvue_user": "b"}, {"SPX_NVUE_USER": "c"}, "b"),
        ({"user": ""}, {}, {"SPX_NVUE_USER": "c"}, "c"),
        ({}, {}, {}, None),
    ],
)
def test_task_before_variable_before_environment(
    args: Any, variables: Any, environment: Any, user: Any
) -> None:
    assert resolved(args, variables, environment)[1].user == user


def test_variables_may_be_words() -> None:
    variables = {
        "spx_nvue_host": "127.0.0.1",
        "spx_nvue_port": "18765",
        "spx_nvue_timeout": "5",
        "spx_nvue_validate_certs": "false",
        "spx_nvue_server_name": "leaf-01",
    }
    endpoint = resolved({}, variables, {"SPX_NVUE_CA": "/ca.pem"})[0]
    assert endpoint == Endpoint("127.0.0.1", 18765, 5.0, False, "/ca.pem", "leaf-01")


@pytest.mark.parametrize(
    "name, value, sentence",
    [
        ("port", "x", "port is 'x'; it must be a number from 1 to 65535."),
        ("port", 70000, "port is 70000"),
        ("timeout", 0, "timeout is 0; it must be a number from 1 to 600."),
        ("validate_certs", "maybe", "validate_certs is 'maybe'; it must be true or false."),
    ],
)
def test_nonsense_is_refused(name: str, value: object, sentence: str) -> None:
    with pytest.raises(RefusedError) as refused:
        resolved({}, {f"spx_nvue_{name}": value})
    assert str(refused.value).startswith(sentence)


@pytest.mark.parametrize("name", ["user", "password", "token"])
def test_the_line_end_of_a_credential_is_not_part_of_it(name: str) -> None:
    found = resolved(environment={f"SPX_NVUE_{name.upper()}": "canary\r\n"})[1]
    assert getattr(found, name) == "canary"


@pytest.mark.parametrize(
    "name, value",
    [
        ("token", "canary\nx"),
        ("token", "canary x"),
        ("token", " canary"),
        ("token", "canaryä"),
        ("password", "canary\tx"),
        ("user", "canary\nx"),
        ("user", "canary:x"),
    ],
)
def test_a_credential_that_cannot_be_sent_is_refused_unseen(name: str, value: str) -> None:
    with pytest.raises(RefusedError, match=f"^{name} holds a ") as refused:
        resolved({name: value})
    assert "canary" not in str(refused.value)


def test_a_password_may_hold_blanks_and_letters_of_all_languages() -> None:
    assert resolved({"password": " gänse : füße "})[1].password == " gänse : füße "
