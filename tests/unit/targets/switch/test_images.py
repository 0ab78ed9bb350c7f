# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of the switch double: partitions, files, boots, and the configuration that a boot starts with."""

from __future__ import annotations

import hashlib
import http.client
import socket
import time
import urllib.error
from pathlib import Path
from typing import Any

import pytest
from nvue_double import images, schema, translation
from nvue_double.release import Release

IMAGE = "/system/image"
NAME = "cumulus-linux-5.16.7-mlx-amd64.bin"
NEW = images.make("5.16.7", "5.16.7.0018")
FAST = {"boot_seconds": 0.02, "install_seconds": 0.02}
REACHED = (urllib.error.URLError, http.client.HTTPException, OSError)


def shown(client: Any) -> Any:
    """The state of the images."""
    return client("GET", f"{IMAGE}?rev=operational")[1]


def issue(client: Any, path: str, name: str, /, **parameters: Any) -> str:
    """The issue of a job that fails."""
    job = client.action(path, name, **parameters)
    assert job["state"] == "action_error", job
    return str(job["issue"][0]["message"])


def install(client: Any, release: str, build: str = "") -> None:
    """Have a release on the other partition."""
    client.double.control.image("new.bin", release, build)
    job = client.action(f"{IMAGE}/files/new.bin", "install", force=True)
    assert job["state"] == "action_success", job


def returned(client: Any, seconds: float = 5.0) -> Any:
    """The system once it answers again; it must have been away."""
    deadline, away = time.monotonic() + seconds, False
    while time.monotonic() < deadline:
        try:
            answer = client("GET", "/system?rev=operational")
        except REACHED:
            away = True
        else:
            if away:
                return answer[1]
        time.sleep(0.002)
    raise AssertionError("it did not return" if away else "it was never away")


def reboot(client: Any, **parameters: Any) -> Any:
    """Order a reboot and wait; the system after it."""
    assert client.order("/system", "reboot", **parameters)[0] == 200
    return returned(client)


def boot(client: Any, release: str, **parameters: Any) -> Any:
    """Boot the other partition, with this release on it; the system after it."""
    install(client, release)
    client.action(IMAGE, "boot-next", partition="other", **parameters)
    return reboot(client)


def test_the_shape_of_images(start: Any) -> None:
    first = {"build-id": "5.16.1.0001", "description": "Cumulus Linux 5.16.1"}
    empty = {"build-id": "", "description": "", "disk": "/dev/sda6", "release": ""}
    wanted = {
        "current": "1",
        "next": "1",
        "partition1": {**first, "disk": "/dev/sda5", "release": "5.16.1"},
        "partition2": empty,
    }
    client = start()
    assert shown(client) == wanted
    assert client("GET", f"{IMAGE}/partition1/release?rev=operational")[1] == "5.16.1"
    assert shown(start(other_release="5.15.0"))["partition2"]["build-id"] == "5.15.0.0001"
    assert start(release="5.10.0")("GET", f"{IMAGE}?rev=operational")[0] == 404


def test_an_upgrade_from_the_fetch_to_the_way_back(start: Any, serve: Any) -> None:
    client = start(**FAST, release="5.14.0", document=OLDER)
    url = f"{serve({NAME: NEW})}/{NAME}"
    assert client.action(IMAGE, "fetch", remote_url=url)["status"] == "File fetched successfully"
    files = client("GET", f"{IMAGE}/files?rev=operational")[1]
    assert files == {NAME: {"path": f"/var/images/{NAME}"}}
    told = client.action("/system/file-hash/sha256", "generate", filename=f"/var/images/{NAME}")
    assert hashlib.sha256(NEW).hexdigest() in told["status"]
    job = client.action(f"{IMAGE}/files/{NAME}", "install", force=True)
    assert (job["status"], job["percentage"]) == ("Image installed successfully", 100)
    assert (shown(client)["next"], shown(client)["partition2"]["build-id"]) == ("1", "5.16.7.0018")
    client.action(IMAGE, "boot-next", partition="other")
    assert (shown(client)["current"], shown(client)["next"]) == ("1", "2")
    system = reboot(client, no_confirm=True)
    assert system["version"]["product-release"] == "5.16.7"
    assert system["uptime"].startswith("0:00:0")
    assert (shown(client)["current"], shown(client)["next"]) == ("2", "2")
    assert client.applied("/interface/swp1")["vrf"] == "RED"
    client.change({"system": {"hostname": "changed-since"}})
    client.action(IMAGE, "boot-next", partition="other", rollback=True)
    assert reboot(client)["version"]["product-release"] == "5.14.0"
    assert client.applied("/interface/swp1")["ip"]["vrf"] == "RED"
    assert client.applied("/system/hostname") == "leaf01"
    assert client("GET", "/interface/swp1/ip/vrf?rev=startup") == (200, "RED")


