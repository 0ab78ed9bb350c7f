# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ASNs that read in decimal, and back.

    42 r p ddd iii      role, plane, pod, index: 4200000000 + role*10,000,000 + plane*1,000,000
                        + pod'*1,000 + index, where pod' = site*128 + pod

One ASN per super-spine plane, one per spine tier of a plane and pod, one for each leaf. The range
is that of RFC 6996 (4200000000 to 4294967294). `addressing.asn_base` of the description takes the place of 4200000000.

The converged fabric has the role digit 4, and its kinds where the others have planes: 4240000000 + kind*1,000,000 +
site*128*1,000 + index. Kind 0 is all spines with one ASN; 1 border, 2 front-end and 3 storage leaves and 4
cores have one each. So have 5 out-of-band leaves; kind 6 is all out-of-band spines.
"""

from __future__ import annotations

from ...catalog.roles import ROLES

_RECORDS = {name: role for name, role in ROLES.items() if role.asn.digit}
ROLE = {name: role.asn.digit for name, role in _RECORDS.items() if not role.beside}
ROLE_OF = {code: role for role, code in ROLE.items()}
CONVERGED = {name: role.asn.kind for name, role in _RECORDS.items() if role.converged}
"""Kinds of the converged fabric; its addresses have them as role codes too."""
CONVERGED_OF = {code: role for role, code in CONVERGED.items()}
OOB = {name: role.asn.kind for name, role in _RECORDS.items() if role.oob}
"""Kinds of the out-of-band network."""
_KINDS = {**CONVERGED, **OOB}
_ROLES = {code: role for role, code in _KINDS.items()}
_MOST = {"converged": 1_000, "out-of-band": 128_000}
"""Numbers of a role by network; a site has as many."""
FIRST = 4_200_000_000
"""First number of the scheme, where the description states no other."""
_CONVERGED = 40_000_000
"""Distance of the numbers of the converged fabric from the first one."""


def switch(role: str, *, site: int, plane: int, pod: int, index: int, first: int = FIRST) -> int:
    """The ASN of a switch; spines of a pod share one, so do super-spines of a plane."""
    pod, index = {"super_spine": (0, 0), "spine": (pod, 0)}.get(role, (pod, index))
    return first + ROLE[role] * 10_000_000 + plane * 1_000_000 + (site * 128 + pod) * 1_000 + index


def leaf_of(asn: int, *, site: int, first: int = FIRST) -> tuple[int, int, int] | None:
    """(plane, pod, index) of the leaf that the scheme gives an ASN to; None when there is none."""
    plane, rest = divmod(asn - first - ROLE["leaf"] * 10_000_000, 1_000_000)
    pod, index = divmod(rest, 1_000)
    pod -= site * 128
    return (plane, pod, index) if 0 <= plane < 10 and 0 <= pod < 128 else None


def tier_of(asn: int, *, site: int, first: int = FIRST) -> tuple[str, int, int] | None:
    """(role, plane, pod) of the spine tier that the scheme gives an ASN to; None when there is none."""
    for role in ("spine", "super_spine"):
        plane, rest = divmod(asn - first - ROLE[role] * 10_000_000, 1_000_000)
        pod, index = divmod(rest, 1_000)
        pod -= site * 128
        if 0 <= plane < 10 and 0 <= pod < 128 and not index:
            return role, plane, pod
    return None


def converged(role: str, *, site: int, index: int, first: int = FIRST) -> int:
    """The ASN of a switch of the converged fabric or the out-of-band network; all spines share one."""
    own = 0 if _RECORDS[role].asn.shared else index
    return first + _CONVERGED + _KINDS[role] * 1_000_000 + site * 128_000 + own


def converged_of(asn: int, *, site: int, first: int = FIRST) -> tuple[str, int] | None:
    """(role, index) of the switch that the scheme gives an ASN to; None when there is none."""
    kind, rest = divmod(asn - first - _CONVERGED, 1_000_000)
    index = rest - site * 128_000
    role = _ROLES.get(kind)
    if (
        role is None
        or not 0 <= index < _MOST[_RECORDS[role].network]
        or (_RECORDS[role].asn.shared and index)
    ):
        return None
    return role, index
