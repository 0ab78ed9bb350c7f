#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: conformance
short_description: Find out whether a device answers as the collection expects
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Puts to one switch every question that the collection relies on, and compares the shape of each answer.
  - Puts every kind of document that the collection sends into one draft revision, reads it back, and says which
    settings were refused or changed. The draft is never applied. REST cannot delete it, so that a later run uses it
    again.
  - With O(write) it plays a change of the login banner three times, unconfirmed, confirmed and taken back, and notes
    the states on the way. A switch in service is refused.
  - Of a host, which is what the group C(spx_node) holds, it runs each tool once and reads its output with the parsers
    of the collection. Nothing is written there.
  - Writes one file without names, addresses and secrets of the site, to attach to a report of a bug. Where one is
    left in it all the same, no file is written.
  - No description of a fabric is needed, only a device of the inventory.
options:
  report:
    description: Folder of reports; the file goes to its folder C(conformance).
    type: path
    required: true
  write:
    description: Whether a change is played. For a switch that carries nothing.
    type: bool
    default: false
attributes:
  check_mode:
    support: partial
    description: Writes the same draft, which changes nothing that a switch runs. O(write) is refused.
extends_documentation_fragment:
  - spectrum_x.fabric.controller
  - spectrum_x.fabric.nvue
"""

EXAMPLES = r"""
- name: Find out whether the switch answers as expected
  spectrum_x.fabric.conformance:
    report: report
"""

RETURN = r"""
file:
  description: The file to attach.
  returned: when the device answered
  type: str
counts:
  description: How many answers have each verdict, V(as expected), V(differs), V(not seen) and V(not asked).
  returned: when the device answered
  type: dict
differs:
  description: What differs, in sentences.
  returned: when the device answered
  type: list
  elements: str
"""
