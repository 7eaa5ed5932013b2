#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Print what posts-guest.sh has measured.

  posts.py DIR    DIR has its results

For each way to post the medians of peak and average, and the average in percent of the
peak and of the highest average.
"""
import json
import os
import statistics
import sys


def read_results(path):
    """Measurements by way, in the order of the first round."""
    ways = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            result = json.loads(line)
            ways.setdefault(result["way"], []).append(result)
    return ways


def main():
    ways = read_results(os.path.join(sys.argv[1], "results"))
    medians = {way: {key: statistics.median(r[key] for r in results)
                     for key in ("peak", "average")}
               for way, results in ways.items()}
    best = max(m["average"] for m in medians.values())
    print(f"\n{'64 KiB':34} peak  average Gb/s  % of peak  % of the best")
    for way, m in medians.items():
        print(f"{way:30} {m['peak']:8.2f} {m['average']:8.2f} "
              f"{m['average'] / m['peak'] * 100:15.0f} {m['average'] / best * 100:14.0f}")


main()
