# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Playbooks that a drill starts, watches and kills, and a fabric to run them on."""

from __future__ import annotations

import contextlib
import copy
import os
import re
import signal
import threading
import time
import typing as t
from pathlib import Path

import yaml
from playing import begin, below, extra_vars
from unit.playbooks.fleet import Lab, factory_lab, recap
from unit.playbooks.leaves import tree

SECONDS = 180
"""The longest that any single run may take."""
TIMER = 12
"""The roll-back timer of the drills, in seconds; the roles choose 180 and more."""
HASH, COMMUNITY = "$6$salt$canary-of-a-hash", "canary-of-a-community"
SECRETS = {
    "switch_base_users": {"ops": {"hashed_password": HASH, "role": "nvue-admin"}},
    "switch_base_snmp": {"community": COMMUNITY},
}
FIRST, OTHER = "192.0.2.10", "192.0.2.20"


class Run:
    """One ansible-playbook at work; its output is read all the time."""

    def __init__(self, folder: Path, playbook: str, *words: str, **variables: t.Any) -> None:
        environment = variables.pop("environment", {})
        named = ["-i", "inventory", f"spectrum_x.fabric.{playbook}"]
        extra = extra_vars(variables)
        self.process = begin(folder, *named, *extra, *words, **environment)
        self._heard: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        self._heard.extend(self.process.stdout)

    def wait_for(self, reached: t.Callable[[], bool]) -> None:
        """Return as soon as something holds; a run that ends before that is an error."""
        until = time.monotonic() + SECONDS
        while not reached():
            if self.process.poll() is not None:
                self._reader.join(5)
                raise AssertionError(f"ended too early:\n{''.join(self._heard)}")
            assert time.monotonic() < until, "".join(self._heard)
            time.sleep(0.002)

    def kill(self, who: str) -> list[int]:
        """Kill "all" of the run, its "controller" or one "worker"; returns who is left."""
        os.kill(self.process.pid, signal.SIGSTOP)  # it starts nobody meanwhile
        workers = below(self.process.pid)
        chosen = {
            "all": [self.process.pid, *workers],
            "controller": [self.process.pid],
            "worker": workers[:1],
        }[who]
        for process in chosen:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        os.kill(self.process.pid, signal.SIGCONT)
        return [process for process in workers if process not in chosen]

    def end(self, seconds: int = SECONDS) -> tuple[int, str]:
        """(rc, output) once it has ended; workers of a killed one may still hold its output."""
        try:
            code = self.process.wait(seconds)
        except BaseException:
            self.kill("all")
            raise
        self._reader.join(5)
        return code, "".join(self._heard)


def gone(processes: t.Iterable[int]) -> bool:
    """Check whether none of these processes is there any more."""
    return not any(_alive(process) for process in processes)


def _alive(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def eventually(holds: t.Callable[[], bool], seconds: float = 60) -> bool:
    """Wait until something holds, and return whether it did within some seconds."""
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


class Site:
    """The lab in service: every switch runs the plan, every session is Established."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.folder, self.doubles = lab, lab.folder, lab.doubles
        self.before = {name: copy.deepcopy(d.applied) for name, d in lab.doubles.items()}

    def vary(self, name: str, **variables: t.Any) -> None:
        """Add to the host variables of a switch."""
        path = self.folder / "inventory" / "host_vars" / f"{name}.yml"
        path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **variables}))

    def plan(self, *servers: str) -> None:
        """Plan another time server, which every switch has to learn."""
        self.lab.describe(management={"ntp": list(servers)})

    def expected(self, name: str, *servers: str) -> dict[str, t.Any]:
        """The document that a switch has with these time servers, and nothing else changed."""
        document = copy.deepcopy(self.before[name])
        ntp = document["system"]["ntp"]
        ntp["server"] = {server: copy.deepcopy(ntp["server"][FIRST]) for server in servers}
        return document

    def start(self, playbook: str, *words: str, **variables: t.Any) -> Run:
        return Run(self.folder, playbook, *words, **variables)

    def run(self, playbook: str, *words: str, **variables: t.Any) -> tuple[int, str]:
        return self.start(playbook, *words, **variables).end()

    def heal(self) -> None:
        """Forget every fault and wait until no switch has a change at work."""
        for double in self.doubles.values():
            double.control.clear_faults()
        assert eventually(lambda: not any(busy(double) for double in self.doubles.values()))

    def settled(self, names: t.Iterable[str], *servers: str) -> None:
        """Each of these switches runs, has applied and boots with the plan, wholly."""
        for name in names:
            self._settled(name, self.expected(name, *servers))

    def _settled(self, name: str, wanted: dict[str, t.Any]) -> None:
        double, switch = self.doubles[name], self.doubles[name].switch
        assert eventually(lambda: not busy(double)), name
        assert double.applied == wanted, (name, tree.diff(wanted, double.applied))
        assert switch.running == switch.schema.canonical(wanted), name
        assert eventually(lambda: switch.revisions.startup == wanted, 5), name


def busy(double: t.Any) -> bool:
    """Check whether a change is at work on a switch."""
    return bool(double.switch.revisions.busy())


def changed(output: str) -> int:
    """Count the changes of the recap."""
    return sum(row["changed"] for row in recap(output).values())


def sentence(output: str) -> None:
    """Check that an error is a sentence without a trace of the program."""
    assert "Traceback" not in output, output
    assert re.search(r"^(fatal|failed|\[ERROR\]|ERROR!)", output, re.MULTILINE), output


@contextlib.contextmanager
def site_in_service(folder: Path) -> t.Iterator[Site]:
    """The lab, brought to the plan by one run, with short roll-back timers."""
    with factory_lab(folder) as lab:
        for name in lab.doubles:
            path = folder / "inventory" / "host_vars" / f"{name}.yml"
            stated = yaml.safe_load(path.read_text())
            path.write_text(
                yaml.safe_dump({**stated, **SECRETS, "switch_apply_confirm_timeout": TIMER})
            )
        lab.describe(management={"ntp": [FIRST]})
        code, output = Run(folder, "switches", spx_factory="true").end()
        assert code == 0, output
        lab.come_up()
        yield Site(lab)
