# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples in the text format of Prometheus, as node_exporter's textfile collector reads them.

line("spx_node_info", {"device": "worker-1", "tenant": "acme"}, 1)
'spx_node_info{device="worker-1",tenant="acme"} 1\n'
"""

from __future__ import annotations

import typing as t

_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


def line(name: str, labels: t.Mapping[str, object], value: object) -> str:
    """One sample; a label without a value is left out, as it is the same as an empty one."""
    pairs = ",".join(
        f'{key}="{str(text).translate(_ESCAPES)}"'
        for key, text in labels.items()
        if text not in ("", None)
    )
    return f"{name}{{{pairs}}} {value}\n" if pairs else f"{name} {value}\n"


def head(name: str, kind: str, text: str) -> str:
    """The kind and the meaning of a metric, ahead of its samples."""
    return f"# HELP {name} {text}\n# TYPE {name} {kind}\n"
