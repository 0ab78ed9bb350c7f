# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Record the options of awx.awx's modules, as ansible-doc tells them, in argument_specs.json.

    pip download --no-deps --dest /tmp/awx ansible==12.3.0      # the package holds awx.awx 24.6.1
    unzip -q /tmp/awx/ansible-12.3.0-*.whl 'ansible_collections/awx/awx/*' -d /tmp/awx
    python tests/awx/record.py /tmp/awx

Only names, types, choices and the like are kept: what a module accepts, not what it says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
KEPT = ("type", "elements", "choices", "required", "aliases")
MODULES = (
    "credential",
    "credential_type",
    "execution_environment",
    "inventory",
    "inventory_source",
    "job_template",
    "notification_template",
    "organization",
    "project",
    "workflow_job_template",
    "workflow_job_template_node",
)


def spec(options: dict[str, Any]) -> dict[str, Any]:
    """The argument specification that options of a documentation describe."""
    made = {}
    for name, option in sorted(options.items()):
        row = {key: option[key] for key in KEPT if option.get(key)}
        if "suboptions" in option:
            row["options"] = spec(option["suboptions"])
        made[name] = row
    return made


def main(tree: str) -> None:
    """Write argument_specs.json."""
    names = [f"awx.awx.{name}" for name in MODULES]
    env = os.environ | {"ANSIBLE_COLLECTIONS_PATH": tree}
    command = ["ansible-doc", "--json", "--type", "module", *names]
    told = json.loads(subprocess.run(command, env=env, capture_output=True, check=True).stdout)
    manifest = Path(tree) / "ansible_collections/awx/awx/MANIFEST.json"
    version = json.loads(manifest.read_text(encoding="utf-8"))["collection_info"]["version"]
    made = {
        "source": f"ansible-doc of awx.awx {version}, from the package ansible 12.3.0 on PyPI",
        "modules": {name: spec(doc["doc"]["options"]) for name, doc in sorted(told.items())},
    }
    text = json.dumps(made, indent=1, sort_keys=True) + "\n"
    (HERE / "argument_specs.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
