#!/usr/bin/env bash
# Builds the collection and writes the build context of its execution environment.
set -euo pipefail
tree=$(tests/setup/tree.sh copy)
mkdir -p build/dist
rm -f build/dist/*.tar.gz
ansible-galaxy collection build --output-path build/dist "$tree/ansible_collections/spectrum_x/fabric"
cp build/dist/spectrum_x-fabric-*.tar.gz build/dist/spectrum_x-fabric.tar.gz
rm -rf build/execution-environment
ansible-builder create --file execution-environment.yml --context build/execution-environment
