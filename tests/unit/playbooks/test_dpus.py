# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook dpus where it writes nothing: check mode, hosts that wait for a reset, the gate of a rack."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from time import monotonic

import pytest
import yaml
from alone import unseeing
from playing import extra_vars, play
from simulated_host import TARGET, TOOLS, SimulatedHost

ROOT = Path(__file__).resolve().parents[3]
ROLES = [
    *("dpu_doca", "dpu_firmware", "dpu_nvconfig", "dpu_mode", "dpu_qos"),
    *("dpu_congestion_control", "dpu_interfaces"),
]
BLUEFIELDS = {"model": "BlueField-3", "pci": ["0000:18:00.0", "0000:3a:00.0"]}
H01, H02 = "worker-su01-rack01-h01", "worker-su01-rack01-h02"
IP = """#!/bin/sh
case "$*" in
  *route*) echo '{routes}' ;;
  *address*) echo '{links}' ;;
  *) echo '[]' ;;
esac
"""
INSTALLED = """#!/bin/sh
for name in doca-all doca-networking doca-spcx-cc lldpd; do echo "install installed $name 3.3.0-088000"; done
"""


class Site(SimulatedHost):
    """A project folder; its first host is this machine with simulated cards, the others are nowhere."""

    def describe(self, example: str, **changes) -> None:
        model = self.folder / "model"
        shutil.copytree(ROOT / "inventories" / example / "model", model, dirs_exist_ok=True)
        path = model / "fabric.yml"
        path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), **changes}))
        source = {
            "plugin": "spectrum_x.fabric.fabric",
            "description": str(path),
            "management": "none",
        }
        inventory = self.folder / "inventory"
        inventory.mkdir(exist_ok=True)
        (inventory / "hosts.fabric.yml").write_text(yaml.safe_dump(source))

    def tenants(self, *rows) -> None:
        path = self.folder / "model" / "tenants.yml"
        path.write_text(yaml.safe_dump({"tenants": list(rows)}))

    def host(self, **variables) -> None:
        folder = self.folder / "inventory" / "host_vars"
        folder.mkdir(exist_ok=True)
        here = {"ansible_connection": "local", "ansible_python_interpreter": sys.executable}
        here["dpu_interfaces_backend"] = "networkd"
        here["dpu_state_sysfs"] = str(self.folder / "run/sys")
        (folder / f"{H01}.yml").write_text(yaml.safe_dump({**here, **variables}))

    def packages(self, script: str) -> None:
        """Write the stand-in of dpkg-query."""
        self.stand_in("dpkg-query", script)

    def network(self, links=(), routes=()) -> None:
        """Write the stand-in of iproute2, whose answers are of this machine otherwise."""
        self.stand_in("ip", IP.format(links=json.dumps(links), routes=json.dumps(routes)))

    def stand_in(self, name: str, script: str) -> None:
        path = self.folder / "bin" / name
        path.write_text(script)
        path.chmod(0o755)

    def dpus(self, *arguments: str, **variables) -> tuple[int, str]:
        given = {"spx_factory": "true", **variables}
        return self.play("spectrum_x.fabric.dpus", f"--limit={H01}", *arguments, **given)

    def play(self, *arguments, **variables) -> tuple[int, str]:
        inventory = self.folder / "inventory"
        given = [*arguments, *extra_vars(variables)]
        environment = {"SPX_PROJECT": str(self.folder), **self.environment}
        rc, said = play(self.folder, "-i", inventory, *given, before=unseeing(), **environment)
        return rc, " ".join(said.split())


@pytest.fixture
def site(tmp_path):
    if not TARGET.is_dir():
        pytest.skip("the stand-ins are not shipped")
    made = Site(tmp_path)
    made.packages(INSTALLED)
    made.network()
    return made


@pytest.fixture
def two_planes(site):
    """A ConnectX-8 from the factory, whose second function comes with the settings; nothing may write."""
    site.describe("lab-2plane", manage=["dpu_nvconfig"])
    site.tenants()
    site.host()
    nics = [{"port": "rail1p1", "pci": "0000:18:00.0", "netdev": "enp24s0f0np0"}]
    nics.append({"port": "rail1p2", "pci": "0000:18:00.1", "netdev": "enp24s0f1np1"})
    (site.folder / "nics.json").write_text(json.dumps(nics))
    site.start("cx8-2plane", "--nics", str(site.folder / "nics.json"))
    return site


