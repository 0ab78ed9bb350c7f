# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A person is asked at a terminal, through Ansible, before a playbook changes anything."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest
from playing import SETTINGS

from ansible_collections.spectrum_x.fabric.tests.unit.plugins.plugin_utils._fabric.fabrics import (
    INVENTORIES,
)

BINARY = Path(sys.executable).with_name("ansible-playbook")
BOOK = [
    {
        "hosts": "localhost",
        "gather_facts": False,
        "tasks": [
            {"spectrum_x.fabric.switch": {"do": "plan", "job": "leave", "hosts": ["spine-p1-s01"]}},
            {"ansible.builtin.debug": {"msg": "the switch would be changed now"}},
        ],
    }
]
PLAN = "leave spine-p1-s01: let the neighbours use it again"
QUESTION = "Type yes and press Enter"


def play(folder, answer, *arguments):
    """(exit code, output) of a play at a terminal at which `answer` is typed; without a terminal for None."""
    (folder / "book.yml").write_text(json.dumps(BOOK), encoding="utf-8")
    settings = SETTINGS | {"SPX_PROJECT": str(INVENTORIES / "lab"), "TERM": "dumb"}
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [BINARY, "book.yml", *arguments],
        cwd=folder,
        env=os.environ | settings,
        stdin=subprocess.DEVNULL if answer is None else theirs,
        stdout=theirs,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        preexec_fn=lambda: os.close(os.open(os.ttyname(1), os.O_RDWR)),
    )
    os.close(theirs)
    said = b""
    try:
        for part in _parts(ours):
            said += part
            # Ansible empties the keyboard's buffer when it has asked, so that it is typed when all is quiet.
            if not part and answer and QUESTION.encode() in said:
                os.write(ours, answer.encode())
    finally:
        os.close(ours)
    return running.wait(timeout=60), said.decode()


def _parts(terminal, seconds=90):
    """Yield the output of a terminal until its other end is closed; nothing each time that it is quiet for a second."""
    for _second in range(seconds):
        while select.select([terminal], [], [], 1)[0]:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                return
            if not part:
                return
            yield part
        yield b""


@pytest.mark.parametrize(
    ("answer", "arguments", "code", "words"),
    [
        ("yes\n", ["-e", "spx_ask=true"], 0, [PLAN, QUESTION, "would be changed now"]),
        (
            "y\n",
            ["-e", "spx_ask=true"],
            2,
            [PLAN, QUESTION, "the answer was 'y' and not yes: the run stops before"],
        ),
        (
            "yes\x04",
            ["-e", "spx_ask=true"],
            2,
            [PLAN, QUESTION, "the answer was 'Ctrl-C or Ctrl-D' and not yes: the run stops before"],
        ),
        (
            None,
            ["-e", "spx_ask=true"],
            2,
            [PLAN, "there is no terminal for the question: run it in one"],
        ),
        (None, [], 0, [PLAN, "would be changed now"]),
        (None, ["-e", "spx_ask=true", "--check"], 0, [PLAN]),
        (None, ["-e", "spx_ask=maybe"], 2, ["variable spx_ask: 'maybe' is not allowed"]),
    ],
)
def test_a_person_says_yes_before_anything_is_changed(tmp_path, answer, arguments, code, words):
    done, output = play(tmp_path, answer, *arguments)
    assert done == code, output
    flat = " ".join(output.split())
    assert [word for word in words if word not in flat] == []
    assert ("would be changed now" in output) is (code == 0)
