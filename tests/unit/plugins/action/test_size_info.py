# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The size playbook as somebody runs it who has nothing but a number."""

from __future__ import annotations

from playing import extra_vars, play


def size(folder, **variables):
    """Nothing in it connects to anything, and nothing has to be there."""
    code, output = play(
        folder, "-i", "localhost,", "spectrum_x.fabric.size", *extra_vars(variables)
    )
    assert "Traceback" not in output
    return code, output


def test_designs_are_side_by_side_in_an_empty_folder(tmp_path):
    code, output = size(tmp_path, spx_gpus=2048, spx_switch="SN5600")
    assert code == 0, output
    lines = output.splitlines()
    (switches,) = [line for line in lines if line.startswith("switches")]
    assert switches.split("  ")[0] == "switches"
    assert "64, later 96" in switches
    assert len(lines) <= 50
    assert (
        "Write one: ansible-playbook spectrum_x.fabric.init -e spx_gpus=2048 -e spx_switch=SN5600 -e spx_design=1"
        in output
    )
    assert list(tmp_path.iterdir()) == []


def test_what_does_not_fit_or_is_not_known_is_one_sentence(tmp_path):
    code, output = size(tmp_path, spx_gpus=600_000)
    assert code == 2
    assert "600000 GPUs do not fit three tiers of the SN5600: use 524288 or fewer." in output
    code, output = size(tmp_path, spx_gpus=64, spx_switch="SN56000")
    assert code == 2
    assert "variable spx_switch: 'SN56000' is not in the catalog, did you mean 'SN5600'" in output


def test_the_number_of_gpus_is_needed(tmp_path):
    code, output = size(tmp_path)
    assert code == 2
    assert "variable spx_gpus: this playbook needs it: add -e spx_gpus=..." in output


def test_zero_is_a_wrong_number_and_no_absent_one(tmp_path):
    code, output = size(tmp_path, spx_gpus=0, spx_rails=0)
    assert code == 2
    assert "variable spx_gpus: 0 is not allowed: use a whole number of 1 or more." in output
    assert "variable spx_rails: 0 is not allowed: use a whole number from 1 to 8." in output
