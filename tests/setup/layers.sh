#!/usr/bin/env bash
# Imports follow the contracts in pyproject.toml.
set -euo pipefail
PYTHONPATH=$(tests/setup/tree.sh code) lint-imports --no-cache --no-logo
