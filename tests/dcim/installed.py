# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual environments of the two DCIMs, with packages of PyPI.

They are in the cache beside the databases, by what is installed, so that all checkouts of a person share them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from dcim import daemons, postgres
from dcim.products import Product, digest

ROOT = Path(__file__).resolve().parents[2]
GOOD = "import sys, ssl, ensurepip; print('%d.%d' % sys.version_info[:2])"


def environment(product: Product) -> Path:
    """The folder of a DCIM's virtual environment."""
    return postgres.CACHE / f"{product.stem}-{digest(*product.packages)}"


def lacks(product: Product) -> str:
    """In a sentence, what this machine lacks to run a DCIM; nothing where it lacks nothing."""
    if postgres.programs() is None or not shutil.which("redis-server"):
        return "PostgreSQL or Redis is missing: make packages, or tests/setup/packages.sh dcim, installs them."
    if not ready(product) and python(product) is None:
        names = ", ".join(product.pythons)
        return f"{product.kind} {product.version} needs one of Python {names}: install one, or let pyenv do it."
    return ""


def python(product: Product) -> Path | None:
    """A Python that a DCIM runs on, by name or under pyenv; None where there is none."""
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    for wanted in product.pythons:
        named = shutil.which(f"python{wanted}")
        found = [
            *sorted(versions.glob(f"{wanted}.*/bin/python")),
            *([Path(named)] if named else []),
        ]
        for candidate in found:
            if _version(candidate) == wanted:
                return candidate
    return None


def install(product: Product) -> None:
    """Make the virtual environment where it is not whole; minutes at first, nothing later."""
    if ready(product):
        return
    found, folder = python(product), environment(product)
    if found is None:
        raise daemons.Failed(lacks(product))
    pip = [folder / "bin/python", "-m", "pip", "--quiet", "--quiet", "install", *product.packages]
    for words in ([found, "-m", "venv", "--clear", folder], pip):
        command = [str(word) for word in words]
        if subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode:
            raise daemons.Failed(
                f"{product.kind} {product.version} could not be installed into {folder.name}."
            )
    _stamp(product).touch()


def ready(product: Product) -> bool:
    """Check whether the virtual environment is whole, and its Python still on the machine."""
    return _stamp(product).is_file() and (environment(product) / "bin/python").exists()


def _stamp(product: Product) -> Path:
    return environment(product) / "whole"


def _version(candidate: Path) -> str:
    try:
        return subprocess.check_output(
            [candidate, "-c", GOOD], stderr=subprocess.DEVNULL, text=True, timeout=20
        ).strip()
    except (OSError, subprocess.SubprocessError):
        return ""
