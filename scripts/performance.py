#!/usr/bin/env python3
"""Renders docs/performance.md, and the plots that it shows, from the results in docs/performance/.

    scripts/performance.py [FOLDER]            writes FOLDER.md and the plots in FOLDER
    scripts/performance.py --check [FOLDER]    writes nothing, and fails where anything would change

FOLDER is docs/performance if not given. It holds `template.md`, whose `{names}` in braces are replaced, and results:

    peers.json, bandwidth.json   what benches/peers/run.sh and `bandwidth --json` wrote; plots are drawn of them
    few_cores.json               benches/peers/few_cores.sh
    instructions.json            scripts/instructions.py
    build.json                   scripts/build_cost.py

What has no results is said to have none. Needs cargo, which builds the example that draws.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
SIZES = [4, 64 * KIB, MIB, 16 * MIB, 64 * MIB, 256 * MIB, GIB]
PLOTTED = ["peers", "bandwidth"]
# A typed call is as fast as the raw one up to this, or to what the raw one differs from itself.
NOISE = 1.02
UP, DOWN = "pageable to device", "device to pageable"
TURNS = ["page-locked to device", "device to page-locked", "device to device", "fill", UP, DOWN]


def size_name(size):
    for unit, name in [(GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")]:
        if size >= unit:
            return f"{size / unit:g} {name}"
    return f"{size} B"


def number(value):
    """Three digits, and all that stand before the point."""
    digits = 2 if value < 10 else 1 if value < 100 else 0
    text = f"{value:,.{digits}f}"
    return text if value >= 0.01 or value == 0 else f"{value:.4f}"


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


class Results:
    """Rows by library, work, size and number of threads."""

    def __init__(self, text):
        self.about, rows = text["about"], text["rows"]
        self.rows = {(row["library"], row["work"], row["bytes"], row["threads"]): row for row in rows}
        self.libraries = list(dict.fromkeys(row["library"] for row in rows if not row["work"].startswith("in turns")))
        self.works = list(dict.fromkeys(row["work"] for row in rows if not row["work"].startswith("in turns")))

    def row(self, library, work, size, threads=1):
        return self.rows.get((library, work, size, threads))

    def sizes(self, work, threads=1):
        return sorted({size for _, other, size, count in self.rows if (other, count) == (work, threads)})

    def turns(self, work, size):
        """How many times the raw call's time the typed call takes, and how many times itself the raw call does."""
        raw, typed, again = (self.row(name, f"in turns: {work}", size)["median"] for name in ("raw", "memcore", "raw again"))
        return typed / min(raw, again), max(raw, again) / min(raw, again)

    def machine(self):
        about = self.about
        if about["simulated"]:
            return f"{about['device']} on {about['host']}, {about['date']}: the speed of the simulator, not of a GPU"
        return f"{about['device']}, {about['driver']}, {about['host']}, {about['date']}"


def rate(row, time="median"):
    """GB a second of all threads together."""
    return row["moves"] * row["threads"] / row[time]


def value(row, unit, time="median"):
    if unit == "GB/s":
        return rate(row, time)
    return row[time] / {"ns": 1, "µs": 1e3, "ms": 1e6}[unit]


# Each target: the work as users say it, the work's name in the results, its size, the unit and the target in it.
TARGETS = [
    ("pageable upload", UP, GIB, "GB/s", 48),
    ("pageable download", DOWN, GIB, "GB/s", 48),
    ("pageable upload", UP, 64 * MIB, "GB/s", 38),
    ("pageable download", DOWN, 64 * MIB, "GB/s", 38),
    ("pageable upload", UP, 16 * MIB, "GB/s", 25),
    ("pageable download", DOWN, 16 * MIB, "GB/s", 25),
    ("`to_vec()`, a new `Vec`", "device to a new Vec", GIB, "ms", 65),
    ("pageable rows up, 1000 of 1024 `f32`", "pageable window to device", 16 * MIB, "µs", 680),
    ("pageable rows down, 1000 of 1024 `f32`", "device to pageable window", 16 * MIB, "µs", 680),
    *(("device memory: allocate, wait, free", "allocate, wait and free", size, "µs", 7) for size in (4, MIB, 64 * MIB, GIB)),
    ("device memory zeroed, dropped, waited for", "zeroed, drop and wait", 64 * MIB, "µs", 35),
    *(("page-locked memory: allocate, free", "page-locked allocation and free", size, "ms", most)
      for size, most in ((GIB, 95), (64 * MIB, 6), (MIB, 0.4))),
    *(("a second one, on pages that the context kept", "page-locked allocation and free, again", size, "µs", None)
      for size in (GIB, 64 * MIB, MIB)),
]


