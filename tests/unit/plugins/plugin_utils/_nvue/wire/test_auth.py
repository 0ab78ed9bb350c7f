# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials for the switch: password first, then a token."""

from __future__ import annotations

import base64
import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth, expiry


def token(claims):
    middle = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"head.{middle}.sign"


def test_the_password_is_used_until_there_is_a_token():
    auth = Auth("admin", "secret")
    basic = "Basic " + base64.b64encode(b"admin:secret").decode()
    assert (auth.header(), auth.token) == ({"authorization": basic}, None)
    auth.take("t0", now=100.0)
    assert auth.header() == {"authorization": "Bearer t0"}
    assert auth.header(basic=True) == {"authorization": basic}
    assert set(auth.secrets()) == {"secret", basic.removeprefix("Basic "), "t0"}


def test_a_token_alone_is_never_replaced_by_nothing():
    auth = Auth(token="t0")
    assert auth.header() == {"authorization": "Bearer t0"}
    assert (auth.header(basic=True), auth.can_fetch) == ({}, False)


def test_a_token_is_fresh_for_half_a_minute():
    auth = Auth("admin", "secret")
    assert not auth.is_fresh(0.0)
    auth.take("t0", now=100.0)
    assert (auth.is_fresh(129.9), auth.is_fresh(130.0)) == (True, False)


@pytest.mark.parametrize(
    "text, end",
    [
        (token({"exp": 1010}), 1010.0),
        (token({"exp": "1010"}), None),
        (token({}), None),
        (token([1]), None),
        ("opaque", None),
        ("a.b.c", None),
        ("a.!.c", None),
        ("e30.%%%.sig", None),
    ],
)
def test_when_a_token_expires(text, end):
    assert expiry(text) == end
    left = Auth(token=text).seconds_left(1000.0)
    assert left == (None if end is None else 10.0)


def test_no_secret_is_shown_with_it():
    assert "canary" not in repr(Auth("admin", "canary1", "canary2"))
