#!/bin/sh
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs perftest between two processes over one Soft-RoCE device; each argument is a tool with its options.
#
# For each side a line "SAID TOOL SIDE STATUS TEXT", the text of its standard output in base64.
set -e
address=172.16.0.0
ip link add veth0 type veth peer name veth1
ip link set veth0 mtu 4200 up
ip link set veth1 mtu 4200 up
ip addr add $address/31 dev veth0
rdma link add rxe0 type rxe netdev veth0
sleep 1 # the kernel makes the GIDs of the addresses by and by
set +e
for words in "$@"; do
    tool=${words%% *}
    # The words of one call are split here.
    # shellcheck disable=SC2086
    timeout 60 $words -d rxe0 >/tmp/server & server=$!
    sleep 1.5
    # shellcheck disable=SC2086
    timeout 60 $words -d rxe0 $address >/tmp/client
    echo "SAID $tool client $? $(base64 -w0 /tmp/client)"
    wait $server
    echo "SAID $tool server $? $(base64 -w0 /tmp/server)"
done