def verdict(measured, target, more_is_better):
    """Whether the target is met, and by how much it is missed."""
    missed = 1 - measured / target if more_is_better else measured / target - 1
    return "met" if missed <= 0 else f"missed by {missed * 100:.0f} %" if missed >= 0.01 else "missed by less than 1 %"


def typed_over_raw(peers, work, sizes, is_missed):
    """The worst of the sizes of a work: its text, and at how many the target is missed."""
    all_turns = [(*peers.turns(work, size), size) for size in sizes]
    missed = sum(is_missed(*turns) for turns in all_turns)
    ratio, noise, size = max(all_turns)
    typed, *raws = (peers.row(library, f"in turns: {work}", size)["median"] for library in ("memcore", "raw", "raw again"))
    raw = min(raws)
    text = f"{ratio:.3f} at most ({size_name(size)}: {(typed - raw) / 1e3:+.2f} µs; raw against itself there {noise:.3f})"
    return text, f"missed at {missed} of {len(all_turns)} sizes" if missed else "met"


def slower_than_driver(peers, work):
    """Sizes at which memcore, in a process of its own, takes longer than the driver by more than a fiftieth."""
    sizes = [size for size in peers.sizes(work) if peers.row("raw", work, size) and peers.row("memcore", work, size)]
    ratios = [(peers.row("memcore", work, size)["median"] / peers.row("raw", work, size)["median"], size) for size in sizes]
    worst, size = max(ratios)
    slower = [f"{size_name(size)} ({ratio:.2f})" for ratio, size in ratios if ratio > NOISE]
    return f"{worst:.2f} at most ({size_name(size)})", f"slower at {', '.join(slower)}" if slower else "met"


def over_the_driver(peers):
    rows = []
    for work in [work for work in ["submit page-locked to device", *TURNS[:4]] if peers.sizes(f"in turns: {work}")]:
        sizes = peers.sizes(f"in turns: {work}")
        text, met = typed_over_raw(peers, work, sizes, lambda ratio, noise, _: ratio > max(NOISE, noise))
        rows.append([f"typed call over the raw call: {work}", span_name(sizes), "1", "", "≤ 1.02", text, met])
    for work in [work for work in (UP, DOWN) if peers.sizes(f"in turns: {work}")]:
        sizes = peers.sizes(f"in turns: {work}")
        below, above = ([size for size in sizes if (size >= 64 * KIB) == is_large] for is_large in (False, True))
        for part, target, is_missed in [
            (below, "≤ 1", lambda ratio, noise, _: ratio > max(1, noise)),
            (above, "< 1", lambda ratio, noise, _: ratio >= max(1, noise)),
        ]:
            if part:
                rows.append([f"time over the driver's: {work}", span_name(part), "1", "", target, *typed_over_raw(peers, work, part, is_missed)])
    for work in [work for work in (UP, DOWN) if peers.sizes(work)]:
        rows.append([f"the same, each in a process of its own: {work}", span_name(peers.sizes(work)), "1", "", "≤ 1", *slower_than_driver(peers, work)])
    return rows


def span_name(sizes):
    return f"{size_name(sizes[0])} to {size_name(sizes[-1])}" if len(sizes) > 1 else size_name(sizes[0])


