#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     tests/dcim/run.sh                 the lab, on the servers whose databases are in the cache
#     tests/dcim/run.sh --all           installs what is missing, fills the cache, runs the slow scenarios as well
#
# Further words are pytest's. Exits with 77 where this machine has neither server.
set -euo pipefail
cd "$(dirname "$0")/../.."
PATH=$PWD/.venv/bin:$PATH
export PYTHONPATH=tests
chosen=(-m "not slow")
if [ "${1:-}" = --all ]; then
    shift
    chosen=()
    python -m dcim.servers prepare
    python -c 'from dcim import community; community.fetch()'
fi
kinds=$(python -m dcim.servers ready)
# Each server has a process of its own, which has all tests of it.
apart=()
for kind in $kinds; do apart+=(--tx "popen//env:SPX_DCIM=$kind"); done
python -m pytest -q --durations=5 --dist=each "${apart[@]}" "${chosen[@]}" tests/dcim "$@"
