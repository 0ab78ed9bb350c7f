# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Faults when an operator runs the switches' playbooks: one sentence, and nothing between.

One spine runs the plan and is in service; every test leaves it so. The faults of the API itself are
tested without Ansible, beside the client.
"""

from __future__ import annotations

import json
import shutil
import threading
from xml.etree import ElementTree

import pytest
import yaml

from .fleet import ROOT, SPINE, Lab, factory_lab

pytestmark = pytest.mark.slow

HASH, COMMUNITY = "$6$salt$canary-of-a-hash", "canary-of-a-community"


class Site:
    """The lab, its spine, and what a test may spoil and mend."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.spine = lab, lab.doubles[SPINE]
        self._path = lab.folder / "inventory" / "host_vars" / f"{SPINE}.yml"
        self._model = ROOT / "inventories" / "lab" / "model" / "fabric.yml"
        self.variables = yaml.safe_load(self._path.read_text())

    def reach(self, **changes) -> None:
        """Change the host variables of the spine; None removes one."""
        stated = {**self.variables, **changes}
        kept = {name: value for name, value in stated.items() if value is not None}
        self._path.write_text(yaml.safe_dump(kept))

    def mend(self) -> None:
        """As it was in the beginning."""
        self.reach()
        shutil.copy(self._model, self.lab.folder / "model" / "fabric.yml")
        self.spine.control.options(release=self.release, model="SN5600")
        self.spine.control.clear_faults()

    @property
    def release(self) -> str:
        return str(yaml.safe_load(self._model.read_text())["release"]["cumulus"])

    def run(self, *arguments: str, playbook: str = "switches", **variables) -> tuple[int, str]:
        return self.lab.run(playbook, "--limit", SPINE, *arguments, **variables)

    def settings(self):
        return self.spine.control.applied()


@pytest.fixture(scope="module")
def brought_up(tmp_path_factory):
    with factory_lab(tmp_path_factory.mktemp("site")) as lab:
        code, output = lab.run("switches", "--limit", SPINE, spx_factory="true")
        assert code == 0, output
        lab.come_up()
        yield Site(lab)


@pytest.fixture
def site(brought_up):
    """The site as it was in the beginning, and again at the end."""
    brought_up.mend()
    yield brought_up
    brought_up.mend()


def other_pools(site):
    site.lab.describe(qos={"lossless_percent": 80, "lossy_percent": 10})


def other_loopbacks(site):
    profile = {"profile": "nvidia-guide-v4-2tier", "pools": {"loopback": "10.200.0.0/13"}}
    site.lab.describe(addressing=profile)


def another_model(site):
    site.lab.describe(management={"ntp": ["192.0.2.66"]})
    site.spine.control.options(model="SN5400")


def approved_before_it_changed(site):
    site.lab.describe(management={"ntp": ["192.0.2.66"]})
    assert site.run("--check", spx_report="report")[0] == 0
    site.lab.describe(management={"ntp": ["192.0.2.77"]})
    return {"spx_approved": "report/changes.json"}


def approved_in_the_report(site):
    return {"spx_report": "report", **approved_before_it_changed(site)}


