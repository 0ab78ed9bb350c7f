# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulated set of NVIDIA NICs and strict stand-ins of the tools that configure them.

The stand-ins share one state file.  Formats and behaviour follow published material; the
README lists what is sourced and what is inferred.  Python 3.9, standard library only.
"""

from __future__ import annotations
