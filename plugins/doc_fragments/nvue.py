# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The options by which every NVUE action finds and enters a switch."""

from __future__ import annotations


class ModuleDocFragment:
    """Connection options, C(extends_documentation_fragment: spectrum_x.fabric.nvue)."""

    DOCUMENTATION = r"""
options:
  host:
    description:
      - Address or name of the switch's management interface.
      - Defaults to C(ansible_host), and without one to the inventory name.
      - Host variable C(spx_nvue_host).
    type: str
  port:
    description:
      - TCP port of the NVUE API, 8765 unless it was changed on the switch.
      - Host variable C(spx_nvue_port).
    type: int
  user:
    description:
      - Account of the switch. Writing needs the role C(system-admin) or C(nvue-admin), snippets
        C(system-admin); reading is allowed to C(nvue-monitor).
      - Host variable C(spx_nvue_user), environment variable E(SPX_NVUE_USER).
    type: str
  password:
    description:
      - Password of the account.
      - Host variable C(spx_nvue_password), environment variable E(SPX_NVUE_PASSWORD).
    type: str
  token:
    description:
      - A JSON web token of the switch (Cumulus Linux 5.14 and newer), instead of O(password) or
        beside it. With the password an expired token is renewed.
      - With user and password alone, one token is fetched before the first write.
      - Host variable C(spx_nvue_token), environment variable E(SPX_NVUE_TOKEN).
    type: str
  ca:
    description:
      - PEM file, or folder of hashed certificates, of the authority that signed the switch's
        certificate. Without it the authorities of the controller's system are trusted.
      - Host variable C(spx_nvue_ca), environment variable E(SPX_NVUE_CA).
    type: path
  server_name:
    description:
      - Name that the certificate of the switch bears, where it is not the address dialled.
      - Host variable C(spx_nvue_server_name).
    type: str
  validate_certs:
    description:
      - Whether the certificate of the switch is verified. Defaults to V(true).
      - Host variable C(spx_nvue_validate_certs).
    type: bool
  timeout:
    description:
      - Longest time in seconds for one request, from the connection to the last byte of the answer, V(1) to
        V(600), by default V(30).
      - Host variable C(spx_nvue_timeout).
    type: int
notes:
  - Everything runs on the controller over HTTPS; no connection to the host is opened and nothing
    is installed on it.
  - The options can be given once for all tasks of a play in C(module_defaults) of
    C(group/spectrum_x.fabric.nvue).
  - A switch that gives no usable answer makes the host unreachable, everything else makes the task fail. An
    answer is usable if its status, length, content type and shape are those of the question. A redirect is
    never followed.
  - A switch whose certificate is not trusted makes the task fail with C(untrusted) in the result.
"""
