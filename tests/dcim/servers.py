# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Throw-away servers of Nautobot and NetBox on loopback, as real as PyPI has them.

    PYTHONPATH=tests python -m dcim.servers up nautobot [NAME]     prints {"url", "token", "kind", "version", ...}
    PYTHONPATH=tests python -m dcim.servers reset NAME             the database is as it was at first
    PYTHONPATH=tests python -m dcim.servers down [NAME ...]        ends them (all of them), leaves nothing
    PYTHONPATH=tests python -m dcim.servers list                   what is up
    PYTHONPATH=tests python -m dcim.servers prepare                install packages and fill the cache
    PYTHONPATH=tests python -m dcim.servers ready                  the kinds that are prepared; exit code 77 without any
    PYTHONPATH=tests python -m dcim.servers record NAME FILE       pass all on from a port and write it down

The first `up` installs packages and lets the server make its database: up to ten minutes. Both are kept in
~/.cache/spectrum_x_fabric/dcim by version and content for all checkouts, so that later ones take about 20 seconds.
NAME is the kind unless given.

Everything of an instance is below build/dcim/NAME: PostgreSQL, Redis and gunicorn with ports, folders and logs of
its own. Each ends with `down`; what a killed program left is ended by the next `up`.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import shutil
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from dcim import daemons, installed, proxy
from dcim.daemons import Failed
from dcim.postgres import CACHE, DATABASE, PRISTINE, Postgres, programs
from dcim.products import EXPIRED, PRODUCTS, READER, SECRET, WRITER, Product, digest

INSTANCES = installed.ROOT / "build" / "dcim"
NOT_AVAILABLE = 77
STATE, OWNER = "server.json", "owner"
_TOKENS = {"writer": WRITER, "expired": EXPIRED, "reader": READER}
LOG_FORMAT = "%(m)s %(U)s %(s)s"
"""Of each request: method, path, status, as gunicorn's setting access_log_format names them."""


SERVED = """
from {app} import application as inner
from django.contrib.staticfiles.handlers import StaticFilesHandler
from django.db import connections
from django.test import Client

application = StaticFilesHandler(inner)
Client(raise_request_exception=False).post("/graphql/")
connections.close_all()
"""
"""Application that gunicorn loads once, before its workers begin, as that takes most of a start; they share no
connection.

A first request loads all paths and the schema of GraphQL, which each worker would do for itself.
"""


@dataclass(frozen=True)
class Server:
    """Server that is up, and its address. `token` may write, `expired` is a token of the past, `reader` may only
    read."""

    name: str
    kind: str
    version: str
    url: str
    token: str
    expired: str
    reader: str
    postgres: int
    redis: int

    @property
    def folder(self) -> Path:
        """Folder of its logs and data."""
        return INSTANCES / self.name

    @property
    def database(self) -> Postgres:
        """Its PostgreSQL."""
        return Postgres(self.folder, _programs(), self.postgres)

    def requests(self, at_least: int = 0) -> list[tuple[str, str, int]]:
        """Method, path and status of each request so far, as the server itself wrote them down.

        It writes a request down after it has answered: a caller who knows how many there are waits for them.
        """
        end = time.monotonic() + 5
        while (
            len(lines := (self.folder / "access.log").read_text(encoding="utf-8").splitlines())
            < at_least
        ):
            if time.monotonic() > end:
                break
            time.sleep(0.02)
        split = [line.split(" ") for line in lines]
        return [(method, path, int(status)) for method, path, status in split]


def dump_of(product: Product) -> Path:
    """The file of the cache that holds a migrated database, by all that goes into it."""
    filled = digest(product.settings, product.seed, *_TOKENS.values())
    return CACHE / f"{product.stem}-postgresql{_programs().parent.name}-{filled}.dump"


def up(product: Product, name: str, *, owner: bool = False) -> Server:
    """Start a server; with `owner` it ends with the next `up` after this process has ended."""
    if why := installed.lacks(product):
        raise Failed(why)
    with _alone(product.kind):
        installed.install(product)
    sweep()
    down(name)
    folder = INSTANCES / name
    folder.mkdir(parents=True)
    if owner:
        daemons.note_self(folder / OWNER)
    try:
        return _started(product, _described(product, name))
    except BaseException:
        _end(folder)
        raise


