#!/usr/bin/env bash
# Plugins that Ansible loads, and the package tests, on another ansible-core than that of .venv: by default on the newest
# that is supported, with the newest Python there is.  tests/setup/other_core.sh [2.20 [3.12]]
# Exit code 77 means that this machine has no such Python.
set -euo pipefail
release=${1:-2.21}
minor=${2:-3.1[2-4]}
core="ansible-core==$release.*"
venv=build/venv-core-$release

candidates() {
    compgen -c python3. | grep -E "^python${minor//./\\.}\$" | sort -Vr | uniq || true
    compgen -G "${PYENV_ROOT:-$HOME/.pyenv}/versions/$minor*/bin/python" | sort -Vr || true
}

works() { "$1" -c 'import sys, ssl, ensurepip; sys.exit(not (3, 12) <= sys.version_info < (3, 15))' 2>/dev/null; }

python=
while read -r candidate; do
    if works "$candidate"; then
        python=$candidate
        break
    fi
done < <(candidates)
if [ -z "$python" ]; then
    echo "not available: no Python $minor by name or under pyenv."
    exit 77
fi

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
# What checks code and builds pages runs with .venv, so that it is not installed a second time.
tools='ansible-(core|lint|builder|runner)|molecule|import-linter|mypy|ruff|types-|yamllint|antsibull|sphinx'
grep --invert-match --extended-regexp "^($tools)" requirements-dev.txt >"build/requirements-core-$release.txt"
cp requirements.txt build/
# The files of another core and of another Python are not listed: here versions are exact, and files are not.
sed --regexp-extended '/^ +--hash=/d; /^ansible-core=/d; s/ *(;.*)?\\$//' constraints.txt >"build/constraints-core-$release.txt"
"$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check "$core" \
    --requirement "build/requirements-core-$release.txt" --constraint "build/constraints-core-$release.txt"
PATH=$PWD/$venv/bin:$PATH
python -c 'import sys; print("Python", sys.version.split()[0])'
ansible --version | sed -n 1p
python -m pytest --numprocesses=auto --maxprocesses=8 --dist=loadfile -p no:cacheprovider \
    tests/unit/plugins/{callback,filter,inventory,lookup} tests/package/test_{package,readme}.py # what touches Ansible most
