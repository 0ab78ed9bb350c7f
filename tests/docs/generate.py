# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference pages and lists that follow from the data: written here, compared by a test.

    make pages    write what differs

Text between ``generated: NAME`` and ``end of generated`` markers is replaced; the rest of a page is
written by people. The README of each role is generated as a whole.
"""

from __future__ import annotations

import json
import re
import textwrap
import typing as t
from collections.abc import Callable, Iterator
from pathlib import Path

import pydantic
import yaml

from . import facts, playbook_pages
from .role_pages import role_pages

ROOT = Path(__file__).resolve().parents[2]
CORE = ROOT / "plugins" / "plugin_utils" / "_fabric"
GUIDES = ROOT / "docs" / "docsite" / "rst"
NAME = "spectrum_x.fabric"
IMPORTED = ("begin", "tenant_end")
"""Playbooks that only others import."""
SIZED = 256
"""GPUs of the designs that the guide shows."""
MOST_SENTENCES = 3
"""Sentences shown of a case that has many."""
MOMENTS = {
    "running": "reported by plan",
    "install": "reported by plan",
    "change": "warned of",
    "busy": "warned of",
    "failure": "warned of",
    "no_diff": "warned of",
}
"""When a known bug is reported, in words."""
KINDS = (
    ("Modules and actions", "modules"),
    ("Inventory", "inventory"),
    ("Lookups", "lookup"),
    ("Filters", "filter"),
    ("Callbacks", "callback"),
)


def catalog(name: str) -> dict[str, object]:
    """The data of a catalog file."""
    loaded = yaml.safe_load((CORE / "catalog" / f"{name}.yaml").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def documented(path: Path) -> str:
    """The short description of a plugin, from its own file or the YAML file beside it."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".yml":
        return str(yaml.safe_load(text)["DOCUMENTATION"]["short_description"])
    found = re.search(r'^DOCUMENTATION = r?"""(.*?)"""', text, re.MULTILINE | re.DOTALL)
    return str(yaml.safe_load(found[1])["short_description"]) if found else ""


def plugins(folder: str) -> Iterator[tuple[str, str]]:
    """(name, short description) of the plugins of a folder."""
    for path in sorted((ROOT / "plugins" / folder).glob("[!_]*.*")):
        if path.suffix in (".py", ".yml") and (said := documented(path)):
            yield path.stem, said


def roles() -> Iterator[tuple[str, str]]:
    """(name, short description) of the roles."""
    for path in sorted((ROOT / "roles").glob("*/meta/argument_specs.yml")):
        specs = yaml.safe_load(path.read_text(encoding="utf-8"))["argument_specs"]
        yield path.parents[1].name, specs["main"]["short_description"]


def playbooks() -> Iterator[tuple[str, str]]:
    """(name, first sentence of the comment at its top) of the playbooks that people run."""
    for path in sorted((ROOT / "playbooks").glob("*.yml")):
        text = path.read_text(encoding="utf-8")
        comment = re.match(r"---\n((?:# \S.*\n)+)", text)
        if path.stem in IMPORTED or not comment:
            continue
        said = comment[1].replace("\n# ", " ").removeprefix("# ").strip()
        title, _colon, rest = said.partition(": ")
        said = rest if title.lower().replace(" ", "_") == path.stem else said
        said = re.split(r"[.;]\s", said + " ")[0].rstrip(".: ")
        yield path.stem, said[0].upper() + said[1:]


def contents() -> str:
    """The README's list of what is inside."""
    lines = ["", "| Playbooks | |", "|---|---|"]
    lines += [f"| `{name}` | {said} |" for name, said in playbooks()]
    lines += ["", "| Roles and plugins | |", "|---|---|"]
    for title, prefix in (("Roles for switches", "switch_"), ("Roles for hosts", "dpu_")):
        names = ", ".join(f"`{name}`" for name, _said in roles() if name.startswith(prefix))
        lines += [f"| {title} | {names} |"] if names else []
    for title, folder in KINDS:
        names = ", ".join(f"`{name}`" for name, _said in plugins(folder))
        lines += [f"| {title} | {names} |"] if names else []
    return "\n".join([*lines, "", ""])