def ready() -> list[Product]:
    """The DCIMs that start at once here: installed, and with a database in the cache."""
    return [product for product in PRODUCTS.values() if not _unready(product)]


def _unready(product: Product) -> str:
    """In a sentence, why a DCIM does not start at once; nothing where it does."""
    if why := installed.lacks(product):
        return why
    parts = {"its packages": installed.ready(product), "its database": dump_of(product).is_file()}
    missing = " and ".join(part for part, there in parts.items() if not there)
    return f"{CACHE} lacks {missing}: make dcim puts that there." if missing else ""


def prepare() -> None:
    """Install and migrate what this machine can run."""
    for product in PRODUCTS.values():
        if not installed.lacks(product) and product not in ready():
            name = f"prepare-{product.kind}"
            up(product, name, owner=True)
            down(name)


def down(name: str) -> None:
    """End a server and remove what it wrote."""
    folder = INSTANCES / name
    if folder.is_dir():
        _end(folder)
        shutil.rmtree(folder)


def sweep() -> None:
    """End the servers of programs that have ended without doing so."""
    with _alone("sweep"):
        for owner in INSTANCES.glob(f"*/{OWNER}"):
            if daemons.running(owner) is None:
                down(owner.parent.name)


def reset(server: Server, to: str = PRISTINE) -> None:
    """Make the database as it was when the server was new, or when `keep` kept it; takes about a second."""
    server.database.create(DATABASE, template=to)
    with socket.create_connection(("127.0.0.1", server.redis), timeout=10) as redis:
        redis.sendall(b"FLUSHALL\r\n")
        redis.recv(64)


def keep(server: Server, name: str) -> None:
    """Keep the database of this moment under a name, to `reset` to it."""
    server.database.create(name, template=DATABASE)


def kept(server: Server, name: str) -> bool:
    """Check whether there is something to `reset` to."""
    return server.database.sql(f"SELECT count(*) FROM pg_database WHERE datname = '{name}'") == "1"


def find(name: str) -> Server:
    """The server of a name that is up."""
    state = INSTANCES / name / STATE
    if not state.is_file():
        raise Failed(f"No server {name} is up: start one with `up`.")
    return Server(**json.loads(state.read_text(encoding="utf-8")))


def _described(product: Product, name: str) -> Server:
    web, postgres, redis = _free_ports(3)
    writer, expired, reader = (
        product.token.format(token=token, last=token[-1]) for token in (WRITER, EXPIRED, READER)
    )
    return Server(
        name=name,
        kind=product.kind,
        version=product.version,
        url=f"http://127.0.0.1:{web}",
        token=writer,
        expired=expired,
        reader=reader,
        postgres=postgres,
        redis=redis,
    )


def _started(product: Product, server: Server) -> Server:
    _configure(product, server)
    server.database.start()
    _start_redis(server)
    _fill(product, server)
    _serve(product, server)
    state = server.folder / STATE
    state.write_text(json.dumps(asdict(server)) + "\n", encoding="utf-8")
    return server


def _configure(product: Product, server: Server) -> None:
    path = server.folder / product.settings_file
    path.parent.mkdir(parents=True, exist_ok=True)
    ports = {"postgres": server.postgres, "redis": server.redis}
    path.write_text(
        product.settings.format(database=DATABASE, secret=SECRET, **ports), encoding="utf-8"
    )
    served = SERVED.format(app=product.app)
    (server.folder / "served.py").write_text(served, encoding="utf-8")


def environment(product: Product, server: Server) -> dict[str, str]:
    root = str(server.folder)
    named = f"{product.kind.upper()}_ROOT"
    redis = {"NAUTOBOT_REDIS_HOST": "127.0.0.1", "NAUTOBOT_REDIS_PORT": str(server.redis)}
    return {"HOME": root, named: root, "PYTHONPATH": root, **redis, **product.environment}


def _start_redis(server: Server) -> None:
    where = ("--bind", "127.0.0.1", "--port", str(server.redis), "--dir", server.folder)
    quiet = ("--save", "", "--appendonly", "no")
    daemons.start("redis", ["redis-server", *where, *quiet], folder=server.folder, environment={})


