# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import secrets
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.paths import (
    Globs,
    parse,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.schema import PATHS
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import (
    Change,
    diff,
)

USER = ("system", "aaa", "user", "admin")


def user(**leaves: object) -> dict[str, object]:
    return {"system": {"aaa": {"user": {"admin": leaves}}}}


@pytest.mark.parametrize(
    "device, wish, rotate, sent",
    [
        ({}, {"hashed-password": "$6$new"}, [], ["hashed-password"]),
        ({"hashed-password": "*"}, {"hashed-password": "$6$new"}, [], []),
        ({"hashed-password": "$6$old"}, {"hashed-password": "$6$new"}, [], []),
        (
            {"hashed-password": "*"},
            {"hashed-password": "$6$new"},
            ["system/aaa/user/*/hashed-password"],
            ["hashed-password"],
        ),
        ({"role": "a"}, {"role": "b"}, [], ["role"]),
        ({"full-name": "$nvsec$abc"}, {"full-name": "x"}, [], []),
    ],
)
def test_secrets_are_sent_only_when_lacking_or_rotated(
    device: dict[str, str], wish: dict[str, str], rotate: list[str], sent: list[str]
) -> None:
    before = user(**device)
    after = secrets.keep_known(before, user(**wish), Globs(rotate))
    changed = [change.path[-1] for change in diff(before, after) if change.after is not None]
    assert changed == sent


def test_a_public_key_is_compared() -> None:
    def key(word: str) -> dict[str, object]:
        return user(ssh={"authorized-key": {"k1": {"key": word}}})

    after = secrets.keep_known(key("AAAA"), key("BBBB"), Globs([]))
    assert len(diff(key("AAAA"), after)) == 1
    masked = secrets.keep_known(key("$nvsec$x"), key("BBBB"), Globs([]))
    assert diff(key("$nvsec$x"), masked) == []


@pytest.mark.parametrize(
    "device, sent",
    [({}, 1), ({"$nvsec$zzz": {"access": {"any": {}}}}, 0), ({"other": {}}, 0)],
)
def test_communities_are_secret_by_key(device: dict[str, object], sent: int) -> None:
    def snmp(communities: dict[str, object]) -> dict[str, object]:
        return {"system": {"snmp-server": {"readonly-community": communities}}}

    wish = snmp({"s3cretcomm": {"access": {"any": {}}}})
    after = secrets.keep_known(snmp(device), wish, Globs([]))
    assert len(diff(snmp(device), after)) == sent


def test_masking_hides_values_and_keys_but_not_presence() -> None:
    community = ("system", "snmp-server", "readonly-community", "s3cretcomm", "access")
    changes = [
        Change((*USER, "hashed-password"), None, "$6$new"),
        Change((*USER, "role"), "a", "b"),
        Change((*community, "any"), None, {}),
        Change(("vrf", "$nvsec$abc", "x"), "$nvsec$def", None),
    ]
    masked = [secrets.mask_change(change) for change in changes]
    text = json.dumps([[*change.path, change.before, change.after] for change in masked])
    for word in ("$6$new", "s3cretcomm", "abc", "def"):
        assert word not in text
    assert masked[0].before is None
    assert masked[1] == changes[1]


def test_the_words_are_found_and_kept_out_of_messages() -> None:
    doc = {
        **user(**{"hashed-password": "$6$canary"}),
        "snmp": {"readonly-community": {"comm-canary": {}}},
    }
    words = set(secrets.values(doc))
    assert words == {"$6$canary", "comm-canary"}
    said = secrets.scrub("bad '$6$canary' and comm-canary and $nvsec$zzz", words)
    assert "canary" not in said
    assert "zzz" not in said


def test_as_many_secret_keys_are_shown_as_there_are() -> None:
    def snmp(*communities: str) -> dict[str, object]:
        bodies = ({"access": {"any": {}}}, {}, {"access": {"192.0.2.1": {}}})
        return {"readonly-community": dict(zip(communities, bodies, strict=False))}

    masked = secrets.mask(snmp("canary", "$nvsec$x", "abc"))
    assert masked == {
        "readonly-community": {
            "********": {"access": {"192.0.2.1": {}}},
            "********-2": {"access": {"any": {}}},
            "********-3": {},
        }
    }
    assert secrets.mask(snmp("a", "z", "$nvsec$y")) == masked
    assert secrets.mask(snmp("canary")) != secrets.mask(snmp("canary", "other"))
    keys = {"********": 1, "********-2": 2, "********-x": 1, "canary": 0, "*": 0}
    assert {key: secrets.masked_number(key) for key in keys} == keys


def test_masked_documents_are_sorted() -> None:
    assert list(secrets.mask({"b": 1, "a": {"password": "x"}}).items()) == [
        ("a", {"password": secrets.MASK}),
        ("b", 1),
    ]


NO_SECRETS = frozenset({"userpassword", "password-obfuscation", "password-hardening"})
"""An attribute's name of LDAP, and settings of how secrets are kept."""
WORDS = ("password", "secret", "md5", "auth-sha", "encrypt-aes", "encrypt-des", "-community")


def test_every_place_that_nvidia_calls_a_secret_is_masked() -> None:
    """By the kind of its value or by its name; a map of such a name has secret keys."""
    places = json.loads(PATHS.read_text(encoding="utf-8"))["paths"]
    shown = []
    for place, kinds in places.items():
        path = parse(place)
        named = path[-1].endswith(WORDS) and path[-1] not in NO_SECRETS and "policy" not in path
        words = {kind[0] for row in kinds for kind in row[2:]}
        if not (named or "secret" in words) or words <= {"object", "enum"}:
            continue
        value = {"canary-1": {}} if "map" in words else "canary-1"
        for key in reversed(path):
            value = {key: value}
        if "canary" in json.dumps(secrets.mask(value)):
            shown.append(place)
    assert not shown
