#!/usr/bin/env bash
# Pageable copies of 64 KiB to 256 MiB by the driver and by memcore where a program has few cores, in turns: 1, 2 and 4 of the
# machine's. It takes less than a minute.
#
#   few_cores.sh OUT.json     from gpu-bin/peers, where build.sh puts it, or from benches/peers
set -euo pipefail
out=${1:?usage: few_cores.sh OUT.json}
here=$(cd "$(dirname "$0")" && pwd)
[ -x "$here/memcore" ] || here=$here/../../gpu-bin/peers
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT
export MEMCORE_DRIVER=${MEMCORE_DRIVER:-cuda}
libraries=(raw memcore)
if [ "$MEMCORE_DRIVER" != cuda ]; then libraries=(memcore); fi
measured=()
for round in 1 2 3; do
    for cores in 1 2 4; do
        for library in "${libraries[@]}"; do
            part=$parts/$round-$cores-$library.json
            taskset -c "0-$((cores - 1))" "$here/$library" --json "$part" --only pageable --note ", cores: $cores" \
                --min-bytes $((64 << 10)) --max-bytes "${MAX_BYTES:-$((256 << 20))}"
            measured+=("$part")
        done
    done
done
"$here/memcore" --merge "$out" "${measured[@]}"
echo "$SECONDS s in all; written to $out"