def targets(peers, build):
    rows = over_the_driver(peers) if peers else []
    for title, work, size, unit, target in TARGETS if peers else []:
        row = peers.row("memcore", work, size)
        if not row:
            continue
        driver = peers.row("raw", work, size)
        others = [name for name in peers.libraries if name not in ("raw", "memcore") and peers.row(name, work, size)]
        better = max if unit == "GB/s" else min
        best = better(others, key=lambda name: value(peers.row(name, work, size), unit), default=None)
        measured = value(row, unit)
        rows.append([
            title,
            size_name(size),
            f"{number(value(driver, unit))} {unit}" if driver else "",
            f"{number(value(peers.row(best, work, size), unit))} {unit} ({best})" if best else "",
            f"{'≥' if unit == 'GB/s' else '≤'} {target:g} {unit}" if target else "",
            f"{number(measured)} {unit}",
            verdict(measured, target, unit == "GB/s") if target else "",
        ])
    if build:
        rows.append(["clean build with all dependencies", "2 cores", "", "", "≤ 15 s", f"{build['median']:.1f} s",
                     verdict(build["median"], 15, False)])
    return table(["work", "size", "driver", "best peer", "target", "memcore", "reached"], rows) if rows else None


def spread(row, unit):
    low, high = sorted(value(row, unit, time) for time in ("p10", "p90"))
    return f"{number(value(row, unit))} ({number(low)}–{number(high)})"


def peer_tables(peers):
    parts = []
    for work in peers.works:
        sizes = [size for size in peers.sizes(work) if size in SIZES or len(peers.sizes(work)) < 4]
        row = peers.row(peers.libraries[0], work, sizes[0]) or next(row for key, row in peers.rows.items() if key[1] == work)
        unit = "GB/s" if row["moves"] and max(sizes) > KIB else "µs"
        parts.append(f"### {work[0].upper()}{work[1:]}\n")
        names = [name for name in peers.libraries if any(peers.row(name, work, size) for size in sizes)]
        rows = []
        for size in sizes:
            # What is small is said by its time.
            of_size = "µs" if size < 64 * KIB else unit
            cells = [peers.row(name, work, size) for name in names]
            rows.append([f"{size_name(size)}, {of_size}", *(spread(row, of_size) if row else "" for row in cells)])
        parts.append(table(["", *names], rows) + "\n")
    return "\n".join(parts).rstrip()


def turns(peers):
    works = [work for work in ["submit page-locked to device", *TURNS] if peers.sizes(f"in turns: {work}")]
    if not works:
        return None
    sizes = sorted({size for work in works for size in peers.sizes(f"in turns: {work}")})
    rows = []
    for size in sizes:
        cells = ["{:.3f} ({:.3f})".format(*peers.turns(work, size)) if size in peers.sizes(f"in turns: {work}") else "" for work in works]
        rows.append([size_name(size), *cells])
    return table(["", *works], rows)


def threads(peers):
    counts = sorted({count for *_, count in peers.rows if count > 1})
    parts = []
    for work in [work for work in peers.works if counts and peers.sizes(work, counts[0])]:
        names = [name for name in peers.libraries if any(row[:2] == (name, work) and row[3] > 1 for row in peers.rows)]
        rows = []
        for size in peers.sizes(work, counts[0]):
            for count in [1, *counts]:
                cells = [peers.row(name, work, size, count) for name in names]
                unit = "GB/s" if size >= 64 * KIB and any(row and row["moves"] for row in cells) else "µs"
                what = f"{size_name(size)}, {unit}, {count} thread{'s' * (count > 1)}"
                rows.append([what, *(number(value(row, unit)) if row else "" for row in cells)])
        parts.append(f"### {work[0].upper()}{work[1:]}, by threads\n\n" + table(["", *names], rows))
    return "\n\n".join(parts) or None


def few_cores(results):
    """Works are named by the cores that they had: `pageable to device, cores: 2`."""
    named = [work.rsplit(", cores: ", 1) for work in results.works]
    counts = sorted({int(cores) for _, cores in named})
    rows = []
    for work in dict.fromkeys(work for work, _ in named):
        for size in results.sizes(f"{work}, cores: {counts[0]}"):
            cells = [results.row(name, f"{work}, cores: {count}", size) for count in counts for name in results.libraries]
            rows.append([f"{work}, {size_name(size)}", *(spread(row, "GB/s") if row else "" for row in cells)])
    head = [f"{name}, {count} core{'s' * (count > 1)}" for count in counts for name in results.libraries]
    machine = re.sub(r", \d+ cores?,", ",", results.machine())
    return f"{machine}. GB/s.\n\n" + table(["", *head], rows)


