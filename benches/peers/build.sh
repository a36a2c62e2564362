#!/usr/bin/env bash
# Builds the peers here, where no GPU is needed, into gpu-bin/peers of the repository, with the script that runs them.
#
#   benches/peers/build.sh
#
# cust links a CUDA library, for which a stub is compiled (cc); cuda-core needs headers of CUDA 13 and libclang, which are
# fetched from PyPI (python3 with venv). Where one of these cannot be had, that library is left out, and said to be.
set -euo pipefail
cd "$(dirname "$0")"
out=../../gpu-bin/peers
target=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_DIR=$target
tools=$target/tools

# A library for the linker alone: it has the name and the functions of the driver, and is never run.
stub() {
    local names
    names=$(cargo metadata --format-version 1 | python3 -c '
import json, pathlib, re, sys
for package in json.load(sys.stdin)["packages"]:
    if package["name"] == "cust_raw":
        for file in pathlib.Path(package["manifest_path"]).parent.rglob("*.rs"):
            print("\n".join(re.findall(r"pub fn (cu[A-Z]\w*)", file.read_text())))' | sort -u)
    mkdir -p "$tools/stub/lib64/stubs"
    printf 'int %s(void) { return 999; }\n' $names >"$tools/stub.c"
    cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$tools/stub/lib64/stubs/libcuda.so" "$tools/stub.c"
}

# Headers of CUDA 13, and libclang to read them.
headers() {
    [ -x "$tools/python/bin/python3" ] || python3 -m venv "$tools/python"
    "$tools/python/bin/pip" install --quiet --disable-pip-version-check \
        'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-crt==13.0.*' 'nvidia-curand==10.4.*' 'libclang==18.*'
    packages=$("$tools/python/bin/python3" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    export CUDA_TOOLKIT_PATH=$packages/nvidia/cu13 LIBCLANG_PATH=$packages/clang/native
    export BINDGEN_EXTRA_CLANG_ARGS=-I$(gcc -print-file-name=include)
}

put() {
    strip -o "$out/$1" "$target/release/peer-$1"
}

rm -rf "$out" && mkdir -p "$out"
cargo build --release --quiet -p peer-raw -p peer-memcore -p peer-cudarc -p peer-oxicuda
for peer in raw memcore cudarc oxicuda; do put "$peer"; done
if stub && CUDA_LIBRARY_PATH=$tools/stub cargo build --release --quiet -p peer-cust; then put cust; else
    echo "cust is left out: it did not build" >&2
fi
if headers && cargo build --release --quiet -p peer-cuda-core; then put cuda-core; else
    echo "cuda-core is left out: it did not build" >&2
fi
cp run.sh few_cores.sh "$out/"
ls -l "$out"
