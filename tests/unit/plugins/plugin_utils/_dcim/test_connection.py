# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The choice of a dialect."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.connection import (
    netbox_authorization,
    open_dcim,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.nautobot import Nautobot
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.netbox import NetBox
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._dcim.port import DcimError


def test_a_netbox_is_opened_without_a_request() -> None:
    dcim = open_dcim("netbox", "https://netbox.example.com", "nbt_a.b")
    assert isinstance(dcim, NetBox)
    assert dcim.name == "NetBox"
    dcim.close()


def test_a_nautobot_is_opened_without_a_request() -> None:
    dcim = open_dcim("nautobot", "https://nautobot.example.com", "0123")
    assert isinstance(dcim, Nautobot)
    dcim.close()


@pytest.mark.parametrize(
    "dialect, url, token, said",
    [
        ("ralph", "https://ralph.example.com", "t", "kind is 'ralph'; one of netbox, nautobot"),
        ("netbox", "netbox.example.com", "t", "is not the address of a DCIM"),
    ],
)
def test_what_a_user_gave_wrong(dialect: str, url: str, token: str, said: str) -> None:
    with pytest.raises(DcimError) as found:
        open_dcim(dialect, url, token)
    assert said in str(found.value)


@pytest.mark.parametrize("token, header", [("nbt_a.b", "Bearer nbt_a.b"), ("0123", "Token 0123")])
def test_both_versions_of_netbox_tokens(token: str, header: str) -> None:
    assert netbox_authorization(token) == header
