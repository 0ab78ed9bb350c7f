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
  - Of a switch that a description plans it first says which features of its planned document the switch would refuse,
    in one sentence. Each feature is judged by NVIDIA's schema of the release that the switch runs, sent into a draft
    revision in one piece, and read back. A release without a schema is accepted, but not judged.
  - Puts to one switch every question that the collection relies on, and compares the shape of each answer.
  - Puts every kind of document that the collection sends into the same draft, reads it back, and says which
    settings were refused or changed.
  - The draft is never applied. No request of REST is published that deletes one, so that it ends as a copy of what the
    switch runs, and a later run uses it again. Where an answer is no verdict, such as a 401 or a lost connection, the
    run ends with a sentence that names the draft.
  - With O(write) it plays a change of the login banner three times, unconfirmed, confirmed and taken back, and notes
    the states on the way. Breakouts and collectors of a Spectrum-X profile of NVIDIA's (C(system do-spx), 5.18 and
    later) are compared with the planned document. What such a profile generates is not published, and not compared. A
    switch in service is refused.
  - Of a host, which is what the group C(spx_node) holds, it runs each tool once and reads its output with the parsers
    of the collection. Nothing is written there.
  - Writes one file without names, addresses and secrets of the site, to attach to a report of a bug. Where one is
    left in it all the same, no file is written.
  - No description of a fabric is needed, only a device of the inventory. The one that the inventory source, the
    variable C(spx_description) or the environment variable E(SPX_PROJECT) names is read for the planned document.
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
  description: Number of answers with each verdict, V(as expected), V(differs), V(not seen) and V(not asked).
  returned: when the device answered
  type: dict
differs:
  description: Differences, in sentences.
  returned: when the device answered
  type: list
  elements: str
"""
