# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which versions are known, and work that is done side by side."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.dialect import Dialect, rounds
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.http import Client, Server
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.port import DcimError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.dcim.things import (
    Ref,
    Thing,
)

from .served import Answer, served


class Product(Dialect):
    """A DCIM of versions 2.1.3 to 3."""

    def check(self) -> None:
        self._known("Product", oldest=(2, 1, 3), below=4)

    def doubled(self, numbers: list[int]) -> list[int]:
        return self._flat(numbers, lambda number: [number, number])


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
    "answer", [{"product-version": "2.1.2"}, {"product-version": "4.0.0"}, {}, []]
)
def test_other_versions_are_refused(answer: object) -> None:
    with (
        served(lambda _request: Answer(200, answer)) as url,
        pytest.raises(DcimError, match=r"below 4\.0, is needed"),
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


def test_work_keeps_its_order() -> None:
    assert product("http://127.0.0.1:9").doubled([1, 2, 3]) == [1, 1, 2, 2, 3, 3]
