# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The backup of a switch, and what a new switch takes from it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import ssl
import subprocess
from pathlib import Path

import pytest
import yaml
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar
from nvue_double.testing import running_double

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._edge import switch as edge
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.connection import Endpoint
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.switch import backup, change
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import RefusedError
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.api import Api
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.auth import Auth
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire.port import HttpsPort

LEAF = "leaf-p1-su001-r1"
CANARY = "canary-5ecret"
ROUTE = {"192.0.2.0/24": {"via": {"198.51.100.1": {"type": "ipv4-address"}}}}
USERS = {"robot": {"hashed-password": "$6$canary-5ecret", "role": "nvue-monitor"}}
FOREIGN = {
    "system": {"aaa": {"user": USERS}, "ssh-server": {"max-unauthenticated": {"session-count": 7}}},
    "vrf": {"default": {"router": {"static": ROUTE}}, "t77-old": {}, "legacy": {}},
    "interface": {"vlan77": {"type": "svi", "vlan": 77, "vrf": "legacy"}},
    "router": {"bgp": {"graceful-shutdown": "enabled"}},
    "qos": {"roce": {"state": "enabled", "mode": "lossy"}},
}
"""Settings that a person has made on the old switch; the last two are the plan's."""


def conditions(**stated):
    template = Templar(loader=DataLoader(), variables=stated).template
    return edge.conditions(*(stated, template), extra=stated, origin={})


def api_of(double):
    endpoint = Endpoint(double.host, double.port, timeout=5, ca=double.ca_file)
    return Api(HttpsPort(endpoint), Auth(double.username, double.password))


@pytest.fixture
def fabric(project):
    path = project / "model" / "fabric.yml"
    roles = ["switch_base"]
    described = {**yaml.safe_load(path.read_text()), "manage": roles}
    path.write_text(yaml.safe_dump({**described, "unmanaged": ["system/lldp"]}))
    return Fabric.load(str(path))


@pytest.fixture
def wanted(fabric):
    return edge.wanted(fabric, LEAF, {}, lambda value: value)


@pytest.fixture
def new(fabric):
    with running_double(release=fabric.description.release.cumulus, step_seconds=0.002) as double:
        yield double


def old(double, **more):
    double.control.foreign({**FOREIGN, **more})
    document = {"system": {"hostname": LEAF, "lldp": {"tx-interval": 77}}}
    double.control.foreign(document)


def kept(double, wanted, folder):
    """A backup of the double as it is, with what a task says of it."""
    return backup.run(api_of(double), wanted.ctx, conditions(), str(folder))


def test_the_same_switch_gives_the_same_bytes_and_no_secret(new, wanted, tmp_path):
    old(new)
    folder = tmp_path / "of" / "backups"
    umask = os.umask(0)
    try:
        first = kept(new, wanted, folder)
    finally:
        os.umask(umask)
    file = folder / f"{LEAF}.json"
    text, stamp = file.read_bytes(), file.stat().st_mtime_ns
    assert (first["changed"], first["backup"]) == (True, str(file))
    assert (file.stat().st_mode & 0o777, folder.stat().st_mode & 0o777) == (0o600, 0o700)
    assert CANARY.encode() not in text
    assert b"$nvsec$" not in text
    assert "system/aaa/user/robot/hashed-password" in first["masked"]
    made = json.loads(text)
    assert list(made) == sorted(made)
    assert made["masked"] == first["masked"]
    assert made["configuration"]["qos"]["roce"]["mode"] == "lossy"
    certificate = (Path(new.ca_file).parent / "cert.pem").read_text()
    shown = hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest()
    assert made["certificate"] == shown
    assert kept(new, wanted, folder)["changed"] is False
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (text, stamp)
    assert [path.name for path in folder.iterdir()] == [file.name]
    assert not new.log.writes


def test_another_switch_is_not_kept_under_the_name(new, wanted, tmp_path):
    new.control.foreign({"system": {"hostname": "leaf-p1-su001-r2"}})
    with pytest.raises(RefusedError, match=r"is another one: expected host name leaf-p1-su001-r1"):
        kept(new, wanted, tmp_path)
    assert not [*tmp_path.glob("*.json")]


def record(**changes):
    made = {"device": LEAF, "release": "5.16.1", "certificate": "", "configuration": {}}
    return {**made, "masked": [], **changes}


