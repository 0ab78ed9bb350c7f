# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The image of an upgrade: what its URL serves has the hash of the description. Private."""

from __future__ import annotations

import hashlib
import http.client
import typing as t
import urllib.error
import urllib.request

from ..._fabric.description.errors import FabricError

CHUNK = 1 << 20
LARGEST = 8 << 30
"""Bytes of an image, at most; those of Cumulus Linux have about 1.5 GB (ours)."""
SECONDS = 60.0
"""Seconds without any byte, after which a server counts as silent (ours)."""


def check(url: str, sha256: str) -> None:
    """FabricError unless a URL serves a file with this hash."""
    try:
        with urllib.request.build_opener().open(url, timeout=SECONDS) as answer:
            found = digest(answer)
    except (OSError, ValueError, http.client.HTTPException) as exc:
        raise FabricError.of(
            f"release.images: {url} cannot be read ({exc}): make the controller and the switches reach it."
        ) from exc
    if found != sha256:
        raise FabricError.of(
            f"release.images: {url} has the SHA-256 {found}, and the description {sha256}: correct the file or the "
            "description; nothing was installed."
        )


def digest(answer: t.IO[bytes]) -> str:
    """Return the SHA-256 of a stream; ValueError for one without end."""
    made, size = hashlib.sha256(), 0
    while part := answer.read(CHUNK):
        made.update(part)
        size += len(part)
        if size > LARGEST:
            raise ValueError(f"it has more than {LARGEST >> 30} GiB")
    return made.hexdigest()
