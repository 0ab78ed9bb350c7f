#!/usr/bin/env bash
# Python source is formatted as `make format` leaves it.
set -euo pipefail
ruff format --check --diff .
