# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The stage runner: what it counts, what it calls red, and that it lets nothing hang."""

from __future__ import annotations

import dataclasses
import importlib.util
import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """The runner as a module, with its logs elsewhere and no CI around."""
    spec = importlib.util.spec_from_file_location("stages", ROOT / "tests" / "stages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "stages", module)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(sys, "argv", ["stages.py"])
    monkeypatch.delenv("CI", raising=False)
    return module


def sudo(monkeypatch: pytest.MonkeyPatch, folder: Path, *, silent: bool) -> None:
    """Be nobody, with a sudo that asks for a password unless `silent`, and notes what it is told."""
    stub = folder / "sudo"
    stub.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >>{folder}/told\nexit {int(not silent)}\n')
    stub.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)


def table(stages: ModuleType, monkeypatch: pytest.MonkeyPatch, **scripts: str) -> None:
    """Make a stage of every script."""
    rows = []
    for name, text in scripts.items():
        (stages.ROOT / name).write_text(text, encoding="utf-8")
        rows.append(stages.Stage(name, f"sh {name}", 10, name, optional=name == "optional"))
    monkeypatch.setattr(stages, "STAGES", tuple(rows))


@pytest.mark.parametrize(
    "line, skips",
    [
        ("======= 3 passed, 2 skipped in 0.10s =======", 2),
        ("1 skipped in 0.01s", 1),
        ("2 failed, 3 passed, 12 skipped in 61.20s (0:01:01)", 12),
        ("======= 3 passed in 0.10s =======", 0),
        ("SKIP: no podman on this machine", 1),
        ('WARNING: Required program "shellcheck" not found.', 1),
        ("PLAY RECAP: ok=3 changed=0 skipped=4", 0),
        ("SKIPPED [1] tests/unit/test_x.py:3: reason", 0),
    ],
)
def test_skips_are_counted_once(stages: ModuleType, line: str, skips: int) -> None:
    assert stages.count_skips(["before", line, "after"]) == skips


@pytest.mark.parametrize(
    "name, script, on_ci, code, said",
    [
        ("good", "true", False, 0, "good: ok"),
        ("bad", "exit 3", False, 1, "FAILED: bad"),
        ("optional", "exit 77", True, 0, "optional: not available"),
        ("required", "exit 77", False, 1, "FAILED: required"),
        ("skips", "echo SKIP: no engine", False, 0, "SKIPPED tests in: skips"),
        ("skips", "echo SKIP: no engine", True, 1, "on CI nothing may be skipped"),
        ("asks", "read answer && exit 0; exit 0", False, 0, "asks: ok"),
    ],
)
def test_verdicts(
    stages: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    script: str,
    on_ci: bool,
    code: int,
    said: str,
) -> None:
    if on_ci:
        monkeypatch.setenv("CI", "true")
    table(stages, monkeypatch, **{name: script})
    assert stages.main() == code
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    "lines, reasons",
    [
        (
            ["E   assert 1", "FAILED tests/unit/test_x.py::test_y - assert 1", "1 failed in 3.02s"],
            ["FAILED tests/unit/test_x.py::test_y - assert 1"],
        ),
        (
            [
                "fatal: [h]: FAILED! =>",
                "    [ERROR]: Task failed: no route",
                "[ERROR]: Task failed: rc",
            ],
            ["[ERROR]: Task failed: no route", "[ERROR]: Task failed: rc"],
        ),
        (["[ERROR]: twice", "between", "[ERROR]: twice"], ["[ERROR]: twice"]),
        (
            ["a.py:3: error: no such name", "Found 1 error in 1 file"],
            ["a.py:3: error: no such name"],
        ),
        ([f"[ERROR]: {number}" for number in range(9)], [f"[ERROR]: {n}" for n in range(3, 9)]),
        (["a", "b", "", "c", "d", ""], ["b", "c", "d"]),
        (["[ERROR]: " + 400 * "x"], ["[ERROR]: " + 291 * "x"]),
        ([], []),
    ],
)
def test_what_a_stage_said_of_its_failure_is_found(
    stages: ModuleType, lines: list[str], reasons: list[str]
) -> None:
    assert [*stages.reasons(lines)] == reasons


def test_the_end_of_the_output_says_why(
    stages: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table(stages, monkeypatch, good="echo '[ERROR]: as foreseen'", bad="echo a reason; false")
    assert stages.main() == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "bad: a reason",
        "FAILED: bad (output in logs/)",
    ]


