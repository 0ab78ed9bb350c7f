# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A name is a word of each script that a device runs as root, and no command."""

from __future__ import annotations

import os
import shlex
import subprocess

import jinja2
import pytest
from ansible.plugins.filter.core import FilterModule

from .fleet import ROOT

EVIL = "b;touch x;$(touch x)`touch x`\"$(touch x)'"


def rendered(template, **variables):
    """The text of a template of a role, with the filters of Ansible."""
    folder = ROOT / "roles" / template.partition("/")[0] / "templates"
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # a script is no page
        trim_blocks=True,
    )
    found.filters.update(FilterModule().filters())
    return found.get_template(template.rpartition("/")[2]).render(ansible_managed="x", **variables)


def run(folder, text, *commands):
    """The words that a script gives to commands; it runs where a file x shows that a name was a command."""
    tools = folder / "bin"
    tools.mkdir()
    for name in commands:
        line = f'for word in {name} "$@"; do printf "%s\\n" "$word"; done >>{folder}/words\n'
        (tools / name).write_text(f"#!/bin/sh\n{line}")
        (tools / name).chmod(0o755)
    (tools / "decode-syseeprom").write_text('#!/bin/sh\nprintf %s "$SERIAL"\n')
    (tools / "decode-syseeprom").chmod(0o755)
    env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "SERIAL": folder.name}
    done = subprocess.run(
        ["bash", "-c", text], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert not (folder / "x").exists(), text
    return done


@pytest.mark.parametrize("serial", [None, EVIL])
def test_no_name_of_a_switch_is_a_command_of_its_first_script(tmp_path, serial):
    text = rendered(
        "switch_bootstrap/ztp.sh.j2",
        inventory_hostname=EVIL,
        spx={"fabric": EVIL, **({"serial": serial} if serial else {})},
        switch_bootstrap_password_hash=EVIL,
        switch_bootstrap_user=EVIL,
        __switch_bootstrap_ztp={"config": {EVIL: f"SPX\ntouch x\n{EVIL}\nSPX\n"}},
    )
    done = run(tmp_path, text, "usermod", "nv")
    assert done.returncode == (1 if serial else 0), done.stderr
    if serial:
        assert f"{EVIL} has {serial}." in done.stderr
    else:
        words = (tmp_path / "words").read_text().splitlines()
        assert words[:4] == ["usermod", "--password", EVIL, EVIL]


def test_no_value_of_a_bundle_is_a_command(tmp_path):
    """bfb-install has a shell of the DPU read bf.cfg."""
    values = {"dpu_mode_bf_cfg": {"ubuntu_PASSWORD": EVIL}, "dpu_mode_bf_cfg_extra": ""}
    text = rendered("dpu_mode/bf.cfg.j2", **values)
    done = run(tmp_path, f'{text}\nprintf %s "$ubuntu_PASSWORD"')
    assert done.stdout == EVIL
    assert shlex.quote(EVIL) in text
