# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""First steps on a newcomer's machine: the scripts that install, ask for root, tidy up and refuse."""

from __future__ import annotations

import os
import pty
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
TESTS = ROOT / "tests"
PLAIN = ("bash", "cat", "cp", "dirname", "env", "find", "grep", "id", "mktemp", "rm", "tail", "tee")
"""Programs of a bare machine that the scripts may use in these tests."""


@pytest.fixture(name="bare")
def _bare(tmp_path):
    """A folder to be the whole PATH: plain tools, and what `program` adds."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in PLAIN:
        (folder / name).symlink_to(shutil.which(name))
    return folder


def program(folder, name, text="exit 0"):
    path = folder / name
    path.unlink(missing_ok=True)
    path.write_text(f"#!{shutil.which('bash')}\n{text}\n")
    path.chmod(0o755)


def run(*argv, **options):
    options = {"stdin": subprocess.DEVNULL, "capture_output": True, "timeout": 60} | options
    return subprocess.run([str(word) for word in argv], text=True, check=False, **options)


# setup.sh: what the lab needs


def setup(bare, *words, apt=False, mmdebstrap=False, keys=False, **environment):
    """Run setup.sh on a machine that has just what is in `bare`."""
    text = (ROOT / "demo" / "lab" / "setup.sh").read_text()
    for known, other in (
        ("PATH=$PATH:/usr/sbin:/sbin\n", ""),
        ("/usr/share/keyrings/debian-archive-keyring.gpg", str(bare / "keys")),
    ):
        assert text.count(known) == 1
        text = text.replace(known, other)
    for name, there in (("apt-get", apt), ("mmdebstrap", mmdebstrap), ("keys", keys)):
        if there:
            program(bare, name, f'echo "$@" >>{bare}/{name}.told')
    (bare / "setup.sh").write_text(text)
    return run("bash", bare / "setup.sh", *words, env={"PATH": str(bare)} | environment)


@pytest.fixture(name="linux")
def _linux(bare):
    """A machine with all that the lab needs but an engine."""
    for name in ("git", "ip", "nsenter", "openssl", "ssh-keygen"):
        program(bare, name)
    return bare


@pytest.mark.parametrize(
    "tools, option",
    [
        ({}, "--pull\n"),
        ({"mmdebstrap": True}, "--pull\n"),
        ({"mmdebstrap": True, "keys": True}, ""),
        ({"apt": True}, ""),
    ],
)
def test_the_engine_pulls_where_no_base_can_be_made(linux, tools, option):
    done = setup(linux, "--base", **tools)
    assert (done.returncode, done.stdout) == (0, option)


@pytest.mark.parametrize("engine", [("docker",), ("podman", "crun"), ("podman", "runc")])
def test_any_linux_needs_an_engine_only(linux, engine):
    done = setup(linux)
    assert done.returncode == 1
    assert "missing are podman runc; there is no apt-get here" in done.stderr
    for name in engine:
        program(linux, name)
    done = setup(linux)
    assert (done.returncode, done.stdout) == (0, "lab setup: nothing is missing\n"), done.stderr


def test_git_is_asked_for_before_the_lab_comes_up(linux):
    program(linux, "docker")
    (linux / "git").unlink()
    done = setup(linux)
    assert done.returncode == 1
    assert "missing are git;" in done.stderr


def test_with_packages_the_base_is_made_of_them(linux):
    for name in ("podman", "crun"):
        program(linux, name)
    done = setup(linux, "--check", apt=True)
    assert done.returncode == 1
    assert "missing are mmdebstrap debian-archive-keyring;" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root installs")
def test_runc_comes_along_where_packages_are_installed(linux):
    for name in ("podman", "crun"):
        program(linux, name)
    done = setup(linux, apt=True, mmdebstrap=True, keys=True)
    assert done.returncode == 0, done.stderr
    assert (linux / "apt-get.told").read_text().splitlines()[-1].endswith(" runc")


# packages.sh: sudo, with and without somebody to ask


@pytest.fixture(name="user")
def _user(bare):
    """Nobody in particular on Debian without nsd, with a sudo that wants a password."""
    program(bare, "id", "echo 1000")
    program(bare, "dpkg-query", "exit 1")
    program(bare, "apt-get")
    note = (
        f'echo "$*" >>{bare}/sudo.told; [ "$1" != -n ] || exit 1; [ "$1" != tee ] || cat >/dev/null'
    )
    program(bare, "sudo", note)
    program(bare, "sleep")
    return bare


def test_without_a_terminal_the_command_is_printed(user):
    done = run("bash", TESTS / "setup" / "packages.sh", "dns", env={"PATH": str(user)})
    assert done.returncode == 0, done.stderr
    command = "sudo apt-get install --no-install-recommends bind9-dnsutils bind9-utils nsd"
    assert done.stdout == f"Missing packages; install them with: {command}\n"


def test_at_a_terminal_sudo_may_ask(user):
    ours, theirs = pty.openpty()
    script = TESTS / "setup" / "packages.sh"
    try:
        done = run("bash", script, "dns", env={"PATH": str(user)}, stdin=theirs)
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == 0, done.stderr
    assert "sudo may ask for your password: bind9-dnsutils bind9-utils nsd" in done.stdout
    told = (user / "sudo.told").read_text()
    assert "--validate\n" in told
    assert "install --yes --no-install-recommends bind9-dnsutils bind9-utils nsd\n" in told


@pytest.mark.skipif(os.geteuid() != 0, reason="only root installs unasked")
def test_a_daemon_that_came_along_stays_off_after_a_boot(bare):
    for name in ("dpkg-query", "apt-get", "systemctl"):
        program(bare, name, f'echo "{name} $*" >>{bare}/told')
    script = (TESTS / "setup" / "packages.sh").read_text()
    assert script.count("policy=/usr/sbin/policy-rc.d\n") == 1
    (bare / "packages.sh").write_text(script.replace("/usr/sbin/policy-rc.d", f"{bare}/policy"))
    (bare / "chmod").symlink_to(shutil.which("chmod"))
    done = run("bash", bare / "packages.sh", "dns", env={"PATH": str(bare)})
    assert done.returncode == 0, done.stderr
    assert (bare / "told").read_text().splitlines()[-1] == "systemctl disable --quiet nsd"
    assert not (bare / "policy").exists()


def test_without_apt_the_packages_of_the_group_are_named(bare):
    done = run("bash", TESTS / "setup" / "packages.sh", "dns", env={"PATH": str(bare)})
    assert done.returncode == 0
    assert done.stdout.endswith(" yourself: bind9-dnsutils bind9-utils nsd\n")


@pytest.mark.parametrize(
    "machine, guest",
    [("x86_64", ["qemu-system-x86", "kmod", "zstd"]), ("aarch64", [])],
)
def test_what_boots_a_guest_comes_along_where_there_is_a_kernel_for_it(bare, machine, guest):
    program(bare, "uname", f"echo {machine}")
    for name in ("echo", "xargs"):
        (bare / name).symlink_to(shutil.which(name))
    done = run("bash", TESTS / "setup" / "packages.sh", "lab", env={"PATH": str(bare)})
    assert (done.returncode, done.stderr) == (0, "")
    names = done.stdout.partition(" yourself: ")[2].split()
    assert "frr" in names
    assert names[names.index("dnsmasq-base") + 1 :] == guest


# tree.sh back: what root has made


@pytest.fixture(name="checkout")
def _checkout(tmp_path):
    """A checkout in which a run as root left this and that."""
    folder = tmp_path / "checkout"
    for name in ("build/links", "build/demo/project", "build/lab/demo", "build/lab-cache/base"):
        (folder / name).mkdir(parents=True)
        (folder / name / "file").write_text("")
    (folder / "build/links/away").symlink_to("/etc/passwd")
    (folder / "tests/setup").mkdir(parents=True)
    shutil.copy(TESTS / "setup" / "tree.sh", folder / "tests/setup/")
    return folder


def owners(folder):
    return {
        str(path.relative_to(folder)): path.lstat().st_uid for path in (folder, *folder.rglob("*"))
    }


def back(folder, **caller):
    plain = {key: value for key, value in os.environ.items() if not key.startswith("SUDO_")}
    done = run(folder / "tests/setup/tree.sh", "back", env=plain | caller)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_who_is_no_root_by_sudo_gives_nothing_away(checkout):
    before = owners(checkout)
    back(checkout)
    back(checkout, SUDO_UID="0", SUDO_GID="0")
    assert owners(checkout) == before


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_the_caller_of_sudo_gets_all_but_root_file_systems(checkout):
    outside = os.stat("/etc/passwd").st_uid
    back(checkout, SUDO_UID="12345", SUDO_GID="12345")
    found = owners(checkout)
    kept = {name for name, uid in found.items() if uid == 0}
    assert kept == {name for name in found if re.match(r"build/lab(-cache)?(/|$)", name)}
    assert {uid for name, uid in found.items() if name not in kept} == {12345}
    assert os.stat("/etc/passwd").st_uid == outside


# unchanged.sh: the second round of the demo


@pytest.mark.parametrize(
    "last, code",
    [
        ("ends with 0: everything requested is done, changed=0", 0),
        ("ends with 0: everything requested is done, changed=10", 1),
        ("ends with 0: everything requested is done", 1),
        ("", 1),
    ],
)
def test_a_second_round_that_changes_something_fails(last, code):
    done = run(ROOT / "demo" / "unchanged.sh", "printf", r"%s\n", "PLAY", last)
    assert (done.returncode, done.stdout) == (code, f"PLAY\n{last}\n")
    if code:
        assert f"was to end with changed=0 the second time, and ended with '{last}'" in done.stderr


def test_a_second_round_that_fails_ends_so():
    assert run(ROOT / "demo" / "unchanged.sh", "bash", "-c", "exit 4").returncode == 4


# make


@pytest.fixture(name="made")
def _made(tmp_path):
    """A folder in which `make` sees our Makefile and nothing of this checkout."""
    folder = tmp_path / "made"
    folder.mkdir()
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt", "constraints.txt"):
        shutil.copy(ROOT / name, folder)
    return folder


def make(folder, *words):
    environment = {
        key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "VENV")
    }
    return run("make", "-C", folder, *words, env=environment)


def test_an_older_python_is_refused_in_one_sentence(made, bare):
    program(bare, "old", '[ "$1" != --version ] || { echo Python 3.9.2; exit 0; }; exit 1')
    done = make(made, "env", f"PYTHON={bare}/old")
    assert done.returncode == 2
    first = done.stderr.splitlines()[0]
    assert first.startswith(f"make env: {bare}/old is Python 3.9.2, where Python 3.11 or newer")
    assert not (made / ".venv").exists()


def test_a_python_that_will_do_makes_the_environment(made, bare):
    program(
        bare, "new", f'[ "$2" != venv ] || mkdir made; [ "$1" != -c ] || exec {sys.executable} "$@"'
    )
    done = make(made, "env", f"PYTHON={bare}/new")
    assert "where Python 3.11" not in done.stderr
    assert (made / "made").exists()


@pytest.mark.parametrize("has, order", [(True, "venv"), (False, "packages base venv")])
def test_a_python_without_venv_gets_its_package_before_it_is_asked(made, bare, has, order):
    program(
        bare,
        "new",
        f"""case "$*" in
