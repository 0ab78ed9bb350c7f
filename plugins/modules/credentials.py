#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: credentials
short_description: Give switches new passwords of automation accounts, and new certificates
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - The work of playbook C(credentials) for one switch. Accounts and passwords are variables of the host, or of the
    environment, as those of O(user) and O(password). They are C(spx_nvue_next_user) and C(spx_nvue_next_password) for
    the account that jobs move to, C(spx_nvue_spare_user) and C(spx_nvue_spare_password) for the one that they leave.
    The latter is O(user) unless stated.
  - A change of a password is confirmed only after a login with it. Otherwise the switch restores the old one.
options:
  do:
    description:
      - V(next) gives the next account its password by the login of the run, unless a login with it works.
      - V(jobs) finds the hook C(credentials) of the site for O(hosts), unless every account has its password.
      - V(spare) gives the spare account its password by the login of the next one.
      - V(certificate) renews the certificate of the API where C(switch.certificate) would fail.
    type: str
    choices: [certificate, jobs, next, spare]
    required: true
  command:
    description:
      - Program of the site that issues a certificate, called with the name and the address of the switch.
      - It prints a JSON object with C(certificate) (PEM) and the parameters of NVUE's import, such as C(uri-bundle) and
        C(passphrase).
    type: path
  hosts:
    description: Switches that V(jobs) is about.
    type: list
    elements: str
    default: []
  moved:
    description: Whether somebody has moved the jobs already, so that no hook is needed.
    type: bool
    default: false
  description:
    description: Path of the description; by default that of the inventory source or of the project.
    type: path
extends_documentation_fragment:
  - spectrum_x.fabric.nvue
seealso:
  - module: spectrum_x.fabric.switch
"""

EXAMPLES = r"""
- name: Give the next account its password
  spectrum_x.fabric.credentials:
    do: next
"""

RETURN = r"""
changes:
  description: Leaves that differed, sorted by path, secrets masked; null is an absent leaf.
  returned: when the switch was changed
  type: list
  elements: dict
"""
