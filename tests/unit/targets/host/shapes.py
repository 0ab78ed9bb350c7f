# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of perftest without what differs from run to run and from card to card; what an option is called."""

from __future__ import annotations

import re

CARDS = r"(GID index       : |GID_index: |Mtu: | Mtu             : |Max_inline_data: |Max inline data : )\d+"


def shape(text: str) -> str:
    """Keys, addresses, the card's name and abilities, and figures are the same word in every text."""
    text = re.sub(r"(QPN|PSN|RKey|VAddr) 0x[0-9a-f]+", r"\1 X", text)
    text = re.sub(r"(?m)^ GID: [\d:]+$", " GID: X", text)
    text = re.sub(r"\b(rxe0|mlx5_0)\b", "DEVICE", text)
    text = re.sub(r"(ibv_wr\* API     : |ibv_wr_API: )\w+", r"\1X", text)
    text = re.sub(CARDS, r"\1X", text)
    text = re.sub(r"(?m)^((?:Msg|n_it|BW_|t_|tps|perc)\w[\w.]*: )[\d.]+", r"\1N", text)
    return re.sub(r"(?m)^ \d[\d. \t]+$", lambda row: " N" * len(row.group().split()), text)


def spellings(usage: str) -> set[str]:
    """The options that a usage names, each as `-a` or `--all`."""
    lines = [line.strip() for line in usage.splitlines() if re.match(r"\s+-", line)]
    return {word for line in lines for word in re.findall(r"(?:^|, )(--?[\w-]+)", line)}
