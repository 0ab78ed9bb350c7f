# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Images of a switch: what counts is what it shows after an action, and what is not known ends it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._http.reply import Reply
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.document.release import parse
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.errors import (
    NvueError,
    TransportError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._nvue.wire import images

OLD = {"release": "5.16.1", "build-id": "a1"}
NEW = {"release": "Cumulus Linux 5.16.7", "build-id": "b7"}
DONE, RUNS = {"state": "action_success"}, {"state": "running"}
URL = "http://images/cumulus-linux-5.16.7.bin"
INSTALL = "POST /system/image/files/cumulus-linux-5.16.7.bin"
STATE = "GET /system/image"
AT_100 = {"state": "action_error", "issue": [{"message": "Installing image"}]}
TARGET = ("b7", parse("5.16.7"), (60.0, 60.0))


def shown(
    current: Any = "partition1", next_: Any = "partition1", two: Any = None
) -> dict[str, Any]:
    return {"current": current, "next": next_, "partition1": OLD, "partition2": two or {}}


@pytest.mark.parametrize("word", ["partition2", "2", 2])
def test_partitions_are_read_in_every_form(switch: Callable[..., Any], word: Any) -> None:
    found = images.state(switch(script={STATE: [shown(next_=word, two=NEW)]}).api())
    assert (found.current, found.next, found.other) == ("partition1", "partition2", "partition2")
    assert found.pending
    assert found.running.holds(parse("5.16.1"), "a1")
    assert found.waiting.holds(parse("5.16.7"), "b7")
    assert not found.waiting.holds(parse("5.16.7"), "b8")
    assert not images.Partition().holds(parse("5.16.7"), "")


@pytest.mark.parametrize(
    "answer",
    [
        shown("partition3"),
        shown(None),
        shown(True),
        {},
        [],
        shown(two={"release": "x"}),
        shown(two=7),
    ],
)
def test_what_is_not_known_is_an_error(switch: Callable[..., Any], answer: Any) -> None:
    with pytest.raises(NvueError):
        images.state(switch(script={STATE: [answer]}).api())


def test_a_switch_without_images_has_no_boot_to_come(switch: Callable[..., Any]) -> None:
    absent = Reply(
        404,
        {"content-type": "application/json"},
        b'{"title": "The requested item does not exist."}',
    )
    assert not images.pending(switch(script={STATE: [absent]}).api())
    assert images.pending(switch(script={STATE: [shown(next_="partition2")]}).api())


def test_an_image_is_fetched_and_installed(switch: Callable[..., Any]) -> None:
    made = switch(
        script={
            "POST /system/image": [1],
            INSTALL: [2],
            "GET /action/1": [RUNS, DONE],
            "GET /action/2": [DONE],
            STATE: [shown(), shown(two=NEW)],
        }
    )
    images.install(made.api(), URL, *TARGET)
    posts = [body for body in made.bodies if body]
    assert posts == [
        {"@fetch": {"state": "start", "parameters": {"remote-url": URL}}},
        {"@install": {"state": "start", "parameters": {"force": True}}},
    ]


@pytest.mark.parametrize(
    "job, after, words",
    [
        (AT_100, shown(two=NEW), ""),
        (AT_100, shown(two=OLD), "partition2 has 5.16.1 a1 after the installation, expected 5.16.7 build b7"),
        (DONE, shown(), "partition2 has nothing after"),
        (DONE, shown(next_="partition2", two=NEW), "changed the partition of the next boot to partition2"),
    ],
)  # fmt: skip
def test_an_installation_counts_by_what_the_partition_has(
    switch: Callable[..., Any], job: Any, after: Any, words: str
) -> None:
    script = {
        "POST /system/image": [1],
        "GET /action/1": [DONE],
        INSTALL: [2],
        "GET /action/2": [job],
    }
    api = switch(script={**script, STATE: [shown(), after]}).api()
    if not words:
        images.install(api, URL, *TARGET)
        return
    with pytest.raises(NvueError, match=words):
        images.install(api, URL, *TARGET)


def test_a_fetch_that_is_cut_installs_nothing(switch: Callable[..., Any]) -> None:
    cut = {"state": "action_error", "issue": [{"message": "connection reset"}]}
    made = switch(script={"POST /system/image": [1], "GET /action/1": [cut], STATE: [shown()]})
    with pytest.raises(NvueError, match="connection reset"):
        images.install(made.api(), URL, *TARGET)
    assert not any(INSTALL in line for line in made.log)


@pytest.mark.parametrize(
    "job, states, words",
    [
        ([DONE], [shown(), shown(next_="partition2")], ""),
        ([RUNS], [shown(), shown(next_="partition2")], ""),  # 4547463: it times out and still runs
        ([DONE], [shown()], "boot-next shows partition1 and not partition2: set"),
        ([{"state": "action_error", "status": "no"}], [shown()], "ended as action_error: no"),
    ],
)
def test_the_next_boot_is_what_the_switch_shows(
    switch: Callable[..., Any], job: Any, states: Any, words: str
) -> None:
    made = switch(script={"POST /system/image": [1], "GET /action/1": job, STATE: states})
    if words:
        with pytest.raises(NvueError, match=words):
            images.boot_next(made.api(), "partition2", 30.0)
    else:
        images.boot_next(made.api(), "partition2", 30.0)
    sent = {"state": "start", "parameters": {"partition": "partition2"}}
    assert made.bodies[0] == {"@boot-next": sent}


def up(seconds: Any) -> dict[str, Any]:
    return {"build": "Cumulus Linux 5.16.7", "uptime": seconds}


REFUSED = TransportError("leaf-01:8765: no connection (refused).")
LOGIN = Reply(401, {"content-type": "application/json"}, b"{}")


def test_a_boot_is_waited_for_through_all_that_is_normal(switch: Callable[..., Any]) -> None:
    said: list[str] = []
    made = switch(
        script={
            "GET /system": [up(9000), up(9000), REFUSED, REFUSED, LOGIN, LOGIN, up(4)],
            "POST /system": [7],
        }
    )
    api = made.api()
    images.await_boot(api, images.reboot(api), 600, said.append)
    assert made.bodies[1] == {"@reboot": {"state": "start", "parameters": {"no-confirm": True}}}
    assert made.log.count("GET /system?rev=operational") == 7


def test_a_short_uptime_of_before_shows_no_boot(switch: Callable[..., Any]) -> None:
    made = switch(script={"GET /system": [up(3), up(3), up(4), up(1)], "POST /system": [7]})
    api = made.api()
    images.await_boot(api, images.reboot(api), 600, [].append)
    assert made.log.count("GET /system?rev=operational") == 4
    with pytest.raises(NvueError, match="reports no uptime"):
        images.reboot(switch(script={"GET /system": [up("unknown")]}).api())


@pytest.mark.parametrize(
    "answer, words",
    [
        (REFUSED, r"not back \d+ s after the reboot \(.*refused\)\): look at its console"),
        (LOGIN, r"not back \d+ s after the reboot \(.*refused the user"),
        (up(9000), r"not back \d+ s after the reboot \(it runs for 9000 s"),
        (up("unknown"), "reports no uptime"),
    ],
)
def test_a_switch_that_does_not_come_back_is_named(
    switch: Callable[..., Any], answer: Any, words: str
) -> None:
    said: list[str] = []
    api = switch(script={"GET /system": [answer]}).api()
    with pytest.raises(NvueError, match=words):
        images.await_boot(api, images.Boot(api.clock.now(), 9000), 600, said.append)
    assert all("reboots for" in line for line in said)
    assert len(said) <= 10
