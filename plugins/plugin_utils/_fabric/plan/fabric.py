# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The waist: the one door to the plan.

    fabric = Fabric.load("model/fabric.yml")
    fabric.slice("leaf-p1-su001-r1")     everything about one device, in time that follows its ports
    fabric.locate("172.16.0.3")          the places of an address or a name
    for device in fabric.devices(): ...  every device that is built, lazily

What leaves here is plain data.
"""

from __future__ import annotations

import pathlib
import typing as t

from ..description.load import load as load_description
from . import locate, slices
from .devices import Devices

if t.TYPE_CHECKING:
    from .locate import Place
    from .slices import AnySlice, NodeSlice, SwitchSlice
    from .topology.cabling import Device, Node, Switch

_Stamp = tuple[str, t.Optional[int], t.Optional[int]]
_CACHE: dict[_Stamp, Fabric] = {}


class Fabric(Devices):
    """A checked description and everything that follows from it."""

    stamps: list[_Stamp]

    @classmethod
    def load(cls, path: str) -> Fabric:
        """The fabric of a description file; parsed once per process while its files stay."""
        key = _stamp(path)
        found = _CACHE.get(key)
        if found is None:
            found = _CACHE[key] = cls(*load_description(path))
            found.stamps = [_stamp(extra) for extra in found.files()]
        elif [_stamp(extra) for extra in found.files()] != found.stamps:
            del _CACHE[key]
            return cls.load(path)
        return found

    @t.overload
    def slice(self, device: Node) -> NodeSlice: ...
    @t.overload
    def slice(self, device: Switch) -> SwitchSlice: ...
    @t.overload
    def slice(self, device: Device | str) -> AnySlice: ...

    def slice(self, device: Device | str) -> AnySlice:
        """Everything about one device, as plain data; see `slices.py` for the shape."""
        return slices.of_device(self, self.known(device) if isinstance(device, str) else device)

    def locate(self, text: str) -> list[Place]:
        """The places of an address, a name, a serial or a node's place; see `locate.py`."""
        return locate.locate(self, text)


def _stamp(path: str) -> _Stamp:
    where = str(pathlib.Path(path).absolute())
    try:
        status = pathlib.Path(path).stat()
    except (OSError, ValueError):
        return where, None, None
    return where, status.st_mtime_ns, status.st_size
