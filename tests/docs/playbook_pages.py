# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of the playbooks: what each reads, writes and disturbs, its variables, and examples."""

from __future__ import annotations

import re
import typing as t
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
LABEL = "ansible_collections.spectrum_x.fabric.docsite.playbooks"
FACTS = ("reads", "writes", "disturbs")
_INCLUDED = re.compile(
    r"(?:import_playbook: (?P<playbook>\w+)\.yml|(?:include|import)_tasks: (?P<tasks>\S+\.yml)"
    r"|name: spectrum_x\.fabric\.(?P<role>\w+)$)",
    re.MULTILINE,
)


class Entry(t.TypedDict, total=False):
    """A row of `reference.yaml`."""

    reads: t.Required[str]
    writes: t.Required[str]
    disturbs: t.Required[str]
    sets: list[str]
    plays: list[str]
    variables: list[str]


class Sheet(t.TypedDict):
    """The file `reference.yaml`."""

    sets: dict[str, list[str]]
    playbooks: dict[str, Entry]


def sheet() -> Sheet:
    """Return the parts of the reference that people write."""
    text = Path(__file__).with_name("reference.yaml").read_text(encoding="utf-8")
    return t.cast(Sheet, yaml.safe_load(text))


def comment(playbook: str) -> list[str]:
    """Return the lines of the comment at the top of a playbook."""
    text = (ROOT / "playbooks" / f"{playbook}.yml").read_text(encoding="utf-8")
    found = re.match(r"---\n((?:#.*\n)+)", text)
    return [line[1:].removeprefix(" ") for line in found[1].splitlines()] if found else []


def purpose(playbook: str) -> str:
    """Return the sentences of the comment, without its commands."""
    words = " ".join(line for line in comment(playbook) if not line.startswith("  "))
    title, _colon, rest = words.partition(": ")
    named = title.lower().replace(" ", "_") == playbook
    text = rest if named else words
    return (text[0].upper() + text[1:]).replace("*", r"\*")


def examples(playbook: str) -> list[str]:
    """Return the commands of the comment."""
    return [line.strip() for line in comment(playbook) if line.startswith("  ansible-playbook")]


def variables(playbook: str, schema: t.Mapping[str, t.Any]) -> list[str]:
    """Return the variables that count in a run of a playbook, sorted."""
    made = sheet()
    entry = made["playbooks"][playbook]
    names = set(entry.get("variables", []))
    names.update(*(made["sets"][name] for name in entry.get("sets", [])))
    names.update(*(variables(part, schema) for part in entry.get("plays", [])))
    names |= {name for name, row in schema.items() if playbook in row.get("read_by", [])}
    words = set(re.findall(r"\bspx_\w+", code(ROOT / "playbooks" / f"{playbook}.yml", set())))
    return sorted(names | words.intersection(schema))


def code(path: Path, seen: set[Path]) -> str:
    """Return the text of a playbook with all that it includes, without comments."""
    if path in seen or not path.is_file():
        return ""
    seen.add(path)
    text = re.sub(r"(?m)^ *#.*$", "", path.read_text(encoding="utf-8"))
    parts = [text]
    for match in _INCLUDED.finditer(text):
        if match["playbook"]:
            parts.append(code(ROOT / "playbooks" / f"{match['playbook']}.yml", seen))
        elif match["tasks"]:
            parts.append(code((path.parent / match["tasks"]).resolve(), seen))
        else:
            files = (ROOT / "roles" / match["role"]).glob("[dth]*/**/*.yml")
            parts += [code(each, seen) for each in sorted(files)]
    return "\n".join(parts)


def reference(
    names: t.Iterable[str],
    schema: t.Mapping[str, t.Any],
    allowed: t.Callable[[t.Any], str],
    table: t.Callable[[str, list[str], list[list[str]]], str],
) -> str:
    """Return the reference of the named playbooks as reStructuredText."""
    parts = []
    for name in names:
        entry = sheet()["playbooks"][name]
        title = f"``{name}``"
        lines = ["", f".. _{LABEL}.{name}:", "", title, "~" * len(title), "", purpose(name), ""]
        for fact in FACTS:
            lines.append(f"* **{fact.capitalize()}**: {' '.join(entry[fact].split())}")  # type: ignore[literal-required]
        lines += ["", ".. code-block:: shell", ""]
        lines += [f"   {command}" for command in examples(name)]
        rows = []
        for variable in variables(name, schema):
            row = schema[variable]
            meaning = str(row["description"]).replace("*", r"\*").rstrip(".") + "."
            rows.append([f"``{variable}``", allowed(row), meaning])
        body = table("27 33 40", ["Variable", "Allowed", "Meaning"], rows) if rows else ""
        parts.append("\n".join(lines) + "\n" + body.rstrip("\n"))
    return "\n".join(parts) + "\n\n"
