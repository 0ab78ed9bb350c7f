# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of the dialect, each in both directions."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import (
    dialect,
    schema,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document import (
    dialect_table as table,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import (
    Release,
    parse,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.tree import put
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError


@pytest.mark.parametrize(
    "move",
    [row for row in table.MOVES if row.__class__ is table.Move],
    ids=lambda move: str(move.new),
)
def test_every_move_comes_back(move: table.Move) -> None:
    neutral = put({}, tuple(move.new.replace("*", "K").split("/")), {"x": 1})
    old = parse("5.10" if "/otlp/" in move.new else "5.9")
    spelled = dialect.spell(neutral, old)
    assert spelled != neutral
    assert dialect.from_release(spelled, old) == neutral


@pytest.mark.parametrize("row", table.MOVES, ids=lambda row: str(row.new))
def test_what_a_row_reads_is_spelled_as_it_was(row: table.Move) -> None:
    held = {"10.0.0.1/31": {}} if "/ipv4/" in row.new else {"fd00::1/64": {}}
    words = {
        table.KeyedCollection: "RED",
        table.Presence: {},
        table.Family: held,
        table.Offload: "enabled",
    }
    value = words.get(type(row), "x")
    found, rest = row.read(value)
    assert rest is None
    assert row.spelled(found, (), parse("5.9")) == value


OFFLOAD = {"enabled": "kernel", "disabled": "control-plane"}


@pytest.mark.parametrize("word", OFFLOAD)
def test_the_engine_of_bfd_was_a_switch_until_5_18(word: str) -> None:
    old = {"router": {"bfd": {"offload": word}}}
    new = {"router": {"bfd": {"offload-mode": OFFLOAD[word]}}}
    for release in ("5.16", "5.18"):
        assert dialect.to_release(new, parse(release)) == old
        assert dialect.to_release(old, parse(release)) == old
        assert dialect.from_release(old, parse(release)) == new
    assert dialect.to_release(new, parse("5.19")) == new
    assert dialect.from_release(new, parse("5.19")) == new
    with pytest.raises(RefusedError, match=r"router/bfd/offload"):
        dialect.to_release(old, parse("5.19"))
    with pytest.raises(RefusedError, match=r"router/bfd/offload"):
        dialect.to_release(new, parse("5.15"))


def test_an_engine_that_the_switch_could_not_say_is_refused() -> None:
    wish = {"router": {"bfd": {"offload-mode": "hardware"}}}
    with pytest.raises(RefusedError, match=r"hardware: 5\.18\.0 takes kernel or control-plane"):
        dialect.to_release(wish, parse("5.18"))
    assert dialect.to_release(wish, parse("5.19")) == wish


def test_each_family_takes_its_own_addresses_and_leaves_the_others() -> None:
    four, six = (row for row in table.MOVES if row.old == "interface/*/ip/address")
    both = {"10.0.0.1/31": {}, "fd00::1/64": {}}
    assert four.read(both) == ({"10.0.0.1/31": {}}, {"fd00::1/64": {}})
    assert six.read(both) == ({"fd00::1/64": {}}, {"10.0.0.1/31": {}})
    assert six.read({}) == (None, None)


def test_a_collection_that_is_a_word_in_an_old_release_may_be_empty() -> None:
    wish = {"system": {"ntp": {"listen": {}, "server": {"a": {}}}}}
    spelled = dialect.to_release(wish, parse("5.14"))
    assert spelled == {"service": {"ntp": {"default": {"server": {"a": {}}}}}}


def exists(place: str, release: Release) -> bool:
    """Return whether NVIDIA's schema has a place; one of a collection without fixed members is unknown, so taken."""
    node = schema.of(release).root
    for key in place.split("/"):
        families = ("ipv4-unicast",) if key == "*" and "address-family/*" in place else ()
        below = next((node.members[name] for name in families if name in node.members), None)
        below = below or node.below(key)
        if below is None:
            return node.is_open
        node = below
    return True


def before(since: str) -> Release:
    """Return the release before a step."""
    return Release(5, parse(since).minor - 1)


NOT_JUDGED = {
    "interface/*/ipv6/state",
    "router/bfd/offload-mode",
    "router/policy/route-map/*/rule/*/set/community/0:0",
    "service/ntp/*/listen",
}
"""Renames that the schema does not see: `ip.ipv6.enable`, a step of 5.19, a key of an open map, a moving listener."""


@pytest.mark.parametrize("row", table.MOVES, ids=lambda row: str(row.new))
def test_a_rename_is_a_step_of_nvidias_schema(row: table.Move) -> None:
    if row.new in NOT_JUDGED:
        return
    assert exists(row.new, parse(row.since))
    assert exists(row.old, before(row.since))
    if row.new != row.old and schema.having(tuple(row.new.split("/"))) != "5.0 to 5.18":
        assert not exists(row.new, before(row.since))
        assert not exists(row.old, parse(row.since))


@pytest.mark.parametrize("row", table.FEATURES, ids=lambda row: str(row.place))
def test_a_row_of_a_feature_says_what_the_schema_cannot(row: table.Feature) -> None:
    newest = parse(schema.releases()[-1])
    assert parse(row.since) > newest or parse(row.until) > newest
    assert parse(row.since) > newest or exists(row.place, parse(row.since))
    assert parse(row.since) > newest or not exists(row.place, before(row.since))


def test_every_row_names_its_source() -> None:
    assert all(row.source for row in (*table.MOVES, *table.FEATURES))
    assert all(move.new.count("*") == move.old.count("*") for move in table.MOVES)
