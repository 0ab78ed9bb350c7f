# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions about a change of tenants; nothing is changed."""

from __future__ import annotations


def test_which_hooks_a_site_has(project, results):
    folder = project / "hooks"
    folder.mkdir()
    (folder / "wipe.yml").write_text("- ansible.builtin.debug: {msg: wiped}\n")
    task = {"question": "hooks", "folders": [str(folder)]}
    (found,) = results({"spectrum_x.fabric.tenant_plan": task})
    assert found["changed"] is False
    assert "wipe" in str(found["answer"])


def test_an_unknown_tenant_is_refused(results):
    (found,) = results(
        {"spectrum_x.fabric.tenant_plan": {"question": "onboard", "tenant": "nobody"}}
    )
    assert found["failed"]
    assert "nobody" in found["msg"]
