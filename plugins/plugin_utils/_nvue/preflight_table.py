# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Known bugs of releases that touch what is about to be sent, as data.

Ids and ranges are those of NVIDIA's release notes for Cumulus Linux 5.16, 5.17 and 5.18
(docs.nvidia.com/networking-ethernet-software, *What's New*, *Release Notes*). A bug fires when all
conditions that are given hold. What a release note says about reading, upgrading or rebooting is
not here: only changes are checked.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bug:
    """A bug, where it lives and what it is triggered by.

    ``sets``, ``changes`` and ``unsets`` are globs over leaves that appear, change or vanish;
    ``removes`` counts vanishing members of a collection; ``rule`` names a rule of ``preflight``.
    ``moment`` is when the bug is reported: before a ``change``, when the switch was found
    ``busy``, after a ``failure``, or when it saw no difference (``no_diff``).
    """

    id: int
    affects: str
    refuse: bool
    what: str
    remedy: str
    sets: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    unsets: tuple[str, ...] = ()
    removes: tuple[str, int] = ("", 0)
    rule: str = ""
    moment: str = "change"


_NEIGHBOR = "vrf/*/router/bgp/neighbor/*"

BUGS = (
    Bug(
        5040890,
        "5.14.0-5.17.0",
        False,
        "IPv4 aggregate routes are not advertised to BGP peers",
        "check the aggregate on a peer, or announce it as a static blackhole",
        sets=("vrf/*/router/bgp/address-family/ipv4-unicast/aggregate-route",),
    ),
    Bug(
        5172071,
        "5.16.5-5.17.0",
        True,
        "moving peers of a group while another peer group is deleted fails the reload of FRR",
        "do the two in two runs",
        sets=(f"{_NEIGHBOR}/peer-group",),
        rule="peers_moved_and_group_gone",
    ),
    Bug(
        4871161,
        "5.9.1-5.18.0",
        True,
        "changing the ASN of a VRF that has an L3VNI fails the reload of FRR",
        "remove the VNI in one run and change the ASN in the next",
        changes=("router/bgp/autonomous-system", "vrf/*/router/bgp/autonomous-system"),
        rule="vni_of_changed_vrf",
    ),
    Bug(
        5072739,
        "5.17.0-5.18.0",
        True,
        "an apply that deletes more than 500 VRFs fails",
        "delete them in several runs",
        removes=("vrf", 500),
    ),
    Bug(
        5221592,
        "5.16.5-5.18.0",
        False,
        "with adaptive routing the hardware's ECMP groups can be damaged when routes vanish",
        "watch the ECMP members after the change",
        sets=("router/adaptive-routing/state",),
    ),
    Bug(
        5217091,
        "5.18.0",
        False,
        "some members of an ECMP group may carry no traffic after they came up",
        "compare the counters of new links, and flap a port that stays idle",
        sets=(f"{_NEIGHBOR}/type",),
    ),
    Bug(
        5135125,
        "5.16.1-5.17.0",
        False,
        "a breakout port of a Spectrum-4 may reset the ASIC with its first traffic",
        "break ports out before traffic runs",
        sets=("interface/*/link/breakout",),
    ),
    Bug(
        4933966,
        "5.16.0-5.16.4",
        False,
        "packets stay in the egress queues of a port whose breakout goes from 4x to 2x",
        "reset the switch afterwards",
        unsets=("interface/*/link/breakout/4x",),
        sets=("interface/*/link/breakout/2x",),
    ),
    Bug(
        4648833,
        ">=5.15.0",
        False,
        "copper cables of PAM4 need auto-negotiation on Spectrum-4 and newer",
        "leave link/auto-negotiate enabled on ports with such cables",
        rule="no_negotiation",
    ),
    Bug(
        4992204,
        "5.14.0-5.16.4",
        False,
        "the port of VXLAN has no effect",
        "leave nve/vxlan/port out",
        sets=("nve/vxlan/port",),
    ),
    Bug(
        4964154,
        "5.15.0-5.16.4",
        False,
        "the reload of FRR may time out with much leaking between VRFs",
        "leak little, or in several runs",
        sets=("vrf/*/router/bgp/address-family/*/route-import/from-vrf",),
    ),
    Bug(
        4895582,
        "5.16.0-5.16.4",
        True,
        "allow-my-asn with both occurrences and origin fails the reload of FRR",
        "give one of the two",
        rule="occurrences_and_origin",
    ),
    Bug(
        4905123,
        "5.16.0-5.16.4",
        False,
        "a graceful-restart helper keeps stale routes when its peer boots cold",
        "reboot peers warm, or switch the helper off",
        sets=("router/bgp/graceful-restart/mode",),
    ),
    Bug(
        5041774,
        "5.17.0",
        False,
        "an upgrade in service drops the traffic of VRFs with an L3VNI",
        "move the traffic away before such an upgrade",
        rule="full_restart_with_l3vni",
    ),
    Bug(
        5146168,
        "5.17.0",
        True,
        "telemetry by OTLP to an IPv6 address fails",
        "name an IPv4 collector",
        rule="otlp_to_ipv6",
    ),
    Bug(
        5215333,
        "5.18.0",
        True,
        "a value that is not ASCII crashes the validation of NVUE",
        "write it in ASCII",
        rule="not_ascii",
    ),
    Bug(
        5118919,
        "5.16.1-5.17.0",
        False,
        "two applies at the same time can block each other for good",
        "the other apply was waited for; let only one controller write to a switch",
        moment="busy",
    ),
    Bug(
        5172157,
        "5.16.4-5.17.0",
        False,
        "a stale session can make an apply fail",
        "if nothing else explains the failure, run nv config detach on the switch and try again",
        moment="failure",
    ),
    Bug(
        5067214,
        "5.11.5-5.17.0",
        False,
        "a revision without a difference stays behind as a draft",
        "nv config detach on the switch removes it",
        moment="no_diff",
    ),
    Bug(
        4608614,
        "5.9.0-5.18.0",
        False,
        "the first SSH key of an account may need a second apply",
        "run again if the key is missing",
        sets=("system/aaa/user/*/ssh/authorized-key",),
    ),
)
