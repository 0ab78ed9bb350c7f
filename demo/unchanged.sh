#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs a playbook that has run before, and fails unless the summary at its end says changed=0:
#
#     unchanged.sh ansible-playbook -v ...
set -euo pipefail
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
if grep --quiet 'Callback dispatch' "$log"; then
    echo "'$*' had a fault in a callback, which hides failures: report the line above that names it as a bug." >&2
    exit 1
fi
if ! grep --quiet --line-regexp 'ends with 0: .*, changed=0' "$log"; then
    echo "'$*' was to end with changed=0 the second time, and ended with '$(tail -n 1 "$log")':" \
        "the lines above that begin with 'changed:' name the tasks; report them as a bug." >&2
    exit 1
fi
