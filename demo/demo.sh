#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A fabric in containers, from nothing: planned, provisioned, tenants onboarded, a node moved and wiped, validated,
# and everything a second time, which fails unless it ends with changed=0. What an earlier or interrupted demo
# left is removed first; `make demo-down` removes every trace.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "make demo cables containers, which needs root: run it as root or install sudo." >&2; exit 1; }
    exec sudo --preserve-env=PATH,SPX_NO_INSTALL demo/demo.sh "$@"
fi
trap 'tests/setup/tree.sh back' EXIT

name=demo
here=demo
project=$PWD/build/$name/project
python=$PWD/.venv/bin/python
port=5354
moved=worker-su01-rack01-h01
PYTHONPATH=$PWD/demo:$(tests/setup/tree.sh links)
export PYTHONPATH

steps=9
step=0
say() { printf '\n\033[1m[%d/%d, %d s] %s\033[0m\n' "$((step += 1))" "$steps" "$SECONDS" "$*"; }
play() { printf '$ ansible-playbook %s\n' "$*" && "$project/../run" ansible-playbook "$@"; }
again() { printf '$ ansible-playbook %s\n' "$*" && "$here/unchanged.sh" "$project/../run" ansible-playbook -v "$@"; }

on() { "$project/../run" ansible --module-name ansible.builtin.shell --args "$2" "$1"; }

# What a person's project has beside the model: settings, hooks, a repository, and a way into the lab.
furnish() {
    cp -r "$here/ansible.cfg" "$here/hooks" "$project/"
    printf '#!/bin/sh\n# Runs a command in the project, where the devices of the demo can be reached.\nexec env PYTHONPATH=%q %q -m lab.world run %s "$@"\n' \
        "$PYTHONPATH" "$python" "$name" >"$project/../run"
    chmod +x "$project/../run"
    (
        cd "$project"
        printf 'plan/\nreport/\natlas/\ninventory.yml\n' >.gitignore
        mv model/tenants.yml ../tenants.yml
        git init --quiet
        git config user.name "The demo"
        git config user.email demo@example.invalid
        git add . && git commit --quiet --message "A fabric without tenants"
    )
}

arrive() {
    (
        cd "$project"
        mv ../tenants.yml model/
        git add model && git commit --quiet --message "Tenants acme and globex"
    )
}

say "What is needed: a container engine, a name server"
demo/lab/setup.sh
[ -n "${SPX_NO_INSTALL:-}" ] || tests/setup/packages.sh dns || echo "The demo goes on without nsd and dig."
mapfile -t base < <(demo/lab/setup.sh --base)

say "Six switches and six GPU hosts, cabled as the plan says"
"$here/down.sh" --keep-images >/dev/null
"$python" -m lab.world up inventories/lab --name "$name" "${base[@]}"
furnish

say "Provision: plan, switches, hosts, validate"
# A reboot and six hosts at once: nobody works here yet.
play spectrum_x.fabric.provision -e spx_factory=true -e spx_allow_reboot=true -e spx_max_unavailable=6 \
    -e spx_dest=plan -e spx_report=report

say "Two tenants arrive in the registry: acme and globex"
arrive
play spectrum_x.fabric.tenant_onboard -e spx_tenant=acme
play spectrum_x.fabric.tenant_onboard -e spx_tenant=globex

say "A node moves from acme to globex, and the hook wipe erases what acme left on it"
on "$moved" 'mkdir -p /scratch && echo "weights of acme" >/scratch/acme.bin && ls -l /scratch'
play spectrum_x.fabric.tenant_move -e spx_tenant=globex -e spx_nodes="$moved" -e spx_registry_write=true
on "$moved" 'test ! -e /scratch/acme.bin && echo "acme.bin is gone"'
play spectrum_x.fabric.plan -e spx_dest=plan # its pictures and lists of tenants follow the registry

say "Who reaches whom, by packets"
"$python" -m lab.who "$name"

say "Everything once more: nothing changes"
again spectrum_x.fabric.provision -e spx_dest=plan -e spx_report=report
again spectrum_x.fabric.tenant_onboard -e spx_tenant=acme
again spectrum_x.fabric.tenant_onboard -e spx_tenant=globex
again spectrum_x.fabric.tenant_move -e spx_tenant=globex -e spx_nodes="$moved" -e spx_registry_write=true

say "The fabric as a page, and its addresses in DNS"
play spectrum_x.fabric.atlas -e spx_dest=atlas -e spx_report=report
ways=("${SUDO_UID:+sudo }build/$name/run ansible-playbook spectrum_x.fabric.locate -e spx_address=172.18.1.2" "type it into the page")
if "$python" -m lab.dns start "$name" "$project/plan/dns" --port "$port" && command -v dig >/dev/null; then
    ways+=("dig @127.0.0.1 -p $port -x 172.18.1.2 +short")
fi

say "Where to look, and what to try next"
cat <<TEXT
  A project like yours will be   build/$name/project   (model/fabric.yml, model/tenants.yml, git log)
  Everything planned             build/$name/project/plan   (links.csv, slices/, dns/, netbox/, pictures)
  The page                       build/$name/project/atlas/atlas.html
  The last validation            build/$name/project/report

  Where is 172.18.1.2? Ways to ask:
$(printf '    %s\n' "${ways[@]}")

  Pull a cable, and see it found:
    ${SUDO_UID:+sudo }build/$name/run python -m lab cable $name leaf-p1-su001-r1:swp3s0 down   # up plugs it in again
    ${SUDO_UID:+sudo }build/$name/run ansible-playbook spectrum_x.fabric.validate

  make demo-down removes every trace. This took $SECONDS seconds.
TEXT
