#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Table of compare.sh: another commit and this tree, measured in turn.

  compare.py DIR

DIR has the results of guests in base-N and this-N. A difference is called one if the
middle halves of the two series do not overlap. The status is 1 if something is worse.
"""
import collections
import json
import pathlib
import statistics
import sys

from report import label, size_name


# Fewer values have no middle half to speak of.
LEAST = 4


def read(directory, version):
    """Values by measurement"""
    series = collections.defaultdict(list)
    for path in sorted(pathlib.Path(directory).glob(f"{version}-*/results")):
        for line in path.read_text().splitlines():
            r = json.loads(line)
            series[r["test"], r["size"], r["unit"], label(r)].append(r["value"])
    return series


def middle(values):
    """Limits of the middle half"""
    low, _, high = statistics.quantiles(values, method="inclusive")
    return low, high


def verdict(base, this, unit):
    (base_low, base_high), (this_low, this_high) = middle(base), middle(this)
    if this_low <= base_high and base_low <= this_high:
        return ""
    return "better" if (this_low > base_high) == (unit != "us") else "WORSE"


def main(directory):
    base, this = read(directory, "base"), read(directory, "this")
    worse = 0
    print(f"{'median (middle half)':46} {'base':>22} {'this':>22}  ratio")
    for key in base:
        test, size, unit, name = key
        if min(len(base[key]), len(this[key])) < LEAST:
            sys.exit(f"compare: too few results of {test} {size}: BENCH_BOOTS, BENCH_ROUNDS")
        cells = []
        for values in (base[key], this[key]):
            low, high = middle(values)
            cells.append(f"{statistics.median(values):.2f} ({low:.2f} {high:.2f})")
        ratio = statistics.median(this[key]) / statistics.median(base[key])
        word = verdict(base[key], this[key], unit)
        worse += word == "WORSE"
        print(f"{test + ' ' + size_name(size) + ' ' + name:46} {cells[0]:>22} {cells[1]:>22}"
              f"  {ratio:.2f} {word}".rstrip())
    print(f"{len(base)} measurements, {worse} worse, {len(next(iter(base.values())))} and "
          f"{len(next(iter(this.values())))} values each")
    return worse > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
