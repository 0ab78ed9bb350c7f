# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One switch: its options, configuration, users, faults and what is running."""

from __future__ import annotations

import asyncio
import copy
import json
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Protocol

import yaml

from . import boot, certificates, known_issues, restrictions, schema, secrets_view, tree
from .accounts import DEFAULT_PASSWORD, Account, Accounts
from .actions import Jobs
from .faults import Fault, Faults
from .images import Images
from .lifecycle import Apply, RealiseError
from .operational import Operational
from .options import Options
from .requestlog import RequestLog
from .revisions import Revision, Revisions

_FACTORY = yaml.safe_load((Path(__file__).parent / "data" / "factory.yml").read_text("utf-8"))


class Realiser(Protocol):
    """Brings a document (newer spelling) to life, and says what is really there."""

    async def apply(self, document: dict[str, Any]) -> None:
        """Make the machine as the document says; lifecycle.RealiseError with words otherwise."""

    def operational(self, path: list[str]) -> Any:
        """Return the real state at `path`, or tree.MISSING where this realiser knows nothing of it."""

    def ping(self, vrf: str, options: dict[str, Any]) -> tuple[list[float], str]:
        """Milliseconds of each answer to a ping from a VRF, and ping's words where it could not start."""

    def report(self) -> dict[str, Any]:
        """Report of the realised parts, the unrealised ones, and the backend."""


class Listener(Protocol):
    """The port of the API."""

    async def close(self) -> None:
        """Refuse connections, and cut those that are open."""

    async def open(self) -> None:
        """Accept connections again."""