@pytest.mark.large
def test_ports_that_come_with_a_reset_are_not_asked_for_before(two_planes):
    rc, said = two_planes.dpus()
    assert rc == 2, said
    assert "wait for ports 0000:18:00.1, for which the host has to be drained" in said
    assert "1 host skipped without the required reset or link toggle" in said
    assert f"{H01}: settings of RA 2.1.2 are to be staged: it needs a reset" in said
    assert "-e spx_allow_reset=true" in said
    assert "no network device" not in said


ALLOWED = {"spx_allow_reset": "true", "spx_allow_reboot": "true", "spx_allow_versions": "true"}


@pytest.mark.large
def test_what_collides_is_refused_before_the_host_is_drained(two_planes):
    two_planes.network(routes=[{"dst": "172.17.0.0/16", "dev": "docker0"}])
    rc, said = two_planes.dpus(**ALLOWED)
    assert rc == 2, said
    assert "route 172.17.0.0/16 of docker0 lies inside 172.16.0.0/14" in said
    assert "Record on the host that this playbook drains it" not in said


def test_a_port_that_no_reset_brings_is_refused_before_the_host_is_drained(two_planes):
    two_planes.describe("lab-2plane", manage=[])
    two_planes.tenants()
    rc, said = two_planes.dpus("--check", **ALLOWED)
    assert rc == 2, said
    assert "rail1p2: the host shows no network device at 0000:18:00.1" in said


@pytest.mark.large
@pytest.mark.parametrize("tolerates", [False, True])
def test_what_rewrites_pfc_is_refused_before_the_host_is_drained(two_planes, tolerates):
    two_planes.host(dpu_qos_tolerate_conflicts=tolerates)
    two_planes.sim("fault", "add", "lldpad")
    rc, said = two_planes.dpus("--check", **ALLOWED)
    assert rc == (0 if tolerates else 2), said
    assert (f"{H01}: lldpad runs on this host" in said) is not tolerates


@pytest.mark.large
def test_a_port_in_use_gets_another_name_on_a_drained_host_alone(two_planes):
    two_planes.describe("lab-2plane", manage=["dpu_interfaces"])
    two_planes.tenants()
    bears = [{"local": "172.16.0.0", "prefixlen": 31}]
    two_planes.network(links=[{"ifname": "enp24s0f0np0", "addr_info": bears}])
    rc, said = two_planes.dpus("--check", spx_allow_versions="true")
    assert rc == 0, said
    assert "new names of ports in use (enp24s0f0np0 to rail1p1)" in said


def test_a_host_whose_links_were_toggled_is_given_back_with_its_rails():
    plays = yaml.safe_load((ROOT / "playbooks/dpus.yml").read_text())
    (tasks,) = (play["tasks"] for play in plays if play.get("max_fail_percentage") == 0)
    gap, rails, back = tasks[-4:-1]
    included = [task["ansible.builtin.include_role"]["name"] for task in (gap, rails)]
    assert included == [f"spectrum_x.fabric.dpu_{n}" for n in ("congestion_control", "interfaces")]
    assert "dpu_congestion_control_result | default({}) is changed" in rails["when"]
    assert back["ansible.builtin.include_tasks"] == "tasks/host_back.yml"


def test_leave_that_an_inventory_gives_is_refused(two_planes):
    two_planes.host(spx_allow_reset=True)
    rc, said = two_planes.dpus()
    assert rc == 2, said
    assert "variable spx_allow_reset: it counts only when given with -e" in said
    assert "Record on the host that this playbook drains it" not in said


@pytest.mark.large
def test_check_mode_predicts_a_host_from_the_factory(two_planes):
    rc, said = two_planes.dpus("--check", spx_allow_reboot="true", spx_allow_versions="true")
    assert rc == 0, said
    assert "wait for ports 0000:18:00.1" in said


def test_a_host_without_tools_says_what_it_waits_for(site):
    site.describe("lab", manage=["dpu_doca"])
    site.host()
    site.start("bf3-nic-2rail")
    for tool in TOOLS:
        (site.folder / "bin" / tool).unlink()
    site.packages("#!/bin/sh\n")
    rc, said = site.dpus()
    assert rc == 2, said
    assert f"{H01}: DOCA-Host 3.3.0 replaces the inbox driver: it needs a reboot" in said
    assert "-e spx_allow_reboot=true" in said


