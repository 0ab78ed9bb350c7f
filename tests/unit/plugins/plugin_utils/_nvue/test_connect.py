# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the variables of a task to the API of its switch."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue import options
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.connect import open_api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import NvueError

NOTHING = dict.fromkeys(options.SPEC)


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
    assert (api.auth.user, api.auth.secrets()) == ("admin", ["hunter22"])
    assert api.requests == 0


def test_a_host_without_an_address_is_reached_by_its_name():
    api = opened(inventory_hostname="leaf-01", spx_nvue_user="a", spx_nvue_password="b")
    assert api.port.target.startswith("leaf-01")


def test_without_credentials_nothing_is_opened():
    with pytest.raises(NvueError, match="No credentials"):
        opened(inventory_hostname="leaf-01")
