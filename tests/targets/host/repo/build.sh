#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds the signed repositories of stand-in packages.
#
#   build.sh OUTPUT [OS [ARCH]]      default OS debian12, ARCH x86_64
#
# OUTPUT/doca/<version>/<OS>/<ARCH>/   flat repositories (apt line: "deb [...] URL ./")
# OUTPUT/mlnx-ofed/                    the old stack (installed into the image, not served)
# OUTPUT/doca/GPG-KEY-Mellanox.pub     the public key, also inside every <OS>/<ARCH> folder
# OUTPUT/keys/{release,unknown}.pub    the right key and one that signed nothing
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
output=$(mkdir -p "$1" && cd "$1" && pwd)
os=${2:-debian12}
arch=${3:-x86_64}
work=$(mktemp -d)
trap 'gpgconf --homedir "$work/gpg" --kill all 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -m 700 "$work/gpg"
gpg=(gpg --homedir "$work/gpg" --batch --quiet --pinentry-mode loopback --passphrase '')

make_key() { # name
    "${gpg[@]}" --quick-generate-key "nicsim $1 <$1@nicsim.invalid>" rsa2048 sign never 2>/dev/null
    mkdir -p "$output/keys"
    "${gpg[@]}" --armor --export "$1@nicsim.invalid" >"$output/keys/$1.pub"
}

release_file() { # folder label
    (
        cd "$1"
        apt-ftparchive packages . >Packages
        gzip -9kn Packages
        apt-ftparchive -o "APT::FTPArchive::Release::Origin=nicsim" \
            -o "APT::FTPArchive::Release::Label=$2" \
            -o "APT::FTPArchive::Release::Suite=./" \
            -o "APT::FTPArchive::Release::Architectures=all amd64 arm64" release . >Release.new
        mv Release.new Release
        "${gpg[@]}" --local-user release@nicsim.invalid --armor --detach-sign --output Release.gpg Release
        "${gpg[@]}" --local-user release@nicsim.invalid --clearsign --output InRelease Release
        cp "$output/keys/release.pub" GPG-KEY-Mellanox.pub
    )
}

build_set() { # set
    local tree="$work/$1" path folder
    mkdir "$tree"
    path=$(python3 "$here/make_tree.py" "$here/packages.json" "$1" "$tree")
    folder="$output/$path"
    [[ $path == doca/* ]] && folder="$folder/$os/$arch"
    rm -rf "$folder"
    mkdir -p "$folder"
    for package in "$tree"/*; do
        dpkg-deb --root-owner-group -Zgzip --build "$package" "$folder" >/dev/null
    done
    release_file "$folder" "$1"
    local packages=("$folder"/*.deb)
    echo "$1: ${#packages[@]} packages in $folder"
}

rm -rf "$output/keys"
make_key release
make_key unknown
for set in mlnx-ofed doca-2.10.0 doca-3.3.0; do
    build_set "$set"
done
cp "$output/keys/release.pub" "$output/doca/GPG-KEY-Mellanox.pub"