def table(widths: str, head: list[str], rows: list[list[str]]) -> str:
    """A list-table of reStructuredText; cells are one line each."""
    lines = ["", ".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    for row in [head, *rows]:
        lines += [f"   {'* -' if n == 0 else '  -'} {cell}".rstrip() for n, cell in enumerate(row)]
    return "\n".join([*lines, "", ""])


def role_list() -> str:
    """Every role with what it is for."""
    link = f":ansplugin:`{NAME}.{{0}}#role`"
    return table("35 65", ["Role", "Purpose"], [[link.format(n), said] for n, said in roles()])


def checks() -> str:
    """Every check by its id."""
    rows = []
    for path in sorted((CORE / "catalog").glob("checks_*.yaml")):
        rows += [[f"``{name}``", str(row["says"])] for name, row in catalog(path.stem).items()]
    return table("35 65", ["Check", "What it says when it passes"], rows)


def variables() -> str:
    """Every variable of the playbooks."""
    from . import allowed

    rows = []
    for name, row in sorted(catalog("variables").items()):
        said = str(row["description"]).replace("*", r"\*").rstrip(".") + "."
        rows.append([f"``{name}``", allowed.of_variable(row), said])
    return table("27 33 40", ["Variable", "Allowed", "Meaning"], rows)


def keys_of(
    model: type[pydantic.BaseModel], schema: dict[str, object], prefix: str = ""
) -> list[list[str]]:
    """(key, allowed, default, meaning) of a model and of the models below it.

    `schema` is the whole JSON Schema: it has the values that catalogs allow.
    """
    from . import allowed

    rows = []
    own = schema["$defs"].get(model.__name__, schema)["properties"]
    for attribute, field in model.model_fields.items():
        name = field.alias or attribute
        places = [own[name], own[name].get("items", {})]
        choices = next((place["enum"] for place in places if "enum" in place), ())
        below = model_of(field.annotation)
        said = field.description or (below.__doc__ if below else "") or ""
        may = allowed.of_field(model, name, choices)
        rows.append([f"``{prefix}{name}``", may, default_of(field), said.split("\n")[0]])
        if below is not None:
            rows += keys_of(below, schema, f"{prefix}{name}.")
    return rows


def default_of(field: pydantic.fields.FieldInfo) -> str:
    """Describe the value that counts where the key is not there."""
    if field.is_required():
        return "required"
    found = field.get_default(call_default_factory=True)
    if found in (None, "", [], {}) or not isinstance(found, (str, int, float, list)):
        return ""
    return f"``{found if isinstance(found, str) else json.dumps(found)}``"


def model_of(hint: object) -> type[pydantic.BaseModel] | None:
    """The model that an annotation means, or whose list or mapping it is; None for plain values."""
    if isinstance(hint, type) and issubclass(hint, pydantic.BaseModel):
        return hint
    return next((found for each in t.get_args(hint) if (found := model_of(each))), None)


KEYS = ["Key", "Allowed", "Default", "Meaning"]


def description_keys() -> str:
    """Every key of fabric.yml."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.catalog import data
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description import (
        description,
        schema,
    )

    rows = keys_of(description.Description, schema.fabric(data.table))
    return table("25 28 12 35", KEYS, rows)


def registry_keys() -> str:
    """Every key of tenants.yml."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants import schema

    made = schema.TenantsFile.model_json_schema()
    return table("25 28 12 35", KEYS, keys_of(schema.TenantsFile, made))


def columns() -> str:
    """Every column of a site's tables, and every key of a waiver."""
    from .columns import TABLES

    rows = [
        [f"``{file}``: ``{c.name}``", c.allowed, "required" if c.needed else "", c.meaning]
        for file, listed in TABLES.items()
        for c in listed
    ]
    return table("27 31 12 30", ["File and column", *KEYS[1:]], rows)


def version_sets() -> str:
    """The validated version sets."""
    data = catalog("version_sets")
    names = list(data["sets"])
    rows = []
    for key, title in data["components"].items():
        cells = [said(data["sets"][name].get(key)) for name in names]
        rows.append([title, *cells])
    return table(" ".join(["24"] + ["19"] * len(names)), ["Component", *names], rows)


def said(value: object) -> str:
    """A version, several by platform, or that none was found."""
    if value is None:
        return "not found"
    if isinstance(value, list):
        return ", ".join(
            row["value"] + (f" ({'/'.join(row['platforms'])})" if "platforms" in row else "")
            for row in value
        )
    return str(value)


def ra_releases() -> str:
    """The NIC parameter sets that are shipped."""
    data = catalog("ra_profiles")
    rows = []
    for name, release in data["releases"].items():
        covered = "; ".join(
            f"{', '.join(data['devices'][d]['name'] for d in row['device'])}: "
            f"{', '.join(row['mode'])} with {' or '.join(map(str, row['planes']))} plane(s)"
            for row in release["combinations"]
        )
        version = f"``{release['cc_package']}``" if "cc_package" in release else "not published"
        rows.append([name, str(release["status"]), covered, version])
    return table("10 15 55 20", ["RA", "Status", "Covers", "Congestion control"], rows)


def profiles() -> str:
    """The address profiles with their bits."""
    rows = []
    for name, entry in catalog("profiles")["profiles"].items():
        for layout in entry["layouts"]:
            bits = " ".join(f"{field[0]} {field[1]}" for field in layout["fields"])
            when = str(layout["when"]).replace("-", " ")
            rows.append([f"``{name}``", when, f"``{layout['base']}``", bits])
    return table("25 13 17 45", ["Profile", "Layout", "Base", "Fields and bits"], rows)


def address_space() -> str:
    """Table of the address space that each computed address profile reserves."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan import fabric
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.addressing import (
        space,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.report import report
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing import (
        designs,
        facts,
        request,
    )

    design = designs.designs(request.Request(gpus=SIZED))[0]
    d, rows = design.fabric.description, []
    figures = facts.facts(design)
    for name in (figures["profile"], *figures["other_profiles"]):
        own = d.addressing.model_copy(update={"profile": name})
        changed = d.model_copy(update={"addressing": own})
        pools = report.pools(fabric.Fabric(changed, design.fabric.source))
        share = space.private_share(space.taken(pools))
        links = pools.pop("host_links")
        blocks = ", ".join(f"``{prefix}``" for prefix in space.taken(pools))
        rows.append([f"``{name}``", f"``{links}``", blocks, f"{int(100 * share)} %"])
    head = ["Profile", "Links of hosts", "Infrastructure", "Of private IPv4"]
    return table("25 17 42 16", head, rows)


def sizing() -> str:
    """The designs that playbook size shows."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing import (
        designs,
        facts,
        request,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.sizing import (
        table as shown,
    )

    found = [facts.facts(design) for design in designs.designs(request.Request(gpus=SIZED))]
    lines = [f"   {line}".rstrip() for line in shown.lines(found)]
    return "\n.. code-block:: text\n\n" + "\n".join(lines) + "\n\n"


def playbook_reference() -> str:
    """What each playbook reads, writes and disturbs, its variables and examples."""
    from . import allowed

    names = [name for name, _said in playbooks()]
    return playbook_pages.reference(names, catalog("variables"), allowed.of_variable, table)


def hooks() -> str:
    """Every hook of a site."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.hooks import (
        HOOKS,
    )

    rows = []
    for hook in HOOKS:
        due = f" It must confirm ``{hook.confirms}`` where that is so." if hook.confirms else ""
        rows.append([f"``{hook.name}``", hook.does + due, ", ".join(map(run_of, hook.runs_in))])
    return table("20 50 30", ["Hook", "What it is for", "Runs in"], rows)


def hook_variables() -> str:
    """The variables of hooks."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.tenants.hooks import (
        GIVEN,
        VARIABLES,
    )

    rows = []
    for name, meaning in VARIABLES.items():
        places = [run_of(place) for place, names in GIVEN.items() if name in names]
        rows.append([f"``{name}``", meaning, ", ".join(places)])
    return table("20 50 30", ["Variable", "Value", "In"], rows)


