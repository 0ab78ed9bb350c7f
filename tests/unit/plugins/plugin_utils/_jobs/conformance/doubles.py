# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A double that runs a little, and the check of it."""

from __future__ import annotations

import contextlib
from unittest import mock

from nvue_double.testing import running_double

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance import check
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.conformance.rows import (
    DIFFERS,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.dialect import (
    to_release,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.connect import open_api

DEVICE = "mars-leaf-7"
RUNNING = {
    "system": {"hostname": DEVICE},
    "interface": {
        "lo": {"type": "loopback", "ipv4": {"address": {"10.77.1.1/32": {}}}},
        "swp1": {"type": "swp"},
        "swp2": {"type": "swp"},
    },
    "vrf": {
        "default": {
            "router": {
                "bgp": {
                    "state": "enabled",
                    "autonomous-system": 65101,
                    "router-id": "10.77.1.1",
                    "neighbor": {"swp1": {"type": "unnumbered", "remote-as": "external"}},
                }
            }
        }
    },
}


def entered(double):
    """The API of a double."""
    args = {"port": double.port, "user": double.username, "password": double.password}
    variables = {"ansible_host": double.host, "inventory_hostname": DEVICE}
    return open_api({**args, "ca": double.ca_file}, variables, lambda value: value)


@contextlib.contextmanager
def switch(*, extra=None, **options):
    """A double with some options, and its API."""
    told = to_release(RUNNING, parse(options.get("release", "5.16.1")))
    with running_double(document=told, serial="MT2314X00042", **options) as double:
        double.switch.operational.extra = extra or {}
        api = entered(double)
        try:
            yield double, api
        finally:
            api.port.close()


def checked(folder, *, write=False, plan=None, documents=True, **options):
    """The whole check of such a double; without the sample `documents` it takes a tenth of the time."""
    with contextlib.ExitStack() as stack:
        double, api = stack.enter_context(switch(**options))
        if not documents:
            stack.enter_context(mock.patch.object(check.sample, "documents", return_value=()))
        found = check.of_switch(api, DEVICE, str(folder), write=write, words=(), plan=plan)
        assert double.violations == []
        return found


def differing(found):
    """Return the differences, by part and question."""
    return {
        f"{row['part']}, {row['question']}": row["found"]
        for row in found.rows
        if row["verdict"] == DIFFERS
    }
