# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""mlxconfig: query, set and reset of NV parameters."""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any, NamedTuple, Optional

from nicsim import faults, hardware, lifecycle, nvdb
from nicsim.call import Call, ToolError, say
from nicsim.store import State
from nicsim.tools import _mft

VALUES = {"-d": "device", "--dev": "device", "-j": "json", "--json_format": "json", "-b": "db"}
FLAGS = {
    "-y": "yes",
    "--yes": "yes",
    "-yy": "yes",
    "-e": "verbose",
    "--enable_verbosity": "verbose",
    "-f": "force",
    "--force": "force",
    "--with_default": "with_default",
    "-h": "help",
    "--help": "help",
    "-v": "version",
    "--version": "version",
}
FOOTER = "The '*' shows parameters with next value different from default/current value."
RO_FOOTER = "The 'RO' shows parameters which are for read only"

HELP = """\
    NAME:
        mlxconfig
    SYNOPSIS:
        mlxconfig [Options] <Commands> [Parameters]
    OPTIONS:
        -d|--dev <device>            : Perform operation for a specified mst device.
        -e|--enable_verbosity        : Show default and current configurations.
        -j|--json_format <file>      : Save the query output to file in JSON format.
        -y|--yes                     : Answer yes in prompt.
        --with_default               : Do not set a value that is the next value already.
    COMMANDS:
        q[uery], s[et], r[eset]
"""


class Layout(NamedTuple):
    """Widths of one tool generation: `lead` before a name, `name`, each value column."""

    lead: int
    name: int
    value: int


#: Old: MFT 4.1x source; mid: the sample output; new: 56 and 33 columns.
LAYOUTS = {"old": Layout(9, 36, 16), "mid": Layout(8, 44, 20), "new": Layout(8, 48, 33)}


class Row(NamedTuple):
    """One line of a table; `cells` are already text."""

    name: str
    cells: list[str]
    star: bool
    read_only: bool


def run(call: Call) -> int:
    """Dispatch on the command word."""
    options, words = _mft.read_options(call.argv, VALUES, FLAGS)
    if "help" in options:
        say(HELP)
        return 0
    if "version" in options:
        say("mlxconfig, mft 4.34.1-10, built on Oct 22 2025, 08:09:02. Git SHA Hash: N/A")
        return 0
    command = words[0] if words else "query"
    if command in ("q", "query"):
        return query(call, options, words[1:])
    if command in ("s", "set"):
        call.wants_write()
        return set_values(call, options, words[1:])
    if command in ("r", "reset"):
        call.wants_write()
        return reset(call, options, words[1:])
    raise ToolError(f"-E- Unknown command: {command}")


# ----------------------------------------------------------------------------------- query


def query(call: Call, options: dict[str, str], names: list[str]) -> int:
    """Print one device, or all of them without -d."""
    with call.state() as state:
        if "device" in options:
            targets = [_mft.device(state, options["device"])]
        else:
            targets = [(nic, hardware.visible(nic)[0]) for nic in state["nics"]]
        if "json" in options:
            return _query_json(state, options, targets, names)
        for number, (nic, function) in enumerate(targets, start=1):
            _opening(nic, options.get("device", function["pci"]), number)
            columns = ("default", "current", "next") if "verbose" in options else ("next",)
            try:
                entries = _selected(state, nic, names)
            except ToolError:
                _table(state, columns, [], verbose=False)
                raise
            rows = [_row(nic, entry, columns) for entry in entries]
            _table(state, columns, rows, verbose="verbose" in options)
    return 0


def _opening(nic: hardware.Nic, token: str, number: int) -> None:
    say(f"\nDevice #{number}:\n----------\n")
    for key, value in (
        ("Device type:", nic["type"]),
        ("Name:", nic["part_number"]),
        ("Description:", nic["description"]),
        ("Device:", token),
    ):
        say(f"{key:<20}{value:<20}".rstrip())
    say()


def _selected(state: State, nic: hardware.Nic, names: list[str]) -> list[str]:
    """Stored names to show: all listed ones (arrays as their bare name) or those asked for."""
    known = nvdb.listed(nic["device_id"], nic["vpi"], nic["nv"]["next"])
    listed = {p.name: p for p in known if _has(state, nic, p.name)}
    if not names:
        return list(listed)
    wanted: list[str] = []
    for text in names:
        name, span = nvdb.split_name(text)
        parameter = listed.get(name)
        if parameter is None or (span and span[1] >= parameter.size):
            raise ToolError(f"-E- The Device doesn't support {name} parameter", 3)
        wanted += [f"{name}[{i}]" for i in range(span[0], span[1] + 1)] if span else [name]
    return wanted