class Switch:
    """The state of one double; every method runs in the event loop's thread."""

    def __init__(self, options: Options, realiser: Realiser | None = None) -> None:
        self.options = options
        self.realiser = realiser
        self.log = RequestLog()
        self.faults = Faults()
        self.faults_seen: list[str] = []
        self.accounts = Accounts()
        self.restrictions = restrictions.Restrictions()
        self.certificates = certificates.Certificates(options.state_dir)
        self.unauthorized_until = 0.0
        self.jobs = Jobs(self)
        self.operational = Operational(self)
        self.masks = secrets_view.Masks()
        self.applying = asyncio.Lock()
        self.tasks: set[asyncio.Task[Any]] = set()
        self.applies: set[asyncio.Task[Any]] = set()
        self.booted_at = time.time() - 93784  # it ran for a day before anybody came
        self.down_until = 0.0
        self._rebooting = False
        self.listener: Listener | None = None
        self.images = Images(self)
        document = options.document or self.saved() or self.factory()
        self.revisions = Revisions(copy.deepcopy(document), options.max_revisions)
        self._prepare_accounts()
        self.running = self.schema.canonical(self.revisions.applied)

    def _prepare_accounts(self) -> None:
        options = self.options
        password = DEFAULT_PASSWORD if options.factory_default_password else options.password
        self.accounts.add(options.username, password, "system-admin")
        for name, (secret, role) in options.users.items():
            self.accounts.add(name, secret, role)
        self._remember_accounts()
        users = self.revisions.applied.setdefault("system", {}).setdefault("aaa", {})
        configured = users.setdefault("user", {})
        for name, account in self.accounts.users.items():
            configured.setdefault(name, {"hashed-password": "*", "role": account.role})
        self.revisions.startup = copy.deepcopy(self.revisions.applied)

    @property
    def schema(self) -> schema.Schema:
        """The object model of the running release."""
        return schema.load(self.options.parsed_release)

    def factory(self) -> dict[str, Any]:
        """The configuration from the factory, in the spelling of the release."""
        kind = "modern" if self.options.parsed_release.modern else "older"
        return copy.deepcopy(_FACTORY[kind])

    def saved(self) -> dict[str, Any] | None:
        """The startup configuration kept in the state folder, if there is one."""
        if self.options.state_dir is None:
            return None
        path = Path(self.options.state_dir) / "startup.json"
        return json.loads(path.read_text("utf-8")) if path.exists() else None

    def known_issue(self, issue: str) -> bool:
        """Check whether this switch shows a known bug."""
        return known_issues.active(self.options, issue)

    def local_users(self) -> set[str]:
        """The users that exist."""
        return set(self.accounts.users)

    def auto_save(self) -> bool:
        """Check whether an applied configuration is saved by itself (default since 5.9)."""
        state = tree.get(self.running, ["system", "config", "auto-save", "state"])
        return state != "disabled"

    def token_minutes(self) -> int:
        """Lifetime of a token; 0: there are none."""
        value = tree.get(self.running, ["system", "api", "token-expiration"])
        return 60 if value is tree.MISSING else int(value)

    def no_diff(self, revision: Revision) -> bool:
        """Check whether applying the revision would change nothing."""
        if self.faults.take("no_diff"):
            return True
        applied = self.schema.expand(self.revisions.applied, [])
        wanted = self.schema.expand(revision.doc, [])
        if revision.was_applied:
            return bool(wanted == applied)
        return wanted in (applied, self.schema.expand(revision.base, []))

    def start_apply(self, revision: Revision) -> None:
        """Begin to apply; the revision's state tells the rest."""
        revision.applies += 1
        release = self.options.parsed_release
        if self.revisions.busy(other_than=revision) and release.within("5.16.1-5.17.0"):
            self.log.violation(f"second apply in parallel on {release} (known issue 5118919)")
            if self.known_issue("5118919"):
                revision.state = "apply"
                self.spawn(self._deadlock())
                return
        revision.state, revision.progress, revision.issues = "apply", "", []
        self.applies = {task for task in self.applies if not task.done()}
        self.applies.add(self.spawn(Apply(self, revision).run()))

    async def _deadlock(self) -> None:
        await self.applying.acquire()

    def occupy(self, seconds: float) -> str:
        """Have somebody else's apply in progress for a while; returns its revision's id."""
        revision = self.revisions.create("someone-else")
        revision.state = "reloading"
        self.spawn(self._occupied(revision, seconds))
        return revision.id

    async def _occupied(self, revision: Revision, seconds: float) -> None:
        async with self.applying:
            await asyncio.sleep(seconds)
            revision.state = "applied"
            self.revisions.current.state = "inactive"
            self.revisions.current = revision

    def revert(self, document: dict[str, Any], fault: Fault) -> None:
        """Have an old document again after a while, without a word of it."""
        doc = tree.overlay(document, fault.get("doc", {}))
        asyncio.get_running_loop().call_later(fault.get("seconds", 0.0), self._back_to, doc)

    def _back_to(self, document: dict[str, Any]) -> None:
        self.revisions.applied = document
        self.after_commit()

    async def realise(self, document: dict[str, Any]) -> None:
        """Bring a document to life, if there is something to do so with."""
        if self.realiser is not None:
            await self.realiser.apply(document)

    def after_commit(self) -> None:
        """Let what was applied run."""
        self.run(self.schema.canonical(self.revisions.applied))

    def run(self, document: dict[str, Any]) -> None:
        """Let a document (newer spelling) run, and the accounts follow it."""
        self.running = document
        users = tree.get(document, ["system", "aaa", "user"])
        lock_out = self.known_issue("3341214")
        self.accounts.follow(users if isinstance(users, dict) else {}, lock_out)

    def log_in(self, name: str, password: str) -> bool:
        """Check whether a login by password succeeds; a failed one restricts the next."""
        right = self.accounts.check(name, password)
        limits = restrictions.limits(self.running, self.options)
        return right if limits is None else self.restrictions.admit(name, right, limits)

    def refuse_logins(self, seconds: float | None) -> None:
        """Answer 401 to everybody for a while, or (None) until the service restarts."""
        self.unauthorized_until = float("inf") if seconds is None else time.time() + seconds

    def restart_service(self) -> None:
        """Restart the API service: tokens die, and logins work again."""
        self.accounts.forget_tokens()
        self.unauthorized_until = 0.0

    def save(self) -> None:
        """Make the applied configuration the one a boot starts with."""
        self.revisions.startup = copy.deepcopy(self.revisions.applied)
        self.keep_startup()

    def keep_startup(self) -> None:
        """Write the saved configuration, and what runs, into the state folder."""
        self.images.keep()
        if self.options.state_dir is not None:
            folder = Path(self.options.state_dir)
            folder.mkdir(parents=True, exist_ok=True)
            temporary = folder / "startup.json.new"
            temporary.write_text(json.dumps(self.revisions.startup), "utf-8")
            temporary.replace(folder / "startup.json")

    async def save_next(self) -> None:
        """Save what is applied once the apply in progress has ended."""
        async with self.applying:
            self.save()
            if self.revisions.current.state == "applied":
                self.revisions.current.state = "saved"

    def set_password(self, name: str, password: str, role: str) -> None:
        """Give a user a password, as on the console; it outlives a boot."""
        self.accounts.add(name, password, role)
        if self.options.state_dir is not None:
            plain = {n: [a.password, a.hashed, a.role] for n, a in self.accounts.users.items()}
            folder = Path(self.options.state_dir)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "accounts.json").write_text(json.dumps(plain), "utf-8")

    def _remember_accounts(self) -> None:
        """Take over the passwords that were set before this boot."""
        if self.options.state_dir is None:
            return
        path = Path(self.options.state_dir) / "accounts.json"
        if path.exists():
            for name, (password, hashed, role) in json.loads(path.read_text("utf-8")).items():
                self.accounts.users[name] = Account(role, password, hashed)

    def lose_management(self, seconds: float | None) -> None:
        """Be unreachable for a while, or (None) until a roll-back."""
        self.down_until = float("inf") if seconds is None else time.time() + seconds

    def find_management(self) -> None:
        """Be reachable again."""
        if not self._rebooting:
            self.down_until = 0.0

    def reachable(self) -> bool:
        """Check whether a request reaches the switch at all."""
        api = tree.get(self.running, ["system", "api", "state"])
        return time.time() >= self.down_until and api != "disabled"

    def listens_on(self, address: str | None) -> bool:
        """Check whether the applied document lets the API listen on a local address."""
        listed = tree.get(self.running, ["system", "api", "listening-address"])
        if not self.options.enforce_listening_address or not isinstance(listed, dict):
            return True
        return not listed or address in listed or "0.0.0.0" in listed

    def start_reboot(self, seconds: float | None = None, off: bool = False) -> None:
        """Go down, lose tokens and whatever was not saved, and come back, or stay `off`."""
        if self._rebooting:
            return
        down = self.options.boot_seconds if seconds is None else seconds
        self._rebooting = True
        self.lose_management(None)
        self.spawn(self._reboot(down, off))

    async def _reboot(self, seconds: float, off: bool) -> None:
        if self.listener is not None:
            await asyncio.sleep(self.options.step_seconds)  # the answer to the order is on its way
            await self.listener.close()
        for task in self.applies:
            task.cancel()
        self.jobs.abandon()
        await self._realise_boot(boot.dark(self.running))
        await asyncio.sleep(seconds)
        if not off and self.faults.take("never_returns") is None:
            await self.power()

    async def power(self) -> None:
        """Boot: what runs is decided here."""
        self.restart_service()
        self.restrictions.clear()
        boot.start(self)
        await self._realise_boot(self.running)
        self.booted_at = time.time()
        self._rebooting = False
        self.find_management()
        if self.listener is not None:
            await self.listener.open()

    async def _realise_boot(self, document: dict[str, Any]) -> None:
        try:
            await self.realise(document)
        except RealiseError as error:
            self.faults_seen.append(f"boot: {error}")

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run something in the background; kept so that it is not collected."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    def close(self) -> None:
        """Stop everything in the background."""
        for task in list(self.tasks):
            task.cancel()
