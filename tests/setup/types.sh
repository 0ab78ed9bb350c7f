#!/usr/bin/env bash
# mypy strict over everything that is not a plugin's thin shell.
set -euo pipefail
tests/setup/tree.sh code >/dev/null
packages=()
for part in plugin_utils module_utils; do
    if [ -d "plugins/$part" ]; then
        packages+=(--package "ansible_collections.spectrum_x.fabric.plugins.$part")
    fi
done
mypy "${packages[@]}"
