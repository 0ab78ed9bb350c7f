# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Mixtures on a host that one validated set does not hold, beyond firmware and DOCA-Host's packages.

Playbook dpus corrects those two, and nothing corrects what is here: another DOCA-Host that the site asks for,
libraries on the host, a BlueField bundle that is about to be installed. So it is refused.

A host shows NCCL where it is a package of NVIDIA's (`libnccl2`, on the RPM family `libnccl`) and
HPC-X where its archive was unpacked in /opt (docs.nvidia.com, HPC-X: `hpcx-<version>-<compiler>-...`);
the containers of jobs bring their own. The bundle is known by /etc/mlnx-release of the Arm cores
(github.com/Mellanox/bfscripts, bfver), where no system runs in NIC mode, so a host shows of it the
NIC firmware only; before it is installed its file's name shows it.
"""

from __future__ import annotations

import os
import re
import typing as t

from ...catalog.ra import of_version

if t.TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .desired import DesiredNode
    from .host_state import HostCase

NCCL = ("libnccl2", "libnccl")
BLUEFIELD = "a2dc"
BUNDLE = re.compile(r"bf-(?:fw)?bundle-(\d+(?:\.\d+)+(?:-\d+)?)(?:-[^_]*)?(_\d+\.\d+)?")


class Difference(t.NamedTuple):
    """`what` is of version `found`, which is none of the `accepted` ones; `cure` is half a sentence."""

    component: str
    what: str
    found: str
    accepted: list[str]
    cure: str

    def sentence(self, wanted: DesiredNode) -> str:
        """`libnccl2 is 2.27.7-1, RA 2.1.2 is validated with 2.29.2: install that, name ..., or ....`"""
        known = " or ".join(self.accepted)
        return (
            f"{self.what} is {self.found}, {by(wanted, self.component)} {known}: {self.cure}, name "
            f"{self.found} in dpu_state_versions ({self.component}), or allow it with "
            "-e spx_allow_versions=true."
        )


def by(wanted: DesiredNode, component: str) -> str:
    """Name the source of the allowed versions of a component, with a verb."""
    own = component in (wanted.get("own_versions") or ())
    return "dpu_state_versions says" if own else f"RA {wanted['ra']} is validated with"


def refusals(
    case: HostCase, *, firmware: str = "differs", force: bool = False
) -> dict[str, list[str]]:
    """Role -> one sentence for each thing that it would leave, or make, outside the set in a run of playbook dpus.

    Of firmware where the verdict is that it differs, of DPUs' operating systems with `force` in any case. Only what
    roles of `manage` answer for is looked at.
    """
    wanted, differs, manage = case.wanted, firmware == "differs", case.manage
    found: dict[str, list[Difference]] = {"doca": [], "firmware": [], "mode": []}
    if "dpu_doca" in manage:
        found["doca"] += asked(wanted, str(case.given["doca"]["version"] or ""))
        found["doca"] += libraries(wanted, case.look["packages"], case.look["system"]["hpcx"])
    if "dpu_firmware" in manage and differs:
        for device in sorted({nic["device"] for nic in wanted["nics"]}):
            found["firmware"] += bundle(wanted, str(case.files.get(device, {}).get("bundle") or ""))
    if "dpu_mode" in manage and (differs or force) and wanted["nics"][0].get("mode") == "dpu":
        found["mode"] += bundle(wanted, case.given["bfb"])
    return {
        role: [f"{wanted['name']}: {each.sentence(wanted)}" for each in rows]
        for role, rows in found.items()
    }


def asked(wanted: DesiredNode, doca: str) -> Iterator[Difference]:
    """The DOCA-Host that a site asks for by dpu_doca_version."""
    known = _known(wanted, "doca_host")
    if doca and known and not any(_same(doca, version) for version in known):
        yield Difference("doca_host", "dpu_doca_version", doca, known, "leave it empty")


def libraries(
    wanted: DesiredNode, packages: Mapping[str, str], hpcx: Sequence[str]
) -> Iterator[Difference]:
    """NCCL and HPC-X on the host; of several HPC-X one of the set will do."""
    known = _known(wanted, "nccl")
    for name in NCCL:
        there = packages.get(name)
        if there and known and not any(of_version(there, version) for version in known):
            yield Difference("nccl", name, there, known, "install that")
    known = _known(wanted, "hpcx")
    if hpcx and known and not any(of_version(there, v) for there in hpcx for v in known):
        yield Difference("hpcx", "HPC-X in /opt", " and ".join(hpcx), known, "unpack that")


def bundle(wanted: DesiredNode, path: str) -> Iterator[Difference]:
    """A BlueField bundle, by the name of its file; one with a name of its own shows nothing."""
    known = _known(wanted, "bf_bundle")
    name = os.path.basename(path)
    match = BUNDLE.match(name)
    there = match.group(1) + (match.group(2) or "") if match else ""
    if there and known and not any(_same(there, version) for version in known):
        yield Difference("bf_bundle", f"bundle {name}", there, known, "name a file of that")


def unseen(wanted: DesiredNode, packages: Mapping[str, str], hpcx: Sequence[str]) -> list[str]:
    """List the parts of the set that cannot be compared on this host, with the versions that go with it."""
    bluefield = any(nic["device"] == BLUEFIELD for nic in wanted["nics"])
    rows = (
        ("bf_bundle", "BlueField bundle", "of which a host shows the NIC firmware", bluefield),
        ("nccl", "NCCL", "which jobs bring", not any(name in packages for name in NCCL)),
        ("hpcx", "HPC-X", "which jobs bring", not hpcx),
    )
    return [
        f"{name} {' or '.join(known)} ({why})"
        for component, name, why, hidden in rows
        if hidden and (known := _known(wanted, component))
    ]


def _known(wanted: DesiredNode, component: str) -> list[str]:
    return [str(version) for version in (wanted.get("versions") or {}).get(component) or ()]


def _same(one: str, other: str) -> bool:
    """Either may be the more exact of the two."""
    return of_version(one, other) or of_version(other, one)
