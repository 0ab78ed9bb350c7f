# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The callback `summary` through ansible-playbook, over the lab's inventory; no device is dialled."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from playing import BINARY, run

from ansible_collections.spectrum_x.fabric.plugins.callback import summary as plugin
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs import summary as sentences

INVENTORY = Path(__file__).parents[4] / "inventories" / "lab" / "hosts.fabric.yml"

# Everything but `Reach` runs on the controller; that one asks a closed port of the loopback.
PLAYS: list[dict[str, Any]] = [
    {
        "name": "Switches",
        "hosts": "spx_leaf:spx_spine",
        "gather_facts": False,
        "serial": 4,
        "tasks": [
            {
                "name": "Work",
                "ansible.builtin.assert": {"that": [True], "quiet": True},
                "changed_when": "'-r1' in inventory_hostname",
            },
            {
                "name": "Compare",
                "ansible.builtin.fail": {"msg": "{{ inventory_hostname }} is not as planned: mend it."},
                "when": "inventory_hostname == 'spine-p1-s02'",
            },
            {
                "name": "Try",
                "ansible.builtin.fail": {"msg": "never mind"},
                "ignore_errors": True,
                "when": "inventory_hostname == 'leaf-p1-su001-r2'",
            },
            {
                "name": "Hide",
                "ansible.builtin.fail": {"msg": "secret"},
                "no_log": True,
                "when": "hide is defined and inventory_hostname == 'leaf-p1-su001-r2'",
            },
            {"name": "Say", "ansible.builtin.debug": {"msg": ["first", "second"]}, "run_once": True},
        ],
    },
    {
        "name": "Hosts",
        "hosts": "spx_node",
        "gather_facts": False,
        "tasks": [
            {
                "name": "Reach",
                "ansible.builtin.raw": "true",
                "vars": {"ansible_host": "127.0.0.1", "ansible_port": 1},
                "when": "unreachable is defined and inventory_hostname.endswith('h02')",
            }
        ],
    },
]  # fmt: skip


ACTION = """
from ansible.plugins.action import ActionBase
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import outcome

outcome.OWN.update({"returns", "ansible.legacy.returns"})  # as if it were one of the collection

class ActionModule(ActionBase):
    _requires_connection = False
    _supports_check_mode = True

    def run(self, tmp=None, task_vars=None):
        return {**super().run(tmp, task_vars), **self._task.args}
"""
"""Returns what it is given, as an action of the collection would."""


def returning(*tasks: tuple[str, dict[str, Any]], hosts: str = "spx_leaf") -> list[dict[str, Any]]:
    """A play of tasks (for which device, what the task returns)."""
    rows = [
        {"name": f"Task {n}", "returns": result, "when": f"inventory_hostname == '{name}'"}
        for n, (name, result) in enumerate(tasks)
    ]
    return [{"name": "Work", "hosts": hosts, "gather_facts": False, "tasks": rows}]


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {
        **os.environ,
        "HOME": str(folder.parent),
        "ANSIBLE_CONFIG": "",
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_STDOUT_CALLBACK": "spectrum_x.fabric.summary",
        "ANSIBLE_DEVEL_WARNING": "0",
        "SPX_SUMMARY_INTERVAL": "0",
        **more,
    }


def play(
    folder: Path, *arguments: str, plays: list[dict[str, Any]] | None = None, **more: str
) -> tuple[int, list[str]]:
    """Run some plays, `PLAYS` by default; returns the exit code and the lines of the output."""
    (folder / "play.yml").write_text(yaml.safe_dump(plays or PLAYS))
    (folder / "action_plugins").mkdir(exist_ok=True)
    (folder / "action_plugins" / "returns.py").write_text(ACTION)
    done = run(
        *(folder, "ansible-playbook", "-i", INVENTORY, "play.yml", *arguments),
        environment=environment(folder, **more),
    )
    assert all(line.isprintable() for line in done.stdout.split("\n"))
    return done.returncode, done.stdout.splitlines()


