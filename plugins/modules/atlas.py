#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: atlas
short_description: Write a fabric as a page to look things up in
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Writes C(atlas.html), one static page that asks nothing of any network. A person types an address, a name,
    C(device:port), a serial, a MAC address or a place into it and sees where that is, the other end of its cable and
    the tenant. A tenant, a rack and a prefix have views of their own.
  - The page shows the fabric from plane and pod down to SU, rack and leaf, the tenants by colour, when the last checks
    ran, and what they found, grouped by cause. A device or link without a result is shown as not checked.
  - Over this lies the last run of playbook C(performance), with its result, what it suspects, and the ports at which
    measurements failed.
  - Beyond 2,048 nodes C(atlas.html) is the index, and each pod has a page of its own, such as C(atlas/pod-001.html).
  - The request is in the page's address, so that a link such as C(atlas.html#172.18.1.2) can be passed on.
  - A second run with the same description, registry and results leaves every byte as it is.
  - Runs on the controller.
options:
  description:
    description: Path of the description; by default that of the inventory source or of the project.
      The registry of tenants is the C(tenants.yml) beside it.
    type: path
  dest:
    description: Folder to write to.
    type: path
    required: true
  report:
    description: Folder of reports whose C(results) folder holds what the last checks found, and whose C(performance)
      folder holds runs of playbook C(performance). Without it the page shows neither.
    type: path
attributes:
  check_mode:
    support: full
    description: Compares without writing.
  diff_mode:
    support: partial
    description: Lists the files that differ.
extends_documentation_fragment:
  - spectrum_x.fabric.controller
"""

EXAMPLES = r"""
- name: Write the page
  spectrum_x.fabric.atlas:
    description: model/fabric.yml
    dest: report
    report: report
"""

RETURN = r"""
page:
  description: The page to open.
  returned: success
  type: str
files:
  description: Number of pages.
  returned: success
  type: int
checks:
  description: Number of results on the pages, by state.
  returned: success
  type: dict
changed_files:
  description: Pages that are new or differ, relative to the folder, at most a hundred.
  returned: success
  type: list
  elements: str
"""