@pytest.mark.parametrize("option, ran", [([], False), (["--keep-going"], True)])
def test_a_failure_ends_the_run_unless_asked(
    stages: ModuleType, monkeypatch: pytest.MonkeyPatch, option: list[str], ran: bool
) -> None:
    table(stages, monkeypatch, first="false", second="touch ran")
    monkeypatch.setattr(sys, "argv", ["stages.py", *option])
    assert stages.main() == 1
    assert (stages.ROOT / "ran").exists() is ran


def side_by_side(stages: ModuleType, monkeypatch: pytest.MonkeyPatch, **scripts: str) -> None:
    """Make a narrow stage of every script."""
    table(stages, monkeypatch, **scripts)
    rows = (dataclasses.replace(stage, narrow=True) for stage in stages.STAGES)
    monkeypatch.setattr(stages, "STAGES", tuple(rows))


def test_narrow_stages_run_two_at_a_time_and_are_shown_one_by_one(
    stages: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    meet = (
        "echo {0} begins; touch {0}.here; until [ -e {1}.here ]; do sleep 0.1; done; echo {0} ends"
    )
    side_by_side(stages, monkeypatch, a=meet.format("a", "b"), b=meet.format("b", "a"))
    assert stages.main() == 0
    said = capsys.readouterr().out
    assert "==> [1/2] a: sh a (its output is shown when it has ended)" in said
    assert "a begins\na ends\n<== a: ok" in said
    assert "b begins\nb ends\n<== b: ok" in said


def test_a_failure_ends_the_stage_beside_it(
    stages: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = time.monotonic()
    side_by_side(stages, monkeypatch, bad="exit 1", long="sleep 8; touch late", third="touch ran")
    assert stages.main() == 1
    assert time.monotonic() - begun < 6
    assert "not run" in capsys.readouterr().out
    assert not (stages.ROOT / "late").exists()


def test_a_stage_that_hangs_is_ended_with_its_children(
    stages: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(stages.Stage, "timeout", 1)
    table(stages, monkeypatch, hangs="(sleep 3; touch late) & wait")
    assert stages.main() == 1
    assert "hangs: timed out" in capsys.readouterr().out
    time.sleep(3)
    assert not (stages.ROOT / "late").exists()


def test_content_that_is_missing_is_red_unless_it_is_still_to_come(
    stages: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stages, "STAGES", (stages.Stage("x", "true", 10, "nowhere"),))
    assert stages.main() == 1
    monkeypatch.setattr(stages, "PENDING", frozenset({"x"}))
    assert stages.main() == 0


@pytest.mark.parametrize("silent", [True, False])
def test_a_password_is_asked_for_at_the_start_or_never(
    stages: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, silent: bool
) -> None:
    table(stages, monkeypatch, first="touch ran", lab="true")
    first, lab = stages.STAGES
    monkeypatch.setattr(stages, "STAGES", (first, dataclasses.replace(lab, root=True)))
    sudo(monkeypatch, tmp_path, silent=silent)
    if silent:
        assert stages.main() == 0
        return
    with pytest.raises(SystemExit, match=r"need root: lab; .* would ask .*: python .* first$"):
        stages.main()
    assert not (tmp_path / "ran").exists()
    monkeypatch.setattr(sys, "argv", ["stages.py", "first"])
    assert stages.main() == 0


def test_what_sudo_has_started_is_ended_by_sudo(
    stages: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(_group: int, _signum: int) -> None:
        raise PermissionError

    sudo(monkeypatch, tmp_path, silent=True)
    monkeypatch.setattr(os, "killpg", refuse)
    stages.signal_group(4711, signal.SIGTERM)
    assert (tmp_path / "told").read_text() == "-n kill -15 -- -4711\n"


@pytest.mark.parametrize("name", ["stages", "links"])
def test_folders_that_root_has_made_are_named_at_the_start(
    stages: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.setattr(stages, "LOGS", tmp_path / "build" / "stages")
    (tmp_path / "build" / name).mkdir(parents=True)
    monkeypatch.setattr(os, "access", lambda path, _mode: Path(path).name != name)
    table(stages, monkeypatch, first="touch ran")
    with pytest.raises(
        SystemExit, match=rf"build/{name} cannot be written, as it belongs to \w+: run"
    ):
        stages.main()
    assert not (tmp_path / "ran").exists()


def test_a_folder_in_which_nothing_can_be_made_is_named(
    stages: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(path: Path, **_how: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    assert f"{tmp_path}/logs cannot be written" in stages.unwritable()


def test_a_run_beyond_the_budget_is_said_and_green(
    stages: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", "true")
    assert stages.verdict([], stages.BUDGET_TOTAL) == 0
    assert "OVER BUDGET" not in capsys.readouterr().out
    assert stages.verdict([], 1912.4) == 0
    said = capsys.readouterr().out.splitlines()
    assert "the whole run took 1,912 s, which shall be at most 1,000 s" in said[0]
    assert said[-1] == "All stages are green."


@pytest.mark.parametrize(
    "release, browser, available",
    [
        ("NAME=Ubuntu\nID=ubuntu\n", False, False),
        ("NAME=Ubuntu\nID=ubuntu\n", True, True),
        ("ID=debian\n", False, True),
        ("ID=mine\nID_LIKE=ubuntu\n", False, True),
        (None, False, True),
    ],
)
def test_only_where_no_browser_is_to_be_had_the_page_is_not_looked_at(
    stages: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    release: str | None,
    browser: bool,
    available: bool,
) -> None:
    monkeypatch.setattr(stages, "OS_RELEASE", tmp_path / "os-release")
    if release is not None:
        (tmp_path / "os-release").write_text(release)
    if browser:
        (tmp_path / "google-chrome").write_text("#!/bin/sh\n")
        (tmp_path / "google-chrome").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (stages.no_browser() == "") is available


def test_a_stage_that_a_machine_cannot_have_is_no_failure(
    stages: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CI", "true")
    table(stages, monkeypatch, optional="touch ran")
    row = dataclasses.replace(stages.STAGES[0], lacks=lambda: "No browser.")
    monkeypatch.setattr(stages, "STAGES", (row,))
    assert stages.main() == 0
    assert "not available: No browser." in capsys.readouterr().out
    assert not (stages.ROOT / "ran").exists()


def test_an_unknown_stage_is_named(stages: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["stages.py", "lnit"])
    with pytest.raises(SystemExit, match="There is no stage 'lnit'"):
        stages.main()


def test_stages_keep_what_python_compiles(
    stages: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("SPX_KEEP", "1")
    given = stages.environment()
    assert "PYTHONDONTWRITEBYTECODE" not in given
    assert given["SPX_KEEP"] == "1"


def test_of_those_that_run_side_by_side_the_longest_comes_first(stages: ModuleType) -> None:
    """But for the shortest of all: what fails in it fails in others, too."""
    groups = itertools.groupby(stages.STAGES, key=lambda stage: stage.narrow)
    early, late = ([stage.budget for stage in rows] for narrow, rows in groups if narrow)
    assert early[0] == min(early)
    assert early[1] == max(early)
    assert late[0] == max(late)


def test_the_browsers_are_those_of_the_atlas(stages: ModuleType) -> None:
    text = (ROOT / "tests" / "atlas" / "browser.py").read_text(encoding="utf-8")
    assert f"NAMES = {stages.BROWSERS}".replace("'", '"') in text


def test_the_real_table_keeps_the_budget_and_is_known_to_make(stages: ModuleType) -> None:
    assert stages.together(stages.STAGES) <= stages.BUDGET_TOTAL
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for stage in (*stages.STAGES, *stages.LARGE):
        target = "check-format" if stage.name == "format" else stage.name
        assert f"\n{target}: env ##" in makefile


def test_the_drills_keep_a_budget_of_their_own() -> None:
    """Without it they end at once: the runner refuses a table that is over its budget."""
    made = subprocess.run(
        [sys.executable, "-m", "drills", "--list"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "tests")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    assert "failover" in made.stdout


def test_every_scenario_is_run_and_the_drill_of_hosts_has_those_that_take_long() -> None:
    script = (ROOT / "tests" / "molecule.sh").read_text(encoding="utf-8")
    every = script.partition("every=(")[2].partition(")")[0].split()
    folders = {path.parent.name for path in ROOT.glob("extensions/molecule/*/molecule.yml")}
    assert sorted(every) == sorted(folders - {"default"})
    drills = (ROOT / "tests" / "drills" / "__main__.py").read_text(encoding="utf-8")
    assert '"tests/molecule.sh host_all host_validate host_tampered"' in drills
