# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The hash of an image is that of what its URL serves."""

from __future__ import annotations

import hashlib
import io

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.upgrade import image_file

from .upgradable import IMAGE, serving


def test_what_is_served_has_the_hash():
    with serving(IMAGE) as url:
        image_file.check(url, hashlib.sha256(IMAGE).hexdigest())
        with pytest.raises(
            FabricError, match=r"has the SHA-256 .*, and the description 00: correct"
        ):
            image_file.check(url, "00")
    with pytest.raises(
        FabricError, match=r"cannot be read .*: make the controller and the switches"
    ):
        image_file.check(url, "00")


def test_a_stream_without_end_is_no_image(monkeypatch):
    monkeypatch.setattr(image_file, "LARGEST", 10)
    with pytest.raises(ValueError, match="more than"):
        image_file.digest(io.BytesIO(b"x" * 11))
