# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to be read of a host, and what becomes of one that is not asked."""

from __future__ import annotations

NODE = "worker-su01-rack01-h01"


def test_what_is_tried_depends_on_who_is_asked(project, results):
    registry = "tenants: [{id: 21, slug: acme, nodes: ['su01/h01'], host_access: managed}]\n"
    (project / "model" / "tenants.yml").write_text(registry)
    task = "spectrum_x.fabric.validate"
    read, elsewhere, silent = results(
        {task: {"of": "host", "device": NODE}},
        {task: {"of": "host", "device": NODE, "where": "su02"}},
        {task: {"of": "host", "device": NODE, "observed": {"unreachable": "no route"}}},
    )
    assert read["todo"] == "read"
    assert read["attempts"]
    assert elsewhere["todo"] == "skip"
    assert silent["unreachable"]
    assert silent["msg"] == "no route"
