#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs a command in a project whose switches are doubles on loopback. No root, no containers:
#
#   demo/doubles.sh ansible-playbook spectrum_x.fabric.switches --check -e spx_report=report
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
PYTHONPATH=$here/demo:$here/tests/targets/switch exec python3 -m lab.doubles "$@"
