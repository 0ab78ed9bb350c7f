# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A run of a server is a process as any other, and says what it says without one."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import threading

import forking
import playing
import pytest

SHOWN = [
    "{{ lookup('env', 'SPX_OWN') }} {{ lookup('env', 'SPX_OTHER') }}",
    "{{ lookup('pipe', 'ls ' ~ lookup('env', 'HOME') ~ '/.ansible/tmp') }}",
    "{{ playbook_dir }}",
]
BOOK = [
    {
        "hosts": "localhost",
        "gather_facts": False,
        "tasks": [
            {"ansible.builtin.copy": {"content": "{{ shown | to_json }}", "dest": "shown.json"}},
            {"ansible.builtin.fail": {"msg": "no"}, "when": "fails is defined"},
            {"ansible.builtin.command": "sleep 60", "when": "waits is defined"},
        ],
        "vars": {"shown": SHOWN},
    }
]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def settings(home):
    return os.environ | playing.SETTINGS | {"HOME": str(home)}


@pytest.fixture(scope="module")
def server(settings):
    made = forking.Server(settings)
    yield made
    made.end()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "book.yml").write_text(json.dumps(BOOK))
    return tmp_path


@pytest.fixture
def begin(server, settings, folder):
    """Return a function that begins the play."""

    def _begin(*arguments, **environment):
        argv = [playing.BINARY, "book.yml", *arguments]
        return server.begin(folder, argv, settings | environment, apart=True)

    return _begin


def test_it_says_what_it_says_without_a_server(begin, settings, folder):
    argv = [playing.BINARY, "book.yml", "-efails=1"]
    plain = subprocess.run(
        argv, cwd=folder, env=settings, capture_output=True, text=True, check=False
    )
    (folder / "shown.json").unlink()
    run = begin("-efails=1")
    said, errors = run.communicate(timeout=60)
    assert (run.wait(), errors) == (plain.returncode, plain.stderr)
    assert said.splitlines() == plain.stdout.splitlines()
    assert errors


@pytest.mark.large
def test_runs_have_their_own_environment_and_folders(begin, home, folder):
    begin().communicate(timeout=60)  # the server makes its own folder with its first run
    (kept,) = temporary(home)
    seen = []
    for name in ("SPX_OWN", "SPX_OTHER"):
        run = begin(**{name: name})
        _said, errors = run.communicate(timeout=60)
        assert (run.poll(), run.returncode) == (0, 0), errors
        seen.append(json.loads((folder / "shown.json").read_text()))
    assert [row[0] for row in seen] == ["SPX_OWN ", " SPX_OTHER"]
    assert {row[2] for row in seen} == {str(folder)}
    one, other = (set(row[1].split()) - {kept} for row in seen)
    assert len(one) == len(other) == 1, "each has one of its own"
    assert one != other
    assert temporary(home) == [kept], "and removes it"


def temporary(home):
    """The temporary folders that Ansible has on the controller; those of modules are removed by their tasks."""
    return [path.name for path in (home / ".ansible" / "tmp").glob("ansible-local-*")]


def test_a_run_is_waited_for_and_ended_by_its_number(begin):
    run = begin("-ewaits=1")
    assert run.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        run.communicate(timeout=0.1)
    assert os.getsid(run.pid) == run.pid != os.getsid(0)
    os.killpg(run.pid, signal.SIGKILL)
    assert run.wait(30) == -signal.SIGKILL


STATE = """
import json, sys
import forking

forking.load()
found = {name: vars(sys.modules[name]) for name in sys.modules if name.startswith(forking.COLLECTION + ".")}
values = {
    f"{name}.{key}": str(value)
    for name, module in found.items()
    for key, value in module.items()
    if not key.startswith("__") and " at 0x" not in str(value)
}
print(json.dumps([[*found], values]))
"""
TAKEN = "ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.runs._NAME"


def loaded():
    """Return the modules of the collection that a server has loaded, and their values as text."""
    done = subprocess.run(
        [playing.sys.executable, "-c", STATE],
        env=os.environ | {"PYTHONPATH": os.path.dirname(forking.__file__), "PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


@pytest.mark.large
def test_a_run_loads_plugins_itself_and_nothing_else_depends_on_the_moment():
    names, values = loaded()
    assert {name.split(".")[4] for name in names} == {"plugin_utils", "module_utils"}
    again = loaded()[1]
    assert {key for key in values.keys() | again.keys() if values.get(key) != again.get(key)} == {
        TAKEN
    }


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has disks of its own")
def test_a_thread_with_disks_of_its_own_has_a_server_of_its_own():
    found = [forking.key({})]

    def apart():
        assert ctypes.CDLL(None).unshare(0x20000) == 0  # CLONE_NEWNS: linux/sched.h
        found.append(forking.key({}))

    thread = threading.Thread(target=apart)
    thread.start()
    thread.join(10)
    one, other = found
    assert one != other


def test_other_settings_of_ansible_are_another_server():
    plain = {"HOME": "/home/x", "SPX_PROJECT": "a", "PATH": "b"}
    assert forking.key(plain) == forking.key({"HOME": "/home/x", "SPX_PROJECT": "c"})
    assert forking.key(plain) != forking.key(plain | {"ANSIBLE_FORKS": "1"})
    assert forking.key(plain) != forking.key({"HOME": "/home/y"})
