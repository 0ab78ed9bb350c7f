# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ASNs that read in decimal, and back.

    42 r p ddd iii      role, plane, pod, index: 4200000000 + role*10,000,000 + plane*1,000,000
                        + pod'*1,000 + index, where pod' = site*128 + pod

One ASN per super-spine plane, one per spine tier of a plane and pod, one for each leaf. The range
is that of RFC 6996 (4200000000 to 4294967294).
"""

from __future__ import annotations

ROLE = {"super_spine": 1, "spine": 2, "leaf": 3}
ROLE_OF = {code: role for role, code in ROLE.items()}
_FIRST = 4_200_000_000


def switch(role: str, *, site: int, plane: int, pod: int, index: int) -> int:
    """The ASN of a switch; spines of a pod share one, so do super-spines of a plane."""
    pod, index = {"super_spine": (0, 0), "spine": (pod, 0)}.get(role, (pod, index))
    return _FIRST + ROLE[role] * 10_000_000 + plane * 1_000_000 + (site * 128 + pod) * 1_000 + index


def leaf_of(asn: int, *, site: int) -> tuple[int, int, int] | None:
    """(plane, pod, index) of the leaf that the scheme gives an ASN to; None when there is none."""
    plane, rest = divmod(asn - _FIRST - ROLE["leaf"] * 10_000_000, 1_000_000)
    pod, index = divmod(rest, 1_000)
    pod -= site * 128
    return (plane, pod, index) if 0 <= plane < 10 and 0 <= pod < 128 else None


def tier_of(asn: int, *, site: int) -> tuple[str, int, int] | None:
    """(role, plane, pod) of the spine tier that the scheme gives an ASN to; None when there is none."""
    for role in ("spine", "super_spine"):
        plane, rest = divmod(asn - _FIRST - ROLE[role] * 10_000_000, 1_000_000)
        pod, index = divmod(rest, 1_000)
        pod -= site * 128
        if 0 <= plane < 10 and 0 <= pod < 128 and not index:
            return role, plane, pod
    return None
