#!/usr/bin/env python3
"""What it costs to build memcore: a clean `cargo build -p memcore` with all dependencies, and why each of them is there.

    scripts/build_cost.py [ROUNDS]

Builds on two cores into a directory of its own, which is removed, with every crate fetched before; three rounds unless told
otherwise, and a busy machine spoils them. Writes docs/performance/build.json, which scripts/performance.py renders.
The reason of a direct dependency is the comment above it in the manifest that names it; of another, what needs it.
"""

import datetime
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from machine import processor

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "docs" / "performance" / "build.json"
OURS = {"memcore", "memcore-derive"}
CORES = 2


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def measure(rounds):
    """Seconds of each clean build."""
    seconds = []
    command = ["taskset", "-c", f"0-{CORES - 1}", "cargo", "build", "-p", "memcore", "--quiet", "--offline", f"-j{CORES}"]
    for _ in range(rounds):
        target = tempfile.mkdtemp(prefix="memcore-build-")
        before = time.monotonic()
        subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, "CARGO_TARGET_DIR": target})
        seconds.append(round(time.monotonic() - before, 2))
        shutil.rmtree(target)
        print(f"{seconds[-1]:.2f} s", flush=True)
    return seconds


def reasons(manifest):
    """The comment above each dependency of a manifest, outside its [dev-dependencies]."""
    found, comment, section = {}, [], ""
    for line in manifest.read_text().splitlines():
        if line.startswith("["):
            section, comment = line, []
        elif line.startswith("#"):
            comment.append(line.lstrip("# "))
        elif match := re.match(r"([\w-]+) = ", line):
            if section in ("[dependencies]", "[build-dependencies]"):
                found[match[1]] = " ".join(comment)
            comment = []
    return found


def dependencies():
    """Every crate that a build compiles, with its version and why it is there, ours first."""
    metadata = json.loads(output("cargo", "metadata", "--format-version", "1", "--offline"))
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    used = {line.split()[0] for line in output(
        "cargo", "tree", "-p", "memcore", "-e", "normal,build", "--prefix", "none", "--offline").splitlines()}
    manifests = {name: reasons(ROOT / name / "Cargo.toml") for name in OURS}
    needs, order, queue = {}, [], [next(id for id in nodes if packages[id]["name"] == "memcore")]
    while queue:
        id = queue.pop(0)
        order.append(id)
        for dependency in nodes[id]["deps"]:
            kinds = [kind["kind"] for kind in dependency["dep_kinds"]]
            if all(kind == "dev" for kind in kinds) or packages[dependency["pkg"]]["name"] not in used:
                continue
            if dependency["pkg"] not in needs:
                needs[dependency["pkg"]] = []
                queue.append(dependency["pkg"])
            needs[dependency["pkg"]].append(packages[id]["name"] + (" when it builds" if kinds == ["build"] else ""))
    rows = []
    for id in order[1:]:
        package, by = packages[id], needs[id]
        why = [manifests[name].get(package["name"], "") for name in by if name in OURS]
        others = [name for name in by if name not in OURS]
        if others:
            why.append(f"Needed by {', '.join(others)}.")
        if not all(why):
            sys.exit(f"no comment says why {package['name']} is there")
        rows.append({"name": package["name"], "version": package["version"], "why": " ".join(why)})
    return rows


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    subprocess.run(["cargo", "fetch", "--quiet"], check=True, cwd=ROOT)
    rows = dependencies()
    seconds = measure(rounds)
    result = {
        "machine": f"{processor()}, {CORES} cores",
        "rustc": output("rustc", "--version").strip(),
        "date": datetime.date.today().isoformat(),
        "command": "cargo build -p memcore",
        "seconds": seconds,
        "median": statistics.median(seconds),
        "dependencies": rows,
    }
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(json.dumps(result, indent=1) + "\n")
    print(f"median {result['median']:.2f} s, {len(rows)} dependencies; written to {OUT.relative_to(ROOT)}")


main()
