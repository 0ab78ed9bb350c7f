# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A change of the network that nobody confirms is taken back; one that is confirmed stays."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host import attempt
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.files import DesiredFile
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.interfaces import (
    LiveState,
    interfaces_from,
    read,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.network import apply_network
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.networks import networks_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host, Result
from ansible_collections.spectrum_x.fabric.plugins.modules import host as host_module

from .conftest import WANTED
from .converged import BONDED, PCI, ROUTED, Converged

FILE, GONE = "/etc/systemd/network/50-site.network", "/etc/systemd/network/30-spectrum-x-a.network"


class Namespace:
    """A machine with a network, an /etc and a /var/lib of its own; a process that waits stands for systemd-run."""

    def __init__(self):
        private = "mount -t tmpfs none /etc && mount -t tmpfs none /var/lib && touch /etc/up && "
        command = ["unshare", "--net", "--mount", "--fork", "--kill-child", "sh", "-c"]
        self.process = subprocess.Popen([*command, f"{private} exec sleep 60"])
        self.pid = self._first()
        self.started: list[subprocess.Popen[bytes]] = []
        self.active = True

    def _first(self):
        late = time.monotonic() + 20
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        while time.monotonic() < late:
            for pid in children.read_text("ascii").split() if children.exists() else ():
                if Path(f"/proc/{pid}/root/etc/up").exists():
                    return int(pid)
            time.sleep(0.01)
        raise RuntimeError("the namespace did not start")

    @property
    def root(self):
        return Path(f"/proc/{self.pid}/root")

    def enter(self, *argv):
        return ["nsenter", "-t", str(self.pid), "--net", "--mount", *argv]

    def run(self, argv, _timeout):
        if argv[0] == "systemd-run":
            assert "--on-active=30" in argv
            wait = "until test -e /etc/elapsed; do sleep 0.02; done"
            later = self.enter("sh", "-c", f"{wait}; test ! -e {argv[-1]} || {' '.join(argv[-2:])}")
            self.started.append(subprocess.Popen(later, stderr=subprocess.DEVNULL))
            return Result(0, "", "")
        if argv[:2] == ["systemctl", "show"]:
            state = "active" if self.active else "inactive"
            return Result(0, f"Id=x\nLoadState=loaded\nActiveState={state}\n", "")
        if argv[0] == "systemctl":
            return Result(0, "", "")
        done = subprocess.run(self.enter(*argv), capture_output=True, text=True, check=False)
        return Result(done.returncode, done.stdout, done.stderr)

    def ip(self, words):
        done = self.run(["ip", *words.split()], 10)
        assert done.rc == 0, (words, done.err)
        return done.out

    def host(self):
        return Host(run=self.run, root=str(self.root), sysfs="/nowhere")

    def found(self, by_pci):
        state = read(self.host(), [], more=True)
        return LiveState(state.links, state.routes, state.rules, by_pci)

    def state(self):
        """Names, addresses and routes, as a person sees them."""
        rows = json.loads(self.ip("-j address show"))
        links = {
            row["ifname"]: (
                row["mtu"],
                sorted(a["local"] for a in row["addr_info"] if a["scope"] == "global"),
            )
            for row in rows
        }
        routes = json.loads(self.ip("-j route show"))
        return links, sorted((r["dst"], r.get("gateway", ""), r.get("metric", 0)) for r in routes)

    def end(self):
        for one in (*self.started, self.process):
            one.kill()
            one.wait()


@pytest.fixture
def namespace():
    if os.geteuid() or not shutil.which("nsenter") or not shutil.which("unshare"):
        pytest.skip("needs root, unshare and nsenter")
    if subprocess.run(["unshare", "--net", "--mount", "true"], check=False).returncode:
        pytest.skip("namespaces are not allowed")
    made = Namespace()
    made.ip("link set lo up")
    made.ip("link add enp1s0f0 type veth peer name leaf")
    made.ip("link set leaf up")
    made.ip("link set enp1s0f0 up mtu 1400")
    made.ip("address add 198.51.100.5/24 dev enp1s0f0")
    made.ip("route add default via 198.51.100.1 dev enp1s0f0 metric 100")
    made.ip("route add 203.0.113.0/24 via 198.51.100.9 dev enp1s0f0")
    yield made
    made.end()


def armed(namespace):
    """The controller came over the port that is to become front1; (token, state before)."""
    host = namespace.host()
    path = host.path(FILE)
    path.parent.mkdir(parents=True)
    path.write_text("the site's own\n")
    path.chmod(0o640)
    ports = interfaces_from([ROUTED[0]])
    found = namespace.found({PCI["front1"]: "enp1s0f0"})
    former = attempt.kept(host, [DesiredFile(FILE, b"ours\n"), DesiredFile(GONE, b"ours\n")])
    before = attempt.SavedState(former, found, ports, networks_from([ROUTED[0]]), [])
    state = namespace.state()
    return attempt.arm(host, before, seconds=30), state


def changed(namespace):
    """Files and names as planned, and the way in is lost: no address, no default route."""
    namespace.ip("link set dev enp1s0f0 down")
    namespace.ip("address flush dev enp1s0f0")
    namespace.ip("link set dev enp1s0f0 name front1")
    namespace.ip("link set dev front1 up mtu 1450")
    namespace.host().path(FILE).write_text("ours\n")
    namespace.host().path(GONE).write_text("ours\n")
    assert namespace.state()[1] == []


def ended(namespace):
    """The time of the timer is over."""
    namespace.host().path("/etc/elapsed").write_text("")
    assert namespace.started[0].wait(timeout=20) == 0


def test_the_way_in_comes_back_when_nobody_confirms(namespace):
    _token, state = armed(namespace)
    changed(namespace)
    ended(namespace)  # the controller was killed, or finds no way any more
    assert namespace.state() == state
    file = namespace.host().path(FILE)
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("the site's own\n", 0o640)
    assert not namespace.host().path(GONE).exists()


def test_a_change_that_broke_off_in_the_middle_is_taken_back_too(namespace):
    _token, state = armed(namespace)
    namespace.ip("link set dev enp1s0f0 down")
    namespace.ip("address flush dev enp1s0f0")
    ended(namespace)
    assert namespace.state() == state


def test_a_confirmed_change_stays_and_may_be_confirmed_twice(namespace):
    token, _state = armed(namespace)
    changed(namespace)
    now = namespace.state()
    attempt.confirm(namespace.host(), token)
    ended(namespace)
    assert namespace.state() == now
    assert namespace.host().path(FILE).read_text() == "ours\n"
    attempt.confirm(namespace.host(), token)


def test_who_comes_too_late_is_told(namespace):
    token, _state = armed(namespace)
    ended(namespace)
    with pytest.raises(NicError, match="reverted the change of its network"):
        attempt.confirm(namespace.host(), token)


def test_without_a_running_timer_nothing_begins(namespace):
    namespace.active = False
    with pytest.raises(NicError, match=r"attempt\.timer does not run after it was started"):
        armed(namespace)
    ended(namespace)
    assert namespace.host().entries(attempt.FOLDER) == []


# In a folder


@pytest.fixture
def machine(tmp_path):
    return Converged(tmp_path)


def work(machine, rows, **more):
    return apply_network(
        machine.host(), interfaces_from([WANTED]), others=networks_from(rows), **more
    )


def test_a_host_whose_timer_does_not_run_is_left_as_it_is(machine):
    machine.timer = False
    with pytest.raises(NicError, match="nothing was changed"):
        work(machine, BONDED)
    assert len(machine.calls) == 1
    assert machine.calls[0].startswith("systemd-run ")
    assert not (machine.folder / "etc").exists()


def test_an_attempt_that_still_waits_is_not_overtaken(machine):
    work(machine, BONDED[:3])
    machine.calls.clear()
    with pytest.raises(NicError, match="is still to be reverted: wait a few minutes"):
        work(machine, BONDED)
    assert machine.calls == []


def test_the_timer_and_the_unit_of_the_next_boot_run_the_same_script(machine):
    token = work(machine, BONDED, attempt_seconds=45)["attempt"]
    path = f"{attempt.FOLDER}/take-back-{token}"
    assert machine.calls[0].endswith(f"--service-type=oneshot /bin/sh {path}")
    assert "--on-active=45 " in machine.calls[0]
    unit = (machine.folder / "etc/systemd/system" / attempt.BOOT).read_text()
    assert f"{attempt.FOLDER}/take-back-*" in unit
    assert "Before=network-pre.target" in unit
    assert '/bin/sh "$$one"' in unit, "systemd.service(5): a single dollar is systemd's own"
    assert f"systemctl enable {attempt.BOOT}" in machine.calls
    assert (machine.folder / path[1:]).stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        (
            "netplan",
            ["netplan generate", "networkctl reload", "networkctl reconfigure enp1s0f0np0"],
        ),
        ("networkd", ["networkctl reload", "networkctl reconfigure enp1s0f0np0"]),
        ("networkmanager", ["nmcli connection reload", "device connect enp1s0f0np0"]),
    ],
)
def test_who_keeps_the_network_reads_its_former_files(machine, backend, said):
    machine.deaf = True  # only systemd-networkd is played
    with pytest.raises(NicError):
        work(machine, BONDED, backend=backend)
    (path,) = (machine.folder / attempt.FOLDER[1:]).iterdir()
    script = path.read_text()
    assert all(line in script for line in said)
    assert script.index("ip link delete dev front.2021") < script.index(
        "ip link delete dev front\n"
    )
    assert "name enp1s0f0np0" in script
    assert subprocess.run(["sh", "-n", str(path)], check=False).returncode == 0