@pytest.mark.large
@pytest.mark.parametrize(
    "mode, psid, code, words",
    [
        ("nic", "MT_0000001069", 0, "bfb-install"),
        ("nic", "MT_1", 2, "the card's PSID is MT_0000001069, the plan says MT_1"),
        ("dpu", "", 0, "bfb-install"),
    ],
)
def test_check_mode_predicts_bundles(site, mode, psid, code, words):
    """Neither rshim nor bf.cfg is on the host before the run; the board of a card is looked at all the same."""
    site.describe("lab", manage=ROLES, nics={**BLUEFIELDS, "mode": mode})
    bundle = site.folder / "fw.bfb"
    bundle.write_text("bundle")
    system = {"dpu_mode_bfb": str(bundle), "dpu_mode_bf_cfg": {"WITH_NIC_FW_UPDATE": "yes"}}
    firmware = {"dpu_firmware_files": {"a2dc": {"bundle": str(bundle), "psid": psid}}}
    site.host(**(firmware if mode == "nic" else system), dpu_interfaces_backend="networkd")
    site.sim("init", "--from", "bf3-nic-2rail")
    for nic in (0, 1):
        for time in ("current", "next") if mode == "dpu" else ():
            site.sim("set", f"nics.{nic}.nv.{time}.INTERNAL_CPU_OFFLOAD_ENGINE", "0")
    site.sim("sync")
    rc, said = site.dpus("--check", "--diff", "-vv", spx_allow_reboot="true")
    assert rc == code, said
    assert words in said


@pytest.fixture
def mixed(site):
    """A host whose cards and packages are of the set, with another NCCL beside them."""
    nics = {"model": "BlueField-3", "mode": "nic", "pci": ["0000:18:00.0", "0000:3a:00.0"]}
    site.describe("lab", manage=["dpu_doca", "dpu_firmware"], nics=nics)
    (site.folder / "model/tenants.yml").write_text("tenants: []\n")
    packages = site.folder / "bin" / "dpkg-query"
    packages.write_text(f"{INSTALLED}echo install installed libnccl2 2.27.7-1\n")
    site.sim("init", "--from", "bf3-nic-2rail")
    site.sim("sync")
    return site


def test_versions_that_nobody_mends_are_refused_before_anything_else(mixed):
    files = {"a2dc": {"bundle": "/srv/bf-fwbundle-3.4.0-92_26.04-prod.bfb"}}
    mixed.host(dpu_doca_version="3.4.0", dpu_firmware_files=files)
    rc, said = mixed.dpus("--check", spx_allow_reboot="true")
    assert rc == 2, said
    known = "RA 2.1.2 is validated with"
    for words in (
        f"{H01}: dpu_doca_version is 3.4.0, {known} 3.3.0-088000 or 3.3.0-088814",
        f"{H01}: libnccl2 is 2.27.7-1, {known} 2.29.2: install that",
        f"{H01}: bundle bf-fwbundle-3.4.0-92_26.04-prod.bfb is 3.4.0-92_26.04, {known} 3.3.0",
        "or allow it with -e spx_allow_versions=true.",
    ):
        assert words in said
    assert "Take the host out of work" not in said


def test_versions_that_nobody_mends_are_allowed_on_purpose(mixed):
    mixed.host(dpu_doca_version="3.4.0")
    rc, said = mixed.dpus(spx_allow_versions="true")
    assert rc == 2, said
    assert "validated with" not in said
    assert f"{H01}: DOCA-Host 3.4.0 replaces doca-all 3.3.0-088000" in said
    assert "it needs a reboot, so drain the host" in said


@pytest.mark.large
@pytest.mark.parametrize(
    "role, variables, words",
    [
        ("dpu_doca", {}, "libnccl2 is 2.27.7-1, RA 2.1.2 is validated with 2.29.2"),
        (
            "dpu_firmware",
            {"dpu_firmware_files": {"a2dc": {"bundle": "/srv/bf-fwbundle-3.2.1.bfb"}}},
            "bundle bf-fwbundle-3.2.1.bfb is 3.2.1, RA 2.1.2 is validated with 3.3.0",
        ),
    ],
)
def test_a_role_alone_refuses_them_too(mixed, role, variables, words):
    mixed.host(**variables)
    book = [
        {
            "hosts": H01,
            "gather_facts": False,
            "roles": [{"role": f"spectrum_x.fabric.{role}"}],
        }
    ]
    (mixed.folder / "role.yml").write_text(yaml.safe_dump(book))
    rc, said = mixed.play(str(mixed.folder / "role.yml"), "--check")
    assert rc == 2, said
    assert words in said


