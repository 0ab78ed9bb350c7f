# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Sphinx settings of the documentation site; `make docs` builds it without any network."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from docutils.nodes import Element, TextElement
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

OWN = "ansible_collections.spectrum_x."

project = "spectrum_x.fabric"
copyright = "2026, the spectrum_x.fabric authors"  # noqa: A001 (Sphinx wants this name)
title = html_short_title = "Spectrum-X fabrics with Ansible"

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


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("missing-reference", outside)
