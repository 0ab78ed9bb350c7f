# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Brings an applied NVUE document to life with FRR, iproute2, nftables and lldpd."""

from __future__ import annotations

from .realiser import Realiser

__all__ = ["Realiser"]
