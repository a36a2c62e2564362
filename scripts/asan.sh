#!/usr/bin/env bash
# The run-time tests of asynchronous copies under AddressSanitizer, on the nightly toolchain: without arguments those that
# are named `scope*`, `transfer*`, `captures` and `host_functions`.
#
#   scripts/asan.sh [TEST…]
#
# Nearly all run with pageable memory used as late as the documentation of CUDA allows (`SimOptions::late_pageable`): a copy
# whose host memory is gone when the simulated device works on it is reported. That this is so is tried first, with
# programs that are wrong (`tests/asan_control.rs`): if one of them is not reported, this fails. What lands late in
# page-locked or unified memory, which is the simulated device's own mapping, the tests see by comparing bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
tests=("$@")
if [ ${#tests[@]} = 0 ]; then
    for file in tests/{scope,transfer,captures,host_functions}*; do tests+=("$(basename "$file" .rs)"); done
fi
# What a test forgets, and what a dead context keeps, is leaked on purpose.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
export RUSTFLAGS="-Zsanitizer=address ${RUSTFLAGS:-}" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/asan"
target=x86_64-unknown-linux-gnu
cargo +nightly test --target $target --test asan_control
for broken in broken_upload_from_memory_that_is_freed broken_download_into_memory_that_is_freed; do
    if report=$(cargo +nightly test --quiet --target $target --test asan_control -- --exact --ignored $broken 2>&1); then
        echo "AddressSanitizer does not see $broken: its silence would mean nothing" >&2
        exit 1
    fi
    grep -q 'AddressSanitizer: heap-use-after-free' <<<"$report" || { echo "$report" >&2; exit 1; }
    echo "AddressSanitizer reports $broken, as it must"
done
cargo +nightly test --target $target "${tests[@]/#/--test=}"