OLDER = {
    "interface": {
        "eth0": {"type": "eth", "ip": {"address": {"dhcp": {}}, "vrf": "mgmt"}},
        "swp1": {"type": "swp", "ip": {"address": {"10.0.0.1/31": {}}, "vrf": "RED"}},
    },
    "service": {
        "ntp": {"mgmt": {"server": {"10.9.0.1": {}}}},
        "dns": {"mgmt": {"server": {"10.9.0.2": {}}}},
        "lldp": {"tx-interval": 30},
    },
    "system": {
        "hostname": "leaf01",
        "timezone": "Etc/UTC",
        "wjh": {"enable": "on"},
    },
    "vrf": {"RED": {}, "mgmt": {}},
}
NEWER = {
    "interface": {
        "eth0": {"type": "eth", "vrf": "mgmt", "ipv4": {"dhcp-client": {"state": "enabled"}}},
        "swp1": {"type": "swp", "vrf": "RED", "ipv4": {"address": {"10.0.0.1/31": {}}}},
    },
    "system": {
        "date-time": {"timezone": "Etc/UTC"},
        "dns": {"server": {"10.9.0.2": {}}},
        "hostname": "leaf01",
        "lldp": {"tx-interval": 30},
        "ntp": {"server": {"10.9.0.1": {}}, "vrf": "mgmt"},
        "wjh": {"state": "enabled"},
    },
    "vrf": {"RED": {}, "mgmt": {}},
}


@pytest.mark.parametrize(
    "old, new, document, wanted, lost",
    [
        ("5.14.0", "5.16.7", OLDER, NEWER, []),
        ("5.16.1", "5.18.0", NEWER, NEWER, []),
        (
            "5.16.1",
            "5.18.0",
            {"system": {"docker": {"state": "enabled"}, "hostname": "x"}},
            {"system": {"docker": {}, "hostname": "x"}},
            ["system/docker/state"],
        ),
        (
            "5.10.0",
            "5.12.0",
            {"service": {"snmp-server": {"system-name": "x"}}, "vrf": {"a": {}}},
            {"system": {"snmp-server": {"system-name": "x"}}, "vrf": {"a": {}}},
            [],
        ),
    ],
)
def test_a_newer_release_translates(
    old: str, new: str, document: Any, wanted: Any, lost: list[str]
) -> None:
    before, after = (schema.load(Release.parse(text)) for text in (old, new))
    assert translation.translate(document, before, after) == (wanted, lost)
    assert after.check(wanted, [], patch=False) == []


def test_a_switch_refuses_connections_while_it_boots(start: Any) -> None:
    client = start(boot_seconds=0.2)
    address = (client.double.host, client.double.port)
    held = http.client.HTTPSConnection(*address, context=client.context)
    held.request("GET", "/")
    held.getresponse().read()
    client.double.control.reboot()
    deadline, refused = time.monotonic() + 5, False
    while not refused and time.monotonic() < deadline:
        time.sleep(0.01)
        try:
            socket.create_connection(address).close()
        except ConnectionRefusedError:
            refused = True
    assert refused
    assert held.sock.recv(1) == b""
    with socket.socket() as other, pytest.raises(OSError, match="in use"):
        other.bind(address)
    while client.double.switch.down_until and time.monotonic() < deadline:
        time.sleep(0.005)
    assert client("GET", "/system?rev=operational")[0] == 200


