#!/usr/bin/env bash
# Changelog fragments are well formed.
set -euo pipefail
antsibull-changelog lint
if [ -e changelogs/changelog.yaml ]; then
    antsibull-changelog lint-changelog-yaml --strict changelogs/changelog.yaml
fi