@pytest.mark.large
def test_validate_compares_with_what_the_site_asks_for(mixed):
    """Check that faults which playbook dpus would correct fail all the same."""
    mixed.host(dpu_doca_version="3.4.0")
    given = {"spx_report": str(mixed.folder / "report"), "spx_checks": "host.versions"}
    limit = f"--limit=localhost,{H01}"
    mixed.play("spectrum_x.fabric.validate", limit, spx_allow_versions="true", **given)
    rows = json.loads((mixed.folder / f"report/results/{H01}.json").read_text())
    assert {row["sentence"].split()[1]: row["state"] for row in rows} == {
        "doca-all": "fail",
        "firmware": "waived",
        "dpu_doca_version": "waived",
        "libnccl2": "waived",
    }


SHORT = """
from ansible.plugins.callback import CallbackBase
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import deadline

deadline.WORK["look"] = ("a look at it", 15)

class CallbackModule(CallbackBase):
    CALLBACK_NAME = "short"
"""
"""A host is given seconds in place of minutes."""


@pytest.mark.large
def test_a_host_that_hangs_is_unreachable_and_the_others_are_judged(mixed):
    """The module of the first one sleeps; what was started for it is ended."""
    mixed.stand_in("hangs", "#!/bin/sh\nexec sleep 60\n")
    hosts = mixed.folder / "inventory" / "host_vars"
    mixed.host()
    shutil.copy(hosts / f"{H01}.yml", hosts / f"{H02}.yml")
    mixed.host(ansible_python_interpreter=str(mixed.folder / "bin" / "hangs"))
    (mixed.folder / "callbacks").mkdir()
    (mixed.folder / "callbacks" / "short.py").write_text(SHORT)
    short = {
        "ANSIBLE_CALLBACK_PLUGINS": str(mixed.folder / "callbacks"),
        "ANSIBLE_CALLBACKS_ENABLED": "short",
    }
    mixed.environment |= short
    begun = monotonic()
    rc, said = mixed.play(
        *("spectrum_x.fabric.validate", f"--limit=localhost,{H01},{H02}"),
        spx_report=str(mixed.folder / "report"),
        spx_checks="host.reachable",
    )
    assert rc == 4, said
    assert (
        f"{H01}: a look at it did not end within 15 s: look for a process or disk that hangs there"
        in said
    )
    assert monotonic() - begun < 55
    states = {}
    for host in (H01, H02):
        rows = json.loads((mixed.folder / f"report/results/{host}.json").read_text())
        states[host] = {row["state"] for row in rows if row["id"] == "host.reachable"}
    assert states == {H01: {"not_run"}, H02: {"pass"}}


GATE = """
- hosts: spx_node
  gather_facts: false
  connection: local
  vars_files: ["{root}/roles/dpu_congestion_control/defaults/main.yml"]
  tasks:
    - set_fact:
        dpu_state_look:
          nics:
            nics: [{{ports: [{{cc: {{state: "{{{{ runs | default('') }}}}"}}}}]}}]
            algorithm: "{{{{ kept | default(false) | bool }}}}"
            verdict: {{nvconfig: "{{{{ settings | default('current') }}}}"}}
          plan: {{waits_for: "{{{{ waits | default('') }}}}"}}
    - spectrum_x.fabric.host:
        do: gate
        hosts: "{{{{ dpu_congestion_control_hosts | default(omit) }}}}"
      register: __dpu_congestion_control_gate
    - debug:
        msg: >-
          {{{{ inventory_hostname }}}} algorithm={{{{ dpu_congestion_control_algorithm }}}}
          kept={{{{ __dpu_congestion_control_gate.keeps }}}}
          {{{{ __dpu_congestion_control_gate.sentence.partition(', as ')[2] }}}}
"""
H03 = "worker-su01-rack02-h03"
LEFT_OUT = (
    f"{H02} of its rack is left out of this run, so nobody knows whether it can: "
    f"run again over the whole rack, with --limit={H01},{H02}"
)