def _fill(product: Product, server: Server) -> None:
    """Restore the database of the cache; one program at a time makes it where there is none."""
    with _alone(product.kind):
        if not dump_of(product).is_file():
            _migrate(product, server)
    server.database.restore(dump_of(product))
    server.database.create(DATABASE, template=PRISTINE)


def _migrate(product: Product, server: Server) -> None:
    print(
        f"{product.kind} {product.version} makes its database once: some minutes.",
        file=sys.stderr,
        flush=True,
    )
    server.database.create(DATABASE)
    for words in (("migrate",), ("shell", "-c", product.seed.format(**_TOKENS))):
        daemons.call(
            [installed.environment(product) / "bin" / product.manage, *words],
            folder=server.folder,
            environment=environment(product, server),
            seconds=7200,
        )
    server.database.dump(dump_of(product))


@contextmanager
def _alone(name: str) -> Iterator[None]:
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / f"{name}.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _serve(product: Product, server: Server) -> None:
    port = server.url.rpartition(":")[2]
    program = installed.environment(product) / "bin" / "gunicorn"
    bounds = ("--workers=2", "--preload", "--timeout=900", "--no-control-socket")
    logs = ("--access-logfile=access.log", f"--access-logformat={LOG_FORMAT}")
    gunicorn = daemons.start(
        "gunicorn",
        [program, f"--bind=127.0.0.1:{port}", *bounds, *logs, "served"],
        folder=server.folder,
        environment=environment(product, server),
    )
    end = time.monotonic() + 300
    while not _answers(server):
        if gunicorn.poll() is not None or time.monotonic() > end:
            raise Failed(f"{product.kind} did not start: see {server.folder / 'gunicorn.log'}.")
        time.sleep(0.2)


def _answers(server: Server) -> bool:
    scheme = "Bearer" if server.kind == "netbox" else "Token"
    headers = {"Authorization": f"{scheme} {server.token}"}
    request = urllib.request.Request(f"{server.url}/api/status/", headers=headers)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=60) as answer:
            return bool(answer.status == 200)
    except urllib.error.HTTPError as exc:
        raise Failed(f"{server.kind} answers {exc.code} to {request.full_url}.") from exc
    except OSError:
        return False


def _end(folder: Path) -> None:
    for name in ("worker", "gunicorn", "redis", "postgres"):
        daemons.end(folder / f"{name}{daemons.SUFFIX}")


def _programs() -> Path:
    found = programs()
    if found is None:
        raise Failed("PostgreSQL is missing: tests/setup/packages.sh dcim installs it.")
    return found


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _number in range(count)]
    ports = [held.getsockname()[1] for held in sockets]
    for held in sockets:
        held.close()
    return ports


def _names() -> list[str]:
    return sorted(path.name for path in INSTANCES.glob("*") if path.is_dir())


def _command_line(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    start = commands.add_parser("up")
    start.add_argument("kind", choices=sorted(PRODUCTS))
    start.add_argument("name", nargs="?")
    commands.add_parser("down").add_argument("names", nargs="*")
    commands.add_parser("reset").add_argument("name")
    for alone in ("list", "prepare", "ready"):
        commands.add_parser(alone)
    taken = commands.add_parser("record")
    taken.add_argument("name")
    taken.add_argument("file", type=Path)
    return parser.parse_args(arguments)


def _run(options: argparse.Namespace) -> int:
    match options.command:
        case "up":
            server = up(PRODUCTS[options.kind], options.name or options.kind)
            print(json.dumps(asdict(server), indent=2))
        case "down":
            for name in options.names or _names():
                down(name)
        case "reset":
            reset(find(options.name))
        case "record":
            proxy.record(find(options.name).url, options.file, sys.stdin.read)
        case "prepare":
            prepare()
        case "ready":
            return _say_ready()
        case _:
            for name in _names():
                print(json.dumps(asdict(find(name))))
    return 0


def _say_ready() -> int:
    found = ready()
    for product in PRODUCTS.values():
        if why := _unready(product):
            print(f"not available: {product.kind} {product.version}: {why}", file=sys.stderr)
    for product in found:
        print(product.kind)
    return 0 if found else NOT_AVAILABLE


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says; 1 where it failed, 77 where nothing is `ready`."""
    try:
        return _run(_command_line(arguments))
    except Failed as exc:
        print(exc, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
