#!/usr/bin/env bash
# Compiles the driver that does nothing: build.sh FOLDER writes FOLDER/libcuda.so.1. It needs a C compiler.
set -euo pipefail
${CC:-cc} -std=gnu11 -Wall -Werror -O2 -shared -fPIC -ftls-model=initial-exec -Wl,-soname,libcuda.so.1 \
    -o "${1:?usage: build.sh FOLDER}/libcuda.so.1" "$(dirname "$0")/null_driver.c"
