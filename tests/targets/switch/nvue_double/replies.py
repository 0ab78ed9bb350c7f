# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The shapes of answers: JSON problems, HTML pages of the proxy in front, dropped connections."""

from __future__ import annotations

import http
from typing import Any

from aiohttp import web

_SERVER = "nginx/1.22.1"


class Problem(Exception):
    """An error answered as JSON: title, detail, status, type."""

    def __init__(self, status: int, detail: str, **more: Any) -> None:
        super().__init__(detail)
        self.status = status
        self.body = {
            "title": http.HTTPStatus(status).phrase,
            "detail": detail,
            "status": status,
            "type": "about:blank",
            **more,
        }

    def response(self) -> web.Response:
        """The answer to send."""
        return web.json_response(self.body, status=self.status)


class Page(Exception):
    """An error answered by the proxy as an HTML page."""

    def __init__(self, status: int, text: str = "") -> None:
        super().__init__(text)
        self.status = status
        self.text = text

    def response(self) -> web.Response:
        """The answer to send."""
        title = f"{self.status} {self.text or http.HTTPStatus(self.status).phrase}"
        body = (
            f"<html>\r\n<head><title>{title}</title></head>\r\n<body>\r\n"
            f"<center><h1>{title}</h1></center>\r\n<hr><center>{_SERVER}</center>\r\n"
            "</body>\r\n</html>\r\n"
        )
        headers = {"WWW-Authenticate": 'Basic realm="NVUE"'} if self.status == 401 else {}
        return web.Response(
            text=body, status=self.status, content_type="text/html", headers=headers
        )


class Drop(Exception):
    """No answer at all: the connection is cut."""


def missing() -> Problem:
    """The answer for an object that does not exist."""
    return Problem(404, "The requested item does not exist.")
