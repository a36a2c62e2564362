#!/usr/bin/env python3
"""Checks that every test which docs/coverage.md names has run and passed. (That the items it names exist is checked by the
compiler: tests/coverage.rs.)

    cargo test --workspace 2>&1 | tee target/tests.log && scripts/coverage.py target/tests.log
"""
import re
import sys
from pathlib import Path


def passed(log):
    """The tests that passed, as the page names them: `buffers::x` for x of tests/buffers.rs or tests/conformance/buffers.rs."""
    names, target, path = set(), "", []
    for line in log.splitlines():
        if running := re.match(r"\s+Running (?:tests/(\w+)(?:\.rs|/main\.rs)|\S+) \(", line):
            target, path = running[1] or "", []
        elif test := re.match(r"test (?:\[.*?\]\s+)?(\S+)\s+\.\.\. ?(\S*)", line):
            path, line = test[1].split("::"), test[2]
        # What a panic that another test expects prints may stand between a test's name and its result.
        if path and re.match(r"(ok|FAILED|ignored)$", line.split(",")[0].strip()):
            if line.startswith("ok"):
                names.add("::".join(path[-2:]) if target == "conformance" else f"{target}::{path[-1]}")
            path = []
    return names


def named(page):
    """The tests of the page: what the last cells of its tables name."""
    rows = (line.strip("|").split(" |") for line in page.splitlines() if line.startswith("| "))
    return {name for row in rows if len(row) == 4 for name in re.findall(r"`(\w+::\w+)`", row[3])}


def main():
    page = named((Path(__file__).parent.parent / "docs/coverage.md").read_text())
    ran = passed(Path(sys.argv[1]).read_text(errors="replace"))
    if not page:
        sys.exit("docs/coverage.md names no test")
    missing = sorted(page - ran)
    if missing:
        sys.exit("named by docs/coverage.md, and not run or not passed: " + ", ".join(missing))
    print(f"{len(page)} tests that docs/coverage.md names have passed")


main()
