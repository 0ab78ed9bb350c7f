# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of a run, as `hosts`, `serial` and the arguments of tasks read them."""

from __future__ import annotations

RECORDS = {
    "variables": {"spx_nodes": ["su01"], "spx_wait": 5},
    "batches": {"first": [], "sizes": [1, 2]},
}
ASKED = [
    "lookup('spectrum_x.fabric.run', 'variables').spx_nodes",
    "lookup('spectrum_x.fabric.run', 'variables').spx_dest | default('none')",
    "lookup('spectrum_x.fabric.run', 'batches.first', default='localhost:!localhost')",
    "lookup('spectrum_x.fabric.run', 'batches.sizes', default=[1])",
    "lookup('spectrum_x.fabric.run', 'host_batches.sizes', default=[1])",
    "query('spectrum_x.fabric.run', 'variables.spx_wait', 'job')",
    "lookup('spectrum_x.fabric.run', 'works')",
]


def test_records_and_what_is_in_their_place(results):
    tasks = [{"ansible.builtin.debug": {"msg": f"{{{{ {text} }}}}"}} for text in ASKED]
    _begun, *rows, refused = results({"keep": RECORDS}, *tasks)
    assert [row["msg"] for row in rows] == [
        ["su01"],
        "none",
        "localhost:!localhost",
        [1, 2],
        [1],
        [5, {}],
    ]
    assert refused["msg"].startswith("run store: 'works' is not a record of a run: use variables, ")
