#!/bin/sh
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Main process of a switch (container, or namespace with mounts of its own): lldpd, the FRR
# daemons, then the double in the foreground. /run, /run/netns and /etc/frr must be the switch's
# own. Settings, all optional: SPX_RELEASE SPX_MODEL SPX_SERIAL SPX_MAC SPX_ADDRESS SPX_TLS (a
# folder with ca.pem, cert.pem, key.pem; made when empty) SPX_REALISE (auto|netns|kernel)
# SPX_STATE SPX_PASSWORD (empty: the factory's default password) SPX_DOUBLE_OPTIONS (more words)
# SPX_RUN (a command in place of the double).
set -u
here=$(cd "$(dirname "$0")" && pwd)
name=${SPX_DEVICE:-$(cat /proc/sys/kernel/hostname)}
realise=${SPX_REALISE:-auto}
release=${SPX_RELEASE:-5.16.1}
model=${SPX_MODEL:-SN5600}
state=${SPX_STATE:-/var/lib/nvue_double}

# A MAC address and a serial number of the switch's own, derived from its name when not given.
digest=$(printf %s "$name" | md5sum | cut -c1-6)
mac=${SPX_MAC:-44:38:39:$(echo "$digest" | sed 's/\(..\)\(..\)\(..\)/\1:\2:\3/')}
serial=${SPX_SERIAL:-MT$(echo "$digest" | tr a-f A-F)}

if [ "$realise" = auto ]; then
  if unshare --net ip link add probe type vrf table 1001 2>/dev/null; then
    realise=kernel
  else
    realise=netns
  fi
fi

# Leftovers of a run before: namespaces whose mounts are gone, sockets, process ids.
mkdir -p /run/netns /run/frr /run/lldpd /var/log/frr /etc/frr /run/nvue "$state"
for old in /run/netns/*; do
  [ -e "$old" ] || continue
  ip netns del "$(basename "$old")" 2>/dev/null || rm -f "$old"
done
rm -f /run/frr/* /run/lldpd/* /run/lldpd.socket /run/lldpd.pid /run/nvue/*.sock
: >/etc/frr/vtysh.conf
: >/etc/frr/frr.conf
chown -R frr:frr /run/frr /etc/frr /var/log/frr
chmod 755 /run/frr

set_value() { [ -e "/proc/sys/$1" ] && echo "$2" >"/proc/sys/$1" 2>/dev/null; return 0; }
set_value net/ipv4/ip_forward 1
set_value net/ipv6/conf/all/forwarding 1
set_value net/ipv6/conf/default/forwarding 1
set_value net/ipv4/conf/all/rp_filter 0
set_value net/ipv4/conf/default/rp_filter 0
set_value net/ipv4/fib_multipath_hash_policy 1
set_value net/ipv6/conf/default/accept_dad 0
set_value net/ipv4/conf/all/ignore_routes_with_linkdown 1
set_value net/ipv4/conf/default/ignore_routes_with_linkdown 1
set_value net/ipv6/conf/all/ignore_routes_with_linkdown 1
set_value net/ipv6/conf/all/keep_addr_on_down 1
for port in /proc/sys/net/ipv4/conf/swp*; do
  [ -e "$port" ] || continue
  echo 1 >"$port/ignore_routes_with_linkdown"
  echo 0 >"$port/rp_filter"
  echo 0 >"/proc/sys/net/ipv6/conf/$(basename "$port")/accept_dad" 2>/dev/null
done
ip link set lo up

daemon() { program=$1; shift; "/usr/lib/frr/$program" -d -F datacenter -A 127.0.0.1 -P 0 "$@"; }
case $realise in
  netns) daemon zebra -n ;;
  *) daemon zebra ;;
esac
daemon staticd
daemon bfdd
daemon bgpd

lldpd -u /run/lldpd.socket -p /run/lldpd.pid -I 'swp*' \
  -S "Cumulus Linux version $release running on $model" || echo 'start.sh: lldpd did not start'

[ -z "${SPX_RUN:-}" ] || exec sh -c "exec $SPX_RUN"

set -- --release "$release" --model "$model" --serial "$serial" --mac "$mac" \
  --listen "${SPX_LISTEN:-0.0.0.0}:8765" --state-dir "$state" --realise "$realise" \
  --tls-dir "${SPX_TLS:-/etc/nvue_double}" --tls-name "$name" --tls-name localhost \
  --tls-name 127.0.0.1 ${SPX_ADDRESS:+--tls-name "$SPX_ADDRESS"} \
  --local-socket /run/nvue/nvue.sock --control-socket /run/nvue/control.sock --set-hostname
if [ -n "${SPX_PASSWORD:-}" ]; then
  set -- "$@" --password "$SPX_PASSWORD"
else
  set -- "$@" --factory-default-password
fi
ln -sf "$here/nv" /usr/local/bin/nv 2>/dev/null
export PYTHONPATH="$here"
# shellcheck disable=SC2086
exec /usr/bin/python3 -m nvue_double "$@" ${SPX_DOUBLE_OPTIONS:-}
