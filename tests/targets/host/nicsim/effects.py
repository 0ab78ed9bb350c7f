# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults that live on the host rather than in a card: put them into effect, take them back."""

from __future__ import annotations

import os
import pathlib
import subprocess
from collections.abc import Callable
from typing import Any

TOOL_FOLDERS = (
    *("/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"),
    "/opt/mellanox/doca/tools",
)
SUFFIX = ".nicsim-missing"
REPOSITORY = pathlib.Path(os.environ.get("NICSIM_REPOSITORY", "/srv/doca"))
Fault = dict[str, Any]


def headers_folder() -> pathlib.Path:
    """Folder in which DKMS looks for the headers of the running kernel."""
    return pathlib.Path("/lib/modules") / os.uname().release / "build"


def _hide_tool(fault: Fault) -> None:
    for folder in TOOL_FOLDERS:
        path = pathlib.Path(folder) / str(fault["value"])
        if path.is_symlink() or path.exists():
            path.rename(path.with_name(path.name + SUFFIX))


def _show_tool(fault: Fault) -> None:
    for folder in TOOL_FOLDERS:
        path = pathlib.Path(folder) / (str(fault["value"]) + SUFFIX)
        if path.is_symlink() or path.exists():
            path.rename(path.with_name(str(fault["value"])))


def make_headers() -> None:
    """A stand-in of the kernel headers, so that a check for them passes."""
    folder = headers_folder()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Makefile").write_text("# headers of the simulated host\n", encoding="utf-8")


def _drop_headers(_fault: Fault) -> None:
    makefile = headers_folder() / "Makefile"
    if makefile.is_file() and "simulated" in makefile.read_text(encoding="utf-8"):
        makefile.unlink()
        headers_folder().rmdir()


def _hold(word: str) -> Callable[[Fault], None]:
    def act(_fault: Fault) -> None:
        names = ["mlnx-ofed-all", "mlnx-ofed-kernel-dkms", "mlnx-tools", "mft", "ofed-scripts"]
        subprocess.run(
            ["apt-mark", word, *names], check=False, timeout=60, stdout=subprocess.DEVNULL
        )

    return act


def _swap_key(published: str) -> Callable[[Fault], None]:
    """Publish another key than the one the repository is signed with (or the right one)."""

    def act(_fault: Fault) -> None:
        source = REPOSITORY / "keys" / f"{published}.pub"
        if source.is_file():
            for target in REPOSITORY.rglob("GPG-KEY-Mellanox.pub"):
                target.write_bytes(source.read_bytes())

    return act


def _make(_fault: Fault) -> None:
    make_headers()


EFFECTS: dict[str, tuple[Callable[[Fault], None], Callable[[Fault], None]]] = {
    "missing-tool": (_hide_tool, _show_tool),
    "no-headers": (_drop_headers, _make),
    "held-packages": (_hold("hold"), _hold("unhold")),
    "bad-key": (_swap_key("unknown"), _swap_key("release")),
}


def begin(fault: Fault) -> None:
    """Put a host fault into effect (card faults need nothing)."""
    if fault["name"] in EFFECTS:
        EFFECTS[fault["name"]][0](fault)


def end(fault: Fault) -> None:
    """Take it back."""
    if fault["name"] in EFFECTS:
        EFFECTS[fault["name"]][1](fault)