def test_a_link_is_replaced_and_not_followed(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("stays")
    for name in (f"{LEAF}.json", f".{LEAF}.json.part"):
        (tmp_path / name).symlink_to(victim)
    made = backup.Backup(**record())
    assert backup.keep(str(tmp_path), made, check=True)
    assert (tmp_path / f"{LEAF}.json").is_symlink()
    assert backup.keep(str(tmp_path), made)
    assert victim.read_text() == "stays"
    assert not (tmp_path / f"{LEAF}.json").is_symlink()
    assert backup.load(str(tmp_path), LEAF) == made


@pytest.mark.parametrize("name", ["../leaf", "a/b", ".hidden", "..", "/etc/passwd"])
def test_no_name_leads_out_of_the_folder(name, tmp_path):
    with pytest.raises(FabricError, match="is no name of a file"):
        backup.keep(str(tmp_path / "backups"), backup.Backup(**record(device=name)))
    assert [*tmp_path.iterdir()] == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "(No such file or directory)"),
        ("{", "is no backup that can be read"),
        ("[]", "is no backup that can be read"),
        (json.dumps({"device": LEAF}), "is no backup that can be read"),
        (json.dumps(record(release="new")), "'new' is not a Cumulus Linux release"),
        (json.dumps(record(configuration=[])), "is no backup that can be read"),
        (json.dumps(record(configuration={"interface": []})), "a mapping"),
        (json.dumps(record(configuration={"interface": {"vlan7": "x"}})), "a mapping of names"),
        (json.dumps(record(configuration={"interface": {"swp1-9999999": {}}})), "8192 members"),
        (json.dumps(record(configuration={"system": {"x": True}})), "is the boolean True"),
        (
            json.dumps(record(release="5.9.0", configuration={"service": {"ntp": {"mgmt": 5}}})),
            "a mapping",
        ),
        (json.dumps(record(device="leaf-p1-su001-r2")), "is of 'leaf-p1-su001-r2'"),
    ],
)
def test_what_is_no_backup_of_the_switch_is_refused(text, words, tmp_path):
    if text is not None:
        (tmp_path / f"{LEAF}.json").write_text(text)
    with pytest.raises(FabricError, match=r"^spx_backup: ") as refusal:
        backup.load(str(tmp_path), LEAF)
    assert words in str(refusal.value)


def replace(double, wanted, folder, **stated):
    """The new switch brought to the plan, with a backup."""
    found, left = edge.from_backup(wanted, str(folder), stated, lambda value: value)
    result = change.run(api_of(double), found, conditions(switch_apply_factory=True, **stated))
    return result, left


def test_a_new_switch_takes_what_the_plan_does_not_own(new, wanted, fabric, tmp_path):
    old(new)
    kept(new, wanted, tmp_path)
    place = "system/aaa/user/robot/hashed-password"
    with running_double(release=fabric.description.release.cumulus, step_seconds=0.002) as double:
        with pytest.raises(RefusedError, match=f"spx_backup: {place}: a backup has no secrets"):
            replace(double, wanted, tmp_path)
        assert not double.log.writes
        given = {"spx_backup_secrets": {place: "$6$from-the-vault"}}
        result, left = replace(double, wanted, tmp_path, **given)
        assert result["changed"], result
        applied = double.applied
        assert left == ["interface/vlan77", "vrf/legacy"]
        assert applied["vrf"].keys().isdisjoint({"t77-old", "legacy"})
        assert "vlan77" not in applied["interface"]
        assert applied["vrf"]["default"]["router"]["static"] == ROUTE
        assert applied["system"]["aaa"]["user"]["robot"]["hashed-password"] == "$6$from-the-vault"
        assert applied["system"]["lldp"]["tx-interval"] == 77
        assert applied["system"]["hostname"] == LEAF
        assert applied["qos"]["roce"]["mode"] == "lossy"
        assert "graceful-shutdown" not in applied.get("router", {}).get("bgp", {})
        assert "********" not in json.dumps(applied)
        # Secrets that the new switch has count as equal, as everywhere else.
        assert replace(double, wanted, tmp_path)[0]["changed"] is False


def of_roles(project, roles):
    """The wish of other roles, which own other places."""
    path = project / "model" / "fabric.yml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "manage": roles}))
    return edge.wanted(Fabric.load(str(path)), LEAF, {}, lambda value: value)


def test_what_the_roles_of_the_run_own_is_never_of_a_backup(wanted, project, new, tmp_path):
    other = of_roles(project, ["switch_roce"])
    old(new)
    kept(new, wanted, tmp_path)
    beside, left = edge.from_backup(other, str(tmp_path), {}, lambda value: value)
    assert beside.beside.config["system"]["hostname"] == LEAF
    assert "qos" not in beside.beside.config
    assert left == ["interface/vlan77", "vrf/legacy"]


def test_a_new_switch_takes_every_secret_key_or_none(new, wanted, project, fabric, tmp_path):
    own = of_roles(project, ["switch_bootstrap"])
    place = "system/snmp-server/readonly-community/********"
    communities = {"canary-one": {"access": {"any": {}}}, "canary-two": {"access": {"any": {}}}}
    snmp = {"listening-address": {"localhost": {}}, "readonly-community": communities}
    new.control.foreign({"system": {"hostname": LEAF, "snmp-server": snmp}})
    masked = kept(new, wanted, tmp_path)["masked"]
    assert masked[-2:] == [f"{place}-2/access/any", f"{place}/access/any"]
    with running_double(release=fabric.description.release.cumulus, step_seconds=0.002) as double:
        given = {place: "from-the-vault"}
        with pytest.raises(RefusedError, match=r"\*-2: a backup has no secrets"):
            replace(double, own, tmp_path, spx_backup_secrets=given)
        assert not double.log.writes
        given[f"{place}-2"] = "other-of-vault"
        assert replace(double, own, tmp_path, spx_backup_secrets=given)[0]["changed"]
        assert len(double.applied["system"]["snmp-server"]["readonly-community"]) == 2
        assert replace(double, own, tmp_path)[0]["changed"] is False


