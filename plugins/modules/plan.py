#!/usr/bin/python
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: plan
short_description: Write the plan of a fabric where you say
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Loads the description, checks it, and writes the plan as files - one JSON slice for each device, cable and address
    lists, DNS zones, PTM slices, NetBox import files and NVIDIA's topology formats.
  - A second run with the same description leaves every byte as it is. The serial of a DNS zone grows by one with each
    other change of its file.
  - Runs on the controller.
options:
  description:
    description: Path of the description; by default that of the inventory source or of the project.
    type: path
  dest:
    description:
      - Folder to write to. Without it nothing is written and only the counts are returned.
      - Without O(against), a plan that the folder holds is compared with the new one as by O(against).
    type: path
  exports:
    description:
      - Exports to write. By default all but V(nautobot), V(reference-generator), V(handover), V(schedulers),
        V(containerlab) and V(air).
      - V(reference-generator) is for NVIDIA's Kubernetes tooling, V(air) for an import into NVIDIA Air.
      - V(oob) are leases for DHCP servers, where the description has the out-of-band network.
      - V(monitoring) are rules, dashboards and targets for Prometheus, where the description has its key.
      - V(handover) are documents for people - cables, labels, a bill of materials, pages of racks and of devices.
      - V(schedulers) are topologies for Slurm and Kubernetes, and variables of NCCL - of the fabric, and of each tenant
        with its own nodes only.
    type: list
    elements: str
    choices: [slices, links, addresses, hosts, dns, ptm, netbox, nautobot, reference-generator, oob, pictures,
      handover, monitoring, schedulers, containerlab, air]
  where:
    description: Pods to write, such as V(pod01) or V(pod[01-02]); all by default.
    type: list
    elements: str
  nodes:
    description:
      - Nodes, places or tenants. The exports V(containerlab) and V(air) are then written of these nodes, the leaves of
        their SUs and the spines above them. Other exports are refused.
    type: list
    elements: str
  suggest:
    description:
      - Whether to name the address profiles that fit, and why the others do not. Nothing else is done then, so that
        it works before a profile has been chosen.
    type: bool
    default: false
  against:
    description:
      - An earlier description, the folder of one, or a folder that an earlier run wrote to. Everything that would
        change is listed, and renumbering is refused.
      - Of a folder the slices are read; where there are none, C(links.csv) and C(addresses.csv), which do not have
        ASNs.
    type: path
  allow_renumber:
    description: Whether a plan that moves or renumbers existing equipment may be written.
    type: bool
    default: false
  report:
    description:
      - Folder that gets C(capacity.csv), with every limit and its source, and C(plan-changes.csv), with every
        difference to the plan that this one was compared with; C(plan.md) has the first of them, for the comment of
        a merge request.
      - C(known-bugs.csv) has the known bugs of the described releases and switch models, each with what to do.
      - Where tables of a site state names, addresses, ASNs or cables, C(plant.csv) has each of them beside what would
        have been computed.
    type: path
attributes:
  check_mode:
    support: full
    description: Compares without writing.
  diff_mode:
    support: partial
    description: Lists the files that differ.
extends_documentation_fragment:
  - spectrum_x.fabric.controller
"""

EXAMPLES = r"""
- name: Write the plan
  spectrum_x.fabric.plan:
    description: model/fabric.yml
    dest: plan
"""

RETURN = r"""
devices:
  description: Number of devices of this plan.
  returned: when it was compared
  type: int
devices_compared:
  description: Number of RV(devices) that the earlier plan has. The others count as new, so that nothing renumbers them.
  returned: when it was compared
  type: int
not_compared:
  description: The folder O(dest) where it holds files and no earlier plan that could be compared.
  returned: when it does
  type: str
lines:
  description: The rest as lines for a person, which the task shows - counts, capacity report, suggestions, changes.
  returned: success
  type: list
  elements: str
advice:
  description: Other counts that would save switches, where a third of the cages or more stay empty; empty otherwise.
  returned: without O(suggest)
  type: str
  sample: ""
notices:
  description: Warnings about the described releases and switch models; known bugs share a line for each moment.
  returned: without O(suggest)
  type: list
  elements: str
racks:
  description: Racks and units of C(devices.csv) that cannot be or are not stated, each thing once with a count.
  returned: without O(suggest)
  type: list
  elements: str
plant:
  description: Number of values in a site's tables that differ from computed ones.
  returned: when O(report) is given and such tables are there
  type: str
missing:
  description: Inputs that are not stated and will be needed, such as C(nics.pci) and the hook C(wipe).
  returned: without O(suggest)
  type: list
  elements: str
facts:
  description: Counts, pools, releases and the capacity report of the fabric.
  returned: without O(suggest)
  type: dict
files:
  description: Number of files of the plan.
  returned: success
  type: int
files_changed:
  description: Number of files that are new, differ or were removed.
  returned: success
  type: int
changed_files:
  description: Files that are new or differ, relative to the folder, at most a hundred.
  returned: success
  type: list
  elements: str
older:
  description: Warning that files of other exports in O(dest) differ from this plan; empty where none do.
  returned: when O(dest) is given
  type: list
  elements: str
suggestions:
  description: The reasons against each address profile; none means that it fits.
  returned: when O(suggest=true)
  type: dict
takes:
  description: Share of private IPv4 that each fitting address profile uses, in words, with its prefixes.
  returned: when O(suggest=true)
  type: dict
renumbered:
  description: Number of values that would change for equipment in both plans.
  returned: when the plan was compared with an earlier one
  type: int
differences:
  description: Number of all differences, with growth and removal.
  returned: when the plan was compared with an earlier one
  type: int
changes:
  description: Differences to the earlier plan, renumbering first, at most a thousand.
  returned: when the plan was compared with an earlier one
  type: list
  elements: dict
"""
