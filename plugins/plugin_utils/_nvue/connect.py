# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the variables of a task to the API of its switch. Nothing is dialled yet."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from . import options
from .api import Api
from .auth import Auth
from .http_stdlib import HttpsPort


def open_api(
    args: Mapping[str, object],
    task_vars: Mapping[str, object],
    template: Callable[[object], object],
) -> Api:
    """Return the API of the host of a task; ``template`` resolves what a variable holds."""

    def variable(name: str) -> object:
        return template(task_vars[name]) if name in task_vars else None

    host = str(variable("ansible_host") or task_vars.get("inventory_hostname", ""))
    endpoint, credentials = options.resolve(args, variable, os.environ, host=host)
    options.check_credentials(credentials)
    return Api(HttpsPort(endpoint), Auth(credentials))
