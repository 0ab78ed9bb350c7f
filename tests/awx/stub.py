# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-in of a module of awx.awx: it takes the recorded options, and writes down its input."""

from __future__ import annotations

import json
import pathlib

from ansible.module_utils.basic import AnsibleModule

SPEC = json.loads(r"""@SPEC@""")


def main() -> None:
    """Refuse what the real module would refuse; else append one JSON line."""
    module = AnsibleModule(argument_spec=SPEC, supports_check_mode=True)
    given = {name: value for name, value in module.params.items() if value is not None}
    with pathlib.Path("@LOG@").open("a", encoding="utf-8") as log:
        log.write(json.dumps({"module": "@NAME@", "given": given}) + "\n")
    module.exit_json(changed=False)


if __name__ == "__main__":
    main()