def connection(machine, address):
    """The process was started by a session of SSH that came in at this address."""
    for pid, parent, text in (
        ("self", "7", ""),
        ("7", "1", f"A=b\0SSH_CONNECTION=1.2.3.4 5 {address} 22"),
    ):
        place = machine.folder / "proc" / pid
        place.mkdir(parents=True)
        (place / "environ").write_text(text)
        (place / "status").write_text(f"Name:\tx\nPPid:\t{parent}\n")


@pytest.mark.parametrize(("address", "guarded"), [("10.0.0.7", True), ("10.0.0.8", False)])
def test_rails_alone_are_an_attempt_where_the_controller_came_over_one(machine, address, guarded):
    machine.links["enp24s0f0np0"]["addr_info"] = [{"local": "10.0.0.7", "prefixlen": 24}]
    connection(machine, address)
    done = work(machine, [])
    assert ("attempt" in done) is guarded
    assert any(re.match("systemd-run", call) for call in machine.calls) is guarded


def test_the_module_confirms_and_does_nothing_else(machine):
    token = work(machine, BONDED)["attempt"]
    machine.calls.clear()
    assert host_module.work(machine.host(), {"do": "network", "confirm": token}) == {
        "changed": False
    }
    assert machine.host().entries(attempt.FOLDER) == [f"confirmed-{token}"]
    assert machine.calls == ["systemctl stop spectrum-x-attempt.timer"]
    with pytest.raises(NicError, match="reverted the change of its network"):
        host_module.work(machine.host(), {"do": "network", "confirm": "00000000"})


