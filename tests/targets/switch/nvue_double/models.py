# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Switch models: how many cages, and which ASIC. SN5600/SN5400 from the reference's port table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """A hardware model; `ports` counts the cages, the service ports of some models included."""

    name: str
    ports: int
    asic: str


MODELS = {
    model.name: model
    for model in (
        Model("SN5400", 66, "Spectrum-4"),
        Model("SN5600", 66, "Spectrum-4"),
        Model("SN5610", 66, "Spectrum-4"),
        Model("SN5640", 66, "Spectrum-5"),
        Model("SN2201", 52, "Spectrum-1"),
        Model("SN3700C", 32, "Spectrum-2"),
        Model("SN4600C", 64, "Spectrum-3"),
    )
}
