# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Script of a device's first process.

It waits at a gate until the lab has cabled the device and laid down its files, as hardware finds
its cards and cables when it is switched on; then it becomes systemd (hosts in containers) or
starts the device's start script and reaps what is left over.
"""

from __future__ import annotations

from lab.cabling import Device

SWITCH_HOME = "/opt/nvue_double"
HOST_HOME = "/opt/host_double"
ROUTER_HOME = "/opt/router"
HOMES = {"switch": SWITCH_HOME, "host": HOST_HOME, "router": ROUTER_HOME}
"""Folders in the images for the files of tests/targets/<kind>."""
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
LOG = "/var/log/spx-start.log"
SHARED = "/var/lib/nicsim-flows"
"""The folder that the hosts of a lab share, for the stand-ins of performance tests: who sends to whom now, and which
cables have no carrier."""

GATE = """\
mkdir -p /run/spx
while [ ! -e /run/spx/go ]; do sleep 0.2; done
set -a; . /run/spx/env; set +a
"""
SYSTEMD = """\
[ -w /sys/class ] || mount -o remount,rw /sys || :  # docker has it read-only, where udevd does not start
exec /sbin/init
"""
SUPERVISE = """\
(
  if [ -f {home}/start.sh ]; then cd {home} && exec sh ./start.sh; fi
  {bare}
) >>{log} 2>&1 </dev/null &
while :; do sleep 3600 & wait $!; done
"""
LLDPD = """\
for d in /sys/class/net/*; do ip link set "${d##*/}" up; done
mkdir -p /run/lldpd
lldpd -c -I '*,!eth0' || echo 'lldpd did not start'
sleep 1; lldpcli configure lldp tx-interval 5; lldpcli configure lldp portidsubtype ifname
"""
SSHD = """\
if [ -x /usr/sbin/sshd ]; then mkdir -p /run/sshd; /usr/sbin/sshd; fi
"""
BARE = {"switch": LLDPD, "host": SSHD + LLDPD, "router": LLDPD}
"""Programs of a target without a start script: enough to see cables and to log in."""


def script(device: Device, *, systemd: bool) -> str:
    """Return the shell text of a device's first process."""
    if device.kind == "host" and systemd:
        return GATE + SYSTEMD
    home, bare = HOMES[device.kind], BARE[device.kind].replace("\n", "\n  ")
    return GATE + SUPERVISE.format(home=home, bare=bare, log=LOG)


NAMESPACE_INIT = """\
set -e
mkdir -p "$UPPER" "$WORK" "$ROOT"
mount -t overlay overlay -o "lowerdir=$LOWER,upperdir=$UPPER,workdir=$WORK" "$ROOT"
cd "$ROOT"
mkdir -p var/lib/nicsim-flows
mount --bind "$SHARED" var/lib/nicsim-flows
mkdir -p proc sys dev run tmp mnt
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t tmpfs -o mode=755 tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
mount -t tmpfs -o mode=755 tmpfs dev
for n in "null 1 3" "zero 1 5" "full 1 7" "random 1 8" "urandom 1 9" "tty 5 0"; do
  set -- $n; mknod -m 666 "dev/$1" c "$2" "$3"
done
mkdir -p dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s /proc/self/fd dev/fd
printf '%s' "$NAME" > /proc/sys/kernel/hostname
printf '%s\\n' "$NAME" > etc/hostname
rm -f etc/resolv.conf; : > etc/resolv.conf
printf '127.0.0.1 localhost\\n127.0.1.1 %s\\n::1 localhost\\n' "$NAME" > etc/hosts
mkdir -p run/spx run/lock run/netns
pivot_root . mnt
cd /
umount -l /mnt
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \\
  SPX_LAB="$SPX_LAB" SPX_LAB_ROLE=device /bin/sh -c "$SCRIPT"
"""
"""First process of a device in plain namespaces, until its own root is in place."""
