# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The life of a lab: up, down, and the death and return of one device."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import time
from collections.abc import Iterator, Sequence

from lab import backends, credentials, engine, files, images, machine, ready, spaces, wires
from lab import cabling as cables
from lab.cabling import Device
from lab.errors import LabError
from lab.shell import in_parallel, run
from lab.state import MARK_LABEL, Lab, check_name, find, labs_folder, load

READY_SECONDS = 90.0


@dataclasses.dataclass(frozen=True)
class Wishes:
    """Wishes for a lab."""

    backend: str = "podman"
    engine: str | None = None
    only: Sequence[str] = ()
    rootfs: str = "image"
    host_names: str | None = None
    pull: bool = False
    seconds: float = READY_SECONDS


def up(path: pathlib.Path, name: str, wishes: Wishes) -> Lab:
    """Bring a lab up and return it; one that is up already with the same cabling is kept.

    An earlier one which is broken, half made or cabled otherwise is taken down first.
    """
    machine.preflight()
    cabling = cables.only(cables.load(path), wishes.only)
    lab = _wanted(check_name(name), cabling, wishes)
    before = find(name)
    if before is not None and _same(before, lab):
        print(f"lab: {name} is up already with {len(cabling.devices)} devices", flush=True)
        return before
    down(name, quiet=True)
    with timed("images"):
        _prepare(lab, wishes)
    with timed("network"):
        lab.save()
        spaces.make(lab)
        _start_linkd(lab)
        credentials.make(lab)
    with timed(f"{len(cabling.devices)} devices"):
        pids = _create(lab)
    with timed(f"{len(cabling.links)} cables"):
        spaces.plug_management(lab, pids)
        wires.attach(lab, pids)
    with timed("ready"):
        _boot(lab, pids, wishes.seconds)
    files.outputs(lab)
    lab.ready = True
    lab.save()
    return lab


def down(name: str, *, quiet: bool = False) -> None:
    """Remove every trace of a lab; one that is not there is no error."""
    if os.geteuid() != 0:
        raise LabError("removing containers and namespaces needs root; use sudo")
    lab = find(check_name(name)) or _nameless(name)
    for process in lab.processes.values():
        machine.stop(process)
    if lab.engine:
        backends.of(lab).remove_all()
    else:
        _remove_strays(lab)
    for process in list(machine.marked(name)):
        machine.stop(process)
    spaces.remove(lab)
    shutil.rmtree(lab.memory, ignore_errors=True)
    _remove_folder(lab.folder)
    if not quiet:
        print(f"lab: {name} is down", flush=True)


def kill(lab: Lab, device: str) -> None:
    """Let a device die at once; its cables' other ends lose carrier."""
    lab.cabling.device(device)
    wires.detach(lab, device)
    spaces.unplug_management(lab, device)
    backends.of(lab).stop(device, gently=False)


def start(lab: Lab, device: str, seconds: float = READY_SECONDS) -> None:
    """Bring a dead device back: its files are as they were, its cables are made again."""
    found = lab.cabling.device(device)
    backend = backends.of(lab)
    if backend.pid(device):
        raise LabError(f"{device} runs already; `lab reboot` restarts it")
    wires.detach(lab, device)
    spaces.unplug_management(lab, device)
    backend.start(found)
    pids = {device: backends.pid_of(lab, device)}
    spaces.plug_management(lab, pids)
    wires.attach(lab, pids)
    _boot(lab, pids, seconds)


def reboot(lab: Lab, device: str, seconds: float = READY_SECONDS) -> None:
    """Stop a device in order and start it: what was only set at run time is gone."""
    lab.cabling.device(device)
    backends.of(lab).stop(device, gently=True)
    kill(lab, device)
    start(lab, device, seconds)


def states(lab: Lab) -> dict[str, int | None]:
    """Return the pid of every device, None of those that do not run."""
    backend = backends.of(lab)
    return dict(zip(lab.cabling.names(), in_parallel(backend.pid, lab.cabling.names())))


@contextlib.contextmanager
def timed(what: str) -> Iterator[None]:
    """Say how long a step took."""
    begun = time.monotonic()
    yield
    print(f"lab: {what}: {time.monotonic() - begun:.1f} s", flush=True)


def _wanted(name: str, cabling: cables.Cabling, wishes: Wishes) -> Lab:
    return Lab(
        name=name,
        backend=wishes.backend,
        cabling=cabling,
        document=_document(cabling),
        host_names=wishes.host_names or ("factory" if wishes.backend == "podman" else "port"),
        wiring=[[a.device, a.port, b.device, b.port] for a, b in cabling.links],
    )


def _document(cabling: cables.Cabling) -> dict[str, object]:
    return {
        "fabric": cabling.fabric,
        "devices": [dict(device.facts) for device in cabling.devices],
        "links": [[a.device, a.port, b.device, b.port] for a, b in cabling.links],
    }


