#!/usr/bin/env bash
# The tests of scopes under AddressSanitizer, on the nightly toolchain; without arguments all that are named `scope*`.
#
#   scripts/asan.sh [TEST…]
#
# It sees what memcore, the tests and the simulated device do to memory of the host's allocator and stack: a copy past
# an end, a value that is read when it is gone. What lands in page-locked or unified memory too late it does not see
# (that memory is the simulated device's own mapping, and pageable memory is copied within the call, as by a GPU's
# driver): the tests compare bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
tests=("$@")
if [ ${#tests[@]} = 0 ]; then
    for file in tests/scope*; do tests+=("$(basename "$file" .rs)"); done
fi
# What a test forgets, and what a dead context keeps, is leaked on purpose.
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
export RUSTFLAGS="-Zsanitizer=address ${RUSTFLAGS:-}" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/asan"
exec cargo +nightly test --target x86_64-unknown-linux-gnu "${tests[@]/#/--test=}"