@pytest.mark.parametrize("mode, returns", [("cold", True), ("warm", True), ("power-off", False)])
def test_modes_of_a_reboot(start: Any, mode: str, returns: bool) -> None:
    client = start(**FAST)
    if returns:
        assert reboot(client, mode=mode)["version"]["product-release"] == "5.16.1"
        return
    client.order("/system", "reboot", mode=mode)
    with pytest.raises(AssertionError, match="did not return"):
        returned(client, 0.2)
    client.double.control.power()
    assert client("GET", "/system?rev=operational")[0] == 200


def test_a_boot_loses_what_was_not_saved_and_ends_what_was_at_work(start: Any) -> None:
    client = start(boot_seconds=0.02, install_seconds=30)
    number = client.revision({"system": {"hostname": "unsaved"}})
    client.apply(number, **{"state-controls": {"confirm": 1}})
    client.until(number, "confirm")
    client.double.control.image("new.bin", "5.16.7")
    dummy, job = client.order(f"{IMAGE}/files/new.bin", "install")
    reboot(client)
    assert client.ended(job)["state"] == "action_error"
    assert client("GET", f"/revision/{number}")[1]["state"] == "pending"
    assert client.applied("/system/hostname") == "cumulus"
    assert shown(client)["partition2"]["release"] == ""
    client.double.switch.options.install_seconds = 0.01
    install(client, "5.16.7")


def test_a_downgrade_starts_with_what_that_release_ran_with(start: Any) -> None:
    client = start(**FAST, release="5.16.1", other_release="5.14.0")
    client.change({"interface": {"swp1": {"vrf": "RED"}}, "vrf": {"RED": {}}})
    client.action(IMAGE, "boot-next", partition="partition2")
    assert reboot(client)["version"]["product-release"] == "5.14.0"
    assert "swp1" not in client.applied("/interface")
    assert client("GET", "/system/aaa/user/cumulus?rev=applied")[0] == 200
    client.action(IMAGE, "boot-next", partition="partition1", rollback=True)
    reboot(client)
    assert client.applied("/interface/swp1/vrf") == "RED"


def test_what_a_newer_release_lacks_is_left_out_and_told(start: Any) -> None:
    client = start(**FAST, document={"system": {"docker": {"state": "enabled"}}})
    boot(client, "5.18.0")
    assert client.applied("/system/docker") == {}
    errors = client.double.control.state()["errors"]
    assert errors == ["boot: system/docker/state is no place of 5.18.0"]


def test_wrong_actions_on_images(start: Any, serve: Any) -> None:
    client = start(**FAST)
    assert "Image does not exist" in issue(client, f"{IMAGE}/files/x.bin", "install")
    assert "No image on partition2" in issue(client, IMAGE, "boot-next", partition="partition2")
    assert "HTTP 404" in issue(client, IMAGE, "fetch", remote_url=f"{serve({})}/x.bin")
    assert "http and https only" in issue(client, IMAGE, "fetch", remote_url="scp://h/x.bin")
    assert "Failed to fetch" in issue(client, IMAGE, "fetch", remote_url="http://127.0.0.1:1/x.bin")
    assert "File not found" in issue(client, f"{IMAGE}/files/x.bin", "delete")
    install(client, "5.16.7")
    told = issue(client, IMAGE, "boot-next", partition="other", rollback=True)
    assert "No configuration to roll back to" in told
    assert shown(client)["next"] == "1"