@pytest.mark.parametrize("name", [None, "cumulus", ""])
def test_the_factory_does_not_take_the_place_of_a_backup(name, tmp_path):
    def made(name):
        system = {} if name is None else {"hostname": name}
        return backup.Backup(**record(configuration={"system": system}))

    assert backup.keep(str(tmp_path), made(name))
    assert backup.keep(str(tmp_path), made(LEAF))
    with pytest.raises(
        FabricError, match=r"has no host name, as from the factory, and .* is of be"
    ):
        backup.keep(str(tmp_path), made(name))
    assert backup.load(str(tmp_path), LEAF) == made(LEAF)


def test_a_change_is_backed_up_where_the_run_asks_for_it(new, wanted, tmp_path):
    stated = {"switch_apply_factory": True, "spx_backup_after": "true"}
    with pytest.raises(FabricError, match="spx_backup_after: it needs the folder of the backups"):
        conditions(**stated)
    how = conditions(**stated, spx_backup=str(tmp_path))
    result = change.run(api_of(new), wanted, how)
    assert result["changed"]
    made = json.loads((tmp_path / f"{LEAF}.json").read_text())
    assert made["configuration"]["system"]["hostname"] == LEAF
    assert result["backup"] == str(tmp_path / f"{LEAF}.json")
    (tmp_path / f"{LEAF}.json").unlink()
    assert "backup" not in change.run(api_of(new), wanted, how)
    assert not [*tmp_path.glob("*.json")]


def test_a_backup_that_fails_after_a_change_fails_the_task(new, wanted, tmp_path):
    (tmp_path / "file").write_text("")
    stated = {"switch_apply_factory": True, "spx_backup_after": "true"}
    how = conditions(**stated, spx_backup=str(tmp_path / "file"))
    result = change.run(api_of(new), wanted, how)
    assert (result["changed"], result["failed"]) == (True, True)
    assert result["msg"].startswith(
        f"{LEAF} was changed, but its backup is of before. spx_backup: "
    )


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A work tree, with a function that runs git in it."""
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "x")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "x@example.com")
    (tmp_path / "site").mkdir()

    def git(*words):
        command = ["git", "-C", str(tmp_path / "site"), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return git


def test_git_gets_the_backups_that_differ_and_nothing_else(site, tmp_path):
    folder = tmp_path / "site" / "backups"
    made = backup.Backup(**record())
    backup.keep(str(folder), made)
    with pytest.raises(FabricError, match=r"spx_backup: git add failed in .* \(fatal: not a git"):
        backup.commit(str(folder), [LEAF], "first")
    site("init", "--quiet")
    (folder / "notes").write_text("of the site")
    site("add", "backups/notes")
    assert backup.commit(str(folder), [LEAF, "leaf-p1-su001-r2"], "first")
    assert site("show", "--name-only", "--format=%s").split() == ["first", f"backups/{LEAF}.json"]
    assert site("status", "--porcelain").split() == ["A", "backups/notes"]
    assert not backup.commit(str(folder), [LEAF], "second")
    assert not backup.commit(str(folder), [], "third")


def test_git_is_that_of_the_folder_and_its_hooks_say_anything(site, tmp_path, monkeypatch):
    folder = str(tmp_path / "site")
    site("init", "--quiet")
    backup.keep(folder, backup.Backup(**record()))
    subprocess.run(["git", "init", "--quiet", tmp_path / "server"], check=True)
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "server" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "server" / "index"))
    hook = tmp_path / "site" / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nprintf 'no \\377\\033[31m' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(FabricError, match=r"git commit failed in .* \(no \ufffd"):
        backup.commit(folder, [LEAF], "first")
    with pytest.raises(FabricError, match=r"git commit failed in .* null byte"):
        backup.commit(folder, [LEAF], "a\0b")
    hook.unlink()
    assert backup.commit(folder, [LEAF], "first")
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert site("log", "--format=%s").split() == ["first"]


def test_who_commits_does_not_wait_for_ever(site, tmp_path, monkeypatch):
    monkeypatch.setattr(backup, "LOCK_SECONDS", 0.0)
    site("init", "--quiet")
    folder = str(tmp_path / "site")
    backup.keep(folder, backup.Backup(**record()))
    handle = os.open(folder, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    with pytest.raises(FabricError, match=r"another run has committed in .* for 0 s: wait until"):
        backup.commit(folder, [LEAF], "first")
    os.close(handle)
    assert backup.commit(folder, [LEAF], "first")
