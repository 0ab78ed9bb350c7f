# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An answer of another form is one sentence that names the device."""

from __future__ import annotations

import pytest

from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._fabric.description.errors import (
    FabricError,
)
from ansible_collections.spectrum_x.fabric.plugins.plugin_utils._jobs.host.form import (
    NONSENSE,
    in_form,
)


@pytest.mark.parametrize("kind", NONSENSE)
def test_what_breaks_on_an_answer_names_the_device(kind):
    with pytest.raises(FabricError) as caught, in_form("h01", "host"):
        raise kind("a\nPLAY RECAP")
    (said,) = caught.value.sentences
    assert said.startswith("h01: its answer does not have the form of module host (")
    assert "\n" not in said


def test_another_error_is_passed_on():
    with pytest.raises(OSError, match="disk"), in_form("h01", "host"):
        raise OSError("disk")