def run_of(place: str) -> str:
    """Name the runs of a hook, with the names of playbooks and variables as such."""
    return re.sub(r"\b(dpus|credentials|spx_\w+)", r"``\1``", place)


def classes() -> str:
    """Table of the effects of a change on traffic."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import (
        disruption_table,
    )

    rows = [
        [f"``{name}``", "yes" if row.gated else "no", f"{row.timer} s"]
        for name, row in disruption_table.CLASSES.items()
    ]
    rows.append(["none of these", "no", f"{disruption_table.DEFAULT_TIMER} s"])
    return table("40 30 30", ["Class", "Must be allowed", "Roll-back timer"], rows)


def hardware() -> str:
    """Switch models with their oldest release and ports, and NICs with their modes."""
    data = catalog("switches")
    rows = []
    for name, row in data["models"].items():  # type: ignore[attr-defined]
        splits = "; ".join(
            f"{number} x {' or '.join(f'{speed}G' for speed in speeds)}"
            for number, speeds in row.get("splits", {}).items()
        )
        rows.append([name, str(row["since"]), splits or row["unpublished"]])
    cards = [
        [name, f"{row['gbps']}G", ", ".join(row["modes"])]
        for name, row in data["nics"].items()  # type: ignore[attr-defined]
    ]
    return "".join(
        (
            table("20 20 60", ["Switch", "Cumulus Linux from", "Ports of a cage"], rows),
            table("20 20 60", ["NIC", "All its ports", "Modes"], cards),
        )
    )


def fact_sources() -> str:
    """How many facts of each area are of which kind, counted in the data files."""
    total: dict[str, int] = dict.fromkeys(facts.COLUMNS, 0)
    rows = []
    for area, kinds in facts.counts().items():
        rows.append([area, *(f"{kinds[kind]:,}" if kinds[kind] else "" for kind in facts.COLUMNS)])
        total = {kind: total[kind] + kinds[kind] for kind in facts.COLUMNS}
    rows.append(["All", *(f"{total[kind]:,}" for kind in facts.COLUMNS)])
    return table("30 10 10 10 10 10 10 10", ["Area", *facts.COLUMNS], rows)


def bugs() -> str:
    """Known bugs of Cumulus Linux."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.change import known_bugs

    rows = [
        [
            str(bug.id),
            bug.releases,
            ", ".join((*bug.models, *bug.asics)) or "all",
            "refused" if bug.refuse else MOMENTS[bug.moment],
            f"{bug.what}: {bug.remedy}",
        ]
        for bug in sorted(known_bugs.every(), key=lambda bug: known_bugs.MOMENTS.index(bug.moment))
    ]
    head = ["NVIDIA's id", "Releases", "Switches", "Is", "What happens, and what to do"]
    return table("10 16 12 14 48", head, rows)


