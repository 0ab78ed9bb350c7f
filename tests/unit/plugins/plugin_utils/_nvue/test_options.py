# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.auth import (
    Credentials,
    expiry,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.http_stdlib import Endpoint
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.options import (
    check_credentials,
    resolve,
)


def resolved(
    args: dict[str, Any] | None = None,
    variables: dict[str, Any] | None = None,
    environment: dict[str, str] | None = None,
) -> tuple[Endpoint, Credentials]:
    return resolve(args or {}, (variables or {}).get, environment or {}, host="192.0.2.1")


def test_defaults() -> None:
    assert resolved() == (Endpoint("192.0.2.1", 8765, 30.0, True), Credentials())


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


@pytest.mark.parametrize(
    "credentials, enough",
    [
        (Credentials(), False),
        (Credentials(user="a"), False),
        (Credentials(user="a", password="b"), True),
        (Credentials(token="t"), True),
    ],
)
def test_credentials_are_needed(credentials: Credentials, enough: bool) -> None:
    if enough:
        check_credentials(credentials)
        return
    with pytest.raises(RefusedError, match="No credentials"):
        check_credentials(credentials)


@pytest.mark.parametrize(
    "token, seconds",
    [
        ("e30.eyJleHAiOjE3MDAwMDAwMDB9.sig", 1700000000.0),
        ("e30.e30.sig", None),
        ("e30.%%%.sig", None),
        ("opaque", None),
    ],
)
def test_the_expiry_of_a_token(token: str, seconds: float | None) -> None:
    assert expiry(token) == seconds
