#!/usr/bin/env bash
# All of ansible-test's sanity tests but pylint, on a copy: ansible-test refuses links. Its pylint takes longer than all
# others together, and finds little that ruff and mypy do not: `make test-all` has it as a stage of its own.
# Arguments go to ansible-test instead, as in: tests/setup/sanity.sh --test pylint
set -euo pipefail
version=$(python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
tree=$(tests/setup/tree.sh copy)

# ansible-test fetches get-pip from a server of its own before anything else. Python brings pip
# along; a stand-in under the name that the cache is asked for saves the way to that server.
cache=$HOME/.ansible/test/cache
mkdir -p "$cache"
for name in get_pip_24_2.py get_pip_25_2.py; do
    [ -e "$cache/$name" ] || printf 'import ensurepip\nensurepip.bootstrap(default_pip=True)\n' >"$cache/$name"
done

cd "$tree/ansible_collections/spectrum_x/fabric"
run() { ansible-test sanity --local --python "$version" --color no "$@" 2>&1 | tee --append "$tree/sanity.log"; }
rm -f "$tree/sanity.log"
if [ "$#" -gt 0 ]; then
    run "$@"
else
    run --skip-test pylint
fi
if grep --quiet 'All targets skipped' "$tree/sanity.log"; then
    echo "ansible-test found no file to test in $PWD." >&2
    exit 1
fi
