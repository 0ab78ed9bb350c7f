# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firmware: three states, guards before the burn, and no trust in exit codes."""

from __future__ import annotations

import json

import pytest

from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.desired import nics_from
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.errors import NicError
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.firmware import (
    apply_firmware,
    reset_for,
)
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.gather import gather
from ansible_collections.spectrum_x.fabric.plugins.module_utils._nic.tools import Result

PCI = "0000:1a:00.0"
GOOD_LOG = (
    "Pushing bfb\nCollecting BlueField booting status. Press Ctrl+C to stop…\n"
    " INFO[MISC]: Updating NIC firmware...\n"
    " INFO[MISC]: NIC firmware update done: 32.48.1000\n"
    " INFO[MISC]: In Enhanced NIC mode\n"
)


def nics(psid="", **firmware):
    given = {"version": "32.48.1000", **firmware}
    return nics_from([{"pci": PCI, "device": "a2dc", "psid": psid, "firmware": given}])


@pytest.fixture
def files(world):
    world.put("/img.bin", "image")
    world.put("/fw.bfb", "bundle")
    world.put("/srv/fw.bin", "image")
    world.put("/dev/rshim0/misc", "DISPLAY_LEVEL   0\nDEV_NAME        pcie-0000:04:00.2\n")
    world.put("/dev/rshim1/misc", "DISPLAY_LEVEL   0\nDEV_NAME        pcie-0000:1a:00.2\n")
    return world


@pytest.mark.parametrize(
    "burned, running, state, reset",
    [
        ("32.48.1000", "32.48.1000", "matches", "none"),
        ("32.48.1000", "32.43.1014", "staged", "power_cycle"),
    ],
)
def test_nothing_is_burned_twice(files, burned, running, state, reset):
    files.card.burned, files.card.running = burned, running
    result = apply_firmware(files.host(), nics(image="/img.bin"))
    assert (result["nics"][0]["state"], result["nics"][0]["reset_needed"]) == (state, reset)
    assert not result["changed"]
    assert files.card.writes == []


def test_burn_is_staged(files):
    result = apply_firmware(files.host(), nics(image="/img.bin"))
    assert files.card.writes == ["flint -d 0000:1a:00.0 -i /img.bin -y burn"]
    assert result["nics"][0]["state"] == "staged"
    assert result["diff"]["before"] == {PCI: {"firmware": "32.43.1014"}}


def test_a_folder_is_asked_before_it_is_burned(files):
    result = apply_firmware(files.host(), nics(images="/srv"))
    assert files.card.writes == ["mlxfwmanager -d 0000:1a:00.0 -D /srv -u -y"]
    assert result["nics"][0]["state"] == "staged"


def test_check_mode_burns_nothing_and_says_the_same(files):
    looked = apply_firmware(files.host(check=True), nics(image="/img.bin"))
    assert files.card.writes == []
    assert looked["diff"] == apply_firmware(files.host(), nics(image="/img.bin"))["diff"]


@pytest.mark.parametrize(
    "given, change, words",
    [
        ({"image": "/img.bin"}, {"image_psid": "MT_0000000884"}, "the image is for PSID MT_0000000884"),
        ({"image": "/img.bin"}, {"image_version": "32.47.1"}, "it holds firmware 32.47.1, expected"),
        ({"images": "/srv"}, {"image_psid": "MT_1"}, "holds no image for the card's PSID MT_0000001069"),
        ({"images": "/srv"}, {"image_version": "32.50.1"}, "would burn 32.50.1, expected 32.48.1000"),
        ({"images": "/none"}, {}, "there is no file /none on the host"),
        ({"image": "/none.bin"}, {}, "there is no file /none.bin on the host"),
        ({"image": "/img.bin", "psid": "MT_1"}, {}, "card's PSID is MT_0000001069, the plan says MT_1"),
        ({}, {}, "firmware 32.43.1014 is not 32.48.1000 and no image is given"),
        ({"image": "/img.bin"}, {"privilege": "RESTRICTED"}, "the host is restricted"),
        ({"bundle": "/fw.bfb", "rshim": "rshim7"}, {}, "no rshim device of the host serves this card"),
        ({"bundle": "/fw.bfb", "config": "/bf.cfg"}, {}, "there is no file /bf.cfg"),
    ],
)  # fmt: skip
def test_guards_before_anything_is_written(files, given, change, words):
    for name, value in change.items():
        setattr(files.card, name, value)
    with pytest.raises(NicError, match=words):
        apply_firmware(files.host(), nics(**given))
    assert files.card.writes == []


