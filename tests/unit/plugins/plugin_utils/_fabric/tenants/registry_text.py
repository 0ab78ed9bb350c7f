# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A registry as a person writes it."""

from __future__ import annotations

TEXT = """\
# The registry of the laboratory.
leaking: false  # not proven yet

tenants:
  # pays on time
  - id: 21
    slug: acme  # the first
    nodes:
      - su01/[01-03]  # all of it
      - su02/h01
  - {id: 22, slug: globex, nodes: ["su02/h02"]}
"""
