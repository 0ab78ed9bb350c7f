#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
#     tests/kernel/run.sh                                what `make test` runs
#     tests/kernel/run.sh tests/kernel/slow_rails.py     one file, with pytest's options
#
# Exits with 77 where neither this machine's kernel nor a guest's can run them. Output is left in build/kernel/.
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "run.sh makes network namespaces, which needs root: run it as root or install sudo." >&2; exit 1; }
    exec sudo --preserve-env=PATH,CI,SPX_LAB_CACHE tests/kernel/run.sh "$@"
fi
trap 'tests/setup/tree.sh back' EXIT

PYTHONPATH=$PWD/demo:$(tests/setup/tree.sh links)
export PYTHONPATH
# Tests reach loopback only, so the guest's kernel is downloaded before them. Where it cannot be, they say why.
.venv/bin/python -m lab.guest_kernel || true
# What slow_hosts.py and slow_takeover.py need is unpacked and never installed; the tests themselves have no route to a mirror.
case " $* " in
    *slow_hosts* | *slow_takeover*)
        rm -rf build/kernel/packages
        mkdir -p build/kernel/packages
        (
            cd build/kernel/packages
            apt-get -qq -o APT::Sandbox::User=root -o Acquire::Retries=3 download \
                network-manager libnm0 libndp0 libpsl5 libcurl3-gnutls netplan.io libnetplan0 \
                python3-netifaces python3-rich
            for package in *.deb; do dpkg-deb --extract "$package" .; done
        )
        ;;
esac
[ "$#" -gt 0 ] || set -- tests/kernel
.venv/bin/python -m pytest -q --durations=3 "$@"
