# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Turn the file of a check of conformance, as people attach it to a report, into a fixture.

    make capture FILE=switch-5.16.1-SN5600.json

What a switch answered goes to tests/captures as what the double reports on top of its own answers; what the tools of a
host printed goes there for the parsers. From then on the tests read it with the product's readers: a change that stops
reading what a real device says fails (tests/unit/test_captures.py).
"""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parent / "captures"


def main(argv: list[str]) -> int:
    """Read the file, and write the fixture beside the others."""
    if len(argv) != 1:
        sys.stderr.write("usage: make capture FILE=<file of a check of conformance>\n")
        return 2
    try:
        report = json.loads(pathlib.Path(argv[0]).read_text(encoding="utf-8"))
        made = fixture(report)
    except (OSError, ValueError, KeyError, TypeError) as error:
        sys.stderr.write(f"{argv[0]}: it is not a file of a check of conformance ({error!r}).\n")
        return 2
    ROOT.mkdir(exist_ok=True)
    path = ROOT / pathlib.Path(argv[0]).name
    path.write_text(json.dumps(made, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    sys.stdout.write(f"{path}\n")
    return 0


def fixture(report: dict[str, Any]) -> dict[str, Any]:
    """The answers of a report, each with the verdict that it had."""
    kept = [
        {key: row[key] for key in ("part", "question", "request", "verdict", "answer")}
        for row in report["rows"]
        if row["part"] in ("answer", "tool") and row.get("answer") not in (None, {}, "")
    ]
    made = {"kind": report["kind"], "release": report.get("release", ""), "rows": kept}
    return made | ({"model": report["model"]} if report["kind"] == "switch" else {})


def operational(capture: dict[str, Any]) -> dict[str, Any]:
    """The answers of a switch as one operational tree, for `extra` of the double."""
    tree: dict[str, Any] = {}
    for row in capture["rows"]:
        path = row["request"].removeprefix("GET /").partition("?")[0].split("/")
        if row["question"] in ("LLDP neighbours", "revisions"):
            continue
        place = tree
        for key in path[:-1]:
            place = place.setdefault(key, {})
        place[path[-1]] = row["answer"]
    return tree


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
