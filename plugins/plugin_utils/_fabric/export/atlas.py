# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The atlas: a fabric as one static page that computes its answers and asks nothing of a network.

    atlas.write(fabric, registry, Output("report"), results=atlas_results.read("report"))

Up to 2,048 nodes are one file, `atlas.html`. Beyond, `atlas.html` locates everything and leads to a
page for each pod, `atlas/pod-001.html`. The same inputs make the same bytes.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
import json
import pathlib
import re
import typing as t

from . import atlas_data

if t.TYPE_CHECKING:
    from collections.abc import Mapping

    from ..plan.fabric import Fabric
    from ..tenants.registry import Registry
    from .atlas_results import Verdicts
    from .output import Output

MOST_NODES = 2048
_SPARE = re.compile(r"(?:^|(?<=[(\[{,;])\n)(?:\s+|//.*\n)*", re.MULTILINE)
"""Indents, lines of comment, and line ends where a statement or a list goes on."""
_SCRIPTS = (
    "atlas_core.js",
    "atlas_fabric.js",
    "atlas_locate.js",
    "atlas_page.js",
    "atlas_lists.js",
    "atlas_performance.js",
    "atlas_views.js",
    "atlas_search.js",
)


def write(
    fabric: Fabric,
    registry: Registry,
    output: Output,
    *,
    results: Mapping[str, Verdicts] | None = None,
    performance: Mapping[str, t.Any] | None = None,
) -> None:
    """Write the page, or the index and a page for each pod.

    `performance` is the overlay of the last run that measured the fabric.
    """
    content = atlas_data.Content(fabric, registry, results or {}, performance)
    name = fabric.description.name
    if fabric.clos.nodes <= MOST_NODES:
        output.write("atlas.html", page(name, content.whole()))
    else:
        output.write("atlas.html", page(name, content.index()))
        for pod in range(fabric.clos.pods):
            title = f"{name}, pod {pod + 1}"
            output.write(f"atlas/{atlas_data.pod_file(pod)}", page(title, content.pod(pod)))
    output.remove_others("atlas", re.compile(rb"<!doctype html>", re.IGNORECASE))


def page(title: str, data: Mapping[str, t.Any]) -> list[str]:
    """The page with its style, its script and its data inside."""
    own = "atlas_networks.js" if data["networks"] else "atlas_alone.js"
    at = _SCRIPTS.index("atlas_views.js")
    style, script = part("atlas.css"), "".join(map(part, (*_SCRIPTS[:at], own, *_SCRIPTS[at:])))
    return filled(part("atlas.html"), title, style=style, script=script, data=data)


def filled(
    template: str, title: str, *, style: str, script: str, data: object, body: str = ""
) -> list[str]:
    """A template with a style, a script, and data as JSON; `body` is HTML already.

    The policy allows exactly that style and script, by their hashes, and no request at all.
    """
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    values = {
        "policy": policy,
        "title": html.escape(title),
        "style": style,
        "script": script,
        # Nothing in it can end the element that it stands in.
        "data": json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        "body": body,
    }
    parts = template.replace("}}", "{{").split("{{")
    return [values[one] if number % 2 else one for number, one in enumerate(parts)]


@functools.cache
def part(name: str, folder: pathlib.Path = pathlib.Path(__file__).parent) -> str:
    """A part of a page without what only its authors need: a fabric may have 129 pages."""
    text = (folder / name).read_text(encoding="utf-8")
    return _SPARE.sub("", text)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
