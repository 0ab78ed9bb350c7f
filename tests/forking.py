# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tools of Ansible from a process that has loaded Ansible and the core of the collection already, and forks.

Loading both is most of a short run. A run is a process like any other, in a session of its own: with its own
arguments, environment, folder and temporary folder, and it loads the collection's plugins itself. What Ansible reads
when it is loaded is the same for all runs of a server, which `KEPT` and the absence of an ansible.cfg see to.

    server = Server(environment)
    run = server.begin(folder, ["ansible-playbook", "book.yml"], environment)
    output, nothing = run.communicate(timeout=60)
"""

from __future__ import annotations

import atexit
import gc
import importlib
import importlib.machinery
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
import typing as t
from pathlib import Path

KEPT = ("ANSIBLE_", "PYTHON", "HOME", "LANG", "LC_", "TMPDIR", "NO_COLOR", "COLUMNS")
"""Prefixes of the variables that are read while Ansible is loaded: runs of one server have the same ones."""
TOOLS = {
    "ansible": "ansible.cli.adhoc",
    "ansible-inventory": "ansible.cli.inventory",
    "ansible-playbook": "ansible.cli.playbook",
}
SPACES = ("mnt", "net")
"""Namespaces of a thread that what it starts inherits."""
COLLECTION = "ansible_collections.spectrum_x.fabric.plugins"
OWN = "_jobs.runs"
"""The module of plugin_utils that names the run as it is loaded: each run executes it anew."""
BUILT_IN = ("become", "cache", "callback", "connection", "filter", "inventory", "shell", "strategy")
"""Kinds of plugins whose settings Ansible reads from their documentation; `vars`, loaded here, would miss host_vars."""
POLL = 0.004
"""Seconds between two looks of a run at its workers: fewer looks than with Ansible's own millisecond."""
MOST = 1 << 18
"""Bytes of a request."""


