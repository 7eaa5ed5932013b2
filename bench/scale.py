#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""What a message costs with more queue pairs, ports and paths, in user-mode Linux.

  scale.py DIR

ib_write_bw of 64 KiB as in where.py, bound to one processor. The time that the guest's
processes executed for a message does not depend on what else the machine does, as far as
its caches do not. Nothing should grow by more than the caches explain. DIR is left with
scale.json.
"""
import json
import os
import sys

from where import run

SERIES = (
    ("QPS", "queue pairs", (1, 4, 16, 64, 256, 1000)),
    ("LINKS", "ports of each host", (1, 2, 4, 8, 16)),
    ("PATHS", "paths of the queue pair", (1, 4, 16, 64, 256)),
)


def measure(variable, values):
    results = []
    for value in values:
        r = run(True, False, False, **{variable: value})
        results.append({variable: value, "executed_us": r["executed_us"],
                        "mib_per_s": r["mib_per_s"]})
        first = results[0]["executed_us"]
        print(f"  {value:6} {r['executed_us']:9.1f} {r['executed_us'] / first:8.2f} "
              f"{r['mib_per_s']:8.0f}", flush=True)
    return results


def main():
    print(f"load average of the machine: {os.getloadavg()[0]:.1f}")
    series = {}
    for variable, title, values in SERIES:
        print(f"\n{title}: executed us per message of 64 KiB, of the first, MiB/s")
        series[variable] = measure(variable, values)
    with open(os.path.join(sys.argv[1], "scale.json"), "w", encoding="utf-8") as f:
        json.dump(series, f, indent=2)
        f.write("\n")


main()