@pytest.fixture
def gate(site):
    site.describe("lab")
    (site.folder / "gate.yml").write_text(GATE.format(root=ROOT))

    def told(limit: str, *arguments: str) -> str:
        rc, said = site.play("gate.yml", f"--limit={limit}", *arguments)
        assert rc == 0, said
        return said

    told.site = site
    return told


@pytest.mark.parametrize(
    "limit, variables, expected",
    [
        (H01, {}, f"{H01} algorithm=False kept=False {LEFT_OUT}"),
        (H01, {"runs": "active"}, f"{H01} algorithm=True kept=False"),
        (H01, {"kept": "true"}, f"{H01} algorithm=True kept=False"),
        (H03, {}, f"{H03} algorithm=True kept=False"),
        (
            H03,
            {"waits": "the driver of DOCA-Host"},
            f"{H03} algorithm=False kept=False {H03} of its rack cannot run it yet",
        ),
        (H03, {"waits": "NIC mode", "runs": "active"}, f"{H03} algorithm=True kept=False"),
        (f"{H01},{H02}", {}, f"{H01} algorithm=True kept=False"),
        ("all", {}, f"{H02} algorithm=True kept=False"),
        (
            f"{H01},{H02}",
            {"settings": "staged", "runs": "active"},
            f"{H01} algorithm=False kept=True {H01}, {H02} of its rack cannot run it yet",
        ),
        (H01, {"dpu_congestion_control_hosts": []}, f"{H01} algorithm=True kept=False"),
    ],
)
def test_a_rack_runs_the_algorithm_as_a_whole(gate, limit, variables, expected):
    """Hosts that a limited run leaves out are not asked: they count as behind, unless it runs here."""
    assert expected in gate(limit, f"-e{json.dumps(variables)}")


def test_rented_hosts_and_those_out_of_service_never_count(gate):
    gate.site.tenants({"id": 23, "slug": "initech", "nodes": [H02]})
    assert f"{H01} algorithm=True" in gate(H01)
    assert f"{H01} algorithm=True" in gate(f"{H01},{H02}")
    resting = [{"device": H02, "since": "2026-01-01", "until": "2099-01-01", "reason": "spare"}]
    gate.site.describe("lab", out_of_service=resting)
    gate.site.tenants()
    assert f"{H01} algorithm=True" in gate(H01)


@pytest.mark.large
@pytest.mark.parametrize(
    "role", ["dpu_congestion_control", "dpu_agent", "dpu_reset", "dpu_firmware"]
)
def test_a_role_alone_reads_the_host_itself(site, role):
    site.describe("lab", nics={**BLUEFIELDS, "mode": "nic"})
    site.host(dpu_firmware_allow_other=True)
    site.start("bf3-nic-2rail")
    play = [{"hosts": H01, "gather_facts": False, "roles": [f"spectrum_x.fabric.{role}"]}]
    (site.folder / "alone.yml").write_text(yaml.safe_dump(play))
    rc, said = site.play("alone.yml", "--check")
    assert rc == 0, said


def test_roce_is_not_left_out_unsaid(site):
    """Nobody sets the NV settings that it needs."""
    site.describe("lab", manage=["dpu_congestion_control"], nics={**BLUEFIELDS, "mode": "nic"})
    site.host()
    site.start("bf3-nic-2rail")
    roles = ["spectrum_x.fabric.dpu_congestion_control"]
    play = [{"hosts": H01, "gather_facts": False, "roles": roles}]
    (site.folder / "alone.yml").write_text(yaml.safe_dump(play))
    rc, said = site.play("alone.yml", "--check")
    assert rc == 0, said
    assert f"{H01}: RoCE and congestion control are left out, as settings of the NICs are" in said
    assert "0000:18:00.0: ROCE_ADAPTIVE_ROUTING_EN is 0, expected 1." in said


@pytest.mark.large
def test_a_host_keeps_what_is_wanted_before_it_is_set(site):
    """Its watchdog, and a run that ends early, would take back what the host does not keep yet.

    What is done to which hosts is said before anything is."""
    site.describe("lab", manage=["dpu_qos"], nics={**BLUEFIELDS, "mode": "nic"})
    site.tenants()
    site.host(dpu_interfaces_backend="networkd")
    site.start("bf3-nic-2rail")
    rc, said = site.dpus("--check")
    assert rc == 0, said
    planned = said.index("1 host set while in service: dpu_agent, ")
    kept = said.index("Keep the tool, the desired state and the units on the host")
    assert planned < kept < said.index("Set the runtime QoS")
