# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A PostgreSQL of an instance's own, and the cache of databases that took minutes to make.

Nothing of it outlives the instance, so it keeps no promise about a power cut: that is three times faster.
"""

from __future__ import annotations

import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from dcim import daemons

CACHE = (
    Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "spectrum_x_fabric" / "dcim"
)
FAST = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "jit=off",
    "max_connections=60",
)
DATABASE, PRISTINE = "dcim", "pristine"
"""The database that the server uses, and the one that it is made of again."""


def programs() -> Path | None:
    """The folder of PostgreSQL's programs: the newest of Debian's, or where PATH has them."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[-3])
    )
    named = shutil.which("postgres")
    return found[-1].parent if found else Path(named).parent if named else None


@dataclass(frozen=True)
class Postgres:
    """The server of one instance: `folder` is the instance's, `bin` of the programs."""

    folder: Path
    bin: Path
    port: int

    def start(self) -> None:
        """Make the data folder and start the server; raises `Failed` where it does not listen in 30 s."""
        data = self.folder / "postgres"
        trusted = (
            "--username=dcim",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        )
        self._call("initdb", "-D", data, *trusted)
        options = [word for option in FAST for word in ("-c", option)]
        where = ("-D", data, "-h", "127.0.0.1", "-p", str(self.port), "-k", "")
        server = daemons.start(
            "postgres",
            [self.bin / "postgres", *where, *options],
            folder=self.folder,
            environment={},
        )
        for _attempt in range(300):
            if server.poll() is not None:
                break
            if self._listens():
                return
            time.sleep(0.1)
        raise daemons.Failed(f"PostgreSQL did not start: see {self.folder / 'postgres.log'}.")

    def create(self, name: str, *, template: str = "template0") -> None:
        """Make a database, or make it again; connections to an old one are ended."""
        self.sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        self.sql(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{template}'"
        )
        self.sql(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY FILE_COPY")

    def restore(self, dump: Path) -> None:
        """Fill `PRISTINE` from the cache."""
        self.create(PRISTINE)
        self._call("pg_restore", "--jobs=2", "--no-owner", "--dbname", PRISTINE, dump, connect=True)

    def dump(self, dump: Path) -> None:
        """Keep `DATABASE` in the cache, whole or not at all."""
        dump.parent.mkdir(parents=True, exist_ok=True)
        part = dump.with_suffix(f".{os.getpid()}.part")
        self._call("pg_dump", "--format=custom", "--file", part, DATABASE, connect=True)
        part.replace(dump)

    def sql(self, statement: str, database: str = "postgres") -> str:
        """Run a statement and return its rows, columns split by `|`."""
        words = ("--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1")
        return self._call("psql", *words, "--command", statement, database, connect=True).strip()

    def _listens(self) -> bool:
        try:
            return self.sql("SELECT 1") == "1"
        except daemons.Failed:
            return False

    def _call(self, program: str, *words: str | Path, connect: bool = False) -> str:
        where = ("--host=127.0.0.1", f"--port={self.port}", "--username=dcim") if connect else ()
        return daemons.call(
            [self.bin / program, *where, *words], folder=self.folder, environment={}, seconds=300
        )
