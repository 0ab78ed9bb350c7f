# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a DCIM should say of a fabric, and how that differs from what it says.

``things`` has the neutral words, ``wanted`` the plan in these words, ``difference`` what has to change,
``owners`` who decides about which field, ``pull`` the way back. Nothing here knows HTTP or a product.
"""
