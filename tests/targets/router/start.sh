#!/bin/sh
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A router of plain FRR, with nothing of this collection in it. What it does is in /etc/frr/frr.conf. A VRF is a
# network namespace of its name (zebra -n), and `interface PORT vrf NAME` says which ports it has.
set -u
conf=/etc/frr/frr.conf
mkdir -p /run/netns /run/frr /var/log/frr
for old in /run/netns/*; do
  [ -e "$old" ] || continue
  ip netns del "$(basename "$old")" 2>/dev/null || rm -f "$old"
done
rm -f /run/frr/*
: >/etc/frr/vtysh.conf
chown -R frr:frr /run/frr /etc/frr /var/log/frr
chmod 755 /run/frr

forward() {
  "$@" sysctl -q -w net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1 \
    net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0
}

forward
ip link set lo up
sed -n 's/^interface \([^ ]*\) vrf \([^ ]*\).*/\1 \2/p' "$conf" | while read -r port vrf; do
  if [ ! -e "/run/netns/$vrf" ]; then
    ip netns add "$vrf"
    ip -n "$vrf" link set lo up
    forward ip netns exec "$vrf"
  fi
  if [ "$port" != lo ]; then
    ip link set "$port" netns "$vrf"
    ip -n "$vrf" link set "$port" mtu 1500 up
  fi
done

daemon() { program=$1; shift; "/usr/lib/frr/$program" -d -A 127.0.0.1 -P 0 "$@"; }
daemon zebra -n
daemon bfdd
daemon bgpd
vtysh -b
touch /run/spx/ready
