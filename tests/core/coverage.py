#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Line coverage of folders of kernel/: a table by file, with the lines not executed.

    coverage.py DIRECTORY PERCENT [FOLDER...]

DIRECTORY holds the .gcda files of runs of an instrumented program or module. The
status is 0 if at least PERCENT of the lines of the folders (default: core) were
executed.
"""
import collections
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
KERNEL = os.path.join(ROOT, "kernel") + os.sep


def data_files(directory):
    """Lists of files that gcov can read, one for each directory."""
    for path, _, names in os.walk(directory):
        files = [os.path.join(path, name) for name in names
                 if name.endswith(".gcda")]
        if files:
            yield files


def read_counts(directory, folders):
    """{file: {line: executions}}, headers summed over all files that include them."""
    counts = collections.defaultdict(collections.Counter)
    for files in data_files(directory):
        out = subprocess.run(["gcov", "--json-format", "--stdout", *files],
                             check=True, capture_output=True, text=True).stdout
        for document in out.splitlines():
            for source in json.loads(document)["files"]:
                # A module is built in a tree of links.
                name = os.path.realpath(os.path.join(ROOT, source["file"]))
                name = name.removeprefix(KERNEL)
                if name.partition(os.sep)[0] not in folders:
                    continue
                for line in source["lines"]:
                    counts[name][line["line_number"]] += line["count"]
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
    folders = sys.argv[3:] or ["core"]
    counts = read_counts(sys.argv[1], folders)
    total = missed = 0
    print(f"{'kernel/':<24} lines missed      %  not run")
    for name in sorted(counts):
        lines = counts[name]
        bad = sorted(line for line in lines if not lines[line])
        total += len(lines)
        missed += len(bad)
        print(f"{name:<24} {len(lines):>5} {len(bad):>6} "
              f"{100 * (1 - len(bad) / len(lines)):>6.1f}  {ranges(bad)}")
    percent = 100 * (1 - missed / total) if total else 0
    good = percent >= float(sys.argv[2])
    print(f"{'ok' if good else 'not ok'} - lines of kernel/{{{','.join(folders)}}} that "
          f"the tests execute: {percent:.1f} % of {total}, at least {sys.argv[2]} %")
    return not good


if __name__ == "__main__":
    sys.exit(main())
