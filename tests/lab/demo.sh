#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A fabric in containers, from nothing: planned, provisioned, tenants onboarded, a node moved, validated,
# and everything a second time to show that nothing changes. `make demo-down` removes every trace.
set -euo pipefail
cd "$(dirname "$0")/../.."

name=demo
project=build/$name/project
python=${PYTHON:-.venv/bin/python}
steps=9
step=0
began=$SECONDS

say() { printf '\n\033[1m[%d/%d, %d s] %s\033[0m\n' "$((step += 1))" "$steps" "$((SECONDS - began))" "$*"; }

if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "make demo cables containers, which needs root: run it as root or install sudo."; exit 1; }
    exec sudo --preserve-env=PATH,PYTHON,SPX_NO_INSTALL "$0" "$@"
fi

PYTHONPATH=tests:$(tests/setup/tree.sh links)
export PYTHONPATH
play() {
    "$python" -m lab.world play "$name" "$@" 2>&1 | tee -a "build/$name/demo.log" |
        grep --line-buffered -E '^(PLAY \[|fatal|failed:|NOT COMMITTED|changed:|\[ERROR\]|.* : ok=)' || true
    return "${PIPESTATUS[0]}"
}
# A run that edits the registry ends with 2 and says NOT COMMITTED; its home is git, and the demo commits it there.
registry() { play "$@" -e spx_registry_write=true || grep -q 'NOT COMMITTED' "build/$name/demo.log"; }

say "The container engine"
tests/lab/setup.sh

say "Six switches and six GPU hosts, cabled as the plan says"
"$python" -m lab.world up inventories/lab --name "$name"

say "Provision: plan, switches, hosts, validate"
play spectrum_x.fabric.provision -e spx_factory=true -e spx_allow_reboot=true -e spx_max_unavailable=2 \
    -e spx_dest="$PWD/build/$name/plan" -e spx_report="$PWD/build/$name/report"

say "Two tenants: acme and globex"
for tenant in acme globex; do
    play spectrum_x.fabric.tenant_onboard -e spx_tenant="$tenant" -e spx_report="$PWD/build/$name/report"
done

say "A node moves from quarantine to acme"
registry spectrum_x.fabric.tenant_move -e spx_tenant=acme -e spx_nodes=worker-su01-rack02-h03

say "Who reaches whom, by packets"
"$python" tests/lab/who.py "$name"

say "Everything once more: changed=0"
play spectrum_x.fabric.provision -e spx_dest="$PWD/build/$name/plan" -e spx_report="$PWD/build/$name/report"

say "The fabric as a page, and its addresses in DNS"
play spectrum_x.fabric.atlas -e spx_dest="$PWD/build/$name/atlas" -e spx_report="$PWD/build/$name/report"
"$python" tests/lab/dns.py start "$name" "build/$name/plan/dns"

say "Where to look, and what to try next"
cat <<TEXT
  the plan             build/$name/plan            (links.csv, slices/, dns/, netbox/, pictures)
  the last validation  build/$name/report
  the page             build/$name/atlas/atlas.html
  your project         $project  (model/fabric.yml, model/tenants.yml)

  Where is 172.18.1.2?
    dig @127.0.0.1 -p 5354 -x 172.18.1.2 +short
    sudo env PYTHONPATH=$PYTHONPATH $python -m lab.world play $name spectrum_x.fabric.locate -e spx_address=172.18.1.2
    or type it into the page

  Pull a cable and validate:
    sudo env PYTHONPATH=$PYTHONPATH $python -m lab cable $name leaf-p1-su001-r1:swp3s0 down
    sudo env PYTHONPATH=$PYTHONPATH $python -m lab.world play $name spectrum_x.fabric.validate

  make demo-down removes every trace.
TEXT
