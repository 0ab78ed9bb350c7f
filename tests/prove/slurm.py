# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Slurm of Debian on the hosts of a lab, as its manual pages have it set up: one controller, and a daemon on each node.

The devices need its packages (`SPX_LAB_PACKAGES`). The controller runs on the first node.
"""

from __future__ import annotations

import time
import typing as t

if t.TYPE_CHECKING:
    from lab.world import World

from . import people

LAUNCHER = "srun"
CONFIGURATION = """\
ClusterName=lab
SlurmctldHost={controller}({address})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
StateSaveLocation=/var/spool/slurmctld
SlurmdSpoolDir=/var/spool/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile=/var/log/slurmctld.log
SlurmdLogFile=/var/log/slurmd.log
ReturnToService=2
KillWait=5
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
NODE = "NodeName={name} NodeAddr={address} CPUs=8 State=UNKNOWN"
SERVICES = """\
mkdir -p /etc/slurm /var/spool/slurmctld /var/spool/slurmd
rm -f /usr/local/bin/srun
printf %s '{configuration}' >/etc/slurm/slurm.conf
systemctl restart munge {services}
"""
"""The stand-in of srun leaves, so that the package's is found. All hosts have the key that the package made for their
image.
"""


def up(world: World, *, seconds: float = 60) -> None:
    """Every host of the lab is an idle node of one partition."""
    hosts = people.names(world)
    addresses = {name: _management(world, name) for name in hosts}
    configuration = CONFIGURATION.format(
        controller=hosts[0],
        address=addresses[hosts[0]],
        nodes="\n".join(NODE.format(name=name, address=addresses[name]) for name in hosts),
    )
    for name in hosts:
        services = "slurmctld slurmd" if name == hosts[0] else "slurmd"
        script = SERVICES.format(configuration=configuration, services=services)
        world.node(name, "sh", "-c", script)
    begun = time.monotonic()
    while len(idle := _of_state(world, "idle")) < len(hosts):
        shown = world.node(hosts[0], "sinfo", "-N", "-l", check=False)
        assert time.monotonic() - begun < seconds, f"idle are {idle}: {shown}"
        time.sleep(1)


def jobs(world: World) -> list[str]:
    """The jobs that Slurm has now, with their states."""
    text = world.node(people.names(world)[0], "squeue", "--noheader", "--format=%i %T")
    return text.splitlines()


def tasks(world: World, program: str) -> int:
    """Count the processes of a program on all hosts."""
    listed = [world.node(name, "ps", "-eo", "args").splitlines() for name in people.names(world)]
    return sum(program in line and "srun" not in line for lines in listed for line in lines)


def _of_state(world: World, state: str) -> list[str]:
    first = people.names(world)[0]
    command = ("sinfo", "--noheader", "-N", "-t", state, "-o", "%N")
    return sorted(set(world.node(first, *command, check=False).split()))


def _management(world: World, host: str) -> str:
    return (
        world.node(host, "ip", "-4", "-o", "addr", "show", "dev", "eth0").split()[3].split("/")[0]
    )
