# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a switch fetches by HTTP, for real; the words of failures are inferred.

A certificate of an HTTPS server is not verified: no page says against what a switch would.
"""

from __future__ import annotations

from urllib.parse import urlsplit

import aiohttp

_SECONDS = 30


class FetchError(Exception):
    """A file that could not be fetched; the text says why."""


async def get(url: str, most: int | None = None) -> bytes:
    """The content behind a URL; with `most` the connection ends after as many bytes."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise FetchError(f"Failed to fetch {url}: this double fetches by http and https only")
    timeout = aiohttp.ClientTimeout(total=_SECONDS)
    try:
        client = aiohttp.ClientSession(timeout=timeout)
        async with client as session, session.get(url, ssl=False) as answer:
            if answer.status != 200:
                raise FetchError(f"Failed to fetch {url}: HTTP {answer.status}")
            return await (answer.read() if most is None else answer.content.read(most))
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError) as error:
        raise FetchError(f"Failed to fetch {url}: {error or type(error).__name__}") from error