REFUSED = {
    "the wrong password": (
        lambda site: site.reach(spx_nvue_password="Wr0ng-word!"),
        (2, "the switch refused the user 'cumulus'; check the user and password, or the token."),
    ),
    "a certificate of nobody": (
        lambda site: site.reach(spx_nvue_ca=None),
        (2, "the certificate of the switch was not trusted"),
    ),
    "nobody there": (
        lambda site: site.reach(spx_nvue_port=1),
        (4, "127.0.0.1:1: no connection (Connection refused); check the management address, and"),
    ),
    "another release": (
        lambda site: site.spine.control.options(release="5.17.0"),
        (2, "the switch runs 5.17.0, expected 5.16.1; upgrade it, or accept its release"),
    ),
    "another model": (
        another_model,
        (2, "is a SN5400, expected SN5600: put the planned model there, or correct"),
    ),
    "a disturbance that nobody allowed": (
        other_pools,
        (2, "(playbooks take it as -e spx_allow_disruptive=switchd_reload)."),
    ),
    "other loopbacks": (
        other_loopbacks,
        (2, "(playbooks take it as -e spx_allow_disruptive=frr_restart,renumber)."),
    ),
    "a diff that nobody approved": (
        approved_before_it_changed,
        (2, "the diff is not the approved one; make a new report and have it approved."),
    ),
    "an approved diff in the way of the next": (
        approved_in_the_report,
        (2, "changes.json is in the folder of spx_report, which this run overwrites: give"),
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_it_ends_with_one_sentence_before_anything_is_written(site, what):
    spoil, (expected, sentence) = REFUSED[what]
    settings, writes = site.settings(), site.lab.writes()
    code, output = site.run(**(spoil(site) or {}))
    assert code == expected, output
    assert sentence in output
    assert "Traceback" not in output
    assert "Wr0ng-word!" not in output
    assert sum(line.startswith(("fatal:", "failed:")) for line in output.splitlines()) == 1
    assert site.lab.writes() == writes
    assert site.settings() == settings


@pytest.mark.parametrize(
    "changes, sentence",
    [
        ({"qos": {"lossless_percent": 95, "lossy_percent": 10}}, "make 105: use a sum of at most"),
        (
            {"switches": {"model": "SN2700", "host_speed": "400G", "fabric_speed": "400G"}},
            "'SN2700' is not in the catalog",
        ),
    ],
)
def test_a_description_that_cannot_be_is_no_success_whatever_the_limit(site, changes, sentence):
    site.lab.describe(**changes)
    for found, output in (site.run(), site.lab.run("switches")):
        assert found == 2, output
        assert sentence in output


def test_an_apply_that_fails_leaves_the_old_state_and_the_next_run_heals(site):
    site.lab.describe(management={"ntp": ["192.0.2.88"]})
    settings = site.settings()
    site.spine.control.fault("apply_fail", message="frr reload failed")
    code, output = site.run()
    assert code == 2, output
    assert (
        "ended as apply_fail: frr reload failed. The switch runs its old configuration." in output
    )
    assert site.settings() == settings
    code, output = site.run()
    assert code == 0, output
    assert "192.0.2.88" in site.settings()["system"]["ntp"]["server"]


SILENT = {
    "closes": (
        lambda fault: fault("answer", None, form="closed", path="/revision/[0-9]+", after=2),
        "did not end within 6 s",
    ),
    "never ends": (
        lambda fault: fault("apply_never_ends", at="reloading"),
        "did not end within 6 s; its last state was reloading (at work)",
    ),
}


@pytest.mark.large
@pytest.mark.parametrize("how", SILENT)
def test_a_switch_that_hangs_after_the_apply_began_is_named_and_given_up(site, monkeypatch, how):
    monkeypatch.setenv("ANSIBLE_STDOUT_CALLBACK", "spectrum_x.fabric.summary")
    monkeypatch.setenv("SPX_SUMMARY_INTERVAL", "1")
    spoil, sentence = SILENT[how]
    site.lab.describe(management={"ntp": ["192.0.2.44"]})
    spoil(site.spine.control.fault)
    code, output = site.run(switch_apply_timeout="6", switch_apply_confirm_timeout="8")
    assert code == 2, output
    waits = [line for line in output.splitlines() if f"waits for {SPINE} (" in line]
    assert len(waits) > 1, output
    assert sentence in output
    assert "Traceback" not in output


def test_two_controllers_at_once_end_well(site):
    """Each looks right before its apply for the other's; the API offers nothing to hold on to in between.

    So both may begin in the same moment, seldom: then each still ends with 0 or with a sentence.
    """
    site.lab.describe(management={"ntp": ["192.0.2.99"]})
    before, endings = site.spine.switch.revisions.current.id, []
    threads = [threading.Thread(target=lambda: endings.append(site.run())) for dummy in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert {code for code, _output in endings} <= {0, 2}, endings
    assert 0 in {code for code, _output in endings}, endings
    assert not any("Traceback" in output for _code, output in endings)
    assert all("second apply in parallel" in said for said in site.spine.violations)
    assert "192.0.2.99" in site.settings()["system"]["ntp"]["server"]
    assert site.spine.switch.revisions.current.id != before
    writes = len(site.spine.log.writes)
    code, output = site.run()
    assert code == 0, output
    assert len(site.spine.log.writes) == writes


@pytest.mark.parametrize("callback", ["ansible.builtin.default", "spectrum_x.fabric.summary"])
def test_a_check_ends_as_the_run_would(site, monkeypatch, callback):
    """The first switch would be refused: the others are looked at all the same, and the check ends with 2."""
    monkeypatch.setenv("ANSIBLE_STDOUT_CALLBACK", callback)
    other_pools(site)
    writes, others = site.lab.writes(), site.lab.doubles["spine-p1-s02"]
    before = len(others.log.requests)
    code, output = site.lab.run(
        "switches", "--check", "--limit", "spx_spine", spx_factory="true", spx_report="report"
    )
    assert code == 2, output
    assert site.lab.writes() == writes
    assert len(others.log.requests) > before
    [sentence] = changes(site)[SPINE]["would_refuse"]
    assert sentence.endswith("(playbooks take it as -e spx_allow_disruptive=switchd_reload).")
    assert sentence.removeprefix(f"{SPINE}: ") in output
    assert changes(site)["spine-p1-s02"]["would_refuse"] == []
    if callback.endswith("summary"):
        assert "1 would change, 1 would be refused; 1 refusal to come" in output
        assert "ends with 2: a run that writes would be refused, changed=" in output


def test_a_run_that_is_refused_says_so_once(site, monkeypatch):
    monkeypatch.setenv("ANSIBLE_STDOUT_CALLBACK", "spectrum_x.fabric.summary")
    other_pools(site)
    writes = site.lab.writes()
    code, output = site.lab.run("switches", "--limit", "spx_spine", spx_factory="true")
    assert (code, site.lab.writes()) == (2, writes), output
    assert "1 changed, 1 refused; 1 refusal" not in output
    assert "ends with 2: changes were refused, changed=" in output
    assert output.count("(playbooks take it as -e spx_allow_disruptive=switchd_reload)") == 1
    assert "would" not in output


@pytest.mark.parametrize("callback", ["ansible.builtin.default", "spectrum_x.fabric.summary"])
def test_a_hostile_neighbour_is_a_failed_check_and_nothing_else(site, monkeypatch, callback):
    """Its name would clear the screen, and break the XML; its device counts as failed in the table."""
    monkeypatch.setenv("ANSIBLE_STDOUT_CALLBACK", callback)
    site.lab.hear(SPINE, "swp1s0", "evil\x1b[2J\x00\u202e\u2028<name>", "swp\x9b1")
    code, output = site.run(playbook="validate", spx_checks="switch.lldp", spx_report="report")
    site.lab.come_up()
    assert code == 2, output
    assert r"evil\x1b[2J\x00\u202e\u2028<name>" in output
    assert all(line.isprintable() for line in output.split("\n"))
    tree = ElementTree.parse(site.lab.folder / "report" / "junit.xml")
    assert [case for case in tree.iter("failure") if r"\x1b[2J" in case.get("message")]
    if callback.endswith("summary"):
        [row] = [line.split() for line in output.splitlines() if "plane 1, spines" in line]
        assert row[3:] == ["1", "-", "-", "1", "-"]
        assert "1 device in" in output
        assert "1 failed; 1 check failed" in output


def changes(site) -> dict[str, dict]:
    """The rows of changes.json by device."""
    found = json.loads((site.lab.folder / "report" / "changes.json").read_text())
    return {row["device"]: row for row in found["devices"]}


def test_an_account_that_only_reads_checks_and_proves(site):
    site.spine.control.password("watcher", "Watch-1234!", "nvue-monitor")
    site.reach(spx_nvue_user="watcher", spx_nvue_password="Watch-1234!")
    site.lab.describe(management={"ntp": ["192.0.2.55"]})
    code, output = site.run("--check", "--diff")
    assert code == 0, output
    assert "192.0.2.55" in output
    code, output = site.run()
    assert code == 2, output
    assert "with others, run with --check" in output
    site.lab.describe(management={})
    code, output = site.run(playbook="validate", spx_checks="switch.release,switch.bgp")
    assert code == 0, output


def test_a_canary_of_each_kind_is_in_no_output(site):
    """At -vvvv, with differences and a report, of a change and of a proof."""
    users = {"ops": {"hashed_password": HASH, "role": "nvue-admin"}}
    site.reach(switch_base_users=users, switch_base_snmp={"community": COMMUNITY})
    code, output = site.run("--diff", "-vvvv", spx_report="report")
    assert code == 0, output
    user = site.settings()["system"]["aaa"]["user"]["ops"]
    assert user["hashed-password"] == HASH
    code, proof = site.run("-vvvv", playbook="validate", spx_report="report")
    assert code in (0, 2), proof
    written = [
        path.read_text()
        for path in site.lab.folder.rglob("*")
        if path.is_file() and "host_vars" not in path.parts
    ]
    assert len(written) > 3
    for canary in (HASH, COMMUNITY, site.spine.password):
        assert not any(canary in text for text in (output, proof, *written))
