#!/usr/bin/env bash
# Tests and benchmarks on a machine with a GPU.
#
#   scripts/gpu.sh build    here: builds them, stripped, into gpu-bin/ (ignored by git)
#   scripts/gpu.sh run      on the GPU machine, which needs no Rust: runs all that is in gpu-bin/, on the CUDA driver
#   scripts/gpu.sh measure [FOLDER]    there too: how fast it all is, beside other libraries, for docs/performance/; the
#                           results go into FOLDER, gpu-bin/results if not given. It takes about eight minutes.
#
# On one machine that has both: scripts/gpu.sh build && scripts/gpu.sh run
set -euo pipefail
cd "$(dirname "$0")/.."
out=gpu-bin

# The executable that cargo built for a target, from its JSON messages.
executable() {
    python3 -c '
import json, sys
name, kind = sys.argv[1:]
for line in sys.stdin:
    message = json.loads(line)
    if message.get("executable") and message["target"]["name"] == name and kind in message["target"]["kind"]:
        print(message["executable"])
' "$1" "$2"
}

build() {
    rm -rf "$out" && mkdir -p "$out"
    local messages
    messages=$(cargo test --release --message-format=json --no-run --test conformance --test hardware --test libcuda \
        --test test_attribute --bench overhead --bench locked)
    messages+=$'\n'$(cargo build --release --message-format=json --examples)
    for target in conformance:test hardware:test libcuda:test test_attribute:test overhead:bench locked:bench quickstart:example \
        03_overlap:example 04_cudarc_kernel:example bandwidth:example; do
        local path
        path=$(executable "${target%:*}" "${target#*:}" <<<"$messages")
        [ -n "$path" ] || { echo "cargo built no ${target%:*}" >&2; exit 1; }
        strip -o "$out/${target%:*}" "$path"
    done
    messages=$(cargo test --release --message-format=json --no-run -p memcore --lib)
    strip -o "$out/unit" "$(executable memcore lib <<<"$messages")"
    cargo run --release --quiet --example 02_cuda_header -- "$out/header"
    cp tests/cuda_header/reads_every_field.cu "$out/header/"
    benches/peers/build.sh
    ls -l "$out"
}

run() {
    export MEMCORE_DRIVER=cuda RUST_BACKTRACE=0
    nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
    "$out/conformance"
    "$out/hardware"
    MEMCORE_LIBCUDA=libcuda.so.1 "$out/libcuda"
    "$out/unit" driver::conformance
    "$out/test_attribute" --ignored --exact subjects::passes subjects::returns_ok subjects::returns_what_terminates
    if "$out/test_attribute" --ignored --exact subjects::returns_an_error; then
        echo "a test that returns an error passed" >&2 && exit 1
    fi
    nvcc -std=c++17 -arch=native -I "$out/header" "$out/header/reads_every_field.cu" -o /tmp/reads_every_field
    /tmp/reads_every_field "$out/header/records.bin"
    "$out/quickstart"
    "$out/03_overlap"
    MEMCORE_TRACE=/tmp/trace.json "$out/03_overlap"
    python3 -c '
import json
events = json.load(open("/tmp/trace.json"))
work = [event for event in events if event.get("cat") == "device"]
assert work and all(event["dur"] >= 0 for event in work)
print("trace    ", len(events), "events,", len(work), "of streams")'
    "$out/04_cudarc_kernel"
    "$out/overhead"
    "$out/locked"
    python3 scripts/probes/dead_context.py # last: it ends with a dead context
}

measure() {
    local results=${1:-$out/results}
    mkdir -p "$results"
    MEMCORE_DRIVER=cuda "$out/bandwidth" --json "$results/bandwidth.json" --out "$results"
    "$out/peers/few_cores.sh" "$results/few_cores.json"
    "$out/peers/run.sh" "$results/peers.json"
}

case "${1:-}" in
build) build ;;
run) run ;;
measure) measure "${2:-}" ;;
*) sed -n '2,10p' "$0" && exit 2 ;;
esac
