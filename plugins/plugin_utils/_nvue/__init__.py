# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NVUE as a document and as a service.

From the bottom up: ``document`` has trees, paths, secrets and dialects; ``wire`` connects to one
switch; ``change`` has the whole story, in ``converge``. Nothing here knows a fabric, nothing
imports Ansible.
"""