def _same(before: Lab, wanted: Lab) -> bool:
    """Return whether a lab is whole, and what is wanted now."""
    same = (
        before.ready
        and before.backend == wanted.backend
        and before.host_names == wanted.host_names
        and before.document == json.loads(json.dumps(wanted.document))
        and before.wiring == wanted.wiring
        and not before.unplugged
    )
    fresh = same and before.recipes == {kind: images.recipe(kind).full for kind in _kinds(wanted)}
    return fresh and spaces.exists(before.management) and all(states(before).values())


def _kinds(lab: Lab) -> list[str]:
    return sorted({device.kind for device in lab.cabling.devices})


def make_images(backend: str, *, wanted: str | None, pull: bool) -> None:
    """Make the images of every kind, so that the next `up` finds them."""
    machine.preflight()
    chosen = engine.choose(wanted) if backend == "podman" or pull else None
    for kind in cables.KINDS:
        if backend == "podman" and chosen is not None:
            images.engine_image(kind, chosen, pull=pull, say=images.Say())
        else:
            images.lower_folders(kind, pull=chosen, say=images.Say())


def _prepare(lab: Lab, wishes: Wishes) -> None:
    """Make or find the images, and the engine's settings under which they run."""
    say = images.Say()
    kinds = _kinds(lab)
    lab.recipes = {kind: images.recipe(kind).full for kind in kinds}
    if lab.backend != "podman":
        state = backends.state_folder(lab, rootfs=wishes.rootfs)
        for kind in kinds:
            if wishes.rootfs == "host":
                lab.images[kind] = images.over_host(kind, state)
            else:
                lab.images[kind] = images.lower_folders(kind, pull=_puller(wishes), say=say)
        lab.images |= {"rootfs": wishes.rootfs, "state": str(state)}
        return
    chosen = engine.choose(wishes.engine)
    for kind in kinds:
        lab.images[kind] = images.engine_image(kind, chosen, pull=wishes.pull, say=say)
    fitted = engine.fitted(chosen, lab.images[kinds[0]])
    lab.engine = dataclasses.asdict(fitted)


def _puller(wishes: Wishes) -> engine.Engine | None:
    return engine.choose(wishes.engine) if wishes.pull else None


def _start_linkd(lab: Lab) -> None:
    file = backends.shared(lab) / backends.DARK
    argv = spaces.inside(lab.panel, [machine.PYTHON, "-m", "lab.linkd", str(file)])
    lab.processes["linkd"] = machine.spawn(
        argv, lab=lab.name, role="linkd", log=lab.folder / "linkd.log"
    )
    lab.save()


def _create(lab: Lab) -> dict[str, int]:
    backend = backends.of(lab)
    in_parallel(backend.create, lab.cabling.devices)
    names = lab.cabling.names()
    return dict(zip(names, in_parallel(lambda name: backends.pid_of(lab, name), names)))


def _boot(lab: Lab, pids: dict[str, int], seconds: float) -> None:
    def lay(device: Device) -> None:
        files.lay(lab, device, pids[device.name])

    in_parallel(lay, [lab.cabling.device(name) for name in pids])
    ready.wait(lab, pids, seconds)


def _nameless(name: str) -> Lab:
    """Return a lab of which only the name is known, so that its leavings can be removed."""
    empty = cables.Cabling("", (), ())
    return Lab(name=name, backend="netns", cabling=empty, document={})


def _remove_strays(lab: Lab) -> None:
    """Remove the lab's containers when its state does not say which engine has them."""
    for program in engine.ENGINES:
        with contextlib.suppress(LabError):
            found = engine.choose(program)
            label = f"label={MARK_LABEL}={lab.name}"
            strays = found("ps", "-aq", "--filter", label, check=False).stdout.split()
            if strays:
                found("rm", "-f", *strays)


def _remove_folder(folder: pathlib.Path) -> None:
    """Remove a lab's folder, which only ever holds what the lab wrote."""
    if folder.parent == labs_folder() and folder.is_dir():
        run(["rm", "-rf", "--one-file-system", str(folder)], timeout=120)


def prune() -> None:
    """Remove every image and root file system of the lab; refused while a lab is up."""
    machine.preflight()
    up_now = [lab.name for lab in everything()]
    if up_now:
        raise LabError(f"{cables.listing(up_now)} is up and uses the images; take it down first")
    for program in engine.ENGINES:
        with contextlib.suppress(LabError):
            images.remove_from(engine.choose(program))
    images.remove_cache()


def everything() -> list[Lab]:
    """Return all labs that have a readable state."""
    names = sorted(path.parent.name for path in labs_folder().glob("*/state.json"))
    return [load(name) for name in names]
