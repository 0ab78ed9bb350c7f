# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the checkout importable as ``ansible_collections.spectrum_x.fabric``, and shut the network out."""

from __future__ import annotations

import atexit
import os
import pathlib
import shutil
import tempfile

import alone
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[1]


def link_tree() -> pathlib.Path:
    """Return a fresh folder in which the checkout stands as an installed collection."""
    tree = pathlib.Path(tempfile.mkdtemp(prefix="spx-tests-"))
    atexit.register(shutil.rmtree, tree, ignore_errors=True)
    link = tree / "ansible_collections" / "spectrum_x" / "fabric"
    link.parent.mkdir(parents=True)
    link.symlink_to(ROOT, target_is_directory=True)
    return tree


TREE = link_tree()
pytest.MonkeyPatch().syspath_prepend(TREE)
# Tests which start ansible-playbook or ansible-inventory find the collection there too.
os.environ["ANSIBLE_COLLECTIONS_PATH"] = str(TREE)


def pytest_configure(config: pytest.Config) -> None:
    """All but the proof, which makes namespaces of its own, see loopback and nothing else."""
    if not any("prove" in pathlib.Path(argument).parts for argument in config.args):
        alone.enter()
