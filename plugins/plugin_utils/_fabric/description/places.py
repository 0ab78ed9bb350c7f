# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Places as people write them, and ranges of them.

    pod01                       a pod
    su02, pod01/su02            an SU (a two-tier fabric may omit the pod)
    pod01/su02/h03, su02/03     a node's slot
    pod01/su02/[01-16]          sixteen slots
    */*/h04                     the fourth slot of every SU
    su02/rack03                 a rack, where racks are asked for (`kinds`)

Numbers are one-based in writing and zero-based in the result.
"""

from __future__ import annotations

import itertools
import math
import re
import typing as t

from .errors import FabricError, shown

_TOKEN = re.compile(
    r"(?P<kind>pod|su|h|rack)?(?:(?P<one>[0-9]{1,9})|\[(?P<many>[0-9,\-]+)\]|(?P<all>\*))$"
)
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_KINDS = ("pod", "su", "h")
RACKS = ("pod", "su", "rack")

FEW = 1 << 14
"""Nodes that a list may name in a fabric of any size."""

Place = tuple[int, ...]


def expand(
    text: str, *, limits: tuple[int, int, int], kinds: tuple[str, ...] = _KINDS
) -> list[Place]:
    """All places that a text names, as tuples (pod), (pod, su) or (pod, su, slot), in order.

    `limits` are the capacities: pods, SUs per pod, slots per SU; with `kinds` RACKS racks per SU. FabricError names
    the part that does not parse or does not exist.
    """
    return list(itertools.product(*_choices(text, limits, kinds)))


def size(text: str, *, limits: tuple[int, int, int]) -> int:
    """Count the slots of a text, without listing them."""
    choices = _choices(text, limits)
    return math.prod(map(len, choices)) * math.prod(limits[len(choices) :])


def too_many(sizes: t.Iterable[int], *, limits: tuple[int, int, int]) -> str:
    """Reason that the texts of a list mean too many slots, "" where they do not; the slots are not listed for it."""
    most = max(4 * math.prod(limits), FEW)
    if sum(sizes) <= most:
        return ""
    return f"more than {most} nodes are named, counting repetitions: name each node once."


def _choices(
    text: str, limits: tuple[int, int, int], kinds: tuple[str, ...] = _KINDS
) -> list[t.Sequence[int]]:
    tokens = [_token(part, text) for part in text.strip().split("/")]
    tokens = _with_pod(tokens, text, limits)
    choices = []
    for depth, (kind, numbers) in enumerate(tokens):
        if kind not in (None, kinds[depth]):
            raise _error(text, f"'{kind}' is where '{kinds[depth]}' is expected")
        choices.append(_numbers(numbers, limits[depth], text=text, kind=kinds[depth]))
    return choices


def text_of(place: Place, *, pods: int = 2) -> str:
    """`(0, 1, 2)` -> `pod01/su02/h03`, or `su02/h03` in a fabric of one pod."""
    parts = [f"{kind}{number + 1:02}" for kind, number in zip(_KINDS, place)]
    return "/".join(parts if pods > 1 or len(parts) == 1 else parts[1:])


def _token(part: str, text: str) -> tuple[str | None, str]:
    match = _TOKEN.match(part)
    if not match:
        raise _error(text, f"{shown(part)} is not a number, a range such as [01-16], or *")
    return match["kind"], match["one"] or match["many"] or "*"


def _with_pod(
    tokens: list[tuple[str | None, str]], text: str, limits: tuple[int, int, int]
) -> list[tuple[str | None, str]]:
    if tokens[0][0] == "su" or (tokens[0][0] is None and len(tokens) == 2 and limits[0] == 1):
        if limits[0] != 1:
            raise _error(text, "a fabric of several pods needs the pod, such as pod01/su01")
        tokens = [("pod", "1"), *tokens]
    if len(tokens) > 3:
        raise _error(text, "it has more than pod, su and slot")
    return tokens


def _numbers(numbers: str, limit: int, *, text: str, kind: str) -> t.Sequence[int]:
    if numbers == "*":
        return range(limit)
    found: list[int] = []
    for part, low, high in spans(numbers):
        if high < low:
            raise _error(text, f"{shown(part)} is not a range")
        if low < 1 or high > limit:
            raise FabricError.of(
                f"{shown(text)} is outside the capacity ({kind} {part}, and there are 1 to {limit}): name "
                "a place inside it."
            )
        found.extend(range(low - 1, high))
        if len(found) > limit:
            raise _error(
                text, f"it names more than the {limit} that there are, so one of them twice"
            )
    return found


def spans(numbers: str) -> t.Iterator[tuple[str, int, int]]:
    """Each part of `01-16,20` with its first and its last number; of what is not a range the last is the lower one."""
    for part in numbers.split(","):
        match = _RANGE.fullmatch(part)
        yield part, int(match[1]) if match else 1, int(match[2] or match[1]) if match else 0


def _error(text: str, why: str) -> FabricError:
    return FabricError.of(
        f"{shown(text)} is not a place ({why}): write pod01, pod01/su02, pod01/su02/h03 or "
        "pod01/su02/[01-16]."
    )
