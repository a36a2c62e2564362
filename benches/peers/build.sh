#!/usr/bin/env bash
# Builds the peers here, where no GPU is needed, into gpu-bin/peers of the repository, with the script that runs them.
#
#   benches/peers/build.sh
#
# cust links a CUDA library, for which a stub is compiled (cc, x86-64); cuda-core needs headers of CUDA 13 and libclang, which
# are fetched from PyPI (python3 with venv). Where one of these cannot be had, that library is left out, and said to be.
set -euo pipefail
cd "$(dirname "$0")"
out=../../gpu-bin/peers
target=${CARGO_TARGET_DIR:-$PWD/target}
export CARGO_TARGET_DIR=$target
tools=$target/tools

# What cust links for the driver: functions that jump into the driver, which `cuInit` loads. So it is loaded when the program
# runs, as by the other libraries, and not when the process starts.
stub() {
    local names lib=$tools/stub/lib64/stubs
    names=$(cargo metadata --format-version 1 | python3 -c '
import json, pathlib, re, sys
for package in json.load(sys.stdin)["packages"]:
    if package["name"] == "cust_raw":
        for file in pathlib.Path(package["manifest_path"]).parent.rglob("*.rs"):
            print("\n".join(re.findall(r"pub fn (cu[A-Z]\w*)", file.read_text())))' | sort -u | grep -vx cuInit)
    rm -rf "$tools/stub" && mkdir -p "$lib"
    {
        printf '#include <dlfcn.h>\n#include <stdlib.h>\nstatic void *driver;\n'
        printf '__attribute__((visibility("hidden"))) void *to_%s;\n' $names
        printf 'static const struct { const char *name; void **place; } all[] = {\n'
        for name in $names; do printf '{"%s", &to_%s},\n' "$name" "$name"; done
        printf '};\n'
        cat <<'END'
/* A function that the driver lacks ends the process where it is called. */
unsigned cuInit(unsigned flags) {
    if (!driver) {
        if (!(driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)))
            return 100; /* CUDA_ERROR_NO_DEVICE */
        for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
            if (!(*all[i].place = dlsym(driver, all[i].name)))
                *all[i].place = (void *)abort;
    }
    return ((unsigned (*)(unsigned))dlsym(driver, "cuInit"))(flags);
}
END
        for name in $names; do
            printf '__asm__(".text\\n.globl %s\\n.type %s, @function\\n%s: jmp *to_%s(%%rip)");\n' "$name" "$name" "$name" "$name"
        done
    } >"$tools/stub.c"
    cc -O2 -fPIC -c -o "$tools/stub.o" "$tools/stub.c"
    ar rcs "$lib/libcuda.a" "$tools/stub.o"
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
