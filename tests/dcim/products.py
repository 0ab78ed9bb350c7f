# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Differences between the two DCIMs: packages, Python, settings, tokens.

Versions, settings and the names of commands are those of the projects' own guides: NetBox "Installation" and
"Required Parameters", Nautobot "Installing Nautobot" and "Settings".
"""

from __future__ import annotations

import hashlib
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field

SECRET = "throw-away-secret-of-servers-that-listen-on-loopback-only"
WRITER, EXPIRED, READER = "0" * 39 + "1", "0" * 39 + "2", "0" * 39 + "3"
"""Tokens, 40 characters each: one that may write, one that ended in 2001, one that may only read."""


@dataclass(frozen=True)
class Product:
    """A DCIM as PyPI has it; `settings` and `seed` are Python with fields in braces for `str.format`."""

    kind: str
    version: str
    gunicorn: str
    pythons: tuple[str, ...]
    manage: str
    app: str
    settings_file: str
    settings: str
    seed: str
    token: str
    """A token as the header Authorization has it, its 40 characters in braces."""
    apps: tuple[str, ...] = ()
    """Packages of apps that its database has tables for, as pip wants them."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables of its programs, beside those that say where they are."""

    @property
    def packages(self) -> tuple[str, ...]:
        """Packages that pip installs."""
        return (f"{self.kind}=={self.version}", *self.apps, f"gunicorn=={self.gunicorn}")

    @property
    def stem(self) -> str:
        """Name of a database: the product and its apps, with their versions."""
        return "-".join((self.kind, self.version, *(app.replace("==", "-") for app in self.apps)))


def digest(*words: str) -> str:
    """Digest of texts in a file name: another one for each change of them."""
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:8]


def _text(words: str) -> str:
    return textwrap.dedent(words).lstrip()


_DATABASES = _text("""
    DATABASES = {{
        "default": {{
            "ENGINE": "django.db.backends.postgresql", "NAME": "{database}", "USER": "dcim",
            "HOST": "127.0.0.1", "PORT": {postgres}, "CONN_MAX_AGE": 300, "CONN_HEALTH_CHECKS": True,
        }}
    }}
    """)

NETBOX = Product(
    kind="netbox",
    version="4.7.3",
    gunicorn="26.2.0",
    pythons=("3.12", "3.13", "3.14"),
    manage="netbox",
    app="netbox.wsgi",
    settings_file="conf/configuration.py",
    settings=_DATABASES
    + _text("""
        ALLOWED_HOSTS = ["*"]
        REDIS = {{
            "tasks": {{"HOST": "127.0.0.1", "PORT": {redis}, "DATABASE": 0}},
            "caching": {{"HOST": "127.0.0.1", "PORT": {redis}, "DATABASE": 1}},
        }}
        SECRET_KEY = "{secret}"
        API_TOKEN_PEPPERS = {{1: "{secret}"}}
        CENSUS_REPORTING_ENABLED = False
        ISOLATED_DEPLOYMENT = True
        """),
    seed=_text("""
        import datetime
        from users.models import Token, User
        user = User.objects.create_superuser("spx", "spx@example.com", "spx")
        past = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
        for number, token, more in (
            (1, "{writer}", {{}}), (2, "{expired}", {{"expires": past}}), (3, "{reader}", {{"write_enabled": False}})
        ):
            Token(version=2, user=user, key=f"spxtoken000{{number}}", token=token, **more).save()
        """),
    token="nbt_spxtoken000{last}.{token}",
)

NAUTOBOT = Product(
    kind="nautobot",
    version="3.2.7",
    gunicorn="27.0.1",
    pythons=("3.11", "3.12", "3.13"),
    manage="nautobot-server",
    app="nautobot.core.wsgi",
    settings_file="nautobot_config.py",
    settings="from nautobot.core.settings import *\n"
    + _DATABASES
    + _text("""
        ALLOWED_HOSTS = ["*"]
        SECRET_KEY = "{secret}"
        INSTALLATION_METRICS_ENABLED = False
        PLUGINS = ["nautobot_bgp_models"]
        """),
    seed=_text("""
        import datetime
        from nautobot.users.models import Token, User
        user = User.objects.create_superuser("spx", "spx@example.com", "spx")
        past = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
        for key, more in (
            ("{writer}", {{}}), ("{expired}", {{"expires": past}}), ("{reader}", {{"write_enabled": False}})
        ):
            Token(user=user, key=key, **more).save()
        """),
    token="{token}",
    apps=("nautobot-bgp-models==3.2.0",),
    # The defaults, as the documentation of dcim_push advises: what is not set is read from the database for each device
    # in each answer.
    environment={
        "NAUTOBOT_DEVICE_UNIQUENESS": "location_tenant_name",
        "NAUTOBOT_LOCATION_NAME_AS_NATURAL_KEY": "False",
    },
)

PRODUCTS = {product.kind: product for product in (NAUTOBOT, NETBOX)}
