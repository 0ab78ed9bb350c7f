# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Firmware of the cards, with three answers: it matches, it is staged, or it failed.

An exit code of 0 proves nothing here: the flash is read again after every installation, and the
log of `bfb-install` is searched for its failure texts. All waits end by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple, TypedDict

from .desired import Firmware, Nic
from .discover import BLUEFIELDS, card_of, without_driver
from .errors import NicError
from .gather import cards_for
from .parse.flint import offered, parse_query
from .plan.base import answer
from .read.card import read_flash, refuse_restricted, unanswered
from .records import Answer, Card, Flash
from .tools import MISSING, TIMED_OUT, Host, Result, Step, failed, reason, runs

MATCHES, STAGED, DIFFERS, FAILED = "matches", "staged", "differs", "failed"
FAILURES = re.compile(
    r"CRITICAL ERROR|(?:^|\s)ERR(?:\[|\s|:)|Transfer/Verify failed|ActivateFirmware Failed"
    r"|No matching image found",
    re.MULTILINE,
)
ENDS = {
    "nic": re.compile(r"In Enhanced NIC mode|Runtime upgrade finished", re.IGNORECASE),
    "dpu": re.compile(r"DPU is ready|Linux up|Rebooting\.\.\.", re.IGNORECASE),
}
READ_BACK = 180  # seconds a card may stay away after its functions were unbound
UNREAD: Flash = {"psid": "", "running": "unknown", "burned": "unknown", "source": "none"}


class BurnResult(TypedDict):
    """Result of burning a card's firmware."""

    pci: str
    state: str
    wanted: str
    running: str
    burned: str
    psid: str
    reset_needed: str
    notes: list[str]
    sentence: str


class Job(NamedTuple):
    """Limits of an installation: seconds until it is stopped, files that are not looked for."""

    timeout: float
    brought: frozenset[str]


def apply_firmware(
    host: Host,
    nics: Iterable[Nic],
    *,
    install_timeout: float = 2400,
    brought: Iterable[str] = (),
) -> Answer:
    """{changed, diff, commands, nics: [{pci, state, running, burned, ...}]}; card after card.

    The first card that fails ends the run, so that a bad image meets one card only. Files of
    `brought` come with the run, so that check mode does not look for them.
    """
    job = Job(install_timeout, frozenset(brought) if host.check_mode else frozenset())
    results, steps = [], []
    for card, nic in cards_for(host, nics):
        if nic.firmware:
            result, done = _card(host, card, nic, nic.firmware, job)
            results.append(result)
            steps += done
            if result["state"] == FAILED:
                break
    failed_nics = [r["pci"] for r in results if r["state"] == FAILED]
    return answer(steps, nics=results, failed_nics=failed_nics)


def state_of(found: Flash, version: str) -> str:
    """`matches` (runs), `staged` (burned, runs after a reset or power cycle) or `differs`."""
    if found["burned"] != version:
        return DIFFERS
    return MATCHES if found["running"] == version else STAGED


def reset_for(device: str, found: Flash, version: str) -> str:
    """Reset that activates a staged version: downgrades and BlueField need a power cycle."""
    if found["running"] == version:
        return "none"
    down = _order(version) < _order(found["running"])
    return "power_cycle" if down or device in BLUEFIELDS else "reset"


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def _card(
    host: Host, card: Card, nic: Nic, wanted: Firmware, job: Job
) -> tuple[BurnResult, list[Step]]:
    found = read_flash(host, card["pci"])
    _check_psid(nic, found["psid"])
    if not wanted.force and state_of(found, wanted.version) != DIFFERS:
        return _result(card, found, wanted, state_of(found, wanted.version)), []
    refuse_restricted(host, card["pci"])
    step = _step(host, card, wanted, found, job)
    said = host.attempt(step)
    if host.check_mode:
        return _result(card, {**found, "burned": wanted.version}, wanted, STAGED), [step]
    result = _judged(host, card, wanted, found, said)
    if result["state"] != FAILED:
        return result, [step]
    burned = replace(step, after=result["burned"])
    return result, [burned] if burned.before != burned.after else []


