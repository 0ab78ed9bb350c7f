# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Small notes kept below /run/spectrum-x: they vanish with a reboot, as the settings do."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .errors import NicError
from .tools import Host

FOLDER = "/run/spectrum-x"


def load(host: Host, name: str, folder: str = FOLDER) -> dict[str, Any]:
    """The note `name`, {} where there is none or it is damaged."""
    content = host.text(f"{folder}/{name}.json")
    try:
        data = json.loads(content or "{}")
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def save(host: Host, name: str, data: Mapping[str, object], folder: str = FOLDER) -> None:
    """Replace the note at once; nothing happens in check mode."""
    if host.check_mode:
        return
    place = host.path(folder)
    fresh = place / f".{name}.json.new"
    try:
        place.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(data, sort_keys=True) + "\n", encoding="utf-8")
        fresh.replace(place / f"{name}.json")
    except OSError as exc:
        raise NicError(f"{folder}/{name}.json: it cannot be written: {exc.strerror}.") from exc


def boot_id(host: Host) -> str:
    """The kernel's name for this boot."""
    return host.text("/proc/sys/kernel/random/boot_id") or ""
