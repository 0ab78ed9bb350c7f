# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draw the pictures of the documentation from the examples; `make pages` does so.

A unit test draws them too and compares, so a picture that no longer shows its example is red.
"""

from __future__ import annotations

import typing as t
from pathlib import Path

import rooms

if t.TYPE_CHECKING:
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import (
        Fabric,
    )

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[3]
CASES = {
    "lab": ("topology", "addresses", "tenants"),
    "lab-3tier": ("topology", "addresses"),
    "lab-converged": ("networks", "front-end", "storage", "border"),
    "b300-1024-converged": ("networks",),
    "h200-2048": ("topology", "addresses", "tenants"),
    "b300-4096": ("topology", "addresses"),
    "multiplane-16384": ("topology",),
    "max-524288": ("topology", "addresses", "tenants"),
}


def pictures() -> t.Iterator[tuple[str, str]]:
    """(file name, content) of every picture; the collection must be importable."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.exports import (
        pictures_of,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import (
        Fabric,
    )

    for example, kinds in CASES.items():
        fabric = Fabric.load(str(ROOT / "inventories" / example / "model" / "fabric.yml"))
        for kind in kinds:
            yield f"{example}-{kind}.svg", "".join(pictures_of(fabric)[kind](fabric).lines())
    core = of_page("networks.rst", "networks:\n  core: {}\n")
    yield "core-networks.svg", "".join(pictures_of(core)["networks"](core).lines())
    yield "brownfield-256-handover.svg", handover()
    yield "rooms.svg", rooms.draw()


def of_page(page: str, begin: str) -> Fabric:
    """The example lab with the block of a page that begins so."""
    import yaml

    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.description import (
        Description,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.load import (
        typed,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.yaml_source import (
        Source,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import (
        Fabric,
    )

    lines = (HERE.parent / page).read_text(encoding="utf-8").splitlines(keepends=True)
    text = "".join(line.removeprefix("   ") for line in lines)
    block, _end, _rest = text[text.index(begin) :].partition("\n\n")
    stated = yaml.safe_load((ROOT / "inventories" / "lab" / "model" / "fabric.yml").read_text())
    source = Source("fabric.yml", {**stated, **yaml.safe_load(block)}, {})
    return Fabric(typed(Description, source), source)


def handover() -> str:
    """A rack of the example brownfield-256, the plugs of one of its leaves, and the labels of a breakout cable."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover import (
        labels,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.handover.cables import (
        Cables,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import (
        Fabric,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._pages.svg import Svg

    example = ROOT / "inventories" / "brownfield-256" / "model" / "fabric.yml"
    cables = Cables(Fabric.load(str(example)))
    leaf = next(cables.fabric.switches())
    rack = cables.floor.spot(leaf).rack
    svg = Svg(
        f"brownfield-256: rack {rack}, and the labels of one cable",
        f"A page has the rack from the front and every plug in it; here some of {cables.fabric.name(leaf)}.",
    )
    for device in cables.fabric.switches():
        spot = cables.floor.spot(device)
        if spot.rack == rack:
            y = 96 + (41 - spot.unit - 1) * 14
            svg.rect(60, y, 230, 28)
            svg.text(70, y + 18, cables.fabric.name(device), "strong")
            svg.text(280, y + 18, f"leaf  {cables.fabric.rows[device].serial}", "small end quiet")
    for unit in range(34, 42):
        svg.text(52, 96 + (41 - unit) * 14 + 11, str(unit), "tiny end")
    own = list(cables.at(leaf))
    head = next(cable for cable, _plug in own if len(cable.ends) > 1)
    for x, title in zip(
        (330, 540, 690, 860, 960, 1120),
        ("Label: cable", "this end", "to", "Rack, unit", "Part", "m"),
    ):
        svg.text(x, 96, title, "small quiet")
    begin = next(number for number, (cable, _plug) in enumerate(own) if cable is head)
    y = 118
    for cable, plug in own[begin - 3 : begin + 2]:
        label = labels.label(cables, cable, plug)
        spots = [cables.floor.spot(end.device) for end in cable.ends]
        svg.text(330, y, label.cable, "small mono")
        svg.text(540, y, label.here, "small mono")
        svg.text(960, y, labels.medium(cable), "small")
        svg.text(1120, y, labels.metres(labels.length(cable)), "small")
        for there, spot in zip(label.there, spots):
            svg.text(690, y, there, "small mono")
            svg.text(860, y, f"{spot.rack}, {spot.unit}", "small")
            y += 18
    for x, plug in zip((60, 420, 780), head.plugs):
        label = labels.label(cables, head, plug)
        svg.rect(x, 270, 330, 92, "soft")
        for number, line in enumerate(label.lines):
            svg.text(x + 14, 292 + number * 19, line, "mono strong" if not number else "mono")
    for x, words_of in zip((60, 420, 780), ("at the head", "at leg 1", "at leg 2")):
        svg.text(x, 384, f"The label {words_of}", "small quiet")
    svg.height = 404
    return "".join(svg.lines())


def main() -> None:
    """Write every picture beside this file."""
    for name, text in pictures():
        (HERE / name).write_text(text, encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
