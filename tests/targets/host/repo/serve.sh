#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Serves the repositories over HTTP on loopback only:  serve.sh [FOLDER [PORT [ADDRESS]]]
set -euo pipefail
folder=${1:-/srv/doca}
port=${2:-8099}
address=${3:-127.0.0.1}
exec python3 -m http.server "$port" --bind "$address" --directory "$folder"
