# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets are sent only when the switch lacks them or a rotation names them, and never shown.

What a switch gives back for a secret is encrypted, hashed or starred, so it cannot be compared.
A secret that is there counts as equal; ``rotate`` (globs) says which are sent again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from ....module_utils._json import Doc, Json
from ..._http.secret_words import MASK, clean
from .paths import Globs, Path
from .tree import Change, get, has_below

# Leaves whose value is a secret at every place.
LEAVES = frozenset(
    {
        "auth-key",
        "auth-md5",
        "auth-sha",
        "current-password",
        "encrypt-aes",
        "encrypt-des",
        "hashed-password",
        "key",
        "md5-key",
        "passphrase",
        "password",
        "private-key",
        "secret",
        "shared-secret",
        "simple-password",
        "token",
    }
)
# Collections whose very keys are secrets (SNMP communities, and passwords of SNMP users).
COLLECTIONS = frozenset(
    {
        "auth-md5",
        "auth-sha",
        "community-password",
        "encrypt-aes",
        "encrypt-des",
        "readonly-community",
        "readonly-community-v6",
        "readwrite-community",
        "readwrite-community-v6",
    }
)
# A public key below these is none.
PUBLIC_BELOW = frozenset({"authorized-key"})

_ENCRYPTED = re.compile(r"\$nvsec\$.*|\*+", re.DOTALL)


def is_encrypted(value: Json) -> bool:
    """Return whether a value is what a switch shows in place of a secret."""
    return isinstance(value, str) and _ENCRYPTED.fullmatch(value) is not None


def is_secret(path: Path) -> bool:
    """Return whether the leaf at ``path`` is a secret by its name."""
    return path[-1] in LEAVES and not PUBLIC_BELOW.intersection(path)


def secret_places(wish: Doc) -> list[tuple[Path, Json]]:
    """Return the (path, value) of every secret of a document, those that are keys included."""
    found: list[tuple[Path, Json]] = []
    _secret_places(wish, (), False, found)
    return found


def _secret_places(doc: Doc, above: Path, is_below: bool, found: list[tuple[Path, Json]]) -> None:
    """Find the secrets of a document that lies at ``above``: all of it where it ``is_below`` a collection."""
    for key, value in doc.items():
        if value and isinstance(value, dict):
            _secret_places(value, (*above, key), is_below or key in COLLECTIONS, found)
        elif is_below or (key in LEAVES and is_secret((*above, key))):
            found.append(((*above, key), value))


def not_compared(wish: Doc, after: Doc) -> list[Path]:
    """Return the masked places of a wish's secrets that stay as the switch has them."""
    kept = {mask_path(path) for path, value in secret_places(wish) if get(after, path) != value}
    return sorted(kept)


def idle_rotations(wish: Doc, rotate: Iterable[str]) -> list[str]:
    """Return the globs of a rotation that name no secret of a wish."""
    globs = {glob: Globs([glob]) for glob in rotate}
    places = [path for path, _value in secret_places(wish)] if globs else []
    return [glob for glob in globs if not any(globs[glob].covers(path) for path in places)]


def keep_known(before: Doc, wish: Doc, rotate: Globs) -> Doc:
    """Return ``wish`` with every secret that the switch has replaced by what the switch shows."""
    return _keep(before, wish, (), rotate)


def _keep(before: Doc, wish: Doc, path: Path, rotate: Globs) -> Doc:
    kept: Doc = {}
    for key, value in wish.items():
        known = before.get(key)
        if known is None or known == value:
            kept[key] = value
        elif isinstance(known, dict) and isinstance(value, dict):
            kept[key] = _keep_member(known, value, (*path, key), rotate)
        elif isinstance(value, dict):
            kept[key] = value
        elif is_encrypted(known) or (key in LEAVES and is_secret((*path, key))):
            kept[key] = value if rotate.covers((*path, key)) else known
        else:
            kept[key] = value
    return kept


def _keep_member(known: Doc, value: Doc, path: Path, rotate: Globs) -> Doc:
    if path[-1] not in COLLECTIONS:
        return _keep(known, value, path, rotate)
    if rotate.covers(path) or len(known) < len(value):
        return value
    return known


def mask_path(path: Path) -> Path:
    """Return a path with secret keys masked."""
    if not COLLECTIONS.intersection(path) and not any(is_encrypted(key) for key in path):
        return path
    return tuple(
        MASK if is_encrypted(key) or (place and path[place - 1] in COLLECTIONS) else key
        for place, key in enumerate(path)
    )


def mask_change(change: Change) -> Change:
    """Return a change with secret values and keys masked; presence stays visible."""
    hide = is_secret(change.path)
    before, after = (
        MASK if value is not None and (hide or is_encrypted(value)) else value
        for value in (change.before, change.after)
    )
    return Change(mask_path(change.path), before, after)


def masked_key(number: int) -> str:
    """Return the mask of a secret key: the first of a collection has no number, the second is ``********-2``."""
    return MASK if number == 1 else f"{MASK}-{number}"


def masked_number(key: str) -> int:
    """Return the number of a masked key in its collection; 0 for a key that is no mask."""
    if not key.startswith(MASK):
        return 0
    number = key.removeprefix(f"{MASK}-")[:4]
    return int(number) if number.isdecimal() else 1


def mask(doc: Json, path: Path = ()) -> Json:
    """Return a document with secret values and keys masked, keys sorted; as many keys as there are."""
    if has_below(doc):
        return _masked_members(doc, path)
    hide = doc is not None and doc != {} and path and is_secret(path)
    return MASK if hide or is_encrypted(doc) else doc


def _masked_members(doc: Doc, path: Path) -> Doc:
    """Masked keys are numbered by what is below them: a switch may encrypt a key otherwise each time."""
    secret_keys = bool(path) and path[-1] in COLLECTIONS
    shown: Doc = {}
    hidden: list[Json] = []
    for key in sorted(doc):
        body = mask(doc[key], (*path, key))
        if secret_keys or is_encrypted(key):
            hidden.append(body)
        else:
            shown[key] = body
    if not hidden:
        return shown
    hidden.sort(key=json.dumps)
    return {masked_key(number): body for number, body in enumerate(hidden, 1)} | shown


def values(doc: Doc) -> Iterator[str]:
    """Yield every secret word of a document, so that it can be kept out of messages."""
    for path, value in secret_places(doc):
        yield from (key for above, key in pairwise(path) if above in COLLECTIONS)
        if isinstance(value, str) and is_secret(path):
            yield value


def scrub(text: str, words: Iterable[str]) -> str:
    """Return a text without the given secret words, and without what the switch has encrypted."""
    return re.sub(r"\$nvsec\$[^\s'\"]+", MASK, clean(text, words))
