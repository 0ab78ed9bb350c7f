#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: init
short_description: Write the project of a new fabric
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Writes a folder with everything that a fabric begins with - the description of one of the designs of
    M(spectrum_x.fabric.size_info), an empty registry of tenants, the inventory, the settings of Ansible, a file for
    each hook, examples for CI, and a README with the next commands.
  - The playbooks plan and switches work in that folder without a further edit.
  - It never overwrites. Where another file is in the place of one of the project, it is named and nothing is written.
  - Where a run was ended before it had written all files, the same options write the rest.
  - Runs on the controller.
options:
  dest:
    description: Folder to write to. It need not exist.
    type: path
    required: true
  name:
    description: Name of the fabric.
    type: str
    required: true
  design:
    description: Design that is written, by its number in M(spectrum_x.fabric.size_info).
    type: int
    default: 1
attributes:
  check_mode:
    support: full
    description: Names the files without writing.
  diff_mode:
    support: partial
    description: Lists the files.
extends_documentation_fragment:
  - spectrum_x.fabric.ask
  - spectrum_x.fabric.controller
"""

EXAMPLES = r"""
- name: Begin a fabric
  spectrum_x.fabric.init:
    gpus: 2048
    switch: SN5600
    name: mine
    dest: mine
"""

RETURN = r"""
files:
  description: Number of files of the project.
  returned: success
  type: int
changed_files:
  description: The files, relative to the folder.
  returned: success
  type: list
  elements: str
lines:
  description: Written files, and the next command.
  returned: success
  type: list
  elements: str
"""
