# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A switch without its API: realises the documents that are put before it, until it is ended. It needs PYTHONPATH.

Each /run/document.json is taken up once it is renamed into place; /run/report.json is the answer.
"""

from __future__ import annotations

import json
import os
import pathlib
import time

from realiser import Realiser

WISH, ANSWER = pathlib.Path("/run/document.json"), pathlib.Path("/run/report.json")


def main() -> None:
    """Realise one document after the other."""
    realiser = Realiser("auto", RuntimeError, mac=os.environ["SPX_MAC"])
    while True:
        if WISH.exists():
            document = json.loads(WISH.read_text(encoding="utf-8"))
            WISH.unlink()
            realiser.realise(document)
            part = ANSWER.with_suffix(".part")
            part.write_text(json.dumps(realiser.report()), encoding="utf-8")
            part.rename(ANSWER)
        time.sleep(0.1)


if __name__ == "__main__":
    main()
