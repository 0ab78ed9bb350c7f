#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Turns a Debian system (packages.txt installed) into a simulated GPU host. Run as root at
# image build, from any folder:
#
#   install.sh [--profile NAME] [--root DIR]
#
# --root works on an unpacked root file system through chroot.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
profile=bf3-nic-2rail
root=
while [[ $# -gt 0 ]]; do
    case $1 in
        --profile) profile=$2; shift 2 ;;
        --root) root=${2%/}; shift 2 ;;
        *) echo "install.sh: unknown option $1; allowed are --profile and --root" >&2; exit 1 ;;
    esac
done
inside() { if [[ -n $root ]]; then chroot "$root" "$@"; else "$@"; fi; }

copy_files() {
    mkdir -p "$root/opt/nicsim" "$root/etc/nicsim" "$root/usr/local/sbin" "$root/usr/local/bin"
    rm -rf "$root/opt/nicsim/nicsim"
    cp -r "$here/nicsim" "$here/bin" "$here/repo" "$root/opt/nicsim/"
    find "$root/opt/nicsim" -name __pycache__ -prune -exec rm -rf {} +
    cp "$here"/systemd/*.service "$here"/systemd/*.path "$root/etc/systemd/system/"
    cp "$here/systemd/boot-units" "$root/etc/nicsim/boot-units"
    echo "$profile" >"$root/etc/nicsim/profile"
    ln -sf /opt/nicsim/bin/nicsim "$root/usr/local/sbin/nicsim"
}

# What a package installs is a link to /opt/nicsim/bin/<tool>; what stands for the kernel or
# the chassis is there from the beginning.
link_tools() {
    local tool
    for tool in $(inside env PYTHONPATH=/opt/nicsim /usr/bin/python3 -c 'from nicsim.dispatch import TOOLS
print(*TOOLS)'); do
        ln -sf nicsim-tool "$root/opt/nicsim/bin/$tool"
    done
    # shellcheck disable=SC2016
    printf '#!/bin/sh\n[ "$1" = trigger ] && exec /opt/nicsim/bin/udevadm "$@"\nexec /usr/bin/udevadm "$@"\n' \
        >"$root/usr/local/sbin/udevadm"
    chmod 755 "$root/usr/local/sbin/udevadm"
    for tool in ethtool devlink rdma dcb lspci setpci ipmitool lsmod modinfo modprobe; do
        ln -sf "/opt/nicsim/bin/$tool" "$root/usr/local/sbin/$tool"
    done
    for tool in ib_write_bw ib_write_lat all_reduce_perf all_gather_perf reduce_scatter_perf alltoall_perf sendrecv_perf \
        mpirun srun; do
        ln -sf "/opt/nicsim/bin/$tool" "$root/usr/local/bin/$tool"
    done
    divert /usr/sbin/reboot reboot
    divert /usr/sbin/shutdown shutdown
    divert /usr/sbin/ethtool ethtool
    divert /usr/bin/rdma rdma
}

# Callers that name the path outright meet the stand-in too; it hands over to *.distrib.
divert() { # path tool
    local path=$1
    [[ -e $root$path || -L $root$path ]] || path=${path#/usr}
    [[ -e $root$path || -L $root$path ]] || return 0
    inside dpkg-divert --local --quiet --rename --divert "$path.distrib" --add "$path"
    ln -sf "/opt/nicsim/bin/$2" "$root$path"
}

build_repository() {
    local os
    os=$(. "$root/etc/os-release"; echo "$ID${VERSION_ID:-}")
    inside /opt/nicsim/repo/build.sh /srv/doca "$os"
}

# The factory state: an old OFED stack, installed from its packages.
install_old_stack() {
    # shellcheck disable=SC2016
    inside bash -c 'mkdir -p "/lib/modules/$(uname -r)/build"; dpkg --install /srv/doca/mlnx-ofed/*.deb >/dev/null
        rm -rf "/lib/modules/$(uname -r)"'
}

make_images() {
    inside /opt/nicsim/bin/nicsim make-bfb /srv/firmware/bf-fwbundle-2.10.0-147_25.01-prod.bfb --nic-fw 32.44.1036
    inside /opt/nicsim/bin/nicsim make-bfb /srv/firmware/bf-fwbundle-3.3.0-202_26.01-prod.bfb --nic-fw 32.48.1000
    inside /opt/nicsim/bin/nicsim make-bfb /srv/firmware/bf-bundle-3.3.0-202_26.01_ubuntu-24.04_64k_prod.bfb --nic-fw 32.48.1000 \
        --dpu '{"atf": "v2.2(release):4.14.0-41", "uefi": "4.14.0-46", "bsp": "4.14.0.13878", "os_release": "DOCA_3.3.0_BSP_4.14.0_Ubuntu_24.04.prod"}'
    inside /opt/nicsim/bin/nicsim make-image /srv/firmware/fw-ConnectX8-rel-40_48_1120.bin --psid MT_0000001222 --version 40.48.1120
    inside /opt/nicsim/bin/nicsim make-image /srv/firmware/fw-ConnectX8-other.bin --psid MT_0000009999 --version 40.48.1120
}

# The kernel is the machine's and speaks of every cable of every lab: no journal of a host keeps that.
leave_the_kernel_out() {
    mkdir -p "$root/etc/systemd/journald.conf.d"
    printf '[Journal]\nReadKMsg=no\n' >"$root/etc/systemd/journald.conf.d/container.conf"
}

# The sysfs view for everything that systemd or sshd starts.
publish_environment() {
    mkdir -p "$root/etc/systemd/system.conf.d"
    printf '[Manager]\nDefaultEnvironment="SPX_SYSFS_ROOT=/run/nicsim/sys"\n' >"$root/etc/systemd/system.conf.d/nicsim.conf"
    grep -qs SPX_SYSFS_ROOT "$root/etc/environment" || echo 'SPX_SYSFS_ROOT=/run/nicsim/sys' >>"$root/etc/environment"
}

copy_files
leave_the_kernel_out
link_tools
build_repository
install_old_stack
make_images
inside /usr/bin/python3 -m compileall -q /opt/nicsim/nicsim
publish_environment
inside systemctl enable --quiet nicsim-boot.service nicsim-cabled.path nicsim-watch.service nicsim-serve.service nicsim-repository.service ssh.service
