# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The one door to third-party libraries, so that a missing one is a sentence and not a traceback.

Everything else in the core imports netaddr, pydantic, PyYAML and ruamel.yaml from here. Where a
library is missing the names exist as inert stand-ins, and `require()` raises the sentence.
"""

from __future__ import annotations

import importlib
import types
import typing as t

from .errors import FabricError

MISSING: list[str] = []

if t.TYPE_CHECKING:
    import netaddr
    import pydantic
    import yaml
else:

    class _Inert:
        """In the place of a missing library; any class or decorator made of it does nothing."""

        def __init__(self, *_args, **_kwargs):
            pass

        def __init_subclass__(cls, **_kwargs):
            pass

        def __call__(self, *args, **_kwargs):
            return args[0] if args and callable(args[0]) else _Inert()

        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return _Inert

        def __class_getitem__(cls, _item):
            return cls

    def _load(name, package):
        try:
            return importlib.import_module(name)
        except ImportError:
            MISSING.append(package)
            return _Inert()

    netaddr = _load("netaddr", "netaddr")
    pydantic = _load("pydantic", "pydantic")
    yaml = _load("yaml", "PyYAML")

__all__ = ["MISSING", "netaddr", "pydantic", "require", "ruamel", "yaml"]


def ruamel() -> types.ModuleType:
    """The module ruamel.yaml, loaded only where the comments of a file must survive."""
    try:
        return importlib.import_module("ruamel.yaml")
    except ImportError as exc:
        raise FabricError.of(
            "The Python running Ansible lacks ruamel.yaml: "
            "run 'pip install -r requirements.txt' with the collection's requirements file."
        ) from exc


def require() -> None:
    """Raise FabricError when a library is missing; called before anything is read."""
    if MISSING:
        raise FabricError.of(
            f"The Python running Ansible lacks {', '.join(MISSING)}: "
            "run 'pip install -r requirements.txt' with the collection's requirements file."
        )
