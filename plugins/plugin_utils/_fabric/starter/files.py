# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every file of a new project, from one design.

files(design)  ->  {"model/fabric.yml": "...", "hosts.fabric.yml": "...", ...}
"""

from __future__ import annotations

import os
import typing as t

from ..catalog.data import table
from ..description import schema
from ..description.errors import FabricError
from ..report.report import sizes
from . import description, hooks, pipelines
from .pipelines import CHECK, PLAN, PROVE

if t.TYPE_CHECKING:
    from ..sizing.designs import Design

REGISTRY = """\
# The registry of tenants: who has which nodes. Playbooks edit it with -e spx_registry_write=true.
# Nodes that nobody has are in quarantine. An example of a tenant:
#
# tenants:
#   - id: 21
#     slug: acme
#     nodes: ["su01/[01-02]"]
tenants: []
"""
INVENTORY = """\
# Hosts and groups, computed from the description.
plugin: spectrum_x.fabric.fabric
description: model/fabric.yml
# Where ansible_host comes from: 'plan' (out-of-band addresses of the plan), 'none', or a file of names and addresses
management: plan
"""
SETTINGS = """\
[defaults]
inventory = hosts.fabric.yml
stdout_callback = spectrum_x.fabric.summary
callbacks_enabled = spectrum_x.fabric.exit_code
forks = 20

[inventory]
# The first one reads the source, and refuses a description in one sentence.
enable_plugins = spectrum_x.fabric.fabric, host_list, script, auto, yaml, ini, toml

[ssh_connection]
# A host that goes silent is given up after 45 seconds.
ssh_args = -C -o ControlMaster=auto -o ControlPersist=60s -o ServerAliveInterval=15 -o ServerAliveCountMax=3
"""
NAVIGATOR = """\
# For runs in an execution environment: ansible-navigator run spectrum_x.fabric.plan
---
ansible-navigator:
  mode: stdout
  execution-environment:
    image: spectrum-x-fabric
    pull:
      policy: missing
    environment-variables:
      pass: [SPX_NVUE_USER, SPX_NVUE_PASSWORD, SPX_NVUE_TOKEN, SPX_NVUE_CA]
  playbook-artifact:
    enable: false
  logging:
    file: report/ansible-navigator.log
"""
IGNORED = """\
# The plan: every run computes the same bytes from model/. Only the zones may be added to git, by those who serve them:
# their serials count on from the files that are there.
/plan/*
!/plan/dns/
# reports of a run
/report/
# the target branch, as the pipeline of a merge request unpacks it
/target/
# the environment of this folder
/venv/
# what Ansible leaves
*.retry
.ansible/
"""


def files(design: Design) -> dict[str, str]:
    """Each file of the project, by its path below the folder."""
    return {
        "model/fabric.yml": description.text(design),
        f"model/{description.SCHEMA}": schema.text(table),
        "model/tenants.yml": REGISTRY,
        "hosts.fabric.yml": INVENTORY,
        "ansible.cfg": SETTINGS,
        **hooks.files(),
        "ansible-navigator.yml": NAVIGATOR,
        ".gitignore": IGNORED,
        ".gitlab-ci.yml": pipelines.GITLAB,
        ".github/workflows/fabric.yml": pipelines.GITHUB,
        "README.md": readme(design),
    }


def refuse_existing(folder: str, texts: t.Mapping[str, str]) -> None:
    """FabricError that names what is there already and is no part of this project.

    What an earlier run wrote of the same project and was ended before the rest stays, and the rest is written.
    """
    for name in texts:
        if link := _link(folder, name):
            raise FabricError.of(
                f"{link} is a symbolic link, and a project is written into no other folder: remove the link, or name "
                "another folder in spx_dest."
            )
    there = [name for name in texts if os.path.lexists(os.path.join(folder, name))]
    others = [name for name in there if not _same(os.path.join(folder, name), texts[name])]
    if not others:
        return
    missing = [name for name in texts if name not in there]
    begun = bool(missing) and others != there
    lacks = f" and lacks {', '.join(missing)}" if begun else ""
    remedy = "complete it with the variables of the run that began it, " if begun else ""
    raise FabricError.of(
        f"{folder} has {', '.join(others)} already{lacks}, so nothing was written: {remedy}name another folder in "
        "spx_dest, or remove what is yours to remove."
    )


def _link(folder: str, name: str) -> str:
    """The first part of a path below the folder that is a link and no file of a project; empty without one."""
    parts = name.split("/")[:-1]
    paths = (os.path.join(folder, *parts[:n]) for n in range(1, len(parts) + 1))
    return next((path for path in paths if os.path.islink(path)), "")


def _same(path: str, text: str) -> bool:
    """Check whether a file holds this text."""
    if not os.path.isfile(path):
        return False
    with open(path, "rb") as there:
        return there.read() == text.encode()


def lines(design: Design, folder: str, *, check: bool) -> list[str]:
    """List the written files, and the next commands."""
    name, here = design.fabric.description.name, os.path.relpath(folder)
    verb = "would be" if check else "is"
    enter = "" if here == "." else f"cd {here} && "
    return [
        f"{name}: {', '.join(sizes(design.fabric))}; {design.reason}.",
        f"The project {verb} in {folder}. Next: {enter}ansible-playbook spectrum_x.fabric.plan",
    ]


def readme(design: Design) -> str:
    """Describe the folder, and the next three commands."""
    name = design.fabric.description.name
    return f"""\
# {name}

{", ".join(sizes(design.fabric))}. `model/fabric.yml` describes the fabric; everything else is computed from it.

```shell
{PLAN}
# needs the switches, and SPX_NVUE_USER, SPX_NVUE_PASSWORD and SPX_NVUE_CA in the environment; see report/diffs after it
{CHECK}
# needs the hosts too, and nics.pci in model/fabric.yml
{PROVE}
```

No playbook writes to a device until `manage:` in `model/fabric.yml` lists the roles that may write.

| | |
|---|---|
| `model/fabric.yml` | the description; editors check it with `model/{description.SCHEMA}` |
| `model/tenants.yml` | the registry of tenants |
| `hosts.fabric.yml` | the inventory, computed from the description |
| `hooks/` | one file for each hook, commented out; `wipe` is needed before a node changes tenants |
| `ansible-navigator.yml` | for runs in an execution environment, with the image `spectrum-x-fabric` |
| `.gitlab-ci.yml`, `.github/` | pipelines: the guard of merge requests, apply, nightly drift; remove one of them |
"""
