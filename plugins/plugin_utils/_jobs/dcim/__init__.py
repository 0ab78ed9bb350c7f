# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of the playbooks dcim_push and dcim_pull. Private.

``job`` has what a run works on, ``scope`` the parts of the fabric that are asked for, ``comparison`` compares a part
with the DCIM, ``write`` brings the difference there, ``status`` adds what a validation found, ``lines`` has the
lines for a person, and ``pull`` proposes to the project what the DCIM knows better. Nothing is remembered
between runs: each one begins with what the DCIM has, so that the next run goes on where one was ended.
"""
