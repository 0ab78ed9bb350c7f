# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A project that is pushed to a real DCIM, by the playbooks as people run them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from dcim.installed import ROOT
from dcim.proxy import Proxy
from dcim.servers import Server
from drills.running import Run
from playing import extra_vars, play

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric

SECONDS = 900
"""The longest that a push of the lab may take; on a busy machine Nautobot needs minutes."""
LARGE = "h200-2048"
MOVED = {"acme": ["su01", "su02/[01-63]"], "globex": ["su03/[01-16]", "su02/h64"]}
"""The nodes of tenants of LARGE after one of them has moved."""


@dataclass
class Project:
    """A folder with an example of the collection, and where it is pushed to.

    `connection` is what the variable spx_dcim has beside product and URL.
    """

    folder: Path
    server: Server
    url: str
    example: str = "lab"
    connection: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        shutil.copytree(ROOT / "inventories" / self.example / "model", self.folder / "model")
        source = {
            "plugin": "spectrum_x.fabric.fabric",
            "description": str(self.folder / "model" / "fabric.yml"),
            "management": "none",
        }
        (self.folder / "inventory").mkdir()
        (self.folder / "inventory" / "hosts.fabric.yml").write_text(
            yaml.safe_dump(source), encoding="utf-8"
        )

    def change(self, file: str, **values: Any) -> None:
        """Change top-level keys of a file of the model."""
        path = self.folder / "model" / file
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        path.write_text(yaml.safe_dump({**content, **values}), encoding="utf-8")

    def build_without(self, *places: str) -> None:
        """Build what the example builds, but for some places."""
        path = ROOT / "inventories" / self.example / "model" / "fabric.yml"
        absent = yaml.safe_load(path.read_text(encoding="utf-8")).get("absent", [])
        self.change("fabric.yml", absent=[*absent, *places])

    def move(self, nodes: Mapping[str, list[str]]) -> None:
        """Give tenants, by slug, other nodes."""
        path = self.folder / "model" / "tenants.yml"
        tenants = yaml.safe_load(path.read_text(encoding="utf-8"))["tenants"]
        moved = [{**one, "nodes": nodes.get(one["slug"], one["nodes"])} for one in tenants]
        self.change("tenants.yml", tenants=moved)

    def end(self, slug: str) -> None:
        """A tenant is there no more, and its nodes are free."""
        path = self.folder / "model" / "tenants.yml"
        tenants = yaml.safe_load(path.read_text(encoding="utf-8"))["tenants"]
        self.change("tenants.yml", tenants=[one for one in tenants if one["slug"] != slug])

    def fabric(self) -> Fabric:
        """Load the plan of the project."""
        return Fabric.load(str(self.folder / "model" / "fabric.yml"))

    def run(
        self, playbook: str, *words: str, token: str = "", seconds: int = SECONDS, **variables: Any
    ) -> tuple[int, str]:
        """(exit code, output) of a playbook; `variables` are given by -e."""
        named = ("-i", "inventory", f"spectrum_x.fabric.{playbook}")
        given = (*self.settings(), *extra_vars(variables))
        environment = self.environment(token)
        return play(self.folder, *named, *given, *words, seconds=seconds, **environment)

    def push(self, *words: str, **variables: Any) -> str:
        """The output of a push that has to go well."""
        code, output = self.run("dcim_push", *words, **variables)
        assert code == 0, output
        return output

    def refused(self, *words: str, **variables: Any) -> str:
        """The output of a push that has to fail, in one line however it was wrapped."""
        code, output = self.run("dcim_push", *words, **variables)
        assert code, output
        assert "Traceback" not in output
        return " ".join(output.split())

    def begin(self) -> Run:
        """A push at work."""
        return Run(self.folder, "dcim_push", *self.settings(), environment=self.environment())

    def settings(self) -> list[str]:
        """Write the settings with the address of the DCIM."""
        path = self.folder / "dcim.yml"
        connection = {"kind": self.server.kind, "url": self.url, **self.connection}
        path.write_text(yaml.safe_dump({"spx_dcim": connection}), encoding="utf-8")
        return ["-e", f"@{path}"]

    def environment(self, token: str = "") -> dict[str, str]:
        """The variables that a run needs."""
        return {"SPX_DCIM_TOKEN": token or self.server.token, "SPX_PROJECT": str(self.folder)}


def silent(project: Project, proxy: Proxy) -> None:
    """The next push writes nothing."""
    before = len(proxy.writes)
    assert "no difference, nothing to write" in project.push()
    assert proxy.writes[before:] == []


def cables(fabric: Fabric) -> set[frozenset[tuple[str, str]]]:
    """The cables between devices of the plan, as pairs of device and port that the switches' own slices have."""
    ours = devices(fabric)
    return {
        frozenset({(name, row["port"]), (row["peer"]["device"], row["peer"]["port"])})
        for name in map(fabric.name, fabric.switches())
        for row in fabric.slice(name)["ports"]
        if row.get("present") and row["peer"]["device"] in ours
    }


def devices(fabric: Fabric) -> set[str]:
    """The names of all devices of the plan that are built."""
    return {*map(fabric.name, fabric.switches()), *map(fabric.name, fabric.nodes())}
