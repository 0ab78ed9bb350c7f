#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A project, or a slice of it, in containers:
#
#   demo/lab.sh up PROJECT --name NAME [--where su01/h01]    containers, cables, and a copy in build/NAME/project
#   demo/lab.sh play NAME spectrum_x.fabric.switches ...     ansible-playbook with the inventory of the lab
#   demo/lab.sh run NAME COMMAND ...                         any command, in that copy
#   demo/lab.sh model NAME PROJECT                           take the model of the project over again
#   demo/lab.sh seed NAME demo/scenarios/lab/slow_cable.json         what is wrong with its links, for performance tests
#   demo/lab.sh throughput NAME HOST HOST                    Gb/s of TCP between two hosts, by iperf3
#   demo/lab.sh down NAME                                    remove every trace
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "lab.sh cables containers, which needs root: run it as root or install sudo." >&2; exit 1; }
    exec sudo --preserve-env=PATH,SPX_NO_INSTALL "$here/demo/lab.sh" "$@"
fi
trap '"$here/tests/setup/tree.sh" back' EXIT
[ "${1:-}" != up ] || "$here/demo/lab/setup.sh"
PYTHONPATH=$here/demo:$("$here/tests/setup/tree.sh" links) "$here/.venv/bin/python" -m lab.world "$@"