def errors() -> str:
    """The golden sentences about descriptions, by their case."""
    made = []
    for path in sorted((ROOT / "tests" / "golden" / "errors").glob("*/expected.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()[:MOST_SENTENCES]
        shown = [textwrap.indent("\n".join(_wrapped(line)), "   ") for line in lines]
        case = path.parent.name.replace("-", " ")
        text = f"{case[0].upper()}{case[1:]}:\n\n.. code-block:: text\n\n" + "\n".join(shown)
        made.append(text)
    return "\n" + "\n\n".join(made) + "\n\n"


def _wrapped(line: str) -> list[str]:
    return textwrap.wrap(line, 104, break_long_words=False, break_on_hyphens=False)


def measured() -> str:
    """Output of the benchmarks when they were last recorded in measured.jsonl."""
    lines = (GUIDES.parent / "measured.jsonl").read_text(encoding="utf-8").splitlines()
    first, *rows = [json.loads(line) for line in lines]
    cells = [[f"``{row['name']}``", str(row["value"]), row["unit"]] for row in rows]
    return f"\nOn {first['machine']}.\n" + table("50 20 30", ["Measure", "Value", "Unit"], cells)


def performance_levels() -> str:
    """The levels of playbook performance."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.plan.levels import (
        LEVELS,
    )

    rows = [
        [f"``{level.name}``", level.shows, level.disturbs, ", ".join(level.needs)]
        for level in LEVELS.values()
    ]
    return table("14 36 36 14", ["Level", "A pass shows", "It disturbs", "It needs"], rows)


def performance_limits() -> str:
    """The limits of playbook performance."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.judge import (
        limits,
    )
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
        figures,
    )

    between = {
        f"{key}{limits.CROSSED}": f"{said} between rails" for key, said in figures.KINDS.items()
    }
    known = figures.KINDS | figures.COMPARISONS | between
    rows = []
    for row in catalog("performance_limits")["limits"]:  # type: ignore[attr-defined]
        percent = row.get("percent") or round(row["published"] - row["tolerance"], 2)
        bound = f"{'at most' if row.get('most') else 'at least'} {percent:g} % of {limits.OF[row['of']]}"
        source = row["source"]
        if "published" in row:
            source = f"published: {row['published']:g} %, less {row['tolerance']:g} points (ours); {source}"
        words = known.get(row["figure"], row["figure"])
        rows.append([f"``{row['level']}``", words, bound, _for(row), source])
    head = ["Level", "Figure", "Limit", "For", "Source"]
    return table("11 23 20 16 30", head, rows)