def test_bundle_goes_through_the_cards_own_rshim(files):
    files.card.bundle = Result(0, GOOD_LOG, "")
    result = apply_firmware(files.host(), nics(bundle="/fw.bfb"))
    assert result["commands"] == ["bfb-install -b /fw.bfb -r rshim1"]
    assert result["nics"][0]["state"] == "staged"
    assert result["nics"][0]["notes"] == []


@pytest.mark.parametrize(
    "rc, log, state, words",
    [
        (0, " CRITICAL ERROR: ASSERT EXCEPTION\n", "failed", "reported: CRITICAL ERROR: ASSERT"),
        (0, " ERR[MISC]: NIC firmware update failed\n", "failed", "NIC firmware update failed"),
        (0, "Pushing bfb\n", "failed", "although the installer reported success"),
        (124, "Pushing bfb\n", "failed", "did not end within its time limit"),
        (255, "Transfer/Verify failed\n", "failed", "Transfer/Verify failed"),
        (124, GOOD_LOG, "staged", ""),
    ],
)
def test_the_flash_and_the_log_judge(files, rc, log, state, words):
    files.card.bundle = Result(rc, log, "")
    result = apply_firmware(files.host(), nics(bundle="/fw.bfb"))
    (card,) = result["nics"]
    assert card["state"] == state
    assert words in card["sentence"]
    assert result["failed_nics"] == ([PCI] if state == "failed" else [])
    if rc == 124:
        assert card["notes"][0].endswith("did not end by itself and was stopped.")


def test_an_owned_rshim_is_named(files):
    files.put("/dev/rshim1/misc", "another backend already attached\n")
    with pytest.raises(NicError, match="start the service rshim, or release the card on the BMC"):
        apply_firmware(files.host(), nics(bundle="/fw.bfb"))


@pytest.mark.parametrize(
    "given, brought",
    [
        ({"image": "/new.bin"}, "/new.bin"),
        ({"bundle": "/new.bfb"}, "/new.bfb"),
        ({"bundle": "/fw.bfb", "config": "/bf.cfg"}, "/bf.cfg"),
    ],
)
def test_check_mode_predicts_what_the_run_brings(files, given, brought):
    """Neither files nor the service rshim of earlier tasks are there in check mode."""
    for name in ("rshim0", "rshim1"):
        (files.root / f"dev/{name}/misc").unlink()
        (files.root / f"dev/{name}").rmdir()
    result = apply_firmware(files.host(check=True), nics(**given), brought=[brought])
    assert (result["changed"], result["nics"][0]["state"]) == (True, "staged")
    with pytest.raises(NicError, match="there is no file"):
        apply_firmware(files.host(), nics(**given), brought=[brought])
    with pytest.raises(NicError, match="there is no file"):
        apply_firmware(files.host(check=True), nics(**given))


def test_check_mode_still_names_an_rshim_that_runs_and_serves_nobody(files):
    for name in ("rshim0", "rshim1"):
        (files.root / f"dev/{name}/misc").unlink()
        (files.root / f"dev/{name}").rmdir()
    files.put("/proc/77/comm", "rshim\n")
    with pytest.raises(NicError, match="release the card on the BMC"):
        apply_firmware(files.host(check=True), nics(bundle="/fw.bfb"))