def key(environment: t.Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the settings that runs of one server share: a test may move to a small disk or a network of its own."""
    kept = sorted(row for row in environment.items() if row[0].startswith(KEPT))
    spaces = ((name, os.readlink(f"/proc/thread-self/ns/{name}")) for name in SPACES)
    return (*kept, *spaces)


class Run:
    """A run of a server, with what tests use of subprocess.Popen."""

    def __init__(self, pipes: t.Sequence[int], ended: int, alone: int | None = None) -> None:
        self.stdout, *more = (os.fdopen(pipe, encoding="utf-8", errors="replace") for pipe in pipes)
        self.stderr = more[0] if more else None
        self._ended = os.fdopen(ended, "rb", buffering=0)
        self.pid = int.from_bytes(self._ended.read(4) or b"\0", sys.byteorder)
        assert self.pid, "the server has ended"
        self.returncode: int | None = None
        self._alone = alone

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """The exit code as soon as there is one."""
        if self.returncode is None:
            with selectors.DefaultSelector() as found:
                found.register(self._ended, selectors.EVENT_READ)
                if not found.select(timeout):
                    raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
            said = self._ended.read(4)
            assert said, "the server has ended"
            self.returncode = int.from_bytes(said, sys.byteorder, signed=True)
            self._ended.close()
        return self.returncode

    def kill(self) -> None:
        """Kill it with all of its session; where processes have other numbers inside, the server with it."""
        os.killpg(self._alone or self.pid, signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str | None]:
        """Return its output until it and all its children have closed it, and its errors if kept apart."""
        until = None if timeout is None else time.monotonic() + timeout
        streams = [stream for stream in (self.stdout, self.stderr) if stream]
        heard: dict[t.Any, list[bytes]] = {stream: [] for stream in streams}
        with selectors.DefaultSelector() as found:
            for stream in streams:
                found.register(stream, selectors.EVENT_READ)
            while found.get_map():
                left = None if until is None else max(0.0, until - time.monotonic())
                if not (ready := found.select(left)):
                    raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
                for row, _events in ready:
                    if not (chunk := os.read(row.fd, MOST)):
                        found.unregister(row.fileobj)
                    heard[row.fileobj].append(chunk)
        self.wait(None if until is None else max(0.0, until - time.monotonic()))
        said = [b"".join(heard[stream]).decode("utf-8", "replace") for stream in streams]
        for stream in streams:
            stream.close()
        return said[0], said[1] if self.stderr else None


class Server:
    """The process that has loaded what runs have in common; it ends with the process that began it.

    `before` are words that lead to it, as those of `alone.unseeing`.
    """

    def __init__(self, environment: t.Mapping[str, str], before: t.Sequence[str] = ()) -> None:
        own, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket, self._alone = own, bool(before)
        with its:
            self._process = subprocess.Popen(
                [*before, sys.executable, __file__, str(its.fileno())],
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[its.fileno()],
                start_new_session=True,
            )
        atexit.register(self.end)

    def begin(
        self,
        folder: Path,
        argv: t.Sequence[t.Any],
        environment: t.Mapping[str, str],
        *,
        apart: bool = False,
    ) -> Run:
        """Begin a run in a folder; `apart` keeps its errors apart from its output."""
        asked = {"folder": str(folder), "argv": [str(word) for word in argv]}
        request = json.dumps({**asked, "environment": dict(environment)}).encode()
        reads, writes = zip(*(os.pipe() for _pipe in range(3 if apart else 2)))
        try:
            socket.send_fds(self._socket, [request], writes)
        finally:
            for pipe in writes:
                os.close(pipe)
        return Run(reads[1:], reads[0], self._process.pid if self._alone else None)

    def end(self) -> None:
        """End the server; runs that are still at work go on."""
        self._socket.close()
        self._process.wait(10)


def load() -> None:
    """Load what all runs have in common; no loader of collections is left behind, as each run installs its own."""
    for tool in TOOLS.values():
        importlib.import_module(tool)
    loader = importlib.import_module("ansible.plugins.loader")
    finder = importlib.import_module("ansible.utils.collection_loader._collection_finder")
    keep_compiled(finder._AnsibleCollectionPkgLoaderBase)
    loader.init_plugin_loader()
    importlib.import_module("ansible_collections.ansible.builtin")
    for kind in BUILT_IN:
        list(getattr(loader, f"{kind}_loader").all(class_only=True))
    importlib.import_module("ansible.constants").DEFAULT_INTERNAL_POLL_INTERVAL = POLL
    plugins = Path(__file__).resolve().parents[1] / "plugins" / "plugin_utils"
    for path in sorted(plugins.rglob("*.py")):
        words = path.relative_to(plugins).with_suffix("").parts
        importlib.import_module(".".join((COLLECTION, "plugin_utils", *words)))
    importlib.import_module(f"{COLLECTION}.plugin_utils._nvue.document.schema").releases()
    finder._AnsibleCollectionFinder._remove()
    gc.collect()
    gc.freeze()  # else every process that comes of this one copies it page by page


def keep_compiled(importer: t.Any) -> None:
    """Let a loader of collections take what Python has compiled: Ansible's own compiles each module again."""
    compiled = importer.get_code

    def get_code(self: t.Any, name: str) -> t.Any:
        if not self._compiled_code and self._source_code_path:
            source = importlib.machinery.SourceFileLoader(name, self._source_code_path)
            self._compiled_code = source.get_code(name)
        return compiled(self, name)

    importer.get_code = get_code


def serve(asked: socket.socket) -> None:
    """Fork for each request until there is nobody left to ask."""
    load()
    while True:
        request, pipes, _flags, _address = socket.recv_fds(asked, MOST, 3)
        if not request:
            return
        if not os.fork():
            asked.close()
            keep(json.loads(request), *pipes)
        for pipe in pipes:
            os.close(pipe)
        _bury()


def _bury() -> None:
    """Take leave of those that have ended."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def keep(request: dict[str, t.Any], ended: int, *pipes: int) -> None:
    """Say who the run is, and with which code it ended."""
    if run := os.fork():
        for pipe in pipes:
            os.close(pipe)
        os.write(ended, run.to_bytes(4, sys.byteorder))
        code = os.waitstatus_to_exitcode(os.waitpid(run, 0)[1])
        os.write(ended, code.to_bytes(4, sys.byteorder, signed=True))
        os._exit(0)
    os.close(ended)
    become(request, pipes)


def become(request: dict[str, t.Any], pipes: t.Sequence[int]) -> t.NoReturn:
    """Be the tool that the first argument names."""
    os.setsid()
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    for stream, pipe in ((1, pipes[0]), (2, pipes[-1])):
        os.dup2(pipe, stream)
    for pipe in pipes:
        os.close(pipe)
    sys.argv = request["argv"]
    own = sys.modules[f"{COLLECTION}.plugin_utils.{OWN}"]
    t.cast(t.Any, own.__loader__).exec_module(own)
    constants = importlib.import_module("ansible.constants")
    manager = importlib.import_module("ansible.config.manager")
    atexit.unregister(manager.cleanup_tmp_file)  # the server's folder stays
    folder = Path(constants.DEFAULT_LOCAL_TMP).parent
    constants.DEFAULT_LOCAL_TMP = tempfile.mkdtemp(
        prefix=f"ansible-local-{os.getpid()}", dir=folder
    )
    atexit.register(manager.cleanup_tmp_file, constants.DEFAULT_LOCAL_TMP, warn=True)
    sys.exit(importlib.import_module(TOOLS[Path(sys.argv[0]).name]).main())


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
