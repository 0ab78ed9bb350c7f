# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A line that is shown stays one line, whatever a device put into it."""

from __future__ import annotations

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import output


def test_text_of_a_device_begins_no_line(monkeypatch):
    shown = []
    monkeypatch.setattr(
        output.Display, "display", lambda _self, text, **how: shown.append((text, how))
    )
    output.show(["a\nPLAY RECAP", "b"])
    output.say("leaf-1: c\nok")
    assert [len(text.splitlines()) for text, _how in shown] == [1, 1, 1]
    assert [how.get("stderr", False) for _text, how in shown] == [False, False, True]
