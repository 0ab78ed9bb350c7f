#!/usr/bin/env bash
# Python, YAML and Ansible content follow the rules of ruff, yamllint and ansible-lint (production).
set -euo pipefail
ruff check .
yamllint --strict .
ANSIBLE_COLLECTIONS_PATH=$(tests/setup/tree.sh links) ansible-lint --offline --profile production --strict
