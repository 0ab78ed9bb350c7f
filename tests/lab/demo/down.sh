#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Removes every trace of `make demo`, also of one that was interrupted.
set -euo pipefail
cd "$(dirname "$0")/../../.."
if [ "$(id -u)" -ne 0 ]; then
    exec sudo --preserve-env=PATH,PYTHON "$0" "$@"
fi
python=$(realpath -s "${PYTHON:-.venv/bin/python}")
PYTHONPATH=$PWD/tests:$(tests/setup/tree.sh links)
export PYTHONPATH
"$python" tests/lab/demo/dns.py stop demo
"$python" -m lab.world down demo