def _has(state: State, nic: hardware.Nic, name: str) -> bool:
    """Check whether the firmware that runs has a name, which comes from a test."""
    fault = faults.find(state, "nv-since", nic)
    later, _equals, version = str(fault["value"]).partition("=") if fault else ("", "", "")
    running = nic["firmware"]["running"]
    return name != later or lifecycle.version_key(running) >= lifecycle.version_key(version)


def _text(nic: hardware.Nic, name: str, column: str) -> str:
    base, span = nvdb.split_name(name)
    parameter = nvdb.BY_NAME[base]
    if parameter.size > 1 and span is None:
        return f"Array[0..{parameter.size - 1}]"
    return nvdb.show_value(parameter, nic["nv"][column][name])


def _differs(nic: hardware.Nic, name: str, columns: tuple[str, ...]) -> bool:
    """Check whether the next value differs from the default or the current one (only with -e)."""
    base, span = nvdb.split_name(name)
    size = nvdb.BY_NAME[base].size
    members = [name] if size == 1 or span else [f"{base}[{i}]" for i in range(size)]
    values = nic["nv"]
    return len(columns) > 1 and any(
        values["next"][m] not in (values["default"][m],)
        or values["next"][m] != values["current"][m]
        for m in members
    )


def _row(nic: hardware.Nic, name: str, columns: tuple[str, ...]) -> Row:
    base, _span = nvdb.split_name(name)
    return Row(
        name,
        [_text(nic, name, column) for column in columns],
        _differs(nic, name, columns),
        nvdb.BY_NAME[base].read_only,
    )


def _table(
    state: State, columns: tuple[str, ...], rows: list[Row], *, verbose: bool, new: bool = False
) -> None:
    layout = LAYOUTS[state["host"]["mft_layout"]]
    titles = {"default": "Default", "current": "Current", "next": "Next Boot"}
    header = "Configurations:".ljust(56 if layout.value > 16 else 45)
    header += "".join(titles[column].ljust(layout.value) for column in columns)
    say((header + ("New" if new else "")).rstrip())
    for row in rows:
        lead = ("*" if row.star else "").ljust(layout.lead)
        if row.read_only:
            lead = ("*" if row.star else " ").ljust(3) + "RO".ljust(layout.lead - 3)
        cells = "".join(_cell(cell, layout.value) for cell in row.cells)
        say(f"{lead}{row.name:<{layout.name}}{cells}".rstrip())
    if verbose and any(row.star for row in rows):
        say(FOOTER)
    if any(row.read_only for row in rows):
        say(RO_FOOTER)


def _cell(text: str, width: int) -> str:
    """Padded; a value as wide as its column is followed by a single space."""
    return text.ljust(width) if len(text) < width else text + " "


def _query_json(
    state: State, options: dict[str, str], targets: list[tuple[hardware.Nic, Any]], names: list[str]
) -> int:
    report: dict[str, Any] = {}
    for number, (nic, function) in enumerate(targets, start=1):
        table: dict[str, Any] = {}
        for name in _selected(state, nic, names):
            base, span = nvdb.split_name(name)
            size = nvdb.BY_NAME[base].size
            members = [name] if size == 1 or span else [f"{base}[{i}]" for i in range(size)]
            for member in members:
                table[member] = _json_entry(nic, member, "verbose" in options)
        report[f"Device #{number}"] = {
            "device_type": nic["type"],
            "name": nic["part_number"],
            "description": nic["description"],
            "device": options.get("device", function["pci"]),
            "tlv_configuration": table,
        }
    try:
        pathlib.Path(options["json"]).write_text(json.dumps(report, indent=4), encoding="utf-8")
    except OSError as exc:
        raise ToolError(f"-E- Failed to open file: {options['json']}") from exc
    say(f"Query output saved to {options['json']} successfully")
    return 0


def _json_entry(nic: hardware.Nic, name: str, verbose: bool) -> dict[str, Any]:
    parameter = nvdb.BY_NAME[nvdb.split_name(name)[0]]

    def value(column: str) -> Any:
        number = nic["nv"][column][name]
        return number if parameter.names is None else nvdb.show_value(parameter, number)

    entry: dict[str, Any] = {"read_only": parameter.read_only, "next_value": value("next")}
    if verbose:
        entry["modified"] = _differs(nic, name, ("default", "current", "next"))
        entry["default_value"] = value("default")
        entry["current_value"] = value("current")
    return entry


# ------------------------------------------------------------------------------ set and reset


