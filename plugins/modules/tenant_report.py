#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: tenant_report
short_description: Write what was done to a tenant, by whom and when
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Writes JSON files, each replaced as a whole. Beside the given data each holds C(schema), C(fabric), C(who)
    (E(SUDO_USER), else E(USER)), C(when) (UTC), and C(origin), which is the playbook, commit and job as far as known.
  - A report is no change, and none is written in check mode.
  - Runs on the controller.
options:
  reports:
    description: File name without C(.json), and its content.
    type: dict
    required: true
  report:
    description: Folder of the reports; the folder C(report) of the project by default.
    type: path
  description:
    description: Path of the description; by default as the variable C(spx_description) or the project folder says.
    type: path
extends_documentation_fragment:
  - spectrum_x.fabric.controller
seealso:
  - module: spectrum_x.fabric.tenant
"""

EXAMPLES = r"""
- name: Keep what was done
  spectrum_x.fabric.tenant_report:
    report: report
    reports:
      tenant_onboard-acme:
        what: [acme has 2 nodes on 4 leaves]
"""

RETURN = r"""
files:
  description: Paths of the reports.
  returned: success
  type: list
  elements: str
  sample: [report/tenant_onboard-acme.json]
"""
