# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schema of `fabric.yml`, for editors that complete and check while one types.

    # yaml-language-server: $schema=fabric.schema.json

It follows from the typed model; rules between keys are beyond it.
"""

from __future__ import annotations

import json
import typing as t

from .description import ROLES_THAT_WRITE, Description

if t.TYPE_CHECKING:
    from collections.abc import Callable

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def fabric(table: Callable[[str], t.Any]) -> dict[str, t.Any]:
    """Return the schema as plain data; `table` reads a table of the catalog, which has models and profiles."""
    made: dict[str, t.Any] = Description.model_json_schema()
    made["properties"]["manage"]["items"]["enum"] = list(ROLES_THAT_WRITE)
    profile = made["$defs"]["Addressing"]["properties"]["profile"]
    profile["enum"] = list(table("profiles")["profiles"])
    rows = table("switches")["models"]
    models = [name for name, row in rows.items() if not {"unpublished", "oob"} & row.keys()]
    made["$defs"]["Switches"]["properties"]["model"]["enum"] = models
    made["$defs"]["NetworkSwitches"]["properties"]["model"]["anyOf"][0]["enum"] = models
    return {"$schema": DRAFT, **made, "title": "A Spectrum-X fabric (fabric.yml)"}


def text(table: Callable[[str], t.Any]) -> str:
    """Return the schema as the file `docs/schema/fabric.schema.json` holds it."""
    return json.dumps(fabric(table), indent=2, ensure_ascii=True) + "\n"
