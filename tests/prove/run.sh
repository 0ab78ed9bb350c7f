#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     tests/prove/run.sh                            every story, two at a time
#     tests/prove/run.sh tests/prove/test_lab.py    one, with pytest's options
#
# The proof with packets; the table of what was seen is left in build/prove/report.md.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "prove.sh makes network namespaces, which needs root: run it as root or install sudo." >&2; exit 1; }
    exec sudo --preserve-env=PATH,CI,SPX_KEEP,SPX_NO_INSTALL,SPX_LAB_PACKAGES tests/prove/run.sh "$@"
fi
trap 'tests/setup/tree.sh back' EXIT

python=.venv/bin/python
PYTHONPATH=$PWD/demo:$(tests/setup/tree.sh links)
export PYTHONPATH
mapfile -t base < <(demo/lab/setup.sh --base)
[ "${#base[@]}" -eq 0 ] || "$python" -m lab images "${base[@]}" # the stories bring labs up without asking
[ "$#" -gt 0 ] || set -- tests/prove -n 2 --dist loadfile
"$python" -m pytest -q --durations=20 "$@" && status=0 || status=$?
cat build/prove/report.md
exit "$status"
