# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bad input and the sentences that it gets, one folder each.

`errors/<name>/fabric.yml`, with the files beside it that it names, must not load; `expected.txt`
holds what a person reads then.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.plan.fabric import Fabric

HERE = Path(__file__).parent
CASES = sorted(path.name for path in (HERE / "errors").iterdir() if path.is_dir())


@pytest.mark.parametrize("case", CASES)
def test_error(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = HERE / "errors" / case
    monkeypatch.chdir(folder)
    with pytest.raises(FabricError) as caught:
        Fabric.load("fabric.yml")
    text = str(caught.value).replace(str(folder.resolve()), ".").replace(str(folder), ".") + "\n"
    expected = folder / "expected.txt"
    if os.environ.get("SPX_UPDATE_GOLDEN"):
        expected.write_text(text, encoding="utf-8")
    assert text == expected.read_text(encoding="utf-8")


@pytest.mark.parametrize("case", CASES)
def test_sentences_say_where_and_what_to_do(case: str) -> None:
    """Each line is one sentence: a place, a colon, what is wrong, and after it the remedy."""
    for line in (HERE / "errors" / case / "expected.txt").read_text(encoding="utf-8").splitlines():
        assert re.match(
            r"\S+\.(yml|csv)( line \d+)?(, [^:]+)?(:| does not| cannot) .+: .+\.$", line
        )
        assert "  " not in line
        assert "Traceback" not in line