*ensurepip*) exit {int(not has)} ;;
*venv*) echo venv >>{bare}/told; mkdir -p .venv/bin; ln -sf $(type -P true) .venv/bin/python ;;
-c*) exec {sys.executable} "$@" ;;
esac""",
    )
    (made / "tests" / "setup").mkdir(parents=True)
    program(made / "tests" / "setup", "packages.sh", f"echo packages $* >>{bare}/told")
    done = make(made, "env", f"PYTHON={bare}/new")
    assert (done.returncode, done.stderr) == (0, "")
    assert (bare / "told").read_text().split() == order.split()


def test_clean_is_refused_while_something_is_up(made):
    (made / "build" / "lab" / "demo").mkdir(parents=True)
    done = make(made, "clean")
    assert done.returncode == 2
    assert "build/lab/ holds the state of what is up (demo): take it down first" in done.stderr
    assert (made / "build").exists()
    (made / "build" / "lab" / "demo").rmdir()
    assert make(made, "clean").returncode == 0
    assert not (made / "build").exists()


def test_clean_says_what_is_left(made, bare):
    """As for a user, below whose build/ root has made something."""
    (made / "build").mkdir()
    program(bare, "rm", "exit 1")
    done = make(made, "clean", f"PATH={bare}:{os.environ['PATH']}")
    assert done.returncode == 2
    assert "belongs to root" in done.stderr


# What all scripts have in common


def test_python_of_make_is_no_variable_of_the_scripts():
    """`make demo PYTHON=python3.12` names who makes .venv; the scripts use what is in it."""
    scripts = sorted([*TESTS.rglob("*.sh"), *(ROOT / "demo").rglob("*.sh")])
    assert len(scripts) > 10
    assert [path.name for path in scripts if re.search(r"\$\{?PYTHON\b", path.read_text())] == []


@pytest.mark.parametrize(
    "name", ["demo/demo.sh", "demo/down.sh", "tests/prove/run.sh", "tests/molecule.sh"]
)
def test_scripts_that_need_root_go_on_by_sudo_and_give_back(bare, name, tmp_path):
    """From any folder: the path that sudo gets is that of the script below the checkout."""
    path = ROOT / name
    assert path.stat().st_mode & stat.S_IXUSR
    assert "tests/setup/tree.sh back" in path.read_text()
    program(bare, "id", "echo 1000")
    done = run("bash", path, "word", env={"PATH": str(bare)}, cwd=tmp_path)
    assert done.returncode == 1
    assert "run it as root or install sudo" in done.stderr
    program(bare, "sudo", f'shift; echo "$*" >{bare}/told; pwd >>{bare}/told')
    done = run("bash", path, "word", env={"PATH": str(bare)}, cwd=tmp_path)
    assert (bare / "told").read_text() == f"{name} word\n{ROOT}\n", done.stderr