SUMMARY = [
    "devices changed unchanged failed unreachable",
    "plane 1, SU 1, leaves 2 1 1 - -",
    "plane 1, SU 2, leaves 2 1 1 - -",
    "plane 1, spines 2 - 1 1 -",
    "nodes, SU 1 3 - 3 - -",
    "nodes, SU 2 3 - 3 - -",
]


def summary(lines: list[str]) -> list[str]:
    """The lines after the headline, with single blanks."""
    at = next(n for n, line in enumerate(lines) if line.startswith("SUMMARY"))
    return [" ".join(line.split()) for line in lines[at + 1 :]]


def test_summary_of_a_run(tmp_path: Path) -> None:
    code, lines = play(tmp_path)
    assert code == 2
    sentence = "spine-p1-s02 (plane 1, pod 1): spine-p1-s02 is not as planned: mend it."
    assert f"FAILED {sentence}" in lines
    assert [line for line in lines if line.startswith("FAILED")] == [f"FAILED {sentence}"]
    headline = next(line for line in lines if line.startswith("SUMMARY"))
    assert re.fullmatch(
        r"SUMMARY lab: 12 devices in \d+ s: 2 changed, 9 unchanged, 1 failed", headline
    )
    assert summary(lines) == [
        *SUMMARY,
        f"{sentence} [task: Compare]",
        "ends with 2: a task failed, or a check found a breach, changed=2",
    ]


def test_progress_in_a_log(tmp_path: Path) -> None:
    """Lines of their own, with the batch, the rate and the time left; messages are shown."""
    _code, lines = play(tmp_path)
    assert [line for line in lines if line.startswith("PLAY")] == [
        "PLAY Switches: 4 of 6 hosts",
        "PLAY Switches: 2 of 6 hosts",
        "PLAY Hosts: 6 hosts",
    ]
    told = [line for line in lines if line.startswith("+")]
    assert any(
        re.fullmatch(
            r"\+\d+ s  Switches: task 2 of about 5 \(Compare\), 6 of 6 devices, "
            r"[\d.]+ results a second, about \d+ s left",
            line,
        )
        for line in told
    )
    assert lines.count("  first") == lines.count("  second") == 2
    quiet = play(tmp_path, SPX_SUMMARY_INTERVAL="1000")[1]
    assert [line for line in quiet if line.startswith("+")] == []


class Named:
    """A host or a task, as far as the callback asks."""

    def __init__(self, name: str) -> None:
        self.get_name = lambda: name


