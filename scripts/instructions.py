#!/usr/bin/env python3
"""The instructions that the typed layer adds to a driver call, counted: writes docs/performance/instructions.json.

    scripts/instructions.py            count, and write the file
    scripts/instructions.py --check    count, and say where the file differs

Needs cc, cargo and valgrind, and no GPU. `benches/instructions.rs` runs on a driver that does nothing
(`benches/null_driver`), under callgrind, which counts every instruction of user space: the program's, memcore's and the
null driver's few. Each work runs twice, with different counts of turns; the difference by the turns is what one takes, so
that loading, opening and the first turn's set-up cancel. "raw" is the same driver functions called by their addresses.

The counts are those of one compiler and one machine's C library. They repeat to the instruction on one machine, but for
what depends on addresses (hashing, allocation), which is rounded away.
"""

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from machine import processor

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs/performance/instructions.json"
FEW, MANY = 1000, 3000
# Each work of the program, in words.
WORK = {
    "htod-async": "`copy!(dev <- locked, async stream)`",
    "dtoh-async": "`copy!(locked <- dev, async stream)`",
    "dtod-async": "`copy!(dev <- dev2, async stream)`",
    "htod-scope": "`copy!(dev <- locked, scope)`",
    "dtoh-scope": "`copy!(locked <- dev, scope)`",
    "dtod-scope": "`copy!(dev <- dev2, scope)`",
    "scope": "a scope without operations",
    "htod-locked": "`copy!(dev <- locked)`",
    "htod-locked-on": "`copy!(dev <- locked, stream)`",
    "dtoh-locked": "`copy!(locked <- dev)`",
    "htod-pageable": "`copy!(dev <- host)`, 4 bytes",
    "dtoh-pageable": "`copy!(host <- dev)`, 4 bytes",
    "dtod": "`copy!(dev <- dev2)`",
    "memset": "`fill!(dev <- u)`",
    "allocate": "allocate and free device memory",
}


def build(place):
    """The program, and a folder with the driver."""
    subprocess.run([ROOT / "benches/null_driver/build.sh", place], check=True)
    command = ["cargo", "build", "--release", "--bench", "instructions", "--message-format=json"]
    messages = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout
    for message in map(json.loads, messages.splitlines()):
        if message.get("executable") and message["target"]["name"] == "instructions":
            return message["executable"]
    sys.exit("cargo built no program")


def count(program, place, layer, work, turns):
    """All instructions of one run."""
    command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, layer, work, str(turns)]
    # Nothing else of the environment, whose size moves the stack.
    environment = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": place, "MEMCORE_DRIVER": "cuda"}
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    collected = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode or not collected:
        sys.exit(f"{layer} {work}: status {run.returncode}\n{run.stdout}{run.stderr}")
    return int(collected[1])


def of_one_turn(program, place, layer, work):
    few, many = (count(program, place, layer, work, turns) for turns in (FEW, MANY))
    return round((many - few) / (MANY - FEW))


def measure():
    rows = []
    with tempfile.TemporaryDirectory() as place:
        program = build(place)
        for work, what in WORK.items():
            raw, typed = (of_one_turn(program, place, layer, work) for layer in ("raw", "typed"))
            rows.append({"what": what, "raw": raw, "typed": typed, "added": typed - raw})
            print(f"{what:42} raw {raw:5}   typed {typed:5}   added {typed - raw:5}", flush=True)
    rustc = subprocess.run(["rustc", "--version"], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    date = datetime.date.today().isoformat()
    return {"machine": f"{processor()}, {platform.libc_ver()[0]} {platform.libc_ver()[1]}", "date": date, "rustc": rustc, "rows": rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the file, and leave it as it is")
    arguments = parser.parse_args()
    result = measure()
    if not arguments.check:
        OUT.parent.mkdir(parents=True, exist_ok=True)
        OUT.write_text(json.dumps(result, indent=2) + "\n")
        return
    known = {row["what"]: row for row in json.loads(OUT.read_text())["rows"]}
    differing = [row["what"] for row in result["rows"] if row != known.get(row["what"])]
    if differing:
        sys.exit("the file says otherwise of " + ", ".join(differing))


if __name__ == "__main__":
    main()