@pytest.mark.parametrize(
    "release, path, name, parameters, status",
    [
        ("5.16.1", IMAGE, "boot-next", {}, 400),
        ("5.16.1", IMAGE, "boot-next", {"partition": "3"}, 400),
        ("5.16.1", IMAGE, "boot-next", {"image": "other"}, 400),
        ("5.16.1", IMAGE, "boot-next", {"partition": "other", "rollback": "yes"}, 400),
        ("5.11.0", IMAGE, "boot-next", {"partition": "other", "rollback": True}, 400),
        ("5.16.1", IMAGE, "fetch", {"url": "http://127.0.0.1/x"}, 400),
        ("5.16.1", IMAGE, "fetch", {"remote-url": 1}, 400),
        ("5.10.0", IMAGE, "fetch", {"remote-url": "http://127.0.0.1/x"}, 404),
        ("5.16.1", IMAGE, "install", {}, 404),
        ("5.16.1", f"{IMAGE}/files/x", "install", {"file": "x"}, 400),
        ("5.16.1", "/system", "reboot", {"mode": "hot"}, 400),
        ("5.12.0", "/system/file-hash/sha256", "generate", {"filename": "x"}, 404),
        ("5.16.1", "/system/file-hash/crc", "generate", {"filename": "x"}, 404),
        ("5.16.1", "/system/file-hash/md5", "generate", {}, 400),
    ],
)
def test_bodies_that_are_refused(
    start: Any, release: str, path: str, name: str, parameters: Any, status: int
) -> None:
    assert start(release=release).order(path, name, **parameters)[0] == status


@pytest.mark.parametrize(
    "data, says",
    [
        (b"<html>not found</html>", "not a Cumulus Linux image"),
        (NEW[:-1], "checksum mismatch"),
        (images.make("5.11.1"), "5.11.1 needs ONIE"),
    ],
)
def test_images_that_cannot_be_installed(start: Any, data: bytes, says: str) -> None:
    client = start(**FAST)
    client.double.switch.images.files["x.bin"] = images.ImageFile(data)
    assert says in issue(client, f"{IMAGE}/files/x.bin", "install")
    assert shown(client)["partition2"]["release"] == ""


def test_an_image_that_was_fetched_before_can_fail_to_install(start: Any, serve: Any) -> None:
    client = start(**FAST, known_issues={images.REFETCHED})
    url = f"{serve({NAME: NEW})}/{NAME}"
    for dummy in range(2):
        client.action(IMAGE, "fetch", remote_url=url)
    assert images.REFETCHED in issue(client, f"{IMAGE}/files/{NAME}", "install")
    client.action(f"{IMAGE}/files/{NAME}", "delete")
    client.action(IMAGE, "fetch", remote_url=url)
    assert client.action(f"{IMAGE}/files/{NAME}", "install")["state"] == "action_success"


def test_a_realiser_has_its_ports_down_while_the_switch_boots(start: Any) -> None:
    class Realiser:
        documents: list[Any] = []

        async def apply(self, document: Any) -> None:
            self.documents.append(document)

        def operational(self, path: list[str]) -> Any:
            return {}

    document = {"interface": {"swp1": {"type": "swp"}, "lo": {"type": "loopback"}}}
    client = start(**FAST, realiser=Realiser(), document=document)
    reboot(client)
    states = [
        {name: body.get("link", {}).get("state") for name, body in one["interface"].items()}
        for one in Realiser.documents
    ]
    assert states == [{"swp1": {"down": {}}, "lo": None}, {"swp1": None, "lo": None}]


def test_what_runs_outlives_the_process(start: Any, tmp_path: Path) -> None:
    client = start(**FAST, release="5.14.0", document=OLDER, state_dir=str(tmp_path))
    boot(client, "5.16.7")
    again = start(release="5.14.0", state_dir=str(tmp_path))
    assert again.applied("/interface/swp1")["vrf"] == "RED"
    assert (shown(again)["current"], shown(again)["partition1"]["release"]) == ("2", "5.14.0")
    other = start(release="5.16.1", state_dir=str(tmp_path))
    assert shown(other)["partition1"]["release"] == "5.16.1"


# Faults: each profile has its test.


