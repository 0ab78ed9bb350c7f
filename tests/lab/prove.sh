#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     tests/lab/prove.sh                            every story, two at a time
#     tests/lab/prove.sh tests/prove/test_lab.py    one, with pytest's options
#
# The proof with packets; the table of what was seen is left in build/prove/report.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
python=${PYTHON:-.venv/bin/python}
PYTHONPATH=tests:$(tests/setup/tree.sh links)
export PYTHONPATH
[ "$#" -gt 0 ] || set -- tests/prove -n 2 --dist loadfile
command=("$python" -m pytest -q --durations=20 "$@")
if [ "$(id -u)" -ne 0 ]; then
    keep="PATH,PYTHONPATH,CI"
    command=(sudo "--preserve-env=$keep" "${command[@]}")
fi
"${command[@]}" && status=0 || status=$?
cat build/prove/report.md
exit "$status"