def _for(row: dict[str, object]) -> str:
    """The fabrics that a limit is for."""
    words = {
        "link": "ports of {}G",
        "nics": "{} NICs a node",
        "planes": "{} planes",
        "tiers": "{} tiers",
    }
    where = t.cast("dict[str, object]", row.get("where", {}))
    made = [words[key].format(value) for key, value in where.items()]
    return (
        ", ".join([*made, *([f"{row['nodes']} nodes or more"] if "nodes" in row else [])]) or "all"
    )


def performance_record() -> str:
    """Every key of a run's record."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.measure.report import (
        schema,
    )

    rows = keys_of(schema.model(), schema.document())
    return table(
        "30 25 45", ["Key", "Value", "Meaning"], [[key, may, said] for key, may, _d, said in rows]
    )


def dcim_owners() -> str:
    """Table of the owners of a DCIM's fields, for each kind that is not shared."""
    from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.export.dcim import (
        owners,
    )

    rows = []
    for kind, fields in owners.FIELDS.items():
        by = {
            one: ", ".join(sorted(f for f in fields if fields[f] == one)) for one in owners.OWNERS
        }
        rows.append([f"``{kind}``", *by.values()])
    pulled = [[f"``{field}``", said] for field, said in owners.PULLED.items()]
    head = ["Kind", *(f"``{one}``" for one in owners.OWNERS)]
    first = table("12 34 18 24 12", head, rows)
    return first + table("34 66", ["Field", "A pull proposes it for"], pulled).lstrip("\n")


MAKERS: dict[str, Callable[[], str]] = {
    "contents": contents,
    "playbooks": playbook_reference,
    "roles": role_list,
    "checks": checks,
    "variables": variables,
    "description": description_keys,
    "registry": registry_keys,
    "columns": columns,
    "version-sets": version_sets,
    "ra-releases": ra_releases,
    "profiles": profiles,
    "address-space": address_space,
    "sizing": sizing,
    "hooks": hooks,
    "hook-variables": hook_variables,
    "classes": classes,
    "bugs": bugs,
    "hardware": hardware,
    "facts": fact_sources,
    "measured": measured,
    "performance-levels": performance_levels,
    "performance-limits": performance_limits,
    "performance-record": performance_record,
    "dcim-owners": dcim_owners,
    "errors": errors,
}
_MARKED = re.compile(
    r"((?:<!--|\.\.) generated: (?P<name>[a-z-]+)(?: -->)?\n)(?P<body>.*?)"
    r"((?:<!--|\.\.) end of generated(?: -->)?\n)",
    re.DOTALL,
)


def renewed(text: str) -> str:
    """A page with every generated part made anew."""
    return _MARKED.sub(lambda m: m[1] + MAKERS[m["name"]]() + m[4], text)


def pages() -> list[Path]:
    """Pages that may hold generated parts."""
    return [ROOT / "README.md", *sorted(GUIDES.glob("*.rst"))]


def stale() -> dict[Path, str]:
    """Pages whose generated parts differ from the data, with what they should be."""
    made = {page: renewed(page.read_text(encoding="utf-8")) for page in pages()} | role_pages()
    return {page: text for page, text in made.items() if text != _found(page)}


def _found(page: Path) -> str:
    return page.read_text(encoding="utf-8") if page.exists() else ""


def main() -> None:
    """Write what differs."""
    for page, text in stale().items():
        print(page.relative_to(ROOT))
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
