#!/usr/bin/env bash
# Writes NVIDIA's NVUE schema from the package nvueschema in an environment of its own.
#
#   schema.sh          plugins/plugin_utils/_nvue/document/nvue_schema.json
#   schema.sh check    fails where that file is not what the package gives; 77 where the package cannot be had
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=.venv-schema
file=plugins/plugin_utils/_nvue/document/nvue_schema.json

if ! [ "$venv/.stamp" -nt requirements-schema.txt ]; then
    python3 -m venv --clear "$venv"
    if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes \
        --requirement requirements-schema.txt; then
        echo "schema.sh: the package nvueschema cannot be installed: nothing else needs it" >&2
        exit 77
    fi
    touch "$venv/.stamp"
fi
case "${1:-}" in
    check)
        made=$(mktemp)
        trap 'rm -f "$made"' EXIT
        "$venv/bin/python" tests/schema/generate.py "$made"
        diff -u "$file" "$made" | head -n 40
        ;;
    *) "$venv/bin/python" tests/schema/generate.py "$file" ;;
esac
