# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables as people, spreadsheets and a DCIM save them.

    sep=;                    read(path, Form("devices", ("place", "name", "unit"), ("place",))).rows
    Place;NAME;Unit;;        -> Row(3, {"place": "su01/h01", "name": "gpu-1", "unit": "4"})
    su01/h01;gpu-1;4;;

Cells are separated by a comma, a semicolon, a tab or a bar: by the one with which the header has most columns that are
known, and of equals by that of a line `sep=`. A byte order mark, UTF-16, empty rows, empty cells at the end, and
capitals, blanks, hyphens or underscores in the header make no difference.
"""

from __future__ import annotations

import codecs
import csv
import dataclasses
import pathlib
import re
import typing as t

from .errors import FabricError, nearest, shown, unreadable

if t.TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

SEPARATORS = {",": "','", ";": "';'", "\t": "a tab", "|": "'|'"}
_SEP = re.compile(r'"?sep=([,;\t|])"?[,;\t|]*[\r\n]*', re.IGNORECASE)
"""Line that states the separator to a spreadsheet, also as one saves that line itself."""
_BLANKS = " \r\n,;\t|"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclasses.dataclass(frozen=True)
class Form:
    """Columns of a kind of table; `key` names the file in the description.

    `labels` are heads of exports, each with the column that it means; a table that has the first needed column by
    such a label is an export, and may have any others. So may an `open` one. In a `whole` one no row is short. Of
    several cells of a column the first that `fits` is taken, else the first that is filled.
    """

    key: str
    columns: tuple[str, ...]
    needed: tuple[str, ...]
    labels: Mapping[str, str] = dataclasses.field(default_factory=dict)
    fits: Mapping[str, Callable[[str], bool]] = dataclasses.field(default_factory=dict)
    open: bool = False
    whole: bool = False
    remedy: str = ""

    def column(self, head: str) -> str:
        """Return the column of a head, or the head where it is no known one."""
        heads = {**self.labels, **{name: name for name in self.columns}}
        found = (column for text, column in heads.items() if _plain(text) == _plain(head))
        return next(found, head.strip().lower())


class Row(t.NamedTuple):
    """A row and the line on which it ends; every column of the form has a cell, maybe empty."""

    line: int
    cells: dict[str, str]


class Table:
    """Rows, read as they are taken, and in `wrong` the faults of the header and of the rows taken so far.

    `begin` are the lines before the header, `exported` says that the header is one of an export.
    """

    def __init__(self, text: Iterable[str], name: str, form: Form) -> None:
        """Read the header of lines; FabricError where a needed column is missing."""
        self.name, self.form, self.wrong = name, form, list[str]()
        self._lines = iter(text)
        self.begin, stated, head = self._head()
        self._first = len(self.begin) + 1
        heads, self.separator = max(
            ((_cells(head, one), one) for one in (stated, *SEPARATORS)), key=self._fit
        )
        while heads and not heads[-1].strip():
            heads.pop()
        self.columns = [form.column(text) for text in heads]
        self.exported = _plain(form.needed[0]) not in map(_plain, heads)
        if not (self.exported or form.open):
            self.wrong += [
                f"{name} line {self._first}, {text}" for text in _odd(self.columns, form)
            ]
        missing = [column for column in form.needed if column not in self.columns]
        if missing:
            what = f": no column {' or '.join(map(self._label, missing))} is there"
            raise FabricError([*self.wrong, self._sentence(self._first, what, "add it")])

    def _head(self) -> tuple[list[str], str, str]:
        """Return the lines before the header, the separator that they state, and the header."""
        begin, stated = list[str](), ","
        for line in self._lines:
            sign = _SEP.fullmatch(line)
            if not sign and line.strip(_BLANKS):
                return begin, stated, line
            stated = sign[1] if sign else stated
            begin.append(line)
        return [], stated, ""

    def _fit(self, cut: tuple[list[str], str]) -> tuple[int, int]:
        columns = {self.form.column(text) for text in cut[0]}
        return len(columns.intersection(self.form.columns)), len(cut[0])

    def _label(self, column: str) -> str:
        labels = self.form.labels.items()
        label = next((text for text, meant in labels if meant == column), "")
        return f"'{column}' (or '{label}' of a NetBox export)" if label else f"'{column}'"

    def _sentence(self, line: int, what: str, remedy: str) -> str:
        between = f"the separator is {SEPARATORS[self.separator]}"
        return f"{self.name} line {line}{what}, and {between}: {self.form.remedy or remedy}."

    @property
    def rows(self) -> Iterator[Row]:
        """The rows that have a cell; FabricError where a line cannot be cut into cells."""
        reader = csv.reader(self._lines, delimiter=self.separator, strict=True)
        try:
            for cells in reader:
                if any(map(str.strip, cells)):
                    yield self._row(self._first + reader.line_num, cells)
        except csv.Error as exc:
            line, cut = self._first + reader.line_num, f" cannot be cut into cells ({exc})"
            raise FabricError.of(self._sentence(line, cut, "correct its quotes")) from exc

    def _row(self, line: int, cells: list[str]) -> Row:
        made, width = dict.fromkeys(self.form.columns, ""), len(self.columns)
        for number, cell in enumerate(cells[width:], start=width + 1):
            if cell.strip():
                what = f", column {number}: {shown(cell)} has no header"
                self.wrong.append(
                    self._sentence(line, what, "remove the cell, or quote what holds the separator")
                )
        if self.form.whole and len(cells) < width:
            what = f", column {len(cells) + 1}: the row ends before '{self.columns[len(cells)]}'"
            self.wrong.append(self._sentence(line, what, "complete it"))
        for column, cell in zip(self.columns, map(str.strip, cells)):
            fits = self.form.fits.get(column, bool)
            if (
                cell
                and column in made
                and (not made[column] or (fits(cell) and not fits(made[column])))
            ):
                made[column] = cell
        return Row(line, made)


def read(path: str, form: Form) -> Table:
    """Return the table of a file; FabricError where it cannot be read or lacks a column."""
    name = f"{form.key}: {path}" if form.whole else pathlib.Path(path).name
    return Table(lines(path, form), name, form)


def lines(path: str, form: Form) -> Iterator[str]:
    """Yield the lines of a file as they are, without a byte order mark; FabricError where it cannot be read."""
    try:
        with open(path, "rb") as file:
            encoding = "utf-16" if file.read(2) in _UTF16 else "utf-8-sig"
        with open(path, encoding=encoding, newline="") as handle:
            yield from handle
    except (OSError, UnicodeError) as exc:
        raise FabricError.of(
            f"{form.key}: {path} cannot be read ({unreadable(exc)}): {form.remedy or 'name an existing UTF-8 CSV'}."
        ) from exc


def _plain(head: str) -> str:
    """A head in small letters, with one blank for all that is between words."""
    return " ".join(head.lower().replace("_", " ").replace("-", " ").split())


def _cells(line: str, separator: str) -> list[str]:
    """The cells of a header; none of what is too long for one."""
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return []


def _odd(columns: Sequence[str], form: Form) -> Iterator[str]:
    """Yield the faults of columns where a table may have no others than its form."""
    for column in filter(None, dict.fromkeys(columns)):
        if column not in form.columns:
            near, allowed = nearest(column, form.columns), ", ".join(form.columns)
            yield f"column: {shown(column)} is not known{near}: use {allowed}."
        if columns.count(column) > 1:
            yield f"column: '{column}' occurs twice: keep one."