def set_values(call: Call, options: dict[str, str], pairs: list[str]) -> int:
    """Stage values; nothing is checked against the present ones unless --with_default."""
    if "device" not in options:
        raise ToolError("-E- Device is not specified")
    if not pairs:
        raise ToolError("-E- Missing configuration arguments")
    with call.state() as state:
        nic, _function = _mft.device(state, options["device"])
        wanted = _parse_pairs(state, nic, pairs)
        if "with_default" in options:
            wanted = _drop_equal(nic, wanted)
            if not wanted:
                say("Nothing to set")
                return 0
        _opening(nic, options["device"], 1)
        rows = [
            Row(name, [_text(nic, name, "next"), _shown(name, value)], False, False)
            for name, value in wanted.items()
        ]
        _table(state, ("next",), rows, verbose=False, new=True)
        _confirm(options, "Apply new Configuration?")
        _refuse(state, nic)
        nic["nv"]["next"].update(wanted)
        say("Applying... Done!")
        say(_after_set(state, nic))
    return 0


def _shown(name: str, value: int) -> str:
    return nvdb.show_value(nvdb.BY_NAME[nvdb.split_name(name)[0]], value)


def _drop_equal(nic: hardware.Nic, wanted: dict[str, int]) -> dict[str, int]:
    kept: dict[str, int] = {}
    for name, value in wanted.items():
        if nic["nv"]["next"][name] == value:
            say(f"Param {name} is not going to be set since value matches next value")
        else:
            kept[name] = value
    return kept


def _parse_pairs(state: State, nic: hardware.Nic, pairs: list[str]) -> dict[str, int]:
    """Every name must be one that a query would list once all values of the call hold."""
    wanted: dict[str, int] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        name, span = nvdb.split_name(key)
        parameter = nvdb.BY_NAME.get(name)
        if not equals:
            raise ToolError(f"-E- Invalid argument: {pair}")
        if parameter is None or not (_possessed(nic, parameter, span) and _has(state, nic, name)):
            raise ToolError(f"-E- The Device doesn't support {name} parameter", 3)
        if parameter.read_only:
            raise ToolError(f"-E- Parameter {name} is read only", 3)
        value = nvdb.parse_value(parameter, text)
        if value is None:
            raise ToolError(f"-E- Failed to set {name}: value {text} is not allowed", 3)
        first, last = span or (0, 0)
        names = [f"{name}[{i}]" for i in range(first, last + 1)] if span else [name]
        wanted.update(dict.fromkeys(names, value))
    after = {**nic["nv"]["next"], **wanted}
    for key in wanted:
        name = nvdb.split_name(key)[0]
        if not nvdb.BY_NAME[name].shown(after):
            raise ToolError(f"-E- The Device doesn't support {name} parameter", 3)
    return wanted


def _possessed(
    nic: hardware.Nic, parameter: nvdb.Parameter, span: Optional[tuple[int, int]]
) -> bool:
    if parameter not in nvdb.of_device(nic["device_id"], nic["vpi"]):
        return False
    if parameter.size > 1:
        return span is not None and span[1] < parameter.size
    return span is None


def _confirm(options: dict[str, str], question: str) -> None:
    say(f"\n {question} (y/n) [n] : ", end="")
    if "yes" in options:
        say("y")
        return
    sys.stdout.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise ToolError("-E- Aborted by user.")


def _refuse(state: State, nic: hardware.Nic) -> None:
    reason = None
    if faults.restricted(state, nic):
        reason = "Failed to set the configuration: the host is restricted"
    elif faults.active(state, "nv-set-fails", nic):
        reason = "Failed to set the configuration: Bad parameter"
    if reason:
        say("Applying... Failed!")
        raise ToolError(f"-E- {reason}", 3)


def _after_set(state: State, nic: hardware.Nic) -> str:
    """Return the tool's text about loading: three texts, by mode and by the result of arming."""
    current = nic["nv"]["current"]
    if hardware.mode(nic) == "dpu" and current.get("INT_CPU_AUTO_SHUTDOWN") == 1:
        return "-I- Skipped reset preparation"
    if faults.active(state, "nv-needs-power-cycle", nic):
        return "-I- Please power cycle machine to load new configurations."
    return "-I- Please reboot machine to load new configurations."


def reset(call: Call, options: dict[str, str], names: list[str]) -> int:
    """Stage the firmware's defaults: a SuperNIC's defaults are DPU mode."""
    if "device" not in options:
        raise ToolError("-E- Device is not specified")
    with call.state() as state:
        nic, _function = _mft.device(state, options["device"])
        wanted = _reset_names(state, nic, names)
        _confirm(options, f"Reset configuration for device {options['device']}?")
        _refuse(state, nic)
        nic["nv"]["next"].update({name: nic["nv"]["default"][name] for name in wanted})
        say("Applying... Done!")
        say("-I- Please reboot machine to load new configurations.")
    return 0


def _reset_names(state: State, nic: hardware.Nic, names: list[str]) -> list[str]:
    if not names:
        return list(nic["nv"]["default"])
    chosen = []
    for name in _selected(state, nic, names):
        base, span = nvdb.split_name(name)
        size = nvdb.BY_NAME[base].size
        chosen += [name] if size == 1 or span else [f"{base}[{i}]" for i in range(size)]
    return chosen
