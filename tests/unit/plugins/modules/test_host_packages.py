# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""host_packages: what the host's package manager says, in the words of Ansible's facts."""

from __future__ import annotations


def test_what_is_installed_is_read(target):
    result = target.run("host_packages", names=["bash", "no-such-package-here"])
    assert result["changed"] is False
    assert "no-such-package-here" not in result["packages"]
    assert result["system"]["kernel"]
    assert result["system"]["architecture"]
