#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes a simulated host one of the RPM family: Debian's rpm, dnf and createrepo_c, and none of its dpkg.
#
#   become_rpm.sh [FOLDER]           default /srv/doca
#
# FOLDER/doca/<version>/rhel9/x86_64/   signed packages with their repodata
# FOLDER/keys/release.pub               the public key, in place of the Debian family's
# Then the old stack comes from its packages, and the host says that it is a Rocky Linux 9.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
output=${1:-/srv/doca}
work=$(mktemp -d)
trap 'gpgconf --homedir "$work/gpg" --kill all 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -m 700 "$work/gpg"
export GNUPGHOME=$work/gpg
user=release@nicsim.invalid

make_key() {
    gpg --batch --quiet --pinentry-mode loopback --passphrase '' \
        --quick-generate-key "nicsim release <$user>" rsa2048 sign never 2>/dev/null
    gpg --armor --export "$user" >"$output/keys/release.pub"
    cp "$output/keys/release.pub" "$output/doca/GPG-KEY-Mellanox.pub"
}

build() { # spec folder
    rpmbuild -bb --quiet --define "_topdir $work/rpmbuild" --define "_rpmdir $2" \
        --define '_rpmfilename %{NAME}-%{VERSION}-%{RELEASE}.%{ARCH}.rpm' \
        --define '__os_install_post %{nil}' "$1" >/dev/null 2>&1
}

build_set() { # set
    local path folder specs="$work/$1"
    mkdir "$specs"
    path=$(PYTHONDONTWRITEBYTECODE=1 python3 "$here/make_specs.py" "$here/packages.json" "$1" "$specs")
    folder="$output/rpm/$path"
    [[ $path == doca/* ]] && folder="$output/$path/rhel9/x86_64"
    rm -rf "$folder"
    mkdir -p "$folder"
    for spec in "$specs"/*.spec; do build "$spec" "$folder"; done
    rpmsign --define "_gpg_name $user" --define '__gpg /usr/bin/gpg' --addsign "$folder"/*.rpm >/dev/null 2>&1
    createrepo_c --quiet "$folder"
}

# What a distribution of this family brings anyway.
know_the_shell() {
    printf '%s\n' 'Name: bash' 'Version: 5' 'Release: 1' 'BuildArch: noarch' 'License: none' 'Summary: Stand-in of bash' \
        'Provides: /bin/sh' '%description' 'Stand-in of bash' '%files' >"$work/bash.spec"
    build "$work/bash.spec" "$work/base"
    rpm --force-debian --install "$work"/base/*.rpm
}

# Its headers are there while the stack is built, as in the factory.
install_old_stack() {
    local names headers
    names=$(dpkg-query --show --showformat '${Package}\n' | grep -E '^(mlnx-|doca|mft$|ofed-scripts$|rshim$|mlxbf-)' || true)
    # shellcheck disable=SC2086
    [ -z "$names" ] || dpkg --force-depends --purge $names >/dev/null 2>&1
    headers=/lib/modules/$(uname -r)/build
    [ -e "$headers" ] || mkdir -p "$headers"
    rpm --force-debian --install "$output"/rpm/mlnx-ofed/*.rpm >/dev/null
}

make_key
build_set mlnx-ofed
build_set doca-3.3.0
know_the_shell
install_old_stack
mv /usr/bin/dpkg-query /usr/bin/dpkg-query.debian
printf '%s\n' 'NAME="Rocky Linux"' 'ID="rocky"' 'VERSION_ID="9.5"' >/etc/os-release.new
mv /etc/os-release.new /etc/os-release
