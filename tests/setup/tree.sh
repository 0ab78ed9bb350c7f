#!/usr/bin/env bash
# Prints the folder to use as ANSIBLE_COLLECTIONS_PATH after having made it:
#   tree.sh links   build/links: every top-level entry of the checkout is a link
#   tree.sh code    build/code: plugins/ alone, for tools that walk a whole collection
#   tree.sh copy    build: a copy of what git tracks or would track, for tools that refuse links
# One more word tidies up behind those who run as root here:
#   tree.sh back    gives what root has made in the checkout to whoever called sudo; prints nothing
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
inside=ansible_collections/spectrum_x/fabric

case "${1:-}" in
    links)
        mkdir -p "build/links/$inside"
        find "build/links/$inside" -xtype l -delete
        for entry in * .ansible-lint .yamllint; do
            case "$entry" in build | collections) continue ;; esac
            link=build/links/$inside/$entry # one that is right stays: another stage may read through it
            [ "$(readlink "$link")" = "$root/$entry" ] || ln -sfn "$root/$entry" "$link"
        done
        echo "$root/build/links"
        ;;
    code)
        mkdir -p "build/code/$inside"
        ln -sfn "$root/plugins" "build/code/$inside/"
        echo "$root/build/code"
        ;;
    copy)
        rm -rf "build/$inside"
        mkdir -p "build/$inside"
        git ls-files -z -co --exclude-standard --deduplicate |
            while IFS= read -r -d '' path; do [ ! -e "$path" ] || printf '%s\0' "$path"; done |
            tar --create --null --files-from=- | tar --extract --directory "build/$inside"
        # Descriptions that are wrong on purpose make ansible-test's own YAML reader crash.
        rm -rf "build/$inside/tests/golden/errors"
        # Its own repository: ansible-test would ask ours, which ignores build/, and find no file.
        git -C "build/$inside" init --quiet
        echo "$root/build"
        ;;
    back)
        # Root file systems of the lab stay root's; who is root without sudo keeps everything. What vanishes in
        # the meantime needs no owner.
        if [ "$(id -u)" -eq 0 ] && [ "${SUDO_UID:-0}" -ne 0 ]; then
            find . -xdev \( -path ./build/lab -o -path ./build/lab-cache \) -prune -o \
                -uid 0 -exec chown --no-dereference "$SUDO_UID:$SUDO_GID" {} + 2>/dev/null || true
        fi
        ;;
    *)
        echo "tree.sh takes one word, not '${1:-}': links, code, copy or back." >&2
        exit 2
        ;;
esac
