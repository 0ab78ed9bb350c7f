# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that a host keeps: the desired state, the units that apply it, and the timer of the watchdog."""

from __future__ import annotations

import json
import re
import typing as t

from .....module_utils._nic.apply import DESIRED
from .....module_utils._nic.desired import SCHEMA

if t.TYPE_CHECKING:
    from .....module_utils._host.records import File
    from .desired import Card, Target

TIMER = "spectrum-x-watch.timer"
_HEAD = "# Ansible managed\n"
_SYSTEM = "/etc/systemd/system"
# Devices of sub-functions are below the same function, and are not ours.
_RULE = (
    'ACTION=="add", DEVPATH!="*/mlx5_core.sf.*", SUBSYSTEM=="{subsystem}", KERNELS=="{port}", '
    'TAG+="systemd", ENV{{SYSTEMD_WANTS}}+="spectrum-x-nic@{card}.service"\n'
)

# Part of a NIC's entry -> the role that has to be listed in `manage`.
ROLE_OF = {
    "firmware": "dpu_firmware",
    "nvconfig": "dpu_nvconfig",
    "required": "dpu_nvconfig",
    "qos": "dpu_qos",
    "roce": "dpu_congestion_control",
    "ports": "dpu_interfaces",
}


class Choices(t.TypedDict):
    """The variables of the role dpu_agent, and of dpu_state where the tool and sysfs are."""

    watch: str
    interval: int
    processors: t.Sequence[int]
    wait: int
    tolerate_conflicts: bool
    timeout: int
    algorithm: bool
    agent_path: str
    sysfs: str


def files(wanted: Target, choices: Choices) -> list[File]:
    """The files but for the tool, as module host takes them."""
    texts = {DESIRED: json.dumps(state(wanted, choices), indent=4, sort_keys=True) + "\n"}
    texts |= {f"{_SYSTEM}/{name}": _HEAD + text for name, text in _units(choices).items()}
    texts["/etc/udev/rules.d/90-spectrum-x-nic.rules"] = _HEAD + _rules(wanted)
    return [{"path": path, "content": text} for path, text in texts.items()]


def _units(choices: Choices) -> dict[str, str]:
    """Texts of units; cma_roce_tos finds no device before rdma_cm is loaded, which nothing else does."""
    limit, wait, interval = choices["timeout"], choices["wait"], choices["interval"]
    tool = (
        f"/usr/bin/env python3 -I {_word(choices['agent_path'])} --sysfs {_word(choices['sysfs'])}"
    )
    cpus = ",".join(str(number) for number in choices["processors"])
    once = f"""ConditionPathExists={DESIRED}

[Service]
Type=oneshot
ExecStartPre=-/usr/bin/env modprobe rdma_cm
ExecStart={tool}"""
    return {
        "spectrum-x-nic@.service": f"""[Unit]
Description=Spectrum-X runtime settings of the NIC %i
After=local-fs.target sys-kernel-config.mount
{once} apply --pci %i --wait {wait} --new-devices
TimeoutStartSec={wait + 360 + 2 * limit}
""",
        "spx-cc@.service": f"""[Unit]
Description=Spectrum-X congestion control of %i
StartLimitIntervalSec=300
StartLimitBurst=5

[Service]
Type=notify
NotifyAccess=main
ExecStart={tool} cc --device %i{" --cpus " + cpus if cpus else ""}
Restart=on-failure
RestartSec=5
TimeoutStartSec={limit + 60}
""",
        "spectrum-x-watch.service": f"""[Unit]
Description=Spectrum-X watchdog of the NICs
{once} watch
TimeoutStartSec={240 + 2 * limit}
""",
        TIMER: f"""[Unit]
Description=Spectrum-X watchdog of the NICs

[Timer]
OnActiveSec={interval}
OnUnitActiveSec={interval}
AccuracySec=5

[Install]
WantedBy=timers.target
""",
    }


def _word(text: str) -> str:
    """A word of a command line of systemd, which has quotes of its own (systemd.service(5), COMMAND LINES)."""
    if re.fullmatch(r"[\w./+-]+", text, re.ASCII):
        return text
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped.replace("%", "%%").replace("$", "$$")}"'


def units(interval: int) -> dict[str, dict[str, bool]]:
    """The timer of the watchdog, as module host takes it; 0 seconds mean none."""
    return {TIMER: {"enabled": interval > 0, "running": interval > 0}}


def _rules(wanted: Target) -> str:
    """A unit starts for each function that appears; with hwplb only the first has an RDMA device."""
    return "".join(
        _RULE.format(
            subsystem="net" if number and nic.get("multiplane") == "hwplb" else "infiniband",
            port=port["pci"],
            card=nic["pci"],
        )
        for nic in (*wanted["nics"], *wanted["storage_nics"])
        for number, port in enumerate(nic["ports"])
    )


def state(wanted: Target, choices: Choices) -> dict[str, object]:
    """Return the state that the units apply; parts of roles that the description does not manage are left out.

    Without `algorithm` the host does not start congestion control by itself yet.
    """
    manage, algorithm = wanted["manage"], choices["algorithm"]
    return {
        "schema": SCHEMA,
        "agent": wanted["agent"],
        "ra": wanted["ra"],
        "watch": {"action": choices["watch"]},
        "tolerate_conflicts": choices["tolerate_conflicts"],
        "cc_timeout": choices["timeout"],
        "nics": [
            _managed(nic, manage, algorithm=algorithm)
            for nic in (*wanted["nics"], *wanted["storage_nics"])
        ],
    }


def _managed(nic: Card, manage: list[str], *, algorithm: bool) -> dict[str, object]:
    made: dict[str, object] = {
        key: value for key, value in nic.items() if ROLE_OF.get(key, "") in ("", *manage)
    }
    if not algorithm and "roce" in made:
        made["roce"] = {key: value for key, value in nic["roce"].items() if key != "cc"}
    return made
