#!/usr/bin/env bash
# The one list of Debian and Ubuntu packages that development and the tests need beside Python.
#
#   packages.sh [GROUP ...]     installs what is missing of these groups (all but dcim by default)
#
# As root it installs, or by sudo, which may ask for a password where there is a terminal; otherwise it prints
# the command and goes on, so that the stages which need nothing of it still run. Daemons that come along are
# not started.
set -euo pipefail

ubuntu() { grep -qs '^ID=ubuntu' /etc/os-release; }

# What boots a guest whose kernel has VRFs, where the machine's own may have none. The guest's kernel is a package too;
# demo/lab/guest_kernel.py unpacks it below build/ and never installs it.
guest() {
    [ "$(uname -m)" != x86_64 ] || echo qemu-system-x86 kmod zstd
}

declare -A packages=(
    # the environment itself
    [base]="git make python3-venv openssh-client shellcheck"
    # images from Debian packages, and an engine to run them
    [containers]="podman runc mmdebstrap fuse-overlayfs iproute2 iputils-ping dpkg-dev apt-utils gpg gpg-agent"
    # namespaces of this machine as switches with real routing daemons, a guest, what measures paths, DHCP and its relay
    [lab]="$(grep -v '^#' "$(dirname "$0")/../targets/switch/packages.txt" | xargs) iperf3 perftest busybox-static dnsmasq-base $(guest)"
    # the tools of BIND, and `dig -x`, against the exported zones
    [dns]="bind9-dnsutils bind9-utils nsd"
    # what judges rules and configurations of monitoring, and takes their alerts
    [monitoring]="prometheus prometheus-alertmanager prometheus-node-exporter"
    # a headless browser for the atlas (Ubuntu has it as a snap only)
    [browser]="$(ubuntu || echo chromium fonts-dejavu-core)"
    # what Nautobot and NetBox keep their data in, and what builds NetBox's driver for it: only `make dcim` wants them
    [dcim]="postgresql redis-server gcc libpq-dev python3-dev"
)

groups=("$@")
[ ${#groups[@]} -gt 0 ] || groups=(base containers lab dns monitoring browser)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    wanted=()
    for group in "${groups[@]}"; do wanted+=("${packages[$group]}"); done
    echo "This system has no apt: install the counterparts of these yourself: ${wanted[*]}"
    exit 0
fi

missing=()
for group in "${groups[@]}"; do
    for package in ${packages[$group]}; do
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
        [ "$state" = installed ] || [[ " ${missing[*]} " == *" $package "* ]] || missing+=("$package")
    done
done
[ ${#missing[@]} -gt 0 ] || exit 0

# Whether sudo works, with the password of a person if there is one to ask.
may_sudo() {
    sudo -n true 2>/dev/null && return
    [ -t 0 ] && command -v sudo >/dev/null || return
    echo "Missing packages, for which sudo may ask for your password: ${missing[*]}"
    sudo --validate
}

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    as_root=(sudo)
    if ! may_sudo; then
        echo "Missing packages; install them with: sudo apt-get install --no-install-recommends ${missing[*]}"
        exit 0
    fi
fi

# A policy that forbids starting daemons while packages are installed, unless the site has its own.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    trap '"${as_root[@]}" rm -f "$policy"' EXIT
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null
    "${as_root[@]}" chmod 755 "$policy"
fi

apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get --quiet --quiet -o DPkg::Lock::Timeout=300)
echo "Installing ${missing[*]}"
"${apt[@]}" update
"${apt[@]}" install --yes --no-install-recommends "${missing[@]}" >/dev/null

# Nor do daemons that were not here before start with the next boot: routing, discovery, a name server on port 53,
# databases.
if command -v systemctl >/dev/null; then
    for service in frr lldpd nsd postgresql redis-server prometheus prometheus-alertmanager prometheus-node-exporter; do
        [[ " ${missing[*]} " != *" $service "* ]] ||
            "${as_root[@]}" systemctl disable --quiet "$service" || true
    done
fi