def test_a_device_that_is_waited_for_is_named_while_nothing_happens(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A switch that hangs after the change is applied: nothing but the time goes on."""
    monkeypatch.setattr(plugin, "_SHORTEST", 0.01)
    monkeypatch.setattr(sentences, "SLOW", 0.02)
    callback = plugin.CallbackModule()
    callback._interval = 0.01
    callback.v2_playbook_on_task_start(Named("Apply"), False)
    callback.v2_runner_on_start(Named("leaf-01"), Named("Apply"))
    callback._watch()
    told, until = "", time.monotonic() + 5
    while "waits for" not in told and time.monotonic() < until:
        time.sleep(0.01)
        told += capsys.readouterr().out
    assert callback._ticker is not None
    callback._ticker.stop()
    assert "(Apply), 0 of 0 devices, waits for leaf-01 (0 s)" in told


def test_a_log_has_few_lines_of_a_long_wait(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = 0.0
    monkeypatch.setattr(plugin.time, "monotonic", lambda: now)
    callback = plugin.CallbackModule()
    for _second in range(120):
        now += 1
        callback._tick()
    assert capsys.readouterr().out.count("\n") == 4


def test_only_the_first_line_of_what_is_said_begins_at_the_left(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A module of a host, or a hook, may say several lines, none of which looks like one of the run's."""
    forged = "no\r\nSUMMARY lab: all is well\nok: [leaf-01]\u2028x"
    said = sentences.reason({"msg": forged, "rc": 1, "module_stderr": f"{forged}\nends with 0"})
    plugin.CallbackModule()._say(f"FAILED leaf-01: {said}")
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == "FAILED leaf-01: no"
    assert rest == ["    SUMMARY lab: all is well", r"    ok: [leaf-01]\u2028x: ends with 0"]


def test_check_mode_and_folded_rows(tmp_path: Path) -> None:
    _code, lines = play(tmp_path, "--check", SPX_SUMMARY_ROWS="2")
    assert any("2 would change, 9 unchanged, 1 failed" in line for line in lines)
    assert summary(lines)[1:4] == [
        "plane 1, SU 1, leaves 2 1 1 - -",
        "plane 1, spines 2 - 1 1 -",
        "3 other groups 8 1 7 - -",
    ]


@pytest.mark.parametrize(
    "callbacks, code, words",
    [
        ({}, 4, "ends with 2 or 4: "),
        ({"ANSIBLE_CALLBACKS_ENABLED": "spectrum_x.fabric.exit_code"}, 6, "ends with 6: "),
    ],
)
def test_unreachable(tmp_path: Path, callbacks: dict[str, str], code: int, words: str) -> None:
    found, lines = play(tmp_path, "-e", "unreachable=1", **callbacks)
    assert found == code
    names = ["worker-su01-rack01-h02", "worker-su02-rack01-h02"]
    (said,) = [line for line in lines if line.startswith("UNREACHABLE")]
    assert said.split()[1] in names
    assert any(all(name in line for name in names) for line in summary(lines))
    assert "nodes, SU 1 3 - 2 - 1" in summary(lines)
    assert lines[-1].startswith(words)


def test_verbose_and_hidden(tmp_path: Path) -> None:
    _code, lines = play(tmp_path, "-v", "-e", "hide=1")
    assert "  changed: leaf-p1-su001-r1: Work" in lines
    assert any("The result is hidden (no_log)." in line for line in lines)
    assert not any("secret" in line for line in lines)


ONCE = {"run_once": True, "delegate_to": "localhost"}


def test_a_run_that_meets_no_device_says_so(tmp_path: Path) -> None:
    """Each playbook of a site begins with a check on the controller, which runs on whom the limit names."""
    check = {"name": "Check", "ansible.builtin.assert": {"that": [True], "quiet": True}, **ONCE}
    begin, work = (
        {"name": name, "hosts": hosts, "gather_facts": False, "tasks": [check]}
        for name, hosts in (("Begin", "localhost:all"), ("Work", "spx_leaf"))
    )
    limit = ("--limit", "worker-su01-rack01-h01")
    for plays in ([begin, work], [begin, work, begin, work]):
        code, lines = play(tmp_path, *limit, plays=plays)
        assert code == 0
        assert any(line.startswith("SUMMARY: ran on the controller alone") for line in lines), lines
        assert lines[-1].startswith("ends with 0, but there are open points: no host matched: ")
    touched = {**check, "run_once": False, "delegate_to": None}
    _code, lines = play(tmp_path, *limit, plays=[begin, {**begin, "tasks": [touched]}, work])
    assert lines[-1] == "ends with 0: everything requested is done, changed=0"


def test_what_is_done_once_for_all_is_no_hosts_failure(tmp_path: Path) -> None:
    """As when `validate` sums up: the sound host whose turn it was is not counted."""
    look = {"name": "Look", "ansible.builtin.assert": {"that": [True], "quiet": True}}
    task = {"name": "Sum up", "ansible.builtin.fail": {"msg": "16 checks failed."}, **ONCE}
    sums = {"name": "Sum", "hosts": "spx_leaf", "gather_facts": False, "tasks": [look, task]}
    code, lines = play(tmp_path, plays=[sums])
    assert code == 2
    assert "FAILED localhost: 16 checks failed." in lines
    rows = [line for line in summary(lines) if line.startswith("plane 1, SU 1, leaves")]
    assert rows == ["plane 1, SU 1, leaves 2 - 2 - -"]


def test_controller_alone(tmp_path: Path) -> None:
    """A description that does not load: the sentence, no table, and what the code means."""
    done = run(
        *(tmp_path, "ansible-playbook", "spectrum_x.fabric.plan"),
        environment=environment(tmp_path, SPX_PROJECT=str(tmp_path)),
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 2
    assert any(line.startswith("FAILED localhost: ") and "does not exist" in line for line in lines)
    assert "PLAY Plan the fabric: 1 host" in lines
    assert any(line.startswith("SUMMARY: ran on the controller alone") for line in lines)
    assert lines[-1] == "ends with 2: a task failed, or a check found a breach, changed=0"


def test_what_the_controller_changed_counts_too(tmp_path: Path) -> None:
    """The last line alone tells a run that wrote files from one that found them as they should be."""
    endings = []
    for _run in range(2):
        written = ("-e", f"spx_dest={tmp_path}/plan")
        done = run(
            *(tmp_path, "ansible-playbook", "-i", INVENTORY, "spectrum_x.fabric.plan", *written),
            environment=environment(tmp_path, SPX_PROJECT=str(INVENTORY.parent)),
        )
        assert "SUMMARY: ran on the controller alone" in done.stdout
        endings.append(done.stdout.splitlines()[-1])
    words = "ends with 0: everything requested is done"
    assert endings == [f"{words}, changed=1", f"{words}, changed=0"]


L1, L2, L3 = "leaf-p1-su001-r1", "leaf-p1-su001-r2", "leaf-p1-su002-r1"
EXACT = {"ANSIBLE_CALLBACKS_ENABLED": "spectrum_x.fabric.exit_code"}
HINT = "(2 with the callback spectrum_x.fabric.exit_code)"
ALLOW = "allow_disruptive must name switchd_reload."


def refused(name: str) -> tuple[str, dict[str, Any]]:
    sentence = f"{name}: {ALLOW}"
    announced = ["Disruptive: every port.", f"Would be refused: {sentence}"]
    return name, {"changed": True, "would_refuse": [sentence], "warnings": announced}


@pytest.mark.parametrize("callbacks, code", [({}, 0), (EXACT, 2)])
def test_a_refusal_to_come_is_shown_and_decides(
    tmp_path: Path, callbacks: dict[str, str], code: int
) -> None:
    """Also in a playbook that only announces it: there the callback exit_code ends the run with 2."""
    plays = returning(refused(L1), refused(L3), (L2, {"changed": True}))
    found, lines = play(tmp_path, "--check", plays=plays, **callbacks)
    assert found == code
    headline = next(line for line in lines if line.startswith("SUMMARY"))
    assert headline.endswith(
        "1 would change, 1 unchanged, 2 would be refused; 2 refusals to come, 2 warnings"
    )
    where = "(plane 1, pod 1, SU 1)", "(plane 1, pod 1, SU 2)"
    assert summary(lines) == [
        "devices changed unchanged refused failed unreachable",
        "plane 1, SU 1, leaves 2 1 - 1 - -",
        "plane 1, SU 2, leaves 2 - 1 1 - -",
        "would be refused:",
        f"{L1} {where[0]}: {ALLOW} [task: Task 0]",
        f"{L3} {where[1]}: {ALLOW} [task: Task 1]",
        "warnings:",
        f"{L1} {where[0]}: Disruptive: every port. [task: Task 0]",
        f"{L3} {where[1]}: Disruptive: every port. [task: Task 1]",
        f"ends with {code}: a run that writes would be refused{'' if code else ' ' + HINT}, changed=3",
    ]


def test_failed_checks_are_failed_devices(tmp_path: Path) -> None:
    """`validate` writes results, and fails once at its end, on the controller."""
    checks = {"changed": False, "failed_checks": {L1: 8, L3: 1}}
    ending = {"failed": True, "msg": "3 passed, 9 failed"}
    plays = returning((L1, checks), (L2, {"failed_checks": {}}))
    last = {"name": "End", "returns": ending, "run_once": True, "delegate_to": "localhost"}
    code, lines = play(tmp_path, plays=[*plays, {**plays[0], "name": "Sum", "tasks": [last]}])
    assert code == 2
    headline = next(line for line in lines if line.startswith("SUMMARY"))
    assert headline.endswith("2 unchanged, 2 failed; 9 checks failed")
    assert summary(lines)[1:3] == [
        "plane 1, SU 1, leaves 2 - 1 1 -",
        "plane 1, SU 2, leaves 2 - 1 1 -",
    ]
    code, lines = play(tmp_path, plays=plays)
    assert (code, lines[-1]) == (
        0,
        "ends with 0, but there are open points: 9 checks failed, changed=0",
    )


UNTRUSTED = {"failed": True, "untrusted": True, "msg": "the certificate was not trusted."}
SILENT = {"unreachable": True, "msg": "no connection."}
FAILED = {"failed": True, "msg": "refused."}


@pytest.mark.parametrize(
    "results, code",
    [
        ([(L1, UNTRUSTED)], 8),
        ([(L1, UNTRUSTED), (L2, FAILED)], 10),
        ([(L1, UNTRUSTED), (L2, SILENT)], 12),
        ([(L1, UNTRUSTED), (L2, FAILED), (L3, SILENT)], 14),
        ([(L2, FAILED), (L3, SILENT)], 6),
    ],
)
def test_an_untrusted_certificate_has_a_code_of_its_own(
    tmp_path: Path, results: list[tuple[str, dict[str, Any]]], code: int
) -> None:
    found, lines = play(tmp_path, plays=returning(*results), **EXACT)
    assert found == code
    assert lines[-1].startswith(f"ends with {code}: ")
    assert ("certificates were not trusted" in lines[-1]) == bool(code & 8)
    assert any(", 1 untrusted" in line for line in lines) == bool(code & 8)
    # The callback that decides the code does not need the one that explains it.
    plain = play(tmp_path, plays=returning(*results), ANSIBLE_STDOUT_CALLBACK="default", **EXACT)
    assert plain[0] == code


def test_what_is_ignored_is_not_done(tmp_path: Path) -> None:
    plays = returning((L1, FAILED))
    plays[0]["tasks"][0]["ignore_errors"] = True
    code, lines = play(tmp_path, plays=plays, **EXACT)
    assert code == 0
    assert lines[-1].startswith(
        "ends with 0, but there are open points: 1 failure ignored or rescued"
    )


def test_hostile_text_is_shown_as_escapes(tmp_path: Path) -> None:
    """`play` itself refuses any line that is not printed as it is."""
    text = "LLDP says \x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp\u2028end\x7f"
    shown = r"LLDP says \x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp\u2028end\x7f"
    diff = {"before": "", "after": f"{text}\n"}
    tasks = [
        (L1, {"failed": True, "msg": text}),
        (L2, {"warnings": [f"{text}!"], "would_refuse": [text], "changed": True, "diff": diff}),
    ]
    plays = returning(*tasks)
    plays[0]["tasks"].append({"name": "Say", "ansible.builtin.debug": {"msg": [text]}})
    _code, lines = play(tmp_path, "--diff", plays=plays)
    # At once and at the end; the diff; what is to come; the warning; three messages.
    assert sum(shown in line for line in lines) == 8, lines


def test_a_run_without_trouble_fits_on_a_screen(tmp_path: Path) -> None:
    plays = returning((L1, {"changed": True}), hosts="spx_leaf:spx_spine:spx_node")
    code, lines = play(tmp_path, plays=plays, SPX_SUMMARY_INTERVAL="1000")
    assert code == 0
    assert len(lines) <= 12
    assert lines[-1] == "ends with 0: everything requested is done, changed=1"


def test_terminal(tmp_path: Path) -> None:
    """On a terminal the progress is rewritten in place, and gone before anything else is said."""
    (tmp_path / "play.yml").write_text(yaml.safe_dump(PLAYS))
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [BINARY, "-i", INVENTORY, "play.yml"],
        cwd=tmp_path,
        env=environment(tmp_path, TERM="xterm"),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    heard = b""
    try:
        while chunk := os.read(ours, 1 << 16):
            heard += chunk
    except OSError:  # the terminal's other side is closed
        pass
    assert process.wait(60) == 2
    os.close(ours)
    text = heard.decode()
    assert re.search(r"\r\x1b\[K\+\d+ s  Switches: task", text)
    assert "\r\x1b[KFAILED spine-p1-s02" in text or "\nFAILED spine-p1-s02" in text
    assert not re.search(r"\n\+\d+ s", text)
