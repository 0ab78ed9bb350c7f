# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of a report on the controller. Private.

No text from outside leaves here with a character that is not printed, other than a line break.
Each is replaced as a whole: who reads while a run writes, or after one was killed, meets the old file
or the new one.
"""

from __future__ import annotations

import json
import os
import typing as t

from ..module_utils import _files, _text

Refuse = t.Callable[[str], Exception]


def put(path: str, text: str, refuse: Refuse) -> str:
    """Write a file and its folders; returns the path, raises refuse(sentence) where that cannot be."""
    path = os.path.expanduser(path)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        _files.replace(path, _text.plain(text).encode())
    except OSError as exc:
        raise refuse(
            f"report: {path} cannot be written ({exc.strerror}): make room, or name another folder."
        ) from exc
    return path


def put_json(path: str, data: object, refuse: Refuse) -> str:
    """The same for data, keys sorted."""
    return put(path, json.dumps(_text.plain(data), indent=1, sort_keys=True) + "\n", refuse)
