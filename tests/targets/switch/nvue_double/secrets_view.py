# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets as the API shows them: $nvsec$ and something that says nothing, even as map keys."""

from __future__ import annotations

import hashlib
import secrets
from typing import Any

from .schema import Node

PREFIX = "$nvsec$"


class Masks:
    """Masks of one switch; the same secret always has the same mask."""

    def __init__(self) -> None:
        self._salt = secrets.token_bytes(8)
        self._known: dict[str, str] = {}

    def mask(self, secret: str) -> str:
        """The mask of a secret; the star of a locked account stays a star."""
        if secret == "*" or secret.startswith(PREFIX):
            return secret
        masked = PREFIX + hashlib.sha256(self._salt + secret.encode()).hexdigest()[:32]
        self._known[masked] = secret
        return masked

    def show(self, node: Node | None, value: Any) -> Any:
        """`value` with its secrets masked."""
        if node is None:
            return value
        if isinstance(value, str) and node.masked:
            return self.mask(value)
        if not isinstance(value, dict):
            return value
        masked_keys = any(kind.secret for kind in node.keys)
        return {
            (self.mask(key) if masked_keys and key not in node.members else key): self.show(
                node.child(key), inner
            )
            for key, inner in value.items()
        }

    def reveal(self, value: Any) -> Any:
        """`value` with known masks replaced by their secrets: sending a mask changes nothing."""
        if isinstance(value, str):
            return self._known.get(value, value)
        if isinstance(value, dict):
            return {self._known.get(key, key): self.reveal(inner) for key, inner in value.items()}
        return value