def test_a_name_of_the_host_is_a_word_of_the_script_and_no_command(tmp_path):
    """The kernel lets an interface be called so, and a site a file."""
    evil = f"b;touch {tmp_path}/x"
    file = f"{tmp_path}/50-`touch x`;touch x;.network"
    row = {"local": "198.51.100.5", "prefixlen": 24, "scope": "global"}
    link = {"flags": ["UP"], "mtu": 1500, "master": evil, "addr_info": [row]}
    route = {"dst": "default", "dev": evil, "gateway": "198.51.100.1"}
    ports = interfaces_from([ROUTED[0]])
    found = LiveState({evil: link, "b;id>x": link}, [route], [], {PCI["front1"]: evil})
    before = attempt.SavedState(
        {file: (b"a\n", 0o100640)}, found, ports, networks_from([ROUTED[0]]), []
    )
    text = attempt.script(before, "t").replace(attempt.FOLDER, str(tmp_path))
    (tmp_path / f"{attempt.ARMED}t").touch()
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("ip", "udevadm", "logger"):
        (tools / name).write_text(
            f'#!/bin/sh\nfor word; do printf "%s\\n" "$word"; done >>{tmp_path}/words\n'
        )
        (tools / name).chmod(0o755)
    env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    subprocess.run(["sh", "-c", text], env=env, cwd=tmp_path, check=True)
    assert not (tmp_path / "x").exists()
    assert evil in (tmp_path / "words").read_text().splitlines()
    assert (Path(file).read_text(), Path(file).stat().st_mode & 0o7777) == ("a\n", 0o640)


def test_a_link_comes_back_as_a_link(tmp_path):
    """A file that systemd masks is no empty file, and what a link leads to is not copied."""
    host = Host(run=lambda *_args: Result(0, "", ""), root=str(tmp_path))
    place = host.path(FILE)
    place.parent.mkdir(parents=True)
    place.symlink_to("/dev/null")
    former = attempt.kept(host, [DesiredFile(FILE, b"ours\n")])
    lines = attempt._files_back({f"{tmp_path}{path}": row for path, row in former.items()})
    place.unlink()
    place.write_text("ours\n")
    subprocess.run(["sh", "-c", "\n".join(lines)], check=True)
    assert os.readlink(place) == "/dev/null"


def test_a_pipe_in_the_place_of_a_file_is_refused_before_anything_is_changed(tmp_path):
    host = Host(run=lambda *_args: Result(0, "", ""), root=str(tmp_path))
    host.path(FILE).parent.mkdir(parents=True)
    os.mkfifo(host.path(FILE))
    with pytest.raises(NicError, match=f"^{FILE}: it is a named pipe: a regular file"):
        attempt.kept(host, [DesiredFile(FILE, b"ours\n")])
