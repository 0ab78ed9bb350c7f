#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Removes every trace of `make demo`, also of one that was interrupted; works without .venv, by any Python 3.
#
#   demo/down.sh [--keep-images]   a next demo need not make the images again
set -euo pipefail
cd "$(dirname "$0")/.."
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "make demo-down removes containers, which needs root: run it as root or install sudo." >&2; exit 1; }
    exec sudo --preserve-env=PATH demo/down.sh "$@"
fi
name=demo
python=.venv/bin/python
[ -x "$python" ] || python=python3
export PYTHONPATH=$PWD/demo PYTHONDONTWRITEBYTECODE=1
"$python" -m lab.dns stop "$name"
"$python" -m lab down "$name"
rm -rf "build/$name"
tests/setup/tree.sh back
[ "${1:-}" != --keep-images ] || exit 0
# Images are shared with the tests: they go unless another lab is up.
others=$("$python" -m lab list)
[ -n "$others" ] || "$python" -m lab prune
echo "Kept are .venv (make clean removes it), system packages (apt-get)${others:+, and the images, which these labs use: $others}."
