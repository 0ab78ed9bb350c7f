# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of a device in its DCIM: build/dcim-netbox.png and build/dcim-nautobot.png.

The pictures of the documentation are these files, copied to docs/docsite/rst/images.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from atlas.browser import Browser, Page, binary
from dcim.installed import ROOT
from dcim.project import Project
from dcim.rest import one
from dcim.servers import Server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(binary() is None, reason="There is no Chromium: make packages installs it."),
]
LEAF = "leaf-p1-su001-r1"
NODE = "worker-su01-rack01-h01"
SIGN_IN = """
for (const name of ["username", "password"])
    document.querySelector(`#id_${name}`).value = "spx";
document.querySelector("#id_password").form.submit()
"""


def signed_in(browser: Browser, server: Server) -> Page:
    """A page of a person who has signed in."""
    page = browser.open(f"{server.url}/login/", width=1900, height=900)
    page.eval(SIGN_IN)
    page.wait("document.readyState === 'complete' && !location.pathname.startsWith('/login')")
    return page


def test_a_person_sees_the_cables_of_a_device(
    pushed: Project, server: Server, tmp_path: Path
) -> None:
    device = one(server, "dcim/devices", LEAF)
    with Browser(tmp_path / "profile") as browser:
        page = signed_in(browser, server)
        page.go(f"{server.url}/dcim/devices/{device['id']}/interfaces/")
        page.wait(f"document.body.innerText.includes({NODE!r})")
        page.screenshot(ROOT / "build" / f"dcim-{server.kind}.png")
