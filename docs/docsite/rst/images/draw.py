# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the pictures of the documentation from the examples; `make pages` does so.

A unit test draws them too and compares, so a picture that no longer shows its example is red.
"""

from __future__ import annotations

import typing as t
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
CASES = {
    "lab": ("topology", "addresses", "tenants"),
    "lab-3tier": ("topology", "addresses"),
    "h200-2048": ("topology", "addresses", "tenants"),
    "b300-4096": ("topology", "addresses"),
    "multiplane-16384": ("topology",),
    "max-524288": ("topology", "addresses", "tenants"),
}


def pictures() -> t.Iterator[tuple[str, str]]:
    """(file name, content) of every picture; the collection must be importable."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.everything import (
        PICTURES,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.fabric import Fabric

    for example, kinds in CASES.items():
        fabric = Fabric.load(str(ROOT / "inventories" / example / "model" / "fabric.yml"))
        for kind in kinds:
            yield f"{example}-{kind}.svg", "".join(PICTURES[kind](fabric).lines())


def main() -> None:
    """Write every picture beside this file."""
    for name, text in pictures():
        (HERE / name).write_text(text, encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
