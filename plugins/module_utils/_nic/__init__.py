# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The tools of NICs. Every module of hosts imports this first: an older Python is one sentence, no trace."""

import json
import sys

if sys.version_info < (3, 9):  # noqa: UP036 - hosts have what they have
    WORDS = "Python %d.%d is too old for this collection: set ansible_python_interpreter to 3.9 or newer."
    sys.stdout.write(json.dumps({"failed": True, "msg": WORDS % sys.version_info[:2]}) + "\n")
    raise SystemExit(1)
