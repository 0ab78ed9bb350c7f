# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Known versions, and work that is done side by side."""

from __future__ import annotations

import contextlib
from threading import Barrier, BrokenBarrierError

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.client import Client, Server
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.dialect import Dialect, rounds
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.port import DcimError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim.things import (
    Ref,
    Thing,
)

from .served import Answer, served


class Product(Dialect):
    """A DCIM of versions 2.1.3 to 3."""

    def check(self) -> None:
        self._known("Product", oldest=(2, 1, 3), below=4)

    def lists(self, kind: str, count: int) -> list[list[int]]:
        """The lists of at most 100 that things become, each a list of its own in the answer."""
        return self._by_lists(kind, range(count), 100, lambda part: [list(part)])


def product(url: str) -> Product:
    return Product(Client(Server(url), "Token t"), None, workers=2)  # type: ignore[arg-type]


@pytest.mark.parametrize("version", ["2.1.3", "3.9.0-beta1"])
def test_known_versions_are_the_name(version: str) -> None:
    with served(lambda _request: Answer(200, {"product-version": version})) as url:
        dcim = product(url)
        dcim.check()
        assert dcim.name == f"Product {version}"
        dcim.close()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"product-version": "2.1.2"}, r"this is Product 2\.1\.2; .* below 4\.0, is needed"),
        ({"product-version": "4.0.0"}, r"below 4\.0, is needed"),
        ({"product-version": "new"}, r"this is Product new; .* below 4\.0, is needed"),
        ({"netbox-version": "4.7.3"}, "this is NetBox: set kind of spx_dcim to netbox"),
        ({}, "no version of Product: correct url of spx_dcim"),
        ([], "no version of Product: correct url of spx_dcim"),
    ],
)
def test_other_versions_are_refused(answer: object, said: str) -> None:
    with (
        served(lambda _request: Answer(200, answer)) as url,
        pytest.raises(DcimError, match=said),
    ):
        product(url).check()


def test_what_names_another_interface_is_created_after_it() -> None:
    """A member of a bond and a subinterface come later, whatever their order was."""
    port = Ref("interface", "lab/b/swp1")
    values = {"name": "swp1.3021", "parent": port}
    sub = Thing("interface", "lab/b/swp1.3021", "b swp1.3021", values)
    member = Thing("interface", "lab/b/swp2", "swp2", {"lag": Ref("interface", "lab/b/bond1")})
    others = [Thing("interface", f"lab/b/{name}", name, {"lag": ""}) for name in ("swp1", "bond1")]
    assert rounds([sub, member, *others]) == [others, [sub, member]]
    assert rounds(others) == [others]
    read = [one._replace(values={**one.values, "parent": None}) for one in (others[0], sub)]
    assert rounds(read) == [read[:1], read[1:]], "who reads it does not ask for its parent"


@pytest.mark.parametrize(
    ("kind", "count", "lengths"),
    [
        ("interface", 0, []),
        ("interface", 19, [19]),
        ("interface", 20, [10, 10]),
        ("interface", 199, [100, 99]),
        ("interface", 201, [67, 67, 67]),
        ("prefix", 26, [26]),
        ("prefix", 150, [75, 75]),
    ],
)
def test_lists_are_as_long_as_each_other_and_keep_their_order(
    kind: str, count: int, lengths: list[int]
) -> None:
    lists = product("http://127.0.0.1:9").lists(kind, count)
    assert [len(each) for each in lists] == lengths
    assert [number for each in lists for number in each] == list(range(count))


def test_one_thread_writes_prefixes_and_several_write_others() -> None:
    """A DCIM takes the place of a prefix from those that are there."""

    def at_once(kind: str) -> int:
        both = Barrier(2)

        def met(_part: object) -> list[int]:
            with contextlib.suppress(BrokenBarrierError):
                both.wait(timeout=0.2)
                return [2]
            return [1]

        return max(product("http://127.0.0.1:9")._by_lists(kind, range(150), 100, met))

    assert (at_once("prefix"), at_once("interface")) == (1, 2)
