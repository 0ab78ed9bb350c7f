#!/usr/bin/env bash
# Copyright (c) 2026, the spectrum_x.fabric authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The roles and playbooks against containers: six switches and six hosts, cabled as the example plans; for the scenarios of
# `make test` four hosts. networks_all has the lab lab-routed: a pair of border leaves, two providers and a storage array
# of plain FRR.
#
#   tests/molecule.sh                              those that `make test` has the time for
#   tests/molecule.sh --all                        every scenario
#   tests/molecule.sh switch_all switch_validate   these, in this order
#   SPX_KEEP=1 tests/molecule.sh ...               leaves the lab up; the next such run begins where this one ended
#
# Molecule runs inside the lab's management namespace, so that no planned address can leave the machine.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "molecule.sh cables containers, which needs root: run it as root or install sudo." >&2; exit 1; }
    exec sudo --preserve-env=PATH,CI,NO_COLOR,ANSIBLE_NOCOLOR,COLUMNS,SPX_KEEP,SPX_NO_INSTALL,SPX_MOLECULE_LAB tests/molecule.sh "$@"
fi
trap 'tests/setup/tree.sh back' EXIT

# In this order: a scenario may stand on the ones before, host_faults and host_rpm on host_all. The seven after host_validate
# have a device of their own, or change one for good, as host_rpm does, which leaves its host as one of another family.
scenarios=(switch_all switch_validate)
every=(
    switch_all switch_change switch_old_dialect switch_roles switch_validate host_all host_validate
    host_tampered switch_maintenance switch_replace host_faults host_roles host_two_planes host_dpu_mode host_rpm
    networks_all
)

python=$PWD/.venv/bin/python
prefix=${SPX_MOLECULE_LAB:-molecule}
COLLECTIONS_TREE=$(tests/setup/tree.sh links)
export COLLECTIONS_TREE ANSIBLE_COLLECTIONS_PATH=$COLLECTIONS_TREE
export PATH=${python%/*}:$PATH PYTHONPATH=$PWD/demo:$COLLECTIONS_TREE
export SPX_NVUE_USER=cumulus SPX_NVUE_PASSWORD=Spectrum-X1!

case ${1:-} in
    "") set -- "${scenarios[@]}" ;;
    --all) set -- "${every[@]}" ;;
esac
slice=(--where '*/h01' --where '*/h02')
beside=() networks=()
for scenario in "$@"; do
    case $scenario in
        networks_*) networks+=("$scenario") ;;
        *)
            beside+=("$scenario")
            [[ " ${scenarios[*]} " == *" $scenario "* ]] || slice=()
            ;;
    esac
done

demo/lab/setup.sh
mapfile -t base < <(demo/lab/setup.sh --base)

down() { [ -n "${SPX_KEEP:-}" ] || "$python" -m lab.world down "$lab"; }

# in_lab NAME EXAMPLE SCENARIO...: the scenarios in a lab of an example, or in the kept one of this name.
in_lab() {
    local example=$2 chosen=()
    lab=$1
    shift 2
    for scenario in "$@"; do chosen+=(--scenario-name "$scenario"); done
    export SPX_PROJECT=$PWD/build/$lab/project SPX_EXAMPLE=$PWD/build/$lab/example
    trap 'tests/setup/tree.sh back || true; down' EXIT
    if ! { [ -n "${SPX_KEEP:-}" ] && [ -d "$SPX_PROJECT" ] && "$python" -m lab status "$lab" >/dev/null 2>&1; }; then
        "$python" -m lab.world up "$example" --name "$lab" "${slice[@]}" "${base[@]}"
        cp --recursive --no-target-directory "$SPX_PROJECT" "$SPX_EXAMPLE" # as described, before a scenario changes it
    elif [ "${#slice[@]}" -eq 0 ] && [ -s "build/$lab/where" ]; then
        echo "molecule.sh: the lab $lab, which was kept, has four hosts, and $* need six: run demo/lab.sh down $lab first." >&2
        exit 1
    fi
    set -a
    # shellcheck source=/dev/null
    . "build/lab/$lab/env"
    set +a
    "$python" -m lab exec "$lab" -- molecule test --no-command-borders "${chosen[@]}"
}

[ "${#beside[@]}" -eq 0 ] || in_lab "$prefix" inventories/lab "${beside[@]}"
if [ "${#networks[@]}" -gt 0 ]; then
    [ "${#beside[@]}" -eq 0 ] || down
    slice=()
    in_lab "$prefix-networks" inventories/lab-routed "${networks[@]}"
fi
