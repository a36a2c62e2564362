#!/usr/bin/env bash
# Runs the peers side by side on the machine with the GPU, which needs no Rust, and joins what they measured.
#
#   run.sh OUT.json [MAX_BYTES]     from gpu-bin/peers, where build.sh puts it, or from benches/peers
#
# Each library runs in a process of its own; a round has all of them, and every other round the opposite order. ROUNDS=3
# unless set, PEERS="raw memcore" takes some of them. MEMCORE_DRIVER=sim measures memcore alone, on the simulated device.
# A library whose process fails is run again, a process for each group of works: what works is measured, and the rest named.
set -euo pipefail
out=${1:?usage: run.sh OUT.json [MAX_BYTES]}
max_bytes=${2:-$((1 << 30))}
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$here/memcore" ] || here=$here/../../gpu-bin/peers
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
export MEMCORE_DRIVER=${MEMCORE_DRIVER:-cuda} RUST_BACKTRACE=0
libraries=()
for library in ${PEERS:-raw memcore cudarc cust oxicuda cuda-core}; do
    if [ -x "$here/$library" ] && { [ "$MEMCORE_DRIVER" = cuda ] || [ "$library" = memcore ]; }; then libraries+=("$library"); fi
done
failed=()
measured=()

# One process; the rows that it wrote before it failed count too.
process() {
    local name=$1 part=$2 status=0
    shift 2
    "$here/$name" --json "$parts/$part.json" --max-bytes "$max_bytes" "$@" || status=$?
    if [ -s "$parts/$part.json" ]; then measured+=("$parts/$part.json"); fi
    return $status
}

measure() {
    local name=$1 part=$2 start=$SECONDS group
    shift 2
    if process "$name" "$part" "$@"; then
        echo "$part: $((SECONDS - start)) s"
        return
    fi
    echo "$part failed; a process for each group of works:" >&2
    # What it has measured is measured again.
    if [ -s "$parts/$part.json" ]; then unset 'measured[-1]'; fi
    for group in $("$here/$name" --groups); do
        process "$name" "$part-$group" "$@" --only "$group" --say 2>"$parts/said" ||
            failed+=("$part at $(grep '^begins: ' "$parts/said" | tail -n 1); $(tail -n 1 "$parts/said")")
    done
    echo "$part: $((SECONDS - start)) s"
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
if [ "$MEMCORE_DRIVER" = cuda ] && [[ " ${libraries[*]} " = *" memcore "* ]]; then
    process memcore in-turns --in-turns || failed+=("memcore in turns")
fi
"$here/memcore" --merge "$out" "${measured[@]}"
echo "$SECONDS s in all; written to $out"
if ((${#failed[@]})); then
    printf 'failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