@pytest.mark.parametrize(
    "profile, issue_of_fetch, end_of_install",
    [
        ("fetch_cut", "data remaining", "Image does not exist"),
        ("fetch_cut_unnoticed", "", "checksum mismatch"),
        ("fetch_changed", "", "checksum mismatch"),
        ("fetch_other_build", "", ""),
        ("disk_full_at_fetch", "No space left on device", "Image does not exist"),
        ("disk_full_at_install", "", "No space left on device"),
        ("install_error_at_end", "", "Installing image"),
    ],
)
def test_an_image_that_does_not_arrive(
    start: Any, serve: Any, profile: str, issue_of_fetch: str, end_of_install: str
) -> None:
    client, url = start(**FAST, profile=profile), f"{serve({NAME: NEW})}/{NAME}"
    jobs = [
        client.action(IMAGE, "fetch", remote_url=url),
        client.action(f"{IMAGE}/files/{NAME}", "install"),
    ]
    for job, says in zip(jobs, (issue_of_fetch, end_of_install)):
        assert job["state"] == ("action_error" if says else "action_success")
        assert says in (job["issue"][0]["message"] if job["issue"] else "")
    wanted = {"fetch_other_build": "5.0.0.9999", "install_error_at_end": "5.16.7.0018"}
    assert shown(client)["partition2"]["build-id"] == wanted.get(profile, "")
    told = client.action("/system/file-hash/sha256", "generate", filename=f"/var/images/{NAME}")
    right = hashlib.sha256(NEW).hexdigest() in told["status"]
    assert right is (profile in ("disk_full_at_install", "install_error_at_end"))
    assert jobs[1].get("percentage") == (100 if profile in wanted else None)


def test_an_install_that_fails_at_its_end_for_good(start: Any) -> None:
    client = start(**FAST)
    client.double.control.image("new.bin", "5.16.7")
    client.double.control.fault("install_error", installed=False)
    assert issue(client, f"{IMAGE}/files/new.bin", "install") == "Installing image"
    assert shown(client)["partition2"]["release"] == ""


def test_a_switch_boots_the_old_release(start: Any) -> None:
    client = start(**FAST, profile="boots_old")
    assert boot(client, "5.16.7")["version"]["product-release"] == "5.16.1"
    after = shown(client)
    assert (after["current"], after["next"]) == ("1", "1")
    assert after["partition2"]["release"] == "5.16.7"


def test_a_switch_never_returns(start: Any) -> None:
    client = start(**FAST, profile="never_returns")
    install(client, "5.16.7")
    client.action(IMAGE, "boot-next", partition="other")
    client.order("/system", "reboot")
    with pytest.raises(AssertionError, match="did not return"):
        returned(client, 0.2)
    client.double.control.power()
    assert shown(client)["current"] == "2"


def test_a_switch_starts_untranslated(start: Any) -> None:
    client = start(**FAST, release="5.14.0", document=OLDER, profile="startup_untranslated")
    assert boot(client, "5.16.7")["version"]["product-release"] == "5.16.7"
    assert client.applied("/system/hostname") == "cumulus"
    assert "swp1" not in client.applied("/interface")
    saved = client("GET", "/?rev=startup&filled=false")[1]
    assert saved["interface"]["swp1"]["ip"]["vrf"] == "RED"


PORTS = {"swp1": {"vrf": "RED"}, "swp2": {}, "swp3": {}}


@pytest.mark.parametrize("order, idle", [("profile", "swp2"), ("fault", "swp3")])
def test_the_counters_of_an_uplink_stand_still(start: Any, order: str, idle: str) -> None:
    document = {"interface": PORTS, "vrf": {"RED": {}}}
    client = start(**FAST, document=document, packets_per_second=100000)
    named = {"interface": idle} if order == "fault" else {}
    getattr(client.double.control, order)("uplink_idle", **named)

    def still() -> list[str]:
        asked = "/interface?rev=operational&include=/*/link/stats"
        first = client("GET", asked)[1]
        time.sleep(0.001)
        second = client("GET", asked)[1]
        return [name for name in PORTS if first[name] == second[name]]

    assert still() == []
    reboot(client)
    assert still() == [idle]
    one = f"/interface/{idle}/link/stats/out-pkts?rev=operational"
    assert client("GET", one)[1] == client("GET", one)[1]
    client.double.control.clear_faults()
    assert still() == []
