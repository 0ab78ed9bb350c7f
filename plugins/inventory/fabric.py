# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: fabric
short_description: Hosts and groups of a Spectrum-X fabric, computed from its description
version_added: 1.0.0
author:
  - The spectrum_x.fabric authors (@spectrum-x-fabric)
description:
  - Computes every switch and node of a fabric from one small description, and the groups they belong to.
  - Each host carries one dictionary C(spx) with its name, role, zero-based coordinates, management address
    and, on switches, ASN and loopback. Its links come on demand from P(spectrum_x.fabric.plan#lookup).
  - Groups are C(spx_leaf), C(spx_spine), C(spx_super_spine), C(spx_node), C(spx_plane_1), C(spx_pod_01),
    C(spx_su_01_001), C(spx_rail_1), C(spx_tenant_<slug>) and C(spx_fabric_<name>), with the one-based numbers
    of the device names.
  - With other networks there are C(spx_front_end_leaf), C(spx_storage_leaf), C(spx_border_leaf),
    C(spx_converged_spine) or C(spx_converged_core), and C(spx_converged) for all. They belong to no plane, pod or SU.
  - With the out-of-band network there are C(spx_oob_leaf), C(spx_oob_spine), and C(spx_oob) for both.
extends_documentation_fragment:
  - constructed
options:
  plugin:
    description: Marks the source as one of this plugin.
    type: str
    required: true
    choices: [spectrum_x.fabric.fabric]
  description:
    description: Path of the description, relative to this file; where the source is a link, to the file it leads to.
    type: str
    required: true
  management:
    description:
      - Where C(ansible_host) comes from. V(plan) uses the out-of-band address of the plan, V(none) sets nothing.
      - Anything else is the path, relative to this file, of a JSON or YAML file that maps names to addresses, or of a
        table C(.csv) or C(.tsv) with the columns C(name) and C(address), such as a device export of a DCIM.
    type: str
    default: plan
  slices:
    description: Whether each host carries its full slice (links, peers, addresses) as C(spx_slice).
    type: bool
    default: false
  planes:
    description: One-based planes to load; all by default. Nodes belong to every plane.
    type: list
    elements: int
  where:
    description:
      - Places, devices and tenants to load, in the words of C(spx_where), such as V(pod01) or V(pod01/su[01-04]);
        everything by default.
      - They mean what they do in M(spectrum_x.fabric.dcim), so that pods have no super-spines.
    type: list
    elements: str
  tenants:
    description:
      - Path of the tenant registry, relative to this file, for the groups C(spx_tenant_<slug>).
      - By default C(tenants.yml) beside the description where it exists.
    type: str
"""

EXAMPLES = r"""
# hosts.fabric.yml, beside the folder that holds the description
plugin: spectrum_x.fabric.fabric
description: model/fabric.yml

# The same for one of several controllers: one pod only, no planned addresses
# plugin: spectrum_x.fabric.fabric
# description: model/fabric.yml
# management: none
# where: [pod03]
"""

import gc
import os
import pathlib
import typing as t

from ansible import context
from ansible.errors import AnsibleError
from ansible.plugins.inventory import BaseInventoryPlugin, Constructable
from ansible.utils.display import Display
from ansible.utils.path import basedir

from ..plugin_utils._edge.project import DESCRIPTION, INVENTORIED
from ..plugin_utils._edge.provenance import playbook
from ..plugin_utils._fabric.catalog import variables
from ..plugin_utils._fabric.description import devices, yaml_source
from ..plugin_utils._fabric.description.errors import FabricError, nearest
from ..plugin_utils._fabric.plan.fabric import Fabric
from ..plugin_utils._fabric.plan.groups import Groups
from ..plugin_utils._fabric.plan.places import identity

if t.TYPE_CHECKING:
    from collections.abc import Iterator

    from ..plugin_utils._fabric.plan.topology.cabling import Device
    from ..plugin_utils._fabric.tenants.registry import Registry


def _refuse_a_middle() -> None:
    """FabricError where a playbook of the collection is to begin in its middle, past its checks.

    No later place hears of it where no task has the name: Ansible ends with 0 then.
    """
    task = context.CLIARGS.get("start_at_task")
    if task and any(word.startswith(variables.OWN) for word in playbook().split()):
        raise FabricError.of(
            f"--start-at-task '{task}': it skips the first checks of the playbook: run the playbook from its start."
        )


def _is_description(path: str) -> bool:
    return os.path.basename(path) == "fabric.yml"


class InventoryModule(BaseInventoryPlugin, Constructable):
    """Adds what the core computes; holds no rule of the fabric."""

    NAME = "spectrum_x.fabric.fabric"

    def verify_file(self, path: str) -> bool:
        """Sources end in C(.fabric.yml) or C(.fabric.yaml); a description is taken too, to refuse it in a sentence."""
        named = path.endswith((".fabric.yml", ".fabric.yaml")) or _is_description(path)
        return bool(super().verify_file(path)) and named

    def parse(self, inventory: t.Any, loader: t.Any, path: str, cache: bool = True) -> None:
        """Fill the inventory from the description that the source names.

        What cannot be loaded ends the run. Ansible would try its other parsers, warn of each, and go on without a host.
        """
        super().parse(inventory, loader, path, cache)
        try:
            _refuse_a_middle()
        except FabricError as exc:
            Display().error(str(exc), wrap_text=False)
            raise SystemExit(2) from exc
        try:
            self._parse(path)
        except (FabricError, AnsibleError) as exc:
            link = f" (a link to {os.path.realpath(path)})" if os.path.islink(path) else ""
            Display().error(f"-i {path}{link}: {exc}", wrap_text=False)
            raise SystemExit(2) from exc

    def _parse(self, path: str) -> None:
        if _is_description(path):
            raise FabricError.of(DESCRIPTION)
        # Ansible's reader ends the process with a segmentation fault where brackets nest by the thousand.
        text = pathlib.Path(path).read_text(encoding="utf-8", errors="replace")
        yaml_source.refuse_depth(text, path)
        self._refuse_unknown(self._read_config_data(path), path)
        self._folder = os.path.dirname(os.path.realpath(path))
        description = os.path.abspath(self._beside(self.get_option("description")))
        INVENTORIED[os.path.abspath(path)] = description
        fabric = Fabric.load(description)
        # Ansible would look for the source's folder, the same one, once for each host.
        source, self.inventory.current_source = self.inventory.current_source, None
        self._found_in = {
            "inventory_file": source,
            "inventory_dir": basedir(source) if source else None,
        }
        collecting = gc.isenabled()
        gc.disable()
        try:
            self._fill(fabric)
        finally:
            self.inventory.current_source = source
            if collecting:
                gc.enable()

    def _refuse_unknown(self, stated: dict[str, t.Any], path: str) -> None:
        """A misspelt option would silently load another part of the fabric."""
        name, known = os.path.basename(path), list(self.get_options())
        wrong = [
            f"{name}, {key}: the option is not known{nearest(str(key), known)}: correct or remove it."
            for key in stated
            if key not in known
        ]
        if not isinstance(stated.get("slices", False), bool):
            wrong.append(f"{name}, slices: '{stated['slices']}' is not allowed: use true or false.")
        if wrong:
            raise FabricError(wrong)

    def _beside(self, path: str) -> str:
        return os.path.join(self._folder, os.path.expanduser(path))

    def _fill(self, fabric: Fabric) -> None:
        self._management = self._addresses()
        groups = Groups(fabric)
        self.inventory.add_group(groups.all)
        known: set[tuple[str, ...]] = set()
        for device in self._devices(fabric):
            names = groups.of(device)
            if names not in known:
                known.add(names)
                for name in names:
                    self.inventory.add_group(name)
            self._add(fabric, device, names)
        if any(self.get_option(name) is not None for name in ("planes", "where")):
            # With a child it survives an export, which drops empty groups.
            self.inventory.add_group("spx_sliced")
            self.inventory.add_child("spx_sliced", groups.all)
        for role in sorted({names[0] for names in known}):
            self.inventory.add_child(groups.all, role)
        self._tenants(fabric)
        constructed = [self.get_option(name) for name in ("compose", "groups", "keyed_groups")]
        if any(constructed):
            self._construct(fabric, *constructed)

    def _devices(self, fabric: Fabric) -> Iterator[Device]:
        known = {str(number + 1): number for number in range(fabric.clos.planes)}
        planes, words = self.get_option("planes"), self.get_option("where")
        stated = known if planes is None else [*map(str, planes)]
        if [] in (stated, words) or not known.keys() >= {*stated}:
            raise FabricError.of(
                f"planes: use one-based numbers, 1 to {len(known)} in fabric {fabric.description.name}; "
                "neither planes nor where may be an empty list."
            )
        numbers = sorted({known[text] for text in stated})
        if words is None:
            yield from fabric.switches(planes=None if planes is None else numbers)
            yield from fabric.nodes()
            return
        # pylint: disable-next=import-outside-toplevel
        from ..plugin_utils._jobs.dcim.scope import chosen

        for part in chosen(fabric, self._registry(fabric), words):
            inside = (one for one in part.switches(fabric) if one.plane in numbers)
            yield from (*inside, *part.nodes(fabric))

    def _add(self, fabric: Fabric, device: Device, groups: tuple[str, ...]) -> None:
        spx = identity(fabric, device)
        name = spx["name"]
        if name in self.inventory.hosts:
            raise FabricError.of(
                f"host '{name}' of fabric {spx['fabric']} is already in the inventory: give the fabrics "
                "different names by a naming template, or load one of them."
            )
        self.inventory.add_host(name, groups[0])
        for group in groups[1:]:
            self.inventory.add_child(group, name)
        own = {**self._found_in, "spx": spx}
        if self._management is None:
            own["ansible_host"] = spx["management"].partition("/")[0]
        elif name in self._management:
            own["ansible_host"] = self._management[name]
        if self.get_option("slices"):
            own["spx_slice"] = fabric.slice(device)
        # The names are valid and new on the host; the checks of `set_variable` cost three times as much.
        self.inventory.hosts[name].vars.update(own)

    def _addresses(self) -> dict[str, str] | None:
        """Management addresses by name; None means those of the plan."""
        source = self.get_option("management")
        if source == "plan":
            return None
        if source == "none":
            return {}
        if source.lower().endswith((".csv", ".tsv")):
            return devices.addresses(self._beside(source))
        data = yaml_source.read(self._beside(source)).data
        if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
            raise FabricError.of(
                f"management: {source} is not a mapping of names to addresses: write lines such as "
                "leaf-p1-su001-r1: 192.0.2.1."
            )
        return data

    def _registry(self, fabric: Fabric) -> Registry | None:
        stated = self.get_option("tenants")
        path = self._beside(stated) if stated else fabric.beside("tenants.yml")
        if not stated and not os.path.exists(path):
            return None
        # pylint: disable-next=import-outside-toplevel
        from ..plugin_utils._fabric.tenants.registry import Registry

        return Registry.load(fabric, path)

    def _tenants(self, fabric: Fabric) -> None:
        registry = self._registry(fabric)
        for group, nodes in registry.groups().items() if registry else ():
            self.inventory.add_group(group)
            for node in nodes:
                if node in self.inventory.hosts:
                    self.inventory.add_child(group, node)

    def _construct(self, fabric: Fabric, compose: t.Any, groups: t.Any, keyed: t.Any) -> None:
        strict = self.get_option("strict")
        for name, host in self.inventory.hosts.items():
            if host.vars.get("spx", {}).get("fabric") != fabric.description.name:
                continue
            variables = host.get_vars()
            self._set_composite_vars(compose, variables, name, strict=strict)
            self._add_host_to_composed_groups(groups, variables, name, strict=strict)
            self._add_host_to_keyed_groups(keyed, variables, name, strict=strict)