@pytest.mark.parametrize(
    "given, tool, package",
    [
        ({"images": "/srv"}, "mlxfwmanager", "mft"),
        ({"image": "/img.bin"}, "flint", "mft"),
        ({"bundle": "/fw.bfb"}, "bfb-install", "rshim"),
    ],
)
def test_the_tool_that_is_missing_is_the_one_that_is_named(files, given, tool, package):
    files.card.broken[f"{tool} -{'b' if tool[0] == 'b' else 'd'}"] = Result(127, "", "no")
    words = rf"{tool} is not installed; install DOCA-Host \(package {package}\), .*playbook dpus"
    answers_first(files, given)
    with pytest.raises(NicError, match=words):
        apply_firmware(files.host(), nics(**given))


def answers_first(files, given):
    """Set the answers of a tool that is missing for the burn."""
    if "image" not in given:
        return
    files.card.broken.pop("flint -d")
    answer = files.card.do_flint(["flint", "-d", PCI, "q"])
    answers = iter((answer, *[Result(127, "", "no")] * 9))
    real = files.card.do_flint
    files.card.do_flint = lambda argv: real(argv) if argv[1] == "-i" else next(answers)


def test_functions_that_an_installation_left_without_driver_are_named(files):
    log = f"Unbinding pf0 ({PCI})\nPushing bfb\n"
    files.card.bundle = Result(124, log, "")
    (card,) = apply_firmware(files.host(), nics(bundle="/fw.bfb"))["nics"]
    assert f"{PCI}: no driver is bound to this function" in card["sentence"]
    assert f"reboot the host, or bind it with 'echo {PCI} > /sys/bus" in card["sentence"]
    files.card.bundle = Result(124, GOOD_LOG + log, "")
    (card,) = apply_firmware(files.host(), nics(bundle="/fw.bfb"))["nics"]
    assert card["state"] == "staged"
    assert card["notes"][-1].startswith(f"{PCI}: no driver is bound to this function")


def test_functions_that_have_their_driver_again_are_not(files):
    back = f"Unbinding pf0 ({PCI})\nPushing bfb\nBinding pf0 ({PCI})\n"
    files.card.bundle = Result(0, back, "")
    (card,) = apply_firmware(files.host(), nics(bundle="/fw.bfb"))["nics"]
    assert "mlx5_core" not in card["sentence"]
    files.put(f"/sys/bus/pci/devices/{PCI}/driver/bind", "")
    files.card.bundle = Result(124, f"Unbinding pf0 ({PCI})\n", "")
    (card,) = apply_firmware(files.host(), nics(bundle="/fw.bfb"))["nics"]
    assert "mlx5_core" not in card["sentence"]


@pytest.mark.parametrize(
    "device, running, wanted, reset",
    [
        ("1023", "40.46.1006", "40.48.1120", "reset"),
        ("1023", "40.48.1120", "40.46.1006", "power_cycle"),
        ("a2dc", "32.46.1006", "32.48.1000", "power_cycle"),
        ("1023", "40.9.1", "40.10.1", "reset"),
        ("1023", "40.48.1120", "40.48.1120", "none"),
    ],
)
def test_what_activates_a_staged_version(device, running, wanted, reset):
    assert reset_for(device, {"running": running, "burned": wanted}, wanted) == reset


@pytest.mark.parametrize(
    "stored, expected",
    [
        ({"fw.version": "32.48.1000"}, ("32.48.1000", "32.48.1000", "devlink")),
        ({"fw.version": "32.43.1014"}, ("32.43.1014", "32.43.1014", "devlink")),
        ({}, ("32.48.1000", "", "flint")),
    ],
)
def test_what_devlink_does_not_say_is_read_from_the_flash(world, stored, expected):
    """A version that is burned and waits passed for none where devlink tells nothing of it."""
    world.card.burned = "32.48.1000"
    versions = {
        "fixed": {"fw.psid": world.card.psid},
        "running": {"fw.version": world.card.running},
        "stored": stored,
    }
    told = {"info": {f"pci/{PCI}": {"driver": "mlx5_core", "versions": versions}}}
    world.card.broken["devlink dev info"] = Result(0, json.dumps(told), "")
    (card,) = gather(world.host(), nics_from([{"pci": PCI}]), ("firmware",))
    found = card["firmware"]
    assert (found["burned"], found["stored"], found["source"]) == expected
    assert found["running"] == "32.43.1014"
