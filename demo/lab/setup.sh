#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Installs what the lab needs on this machine and does not find, from Debian's or Ubuntu's packages.
#
#   setup.sh            install what is missing and say so
#   setup.sh --check    install nothing; exit 1 when something is missing
#   setup.sh --base     print the option that `lab up` needs here: --pull where no base can be made of packages
#
# SPX_NO_INSTALL=1 forbids installing, as --check does. A docker that answers counts as an engine. Where there is
# neither apt-get nor mmdebstrap with Debian's keys, the engine pulls the base.
set -euo pipefail

PATH=$PATH:/usr/sbin:/sbin
keys=/usr/share/keyrings/debian-archive-keyring.gpg
have() { command -v "$1" >/dev/null 2>&1; }
bootstraps() { have apt-get || { have mmdebstrap && [[ -e $keys ]]; }; }

check=${SPX_NO_INSTALL:-}
case ${1:-} in
    --check) check=1 ;;
    --base) bootstraps || echo --pull; exit 0 ;;
    "") ;;
    *) echo "lab setup: unknown option $1; allowed are --check and --base" >&2; exit 2 ;;
esac

missing=()
need() { have "$1" || missing+=("$2"); }

need git git
need ip iproute2
need nsenter util-linux
need openssl openssl
need ssh-keygen openssh-client
if bootstraps; then
    need mmdebstrap mmdebstrap
    [[ -e $keys ]] || missing+=(debian-archive-keyring)
fi
if ! docker info >/dev/null 2>&1; then
    need podman podman
    # The lab falls back to runc where another runtime does not run: it comes along where that costs nothing.
    if ! have crun || { [[ -z $check && $EUID -eq 0 ]] && have apt-get; }; then
        need runc runc
    fi
fi

if [[ ${#missing[@]} -eq 0 ]]; then
    echo "lab setup: nothing is missing"
    exit 0
fi
if [[ -n $check ]]; then
    echo "lab setup: missing are ${missing[*]}; install them, or allow demo/lab/setup.sh to" >&2
    exit 1
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "lab setup: missing are ${missing[*]}; there is no apt-get here, install what your system calls them" >&2
    exit 1
fi
if [[ $EUID -ne 0 ]]; then
    echo "lab setup: missing are ${missing[*]}; installing them needs root, use sudo" >&2
    exit 1
fi
echo "lab setup: installing ${missing[*]} with apt-get"
export DEBIAN_FRONTEND=noninteractive
wait_for_others=(-o DPkg::Lock::Timeout=120)
apt-get "${wait_for_others[@]}" update -qq
apt-get "${wait_for_others[@]}" install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
echo "lab setup: installed ${missing[*]}"
