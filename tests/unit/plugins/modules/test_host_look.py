# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module that looks at a host: what it finds, and what it cannot read."""

from __future__ import annotations

import json

import pytest
from ansible.module_utils.testing import patch_module_args

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.modules import host_look


def ran(monkeypatch, capsys, answer):
    """The result of the module while the look answers so."""

    def look(host, _wanted, _asked):
        assert host.check_mode
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(host_look, "look", look)
    with patch_module_args({"wanted": {}, "asked": {"sysfs": "/sys"}}), pytest.raises(SystemExit):
        host_look.main()
    return json.loads(capsys.readouterr().out)


def test_what_is_found_is_no_change_and_its_warnings_are_said(monkeypatch, capsys):
    said = []
    monkeypatch.setattr(host_look.AnsibleModule, "warn", lambda _self, text: said.append(text))
    found = {"nics": {"warnings": ["one NIC is hot."]}, "network": {"left": ["a route stays."]}}
    result = ran(monkeypatch, capsys, found)
    assert result["changed"] is False
    assert result["nics"] == found["nics"]
    assert said == ["one NIC is hot.", "a route stays."]


def test_a_host_that_cannot_be_read_is_one_sentence(monkeypatch, capsys):
    result = ran(monkeypatch, capsys, NicError("/sys cannot be read: become root."))
    assert (result["failed"], result["msg"]) == (True, "/sys cannot be read: become root.")
