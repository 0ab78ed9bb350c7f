# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sphinx settings of the documentation site; `make docs` builds it without any network."""

from __future__ import annotations

import pathlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docutils.nodes import Element, TextElement
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

HOME = pathlib.Path(__file__).with_name("home.rst")
OWN = "ansible_collections.spectrum_x."
KINDS = {
    "Callback": "Callbacks",
    "Filter": "Filters",
    "Inventory": "Inventory source",
    "Lookup": "Lookups",
    "Role": "Roles",
}
"""Captions in the navigation, by what antsibull-docs calls the plugins."""

project = "spectrum_x.fabric"
copyright = "2026, the spectrum_x.fabric authors"  # noqa: A001 (Sphinx wants this name)
title = html_title = html_short_title = "NVIDIA Spectrum-X fabrics with Ansible"

extensions = ["sphinx_antsibull_ext"]
highlight_language = "YAML+Jinja"
pygments_style = "ansible"
html_theme = "sphinx_ansible_theme"
html_show_sphinx = False
html_use_smartypants = True
html_theme_options = {
    "vcs_pageview_mode": "edit",
    "documentation_home_url": "index.html",
    "topbar_links": {},
}


def outside(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, contnode: TextElement
) -> Element | None:
    """Let a reference to Ansible's own pages stand as text; one to a page of ours must resolve."""
    return None if str(node.get("reftarget", "")).startswith(OWN) else contnode


def named(text: str) -> str:
    """Hidden lists of plugins and roles, with the heading above as caption and the plugins' own names."""
    caption, lines = "", text.splitlines()
    for number, line in enumerate(lines):
        if re.fullmatch(r"[~-]{3,}", line):
            caption = lines[number - 1].removesuffix(" Plugins").removesuffix(" Index")
        if line == "    :hidden:":
            lines[number] = f"{line}\n    :caption: {KINDS.get(caption, caption)}"
        if entry := re.fullmatch(r"    (\w+)_(module|callback|filter|inventory|lookup|role)", line):
            lines[number] = f"    {entry[1]} <{line.strip()}>"
    return "\n".join(lines) + "\n"


def front_page(app: Sphinx, page: str, source: list[str]) -> None:
    """Give the front page a title as people write it, and the navigation named parts and short names.

    antsibull-docs writes a heading above each list of pages; the theme shows in the navigation what a
    list has as its caption. What it writes about the collection gives way to `home.rst`.
    """
    if page != "index":
        return
    home = HOME.read_text(encoding="utf-8")
    text = re.sub(
        r"^Spectrum_X\.Fabric\n=+$", f"{title}\n{'=' * len(title)}", source[0], flags=re.M
    )
    text = re.sub(
        r"^(.+)\n-+\n\n(\.\. toctree::\n    :maxdepth: 1)$",
        r"\2\n    :caption: \1",
        text,
        flags=re.M,
    )
    about = re.compile(r"^Collection version .*?(?=^\.\. (?:ansible-links|toctree)::)", re.M | re.S)
    source[0] = named(about.sub(lambda _found: f"{home}\n", text, count=1))


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("source-read", front_page)
    app.connect("missing-reference", outside)
