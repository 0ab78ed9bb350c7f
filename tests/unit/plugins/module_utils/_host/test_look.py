# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One look at a host: a part that cannot be read has something to do, and hinders no other."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._host import look as module
from ansible_collections.spectrum_x.fabric.plugins.module_utils._host.files import Outcome
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Host

DESIRED = "/etc/spectrum-x/desired.json"
ASKED = {
    "files": [{"path": DESIRED, "content": "starts"}, {"path": "/etc/other", "content": "x"}],
    "idle": "idle",
    "units": {},
    "agent_path": "/tool",
    "backend": "auto",
    "arp": False,
    "lldp": True,
    "facts": "/etc/spectrum-x",
    "nccl": {},
    "power_cycle": "ipmitool chassis power cycle",
}
WANTED = {
    "nics": [],
    "interfaces": [],
    "networks": [],
    "storage_nics": [],
    "fabric_prefixes": [],
    "nccl": {"rails": [], "env": {}},
    "agent": "1",
    "agent_sha256": "a" * 64,
}
NETWORK = {"interfaces": [], "changed": False, "drift": []}


@pytest.fixture
def seen(tmp_path, monkeypatch):
    """Looks at a host whose parts answer as told; `kept` are the files that were compared."""

    def refuses(answer):
        def said(*_given, **_more):
            if isinstance(answer, str):
                raise NicError(answer)
            return answer

        return said

    def made(network=None, nics=None, outcome=None, locked=""):
        made.kept = []

        def keep(_host, files, _units):
            made.kept.append({one.path: one.content for one in files})
            return outcome or Outcome()

        nics = {"nics": [], "skew": "", "algorithm": True} if nics is None else nics
        system = {"driver": {"locked": locked}}
        installed = {"system": system, "packages": {}}
        monkeypatch.setattr(module.packages, "look", lambda *_given: installed)
        monkeypatch.setattr(module, "apply_network", refuses(network or NETWORK))
        monkeypatch.setattr(module, "_nics", refuses(nics))
        monkeypatch.setattr(module, "keep", keep)
        return module.look(Host(root=str(tmp_path)), WANTED, ASKED)

    return made


def test_a_host_as_planned_has_nothing_to_do(seen):
    found = seen()
    assert [found[part]["due"] for part in ("network", "agent", "facts")] == [False] * 3
    assert [found[part]["error"] for part in ("nics", "network", "agent", "facts")] == [""] * 4


@pytest.mark.parametrize("key", ["files", "commands", "drift", "absent", "renames_in_use"])
def test_whatever_differs_on_the_rails_is_due(seen, key):
    assert seen(network={**NETWORK, key: ["something"]})["network"]["due"] is True


def test_a_file_that_differs_is_due(seen):
    found = seen(outcome=Outcome(files=[DESIRED]))
    assert (found["agent"]["due"], found["facts"]["due"]) == (True, True)


def test_what_cannot_be_read_is_due_and_hinders_nothing_else(seen):
    found = seen(network="no ip.", nics="no mlxconfig.")
    assert (found["network"]["error"], found["network"]["due"]) == ("no ip.", True)
    assert found["nics"] == {"error": "no mlxconfig."}
    assert (found["agent"]["due"], found["facts"]["due"]) == (False, False)
    assert "/tool" not in seen.kept[0]


def test_a_lockdown_is_named_before_the_words_of_a_tool(seen):
    assert seen(nics="no mlxconfig.", locked="integrity")["nics"]["error"] == (
        "The kernel is locked down (integrity), which keeps tools from the cards: no mlxconfig."
    )
    assert seen(locked="integrity")["nics"]["error"] == ""


@pytest.mark.parametrize(
    "nics, content",
    [
        ({"algorithm": True}, b"starts"),
        ({"algorithm": False}, b"idle"),
        ({"algorithm": False, "nics": [{"ports": [{"cc": {"state": "active"}}]}]}, b"starts"),
    ],
)
def test_the_desired_state_is_compared_as_the_host_has_congestion_control(seen, nics, content):
    seen(nics={"skew": "", **nics})
    assert seen.kept[0][DESIRED] == content
    assert "/tool" in seen.kept[0]


def test_the_files_of_schedulers_are_not_composed_without_interfaces(seen):
    seen(network="no ip.")
    assert seen.kept[1] == {}
    seen()
    assert set(seen.kept[1]) == {"/etc/spectrum-x/nccl.env", "/etc/spectrum-x/topology.json"}


def test_the_command_of_a_power_cycle_is_looked_for(seen, tmp_path):
    assert seen()["system"]["power_cycle"] is False
    (tmp_path / "usr/sbin").mkdir(parents=True)
    (tmp_path / "usr/sbin/ipmitool").write_text("")
    (tmp_path / "usr/sbin/ipmitool").chmod(0o755)
    assert seen()["system"]["power_cycle"] is True
