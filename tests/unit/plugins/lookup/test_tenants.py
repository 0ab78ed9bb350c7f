# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Questions about tenants, as a playbook asks them; lists come without Ansible's lazy containers."""

from __future__ import annotations


def test_answers_are_plain_and_refusals_sentences(answers):
    reads, refused = answers(
        "lookup('spectrum_x.fabric.tenants', 'reads', vrfs=['t21-acme'], release='5.16.1')",
        "lookup('spectrum_x.fabric.tenants', 'onboard', tenant='nobody')",
    )
    assert reads
    assert refused.startswith("'nobody' is no tenant of tenants.yml: use one of acme, globex, ")
