#!/usr/bin/env bash
# Plugin documentation and guides are valid, what guides show works, and the site is built into build/docs/html.
set -euo pipefail
python -m pytest --quiet --numprocesses=auto --maxprocesses=8 --dist=loadfile tests/docs tests/awx

tree=$(tests/setup/tree.sh links)
export ANSIBLE_COLLECTIONS_PATH=$tree
antsibull-docs lint-collection-docs --plugin-docs --check-extra-docs-refs \
    --validate-collection-refs self --disallow-unknown-collection-refs .

rm -rf build/docs
mkdir -p build/docs/rst
antsibull-docs collection --use-current --squash-hierarchy --fail-on-error \
    --no-add-antsibull-docs-version --dest-dir build/docs/rst spectrum_x.fabric
cp -r docs/docsite/rst/images build/docs/rst/docsite/images
sphinx-build --quiet --fail-on-warning --keep-going --conf-dir docs/docsite --jobs auto \
    build/docs/rst build/docs/html
echo "The site is in build/docs/html/index.html."
