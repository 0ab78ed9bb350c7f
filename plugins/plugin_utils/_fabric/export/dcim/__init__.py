# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""State of a fabric in a DCIM as planned, and its difference from the DCIM.

``things`` has the neutral words, ``wanted`` the plan in these words, ``difference`` what has to change,
``owners`` who decides about which field, ``pull`` the way back. Nothing here knows HTTP or a product.
"""
