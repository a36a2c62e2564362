#!/usr/bin/env bash
# Runs the peers side by side on the machine with the GPU, which needs no Rust, and joins what they measured.
#
#   run.sh OUT.json [MAX_BYTES]     from gpu-bin/peers, where build.sh puts it, or from benches/peers
#
# Each library runs in a process of its own; a round has all of them, and every other round the opposite order. ROUNDS=3
# unless set. MEMCORE_DRIVER=sim measures memcore alone, on the simulated device. A library that fails is named and left out.
set -euo pipefail
out=${1:?usage: run.sh OUT.json [MAX_BYTES]}
max_bytes=${2:-$((1 << 30))}
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$here/memcore" ] || here=$here/../../gpu-bin/peers
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
export MEMCORE_DRIVER=${MEMCORE_DRIVER:-cuda}
libraries=()
for library in raw memcore cudarc cust oxicuda cuda-core; do
    if [ -x "$here/$library" ] && { [ "$MEMCORE_DRIVER" = cuda ] || [ "$library" = memcore ]; }; then libraries+=("$library"); fi
done
failed=()
measured=()

measure() {
    local name=$1 part=$2 start=$SECONDS
    shift 2
    if "$here/$name" --json "$parts/$part.json" --max-bytes "$max_bytes" "$@"; then
        measured+=("$parts/$part.json")
        echo "$part: $((SECONDS - start)) s"
    else
        failed+=("$part")
    fi
}

for ((round = 1; round <= ${ROUNDS:-3}; round++)); do
    order=("${libraries[@]}")
    if ((round % 2 == 0)); then
        order=()
        for library in "${libraries[@]}"; do order=("$library" "${order[@]}"); done
    fi
    verify=()
    if ((round == 1)); then verify=(--verify); fi
    for library in "${order[@]}"; do measure "$library" "$round-$library" "${verify[@]}"; done
done
if [ "$MEMCORE_DRIVER" = cuda ]; then measure memcore in-turns --in-turns; fi
"$here/memcore" --merge "$out" "${measured[@]}"
echo "$SECONDS s in all; written to $out"
if ((${#failed[@]})); then
    echo "failed: ${failed[*]}" >&2
    exit 1
fi