def _check_psid(nic: Nic, psid: str) -> None:
    if nic.psid and psid and nic.psid != psid:
        raise NicError(
            f"{nic.pci}: the card's PSID is {psid}, the plan says {nic.psid}; "
            "its image is another one: correct the address or the PSID."
        )


def _step(host: Host, card: Card, wanted: Firmware, found: Flash, job: Job) -> Step:
    if wanted.image:
        argv = _flint(host, card, wanted, found["psid"], job)
    elif wanted.images:
        argv = _manager(host, card, wanted, found["psid"], job)
    elif wanted.bundle:
        argv = _bfb(host, card, wanted, job)
    else:
        raise NicError(
            f"{card['pci']}: firmware {found['burned']} is not {wanted.version} and no image is "
            "given; set firmware.image, firmware.images or firmware.bundle."
        )
    return Step(
        card["pci"], "firmware", found["burned"], wanted.version, argv=argv, timeout=job.timeout
    )


def _flint(host: Host, card: Card, wanted: Firmware, psid: str, job: Job) -> tuple[str, ...]:
    """The burn, after the image itself was asked for its board and version."""
    burn = ("flint", "-d", card["pci"], "-i", wanted.image, "-y", "burn")
    if not _there(host, card["pci"], wanted.image, job):
        return burn
    said = host.ask("flint", "-i", wanted.image, "q")
    if failed(said):
        raise NicError(f"{wanted.image}: flint cannot read this image: {reason(said)}.")
    image = parse_query(said.out)
    if image["psid"] != psid:
        raise NicError(
            f"{card['pci']}: the image is for PSID {image['psid']}, the card is {psid}; "
            "get the image of this board."
        )
    if image["burned"] != wanted.version:
        raise NicError(
            f"{wanted.image}: it holds firmware {image['burned']}, expected {wanted.version}; "
            "correct one of them."
        )
    return burn


def _manager(host: Host, card: Card, wanted: Firmware, psid: str, job: Job) -> tuple[str, ...]:
    """The burn, after the tool was asked which image of the folder it would take for this board."""
    pci, folder = card["pci"], wanted.images
    ask = ("mlxfwmanager", "-d", pci, "-D", folder)
    burn = (*ask, "-u", "-y")
    if not _there(host, pci, folder, job):
        return burn
    said = host.ask(*ask, "--query-format", "XML")
    if failed(said):
        raise unanswered(host, pci, "mlxfwmanager", said)
    found = offered(said.out, psid)
    if found in ("", "N/A"):
        raise NicError(
            f"{pci}: the folder {folder} holds no image for the card's PSID {psid}; put the image "
            "of this board there."
        )
    if found != wanted.version:
        raise NicError(
            f"{pci}: of the folder {folder} mlxfwmanager would burn {found}, expected "
            f"{wanted.version}; leave only that image for PSID {psid} there."
        )
    return burn


def _bfb(host: Host, card: Card, wanted: Firmware, job: Job) -> tuple[str, ...]:
    if card["device"] not in BLUEFIELDS:
        raise NicError(
            f"{card['pci']}: {card['model']} accepts no BlueField bundle; set firmware.image."
        )
    _there(host, card["pci"], wanted.bundle, job)
    config: tuple[str, ...] = ()
    if wanted.config:
        _there(host, card["pci"], wanted.config, job)
        config = ("-c", wanted.config)
    return ("bfb-install", "-b", wanted.bundle, "-r", rshim_of(host, card, wanted), *config)


def _there(host: Host, pci: str, name: str, job: Job) -> bool:
    """Is the file on the host? False only for one that the run brings; NicError for any other."""
    if host.exists(name):
        return True
    if name in job.brought:
        return False
    raise NicError(f"{pci}: there is no file {name} on the host; copy it there first.")


