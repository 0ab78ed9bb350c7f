# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The desired state of hosts, as a playbook asks for it."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import zipapp_digest

NODE = "worker-su01-rack01-h01"


def test_a_host_has_its_addresses_its_tenant_and_its_agent(answers):
    ask = "lookup('spectrum_x.fabric.host_desired', {})"
    name, addresses, digest, both = answers(
        ask.format(f"'{NODE}'") + ".name",
        ask.format(f"'{NODE}'") + ".interfaces | map(attribute='address')",
        ask.format(f"'{NODE}'") + ".agent_sha256",
        f"query('spectrum_x.fabric.host_desired', '{NODE}', 'worker-su02-rack01-h01') | length",
    )
    assert (name, addresses, both) == (NODE, ["172.16.0.0", "172.18.0.0"], 2)
    assert digest == zipapp_digest()
