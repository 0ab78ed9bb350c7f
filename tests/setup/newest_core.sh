#!/usr/bin/env bash
# Plugins that Ansible loads, and the package tests, on the newest ansible-core that is supported, which needs Python 3.12.
# Exit code 77 means that this machine has no such Python.
set -euo pipefail
core='ansible-core>=2.21,<2.22'
venv=build/venv-newest-core

candidates() {
    compgen -c python3. | grep -E '^python3\.(1[2-4])$' | sort -Vr | uniq || true
    printf '%s\n' "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-4]*/bin/python | sort -Vr
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
    echo "not available: no Python 3.12 to 3.14 by name or under pyenv."
    exit 77
fi

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
sed -e '/^ansible-core>/d' requirements-dev.txt >"build/requirements-newest-core.txt"
cp requirements.txt build/
grep -v '^ansible-core=' constraints.txt >build/constraints-newest-core.txt
"$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check "$core" \
    --requirement build/requirements-newest-core.txt --constraint build/constraints-newest-core.txt
PATH=$PWD/$venv/bin:$PATH
python -c 'import sys; print("Python", sys.version.split()[0])'
ansible --version | sed -n 1p
python -m pytest --numprocesses=auto --maxprocesses=8 --dist=loadfile -p no:cacheprovider \
    tests/unit/plugins/{callback,filter,inventory,lookup} tests/package # what touches Ansible most