def instructions(results):
    rows = [[row["what"], *(f"{row[name]:,}" for name in ("raw", "typed", "added"))] for row in results["rows"]]
    return f"{results['machine']}, {results['rustc']}, {results['date']}.\n\n" + table(["", "raw", "typed", "added"], rows)


def build_cost(results):
    seconds = ", ".join(f"{second:.1f}" for second in results["seconds"])
    text = f"`{results['command']}`, {results['machine']}, {results['rustc']}, {results['date']}: median {results['median']:.1f} s of {seconds}."
    rows = [[f"`{row['name']}`", row["version"], row["why"]] for row in results["dependencies"]]
    return text + "\n\n" + table(["dependency", "version", "why"], rows)


def plots(folder, found, into):
    """Draws into a folder, and names the pictures that the page shows."""
    files = [str(folder / f"{name}.json") for name in PLOTTED if name in found]
    if files:
        command = ["cargo", "run", "--quiet", "--example", "bandwidth", "--", "--out", into, "--draw", *files]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return {f"{name}.svg": (Path(into) / f"{name}.svg").read_bytes() for name in PLOTTED if name in found}


def page(folder, found):
    peers = Results(found["peers"]) if "peers" in found else None
    bandwidth = Results(found["bandwidth"]) if "bandwidth" in found else None
    picture = lambda results, name, title: f"{results.machine()}.\n\n![{title}]({folder.name}/{name}.svg)"
    parts = {
        "targets": targets(peers, found.get("build")),
        "machine": peers and f"{peers.machine()}. Libraries: {', '.join(peers.about['libraries'])}.",
        "turns": peers and turns(peers),
        "peers": peers and peer_tables(peers),
        "peers_plot": peers and picture(peers, "peers", "Each library, by size"),
        "threads": peers and threads(peers),
        "few_cores": few_cores(Results(found["few_cores"])) if "few_cores" in found else None,
        "bandwidth": bandwidth and picture(bandwidth, "bandwidth", "GB/s against size, for each path"),
        "instructions": instructions(found["instructions"]) if "instructions" in found else None,
        "build": build_cost(found["build"]) if "build" in found else None,
    }
    template = (folder / "template.md").read_text()
    unknown = set(re.findall(r"^\{(\w+)\}$", template, re.M)) - set(parts)
    if unknown:
        sys.exit(f"{folder / 'template.md'} names what there is not: {', '.join(sorted(unknown))}")
    text = re.sub(r"^\{(\w+)\}$", lambda match: parts[match[1]] or "No results yet.", template, flags=re.M)
    return text.encode()


def read(folder):
    found = {}
    for name in ["peers", "bandwidth", "few_cores", "instructions", "build"]:
        file = folder / f"{name}.json"
        try:
            found[name] = json.loads(file.read_text())
        except FileNotFoundError:
            continue
        except ValueError as error:
            sys.exit(f"{file} is no JSON: {error}")
    return found


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", nargs="?", type=Path, default=ROOT / "docs/performance")
    options.add_argument("--check", action="store_true", help="write nothing, and fail where anything would change")
    options = options.parse_args()
    folder = options.folder.resolve()
    found = read(folder)
    with tempfile.TemporaryDirectory() as place:
        files = {folder / name: drawn for name, drawn in plots(folder, found, place).items()}
    files[folder.parent / f"{folder.name}.md"] = page(folder, found)
    changed = [file for file, text in files.items() if not file.exists() or file.read_bytes() != text]
    if not options.check:
        for file in changed:
            file.write_bytes(files[file])
    names = ", ".join(os.path.relpath(file) for file in changed) or "nothing"
    if options.check and changed:
        sys.exit(f"not what the results say: {names}; run scripts/performance.py {os.path.relpath(folder)}")
    print(f"{'checked' if options.check else 'written'}: {names if changed else f'{len(files)} files, no change'}")


main()
