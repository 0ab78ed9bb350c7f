# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Running the commands that change the machine."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Sequence


class CommandError(Exception):
    """A command failed; the text is its own words."""


def run(argv: Sequence[str], *, text: str | None = None, check: bool = True) -> str:
    """The output of a command; CommandError with its words when it fails and `check` is set."""
    done = subprocess.run(
        list(argv), input=text, capture_output=True, text=True, timeout=60, check=False
    )
    if check and done.returncode:
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise CommandError(f"{' '.join(argv[:4])}: {'; '.join(words[:4]) or 'failed'}")
    return done.stdout


def ip_batch(namespace: str, lines: Iterable[str], *, check: bool = True) -> None:
    """ip(8) lines in one process; namespace "" is the device's own. CommandError has the line that failed."""
    text = "\n".join(lines)
    if not text:
        return
    where = ["-n", namespace] if namespace else []
    force = [] if check else ["-force"]
    try:
        run(["ip", *where, *force, "-batch", "-"], text=text + "\n", check=check)
    except CommandError as exc:
        if at := re.search(r"Command failed -:(\d+)", str(exc)):
            raise CommandError(f"{exc}: {text.splitlines()[int(at[1]) - 1]}") from exc
        raise


def bridge_batch(lines: Iterable[str]) -> None:
    """bridge(8) lines in one process, in the device's own namespace."""
    text = "\n".join(lines)
    if text:
        run(["bridge", "-batch", "-"], text=text + "\n")


def inside(namespace: str, argv: Sequence[str]) -> list[str]:
    """The command that runs `argv` in a named network namespace."""
    return [*(["ip", "netns", "exec", namespace] if namespace else []), *argv]
