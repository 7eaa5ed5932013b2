#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Line coverage of kernel/core: a table by file, with the lines not executed.

    coverage.py DIRECTORY PERCENT

DIRECTORY holds the .gcda files of a run of an instrumented program. The status is 0
if at least PERCENT of the lines were executed.
"""
import collections
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
CORE = os.path.join(ROOT, "kernel", "core") + os.sep


def data_files(directory):
    """Files that gcov can read."""
    for path, _, names in os.walk(directory):
        for name in names:
            if name.endswith(".gcda"):
                yield os.path.join(path, name)


def read_counts(directory):
    """{file: {line: executions}}, headers summed over all files that include them."""
    counts = collections.defaultdict(collections.Counter)
    out = subprocess.run(["gcov", "--json-format", "--stdout",
                          *data_files(directory)],
                         check=True, capture_output=True, text=True).stdout
    for document in out.splitlines():
        for source in json.loads(document)["files"]:
            name = os.path.join(ROOT, source["file"])
            if not name.startswith(CORE):
                continue
            for line in source["lines"]:
                counts[name[len(CORE):]][line["line_number"]] += line["count"]
    return counts


def ranges(lines):
    """[1, 2, 3, 7] as "1-3 7"."""
    parts = []
    for line in lines:
        if parts and line == parts[-1][1] + 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return " ".join(f"{a}-{b}" if a != b else str(a) for a, b in parts)


def main():
    """Print the table."""
    counts = read_counts(sys.argv[1])
    total = missed = 0
    print(f"{'kernel/core':<16} lines missed      %  not run")
    for name in sorted(counts):
        lines = counts[name]
        bad = sorted(line for line in lines if not lines[line])
        total += len(lines)
        missed += len(bad)
        print(f"{name:<16} {len(lines):>5} {len(bad):>6} "
              f"{100 * (1 - len(bad) / len(lines)):>6.1f}  {ranges(bad)}")
    percent = 100 * (1 - missed / total) if total else 0
    good = percent >= float(sys.argv[2])
    print(f"{'ok' if good else 'not ok'} - lines of kernel/core that the suites execute: "
          f"{percent:.1f} % of {total}, at least {sys.argv[2]} %")
    return not good


if __name__ == "__main__":
    sys.exit(main())
