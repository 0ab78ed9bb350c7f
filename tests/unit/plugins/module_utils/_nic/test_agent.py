# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The version of the tool on the host is known without running it."""

from __future__ import annotations

import os
import zipfile

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.agent import (
    AGENT,
    agent_digest,
    agent_version,
    skew,
    starts_algorithm,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.apply import load_desired
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError


def test_the_version_is_read_from_the_file(world):
    path = world.root / AGENT.lstrip("/")
    assert (agent_version(world.host()), agent_digest(world.host())) == (None, "")
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("VERSION", "1.2.3+abc\n")
    assert agent_version(world.host()) == "1.2.3+abc"
    assert len(agent_digest(world.host())) == 64


@pytest.mark.parametrize("content", [b"", b"no zip file"])
def test_a_damaged_file_has_no_version(world, content):
    path = world.root / AGENT.lstrip("/")
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    assert agent_version(world.host()) is None


@pytest.mark.parametrize(
    "installed, expected, digests, words",
    [
        ("1", "", ("", ""), ""),
        ("1", "1", ("a", "a"), ""),
        ("1", "1", ("a", ""), ""),
        ("1", "1", ("a", "b"), "is not the file of 1"),
        ("1", "2", ("", ""), "is 1, 2 is expected"),
        (None, "2", ("", ""), "is missing, 2 is expected"),
    ],
)
def test_skew_is_one_sentence(installed, expected, digests, words):
    said = skew(installed, expected, *digests)
    assert words in said
    assert bool(said) is bool(words)


@pytest.mark.parametrize(
    "text, starts",
    [
        ('{"schema": 1, "nics": [{"pci": "0000:1a:00.0", "roce": {"cc": {"slots": {}}}}]}', True),
        ('{"schema": 1, "nics": [{"pci": "0000:1a:00.0"}]}', False),
        ("no json", False),
    ],
)
def test_whether_the_state_starts_the_algorithm(world, text, starts):
    world.put("/etc/spectrum-x/desired.json", text)
    assert starts_algorithm(world.host()) is starts


def test_what_is_no_file_in_the_place_of_the_tool_is_one_sentence(world):
    """A reader of a pipe waits for ever, and the look at the host with it."""
    path = world.root / AGENT.lstrip("/")
    path.parent.mkdir(parents=True)
    os.mkfifo(path)
    for read in (agent_version, agent_digest):
        with pytest.raises(NicError, match=f"^{AGENT}: it is a named pipe: a regular file of at"):
            read(world.host())


def test_a_version_that_grows_when_it_is_unpacked_is_cut(world):
    path = world.root / AGENT.lstrip("/")
    path.parent.mkdir(parents=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("VERSION", "1" * (50 << 20))
    assert agent_version(world.host()) == "1" * 200


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_the_desired_state_is_a_file(world, make):
    world.put("/etc/spectrum-x/x", "")
    make(world.root / "etc/spectrum-x/desired.json")
    with pytest.raises(NicError, match=r"^/etc/spectrum-x/desired.json: it is a .+: a regular fil"):
        load_desired(world.host())