def rshim_of(host: Host, card: Card, wanted: Firmware) -> str:
    """`rshimN` of this card: the one named, else the one whose DEV_NAME is on the same card.

    In check mode a service that does not run is not started either: its device is a guess then.
    """
    names = [name for name in host.entries("/dev") if re.match(r"^rshim\d+$", name)]
    for name in [wanted.rshim] if wanted.rshim else names:
        misc = host.text(f"/dev/{name}/misc", device=True)
        if misc is None or "another backend" in misc:
            continue
        device = re.search(r"^DEV_NAME\s+pcie-(\S+)", misc, re.MULTILINE)
        if wanted.rshim or (device and card_of(device.group(1)) == card_of(card["pci"])):
            return name
    if host.check_mode and not names and not runs(host, "rshim"):
        return wanted.rshim or "rshim0"
    raise NicError(
        f"{card['pci']}: no rshim device of the host serves this card ({', '.join(names) or 'none'}"
        " found): start the service rshim, or release the card on the BMC, which owns it otherwise."
    )


def _judged(host: Host, card: Card, wanted: Firmware, before: Flash, said: Result) -> BurnResult:
    """The verdict after an installation: by the flash, by the log, last by the exit code."""
    if said.rc == MISSING:
        tool = "flint" if wanted.image else "mlxfwmanager" if wanted.images else "bfb-install"
        raise unanswered(host, card["pci"], tool, said)
    found = host.answer(lambda: read_flash(host, card["pci"]), READ_BACK, every=5) or UNREAD
    bad = FAILURES.search(said.text)
    notes = [*_notes(card, wanted, said), *_left_unbound(host, said)]
    if found["burned"] == wanted.version and not bad:
        return _result(card, found, wanted, state_of(found, wanted.version), notes)
    why = _line_of(said.text, bad) if bad else _silent(found, wanted, before, said)
    sentence = " ".join([f"{card['pci']}: {why}.", *_left_unbound(host, said)])
    return {**_result(card, found, wanted, FAILED, notes), "sentence": sentence}


def _notes(card: Card, wanted: Firmware, said: Result) -> list[str]:
    notes = []
    if said.rc == TIMED_OUT:
        notes.append(f"{card['pci']}: the installer did not end by itself and was stopped.")
    elif said.rc:
        notes.append(f"{card['pci']}: the installer ended with status {said.rc}.")
    end = ENDS["dpu" if card.get("mode") == "dpu" else "nic"]
    if wanted.bundle and not end.search(said.text):
        notes.append(f"{card['pci']}: the log of bfb-install lacks its usual last message.")
    return notes


def _left_unbound(host: Host, said: Result) -> list[str]:
    """In NIC mode bfb-install takes the functions from their driver and gives them back at its end."""
    taken = re.findall(r"^[^\S\n]*Unbinding \S+ \((\S+?)\)", said.text, re.MULTILINE)
    back = re.findall(r"^[^\S\n]*Binding \S+ \((\S+?)\)", said.text, re.MULTILINE)
    lost = [pci for pci in taken if pci not in back]
    return [sentence for sentence in (without_driver(host, pci) for pci in lost) if sentence]


def _line_of(text: str, match: re.Match[str]) -> str:
    start = text.rfind("\n", 0, match.start() + 1) + 1
    return f"the installer reported: {text[start:].splitlines()[0].strip().rstrip('.')}"


def _silent(found: Flash, wanted: Firmware, before: Flash, said: Result) -> str:
    cause = f" ({reason(said)})" if failed(said) else " although the installer reported success"
    return (
        f"firmware is {found['burned']} (was {before['burned']}) instead of {wanted.version}{cause}"
    )


def _result(
    card: Card, found: Flash, wanted: Firmware, state: str, notes: Iterable[str] = ()
) -> BurnResult:
    return {
        "pci": card["pci"],
        "state": state,
        "wanted": wanted.version,
        "running": found["running"],
        "burned": found["burned"],
        "psid": found["psid"],
        "reset_needed": reset_for(card["device"], found, wanted.version)
        if state == STAGED
        else "none",
        "notes": list(notes),
        "sentence": "",
    }
