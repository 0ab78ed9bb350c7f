# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookups that hand the NIC roles their data, through Ansible itself."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nicdata.zipapp import (
    zipapp_bytes,
    zipapp_version,
)

PLAY = """
- hosts: localhost
  gather_facts: false
  tasks:
    - ansible.builtin.copy:
        content: "{{ found | to_json }}"
        dest: %(dest)s
        mode: "0600"
      vars:
        plugin: spectrum_x.fabric.nic_profile
        found:
          profile: "{{ lookup(plugin, '2.1', device='a2dc', overlay=true, platform='h200') }}"
          informative: "{{ lookup(plugin, '2.2', device='1025', mode='swplb', planes=2) }}"
          agent: "{{ lookup('spectrum_x.fabric.nic_agent') }}"
    - ansible.builtin.debug:
        msg: "{{ lookup('spectrum_x.fabric.nic_profile', '2.1', device='1021') }}"
"""


def test_profile_and_tool(tmp_path):
    play, dest = tmp_path / "play.yml", tmp_path / "found.json"
    play.write_text(PLAY % {"dest": dest}, encoding="utf-8")
    ansible = str(Path(sys.executable).with_name("ansible-playbook"))
    python = f"ansible_python_interpreter={sys.executable}"
    argv = [ansible, "-i", "localhost,", "-c", "local", "-e", python, str(play)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "device 1021 (ConnectX-7) is not public" in " ".join((done.stdout + done.stderr).split())
    found = json.loads(dest.read_text(encoding="utf-8"))
    assert found["profile"]["ra"] == "2.1.2"
    assert found["profile"]["nic"]["roce"]["inter_packet_gap"] == 33
    assert found["profile"]["versions"]["doca_host"] == ["3.3.0-088000"]
    assert found["informative"]["versions"] is None
    content = base64.b64encode(zipapp_bytes()).decode()
    assert found["agent"] == {"version": zipapp_version(), "base64": content}
