#!/usr/bin/env python3
"""What the derives cost: `cargo check` of a crate of 200 structs, clean, with each derive in turn.

    scripts/derive_cost.py [ROUNDS]

Three crates hold the same structs: with `Clone, Copy` alone, with bytemuck's `Zeroable` and `Pod`, and with
`DeviceCopy`, which also describes the layout. Their dependencies are compiled before. Each round checks the three one
after the other; the time is the processor time of the compiler and the medians are compared. "Added" is what is left
after taking away the crate without either derive. Ends with status 1 if `DeviceCopy` adds more than 1.2 times what
bytemuck's two derives do.
"""

import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PLACE = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "derive-cost"
STRUCTS, LIMIT = 200, 1.2
DERIVES = {
    "none": ("", ""),
    "bytemuck": (", bytemuck::Zeroable, bytemuck::Pod", 'bytemuck = { version = "1.25", features = ["derive", "min_const_generics"] }'),
    "memcore": (", memcore::DeviceCopy", f'memcore = {{ path = "{ROOT / "memcore"}" }}'),
}
# Fields of one size, so that no struct has padding.
TYPES = {
    4: ["f32", "u32", "i32", "[u8; 4]", "[u16; 2]", "Vec1"],
    8: ["f64", "u64", "i64", "[f32; 2]", "[[u8; 4]; 2]", "Vec2"],
}


def structs(derive):
    """The source: the same structs for every derive."""
    numbers = random.Random(200)
    item = f"#[derive(Clone, Copy{derive})]\n#[repr(C)]\npub struct "
    text = ["#![allow(missing_docs)]\n", item + "Vec1 { pub x: f32 }\n", item + "Vec2 { pub x: f32, pub y: f32 }\n"]
    for index in range(STRUCTS - 2):
        types = TYPES[numbers.choice([4, 8])]
        fields = "".join(f"    pub field_{field}: {numbers.choice(types)},\n" for field in range(numbers.randint(2, 12)))
        text.append(f"{item}Record{index} {{\n{fields}}}\n")
    return "".join(text)


def cargo(name, *arguments):
    command = ["cargo", *arguments, "--quiet", "--manifest-path", str(PLACE / name / "Cargo.toml")]
    environment = {**os.environ, "CARGO_TARGET_DIR": str(PLACE / "target"), "CARGO_INCREMENTAL": "0"}
    subprocess.run(command, check=True, env=environment)


def check(name):
    """Processor seconds of one check, from clean."""
    cargo(name, "clean", "-p", f"cost-{name}")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    cargo(name, "check", "--offline")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    for name, (derive, dependency) in DERIVES.items():
        shutil.rmtree(PLACE / name, ignore_errors=True)
        (PLACE / name / "src").mkdir(parents=True)
        manifest = f'[package]\nname = "cost-{name}"\nedition = "2024"\n[dependencies]\n{dependency}\n[workspace]\n'
        (PLACE / name / "Cargo.toml").write_text(manifest)
        (PLACE / name / "src" / "lib.rs").write_text(structs(derive))
        shutil.copy(ROOT / "rust-toolchain.toml", PLACE / name)
        cargo(name, "check")
    times = {name: [] for name in DERIVES}
    for _ in range(rounds):
        for name in DERIVES:
            times[name].append(check(name))
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, values in times.items():
        print(f"{name:9} median {medians[name]:.3f} s  least {min(values):.3f}  most {max(values):.3f}  ({rounds} rounds)")
    added = {name: medians[name] - medians["none"] for name in ("bytemuck", "memcore")}
    ratio = added["memcore"] / added["bytemuck"]
    whole = medians["memcore"] / medians["bytemuck"]
    print(f"added by bytemuck {added['bytemuck']:.3f} s, by memcore {added['memcore']:.3f} s: {ratio:.2f} times; whole check {whole:.2f} times")
    return 0 if ratio <= LIMIT else 1


sys.exit(main())
