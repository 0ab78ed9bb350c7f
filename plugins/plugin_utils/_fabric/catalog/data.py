# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the catalog's data files, each once per process."""

from __future__ import annotations

import fnmatch
import functools
import pathlib
import typing as t

from ..description._third_party import yaml


@functools.cache
def table(name: str) -> t.Any:
    """The plain data of `catalog/<name>.yaml`; treat it as read-only."""
    path = pathlib.Path(__file__).parent / f"{name}.yaml"
    with path.open(encoding="utf-8") as handle:
        return yaml.load(handle, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def wanted(name: str, asked: t.Sequence[str]) -> bool:
    """Return whether an id of a catalog is asked for: by itself, a glob, or its first words; `[]` asks for all."""
    return not asked or any(
        fnmatch.fnmatchcase(name, glob) or name.startswith(f"{glob}.") for glob in asked
    )
