# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A headless Chromium, driven over its debugging pipe with the standard library alone.

with Browser(profile_folder) as browser:
    page = browser.open("file:///.../atlas.html#172.18.1.2")
    page.eval("document.title")
    page.press("ArrowDown")
    page.troubles      errors of the console and requests that left the page: must stay empty
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
import typing as t
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-extensions",
    "--disable-default-apps",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]
# Nothing but files, or a server on loopback, is needed; a name that is asked for all the same leads nowhere.
FLAGS.append("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
PATIENCE = 30.0

KEYS = {
    "Enter": (13, "\r"),
    "Tab": (9, ""),
    "Escape": (27, ""),
    "ArrowLeft": (37, ""),
    "ArrowUp": (38, ""),
    "ArrowRight": (39, ""),
    "ArrowDown": (40, ""),
    "Home": (36, ""),
    "End": (35, ""),
    "/": (191, "/"),
}


def binary() -> str | None:
    """The browser of this machine; None when there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """One process with a profile of its own; ended, with what it started, on leaving."""

    def __init__(self, profile: Path) -> None:
        to_read, self._out = os.pipe()
        self._in, to_write = os.pipe()
        command = [binary() or NAMES[0], *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        wrapped = f'exec "$@" 3<&{to_read} 4>&{to_write}'
        self._process = subprocess.Popen(
            ["bash", "-c", wrapped, "bash", *command],
            pass_fds=(to_read, to_write),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_read)
        os.close(to_write)
        self._buffer = b""
        self._number = 0
        self._pages: dict[str, Page] = {}

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_exc: object) -> None:
        try:
            self.call("Browser.close")
            self._process.wait(10)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait(10)
        os.close(self._in)
        os.close(self._out)

    def call(self, method: str, session: str | None = None, **params: t.Any) -> dict[str, t.Any]:
        """The result of a method of the debugging protocol."""
        self._number += 1
        number = self._number
        message: dict[str, t.Any] = {"id": number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE
        while True:
            answer = self._receive(deadline)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return t.cast("dict[str, t.Any]", answer["result"])
            self._event(answer)

    def _receive(self, deadline: float) -> dict[str, t.Any]:
        while b"\0" not in self._buffer:
            ready, _w, _x = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
            chunk = os.read(self._in, 1 << 16) if ready else b""
            if not chunk:
                raise TimeoutError("the browser does not answer")
            self._buffer += chunk
        message, self._buffer = self._buffer.split(b"\0", 1)
        return t.cast("dict[str, t.Any]", json.loads(message))

    def _event(self, message: dict[str, t.Any]) -> None:
        page = self._pages.get(message.get("sessionId", ""))
        if page:
            page.hear(message["method"], message["params"])

    def open(self, url: str, *, width: int = 1280, height: int = 900) -> Page:
        """A new page at an address, loaded."""
        target = self.call("Target.createTarget", url="about:blank")
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        page = Page(self, attached["sessionId"])
        self._pages[attached["sessionId"]] = page
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(f"{domain}.enable")
        page.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        page.go(url)
        return page


class Page:
    """A page: what it says, what it is told, and what went wrong in it."""

    def __init__(self, browser: Browser, session: str) -> None:
        self._browser, self._session = browser, session
        self.troubles: list[str] = []

    def call(self, method: str, **params: t.Any) -> dict[str, t.Any]:
        """A method of the debugging protocol, for this page."""
        return self._browser.call(method, self._session, **params)

    def hear(self, method: str, params: dict[str, t.Any]) -> None:
        """Keep what a clean page never causes."""
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            told = details.get("exception", {}).get("description", details["text"])
            self.troubles.append(f"exception: {told}")
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning"):
            self.troubles.append(f"console: {params['args']}")
        elif method == "Log.entryAdded":
            self.troubles.append(f"log: {params['entry']['text']}")
        elif method == "Network.requestWillBeSent":
            url = params["request"]["url"]
            if not url.startswith(("file:", "data:", "about:")):
                self.troubles.append(f"request: {url}")

    def go(self, url: str) -> None:
        """Load an address and wait until the page is complete."""
        self.call("Page.navigate", url=url)
        self.wait(f"document.readyState === 'complete' && location.href === {json.dumps(url)}")

    def eval(self, expression: str) -> t.Any:
        """The value of a JavaScript expression, as plain data."""
        answer = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def wait(self, expression: str) -> None:
        """Until an expression is true."""
        deadline = time.monotonic() + PATIENCE
        while not self.eval(expression):
            if time.monotonic() > deadline:
                raise TimeoutError(f"never true: {expression}")
            time.sleep(0.02)

    def press(self, key: str) -> None:
        """A key, down and up."""
        code, text = KEYS[key]
        common = {"key": key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        """Text into what has the focus."""
        self.call("Input.insertText", text=text)

    def text(self, selector: str) -> str:
        """The text that a person sees of an element."""
        return str(self.eval(f"document.querySelector({json.dumps(selector)}).innerText"))

    def screenshot(self, path: Path) -> None:
        """A PNG of what is visible."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
